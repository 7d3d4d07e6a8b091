"""Our macros as functions, without dbt."""

import datetime
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment


def macros_of(source: str, given: Mapping[str, Any] | None = None) -> SimpleNamespace:
    """Return the macros of a text, callable by name, as dbt would render them.

    They call each other as `cdc.name(...)`, and have dbt's `modules`. `given` has what else dbt
    would provide (`exceptions`), and macros that are not in the text.
    """
    given = {"modules": {"datetime": datetime, "re": re}, **(given or {})}
    package = SimpleNamespace(**given)
    environment = Environment(extensions=["jinja2.ext.do"])
    environment.globals |= {**given, "cdc": package}
    template = environment.from_string(source)
    context = template.new_context()
    # a template's own module lacks the names that begin with an underscore
    "".join(template.root_render_func(context))
    vars(package).update({name: macro for name, macro in context.vars.items() if name not in given})
    return package
