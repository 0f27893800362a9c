"""Runs every twin under every schedule; as a program it writes the score table, tests/sim/score.md.

In: the twins. Out: a Markdown table by rule. Must never count a fault at another line than the marked one as caught.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from twin_table import SCHEDULES, TWINS, Twin, markers

from fiagen.load.hardware import load_chip
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport

TABLE = Path(__file__).resolve().parent / "score.md"
HEAD = f"""# Score of the simulator's detectors

Each pair is a small clean kernel and the same kernel with one fault (`tests/sim/kernels/twins*.h`). Both run under
{len(SCHEDULES)} seeded schedules. Caught: reported under every schedule, with the rule and the marked line, or the
marked pair of lines. False alarm: anything reported of the clean kernel under any schedule.

Made by `python tests/sim/score.py`; `tests/sim/test_score.py` holds it to a run of the twins.

| rule | pairs | caught | false alarms |
|---|---|---|---|
"""


def verdict(twin: Twin, faulty: SimReport, lines: dict[str, int] | None = None) -> str:
    """What is wrong with the report of a faulty twin; '' when it blames what has to be blamed.

    `lines` are the markers of the file the twin is in, twin_table.markers() unless given.
    """
    lines = lines or markers()
    if not faulty.faults:
        return "not reported"
    fault = faulty.faults[0]
    if fault.id != twin.rule:
        return f"reported as {fault.id} at {fault.line}/{fault.other_line}: {fault.message}"
    pair = (fault.line, fault.other_line)
    firsts = [lines[name] for name in (twin.blame, *twin.also)]
    if not twin.other:
        return "" if fault.line in firsts else f"blames {pair}, not {firsts}: {fault.message}"
    second = lines[twin.other]
    right = [(first, second) for first in firsts] + [(second, first) for first in firsts if twin.swaps]
    return "" if pair in right else f"blames {pair}, not {right}: {fault.message}"


def score(run: Callable[..., SimReport]) -> str:
    """The table as Markdown; `run` runs one twin: group, number, faulty or not, schedule."""
    rows: dict[str, list[int]] = {}
    for twin in TWINS:
        row = rows.setdefault(twin.rule, [0, 0, 0])
        row[0] += 1
        row[1] += all(verdict(twin, run(twin.group, twin.number, True, schedule)) == "" for schedule in SCHEDULES)
        row[2] += any(run(twin.group, twin.number, False, schedule).faults != () for schedule in SCHEDULES)
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    lines = [f"| `{rule}` | {row[0]} | {row[1]} | {row[2]} |" for rule, row in sorted(rows.items())]
    return HEAD + "\n".join([*lines, f"| all | {total[0]} | {total[1]} | {total[2]} |", ""])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    from conftest import twin_runner

    TABLE.write_text(score(twin_runner(ChipConfig.from_hardware(load_chip("910B1")))))
