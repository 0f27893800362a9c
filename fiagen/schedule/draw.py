"""A table as lines of text and as an SVG picture.

In: a TaskTable and the Work. Out: text. Must never leave a fault out of sight: what cannot be drawn is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml

from fiagen.schedule.judge import spans_of
from fiagen.schedule.table import TaskTable
from fiagen.schedule.work import Work

BAR = 40  # characters of the longest bar
_ROW, _LEFT, _WIDTH = 18, 190, 760  # pixels of the picture
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


@dataclass(frozen=True)
class Load:
    """One working core: its range, the rows it touches, its cost by batch."""

    core: int
    start: tuple[int, int, int]
    end: tuple[int, int, int]
    rows: int
    pieces: dict[int, int]

    @property
    def cost(self) -> int:
        return sum(self.pieces.values())


def _rows_between(work: Work, start: int, end: int) -> int:
    if start >= end:
        return 0
    (first, row, _), (last, last_row, _) = work.position(start), work.position(end - 1)
    whole = sum(len(work.batches[b].costs) for b in range(first, last))
    return whole - row + last_row + 1


def loads_of(table: TaskTable, work: Work) -> list[Load]:
    """What each core works on whose range exists, by core."""
    entries = {interval.core: interval for interval in table.intervals}
    return [Load(core, entries[core].start, entries[core].end, _rows_between(work, start, end), work.pieces(start, end))
            for core, start, end in spans_of(table, work)]


def summary(loads: list[Load], work: Work) -> dict[str, Any]:
    """Total cost, makespan, lower bound, imbalance (makespan over the mean of all cores), number of idle cores."""
    makespan = max((load.cost for load in loads), default=0)
    imbalance = makespan * work.cores / work.total if work.total else 1.0
    idle = work.cores - len({load.core for load in loads if load.rows and load.core < work.cores})
    return {"total": work.total, "makespan": makespan, "lower_bound": work.lower_bound,
            "imbalance": round(imbalance, 3), "idle_cores": idle}


def _place(position: tuple[int, int, int]) -> str:
    batch, row, block = position
    return f"batch {batch} row {row}" + (f" block {block}" if block else "")


def text(table: TaskTable, work: Work) -> str:
    """One line a working core with a bar of its cost, the reduction jobs, and the balance."""
    loads = loads_of(table, work)
    longest = max((load.cost for load in loads), default=0)
    lines = [f"{'core':>4}  {'from':<24}{'to':<24}{'rows':>6}{'cost':>8}"]
    for load in loads:
        bar = "#" * (-(-load.cost * BAR // longest) if longest else 0)
        reach = f"{_place(load.start):<24}{_place(load.end):<24}"
        lines.append(f"{load.core:>4}  {reach}{load.rows:>6}{load.cost:>8}  {bar}".rstrip())
    for job in table.reductions:
        if job.enabled:
            lines.append(f"vector core {job.core} adds up {job.parts} parts of batch {job.batch} row {job.row}, heads "
                         f"{job.first_head} to {job.first_head + job.heads - 1}, from slot {job.staging}")
    numbers = summary(loads, work)
    lines.append(f"cost {numbers['total']} in all, {numbers['makespan']} on the busiest core, at least "
                 f"{numbers['lower_bound']} on it by any split; imbalance {numbers['imbalance']:.3f}, "
                 f"{numbers['idle_cores']} idle cores")
    return "\n".join(lines)


def svg(table: TaskTable, work: Work, title: str) -> str:
    """A bar for each cube core, one colour after the other for the batches; hover tells batch and cost."""
    loads = loads_of(table, work)
    longest = max((load.cost for load in loads), default=0) or 1
    height = (work.cores + 3) * _ROW
    picture = Xml.Element("svg", xmlns="http://www.w3.org/2000/svg", width=str(_LEFT + _WIDTH + 20), height=str(height))
    Xml.SubElement(picture, "rect", width="100%", height="100%", fill="white")
    Xml.SubElement(picture, "style").text = "text { font: 12px monospace; }"
    Xml.SubElement(picture, "text", x="8", y="14").text = title
    by_core = {load.core: load for load in loads}
    for core in range(work.cores):
        top = (core + 1) * _ROW + 4
        load = by_core.get(core)
        label = f"core {core}" + (f": {load.rows} rows, {load.cost}" if load else ": idle")
        Xml.SubElement(picture, "text", x="8", y=str(top + 12)).text = label
        left = float(_LEFT)
        for batch, cost in sorted(load.pieces.items()) if load else ():
            width = cost * _WIDTH / longest
            box = {"x": f"{left:.2f}", "y": str(top), "width": f"{width:.2f}", "height": str(_ROW - 4)}
            bar = Xml.SubElement(picture, "rect", box, fill=_COLOURS[batch % len(_COLOURS)], stroke="white")
            Xml.SubElement(bar, "title").text = f"core {core}, batch {batch}: cost {cost}"
            left += width
    bound = _LEFT + work.lower_bound * _WIDTH / longest
    Xml.SubElement(picture, "line", x1=f"{bound:.2f}", x2=f"{bound:.2f}", y1=str(_ROW), y2=str(height - 2 * _ROW + 4),
                   stroke="black")
    numbers = summary(loads, work)
    Xml.SubElement(picture, "text", x="8", y=str(height - 8)).text = (
        f"busiest core {numbers['makespan']}, lower bound {numbers['lower_bound']} (line), "
        f"imbalance {numbers['imbalance']:.3f}")
    return Xml.tostring(picture, encoding="unicode") + "\n"
