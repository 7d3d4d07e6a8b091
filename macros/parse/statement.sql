{#- What a statement says: all formats read DDL texts here. `statement_line` makes one line of the text, and `read_statement` reads
    that line. MySQL, MariaDB, Oracle, PostgreSQL and SQL Server quote their names in ways that do not contradict each other, so no
    dialect has to be declared.
    Statements are rare, and their regular expressions long: as generated code they would make a stage larger than the 8,000 bytes of
    a method that Java compiles, and Spark then runs the stage without it. Lambda functions stay outside generated code, so that
    what reads statements is one, over an array of one element. -#}

{#- From a relation to `read_statements`, which has its columns and what the text in `ddl` says as `statement`. -#}
{% macro read_statements(relation, ddl) -%}
    read_statements as (

        select
            *,
            {{ cdc.read_statement(ddl) }} as statement
        from {{ relation }}

    )
{%- endmacro %}


{#- The text on one line: no comments, and a blank on each side of whatever is quoted. What MySQL executes in a comment,
    `/*!40005 TEMPORARY */`, is text, and so are the comments of MariaDB and TiDB that these execute. A comment for servers
    newer than 5.6 stays as it is, since nothing shows whether the server executes it, and so does a comment without an end.
    Each sign is looked at once: a text may be long. NULL without a statement. -#}
{% macro statement_line(ddl) -%}
    case when trim({{ ddl }}) <> '' then {{ cdc._on_one_line(ddl) }} end
{%- endmacro %}


{% macro _on_one_line(ddl) -%}
    regexp_replace(
                        regexp_replace(
                            {{ ddl }},
                            r'(?s)({{ cdc._quoted_text() }}|/\*(?!!|M!|T!)(?:[^*]|\*(?!/))*+$)|(?:\s|/\*(?:!(?:[0-4]\d{4}|50[0-6]\d\d)?(?!\d)|M!\d*+|T!(?:\[[^\]]*+\])?)|\*/'
                            || r'|/\*(?!!)(?:[^*]|\*(?!/))*+\*/|--[^\n]*+|(?<![\w$])#[^\n]*+)++',
                            ' $1 '
                        ),
                        r'(?is)^ *+set ++statement ++(?:{{ cdc._quoted_text() }}|(?! ++for ).)*+ ++for ++',
                        ''
                    )
{%- endmacro %}


{#- What a statement says, as a struct; NULL where there is none.
    `kind` is the contract's: what it does to tables, or to what holds tables. MariaDB's CREATE OR REPLACE TABLE drops the
    table that was there. DROP INDEX does nothing to tables, and a temporary table is none.
    `doubt` is why the statement must not be applied: what may remove rows is known, or reported.
    `tables` are the names in their order, as they are written (`part_of_name` has their parts); of a RENAME, old and
    new in turn. With `is_of_database` they are databases, of which all tables are meant. -#}
{% macro read_statement(ddl) -%}
    case
        when trim({{ ddl }}) <> ''
            then get(
                transform(
                    transform(
                        array({{ cdc._on_one_line(ddl) }}),
                        line -> named_struct('line', line, 'tables', {{ cdc._names_of_tables('line') }})
                    ),
                    read -> named_struct(
                        'kind', case
                            when read.line rlike r'(?i)^ *+truncate\b' then 'truncate'
                            when read.line rlike r'(?i)^ *+(?:drop|create ++or ++replace) ++(?:tables?|{{ cdc._database() }})\b'
                                or {{ cdc._drops_user_with_tables('read.line') }}
                                then 'drop'
                            when read.line rlike r'(?is)^ *+rename ++(?:tables?\b|{{ cdc._name() }} ++to\b)'
                                or {{ cdc._moves_table('read.line') }}
                                then 'rename'
                            when read.line rlike r'(?i)^ *+alter(?: ++{{ cdc._modifier() }})*+ ++(?:table|{{ cdc._database() }})\b' then 'alter'
                            when read.line rlike r'(?i)^ *+create(?: ++{{ cdc._modifier() }})*+ ++(?:table|{{ cdc._database() }})\b'
                                and read.line not rlike {{ cdc._of_temporary_table() }}
                                then 'create'
                            else 'other'
                        end,
                        'is_temporary', read.line
                        rlike {{ cdc._of_temporary_table() }},
                        'is_of_database', read.line
                        rlike r'(?i)^ *+(?:drop|alter|create(?: ++or ++replace)?) ++{{ cdc._database() }}\b'
                        and not {{ cdc._moves_table('read.line') }}
                        or {{ cdc._drops_user_with_tables('read.line') }},
                        'tables', read.tables,
                        'doubt', case
                            when read.line rlike r'(?i)^ *+(?:insert|update|delete|replace|merge|load|with)\b'
                                then 'a statement without row images'
                            when read.line rlike r'(?i)^ *+(?:truncate|drop ++tables?|rename(?! ++user\b))\b' and cardinality(read.tables) = 0
                                or read.line rlike r'(?i)^ *+drop\b(?! ++(?:tables?|{{ cdc._database() }}|{{ cdc._without_rows() }})\b)'
                                or read.line rlike r'(?i)^ *+drop ++tablespace\b.* including\b'
                                or read.line rlike r'(?i)^ *+(?:set ++statement\b|/\*!)'
                                -- more than one statement, of which a message cannot be all
                                or read.line rlike r'(?is)^ *+(?:truncate|drop|rename|(?:alter|create)(?: ++{{ cdc._modifier() }})*+ ++(?:table|{{ cdc._database() }}))\b'
                                || r'(?:{{ cdc._quoted_text() }}|[^;])*+;[ ;]*+[^ ;]'
                                -- but for the body of a stored program
                                or read.line rlike r'(?is)^(?! *+(?:create|alter)\b).*; *+(?:truncate|drop ++(?:tables?|{{ cdc._database() }})|rename ++tables?)\b'
                                then 'the statement cannot be read for sure'
                        end
                    )
                ),
                0
            )
    end
{%- endmacro %}


{#- One part of a name as it is written, without quotes: 3 is the table, 2 its database or schema, 1 what holds that; empty where
    there is none. -#}
{% macro part_of_name(name, part) -%}
    regexp_replace(
        regexp_extract(
            {{ name }},
            r'(?s)^(?:(?:({{ cdc._part() }})? *+\. *+)?({{ cdc._part() }})? *+\. *+)?({{ cdc._part() }})$',
            {{ part }}
        ),
        r'(?s)^[`"\[]|[`"\]]$|([`"\]])(?=\1.)',
        ''
    )
{%- endmacro %}


{#- Why a message about one table cannot be applied: its statement is in doubt, removes something of another table, or of
    several. `kind` is what the message does; NULL where nothing prevents it. -#}
{% macro statement_error(kind, statement, ddl, place) -%}
    case
        when {{ kind }} in ('drop', 'truncate') and cardinality({{ statement }}.tables) > 1
            then concat('the statement names several tables: ', {{ ddl }})
        else {{ cdc.statement_of_table_error(kind, statement, ddl, place) }}
    end
{%- endmacro %}


{#- The same where the producer sends a message for each table of a statement, or where a row is made of each. `place` is an
    SQL list of the message's names, the table last. -#}
{% macro statement_of_table_error(kind, statement, ddl, place) -%}
    case
        when {{ statement }} is null then null
        when {{ statement }}.doubt is not null then concat({{ statement }}.doubt, ': ', {{ ddl }})
        when {{ kind }} not in ('drop', 'truncate') then null
        {%- if kind != statement ~ '.kind' %}
        when {{ kind }} <> {{ statement }}.kind
            then concat('the statement is no ', upper({{ kind }}), ', as the message says: ', {{ ddl }})
        {%- endif %}
        when not {{ cdc._is_of_place(statement, place) }}
            then concat('the statement names another table than its message: ', {{ ddl }})
    end
{%- endmacro %}


{#- The names that become a row each: where one message as a whole is about several tables. -#}
{% macro tables_of_statement(kind, statement, error) -%}
    case
        when
            {{ error }} is null
            and {{ kind }} in ('drop', 'truncate')
            and cardinality({{ statement }}.tables) > 1
            and not {{ statement }}.is_of_database
            then {{ statement }}.tables
    end
{%- endmacro %}


{#- Which table a name from a statement means, of a message about that database and schema; without a name, the message's. -#}
{% macro place_of_statement(name, database, schema, table) -%}
    case
        when {{ name }} is null
            then named_struct('database_name', {{ database }}, 'schema_name', {{ schema }}, 'table_name', {{ table }})
        else named_struct(
            'database_name', coalesce(
                nullif(if({{ schema }} is null, {{ cdc.part_of_name(name, 2) }}, {{ cdc.part_of_name(name, 1) }}), ''), {{ database }}
            ),
            'schema_name', if({{ schema }} is null, null, coalesce(nullif({{ cdc.part_of_name(name, 2) }}, ''), {{ schema }})),
            'table_name', {{ cdc.part_of_name(name, 3) }}
        )
    end
{%- endmacro %}


{#- Is what the statement names the message's own? Names are compared without their case: here two spellings are never two
    tables. A database may be named without the message's catalog, and with any of its tables. -#}
{% macro _is_of_place(statement, place) -%}
    exists(
        array({{ statement }}),
        statement -> case
            when cardinality(statement.tables) > 1
                then coalesce(
                    contains(
                        {{ cdc._last_parts("concat_ws('\n', '', statement.tables, '')") }},
                        concat('\n', {{ cdc._last_parts('element_at(array(' ~ place ~ '), -1)') }}, '\n')
                    ),
                    false
                )
            when statement.is_of_database
                then element_at(array({{ place }}), -1) is null
                or coalesce(
                    array_contains(
                        split(lower(concat_ws('\n', {{ place }})), '\n'),
                        lower({{ cdc.part_of_name('get(statement.tables, 0)', 3) }})
                    ),
                    false
                )
            else {{ cdc.is_name_of_place('get(statement.tables, 0)', place) }}
        end
    )
{%- endmacro %}


{#- Is a name from a statement the message's own table? -#}
{% macro is_name_of_place(name, place) -%}
    coalesce(
        {{ name }} is not null
        and endswith(
            lower(concat_ws('\n', '', {{ place }})),
            lower(
                concat_ws(
                    '\n',
                    '',
                    nullif({{ cdc.part_of_name(name, 1) }}, ''),
                    nullif({{ cdc.part_of_name(name, 2) }}, ''),
                    {{ cdc.part_of_name(name, 3) }}
                )
            )
        ),
        false
    )
{%- endmacro %}


{#- The last parts of names, a line each, in one spelling: to find a name among several. -#}
{% macro _last_parts(names) -%}
    regexp_replace(translate(lower({{ names }}), '`"[] ', ''), r'[^\n]*[.]', '')
{%- endmacro %}


{#- The kind by the word of a tool of Canal's descent, else by the text: a DROP of a temporary table is an ERASE by its
    word, CREATE OR REPLACE TABLE a CREATE. -#}
{% macro ddl_kind_of_word_or_text(word, statement) -%}
    case
        when {{ statement }}.is_temporary then 'other'
        when {{ word }} = 'CREATE' and {{ statement }}.kind = 'drop' then 'drop'
        else coalesce({{ cdc.ddl_kind_of_word(word) }}, {{ statement }}.kind, 'other')
    end
{%- endmacro %}


{#- The kind by the word that the tools of Canal's descent write for it; NULL for any other. -#}
{% macro ddl_kind_of_word(word) -%}
    case {{ word }}
        when 'CREATE' then 'create'
        when 'ALTER' then 'alter'
        when 'ERASE' then 'drop'
        when 'RENAME' then 'rename'
        when 'CINDEX' then 'other'
        when 'DINDEX' then 'other'
    end
{%- endmacro %}


{#- The names in a line, in their order; none where there is none. What removes or renames is read to its end. SQL Server's
    ALTER SCHEMA ... TRANSFER names a table, any other a schema. -#}
{% macro _names_of_tables(line) -%}
    regexp_extract_all(
        concat(
            regexp_extract(
                {{ line }},
                r'(?is)^ *+(?:truncate\b(?: ++table\b)?+|(?:drop|rename|flashback|recover|undrop) ++tables?\b|rename\b(?! ++tables?\b))'
                || r'(?: ++if ++exists\b)?+ *+((?:{{ cdc._named() }}(?: *+, *+(?=[^ ,;])|(?! *+,)))++)'
                || r'(?: *+(?:as ++"bin[$][^"]*+"|(?:restrict|cascade(?: ++constraints?)?|purge|nowait|wait ++\d++|force|(?:restart|continue) ++identity'
                || r'|(?:drop|reuse)(?: ++all)? ++storage|(?:preserve|purge) ++(?:materialized ++view|snapshot) ++log)\b))*+[ ;]*+$',
                1
            ),
            regexp_extract(
                {{ line }},
                r'(?is)^ *+(?:(?:create|alter)(?: ++{{ cdc._modifier() }})*+ ++table\b'
                || r'|alter ++schema ++{{ cdc._name() }} ++transfer\b(?: ++object *+::)?+'
                || r'|(?:create(?: ++or ++replace)?|alter|drop) ++{{ cdc._database() }}\b|drop ++user\b(?=.* cascade\b))'
                || r'(?: ++if(?: ++not)? ++exists\b)?+ *+(?:only ++)?({{ cdc._name() }}(?: *+, *+{{ cdc._name() }})*+)',
                1
            )
        ),
        r'(?is)(?:^|,| to\b) *+(?:only ++(?!to\b|,))?({{ cdc._name() }})',
        1
    )
{%- endmacro %}


{#- A name in a list, with its new name in a RENAME. -#}
{% macro _named() -%}
    (?:only ++)?{{ cdc._name() }}(?: *+\*)?(?:(?: ++wait ++\d++| ++nowait)?+ ++to ++{{ cdc._name() }})?
{%- endmacro %}


{#- Up to four parts; SQL Server leaves parts in the middle empty. -#}
{% macro _name() -%}
    {{ cdc._part() }}(?:(?: *+\.){1,2} *+{{ cdc._part() }}){0,3}+
{%- endmacro %}


{#- Quoted, or what needs no quotes. -#}
{% macro _part() -%}
    (?:`(?:[^`]|``)*+`|"(?:[^"]|"")*+"|\[(?:[^\]]|\]\])*+\]|[^\x00-"%-/:-@\[-^`{-\x7F]++)
{%- endmacro %}


{#- Quoted names, and texts between single quotes (\x27); to the end of the statement where the quote is not closed. -#}
{% macro _quoted_text() -%}
    `(?:[^`]|``)*+(?:`|$)|"(?:[^"\\]|""|\\.)*+(?:"|\\?$)|\x27(?:[^\x27\\]|\x27\x27|\\.)*+(?:\x27|\\?$)|\[[^\]]*+(?:\]|$)
{%- endmacro %}


{#- What may come between a verb and TABLE. -#}
{% macro _modifier() -%}
    (?:or ++replace|online|offline|ignore|unlogged|global|local|private|temp(?:orary)?)
{%- endmacro %}


{% macro _of_temporary_table() -%}
    r'(?i)^ *+(?:drop|create)(?: ++{{ cdc._modifier() }})*+(?<=temp|temporary) ++tables?\b'
{%- endmacro %}


{% macro _database() -%}
    (?:database(?! ++link\b)|schema)
{%- endmacro %}


{#- SQL Server's ways to move a table to another schema and another name. sp_rename has a third argument
    where it renames columns and the like; the table is in a text, which is not read. -#}
{% macro _moves_table(line) -%}
    {{ line }} rlike r'(?is)^ *+(?:alter ++schema ++{{ cdc._name() }} ++transfer|(?:exec(?:ute)? ++)?+(?:sys *+[.] *+)?sp_rename)\b'
                        || r'(?!.*,.*,.*\x27(?:column|index|statistics|userdatatype)\x27)'
{%- endmacro %}


{#- In Oracle tables belong to a user. -#}
{% macro _drops_user_with_tables(line) -%}
    {{ line }} rlike r'(?is)^ *+drop ++user\b.* cascade\b'
{%- endmacro %}


{#- What can be dropped without removing a row of a table. -#}
{% macro _without_rows() -%}
    (?:(?:global|local|private)(?= ++temp))?+ *+(?:temp(?:orary)? ++(?:tables?|sequence)|index|indexes|views?|materialized ++view|procedure|function
    {#- -#}
    |trigger|event|user|role|sequence|server|type|domain|(?:public ++)?synonym|package|prepare|spatial|statistics|policy|extension
    {#- -#}
    |aggregate|cast|collation|(?:procedural ++)?language|publication|subscription|rule|operator|conversion|text|foreign|access
    {#- -#}
    |resource|logfile|undo|tablespace|profile|directory|library|(?:public ++)?database ++link|placement|(?:global ++|session ++)?binding
    {#- -#}
    |outline|tablegroup|routine|transform|restore|stats|context|java|dimension)
{%- endmacro %}
