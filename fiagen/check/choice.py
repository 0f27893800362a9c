"""Which generated kernel serves a call, or what no kernel has.

In: a legal call. Out: a variant's name, or the feature that is missing. Must never look at tensor values. The
generated host tiling decides by the same expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from fiagen.check.compiled import CompiledOperator
from fiagen.check.facts import Facts
from fiagen.expr import Type
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import expand, load_variant_sets
from fiagen.model.call import Call
from fiagen.model.variant import AxisValue, VariantSet


@lru_cache(maxsize=8)
def choosing(op: str) -> CompiledOperator:
    """The names of an operator's calls with those that its variants file adds."""
    names = CompiledOperator(load_catalogue().operators[op])
    spec = variant_set(op)
    if spec is not None:
        names.scope.update({d.name: cast(Type, d.type) for d in spec.derived})
    return names


@lru_cache(maxsize=8)
def variant_set(op: str) -> VariantSet | None:
    """The variants file of an operator; None while none of its kernels are generated."""
    return next((spec for spec in load_variant_sets() if spec.op == op), None)


class ChoiceFacts(Mapping[str, Any]):
    """The facts of a call, and what decides between kernels."""

    def __init__(self, call: Call, spec: VariantSet) -> None:
        self._names = choosing(call.op)
        self._facts = Facts(call, self._names.operator)
        self._texts = {d.name: d.expr for d in spec.derived}
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._texts:
            return self._facts[name]
        if name not in self._values:
            self._values[name] = self.value(self._texts[name])
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.scope)

    def __len__(self) -> int:
        return len(self._names.scope)

    def value(self, text: str) -> Any:
        """The value of an expression over this call."""
        return self._names.expr(text).value(self)


def axes_of(call: Call) -> dict[str, AxisValue]:
    """The call's place on every axis of its operator's variants; empty while there are none."""
    spec = variant_set(call.op)
    if spec is None:
        return {}
    facts = ChoiceFacts(call, spec)
    return {name: facts.value(axis.of_call) for name, axis in spec.axes.items()}


def choose_variant(call: Call) -> tuple[str, str]:
    """(variant, "") for a call that a kernel serves, ("", missing feature) for one that none does.

    A call with an empty query needs no kernel; it is served by the first variant in name only.
    """
    spec = variant_set(call.op)
    if spec is None:
        return "", f"{call.op}: no kernels are generated for it yet"
    facts = ChoiceFacts(call, spec)
    for item in spec.missing:
        if facts.value(item.when):
            return "", item.feature
    own = {name: facts.value(axis.of_call) for name, axis in spec.axes.items()}
    for name, axis in spec.axes.items():
        own[name] = next((v.value for v in axis.values if own[name] in v.serves), own[name])
    for variant in expand(spec):
        if variant.values == own:
            return variant.name, ""
    return "", " ".join(f"{name} {value}" for name, value in own.items())
