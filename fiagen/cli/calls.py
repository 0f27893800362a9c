"""What verbs over call files share: reading, overriding, selecting.

In: paths and selectors. Out: calls. Must never drop a call without the selectors asking for it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import click

from fiagen.check.choice import ChoiceFacts, axes_of, choose_variant, choosing, variant_set
from fiagen.check.facts import Facts
from fiagen.cli.select import Selectors, nothing_selected
from fiagen.diagnostics import Diagnostic, DiagnosticError, fail
from fiagen.expr import EvalError, Expr, Type, parse
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import resolve_product
from fiagen.load.variants import axis_type
from fiagen.model.call import AUTHORITIES, EDITIONS, Authority, Call, Edition

Command = TypeVar("Command", bound=Callable[..., Any])
NAMES: dict[str, Type] = {"id": "str", "op": "str", "product": "str"}


def call_options(function: Command) -> Command:
    """FILE..., --edition and --authority, which win over what the calls say."""
    function = click.option("--authority", type=click.Choice(AUTHORITIES), help="Judge by the document, or only by what the "
                            "shipped host checks enforce.")(function)
    function = click.option("--edition", type=click.Choice(EDITIONS), help="Edition of the document.")(function)
    return click.argument("files", nargs=-1, required=True, metavar="FILE...")(function)


class _CallNames(Mapping[str, Any]):
    """What --where can ask of a call: its id, its place on the axes, arguments and derived quantities."""

    def __init__(self, call: Call, axes: dict[str, Any]) -> None:
        spec = variant_set(call.op)
        self._facts = ChoiceFacts(call, spec) if spec else Facts(call, load_catalogue().operators[call.op])
        self._own = {"id": call.id, "op": call.op, "product": call.product, **axes}

    def __getitem__(self, name: str) -> Any:
        return self._own[name] if name in self._own else self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def _where(call: Call, where: str, parsed: dict[str, Expr]) -> bool:
    if call.op not in parsed:
        spec = variant_set(call.op)
        axes = {n: axis_type(tuple(v.value for v in a.values)) for n, a in spec.axes.items()} if spec else {}
        parsed[call.op] = parse(where, {**choosing(call.op).scope, **axes, **NAMES}, "--where")
    try:
        return bool(parsed[call.op].value(_CallNames(call, cast(dict[str, Any], axes_of(call)))))
    except EvalError:
        return False  # a call that does not have what is asked for is not meant


def selected_calls(files: Iterable[str], chosen: Selectors, edition: str | None, authority: str | None) -> list[Call]:
    """The calls of `files` that the selectors leave, with edition and authority overridden; none is misuse."""
    catalogue = load_catalogue()
    calls: list[Call] = []
    findings: list[Diagnostic] = []
    for file in files:
        try:
            calls.extend(load_calls(file, catalogue))
        except DiagnosticError as error:
            findings.extend(error.diagnostics)
    if findings:
        raise DiagnosticError(findings)
    parsed: dict[str, Expr] = {}
    kept = []
    for call in calls:
        family = resolve_product(call.product)
        if chosen.op and call.op != chosen.op:
            continue
        if chosen.product and resolve_product(chosen.product) != family and chosen.product != family[0]:
            continue
        call = replace(call, edition=cast(Edition, edition or call.edition),
                       authority=cast(Authority, authority or call.authority))
        if chosen.where and not _where(call, chosen.where, parsed):
            continue
        if chosen.variant and not fnmatch.fnmatchcase(_variant_name(call), chosen.variant):
            continue
        kept.append(call)
    if not kept:
        raise nothing_selected("call", chosen) if calls else fail(
            "call.none", given=", ".join(files), allowed="at least one call", why="An empty file has nothing to do.",
            fix="Write one JSON object a line, or a YAML list of calls.")
    return kept


def _variant_name(call: Call) -> str:
    try:
        return choose_variant(call)[0]
    except EvalError:
        return ""
