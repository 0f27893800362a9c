"""Where output goes: JSON objects to stdout, everything else to stderr or, without --json, as text to stdout.

In: values to show. Out: lines. Must never mix prose into JSON.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import click

Item = TypeVar("Item")


def warn(text: str) -> None:
    """A message for the person, on stderr."""
    click.echo(text, err=True)


def emit(value: dict[str, Any]) -> None:
    """One JSON object on one line; infinities and NaN become texts, since JSON has none."""
    click.echo(json.dumps(_plain(value), ensure_ascii=False, allow_nan=False))
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> None:
    """A plain table on stdout; columns whose index is in `right` are aligned right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(cells[i]) for cells in [list(columns), *texts]) for i in range(len(columns))]
    for cells in [list(columns), ["-" * width for width in widths], *texts]:
        padded = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
        click.echo("  ".join(padded).rstrip())


def progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """`items`, with a progress bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        for item in items:
            yield item
            bar.advance(task)
