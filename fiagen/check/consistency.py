"""The specs against themselves.

In: an Operator. Out: Diagnostics for every rule, name or expression that does not fit. Must never need a call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from fiagen.check.compiled import BUILT_IN, compiled
from fiagen.diagnostics import Diagnostic, DiagnosticError, suggestion
from fiagen.expr import Expr, parse
from fiagen.model.catalogue import Operator

_SOURCE = "the spec file format"


class _Findings:
    def __init__(self, operator: Operator, dtypes: Collection[str], codes: Collection[int]) -> None:
        self.operator, self.dtypes, self.codes = operator, dtypes, codes
        self.found: list[Diagnostic] = []
        self.used: set[str] = set()

    def add(self, rule: str, owner: str, given: str, allowed: str, why: str, fix: str) -> None:
        self.found.append(Diagnostic(rule, "error", f"{owner}: {given}", allowed, why, fix, _SOURCE,
                                     self.operator.places.get(owner, self.operator.name)))

    def expression(self, owner: str, text: str | None, wanted: str, scope: dict | None = None) -> Expr | None:
        if text is None:
            return None
        try:
            known = compiled(self.operator).scope if scope is None else scope
            expr = parse(text, known, self.operator.places.get(owner, ""))
        except DiagnosticError as error:
            self.found.extend(error.diagnostics)
            return None
        if wanted and expr.type != wanted:
            self.add("spec.expression_type", owner, f"`{text}` is of type {expr.type}", wanted,
                     "It is used as one.", "Write an expression of that type.")
        self.used.update(expr.names())
        return expr

    def names(self, owner: str, given: Collection[str], known: Collection[str], what: str) -> None:
        for name in given:
            if name not in known:
                self.add(
                    f"spec.unknown_{what}",
                    owner,
                    f"{what} {name!r}",
                    f"a known {what}",
                    "Nothing of that name exists.",
                    suggestion(name, known),
                )

    def unique(self, names: list[str], what: str) -> None:
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.add(f"spec.repeated_{what}", name, f"{what} {name} more than once", "each once",
                     "It would be unclear which one counts.", "Rename or delete one.")


def _rules(check: _Findings) -> None:
    operator = check.operator
    ids = [rule.id for rule in operator.rules]
    check.unique([*ids, *(conflict.id for conflict in operator.spec.conflicts)], "rule")
    for conflict in operator.spec.conflicts:
        check.names(conflict.id, conflict.rules, operator.rules_by_id, "rule")
    prefixes = {rule_id.partition("-")[0] for rule_id in ids}
    if not all(prefix.startswith(min(prefixes)) for prefix in prefixes):  # V5 and V5S: an operator and an edition of it
        check.add("spec.rule_prefix", ids[0], f"rule ids begin with {', '.join(sorted(prefixes))}", "one prefix",
                  "An id tells its operator.", "Rename the odd ones.")
    for group in operator.groups:
        check.names(group.group, [group.op], [operator.name], "op")
    for rule in operator.rules:
        for text in (rule.when, rule.must, rule.host_when):
            check.expression(rule.id, text, "bool")
        for text in rule.show:
            check.expression(rule.id, text, "")
        check.names(rule.id, rule.ignores, operator.parameters, "parameter")
        check.names(rule.id, rule.products, operator.spec.products, "product")
        check.names(rule.id, [str(rule.status)], [str(code) for code in check.codes], "error_code")
        if rule.covered_by:
            check.names(rule.id, [rule.covered_by], ids, "rule")
            target = operator.rules_by_id.get(rule.covered_by)
            if target is not None and target.covered_by:
                check.add(
                    "spec.covered_twice",
                    rule.id,
                    f"covered by {target.id}, which is itself covered",
                    "a rule that speaks",
                    "A reader would have to follow a chain.",
                    f"Name {target.covered_by}.",
                )


def _parameters(check: _Findings) -> None:
    operator = check.operator
    check.unique([p.name for p in operator.spec.parameters], "parameter")
    for parameter in operator.spec.parameters:
        check.names(parameter.name, parameter.dtypes, check.dtypes, "dtype")
        if parameter.reserved and not any(parameter.name in rule.ignores for rule in operator.rules):
            check.add("spec.reserved_unsaid", parameter.name, "reserved, and no rule says so", "a rule that ignores it",
                      "A caller who passes it should hear.", "Name it in `ignores` of a rule.")
        if parameter.listed and (parameter.type != "tensor" or parameter.dtypes[:1] != ("int32",)):
            check.add("spec.listed", parameter.name, "listed, and no int32 tensor", "an int32 tensor",
                      "A list of integers stands for one.", "Drop `listed`, or put int32 first among its dtypes.")
    carried = [p.parameter for p in operator.spec.c_parameters if p.parameter]
    check.unique([p.name for p in operator.spec.c_parameters], "c_parameter")
    check.names(operator.spec.c_api, carried, operator.parameters, "parameter")
    for parameter in operator.spec.parameters:
        if parameter.c_name and parameter.name not in carried:
            check.add(
                "spec.c_parameter_lost",
                parameter.name,
                f"c_name {parameter.c_name} is no argument of the C entry",
                "a name of c_parameters",
                "The value would not arrive.",
                "Add it to c_parameters.",
            )


def _derived(check: _Findings) -> None:
    operator = check.operator
    check.unique([*operator.parameters, *BUILT_IN, *(d.name for d in operator.derived)], "name")
    scope = dict(compiled(operator).parameter_scope)
    for derived in operator.derived:
        expr = check.expression(derived.name, derived.expr, derived.type, scope)
        if expr is not None:
            check.used.update(expr.names())
        scope[derived.name] = derived.type
    skip = operator.derivations.skip_checks
    if skip is not None:
        check.expression(skip.rule, skip.when, "bool")
        check.names(skip.rule, [skip.rule], operator.rules_by_id, "rule")


def _layouts(check: _Findings) -> None:
    operator = check.operator
    check.unique([layout.name for layout in operator.layouts.layouts], "layout")
    check.names(operator.name, [operator.layouts.named_by], compiled(operator).scope, "name")
    for layout in operator.layouts.layouts:
        for axis in chain(
            layout.query, layout.kv, layout.value, layout.attention_out, layout.softmax_lse, layout.metadata
        ):
            if isinstance(axis, str):
                check.expression(layout.name, axis, "int")
    for form in operator.layouts.forms:
        check.expression(form.name, form.when, "bool")
        check.names(form.name, form.axes, operator.parameters, "parameter")
        for axis in chain(*form.axes.values()):
            if isinstance(axis, str):
                check.expression(form.name, axis, "int")
    for output in operator.spec.outputs:
        check.expression(output.name, output.dtype, "str")
        check.expression(output.name, output.when, "bool")
        check.names(output.name, [output.rule], operator.rules_by_id, "rule")


def check_operator(operator: Operator, dtypes: Collection[str], codes: Collection[int]) -> tuple[Diagnostic, ...]:
    """Every finding about one operator's specs; `dtypes` and `codes` are the known dtype names and return codes."""
    check = _Findings(operator, dtypes, codes)
    for part in (_parameters, _derived, _layouts, _rules):
        part(check)
    for derived in operator.derived:
        if derived.name not in check.used:
            check.add("spec.unused", derived.name, "a derived quantity that nothing reads", "quantities that are read",
                      "It would rot.", "Delete it, or use it.")
    return tuple(check.found)


def check_specs(
    operators: Collection[Operator], dtypes: Collection[str], codes: Collection[int]
) -> Iterator[Diagnostic]:
    """Findings of all operators."""
    for operator in operators:
        yield from check_operator(operator, dtypes, codes)
