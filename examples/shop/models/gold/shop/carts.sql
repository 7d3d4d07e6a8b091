{{ cdc.current_state(
    feed='shop_mariadb', database='shop', table='carts',
    key=['id']
) }}
