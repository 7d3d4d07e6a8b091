{#- The names and words of Debezium's connectors. -#}

{#- The connectors whose messages are known to be read right, by records or documents. Others write other things in
    the same envelope: Cassandra's columns are cells, and their null means "not changed". -#}
{% macro known_connectors() -%}
    'mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'mongodb', 'db2'
{%- endmacro %}


{#- Why a message of another connector is not read. -#}
{% macro unknown_connector_reason(connector) -%}
    concat(
        'the connector is ', {{ connector }}, ', and how its rows are to be read is not known: known are ',
        concat_ws(', ', {{ cdc.known_connectors() }})
    )
{%- endmacro %}


{#- Why a message is not read whose connector has a known name, but a version of another project: YugabyteDB's postgresql, of version
    dz.2.5.2.yb.2024.1, has null for every column that did not change.
    https://docs.yugabyte.com/stable/additional-features/change-data-capture/using-logical-replication/transformers/ -#}
{% macro fork_of_connector_reason(connector, version) -%}
    concat(
        'the version of the connector ', {{ connector }}, ' is ', {{ version }}, ', which is none of Debezium: how rows of another',
        ' project with this name are to be read is not known'
    )
{%- endmacro %}


{#- The words by which a connector marks the rows of a full load; those of an incremental snapshot are not among them. -#}
{% macro is_full_load_word(word) -%}
    {{ word }} in ('true', 'first', 'first_in_data_collection', 'last_in_data_collection', 'last')
{%- endmacro %}
