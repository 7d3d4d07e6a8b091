{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='stock',
    key=['warehouse_id', 'product_id'],
    columns={
        'warehouse_id': 'smallint',
        'product_id': 'int',
        'on_hand': 'int',
        'reorder_at': 'decimal(12,3)',
        'reserved': 'int'
    }
) }}
