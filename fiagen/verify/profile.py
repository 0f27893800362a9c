"""What a run's report says about time: pipes, bound, stalls, roofline, trace.

In: a Report of the simulator, the chip it ran on, optional spans. Out: a frozen Profile, its text and JSON, a Chrome
trace. Must never call a simulated time measured.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiagen.sim.abi import PIPES, FiagenSimSpan, Report
from fiagen.sim.chip import ChipConfig

_UNITS = {
    "S": "scalar unit",
    "V": "vector unit",
    "M": "cube",
    "MTE1": "L1 to L0",
    "MTE2": "copies in",
    "MTE3": "copies out",
    "FIX": "Fixpipe",
}
_LANES = 64  # float lanes of one repeat: what the vector roof counts
SHOWN_STALLS = 3
_WORTH_SAYING = 0.01  # of the run's cycles


@dataclass(frozen=True)
class Roofline:
    """Operations against bytes of HBM: operations per byte, operations per second attained and possible."""

    unit: str  # "cube" or "vector"
    intensity: float
    attained: float
    roof: float
    bound: str  # "memory" or "compute"


@dataclass(frozen=True)
class Profile:
    """One run in time. Keys of `pipes`, `utilisation` and `stalls` are `AIC.M`, `AIV.V`, ...; busy cycles are means
    over the cores. `utilisation` also has HBM, `L2 read` and `L2 write`. `stalls` maps a pipe to causes and
    cycles."""

    cycles: float
    microseconds: float
    launch_microseconds: float
    pipes: dict[str, float]
    busiest: dict[str, float]
    utilisation: dict[str, float]
    stalls: dict[str, dict[str, float]]
    bound: str
    roofline: Roofline
    hbm_bytes: float
    l2_bytes: float
    clock_mhz: float

    def json(self) -> dict[str, Any]:
        """The fields of the contract, and more."""
        return {
            "microseconds": round(self.microseconds, 3),
            "cycles": round(self.cycles, 1),
            "launch_microseconds": round(self.launch_microseconds, 3),
            "bound": self.bound,
            "pipes": {
                name: {
                    "cycles": round(busy, 1),
                    "busiest_cycles": round(self.busiest[name], 1),
                    "microseconds": round(busy / self.clock_mhz, 3),
                }
                for name, busy in self.pipes.items()
            },
            "utilisation": {name: round(value, 4) for name, value in self.utilisation.items()},
            "stalls": {
                pipe: {cause: round(cycles, 1) for cause, cycles in causes.items() if cycles > 0}
                for pipe, causes in self.stalls.items()
            },
            "hbm_bytes": self.hbm_bytes,
            "l2_bytes": self.l2_bytes,
            "roofline": {
                "unit": self.roofline.unit,
                "operations_per_byte": round(self.roofline.intensity, 3),
                "attained_tera_per_second": round(self.roofline.attained / 1e12, 4),
                "roof_tera_per_second": round(self.roofline.roof / 1e12, 4),
                "bound": self.roofline.bound,
            },
            "simulated": True,
        }

    def roofline_text(self) -> str:
        """One line: intensity, attained, roof."""
        line = self.roofline
        part = line.attained / line.roof if line.roof else 0.0
        intensity = "no HBM traffic" if line.intensity == float("inf") else f"{line.intensity:.1f} operations/byte"
        return (
            f"roofline ({line.unit}): {intensity}, {line.attained / 1e12:.3f} of {line.roof / 1e12:.3f} T/s "
            f"attained ({part:.1%}), {line.bound} bound"
        )

    def bound_text(self) -> str:
        """The bound in words, with what its unit waited for."""
        if self.bound == "launch":
            return f"bound: launch, {self.launch_microseconds:.1f} of {self.microseconds:.1f} us"
        full = f"bound: {self.bound}, {self.utilisation[self.bound]:.0%} full"
        if self.bound not in self.stalls:
            return full
        causes = sorted(
            ((c, n) for n, c in self.stalls[self.bound].items() if c > _WORTH_SAYING * self.cycles), reverse=True
        )
        waits = ", ".join(f"{name} {cycles / self.cycles:.0%}" for cycles, name in causes[:SHOWN_STALLS])
        unit = _UNITS[self.bound.partition(".")[2]]
        return f"{full} ({unit})" + (f"; waits: {waits}" if waits else "")

    def rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Table rows of the pipes that did something: pipe, busy us, full, busiest us, the largest waits."""
        for name, busy in self.pipes.items():
            if busy <= 0:
                continue
            causes = sorted(
                ((c, n) for n, c in self.stalls[name].items() if c > _WORTH_SAYING * self.cycles), reverse=True
            )
            waits = ", ".join(f"{n} {c / self.cycles:.0%}" for c, n in causes[:SHOWN_STALLS])
            yield (
                name,
                f"{busy / self.clock_mhz:.2f}",
                f"{self.utilisation[name]:.0%}",
                f"{self.busiest[name] / self.clock_mhz:.2f}",
                waits,
            )


def profile_of(report: Report, chip: ChipConfig) -> Profile:
    """The profile of a clean run; all zero for a run with faults."""
    cycles = report.cycles
    pipes: dict[str, float] = {}
    busiest: dict[str, float] = {}
    stalls: dict[str, dict[str, float]] = {}
    sides = (
        ("AIC", report.cores[0], report.aic_mean_cycles, report.aic_busy_cycles, report.aic_stalls),
        ("AIV", report.cores[1], report.aiv_mean_cycles, report.aiv_busy_cycles, report.aiv_stalls),
    )
    for side, count, mean, most, waits in sides:
        for pipe in PIPES if count else ():
            pipes[f"{side}.{pipe}"], busiest[f"{side}.{pipe}"], stalls[f"{side}.{pipe}"] = (
                mean[pipe],
                most[pipe],
                waits[pipe],
            )
    used = {name: busy / cycles if cycles else 0.0 for name, busy in pipes.items()}
    hbm, l2 = report.hbm_read_bytes + report.hbm_write_bytes, report.l2_read_bytes + report.l2_write_bytes
    read, written = report.hbm_read_bytes + report.l2_read_bytes, report.hbm_write_bytes + report.l2_write_bytes
    used["HBM"] = hbm / (chip.hbm_bytes * cycles) if cycles else 0.0
    used["L2 read"] = read / (chip.l2_bytes_per_cycle * cycles) if cycles else 0.0
    used["L2 write"] = written / (chip.l2_write_bytes_per_cycle * cycles) if cycles else 0.0
    kernel = report.microseconds - report.launch_microseconds
    bound = "launch" if report.launch_microseconds > kernel else max(used, key=lambda name: used[name])
    return Profile(
        cycles,
        report.microseconds,
        report.launch_microseconds,
        pipes,
        busiest,
        used,
        stalls,
        bound,
        _roofline(report, chip, hbm),
        hbm,
        l2,
        chip.clock_mhz,
    )


def _roofline(report: Report, chip: ChipConfig, hbm: float) -> Roofline:
    hertz, seconds = chip.clock_mhz * 1e6, report.cycles / (chip.clock_mhz * 1e6)
    if report.cube_macs > 0:
        unit, work = "cube", 2 * report.cube_macs
        peak = 2 * 16**3 / chip.cube_fractal_cycles * chip.aic_count * hertz
    else:
        unit, work = "vector", report.vector_elements
        peak = _LANES / chip.vector_repeat_cycles * chip.aiv_count * hertz
    intensity = work / hbm if hbm else float("inf")
    memory = intensity * chip.hbm_bytes * hertz
    return Roofline(
        unit, intensity, work / seconds if seconds else 0.0, min(peak, memory), "memory" if memory < peak else "compute"
    )


def write_trace(path: str | Path, spans: ctypes.Array[FiagenSimSpan], report: Report, clock_mhz: float) -> bool:
    """A Chrome/Perfetto trace: a process per core, a track per pipe. False when the run had more instructions than
    fit."""
    count = min(report.num_spans, len(spans))
    names: dict[tuple[int, int], str] = {}
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ns", "otherData": {"times": "simulated"}, "traceEvents": [\n')
        for index in range(count):
            span = spans[index]
            core = span.block * 3 + span.sub_core
            names[core, span.pipe] = PIPES[span.pipe]
            event = {
                "name": span.name.decode(),
                "ph": "X",
                "pid": core,
                "tid": span.pipe,
                "ts": round(span.start / clock_mhz, 5),
                "dur": round((span.end - span.start) / clock_mhz, 5),
                "args": {"line": span.line},
            }
            file.write(json.dumps(event) + ",\n")
        meta = [
            {"name": "thread_name", "ph": "M", "pid": core, "tid": pipe, "args": {"name": name}}
            for (core, pipe), name in sorted(names.items())
        ]
        for core in sorted({core for core, _ in names}):
            title = f"block {core // 3} " + ("AIC" if core % 3 == 0 else f"AIV{core % 3 - 1}")
            meta.append({"name": "process_name", "ph": "M", "pid": core, "args": {"name": title}})
            meta.append({"name": "process_sort_index", "ph": "M", "pid": core, "args": {"sort_index": core}})
        file.write(",\n".join(json.dumps(event) for event in meta) + "\n]}\n")
    return report.num_spans <= len(spans)
