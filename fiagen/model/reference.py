"""What readers look up beside the operators: AscendC calls, and masks as pictures.

In: validated YAML of specs/api and specs/masks.yaml. Out: frozen values. Must never judge a call.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from fiagen.model.base import ExprText, FileName, Name, Prose, Spec, Text


class ApiAlignment(Spec):
    constant: Name
    memory: Text
    bytes: int
    source: Text


class ApiForm(Spec):
    """One way to call it: on which pipe, from where to where, with which parameters."""

    pipe: Text
    dst: tuple[Name, ...] = ()
    src: tuple[Name, ...] = ()
    params: Prose = ""
    operands: Prose = ""
    doc: Prose = ""


class ApiLimit(Spec):
    """Bounds of one argument; the simulator's constant of that name holds the upper one."""

    constant: Name
    of: Text
    min: int
    max: int


class ApiCall(Spec):
    name: Name
    forms: tuple[ApiForm, ...] = ()
    dtypes: tuple[Name, ...] = ()
    limits: tuple[ApiLimit, ...] = ()
    same_as: Prose = ""

    @model_validator(mode="after")
    def _says_something(self) -> ApiCall:
        if bool(self.forms) == bool(self.same_as):
            raise ValueError(f"{self.name} needs either `forms` or `same_as`")
        return self


class ApiSpec(Spec):
    """One family of AscendC calls on one architecture; `also`: architectures where they mean the same."""

    kind: Literal["api"]
    family: Name
    arch: FileName
    also: tuple[FileName, ...] = ()
    source: Text
    alignments: tuple[ApiAlignment, ...]
    calls: tuple[ApiCall, ...]


class MaskPicture(Spec):
    """One drawn mask: `keep` over i, j, Lq, Lk, pre, next and m, the drawn matrix at (i, j), 1 for a dropped pair."""

    value: int
    title: Text
    keep: ExprText
    rows: int
    columns: int
    pre: int | None = None
    next: int | None = None
    matrix: tuple[Text, ...] = ()  # rows of 0 and 1
    ops: tuple[Name, ...] = ()  # only these operators have it; empty means every one with the parameter
    doc: Text
    source: Text

    @model_validator(mode="after")
    def _matrix_fits(self) -> MaskPicture:
        if self.matrix and (len(self.matrix) != self.rows or {len(row) for row in self.matrix} != {self.columns}):
            raise ValueError(f"the matrix of {self.title} is not {self.rows} x {self.columns}")
        if set("".join(self.matrix)) - {"0", "1"}:
            raise ValueError(f"the matrix of {self.title} holds something else than 0 and 1")
        return self


class MaskGroup(Spec):
    """The modes of one parameter, under all names it has; `pre` and `next` name the parameters of the window."""

    parameters: tuple[Name, ...]
    pre: tuple[Name, ...]
    next: tuple[Name, ...]
    pictures: tuple[MaskPicture, ...]


class MasksSpec(Spec):
    kind: Literal["masks"]
    about: Text
    groups: tuple[MaskGroup, ...]
