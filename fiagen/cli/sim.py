"""`fiagen sim`: a hand-written AscendC kernel on the simulator, without a toolkit and without an NPU.

In: a kernel source and a launch description. Out: faults with their lines, the profile, the arrays it wrote; status 1
when it faults. Must never report a kernel clean whose results depend on the schedule.

For somebody who has never seen this project: take a kernel as the AscendC pages write it (`#include
"kernel_operator.h"`, `extern "C" __global__ __aicore__ void my_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR tiling)`),
describe its launch in a small YAML file, and run `fiagen sim my_kernel.cpp --launch launch.yaml`. The kernel is
compiled for this machine together with the simulator. Every pipe runs by itself, so a missing flag or barrier is a
fault with the two lines it fails to order, even when the numbers come out right. Complete examples are in
specs/kernels: each folder holds a kernel.cpp and a launch.yaml.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from fiagen.cli.output import emit, table, warn
from fiagen.load.hardware import load_chip
from fiagen.load.launches import read_launch
from fiagen.model.launch import KernelLaunch
from fiagen.sim.chip import ChipConfig
from fiagen.verify.handwritten import KernelRun, fault_json, kernel_of, load_inputs, run_kernel
from fiagen.verify.npz import save_arrays
from fiagen.verify.profile import profile_of, write_trace

DEPENDS = "sim.result_depends_on_schedule"
_FIRST = ("late", "early")  # the two ends; every further schedule is a random one with its own seed


@click.command("sim")
@click.argument("kernel", metavar="KERNEL.cpp")
@click.option(
    "--launch", "launch_file", required=True, metavar="LAUNCH.yaml", help="Entry, blocks, chip and arguments."
)
@click.option("--inputs", metavar="IN.npz", help="Arrays named as the arguments; bfloat16 as uint16 bits.")
@click.option("--save", metavar="OUT.npz", help="Save what the kernel wrote: arguments with role out and inout.")
@click.option(
    "--schedules",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Legal orders of pipes, cores and blocks to try; results must not depend on them.",
)
@click.option(
    "--time-only", is_flag=True, help="Only tell time: no data, no checks. For large shapes of a clean kernel."
)
@click.option("--trace", metavar="OUT.json", help="A Chrome/Perfetto trace: a track per core and pipe.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(
    kernel: str,
    launch_file: str,
    inputs: str | None,
    save: str | None,
    schedules: int,
    time_only: bool,
    trace: str | None,
    as_json: bool,
) -> int:
    """Run the hand-written kernel KERNEL.cpp on the simulator; print its faults and its profile.

    \b
    LAUNCH.yaml says how the host would launch it:
      entry: add_bf16          # the kernel function
      blocks: 40
      chip: 910B4-1            # of specs/hardware, or a product such as a2 or a3:9391
      arguments:               # in the order of the kernel's parameters
        - {name: x, role: in, dtype: bfloat16, shape: [40, 256]}
        - {name: z, role: out, dtype: bfloat16, shape: [40, 256]}
        - {name: ws, role: workspace, bytes: 4096}
        - name: tiling
          role: struct         # laid out as a C compiler does
          fields: [{name: total, dtype: uint32, value: 10240}, {name: tile, dtype: uint32, value: 256}]
    \b
    role   in (default), out, inout, workspace or struct
    init   {dist: normal | uniform | zeros | arange, low, high, scale, seed}; or values: nested lists
    \b
    JSON: status (pass or fail), faults [{id core pipe file line message}], cycles, microseconds, and the profile.
    Times are simulated. Examples: specs/kernels/*/kernel.cpp with launch.yaml.
    """
    source, request = Path(kernel), read_launch(launch_file)
    given = load_inputs(inputs, request) if inputs else {}
    library = kernel_of(source, request)
    run, faults = _tried(library, request, given, source, schedules, time_only, trace is not None)
    profile = profile_of(run.report, ChipConfig.from_hardware(load_chip(request.chip)))
    if save:
        save_arrays(save, run.outputs)
    if trace and run.spans is not None and not write_trace(trace, run.spans, run.report, profile.clock_mhz):
        warn(f"{trace}: only the first {len(run.spans)} of {run.report.num_spans} instructions")
    result = {
        "status": "fail" if faults else "pass",
        "faults": faults,
        "entry": request.entry,
        "chip": request.chip,
        "blocks": request.blocks,
        **profile.json(),
    }
    if as_json:
        emit(result)
    else:
        _show(result, faults)
        if not faults:
            table(["pipe", "busy us", "full", "busiest us", "waits for"], profile.rows(), right=(1, 2, 3))
            click.echo(profile.bound_text())
            click.echo(profile.roofline_text())
    return 1 if faults else 0


def _tried(
    library: Path,
    request: KernelLaunch,
    given: dict[str, np.ndarray],
    source: Path,
    schedules: int,
    time_only: bool,
    trace: bool,
) -> tuple[KernelRun, list[dict[str, Any]]]:
    """The first run, or the first that faults; a run that differs from the first is a fault of its own."""
    first: KernelRun | None = None
    for number in range(schedules):
        policy = _FIRST[number] if number < len(_FIRST) else "random"
        run = run_kernel(
            library, request, given, seed=number, policy=policy, time_only=time_only, trace=trace and number == 0
        )
        if run.report.faults:
            return run, fault_json(run.report, source)
        first = first or run
        if run.digest != first.digest:
            message = f"schedule {number} ({policy}) gives other results than the first: something is not ordered"
            return run, [
                {
                    "id": DEPENDS,
                    "block": -1,
                    "core": "",
                    "pipe": "",
                    "instruction": "",
                    "file": str(source),
                    "line": 0,
                    "other_line": 0,
                    "message": message,
                }
            ]
    assert first is not None  # schedules is at least 1
    return first, []


def _show(result: dict[str, Any], faults: list[dict[str, Any]]) -> None:
    for fault in faults:
        place = f"{fault['file']}:{fault['line']}" + (
            f" (against line {fault['other_line']})" if fault["other_line"] else ""
        )
        click.echo(
            f"{place}  {fault['id']}  block {fault['block']} {fault['core']}, pipe {fault['pipe']}, "
            f"{fault['instruction']}\n  {fault['message']}"
        )
    if not faults:
        click.echo(
            f"{result['entry']} on {result['blocks']} blocks of a {result['chip']}: pass; simulated "
            f"{result['microseconds']:.2f} us = launch {result['launch_microseconds']:.2f} + "
            f"kernel {result['cycles']:.0f} cycles"
        )
