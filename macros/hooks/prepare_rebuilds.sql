{#- on-run-start: what this run builds from nothing in silver. It is refused where bronze no longer holds the records of a table that is
    there. Without its mark, a build that is killed is done again, with what is made of all silver; gold follows by built_by.
    Here, for all at once: models that run at the same time would delete from one table. -#}
{% macro prepare_rebuilds() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set built = [] -%}
    {%- set late = [] -%}
    {%- for node in cdc.selected_change_tables() -%}
        {%- set silver = adapter.get_relation(none, node.schema, node.alias) -%}
        {%- set refreshes = flags.FULL_REFRESH if node.config.full_refresh is none else node.config.full_refresh -%}
        {%- if silver is not none and (refreshes or node.name not in run.applied) -%}
            {%- do cdc.refuse_lost_records(silver) -%}
        {%- endif -%}
        {%- if refreshes or silver is none or node.name not in run.applied -%}
            {%- do built.append(node.name) -%}
        {%- endif -%}
        {%- if cdc.is_late(node.name, cdc.made_of_silver()) -%}
            {%- do late.append(node.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if built -%}
        {%- do cdc.remember_absent_feeds(cdc.feeds_landed_for(built)) -%}
    {%- endif -%}
    {%- set stale = [] -%}
    {%- if late or built | select('in', run.applied) | list -%}
        {%- do stale.extend(built + cdc.made_of_silver()) -%}
    {%- endif -%}
    {#- which reads all records of its feeds -#}
    {%- for feed, settings in cdc.feeds().items() if settings.format ~ '_changes' in built and '#forgotten ' ~ feed in run.applied -%}
        {%- do stale.append('#forgotten ' ~ feed) -%}
    {%- endfor -%}
    {%- if stale -%}
        {%- do cdc.forget_marks(stale) -%}
    {%- endif -%}
{%- endmacro %}


{#- Will rows of a table enter silver below what one of these models has read of it? So it is with a format that no run had while they
    went on: its first rows are stamped with the version that this run reads, later ones with that of their load. -#}
{% macro is_late(table, models) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set mark = run.applied.get(table) -%}
    {%- for name in models if name in run.applied -%}
        {%- set read = run.applied[name].version -%}
        {%- if read >= run.bronze_version and not mark or mark and read > mark.version and cdc.has_new_records(mark, table) -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
