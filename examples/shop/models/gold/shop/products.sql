{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='products',
    key=['id'],
    columns={
        'id': 'bigint',
        'name': 'string',
        'price': 'decimal(20,4)',
        'unit_cost': 'string',
        'ean': 'decimal(20,0)',
        'weight_kg': 'float',
        'rating': 'double',
        'flags': 'int',
        'labels': 'string',
        'vintage': 'int',
        'lead_time': 'string',
        'available_from': 'timestamp_ntz',
        'discontinued': 'date',
        'shelf_code': 'binary',
        'checksum': 'binary',
        'thumbnail': 'binary',
        'attributes': 'string'
    }
) }}
