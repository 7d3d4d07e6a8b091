"""dbt and its macros in this process."""
