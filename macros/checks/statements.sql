{#- What the test every_statement_is_followed asks of a statement: of `line` and `statement` (see macros/parse/statement.sql). -#}

{#- A line without what is quoted, so that a word in a text is not taken for one of the statement. -#}
{% macro bare_line(line) -%}
    lower(regexp_replace({{ line }}, r'(?s){{ cdc._quoted_text() }}', 'q'))
{%- endmacro %}


{#- What the statement does that gold does not follow, over the columns of silver.changes; NULL where gold follows it. What
    drops or clears a table is followed under the table's exact name. `of_debezium` are the feeds of its connectors. -#}
{% macro finding_of_statement(of_debezium) -%}
    case
            when operation = 'transaction_end'
                then 'a prepared transaction was rolled back, of which messages may have brought rows'
            when statement.kind = 'rename' or ddl_kind = 'rename'
                or statement.kind = 'alter' and bare_line rlike r'{{ cdc._renames() }}|\bset ++schema\b|\bmodify ++name *+='
                then 'the rows went to another name, and gold does not follow a RENAME'
            -- a full load of Debezium's MySQL connector begins with DROP DATABASE, and sends every row after it
            when phase > 0 and (statement.kind = 'drop' and statement.is_of_database or ddl_kind = 'drop' and table_name is null)
                then 'a database was dropped with all its tables, of which no message names one'
            when bare_line rlike r'^ *+(?:flashback|recover|undrop|restore|import)\b'
                or statement.kind = 'alter' and bare_line rlike r'\bincluding ++rows\b|\bwith ++empty ++table\b|\bengine *+=? *+blackhole\b'
                then 'rows came back or went without a message'
            when statement.kind = 'alter'
                and bare_line rlike r'\b(?:drop|truncate|exchange|convert|attach|detach|switch) ++(?:sub)?partitions?\b'
                or statement.kind = 'alter' and bare_line rlike r'\bconvert ++table\b|\bswitch ++to\b'
                then 'the rows of partitions went or came without a message'
            when statement.kind = 'alter' and bare_line rlike r'\b(?:discard|import) ++(?:partition\b.*)?tablespace\b'
                then 'the rows of a tablespace went or came without a message'
            when bare_line rlike r'^ *+alter ++(?:online ++)?ignore\b.*\b(?:unique|primary)\b'
                then 'rows with equal keys went without a message'
            when bare_line rlike r'^ *+(?:xa ++rollback|rollback ++prepared)\b'
                then 'a prepared transaction was rolled back, of which messages may have brought rows'
            -- PostgreSQL sends a truncate for each table
            when statement.kind = 'truncate' and bare_line rlike r' cascade\b' and not source_type <=> 'postgresql'
                then 'tables that refer to this one may have been emptied too, without a message; of each'
            {%- if of_debezium %}
            -- an upgrade alone does not help: Debezium's history of schemas has the old one
            when statement.kind = 'alter' and bare_line rlike r'\bconvert ++to ++(?:character ++set|charset)\b'
                and source_type in ('mysql', 'mariadb') and feed in ({{ cdc.quoted_list(of_debezium) }})
                then concat(
                    'Debezium before 3.4.1 reads later text in the old character set, ',
                    'until it is started with snapshot.mode recovery; if yours is older'
                )
            {%- endif %}
            when (operation = 'truncate' or ddl_kind = 'drop') and phase > 0
                then 'the spelling of the table is another one, and its rows stay in gold if both are one table'
        end
{%- endmacro %}


{#- The tables that a statement names after its first: new names, and those with which partitions are exchanged. -#}
{% macro other_tables(line) -%}
    concat(
        regexp_extract_all(
            {{ line }},
            r'(?is){{ cdc._rename() }}(?!(?:to|as|column|index|key|constraint|partition|tables?)\b)({{ cdc._name() }}) *+{{ cdc._end_of_rename() }}',
            1
        ),
        regexp_extract_all(
            {{ line }},
            r'(?is)\b(?:(?:convert|with|to|from) ++table ++|switch ++(?:partition ++[^ ]++ ++)?+to ++)({{ cdc._name() }})',
            1
        )
    )
{%- endmacro %}


{#- ALTER TABLE a RENAME b, with TO or AS or = or none of them; not that of a column, which has an old and a new name. -#}
{% macro _renames() -%}
    {{ cdc._rename() }}(?!(?:to|as|column|index|key|constraint|partition)\b)[^ ,;]++(?: *+[.] *+[^ ,;]++)* *+{{ cdc._end_of_rename() }}
{%- endmacro %}


{% macro _rename() -%}
    \brename(?: *+= *+| ++(?:(?:to|as) ++)?)
{%- endmacro %}


{#- What MySQL allows after the new name. -#}
{% macro _end_of_rename() -%}
    (?:[,;]|$|(?:partition ++by|remove ++partitioning)\b)
{%- endmacro %}


{#- May a name mean the table of a gold model? Without regard to case, and with any table where a part is missing. -#}
{% macro may_be_gold_table(relation) -%}
    {{ relation }}.feed = gold_tables.feed
            {%- for part in ['catalog'] + cdc.place_parts() %}
            and coalesce(lower({{ relation }}.{{ part }}_name) = lower(gold_tables.{{ part }}_name), true)
            {%- endfor %}
            {%- if cdc.has_patterns() %}
            {%- for part in cdc.place_parts() %}
            and coalesce({{ relation }}.{{ part }}_name rlike concat('(?i)', gold_tables.{{ part }}_pattern), true)
            {%- endfor %}
            {%- endif %}
{%- endmacro %}
