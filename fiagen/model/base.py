"""What all spec models share: frozen, strict, no unknown keys; and the patterns of names.

In: nothing. Out: base class and annotated types. Must never accept a name that could leave its folder.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_NOT_PROSE = ("{{", "{%", "{#", "}}", "%}", "*/", "/*", "??/", "\\")

_CONTROL = r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_REFUSED = re.compile("|".join([*(re.escape(mark) for mark in _NOT_PROSE), _CONTROL]))


def _prose(text: str) -> str:
    """Text that ends up in comments, strings and pages of several languages: nothing that is syntax there."""
    found = _REFUSED.search(text)
    if found is None:
        return text
    if found[0] in _NOT_PROSE:
        raise ValueError(f"text without {found[0]!r}, which is syntax in templates or in generated code")
    raise ValueError("text without control characters")


Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
RuleId = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+-[0-9]{2}$")]
Prose = Annotated[str, AfterValidator(_prose)]
Text = Annotated[str, Field(min_length=1), AfterValidator(_prose)]
ExprText = Annotated[str, Field(min_length=1, max_length=2000)]


class Spec(BaseModel):
    """A value read from a spec file."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
