"""A table against the work it is to divide: coverage, overlap, order, ranges, reductions.

In: a TaskTable and the Work. Out: Diagnostics. Must never stop at the first.
"""

from __future__ import annotations

from fiagen.diagnostics import Diagnostic
from fiagen.schedule.table import Interval, TaskTable
from fiagen.schedule.work import Work

_SOURCE = "the table's layout"
_WHY = {
    "flag": "The consumer asks for nothing else than this word whether a core works.",
    "core_count": "A core that does not exist does no work; the consumer runs on as many as the table is made for.",
    "out_of_range": "The consumer would read lengths, tables and keys that are not there.",
    "order": "The consumer walks from start to end; a range that ends before it starts is walked to the batch's end.",
    "first_start": "Core 0 does not read its start words and begins with the first row.",
    "overlap": "The rows would be computed twice, and both cores write their output.",
    "gap": "Nobody would write the output of these rows.",
    "reduction": "A row that several cores share is right only after its parts are added up.",
}
_FIX = {
    "flag": "Write 1 for a core with work and 0 for an idle one.",
    "core_count": "Make the table for the cube cores of the chip, or of the caller's limit.",
    "out_of_range": "Make the table from the lengths of this very call; a stale or padded tail is the usual cause.",
    "order": "Let each core end where the next begins.",
    "first_start": "Give the first rows to core 0.",
    "overlap": "Let each core end where the next begins.",
    "gap": "Let each core end where the next begins, and the last at the end of the work.",
    "reduction": "Describe one job for each head of each shared row, or don't cut rows.",
}


def _finding(kind: str, given: str, allowed: str, place: str) -> Diagnostic:
    return Diagnostic(f"schedule.{kind}", "error", given, allowed, _WHY[kind], _FIX[kind], _SOURCE, place)


def spans_of(table: TaskTable, work: Work) -> list[tuple[int, int, int]]:
    """(core, first unit, unit after the last) of every working core whose positions exist and are in order."""
    spans = []
    for interval in table.intervals:
        start, end = work.place(interval.start), work.place(interval.end)
        if interval.enabled and start is not None and end is not None and start <= end:
            spans.append((interval.core, start, end))
    return spans


def _of_interval(interval: Interval, work: Work, place: str) -> list[Diagnostic]:
    core, found = interval.core, []
    if interval.enabled not in (0, 1):
        found.append(_finding("flag", f"core {core}: enabled = {interval.enabled}", "0 or 1", place))
    if not interval.enabled:
        return found
    if core >= work.cores:
        found.append(_finding("core_count", f"core {core} is enabled", f"cores 0 to {work.cores - 1}", place))
    places = {"start": work.place(interval.start), "end": work.place(interval.end)}
    for word, where in places.items():
        if where is None:
            found.append(_finding("out_of_range", f"core {core}: {word} = {getattr(interval, word)}",
                                  _extent(work, getattr(interval, word)[0]), place))
    start, end = places["start"], places["end"]
    if start is not None and end is not None and start > end:
        said = f"core {core}: from {interval.start} to {interval.end}"
        found.append(_finding("order", said, "a start that is not behind its end", place))
    if core == 0 and interval.start != (0, 0, 0):
        found.append(_finding("first_start", f"core 0: start = {interval.start}", "(0, 0, 0)", place))
    return found


def _extent(work: Work, batch: int) -> str:
    if 0 <= batch < len(work.batches):
        return f"batch {batch} has {len(work.batches[batch].costs)} rows"
    return f"{len(work.batches)} batches; the end is ({len(work.batches)}, 0, 0)"


def _coverage(table: TaskTable, work: Work, place: str) -> list[Diagnostic]:
    found, reached, owner = [], 0, -1
    for core, start, end in sorted(spans_of(table, work), key=lambda span: span[1:]):
        if start < reached and start < end:
            until = min(reached, end)
            found.append(_finding("overlap", f"cores {owner} and {core} both have {work.position(start)} up to "
                                  f"{work.position(until)}", "every row once", place))
        if start > reached:
            found.append(_finding("gap", f"no core has {work.position(reached)} up to {work.position(start)}",
                                  "every row once", place))
        if end > reached or owner < 0:
            reached, owner = max(reached, end), core
    if reached < work.size:
        found.append(_finding("gap", f"no core has {work.position(reached)} up to {work.position(work.size)}",
                              "every row once", place))
    return found


def _shared_rows(table: TaskTable, work: Work) -> dict[tuple[int, int], int]:
    """(batch, row) -> number of cores, of the rows that more than one core works on."""
    cores: dict[tuple[int, int], int] = {}
    for _, start, end in spans_of(table, work):
        if start == end:
            continue
        for batch, row in {work.position(at)[:2] for at in (start, end - 1)}:  # only the first and the last can be cut
            begin, finish = (int(work.row_starts[batch][row + i]) for i in (0, 1))
            if start > begin or end < finish:
                cores[batch, row] = cores.get((batch, row), 0) + 1
    return cores


def _reductions(table: TaskTable, work: Work, place: str) -> list[Diagnostic]:
    shared = {key: count for key, count in _shared_rows(table, work).items() if count > 1}
    heads: dict[tuple[int, int], list[int]] = {key: [0] * work.heads for key in shared}
    found = []
    for job in table.reductions:
        key = (job.batch, job.row)
        if job.enabled not in (0, 1):
            found.append(_finding("flag", f"vector core {job.core}: enabled = {job.enabled}", "0 or 1", place))
        if not job.enabled:
            continue
        if job.core >= 2 * work.cores:
            found.append(_finding("core_count", f"vector core {job.core} is enabled",
                                  f"vector cores 0 to {2 * work.cores - 1}", place))
        said = f"vector core {job.core}: row {key}, {job.parts} parts, heads {job.first_head} to "
        said += f"{job.first_head + job.heads - 1}"
        if key not in shared or shared[key] != job.parts:
            right = f"{shared[key]} parts" if key in shared else "a row that several cores share"
            found.append(_finding("reduction", said, right, place))
        elif job.first_head < 0 or job.heads < 1 or job.first_head + job.heads > work.heads:
            found.append(_finding("reduction", said, f"heads 0 to {work.heads - 1}", place))
        else:
            for head in range(job.first_head, job.first_head + job.heads):
                heads[key][head] += 1
    for key, counts in heads.items():
        wrong = [head for head, count in enumerate(counts) if count != 1]
        if wrong:
            found.append(_finding("reduction", f"row {key}: head {wrong[0]} is added up {counts[wrong[0]]} times",
                                  f"each of its {work.heads} heads once", place))
    return found


def judge(table: TaskTable, work: Work, place: str = "") -> tuple[Diagnostic, ...]:
    """Every fault of the table, none for one whose intervals cover the work exactly once."""
    found = [finding for interval in table.intervals for finding in _of_interval(interval, work, place)]
    return (*found, *_coverage(table, work, place), *_reductions(table, work, place))
