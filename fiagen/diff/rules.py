"""Whether a rule became stricter: both versions are asked about the same calls.

In: two versions of an operator, calls to start from. Out: Changes. Must never call a change a
loosening that no call shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from fiagen.check.alone import refuses
from fiagen.check.compiled import CompiledOperator
from fiagen.check.neighbours import Edges, edges, neighbours
from fiagen.diff.change import Change
from fiagen.model.call import AUTHORITIES, EDITIONS, Arg, Call
from fiagen.model.op import Rule

SEED = 7
CALLS = 600  # asked about each changed rule
_STARTS = 60
_DTYPES = ("float16", "bfloat16", "float32", "int8", "int32")
_MEANING = (
    "severity",
    "stage",
    "editions",
    "stated_by",
    "host_when",
    "even_when_empty",
    "covered_by",
    "products",
    "when",
    "must",
    "ignores",
    "status",
)
_WORDING = ("summary", "because", "fix", "show", "source")


@dataclass(frozen=True)
class Side:
    """One version of an operator."""

    names: CompiledOperator

    @property
    def rules(self) -> dict[str, Rule]:
        return self.names.operator.rules_by_id


def _near(side: Side, rule: Rule | None) -> Edges:
    return edges(side.names, [text for text in (rule.must, rule.when, rule.host_when) if text] if rule else [])


def _asked(old: Side, new: Side, rule_id: str, starts: Sequence[Call]) -> list[Call]:
    """Seeded calls near the edges of either version, under every edition and authority in turn."""
    random = Random(f"{SEED} {rule_id}")
    donors: dict[str, list[Arg]] = {}
    for call in starts:
        for name, value in call.args.items():
            if value not in donors.setdefault(name, []):
                donors[name].append(value)
    some = {name: values[:8] for name, values in donors.items()}
    own = [call for call in starts if call.extra.get("rule") == rule_id]
    others = [call for call in starts if call.extra.get("rule") != rule_id]
    chosen = [*own, *random.sample(others, min(_STARTS, len(others)))]
    found = list(chosen)
    shares = max(1, CALLS // max(1, len(chosen)))
    for side in (old, new):
        near = _near(side, side.rules.get(rule_id))
        for start in chosen:
            every = [call for _, call in neighbours(start, side.names, near, some, _DTYPES)]
            found += every if start in own else random.sample(every, min(shares, len(every)))
    opinions = [(edition, authority) for edition in EDITIONS for authority in AUTHORITIES]
    return [replace(call, edition=edition, authority=authority) for call in found for edition, authority in opinions]


def _verdicts(old: Side, new: Side, rule_id: str, starts: Sequence[Call]) -> tuple[int, int, int]:
    """(calls asked, refused only before, refused only now)."""
    calls = _asked(old, new, rule_id, starts)
    only_old = only_new = 0
    one, two = old.rules[rule_id], new.rules[rule_id]
    for call in calls:
        before, after = refuses(old.names, one, call), refuses(new.names, two, call)
        only_old += before and not after
        only_new += after and not before
    return len(calls), only_old, only_new


def _stated(rule: Rule, fields: Sequence[str]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value := getattr(rule, name), tuple) else value for name in fields}


def _reach(side: Side, rule: Rule) -> set[str]:
    found: set[str] = set()
    ahead = [name for text in (rule.when, rule.must, rule.host_when) if text for name in side.names.expr(text).names()]
    while ahead:
        name = ahead.pop()
        derived = side.names.derived(name)
        if name not in found:
            found.add(name)
            ahead += derived.names() if derived else ()
    return found


def compare_rules(old: Side, new: Side, moved: set[str], starts: Sequence[Call]) -> Iterator[Change]:
    """Changes of rules; `moved` are derived quantities with another expression, through which rules may change."""
    op = new.names.operator.name
    for rule_id in dict.fromkeys((*old.rules, *new.rules)):
        one, two = old.rules.get(rule_id), new.rules.get(rule_id)
        if one is None or two is None:
            rule = one or two
            assert rule is not None
            yield Change(
                "rule",
                "added" if one is None else "removed",
                rule_id,
                op,
                **{"new" if one is None else "old": rule.summary},
            )
            continue
        before, after = _stated(one, _MEANING), _stated(two, _MEANING)
        differing = [name for name in _MEANING if before[name] != after[name]]
        touched = sorted(moved & _reach(new, two))
        if differing or touched:
            yield from _meaning(old, new, rule_id, differing, touched, starts)
        elif _stated(one, _WORDING) != _stated(two, _WORDING):
            words = [name for name in _WORDING if getattr(one, name) != getattr(two, name)]
            yield Change(
                "rule",
                "reworded",
                rule_id,
                op,
                {n: getattr(one, n) for n in words},
                {n: getattr(two, n) for n in words},
            )


def _meaning(
    old: Side, new: Side, rule_id: str, differing: list[str], touched: list[str], starts: Sequence[Call]
) -> Iterator[Change]:
    """The change of a rule whose expressions or quantities are others."""
    one, two = old.rules[rule_id], new.rules[rule_id]
    asked, only_old, only_new = _verdicts(old, new, rule_id, starts)
    change = "tightened" if only_new and not only_old else "loosened" if only_old and not only_new else "changed"
    if not differing and not only_old and not only_new:
        return  # only a quantity it reads was written differently
    told = f"of {asked} calls {only_old} were refused only before and {only_new} are refused only now"
    if not only_old and not only_new:
        told = f"none of {asked} calls tells the two apart"
    through = f"; through {', '.join(touched)}" if touched else ""
    yield Change(
        "rule",
        change,
        rule_id,
        new.names.operator.name,
        {n: getattr(one, n) for n in differing} or None,
        {n: getattr(two, n) for n in differing} or None,
        told + through,
    )
