"""Pairs of calls that show a rule: a legal one, and a neighbour that breaks that rule alone.

In: call files of specs/calls whose calls name a `rule`. Out: Pairs that the checker confirms. Must never
return an unconfirmed one.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiagen import paths
from fiagen.check.verdict import check_call
from fiagen.diagnostics import Diagnostic
from fiagen.load.calls import load_calls
from fiagen.model.call import Call
from fiagen.model.catalogue import Catalogue


@dataclass(frozen=True)
class Pair:
    """`said` is what the checker says of `illegal`, its only violation."""

    rule: str
    legal: Call
    illegal: Call
    said: Diagnostic


def pair_file(op: str) -> str:
    """The call file that holds the pairs of an operator."""
    return f"rules_{op}.jsonl"


def confirmed(rule: str, legal: Call, illegal: Call, catalogue: Catalogue) -> Pair | None:
    """The pair, when the first call is legal and the second breaks exactly `rule`; None otherwise."""
    found = check_call(illegal, catalogue, opinions=False).violations
    if [d.rule for d in found] != [rule] or not check_call(legal, catalogue, opinions=False).accepted:
        return None
    return Pair(rule, legal, illegal, found[0])


def load_pairs(op: str, catalogue: Catalogue) -> dict[str, Pair]:
    """The confirmed pairs of an operator by rule; none while it has no file of them. DiagnosticError for a bad file."""
    file = paths.SPECS / "calls" / pair_file(op)
    if not file.is_file():
        return {}
    halves: dict[str, dict[str, Call]] = {}
    for call in load_calls(file, catalogue):
        halves.setdefault(str(call.extra.get("rule", "")), {})[str(call.expect)] = call
    pairs = [
        confirmed(rule, both["accept"], both["reject"], catalogue)
        for rule, both in halves.items()
        if set(both) == {"accept", "reject"}
    ]
    return {pair.rule: pair for pair in pairs if pair is not None}
