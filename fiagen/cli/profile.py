"""`fiagen profile`: the simulated time of each call by pipe, its bound, what it waits for, and a roofline.

In: call files. Out: a table and a line per call, or an object per call; status 1 when one has no profile. Must never
show a simulated time without saying so.
"""

from __future__ import annotations

import click

from fiagen.cli.calls import call_options, selected_calls
from fiagen.cli.output import emit, progress, table, warn
from fiagen.cli.select import checked, selectors
from fiagen.diagnostics import fail
from fiagen.verify.profiler import CallProfile, profile_call
from fiagen.verify.workers import in_order


@click.command("profile")
@call_options
@selectors
@click.option("--trace", metavar="OUT.json", help="A Chrome/Perfetto trace of the call: a track per core and pipe.")
@click.option("-j", "jobs", default=1, show_default=True, type=click.IntRange(min=1), help="Processes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    files: tuple[str, ...],
    edition: str | None,
    authority: str | None,
    op: str,
    product: str,
    variant: str,
    where: str,
    trace: str | None,
    jobs: int,
    as_json: bool,
) -> int:
    """Tell the simulated time of every call of FILE...

    \b
    Instructions take their time and have no effect, so a large call takes seconds. For each call:
      pipes        busy microseconds of each pipe, mean over the cores, and what it waited for
      bound        the fullest unit: a pipe, HBM, L2, or the launch
      roofline     operations per byte of HBM, attained and possible operations per second
    """
    calls = selected_calls(files, checked(op, product, variant, where), edition, authority)
    if trace and len(calls) > 1:
        raise fail(
            "cli.trace_of_one",
            given=f"--trace with {len(calls)} calls",
            allowed="one call",
            why="A trace shows one launch.",
            fix="Select one with --where 'id == \"...\"'.",
        )
    results: list[CallProfile] = []
    for result in progress(in_order(profile_call, [(call, trace) for call in calls], jobs), len(calls), "calls"):
        results.append(result)
        if as_json:
            emit(result.json())
        else:
            _show(result)
    if trace and results and results[0].profile is not None:
        warn(f"trace: {trace} (open it in ui.perfetto.dev or chrome://tracing)")
    warn(f"{len(results)} calls; all times are the simulator's, not measured")
    return 0 if all(result.profile is not None for result in results) else 1


def _show(result: CallProfile) -> None:
    profile = result.profile
    if profile is None:
        warn(f"{result.id}: {result.why}")
        return
    click.echo(f"{result.id}  {result.variant}  {result.blocks} blocks")
    click.echo(
        f"simulated {profile.microseconds:.1f} us = launch {profile.launch_microseconds:.1f} + "
        f"kernel {profile.microseconds - profile.launch_microseconds:.1f} ({profile.cycles:.0f} cycles)"
    )
    table(["pipe", "busy us", "full", "busiest us", "waits for"], profile.rows(), right=(1, 2, 3))
    click.echo(profile.bound_text())
    click.echo(profile.roofline_text() + "\n")
