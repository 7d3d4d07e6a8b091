{#- Full loads that began again without saying so: the feed's `cut_overs` tell when. What came before such a time is void
    unless it is brought again, whatever positions say: a cut-over counts more than all epochs that the stream's own marks
    can begin. -#}

{#- The times of the model's table, as texts; none while dbt parses. -#}
{% macro cut_overs(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- if not execute -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set times = (feed_settings(meta.feed).get('cut_overs') or {}).get(place_of(meta), []) -%}
    {{ return([times] if times is string else times) }}
{%- endmacro %}


{% macro epochs_of_a_cut_over() -%}
    {{ return(100000) }}
{%- endmacro %}


{#- What the cut-overs add to the epoch of a change. -#}
{% macro epochs_by_cut_overs(relation, declaration=none) -%}
    {%- for time in cut_overs(declaration) %}
                + if({{ relation }}.message_timestamp >= cast({{ quoted(time) }} as timestamp), {{ epochs_of_a_cut_over() }}, 0)
    {%- endfor -%}
{%- endmacro %}
