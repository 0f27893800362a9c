"""What all spec models share: frozen, strict, no unknown keys; and the patterns of names.

In: nothing. Out: base class and annotated types. Must never accept a name that could leave its folder.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_NOT_PROSE = ("{{", "{%", "{#", "}}", "%}", "*/", "/*", "??/", "\\")


def _prose(text: str) -> str:
    """Text that ends up in comments, strings and pages of several languages: nothing that is syntax there."""
    for mark in _NOT_PROSE:
        if mark in text:
            raise ValueError(f"text without {mark!r}, which is syntax in templates or in generated code")
    if any(
        (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069
        for c in text
    ):
        raise ValueError("text without control characters")
    return text


Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
RuleId = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+-[0-9]{2}$")]
Prose = Annotated[str, AfterValidator(_prose)]
Text = Annotated[str, Field(min_length=1), AfterValidator(_prose)]
ExprText = Annotated[str, Field(min_length=1, max_length=2000)]


class Spec(BaseModel):
    """A value read from a spec file."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
