"""Everything the specs say about the operators, gathered.

In: loaded specs. Out: Operator and Catalogue, which the checker, the planners and the printers read. Must never open a
file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fiagen.model.op import STAGES, Derived, DerivedSpec, Layout, LayoutsSpec, OpSpec, Parameter, Rule, RulesSpec


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator: its op file, layout table, derived quantities and rules in the order they are checked."""

    spec: OpSpec
    layouts: LayoutsSpec
    derivations: DerivedSpec
    groups: tuple[RulesSpec, ...]
    places: Mapping[str, str]  # rule id, derived name -> file:line

    @property
    def name(self) -> str:
        return self.spec.name

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        return {parameter.name: parameter for parameter in self.spec.parameters}

    @property
    def derived(self) -> tuple[Derived, ...]:
        return self.derivations.derived

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, form before shape before value, and within a stage in the order of the files."""
        every = [rule for group in self.groups for rule in group.rules]
        return tuple(rule for stage in STAGES for rule in every if rule.stage == stage)

    @cached_property
    def rules_by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def layouts_by_name(self) -> dict[str, Layout]:
        return {layout.name: layout for layout in self.layouts.layouts}


@dataclass(frozen=True, eq=False)
class Catalogue:
    """All operators by name."""

    operators: Mapping[str, Operator]

    def rule(self, rule_id: str) -> tuple[Operator, Rule] | None:
        """The operator and rule of an id, or None."""
        for operator in self.operators.values():
            if rule_id in operator.rules_by_id:
                return operator, operator.rules_by_id[rule_id]
        return None
