"""`fiagen check`: is each call legal, and if not, why.

In: call files. Out: a verdict per call; status 1 when one is refused. Must never stop at the first violation.
"""

from __future__ import annotations

import click

from fiagen.check import check_call
from fiagen.cli.calls import call_options, selected_calls
from fiagen.cli.output import emit, warn
from fiagen.cli.select import checked, selectors
from fiagen.load.catalogue import load_catalogue


@click.command("check")
@call_options
@selectors
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(files: tuple[str, ...], edition: str | None, authority: str | None, op: str, product: str, variant: str,
            where: str, as_json: bool) -> int:
    """Judge every call of FILE... by the rules of its operator."""
    catalogue = load_catalogue()
    calls = selected_calls(files, checked(op, product, variant, where), edition, authority)
    refused = 0
    for call in calls:
        verdict = check_call(call, catalogue)
        refused += not verdict.accepted
        if as_json:
            emit({"id": call.id, "op": call.op, "product": call.product, **verdict.json()})
            continue
        click.echo(f"{call.id}: {verdict.verdict}")
        for diagnostic in (*verdict.violations, *verdict.advice):
            click.echo("  " + diagnostic.text().replace("\n", "\n  "))
        for parameter, rule in verdict.ignored:
            click.echo(f"  {parameter} has no effect here ({rule})")
    warn(f"{len(calls)} calls, {refused} refused")
    return 1 if refused else 0
