{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='stock',
    key=['warehouse_id', 'product_id']
) }}
