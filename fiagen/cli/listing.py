"""`fiagen list`: what there is.

In: a kind of thing and selectors. Out: one line or object each. Must never compute anything but the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from fiagen.cli.output import emit, table
from fiagen.cli.select import Selectors, checked, chosen_variants, nothing_selected, selectors
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_product, load_products, resolve_product
from fiagen.load.variants import load_variants

KINDS = ("ops", "products", "variants", "rules")


def _ops(chosen: Selectors) -> Iterator[dict[str, Any]]:
    generated = {variant.op for _, variant in load_variants().values()}
    for name, operator in sorted(load_catalogue().operators.items()):
        spec = operator.spec
        if chosen.op in ("", name) and (not chosen.product or resolve_product(chosen.product)[0] in spec.products):
            yield {"op": name, "products": list(spec.products), "rules": len(operator.rules), "kernels": name in generated,
                   "title": spec.title}


def _products(chosen: Selectors) -> Iterator[dict[str, Any]]:
    for name, product in sorted(load_products().items()):
        if chosen.product in ("", name):
            chip = load_product(name).chip
            yield {"product": name, "arch": product.arch, "default_chip": product.default_chip, "aic": chip.aic,
                   "aiv": chip.aiv, "clock_mhz": chip.clock_mhz, "title": product.title}


def _variants(chosen: Selectors) -> Iterator[dict[str, Any]]:
    for variant in chosen_variants(chosen):
        yield {"variant": variant.name, "op": variant.op, "arch": variant.arch, **variant.values}


def _rules(chosen: Selectors) -> Iterator[dict[str, Any]]:
    family = resolve_product(chosen.product)[0] if chosen.product else ""
    for name, operator in sorted(load_catalogue().operators.items()):
        if chosen.op not in ("", name):
            continue
        for rule in operator.rules:
            if not family or family in (rule.products or operator.spec.products):
                yield {"rule": rule.id, "op": name, "severity": rule.severity, "editions": list(rule.editions),
                       "summary": rule.summary}


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS))
@selectors
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(kind: str, op: str, product: str, variant: str, where: str, as_json: bool) -> int:
    """List ops, products, variants or rules."""
    chosen = checked(op, product, variant, where)
    rows = list({"ops": _ops, "products": _products, "variants": _variants, "rules": _rules}[kind](chosen))
    if not rows:
        raise nothing_selected(kind[:-1], chosen)
    if as_json:
        for row in rows:
            emit(row)
    else:
        texts = [["+".join(map(str, v)) if isinstance(v, list) else v for v in row.values()] for row in rows]
        table(list(rows[0]), texts)
    return 0
