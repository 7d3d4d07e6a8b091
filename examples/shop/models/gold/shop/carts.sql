{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='carts',
    key=['id'],
    columns={
        'id': 'int',
        'customer_id': 'decimal(20,0)',
        'product_id': 'bigint',
        'quantity': 'int',
        'is_gift': 'boolean',
        'changed_at': 'timestamp'
    }
) }}
