"""The only Jinja environment.

In: a template's name and a view. Out: text. Must never render a missing field as nothing, or run anything but our own templates.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import jinja2

from fiagen import paths
from fiagen.diagnostics import fail


@lru_cache(maxsize=4)
def environment(templates: Path = paths.TEMPLATES) -> jinja2.Environment:
    """Strict about missing fields, exact about white space, without filters beyond Jinja's own."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        newline_sequence="\n",
        auto_reload=False,
    )


def render(template: str, view: object, templates: Path = paths.TEMPLATES) -> str:
    """Draw `template` with `view`. A missing field or template is our bug: DiagnosticError `render.failed`."""
    try:
        return environment(templates).get_template(template).render(view=view)
    except jinja2.TemplateError as error:
        raise fail(
            "render.failed", given=f"{type(error).__name__}: {error}",
            allowed=f"fields of {type(view).__module__}.{type(view).__name__}",
            why="This is our bug: a template and its view disagree.", fix="Add the field to the view or mend the template.",
            source=f"templates/{template}") from error
