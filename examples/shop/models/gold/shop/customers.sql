{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='customers',
    key=['id'],
    columns={
        'id': 'decimal(20,0)',
        'first_name': 'string',
        'last_name': 'string',
        'email': 'string',
        'phone': 'string',
        'tier': 'string',
        'birthday': 'date',
        'note': 'string',
        'registered_at': 'timestamp'
    }
) }}
