"""Does `fiagen schedule` show, draw and judge tables as the contract says?

In: the command. Out: verdicts on its output. Must never depend on what is in the user's cache.
"""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from test_verbs import SMALL, fiagen, objects, write_calls

import fiagen as package

ARGS = {"num_heads_q": 64, "num_heads_kv": 1, "head_dim": 512, "layout_q": "TND", "cu_seqlens_q": [0, 96, 100, 228],
        "seqused_kv": [96, 5000, 1152], "cmp_ratio": 128}
CALL = {"id": "mixed", "op": "npu_sparse_attn_sharedkv_metadata", "product": "a2", "args": ARGS}


def tensor(*shape: int, dtype: str = "int32", **more: object) -> dict:
    return {"shape": list(shape), "dtype": dtype, **more}


def consumer(words: list[int] | None) -> dict:
    values = {} if words is None else {"values": words}
    half = {"dtype": "bfloat16"}
    return {"id": "use", "op": "npu_sparse_attn_sharedkv", "product": "a2", "args": {
        "q": tensor(228, 64, 512, **half), "ori_kv": tensor(60, 128, 1, 512, **half), "layout_q": "TND",
        "ori_block_table": tensor(3, 40), "cmp_kv": tensor(3, 128, 1, 512, **half), "cmp_block_table": tensor(3, 1),
        "cmp_ratio": 128, "cu_seqlens_q": ARGS["cu_seqlens_q"], "seqused_kv": ARGS["seqused_kv"],
        "sinks": tensor(64, dtype="float32"), "metadata": tensor(1024, **values), "softmax_scale": 0.04}}


@pytest.fixture
def words() -> list[int]:
    return package.oracle(CALL["op"], **ARGS)["metadata"].tolist()


def test_intervals_bars_and_balance(tmp_path: Path) -> None:
    run = fiagen("schedule", write_calls(tmp_path / "c.jsonl", CALL), "--svg", str(tmp_path / "o.svg"))
    lines = run.stdout.splitlines()
    assert run.returncode == 0
    assert lines[0] == "mixed: 3 batches, 228 rows, 24 cube cores; window and compressed keys"
    assert lines[8].split()[:9] == ["6", "batch", "0", "row", "93", "batch", "2", "row", "1"] and "522" in lines[8]
    assert lines[-1] == "every row once" and "busiest core" in lines[-2]
    assert Xml.parse(tmp_path / "o.svg").getroot().tag.endswith("svg")


def test_json_has_every_core_and_the_balance(tmp_path: Path) -> None:
    run = fiagen("schedule", write_calls(tmp_path / "c.jsonl", CALL), "--json", "--cores", "20")
    (row,) = objects(run)
    assert run.returncode == 0 and row["findings"] == [] and row["total"] == 13880 and len(row["cores"]) == 20
    assert sum(core["cost"] for core in row["cores"]) == 13880 and row["lower_bound"] == 694
    assert row["cores"][0]["start"] == [0, 0, 0] and row["cores"][-1]["end"] == [3, 0, 0]


@pytest.mark.parametrize("form", ["npz", "npy", "txt", "json"])
def test_a_table_given_as_numbers_is_judged(tmp_path: Path, form: str, words: list[int]) -> None:
    call, path = write_calls(tmp_path / "c.jsonl", CALL), tmp_path / f"t.{form}"

    def write(numbers: list[int]) -> None:
        if form == "npz":
            np.savez(path, metadata=np.array(numbers, np.int32))
        elif form == "npy":
            np.save(path, np.array(numbers, np.int32))
        else:
            path.write_text(json.dumps(numbers) if form == "json" else " ".join(map(str, numbers)))

    write(words)
    good = fiagen("schedule", call, "--table", str(path))
    assert good.returncode == 0 and good.stdout.endswith("every row once, by the table as given\n")
    write([*words[:52], 5, *words[53:]])
    bad = fiagen("schedule", call, "--table", str(path), "--json")
    assert bad.returncode == 1
    assert [d["rule"] for d in objects(bad)[0]["findings"]] == ["schedule.out_of_range", "schedule.gap"]


def test_the_table_of_a_consumer_call_is_judged(tmp_path: Path, words: list[int]) -> None:
    own = fiagen("schedule", write_calls(tmp_path / "c.jsonl", consumer(None)))
    assert own.returncode == 0 and own.stdout.splitlines()[-1] == "every row once"
    assert own.stdout.splitlines()[1:-1] == fiagen(
        "schedule", write_calls(tmp_path / "m.jsonl", CALL)).stdout.splitlines()[1:-1]
    given = fiagen("schedule", write_calls(tmp_path / "c.jsonl", consumer(words)))
    assert given.returncode == 0 and given.stdout.splitlines()[-1] == "every row once, by the table as given"
    stale = fiagen("schedule", write_calls(tmp_path / "c.jsonl", consumer([*words[:188], 4, *words[189:]])))
    assert stale.returncode == 1 and "schedule.out_of_range" in stale.stdout
    assert "core 23: end = (4, 0, 0)" in stale.stdout


def test_a_refused_call_has_no_table(tmp_path: Path) -> None:
    wrong = {**CALL, "args": {**ARGS, "cu_seqlens_q": [0, 96, 16, 17]}}
    run = fiagen("schedule", write_calls(tmp_path / "c.jsonl", wrong))
    assert run.returncode == 1 and "SASM-GEN-16" in run.stderr and run.stdout == ""


@pytest.mark.parametrize(("more", "rule"), [
    ((), "schedule.no_table"), (("--table", "missing.txt"), "schedule.unreadable"),
    (("--table", "missing.npz"), "schedule.unreadable"),
])
def test_misuse(tmp_path: Path, more: tuple[str, ...], rule: str) -> None:
    call = write_calls(tmp_path / "c.jsonl", SMALL if rule == "schedule.no_table" else CALL)
    run = fiagen("schedule", call, *more)
    assert run.returncode == 2 and rule in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize(("text", "rule"), [("1 2 3", "schedule.size"), ("0.5 " * 1024, "schedule.unreadable"),
                                            ("nonsense", "schedule.unreadable"), ("", "schedule.size")])
def test_what_is_no_table_is_said(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    run = fiagen("schedule", write_calls(tmp_path / "c.jsonl", CALL), "--table", str(tmp_path / "t.txt"))
    assert run.returncode == 2 and rule in run.stderr


def test_one_table_for_one_call(tmp_path: Path) -> None:
    two = write_calls(tmp_path / "c.jsonl", CALL, {**CALL, "id": "other"})
    assert fiagen("schedule", two).stdout.count("every row once") == 2
    run = fiagen("schedule", two, "--svg", str(tmp_path / "o.svg"))
    assert run.returncode == 2 and "schedule.one_call" in run.stderr and not (tmp_path / "o.svg").exists()


def test_lengths_on_the_device_are_asked_for(tmp_path: Path) -> None:
    unknown = consumer(None)
    unknown["args"]["seqused_kv"] = tensor(3)
    run = fiagen("schedule", write_calls(tmp_path / "c.jsonl", unknown))
    assert run.returncode == 2 and "schedule.lengths" in run.stderr and "seqused_kv" in run.stderr
