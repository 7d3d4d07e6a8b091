{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='warehouses',
    key=['id']
) }}
