"""`fiagen build`: specs to files.

In: selectors, an output folder. Out: counts and seconds; with --check findings and status 1. Must never write with --check.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path

import click

from fiagen import paths
from fiagen.cli.output import emit, warn
from fiagen.cli.select import Selectors, checked, chosen_variants, selectors
from fiagen.emit import build as builder
from fiagen.load.variants import gallery

DEFAULT_PRODUCT = "a2"  # whose chip a library is for when nobody says


def _names(chosen: Selectors, to_gallery: bool) -> list[str]:
    """The gallery for the tree's own folder, everything for another one; selectors narrow both."""
    shown = set(gallery())
    return [v.name for v in chosen_variants(chosen) if not to_gallery or v.name in shown]


def _library(chosen: Selectors, out: Path, jobs: int, as_json: bool, start: float) -> int:
    from fiagen.verify.library import build_library

    product = chosen.product or DEFAULT_PRODUCT
    variants = chosen_variants(replace(chosen, product=product))
    made = build_library(product, sorted({v.op for v in variants}), [v.name for v in variants], out, jobs)
    counts = {**vars(made), "seconds": round(time.perf_counter() - start, 3)}
    if as_json:
        emit(counts)
    else:
        click.echo(", ".join(f"{value} {name}" for name, value in counts.items()))
    return 0


@click.command("build")
@selectors
@click.option("--out", metavar="DIR", help="Generate all selected variants here; without it the gallery goes to generated/.")
@click.option("--check", "only_check", is_flag=True, help="Only compare; status 1 when a file is missing, extra or stale.")
@click.option("--library", "as_library", is_flag=True,
              help="Headers and compiled libraries for programs written against the vendor's API; wants --out. "
              "Selected variants are compiled ahead of time, the others at their first launch.")
@click.option("-j", "jobs", default=1, show_default=True, type=click.IntRange(min=1),
              help="Kernels compiled at a time with --library; generation takes milliseconds a variant.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(op: str, product: str, variant: str, where: str, out: str | None, only_check: bool, as_library: bool,
            jobs: int, as_json: bool) -> int:
    """Generate kernels, host tiling and C entry points from the specs; into generated/ also the documentation."""
    start = time.perf_counter()
    if as_library:
        if out is None or only_check:
            raise click.UsageError("--library wants --out DIR, and not --check.")
        return _library(checked(op, product, variant, where), Path(out), jobs, as_json, start)
    names = _names(checked(op, product, variant, where), out is None)
    folder = Path(out) if out else paths.GENERATED
    mend = "fiagen build" + (f" --out {shlex.quote(out)}" if out else "")
    outcome = builder.check(names, folder, mend, out is None) if only_check else builder.build(names, folder, out is None)
    counts = {"files": outcome.files, "written": outcome.written, "unchanged": outcome.unchanged, "removed": outcome.removed,
              "seconds": round(time.perf_counter() - start, 6)}
    if as_json:
        emit({**counts, "findings": [d.json() for d in outcome.findings]} if only_check else counts)
    else:
        for finding in outcome.findings:
            click.echo(finding.text())
        click.echo(", ".join(f"{value} {name}" for name, value in counts.items()))
    if outcome.findings:
        warn(f"{len(outcome.findings)} findings in {paths.shown(folder)}")
    return 1 if outcome.findings else 0
