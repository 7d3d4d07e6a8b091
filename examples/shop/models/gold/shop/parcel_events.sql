{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='parcel_events',
    key=['id'],
    columns={
        'id': 'bigint',
        'shipment_id': 'string',
        'event': 'string',
        'happened_at': 'timestamp',
        'place': 'string'
    }
) }}
