{#- Debezium's messages of schema changes, with a statement or without one. -#}

{#- What a schema change does: by its text, without one by its table changes, of which `change_type` is the type. NULL where
    neither shows it: such a message is not understood. -#}
{% macro schema_change_kind(statement, change_type) -%}
    coalesce(
        nullif({{ statement }}.kind, 'other'),
        case
            when {{ change_type }} = 'ALTER' or {{ statement }} is null and {{ change_type }} in ('CREATE', 'DROP')
                then lower({{ change_type }})
            when {{ statement }} is not null then 'other'
        end
    )
{%- endmacro %}


{#- The type of a list of table changes: DROP where one of them is, else that of the first; NULL where one is of no known
    type. -#}
{% macro type_of_changes(table_changes) -%}
    case
        when forall({{ table_changes }}, change -> coalesce(change.type in ('CREATE', 'ALTER', 'DROP'), false))
            then if(exists({{ table_changes }}, change -> change.type = 'DROP'), 'DROP', get({{ table_changes }}, 0).type)
    end
{%- endmacro %}


{#- Why a schema change cannot be applied by its table changes, where it has no text: nothing shows what was done, or another
    table than the message's own was dropped, or several. `place` is an SQL list of the message's names, the table last. -#}
{% macro table_changes_error(kind, statement, table_changes, place) -%}
    case
        when {{ kind }} is null then {{ cdc.no_schema_change_reason() }}
        when {{ statement }} is null and {{ kind }} = 'drop'
            and not (
                cardinality({{ table_changes }}) = 1
                and {{ cdc.is_name_of_place('get(' ~ table_changes ~ ', 0).id', place) }}
            )
            then concat(
                'tableChanges name another table than the message, or several: ',
                coalesce(nullif(concat_ws(', ', transform({{ table_changes }}, change -> change.id)), ''), 'none')
            )
    end
{%- endmacro %}


{#- Why a schema change without a text is not understood whose table changes are of no known kind. -#}
{% macro no_schema_change_reason() -%}
    'there is no statement, and tableChanges do not say what was done'
{%- endmacro %}
