{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='shipments',
    key=['id']
) }}
