"""One rule asked alone, without the others.

In: a rule, a call's facts. Out: whether the rule refuses the call. Must never look at what another rule says.
"""

from __future__ import annotations

from fiagen.check.compiled import CompiledOperator
from fiagen.check.facts import Facts
from fiagen.expr import EvalError
from fiagen.model.call import Call
from fiagen.model.op import Rule


def says(names: CompiledOperator, rule: Rule, call: Call) -> bool:
    """Whether the rule is asked at all: for the call's product, under its edition and authority."""
    family = call.product.partition(":")[0]
    timeless = call.authority == "host" and not names.operator.spec.host_of_edition
    return (
        rule.severity == "error"
        and bool(rule.must)
        and not rule.covered_by
        and family in (rule.products or (family,))
        and call.authority in rule.stated_by
        and (timeless or call.edition in rule.editions)
    )


def refuses(names: CompiledOperator, rule: Rule, call: Call, facts: Facts | None = None) -> bool:
    """Whether the rule alone refuses the call; a rule that looks into what is not there does not."""
    if not says(names, rule, call):
        return False
    known = Facts(call, names.operator) if facts is None else facts
    skip = names.operator.derivations.skip_checks
    try:
        if skip and rule.stage != "form" and not rule.even_when_empty and known.value(skip.when):
            return False
        conditions = (rule.when, rule.host_when if call.authority == "host" else None)
        return all(known.value(text) for text in conditions if text) and not known.value(str(rule.must))
    except EvalError:
        return False
