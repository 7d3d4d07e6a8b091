{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='shipments',
    key=['id'],
    columns={
        'id': 'string',
        'order_id': 'bigint',
        'carrier': 'string',
        'created_at': 'timestamp',
        'packed_at': 'timestamp_ntz',
        'ship_on': 'date',
        'pickup_time': 'string',
        'cost': 'string',
        'insured_value': 'decimal(38,10)',
        'is_fragile': 'boolean',
        'tags': 'array<string>',
        'details': 'string',
        'label': 'binary',
        'distance_km': 'double',
        'weight_kg': 'float',
        'transit_time': 'bigint',
        'notes': 'string'
    }
) }}
