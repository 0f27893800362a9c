"""Finds, for every rule that refuses, a legal call and a neighbour that breaks that rule alone.

In: legal and illegal calls to start from. Out: pairs that the checker confirms. Must never keep one that it does not.

`python -m fiagen.verify.pairs FILE...` brings specs/calls/rules_*.jsonl up to date: pairs that still hold stay; for the
other rules it searches around the calls of the files and of the pairs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from fiagen import paths
from fiagen.check.alone import refuses, says
from fiagen.check.compiled import CompiledOperator, compiled
from fiagen.check.facts import Facts
from fiagen.check.neighbours import Edges, edges, neighbours
from fiagen.check.pairs import Pair, confirmed, load_pairs, pair_file
from fiagen.check.verdict import check_call
from fiagen.diagnostics import Diagnostic
from fiagen.expr import EvalError
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.model.call import AUTHORITIES, EDITIONS, Arg, Authority, Call, Edition, TensorSpec
from fiagen.model.catalogue import Catalogue
from fiagen.model.op import Rule

_DONORS = 8  # values of a parameter that are taken from other calls
_TRIED = 6_000  # neighbours that are tried for a rule
_STARTS = 8  # legal calls to start from, those first to which the rule applies
_HALFWAY = 10  # calls from which a second change is tried
_MENDED = 3  # other broken rules that a second change may mend
_FAR = 4  # arguments in which a given call may differ from the legal one beside it


class Finder:
    """Searches the neighbourhood of calls of one operator."""

    def __init__(self, op: str, seeds: Iterable[Call], catalogue: Catalogue) -> None:
        self.catalogue, self.names = catalogue, compiled(catalogue.operators[op])
        own = [replace(call, extra={}, outputs=None, expect=None, place="") for call in seeds if call.op == op]
        self.seeds = sorted(own, key=lambda call: (len(call.args), call.id))
        self.donors: dict[str, list[Arg]] = {}
        for call in self.seeds:
            for name, value in call.args.items():
                seen = self.donors.setdefault(name, [])
                if value not in seen and len(seen) < _DONORS:
                    seen.append(value)
        self._legal: dict[tuple[Edition, Authority], list[Call]] = {}
        self._dtypes = ("float32", "int8", "bfloat16", "float16", "int32")

    def legal(self, edition: Edition, authority: Authority) -> list[Call]:
        """The simplest legal calls to start from."""
        key = (edition, authority)
        if key not in self._legal:
            asked = (replace(call, edition=edition, authority=authority) for call in self.seeds)
            self._legal[key] = [c for c in asked if check_call(c, self.catalogue, opinions=False).accepted]
        return self._legal[key]

    def _breaks(self, rule: Rule, call: Call) -> bool:
        if not refuses(self.names, rule, call):
            return False
        found = check_call(call, self.catalogue, opinions=False).violations
        return [d.rule for d in found] == [rule.id]

    def find(self, rule: Rule) -> Pair | None:
        """The first pair found, in the edition and authority that a reader would try first."""
        near = edges(self.names, [text for text in (rule.must, rule.when) if text])
        for authority in (one for one in AUTHORITIES if one in rule.stated_by):
            for edition in (one for one in EDITIONS if one in rule.editions):
                starts = _relevant(self.legal(edition, authority), rule, self.names)
                pair = self._one_change(rule, starts, near) or self._known(rule, starts, edition, authority)
                pair = pair or self._two_changes(rule, starts, near)
                if pair is not None:
                    return pair
        return None

    def _one_change(self, rule: Rule, starts: Sequence[Call], near: Edges) -> Pair | None:
        for start, call in islice(self._around(starts[:_STARTS], near), _TRIED):
            if self._breaks(rule, call):
                return confirmed(rule.id, start, call, self.catalogue)
        return None

    def _known(self, rule: Rule, starts: Sequence[Call], edition: Edition, authority: Authority) -> Pair | None:
        """A given call that breaks the rule alone, beside the legal call most like it."""
        asked = (replace(call, edition=edition, authority=authority) for call in self.seeds)
        broken = next((call for call in asked if self._breaks(rule, call)), None)
        like = [call for call in starts if broken is not None and _distance(call, broken) <= _FAR]
        if broken is None or not like:
            return None
        return confirmed(rule.id, min(like, key=lambda call: _distance(call, broken)), broken, self.catalogue)

    def _two_changes(self, rule: Rule, starts: Sequence[Call], near: Edges) -> Pair | None:
        """A first change breaks the rule and others, a second one mends the others."""
        for start, call in islice(self._halfway(rule, starts, near), _HALFWAY):
            others = [self.names.operator.rules_by_id[d.rule] for d in self._violations(call) if d.rule != rule.id]
            if not 0 < len(others) <= _MENDED:
                continue
            there = edges(self.names, [str(other.must) for other in others])
            for _, second in islice(neighbours(call, self.names, there, self.donors, self._dtypes), _TRIED // _HALFWAY):
                if not any(refuses(self.names, other, second) for other in others) and self._breaks(rule, second):
                    return confirmed(rule.id, start, second, self.catalogue)
        return None

    def _halfway(self, rule: Rule, starts: Sequence[Call], near: Edges) -> Iterator[tuple[Call, Call]]:
        """(start, neighbour that the rule refuses), one for each start and parameter."""
        seen: set[tuple[int, tuple[str, ...]]] = set()
        for start, call in islice(self._around(starts[:_STARTS], near), _TRIED):
            key = (
                id(start),
                tuple(name for name in {*start.args, *call.args} if start.args.get(name) != call.args.get(name)),
            )
            if key not in seen and refuses(self.names, rule, call):
                seen.add(key)
                yield start, call

    def _violations(self, call: Call) -> Sequence[Diagnostic]:
        return [
            d
            for d in check_call(call, self.catalogue, opinions=False).violations
            if d.rule in self.names.operator.rules_by_id
        ]

    def _around(self, starts: Sequence[Call], near: Edges) -> Iterator[tuple[Call, Call]]:
        """(start, neighbour), a neighbour of each start in turn."""
        ahead = [(start, neighbours(start, self.names, near, self.donors, self._dtypes)) for start in starts]
        while ahead:
            left = []
            for start, found in ahead:
                step = next(found, None)
                if step is not None:
                    left.append((start, found))
                    yield start, step[1]
            ahead = left


def _distance(one: Call, two: Call) -> int:
    """The number of arguments in which two calls differ."""
    return sum(one.args.get(name) != two.args.get(name) for name in {*one.args, *two.args})


def _relevant(calls: Sequence[Call], rule: Rule, names: CompiledOperator) -> list[Call]:
    """Calls to which the rule applies first: one change then breaks it most likely."""

    def applies(call: Call) -> bool:
        facts = Facts(call, names.operator)
        try:
            return says(names, rule, call) and all(facts.value(text) for text in (rule.when, rule.host_when) if text)
        except EvalError:
            return False

    return sorted(calls, key=lambda call: not applies(call))


def _tensor_json(tensor: TensorSpec) -> dict[str, Any]:
    found: dict[str, Any] = {"shape": list(tensor.shape), "dtype": tensor.dtype}
    if tensor.format != "ND":
        found["format"] = tensor.format
    if tensor.strides is not None:
        found["strides"] = list(tensor.strides)
    values = getattr(tensor, "values", None)
    return {**found, "values": list(values)} if isinstance(values, tuple) else found


def _argument_json(value: Arg) -> Any:
    if isinstance(value, TensorSpec):
        return _tensor_json(value)
    return [_argument_json(item) for item in value] if isinstance(value, tuple) else value


def call_line(call: Call, rule: str, expect: str) -> str:
    """A call as a line of a pair file."""
    fields: dict[str, Any] = {
        "id": f"{rule}.{'legal' if expect == 'accept' else 'illegal'}",
        "rule": rule,
        "op": call.op,
        "product": call.product,
        "edition": call.edition,
        "authority": call.authority,
        "expect": expect,
        "args": {name: _argument_json(value) for name, value in sorted(call.args.items())},
    }
    if call.outputs is not None:
        fields["outputs"] = {name: _tensor_json(output) for name, output in call.outputs.items()}
    return json.dumps(fields, ensure_ascii=False)


def find_pairs(
    op: str, seeds: Sequence[Call], catalogue: Catalogue, known: Mapping[str, Pair]
) -> Iterator[tuple[str, Pair | None]]:
    """(rule, pair or None) for every rule of `op` that refuses; pairs already known are kept."""
    finder = Finder(op, seeds, catalogue)
    for rule in catalogue.operators[op].rules:
        if rule.severity == "error" and rule.must:
            yield rule.id, known.get(rule.id) or finder.find(rule)


def pair_lines(pairs: Mapping[str, Pair]) -> str:
    """The text of a pair file."""
    lines = [
        line
        for rule, pair in sorted(pairs.items())
        for line in (call_line(pair.legal, rule, "accept"), call_line(pair.illegal, rule, "reject"))
    ]
    return "\n".join(lines) + "\n"


def main(files: Sequence[str]) -> None:
    """Bring the pair files up to date, starting from the calls of `files`."""
    catalogue = load_catalogue()
    given = [call for file in files for call in load_calls(file, catalogue)]
    for op in catalogue.operators:
        known = load_pairs(op, catalogue)
        seeds = [*given, *(call for pair in known.values() for call in (pair.legal, pair.illegal))]
        found = dict(find_pairs(op, seeds, catalogue, known))
        pairs = {rule: pair for rule, pair in found.items() if pair is not None}
        (paths.SPECS / "calls" / pair_file(op)).write_text(pair_lines(pairs), encoding="utf-8")
        print(
            f"{op}: {len(pairs)} of {len(found)} rules; without: {', '.join(sorted(set(found) - set(pairs))) or 'none'}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
