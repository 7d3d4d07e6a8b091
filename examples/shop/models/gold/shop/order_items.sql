{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='order_items',
    key=['line_no', 'order_id']
) }}
