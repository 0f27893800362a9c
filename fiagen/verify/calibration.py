"""The simulator's time against times measured on boards.

In: specs/kernels/points.yaml and the kernels it names. Out: a row per point, and the table as Markdown. Must never
adjust a parameter: those stand in specs/hardware, each with its source.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiagen.load.hardware import load_chip
from fiagen.load.launches import kernel_folder, load_points, read_launch
from fiagen.model.launch import KernelLaunch, PointSpec
from fiagen.sim.abi import PIPES
from fiagen.sim.chip import ChipConfig
from fiagen.verify.handwritten import KernelRun, kernel_of, run_kernel

_CUBE = PIPES.index("M")


@dataclass(frozen=True)
class CalibrationRow:
    """One point: simulated and measured value in the same unit."""

    id: str
    what: str
    unit: str
    ours: float
    measured: float

    @property
    def error(self) -> float:
        """Relative error of ours."""
        return self.ours / self.measured - 1


def _cube_cycles(run: KernelRun, chip: ChipConfig) -> float:
    """From the start of the first product to the last one's result."""
    assert run.spans is not None  # asked for below
    spans = [run.spans[i] for i in range(run.report.num_spans) if run.spans[i].pipe == _CUBE]
    return float(max(s.end for s in spans) - min(s.start for s in spans)) + chip.cube_latency_cycles


def _value(point: PointSpec, run: KernelRun, request: KernelLaunch) -> float:
    chip = load_chip(point.chip)
    if point.measure == "microseconds":
        return run.report.microseconds
    if point.measure == "cube_cycles":
        return _cube_cycles(run, ChipConfig.from_hardware(chip))
    moved = request.arguments[0].tensor
    assert moved is not None  # the copies read their first argument
    return 100 * moved.numel / (run.report.microseconds * 1e-6) / (chip.chip.hbm_gb_per_s.value * 1e9)


def measure(point: PointSpec) -> CalibrationRow:
    """Simulate one point. DiagnosticError or AssertionError when its kernel does not run clean."""
    folder = kernel_folder(point.kernel)
    request = read_launch(folder / "launch.yaml").replaced(
        blocks=point.blocks, chip=point.chip, fields=dict(point.fields), shapes=dict(point.shapes)
    )
    run = run_kernel(
        kernel_of(folder / "kernel.cpp", request), request, time_only=True, trace=point.measure == "cube_cycles"
    )
    assert not run.report.faults, run.report.faults
    unit = {"microseconds": "us", "percent_of_hbm": "%", "cube_cycles": "cycles"}[point.measure]
    return CalibrationRow(point.id, point.what, unit, _value(point, run, request), point.measured)


def calibrate() -> list[CalibrationRow]:
    """Every point that a kernel of specs/kernels answers."""
    return [measure(point) for point in load_points().points]


def calibration_markdown(rows: list[CalibrationRow] | None = None) -> str:
    """The page of the documentation: the table, and the points without an answer."""
    points = load_points()
    lines = [
        "# Simulated time against measured time",
        "",
        f"{points.doc} Source: {points.source}.",
        "",
        "| point | simulated | measured | error |",
        "|---|---|---|---|",
    ]
    for row in rows if rows is not None else calibrate():
        lines.append(f"| {row.what} | {row.ours:,.1f} {row.unit} | {row.measured:,.1f} {row.unit} | {row.error:+.1%} |")
    lines += [
        "",
        "## Points that no kernel here answers",
        "",
        "| point | measured | what it would take |",
        "|---|---|---|",
    ]
    lines += [f"| {item.what} | {item.measured} | {item.needs} |" for item in points.unanswered]
    return "\n".join(lines) + "\n"
