{{ cdc.history(of='orders') }}
