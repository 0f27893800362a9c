"""Is a task table read, judged and drawn as it is?

In: tables of the oracle, and the same with one fault. Out: verdicts on findings, costs and pictures. Must never judge a
table only by the oracle that wrote it.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.oracle.sparse_metadata import Compression, Window, rows_of, split, table_of
from fiagen.schedule.draw import loads_of, summary, svg, text
from fiagen.schedule.judge import judge
from fiagen.schedule.table import decode
from fiagen.schedule.work import Work

SCFA = Compression(4, 512)


def work_of(queries, keys, cores=4, compression=SCFA):
    rows = [rows_of(q, k, 64, Window(), compression) for q, k in zip(queries, keys, strict=True)]
    return Work(rows, 64, cores)


# three batches: 3 rows, none, 4 rows of one window block and two compressed blocks each
WORK = work_of([3, 0, 4], [9, 50, 2600], cores=4, compression=Compression(4, 0))
UNCUT = [(0, 0, 0), (0, 2, 0), (2, 1, 0), (2, 3, 0), (3, 0, 0)]


def table(points, enabled=None):
    """A table whose core i works from point i to point i + 1."""
    words = np.zeros(1024, np.int64)
    for core, (start, end) in enumerate(pairwise(points)):
        words[8 * core : 8 * core + 8] = [1, *start, *end, 0]
    return words


def changed(**words):
    """The uncut table with words replaced: w9=5 sets word 9 to 5."""
    result = table(UNCUT)
    for name, value in words.items():
        result[int(name[1:])] = value
    return result


def job(core, batch, row, parts, first, heads, staging=0):
    return {f"w{288 + 8 * core + k}": v for k, v in enumerate([1, batch, row, staging, parts, first, heads])}


def kinds(words, work=WORK):
    return [finding.rule for finding in judge(decode(words), work)]


def test_words_become_entries():
    words = np.arange(1024)
    found = decode(words)
    assert found.intervals[2].core == 2 and found.intervals[2].enabled == 16
    assert (found.intervals[2].start, found.intervals[2].end, found.intervals[2].staging) == (
        (17, 18, 19), (20, 21, 22), 23)
    last = found.reductions[71]
    assert [last.enabled, last.batch, last.row, last.staging, last.parts, last.first_head, last.heads] == list(
        range(856, 863))
    assert (len(found.intervals), len(found.reductions)) == (36, 72)
    with pytest.raises(DiagnosticError, match=r"schedule\.size"):
        decode(words[:1023])


def test_a_whole_table_has_no_fault():
    assert kinds(table(UNCUT)) == []


@pytest.mark.parametrize(("words", "expected", "said"), [
    (changed(w8=2), ["schedule.flag"], "core 1: enabled = 2"),
    (changed(w8=0), ["schedule.gap"], "no core has (0, 2, 0) up to (2, 1, 0)"),
    (changed(w4=0, w5=1), ["schedule.gap"], "no core has (0, 1, 0) up to (0, 2, 0)"),
    (changed(w4=2, w5=1), ["schedule.overlap"], "cores 0 and 1 both have (0, 2, 0) up to (2, 1, 0)"),
    (changed(w28=2, w29=3), ["schedule.gap"], "no core has (2, 3, 0) up to (3, 0, 0)"),
    (changed(w28=4), ["schedule.out_of_range", "schedule.gap"], "core 3: end = (4, 0, 0)"),
    (changed(w28=3, w29=1), ["schedule.out_of_range", "schedule.gap"], "core 3: end = (3, 1, 0)"),
    (changed(w13=5), ["schedule.out_of_range", "schedule.gap"], "core 1: end = (2, 5, 0)"),
    (changed(w13=-1), ["schedule.out_of_range", "schedule.gap"], "core 1: end = (2, -1, 0)"),
    (changed(w14=9), ["schedule.out_of_range", "schedule.gap"], "core 1: end = (2, 1, 9)"),
    (changed(w9=2, w10=2, w12=0, w13=2), ["schedule.order", "schedule.gap"], "core 1: from (2, 2, 0) to (0, 2, 0)"),
    (changed(w2=1), ["schedule.first_start", "schedule.gap"], "core 0: start = (0, 1, 0)"),
    (changed(w32=1, w33=3, w36=3), ["schedule.core_count"], "core 4 is enabled"),
    (changed(w288=7), ["schedule.flag", "schedule.reduction"], "vector core 0: enabled = 7"),
    (changed(**job(0, 2, 1, 2, 0, 64)), ["schedule.reduction"], "vector core 0: row (2, 1), 2 parts, heads 0 to 63"),
    (changed(**job(8, 2, 1, 0, 0, 64)), ["schedule.core_count", "schedule.reduction"], "vector core 8 is enabled"),
])
def test_a_fault_is_named(words, expected, said):
    findings = judge(decode(words), WORK, "call")
    assert [finding.rule for finding in findings] == expected
    assert findings[0].given == said and findings[0].place == "call"
    assert all(finding.allowed and finding.why and finding.fix for finding in findings)


def test_other_ways_to_write_the_same_ends_are_fine():
    assert kinds(changed(w4=0, w5=3, w9=0, w10=3)) == []  # the end of batch 0 as its row 3
    assert kinds(changed(w4=1, w5=0, w9=2, w10=0)) == []  # batch 1 is empty: nobody need own it


def test_cores_may_come_in_any_order_and_rest():
    words = table(UNCUT)
    words[8:16], words[24:32] = words[24:32].copy(), words[8:16].copy()
    assert kinds(words) == []
    one = np.zeros(1024, np.int64)
    one[:8] = [1, 0, 0, 0, 3, 0, 0, 0]
    assert kinds(one) == []
    one[:8], one[16:24] = 0, [1, 0, 0, 0, 3, 0, 0, 0]
    assert kinds(one) == []


CUT = [(0, 0, 0), (2, 1, 1), (2, 1, 2), (2, 2, 0), (3, 0, 0)]  # row (2, 1) on three cores


def test_a_cut_row_needs_its_reduction():
    halves = {**job(0, 2, 1, 3, 0, 32), **job(1, 2, 1, 3, 32, 32, 3)}
    words = table(CUT)
    assert kinds(words) == ["schedule.reduction"]
    for name, value in halves.items():
        words[int(name[1:])] = value
    assert kinds(words) == []
    for word, value in ((288 + 4, 2), (288 + 6, 33), (288 + 5, 1), (296 + 2, 2), (296, 0), (296 + 6, 64)):
        wrong = words.copy()
        wrong[word] = value
        assert set(kinds(wrong)) == {"schedule.reduction"}


def test_a_single_block_is_missed():
    words = table(UNCUT)
    words[8 * 2 + 3] = 1
    assert kinds(words) == ["schedule.gap"]
    assert judge(decode(words), WORK)[0].given == "no core has (2, 1, 0) up to (2, 1, 1)"


def test_costs_of_pieces_add_up():
    assert WORK.batches[2].costs == (44 + 104 + 54,) * 4  # 649 or 650 compressed: 512 and three 64s
    place = WORK.place
    assert WORK.cost(place((2, 1, 0)), place((2, 1, 1))) == 44
    assert WORK.cost(place((2, 1, 1)), place((2, 1, 2))) == 104
    assert WORK.cost(place((2, 1, 2)), place((2, 2, 0))) == 54
    assert WORK.cost(place((0, 1, 0)), place((2, 1, 1))) == sum(WORK.batches[0].costs[1:]) + 202 + 44
    assert WORK.cost(0, WORK.size) == WORK.total == sum(WORK.batches[0].costs) + 4 * 202
    assert WORK.lower_bound == 253


@pytest.mark.parametrize("seed", range(30))
def test_tables_of_the_oracle_have_no_fault_and_their_loads_add_up(seed):
    random = Random(seed)
    batches = random.randint(1, 9)
    queries = [random.choice([0, 1, random.randint(0, 30)]) for _ in range(batches)]
    keys = [random.choice([0, random.randint(0, 50), random.randint(0, 30000)]) for _ in range(batches)]
    cores = random.randint(1, 36)
    work = work_of(queries, keys, cores, random.choice([SCFA, Compression(128, 0), Compression()]))
    words = table_of(split(work.batches, cores))
    found = decode(words)
    assert judge(found, work) == ()
    loads = loads_of(found, work)
    assert sum(load.cost for load in loads) == work.total and sum(load.rows for load in loads) == work.rows
    for place in range(work.size):
        assert work.place(work.position(place)) == place
    numbers = summary(loads, work)
    assert numbers["makespan"] >= numbers["lower_bound"] or work.total == 0
    assert numbers["idle_cores"] == cores - sum(1 for load in loads if load.rows)


def test_the_text_shows_ranges_bars_and_balance():
    lines = text(decode(table(UNCUT)), WORK).splitlines()
    assert lines[1].split() == ["0", "batch", "0", "row", "0", "batch", "0", "row", "2", "2", "136", "#" * 14]
    assert lines[3].endswith("#" * 40) and lines[3].split()[-2] == "404"
    assert lines[-1] == ("cost 1012 in all, 404 on the busiest core, at least 253 on it by any split; imbalance 1.597, "
                         "0 idle cores")
    shared = table(CUT)
    shared[288:296] = [1, 2, 1, 5, 3, 0, 64, 0]
    assert "vector core 0 adds up 3 parts of batch 2 row 1, heads 0 to 63, from slot 5" in text(decode(shared), WORK)


def test_the_picture_has_a_bar_for_each_batch_of_each_core():
    root = Xml.fromstring(svg(decode(table(UNCUT)), WORK, "a <b> & c"))
    space = "{http://www.w3.org/2000/svg}"
    bars = [bar for bar in root.iter(f"{space}rect") if len(bar)]
    assert [bar[0].text for bar in bars] == [
        "core 0, batch 0: cost 136", "core 1, batch 0: cost 68", "core 1, batch 2: cost 202",
        "core 2, batch 2: cost 404",
        "core 3, batch 2: cost 202"]
    assert float(bars[3].get("width")) == pytest.approx(2 * float(bars[4].get("width")), abs=0.02)
    assert "a <b> & c" in [label.text for label in root.iter(f"{space}text")]
