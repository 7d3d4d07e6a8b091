{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='picking_list',
    key=['id'],
    columns={
        'id': 'int',
        'order_id': 'bigint',
        'product_id': 'int',
        'quantity': 'smallint',
        'picker': 'string'
    }
) }}
