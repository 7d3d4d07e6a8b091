{{ cdc.current_state(
    feed='shop_postgres', schema='public', table='parcel_events',
    key=['id']
) }}
