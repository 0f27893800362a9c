"""A call against the rules of its operator.

In: a Call and the Catalogue. Out: a Verdict with every violation, cause before consequence. Must never stop at the
first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from fiagen.check.compiled import CompiledOperator, CompiledRule
from fiagen.check.facts import Facts
from fiagen.check.outputs import output_specs
from fiagen.diagnostics import Diagnostic, fail, suggestion
from fiagen.expr import EvalError
from fiagen.model.call import AUTHORITIES, EDITIONS, Call
from fiagen.model.catalogue import Catalogue, Operator
from fiagen.model.op import STAGES, Rule

_LONG = 8
_READABLE = 90


@dataclass(frozen=True)
class Verdict:
    """`ignored` names the arguments without effect with the rule that says so; `advice` never changes the verdict."""

    verdict: Literal["accept", "reject"]
    violations: tuple[Diagnostic, ...]
    ignored: tuple[tuple[str, str], ...]
    advice: tuple[Diagnostic, ...]

    @property
    def accepted(self) -> bool:
        return self.verdict == "accept"

    def json(self) -> dict[str, Any]:
        """The fields of the contract."""
        return {
            "verdict": self.verdict,
            "violations": [d.json() for d in self.violations],
            "ignored": [{"parameter": parameter, "rule": rule} for parameter, rule in self.ignored],
            "advice": [d.json() for d in self.advice],
        }


def show(value: Any) -> str:
    """A value as messages print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        listed = ", ".join(str(v) for v in value[:_LONG])
        if len(value) > _LONG:
            return f"({listed}, ... {len(value)} entries)"
        return f"({listed},)" if len(value) == 1 else f"({listed})"
    return str(value) if not isinstance(value, str) or value else "''"


def _given(rule: Rule, facts: Facts, operator: CompiledOperator) -> str:
    parts = []
    for expr in operator.shown(rule):
        try:
            parts.append(f"{expr.text} = {show(expr.value(facts))}")
        except EvalError:
            parts.append(f"{expr.text} is absent")
    return ", ".join(parts)


def _diagnostic(rule: Rule, facts: Facts, place: str) -> Diagnostic:
    operator = facts.compiled
    allowed = operator.expr(rule.must or "True").english()
    return Diagnostic(
        rule.id, "error" if rule.severity == "error" else "advice", _given(rule, facts, operator),
        allowed if len(allowed) <= _READABLE else rule.summary, rule.because, rule.fix, rule.source, place)


class _Pass:
    """One walk over the rules under one edition and authority."""

    def __init__(self, call: Call, operator: Operator, facts: Facts) -> None:
        self.call, self.operator, self.facts = call, operator, facts
        self.edition, self.authority = facts["edition"], facts["authority"]
        self.broken: list[Rule] = []
        self.recommended: list[Rule] = []
        self.ignored: list[tuple[str, str]] = []
        self.failed: list[tuple[Rule, str]] = []
        self.others: list[Diagnostic] = []

    def host_asks(self, asked: CompiledRule) -> bool:
        try:
            return asked.host_when is None or bool(asked.host_when(self.facts))
        except EvalError:
            return asked.rule.stage == "form"  # the path cannot be told from a call that cannot be read

    def visit(self, asked: CompiledRule) -> None:
        rule = asked.rule
        try:
            if asked.when is not None and not asked.when(self.facts):
                return
            if asked.host_when is not None and not self.host_asks(asked):
                return
            if rule.severity == "ignored":
                self.ignored.extend(
                    (self.operator.parameters[name].documented, rule.id) for name in rule.ignores if self.passed(name))
            elif asked.must is not None and not asked.must(self.facts):
                (self.broken if rule.severity == "error" else self.recommended).append(rule)
        except EvalError as error:
            self.failed.append((rule, str(error)))

    def passed(self, name: str) -> bool:
        value = self.call.args.get(name)
        default = self.operator.parameters[name].default
        return value is not None and (default is None or value != default)

    def run(self) -> _Pass:
        skip = self.operator.derivations.skip_checks
        stages = self.facts.compiled.rules(self.edition, self.authority, self.call.product.partition(":")[0])
        skipping = False
        for stage in STAGES:
            if stage == "shape":
                if self.broken:
                    break
                skipping = skip is not None and bool(self.facts.value(skip.when))
            for asked in stages[stage]:
                if asked.always or not skipping:
                    self.visit(asked)
        if not self.broken:
            self.others = [*self.foreign_parameters(), *self.wrong_outputs()]
        return self

    def foreign_parameters(self) -> list[Diagnostic]:
        """Arguments that the edition's document does not have."""
        return [
            Diagnostic("call.unknown_parameter", "error", f"{p.name} in the edition {self.edition}",
                       f"a parameter of the edition {self.edition}", "That edition of the document does not have it.",
                       f"Leave {p.name} out, or choose the edition {p.editions[0]}.", p.source, self.place)
            for p in self.operator.spec.parameters
            if self.authority == "document" and self.edition not in p.editions and p.name in self.call.args]

    def wrong_outputs(self) -> list[Diagnostic]:
        """Outputs supplied with the call that are not those it gives."""
        if not self.call.outputs or self.failed or all(output.fact for output in self.operator.spec.outputs):
            return []
        found = []
        expected = output_specs(self.call, self.operator)
        for output in self.operator.spec.outputs:
            given, right = self.call.outputs.get(output.name), expected[output.name]
            off = output.fact is not None or (output.when is not None and not self.facts.value(output.when))
            if given is not None and not off and (given.shape, given.dtype) != (right.shape, right.dtype):
                rule = self.operator.rules_by_id[output.rule]
                found.append(Diagnostic(
                    rule.id, "error", f"{output.name} = {given.dtype}{show(given.shape)}",
                    f"{output.name} = {right.dtype}{show(right.shape)}", rule.because,
                    "Supply an output of the derived shape and dtype.", rule.source, self.place))
        return found

    @property
    def place(self) -> str:
        return self.call.place or self.call.id

    def violations(self) -> tuple[Diagnostic, ...]:
        found = [_diagnostic(rule, self.facts, self.place) for rule in self.broken] + self.others
        if not found:
            found = [
                Diagnostic(
                    "spec.unguarded_absent",
                    "error",
                    f"{rule.id} looks into something that is not there: {why}",
                    "a rule that asks first whether an argument is given",
                    "This is our bug.",
                    "Please report it with this call.",
                    rule.source,
                    self.place,
                )
                for rule, why in self.failed
            ]
        return tuple(found)

    @property
    def accepts(self) -> bool:
        return not self.broken and not self.failed and not self.others


def _ids(rules: Iterable[Rule]) -> str:
    return ", ".join(rule.id for rule in rules)


def _second_opinions(call: Call, first: _Pass) -> list[Diagnostic]:
    """What the other edition and the other authority would say, where they decide otherwise."""
    found: list[Diagnostic] = []
    place = call.place or call.id
    words = {True: "accept", False: "reject"}
    if call.authority == "document" or first.operator.spec.host_of_edition:
        other = "current" if call.edition == "seed" else "seed"
        second = _Pass(call, first.operator, first.facts.under(other, call.authority)).run()
        if second.accepts != first.accepts:
            because = second.broken or first.broken
            found.append(Diagnostic(
                "edition.differs", "advice", f"the edition {call.edition} {words[first.accepts]}s this call",
                f"the edition {other} {words[second.accepts]}s it", f"They differ in {_ids(because)}.",
                f"Pass --edition {other} to follow that edition.", because[0].source if because else "", place))
    other = "host" if call.authority == "document" else "document"
    second = _Pass(call, first.operator, first.facts.under(call.edition, other)).run()
    if second.accepts != first.accepts:
        because = second.broken or first.broken
        given = (
            f"the {call.authority} rules {words[first.accepts]} this call, the {other} rules {words[second.accepts]} it"
        )
        host_accepts = first.accepts if call.authority == "host" else second.accepts
        allowed = ("legal in practice and outside the documented contract" if host_accepts
                   else "documented, yet refused by the shipped host checks")
        found.append(
            Diagnostic(
                "authority.differs",
                "advice",
                given,
                allowed,
                f"They differ in {_ids(because)}.",
                f"Pass --authority {other} to follow those.",
                because[0].source if because else "",
                place,
            )
        )
    return found


def check_call(call: Call, catalogue: Catalogue, *, opinions: bool = True) -> Verdict:
    """The Verdict on `call`. `opinions=False` leaves out what the other edition and authority would say.

    DiagnosticError when the operator, edition or authority is unknown.
    """
    operator = catalogue.operators.get(call.op)
    for what, value, known in (("op", call.op, catalogue.operators), ("edition", call.edition, EDITIONS),
                               ("authority", call.authority, AUTHORITIES)):
        if value not in known:
            raise fail(f"call.unknown_{what}", given=f"{what} {value!r}", allowed=", ".join(sorted(known)),
                       why=f"There is no such {what}.", fix=suggestion(str(value), known), place=call.place)
    assert operator is not None
    first = _Pass(call, operator, Facts(call, operator)).run()
    violations = first.violations()
    advice = [_diagnostic(rule, first.facts, first.place) for rule in first.recommended]
    if opinions:
        advice.extend(_second_opinions(call, first))
    return Verdict("reject" if violations else "accept", violations, tuple(dict.fromkeys(first.ignored)), tuple(advice))
