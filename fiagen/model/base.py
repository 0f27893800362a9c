"""What all spec models share: frozen, strict, no unknown keys; and the patterns of names.

In: nothing. Out: base class and annotated types. Must never accept a name that could leave its folder.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
RuleId = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+-[0-9]{2}$")]
Text = Annotated[str, Field(min_length=1)]
ExprText = Annotated[str, Field(min_length=1, max_length=2000)]


class Spec(BaseModel):
    """A value read from a spec file."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
