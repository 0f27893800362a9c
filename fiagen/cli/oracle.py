"""`fiagen oracle`: only the NumPy oracle.

In: a call file, optional arrays. Out: the outputs in an .npz file and their names. Must never touch a kernel.
"""

from __future__ import annotations

import click
import numpy as np

from fiagen.check import check_call
from fiagen.cli.calls import call_options, selected_calls
from fiagen.cli.output import emit, warn
from fiagen.cli.select import checked, selectors
from fiagen.diagnostics import fail
from fiagen.load.catalogue import load_catalogue
from fiagen.oracle import run_oracle
from fiagen.verify.inputs import materialise
from fiagen.verify.npz import load_arrays, save_arrays
from fiagen.verify.sparse_inputs import core_counts


@click.command("oracle")
@call_options
@selectors
@click.option("--inputs", metavar="IN.npz", help="Arrays named as the parameters; they replace the seeded values.")
@click.option("--out", metavar="OUT.npz", help="Save the outputs as float64; with several calls named `id/output`.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(files: tuple[str, ...], edition: str | None, authority: str | None, op: str, product: str, variant: str,
            where: str, inputs: str | None, out: str | None, as_json: bool) -> int:
    """Compute what is true for every call of FILE..., in float64."""
    calls = selected_calls(files, checked(op, product, variant, where), edition, authority)
    if inputs and len(calls) > 1:
        raise fail("cli.inputs_for_one", given=f"--inputs with {len(calls)} calls", allowed="one call",
                   why="The arrays are named as the parameters of one call.", fix="Select one with --where 'id == \"...\"'.")
    saved: dict[str, np.ndarray] = {}
    refused = 0
    for call in calls:
        verdict = check_call(call, load_catalogue(), opinions=False)
        if not verdict.accepted:
            refused += 1
            warn(f"{call.id}: refused")
            for diagnostic in verdict.violations:
                warn("  " + diagnostic.text().replace("\n", "\n  "))
            continue
        values = materialise(call, load_arrays(inputs, call) if inputs else None)
        truth = run_oracle(call.op, **values, **core_counts(call))
        outputs = {name: value for name, value in truth.items() if "__" not in name}
        saved |= {(f"{call.id}/{name}" if len(calls) > 1 else name): value for name, value in outputs.items()}
        if as_json:
            emit({"id": call.id, "outputs": sorted(outputs)})
        else:
            shapes = ", ".join(f"{name} {list(value.shape)}" for name, value in outputs.items())
            click.echo(f"{call.id}: {shapes}")
    if out:
        save_arrays(out, saved)
    return 1 if refused else 0
