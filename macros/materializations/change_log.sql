{#- An append-only table that takes each bronze version once. The guard on bronze_version makes a repeated
    run add nothing, and Delta's transaction mark refuses a second runner that works at the same moment. -#}
{% materialization change_log, adapter='spark' %}
    {%- set mark = cdc.mark_of_model() -%}
    {%- set version = cdc.readable_version() -%}

    {%- call cdc.with_hooks() -%}
        {%- if not mark -%}
            {%- do cdc._create_silver_table(compiled_code) -%}
            {%- do cdc.mark_applied(version, invocation_id) -%}
            {%- if model.name.endswith('_changes') -%}
                {%- do cdc.note_first_build(version) -%}
            {%- endif -%}
        {%- elif not (cdc.has_new_records(mark) or cdc.lagged_silver(mark)) or not cdc.may_have_rows(compiled_code, mark) -%}
            {%- do cdc.nothing_new() -%}
            {%- do cdc.mark_applied(version, mark.built_by) -%}
        {%- else -%}
            {%- set columns = adapter.get_columns_in_relation(this) | map(attribute='quoted') | join(', ') -%}
            {#- a table that was rebuilt, from another bronze perhaps, takes that one's versions from the start -#}
            {%- set application = cdc.quoted(this ~ '@' ~ mark.built_by) -%}
            {%- call statement('main') -%}
                insert into {{ this }} with ('txnAppId' = {{ application }}, 'txnVersion' = '{{ version }}') ({{ columns }})
                select {{ columns }}
                from (
                {{ compiled_code }}
                )
                where bronze_version > (
                    select coalesce(max(bronze_version), -1)
                    from {{ this }}
                    where bronze_version > {{ mark.version }}
                )
            {%- endcall -%}
            {%- do cdc.rows_were_added() -%}
            {%- do cdc.mark_applied(version, mark.built_by) -%}
            {%- if model.name.endswith('_changes') -%}
                {#- here, for all that is made from them: models that run at the same time would ask each for itself -#}
                {%- do cdc.new_changes_of_silver(model.name) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endcall -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}
