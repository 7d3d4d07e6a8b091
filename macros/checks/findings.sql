{#- silver.findings: what the shipped tests have found, and since when. At the end of a run the rows of those that did not pass are
    read, in one statement each, and one MERGE writes them down. dbt's own result is untouched. -#}

{#- At most so many findings of a test are open in the table, beside a row that says how many more there are. -#}
{% macro most_findings() -%}
    {{ return(1000) }}
{%- endmacro %}


{#- Makes the table where there is none; silver's schema is there. -#}
{% macro register_findings() -%}
    {%- if load_relation(cdc.silver_relation('findings')) is none -%}
        {%- do run_query(cdc._create_findings()) -%}
    {%- endif -%}
{%- endmacro %}


{% macro _create_findings() -%}
    create table if not exists {{ cdc.silver_relation('findings') }} (
        finding_id string,
        test string,
        gold_table string,
        feed string,
        topic string,
        partition int,
        offset bigint,
        row_key array<string>,
        finding string,
        unlisted bigint,
        looked_from bigint,
        first_seen timestamp,
        last_seen timestamp,
        resolved_at timestamp
    ) using delta tblproperties ('delta.enableDeletionVectors' = 'false')
{%- endmacro %}


{#- What one of our tests has found, as {looked_from, found, is_complete}; `found` are texts of JSON. A row of such a test has the
    columns topic, partition, offset, row_key and finding, and unless the test is attached to a gold model also gold_table and
    feed; docs/findings.md says what they hold. -#}
{% macro findings_of(result) -%}
    {%- set test = result.node -%}
    {%- set gold = graph.nodes.get(test.attached_node) if test.attached_node else none -%}
    {%- set count = result.failures | int -%}
    {%- set looked_from = cdc.lakehouse_run().looked_from.get(test.unique_id, -1) -%}
    {%- set open_before = 0 if looked_from < 0 else cdc.open_findings_by_mark().get(test.name, 0) -%}
    {%- set most = [cdc.most_findings() - open_before, 0] | max -%}
    {%- set found = [] -%}
    {%- if count > 0 and most > 0 -%}
        {%- for row in run_query(cdc._first_findings(test, gold, most)) -%}
            {%- do found.append(row[0]) -%}
        {%- endfor -%}
    {%- endif -%}
    {#- a test may list one thing twice: what was not cut off is complete -#}
    {%- set unlisted = count - found | length if found | length == most else 0 -%}
    {%- if unlisted > 0 -%}
        {%- do found.append(tojson({
            'gold_table': gold.name if gold else none,
            'feed': gold.config.meta.feed or none if gold else none,
            'finding': 'There is more than this table lists: look at the test itself.',
            'unlisted': unlisted
        })) -%}
    {%- endif -%}
    {%- set is_complete = unlisted <= 0 and test.unique_id not in cdc.lakehouse_run().compared_with_some -%}
    {{ return({'looked_from': looked_from, 'found': found, 'is_complete': is_complete}) }}
{%- endmacro %}


{#- `gold`: the model to which the test is attached, if it is. -#}
{% macro _first_findings(test, gold, most) -%}
    with

    failures as (

        {{ test.compiled_code }}

    ),

    found as (

        select distinct
            {{ cdc.quoted(gold.name) if gold else 'gold_table' }} as gold_table,
            {{ cdc.quoted_or_null(gold.config.meta.feed) if gold else 'feed' }} as feed,
            topic,
            partition,
            offset,
            if(length(cast(row_key as string)) <= 1000, row_key, null) as row_key,
            left(finding, 1000) as finding
        from failures

    )

    select to_json(struct(*)) as finding
    from found
    order by topic, partition, offset, finding
    limit {{ most }}
{%- endmacro %}


{#- on-run-end of a run that tested: one MERGE. Nothing is asked or written where nothing was found and nothing was open: the
    mark `#findings` holds how many findings of each test are open. -#}
{% macro record_findings() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set tested = {} -%}
    {%- for result in results
        if result.node.config.meta.get('cdc', {}).get('findings') and result.status | string in ['pass', 'warn', 'fail']
    -%}
        {%- do tested.update({result.node.name: cdc.findings_of(result)}) -%}
    {%- endfor -%}
    {%- set found = tested.values() | map(attribute='found') | sum(start=[]) -%}
    {%- if tested -%}
        {%- set known = '#findings' in run.applied -%}
        {%- set before = cdc.open_findings_by_mark() if known else cdc.open_findings() -%}
        {%- if found and known and not before -%}
            {#- a run that is killed after the MERGE must not leave a mark by which nothing is open -#}
            {%- do cdc.forget_marks(['#findings']) -%}
        {%- endif -%}
        {%- if found or before -%}
            {%- do run_query(cdc._merge_findings(tested, before)) -%}
        {%- endif -%}
        {%- set open = cdc.open_findings() if found or before else {} -%}
        {%- do cdc.remember('#findings', 0, tojson(open)) -%}
    {%- endif -%}
{%- endmacro %}


{#- How many findings of each test are open, as the table knows it. -#}
{% macro open_findings() -%}
    {%- set counts = {} -%}
    {%- for row in run_query(
        'select test, count(*) from ' ~ cdc.silver_relation('findings') ~ ' where resolved_at is null group by test order by test'
    ) -%}
        {%- do counts.update({row[0]: row[1] | int}) -%}
    {%- endfor -%}
    {{ return(counts) }}
{%- endmacro %}


{#- The same as the last run left it; empty where no run did. -#}
{% macro open_findings_by_mark() -%}
    {{ return(fromjson(cdc.lakehouse_run().applied.get('#findings', {}).get('built_by', '{}'), {})) }}
{%- endmacro %}


{#- An open finding is seen again, or is resolved if its test has looked and not found it: at the message of the finding, or at
    the rows of a table, which a test reads as a whole. `tested`: {test: what findings_of returns}; `before`: the tests with open findings. -#}
{% macro _merge_findings(tested, before) -%}
    {%- set tests_by_window = {} -%}
    {%- set found = [] -%}
    {%- for test, answer in tested.items() -%}
        {%- if answer.is_complete and test in before -%}
            {%- do tests_by_window.setdefault(answer.looked_from, []).append(test) -%}
        {%- endif -%}
        {%- if answer.found -%}
            {%- do found.append(
                '{"test": ' ~ tojson(test) ~ ', "looked_from": ' ~ answer.looked_from ~ ', "rows": [' ~ answer.found | join(', ') ~ ']}'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set tests = graph.nodes.values() | selectattr('resource_type', 'equalto', 'test') | map(attribute='name') | list -%}
    {#- what a spot check of `run --follow` has found, another one resolves -#}
    {%- set gone = before | reject('in', tests + ['spot_check']) | list -%}
    merge into {{ cdc.silver_relation('findings') }} as known
    using (
        with

        tests as (

            select explode(
                from_json(
                    {{ cdc.quoted('[' ~ found | join(', ') ~ ']') }},
                    'array<struct<
                        test: string,
                        looked_from: bigint,
                        rows: array<struct<
                            gold_table: string,
                            feed: string,
                            topic: string,
                            partition: int,
                            offset: bigint,
                            row_key: array<string>,
                            finding: string,
                            unlisted: bigint
                        >>
                    >>'
                )
            ) as answer

        ),

        found as (

            select
                answer.test,
                answer.looked_from,
                inline(answer.rows)
            from tests

        )

        select
            *,
            md5(to_json(struct(test, gold_table, feed, topic, partition, offset, row_key, finding))) as finding_id
        from found
    ) as found
        on
            known.finding_id = found.finding_id
            and known.resolved_at is null
    when matched then update set
        known.last_seen = current_timestamp(),
        known.looked_from = greatest(known.looked_from, found.looked_from),
        known.unlisted = if(found.looked_from < 0, found.unlisted, known.unlisted + found.unlisted)
    when not matched then insert (
        finding_id, test, gold_table, feed, topic, partition, offset, row_key, finding, unlisted, looked_from,
        first_seen, last_seen
    ) values (
        found.finding_id, found.test, found.gold_table, found.feed, found.topic, found.partition, found.offset, found.row_key,
        found.finding, found.unlisted, found.looked_from, current_timestamp(), current_timestamp()
    )
    when not matched by source
        and known.resolved_at is null
        and (
            coalesce(known.feed not in ({{ cdc.quoted_list(cdc.feeds()) }}), false)
            {%- if gone %}
            or known.test in ({{ cdc.quoted_list(gone) }})
            {%- endif %}
            {%- for looked_from, looked in tests_by_window.items() %}
            or known.test in ({{ cdc.quoted_list(looked) }})
            {%- if looked_from >= 0 %}
            and (known.looked_from >= {{ looked_from }} or known.topic is null and known.unlisted is null)
            {%- endif %}
            {%- endfor %}
        )
        then update set known.resolved_at = current_timestamp()
    when not matched by source
        and known.resolved_at < current_timestamp() - interval 90 days
        then delete
{%- endmacro %}
