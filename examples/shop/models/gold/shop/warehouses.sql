{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='warehouses',
    key=['id'],
    columns={
        'id': 'smallint',
        'name': 'string',
        'city': 'string',
        'opened_on': 'date',
        'is_active': 'boolean'
    }
) }}
