"""`fiagen docs`: the documentation site.

In: selectors, a folder. Out: the site there, and counts. Must never write anywhere else.
"""

from __future__ import annotations

import time
from pathlib import Path

import click

from fiagen.cli.output import emit
from fiagen.cli.select import checked, chosen_variants, nothing_selected, selectors
from fiagen.emit.docs import emit_docs
from fiagen.emit.site import build_site, check_out
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import resolve_product


@click.command("docs")
@selectors
@click.option("--out", required=True, metavar="DIR", help="Where the site goes: a new folder, or an earlier site.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(op: str, product: str, variant: str, where: str, out: str, as_json: bool) -> int:
    """Build the documentation site from the specs; open index.html in DIR."""
    start = time.perf_counter()
    chosen = checked(op, product, variant, where)
    family = resolve_product(product)[0] if product else ""
    operators = [
        name
        for name, operator in load_catalogue().operators.items()
        if op in ("", name) and (not family or family in operator.spec.products)
    ]
    if not operators:
        raise nothing_selected("operator", chosen)
    check_out(Path(out))
    kernels = {v.name for v in chosen_variants(chosen)} if variant or where else None
    files = emit_docs(operators, kernels)
    counts = {
        "pages": sum(file.path.endswith(".md") for file in files),
        "files": build_site(files, Path(out)),
        "seconds": round(time.perf_counter() - start, 3),
    }
    if as_json:
        emit(counts)
    else:
        told = f"{counts['pages']} pages, {counts['files']} files in {counts['seconds']} s"
        click.echo(f"{told}: open {Path(out) / 'index.html'}")
    return 0
