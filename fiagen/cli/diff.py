"""`fiagen diff`: what changed between two sets of specs.

In: two folders or git revisions, call files. Out: one change an object; status 1 when there is one. Must
never change either side.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from fiagen.cli.output import emit, warn
from fiagen.cli.select import Selectors
from fiagen.diff.calls import RawCall, compare_calls, raw_calls, starting_calls
from fiagen.diff.change import Change
from fiagen.diff.facts import compare_facts
from fiagen.diff.generated import compare_generated
from fiagen.diff.operators import Operators, compare_operators, read_operators
from fiagen.diff.sides import specs_of


def _changes(old: Path, new: Path, files: tuple[str, ...], generated: bool) -> Iterator[Change]:
    before, after = read_operators(old), read_operators(new)
    calls: list[RawCall] = [call for file in files for call in raw_calls(file, after.catalogue())]
    starts = starting_calls((new, old), calls, (after.catalogue(), before.catalogue()))
    yield from compare_operators(before, after, starts)
    yield from compare_facts(old, new)
    yield from compare_calls(calls, before.catalogue(), after.catalogue())
    if generated:
        yield from compare_generated(old, new)


def _meant(change: Change, chosen: Selectors, operators: Operators) -> bool:
    if chosen.op and change.op != chosen.op:
        return False
    if chosen.product and change.op:
        operator = operators.found.get(change.op)
        if operator is not None and chosen.product.partition(":")[0] not in operator.spec.products:
            return False
    kernel = change.kind == "generated" and "/kernel/" in change.name
    return not chosen.variant or (kernel and fnmatch.fnmatchcase(Path(change.name).stem, chosen.variant))


@click.command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--calls", "files", multiple=True, metavar="FILE", help="Say which calls of this file change their verdict."
)
@click.option("--generated/--no-generated", default=True, show_default=True, help="Say which generated files change.")
@click.option("--op", default="", metavar="NAME", help="Only changes of this operator.")
@click.option(
    "--product", default="", metavar="NAME", help="Only changes of operators of this product, and of no operator."
)
@click.option("--variant", default="", metavar="GLOB", help="Only generated kernels whose name matches.")
@click.option("--json", "as_json", is_flag=True, help="One change an object.")
def command(
    old: str, new: str, files: tuple[str, ...], generated: bool, op: str, product: str, variant: str, as_json: bool
) -> int:
    """What changed from OLD to NEW, each a folder of specs or a git revision; status 1 when something did."""
    chosen = Selectors(op, product, variant)
    counts: Counter[str] = Counter()
    with specs_of(old) as before, specs_of(new) as after:
        operators = read_operators(after)
        for change in _changes(before, after, files, generated):
            if _meant(change, chosen, operators):
                counts[change.kind] += 1
                if as_json:
                    emit(change.json())
                else:
                    click.echo(change.text())
    warn(", ".join(f"{count} {kind}" for kind, count in counts.items()) or "no change")
    return 1 if counts else 0
