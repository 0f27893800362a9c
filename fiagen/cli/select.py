"""The selectors that every verb takes, and the variants and calls they leave.

In: --op, --product, --variant, --where. Out: chosen variants or calls. Must never let a selector match nothing silently.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from fiagen.diagnostics import DiagnosticError, fail, suggestion
from fiagen.expr import Type, parse
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_products, resolve_product
from fiagen.load.variants import axis_type, load_variants, serves
from fiagen.model.variant import Variant, VariantSet

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Selectors:
    """What the user asked for; empty texts mean everything."""

    op: str = ""
    product: str = ""
    variant: str = ""
    where: str = ""


def selectors(function: Command) -> Command:
    """Adds the four selector options; the command receives them as `op`, `product`, `variant`, `where`."""
    options = [
        click.option("--op", default="", metavar="NAME", help="Only this operator."),
        click.option("--product", default="", metavar="NAME", help="Only this product, e.g. a2 or a3:9391."),
        click.option("--variant", default="", metavar="GLOB", help="Only variants whose name matches."),
        click.option("--where", default="", metavar="EXPR", help="Only where it holds, e.g. 'layout == \"TND\" and not pa'."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def checked(op: str, product: str, variant: str, where: str) -> Selectors:
    """Selectors whose names exist; DiagnosticError otherwise."""
    known = sorted(load_catalogue().operators) if op else []
    if op and op not in known:
        raise fail("cli.unknown_op", given=f"--op {op}", allowed=", ".join(known), why="There is no such operator.",
                   fix=suggestion(op, known), source="specs/ops")
    if product:
        resolve_product(product)
    return Selectors(op, product, variant, where)


def nothing_selected(what: str, chosen: Selectors) -> DiagnosticError:
    given = " ".join(f"--{name} {value!r}" for name, value in vars(chosen).items() if value)
    return fail("cli.nothing_selected", given=given or f"no {what}", allowed=f"selectors that leave at least one {what}",
                why=f"No {what} matches, so there is nothing to do.", fix="`fiagen list variants` shows what there is.")


def _where_holds(spec: VariantSet, variant: Variant, where: str) -> bool:
    scope: dict[str, Type] = {name: axis_type(tuple(v.value for v in axis.values)) for name, axis in spec.axes.items()}
    scope |= {"op": "str", "arch": "str", "variant": "str"}
    expression = parse(where, scope, "--where")
    if expression.type != "bool":
        raise fail("cli.where_not_a_condition", given=f"--where {where!r}", allowed="a condition, which is true or false",
                   why="Variants are kept where it holds.", fix="Compare something, e.g. head_dim == 128.")
    names = {"op": variant.op, "arch": variant.arch, "variant": variant.name}
    return any(expression.value({**values, **names}) for values in serves(spec, variant))


def chosen_variants(chosen: Selectors) -> list[Variant]:
    """The variants the selectors leave; none is misuse."""
    products = load_products()
    family = resolve_product(chosen.product)[0] if chosen.product else ""
    found = []
    for spec, variant in load_variants().values():
        if chosen.op and variant.op != chosen.op:
            continue
        if family and (family not in spec.products or products[family].arch != variant.arch):
            continue
        if chosen.variant and not fnmatch.fnmatchcase(variant.name, chosen.variant):
            continue
        if chosen.where and not _where_holds(spec, variant, chosen.where):
            continue
        found.append(variant)
    if not found:
        raise nothing_selected("variant", chosen)
    return found
