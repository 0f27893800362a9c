"""The expressions of one operator, parsed once and on demand.

In: an Operator. Out: Expr values by text, and the scope they are parsed in. Must never evaluate anything itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from fiagen.expr import Closure, Expr, Type, parse
from fiagen.model.catalogue import Operator
from fiagen.model.op import STAGES, Rule, Stage

OPINIONS = ("edition", "authority")
BUILT_IN: dict[str, Type] = {"edition": "str", "authority": "str", "outputs_listed": "bool"}


@dataclass(frozen=True, eq=False)
class CompiledRule:
    """A rule with its conditions as functions of the facts; a missing one is None."""

    rule: Rule
    when: Closure | None
    host_when: Closure | None
    must: Closure | None
    always: bool  # also asked of calls of empty tensors


class CompiledOperator:
    """Scope and parsed expressions of one operator."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.parameter_scope: dict[str, Type] = {
            **BUILT_IN, **{p.name: cast(Type, p.scope_type) for p in operator.spec.parameters},
            **{output.fact: "tensor" for output in operator.spec.outputs if output.fact},
        }
        self.scope: dict[str, Type] = {**self.parameter_scope, **{d.name: cast(Type, d.type) for d in operator.derived}}
        self._parsed: dict[str, Expr] = {}
        self._texts = {d.name: d.expr for d in operator.derived}
        self._asked: dict[tuple[str, str, str], dict[Stage, list[CompiledRule]]] = {}

    def expr(self, text: str, place: str = "") -> Expr:
        """`text` over all names of the operator; DiagnosticError when it is no expression."""
        found = self._parsed.get(text)
        if found is None:
            found = self._parsed[text] = parse(text, self.scope, place)
        return found

    def derived(self, name: str) -> Expr | None:
        """The expression of a derived quantity, or None when the name is a parameter."""
        text = self._texts.get(name)
        return None if text is None else self.expr(text, self.operator.places.get(name, ""))

    @cached_property
    def opinionated(self) -> frozenset[str]:
        """Derived quantities that depend on edition or authority."""
        found = set(OPINIONS)
        for derived in self.operator.derived:
            if found.intersection(self.expr(derived.expr).names()):
                found.add(derived.name)
        return frozenset(found)

    def rules(self, edition: str, authority: str, family: str) -> dict[Stage, list[CompiledRule]]:
        """The rules to ask, by stage, under an edition and authority for a product family."""
        key = (edition, authority, family)
        if key not in self._asked:
            self._asked[key] = {stage: [] for stage in STAGES}
            for rule in self.operator.rules:
                timeless = authority == "host" and not self.operator.spec.host_of_edition
                says = authority in rule.stated_by and (timeless or edition in rule.editions)
                if (
                    says
                    and not rule.covered_by
                    and (rule.must or rule.ignores)
                    and family in (rule.products or (family,))
                ):
                    when, host_when, must = [
                        self.expr(t).function if t else None for t in (rule.when, rule.host_when, rule.must)
                    ]
                    self._asked[key][rule.stage].append(
                        CompiledRule(rule, when, host_when if authority == "host" else None, must,
                                     rule.even_when_empty or rule.severity == "ignored"))
        return self._asked[key]

    def shown(self, rule: Rule) -> tuple[Expr, ...]:
        """What a violation of `rule` prints as given: its `show`, else what `must` reads."""
        if rule.show:
            return tuple(self.expr(text) for text in rule.show)
        return tuple(self.expr(text) for text in self.expr(rule.must or "True").reads())


@lru_cache(maxsize=64)
def compiled(operator: Operator) -> CompiledOperator:
    """The CompiledOperator of `operator`, made once."""
    return CompiledOperator(operator)
