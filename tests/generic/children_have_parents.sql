{#- Rows whose parent gold does not have. ON DELETE and ON UPDATE with CASCADE, SET NULL or SET DEFAULT change rows of the
    child in MySQL and MariaDB without an event in the binlog, so without a message: such rows stay in gold as they were. Only a
    model knows of its foreign key, so it declares the test: `columns` of the model are the values of `parent_columns` of the
    relation `parent`, in this order, each a name or a list of names. A row with a NULL among them has no parent. -#}
{% test children_have_parents(model, columns, parent, parent_columns) -%}
    {{ config(meta={'cdc': {'findings': true}}) }}
    {%- set columns = [columns] if columns is string else columns %}
    {%- set parent_columns = [parent_columns] if parent_columns is string else parent_columns %}
    {%- if not columns or columns | length != parent_columns | length %}
        {%- do exceptions.raise_compiler_error(
            'children_have_parents of ' ~ model ~ ' has ' ~ columns | length ~ ' columns and ' ~ parent_columns | length
            ~ ' parent_columns: give one for each of the other, and at least one'
        ) %}
    {%- endif %}

    with children as (

        select * from {{ model }}

    )

    select
        {%- for column in columns %}
        children.{{ cdc.identifier(column) }},
        {%- endfor %}
        children._change.row_key,
        children._change.topic,
        children._change.partition,
        children._change.sequence.offset,
        'the parent of this row is not there: a foreign key with CASCADE or SET NULL changes rows without a message'
            as finding
    from children
        left anti join {{ parent }} as parents
            on
                {%- for column in columns %}
                {{ 'and ' if not loop.first }}children.{{ cdc.identifier(column) }} = parents.{{ cdc.identifier(parent_columns[loop.index0]) }}
                {%- endfor %}
    where
        {%- for column in columns %}
        {{ 'and ' if not loop.first }}children.{{ cdc.identifier(column) }} is not null
        {%- endfor %}
{%- endtest %}
