"""The kernels of one operator: axes, and which combinations exist.

In: validated YAML of specs/variants. Out: frozen values and the list of combinations. Must never plan a kernel.
"""

from __future__ import annotations

from typing import Literal

from fiagen.model.base import ExprText, Name, Spec, Text

AxisValue = str | int | bool


class VariantValue(Spec):
    """One value of an axis; `serves` lists the call's values that this one covers when they are not its own."""

    value: AxisValue
    short: Text
    doc: Text
    serves: tuple[AxisValue, ...] = ()


class VariantAxis(Spec):
    values: tuple[VariantValue, ...]
    doc: str = ""


class VariantSet(Spec):
    """`name` is a template over axis names in braces, filled with the short names: `fia_v2__{arch}__{dtype}`."""

    kind: Literal["variants"]
    op: Name
    arch: Name
    name: Text
    axes: dict[Name, VariantAxis]
    select: ExprText
    products: tuple[Name, ...]


class Variant(Spec):
    """One combination: its name and its value on every axis."""

    name: Text
    op: Name
    arch: Name
    values: dict[Name, AxisValue]
