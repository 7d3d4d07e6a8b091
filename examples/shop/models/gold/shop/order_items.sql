{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='order_items',
    key=['line_no', 'order_id'],
    columns={
        'order_id': 'bigint',
        'line_no': 'int',
        'product_id': 'bigint',
        'quantity': 'decimal(10,3)',
        'unit_price': 'decimal(20,4)'
    }
) }}
