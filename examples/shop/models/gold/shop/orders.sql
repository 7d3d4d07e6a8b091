{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='orders',
    key=['id'],
    columns={
        'id': 'bigint',
        'customer_id': 'decimal(20,0)',
        'status': 'string',
        'total': 'decimal(12,2)',
        'ordered_at': 'timestamp_ntz',
        'paid_at': 'timestamp',
        'remark': 'string'
    }
) }}
