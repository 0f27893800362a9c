"""`fiagen run`: each call through the generated C entry points on the simulator, against the oracle.

In: call files, optional arrays. Out: a result per call; status 1 when one did not pass. Must never run an illegal call.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from fiagen.cli.calls import call_options, selected_calls
from fiagen.cli.output import emit, progress, table, warn
from fiagen.cli.select import checked, selectors
from fiagen.diagnostics import fail
from fiagen.model.call import Call
from fiagen.verify.npz import load_arrays, save_arrays
from fiagen.verify.runner import CallResult, judge_call
from fiagen.verify.workers import in_order


def _judged(call: Call, inputs: str | None, keep: bool) -> CallResult:
    """One call in a worker; outputs travel back only when somebody wants them."""
    result = judge_call(call, load_arrays(inputs, call) if inputs else None)
    return result if keep else result.without_outputs()


@click.command("run")
@call_options
@selectors
@click.option("--inputs", metavar="IN.npz", help="Arrays named as the parameters; they replace the seeded values.")
@click.option("--save", metavar="OUT.npz", help="Save the outputs; with several calls named `id/output`.")
@click.option("-j", "jobs", default=1, show_default=True, type=click.IntRange(min=1), help="Processes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(files: tuple[str, ...], edition: str | None, authority: str | None, op: str, product: str, variant: str,
            where: str, inputs: str | None, save: str | None, jobs: int, as_json: bool) -> int:
    """Run every call of FILE... on the CPU simulator and compare with the oracle."""
    calls = selected_calls(files, checked(op, product, variant, where), edition, authority)
    if inputs and len(calls) > 1:
        raise fail("cli.inputs_for_one", given=f"--inputs with {len(calls)} calls", allowed="one call",
                   why="The arrays are named as the parameters of one call.", fix="Select one with --where 'id == \"...\"'.")
    items = [(call, inputs, save is not None) for call in calls]
    results: list[CallResult] = []
    for result in progress(in_order(_judged, items, jobs), len(calls), "calls"):
        results.append(result)
        if as_json:
            emit(result.json())
    if not as_json:
        table(["id", "variant", "status", "max abs", "max rel", "simulated us"], [_row(r) for r in results], right=(3, 4, 5))
    for result in results:
        if result.why:
            warn(f"{result.id}: {result.why}")
        for violation in result.violations:
            warn("  " + violation.text().replace("\n", "\n  "))
    if save:
        _save(Path(save), results)
    passed = sum(r.status == "pass" for r in results)
    warn(f"{len(results)} calls, {passed} passed (times are the simulator's, not measured)")
    return 0 if passed == len(results) else 1


def _row(result: CallResult) -> tuple[str, ...]:
    judged = result.comparison
    errors = (f"{judged.max_abs_err:.2e}", f"{judged.max_rel_err:.2e}") if judged else ("", "")
    return (result.id, result.variant, result.status, *errors, f"{result.microseconds:.1f}" if result.microseconds else "")


def _save(path: Path, results: list[CallResult]) -> None:
    prefix = len(results) > 1
    arrays: dict[str, np.ndarray] = {
        (f"{r.id}/{name}" if prefix else name): value for r in results for name, value in r.outputs.items()}
    save_arrays(path, arrays)
