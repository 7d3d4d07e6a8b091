{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='picking_list',
    key=['id']
) }}
