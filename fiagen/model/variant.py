"""The kernels of one operator: axes, and which combinations exist.

In: validated YAML of specs/variants. Out: frozen values and the list of combinations. Must never plan a kernel.
"""

from __future__ import annotations

from typing import Literal

from fiagen.model.base import ExprText, Name, Prose, Spec, Text
from fiagen.model.op import Derived

AxisValue = str | int | bool


class VariantValue(Spec):
    """One value of an axis; `serves` lists the call's values that this one covers when they are not its own."""

    value: AxisValue
    short: Text
    doc: Text
    serves: tuple[AxisValue, ...] = ()


class VariantAxis(Spec):
    """One axis; `of_call` is the value a call has on it, an expression over the operator's and the set's quantities."""

    values: tuple[VariantValue, ...]
    of_call: ExprText
    doc: Prose = ""


class Missing(Spec):
    """A feature that no kernel of the set has: calls for which `when` holds are unsupported, whatever their axes."""

    feature: Text
    when: ExprText


class VariantSet(Spec):
    """`name` is a template over axis names in braces, filled with the short names: `fia_v2__{arch}__{dtype}`."""

    kind: Literal["variants"]
    op: Name
    arch: Name
    name: Text
    axes: dict[Name, VariantAxis]
    select: ExprText
    products: tuple[Name, ...]
    derived: tuple[Derived, ...] = ()
    missing: tuple[Missing, ...] = ()
    gallery: tuple[Text, ...]  # names of the variants that generated/ shows to readers


class Variant(Spec):
    """One combination: its name and its value on every axis."""

    name: Text
    op: Name
    arch: Name
    values: dict[Name, AxisValue]
