"""Is bad input met with a message and exit status 2, never a traceback, and nothing half-written?

In: hostile command lines and files. Out: verdicts on status and text. Must never accept a traceback.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_verbs import ROOT, SMALL, fiagen, write_calls

RUN = [sys.executable, "-c", "from fiagen.cli.main import script; script()"]


def refused(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr and "Traceback" not in run.stdout
    for word in words:
        assert word in run.stderr, run.stderr


@pytest.mark.parametrize(("arguments", "words"), [
    (["nonsense"], ["no command", "verify"]),
    (["verify", "--cases", "0"], ["--cases"]),
    (["verify", "--cases", "many"], ["--cases"]),
    (["verify", "--variant", "no_such_*"], ["cli.nothing_selected", "list variants"]),
    (["verify", "--where", "layout == "], ["expr.syntax"]),
    (["verify", "--where", "__import__('os').system('true')"], ["expr.forbidden"]),
    (["verify", "--where", "layuot == 'TND'"], ["expr.unknown_name", "layout"]),
    (["verify", "--where", "head_dim"], ["cli.where_not_a_condition"]),
    (["verify", "--shard", "3/2"], ["cli.bad_shard"]),
    (["verify", "--product", "a9"], ["call.unknown_product", "a2"]),
    (["list", "variants", "--op", "npu_fused"], ["cli.unknown_op", "npu_fused_infer_attention_score_v2"]),
    (["explain", "V2-SEQ-999"], ["cli.unknown_subject", "V2-SEQ-"]),
    (["check", "no/such/file.jsonl"], ["no/such/file.jsonl"]),
    (["check", "specs"], ["specs"]),
    (["check"], ["FILE"]),
])
def test_misuse_is_told(arguments: list[str], words: list[str]) -> None:
    refused(fiagen(*arguments), *words)


@pytest.mark.parametrize(("text", "words"), [
    ("", ["call.nothing"]),
    ("{", ["call.bad_json", ":1"]),
    ("[1]\n", ["call.", ":1"]),
    ('{"op": "x", "op": "y"}\n', ["op"]),
    (json.dumps({**SMALL, "op": "npu_fused_infer_attention_score"}) + "\n",
     ["call.unknown_op", "npu_fused_infer_attention_score_v2"]),
    (json.dumps({**SMALL, "args": {**SMALL["args"], "qeury": 1}}) + "\n", ["call.unknown_parameter", "query"]),
    (json.dumps({**SMALL, "args": {**SMALL["args"], "query": {"shape": [1, -2], "dtype": "float16"}}}) + "\n", ["call."]),
    (json.dumps({**SMALL, "args": {**SMALL["args"], "num_query_heads": "two"}}) + "\n", ["call."]),
    ("\x00\xff\n", ["call."]),
])
def test_a_malformed_call_file_is_told_with_its_place(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(text, encoding="latin-1")
    refused(fiagen("run", str(path)), *words)


def test_a_duplicate_key_in_yaml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calls.yaml"
    path.write_text("- id: a\n  op: x\n  op: y\n")
    refused(fiagen("check", str(path)), "spec.duplicate_key", ":3")


def test_arrays_that_do_not_fit_are_told(tmp_path: Path) -> None:
    (tmp_path / "in.npz").write_bytes(b"no archive")
    refused(fiagen("run", write_calls(tmp_path / "c.jsonl", SMALL), "--inputs", str(tmp_path / "in.npz")), "call.inputs")


def test_without_a_compiler_the_message_says_how_to_get_one(tmp_path: Path) -> None:
    script = ("import sys, importlib.util as u; f = u.find_spec; "
              "u.find_spec = lambda n, *a: None if n.startswith('ziglang') else f(n, *a); "
              "from fiagen.cli.main import script; script()")
    calls = write_calls(tmp_path / "c.jsonl", SMALL)
    run = subprocess.run([sys.executable, "-c", script, "run", calls], cwd=ROOT, capture_output=True, text=True,
                         env={**os.environ, "PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)})
    refused(run, "sim.no_compiler", "pip install ziglang")


def test_an_output_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    refused(fiagen("build", "--out", str(tmp_path / "out" / "below"), "--variant", "*tnd_band_d64*"), "build.cannot_write")
    assert (tmp_path / "out").read_text() == "in the way"


def test_a_full_disk_leaves_no_half_written_file(tmp_path: Path) -> None:
    script = ("import os, errno; import fiagen.emit.writer as w; real = os.replace; n = [0]\n"
              "def full(a, b):\n"
              "    n[0] += 1\n"
              "    if n[0] > 3: raise OSError(errno.ENOSPC, 'No space left on device', str(b))\n"
              "    return real(a, b)\n"
              "w.os.replace = full\n"
              "from fiagen.cli.main import script; script()")
    run = subprocess.run([sys.executable, "-c", script, "build", "--out", str(tmp_path / "out"), "--variant", "*tnd_band*"],
                         cwd=ROOT, capture_output=True, text=True)
    refused(run, "build.cannot_write", "space")
    left = [p for p in (tmp_path / "out").rglob("*") if p.is_file()]
    assert len(left) == 3 and all(not p.name.startswith(".new-") and p.stat().st_size > 100 for p in left)


def test_ctrl_c_ends_quietly_and_soon(tmp_path: Path) -> None:
    process = subprocess.Popen([*RUN, "verify", "--cases", "200", "-j", "2"], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(4)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 2 and "interrupted" in errors and "Traceback" not in errors, errors
    assert time.monotonic() - start < 10


def test_a_reader_that_leaves_early_is_no_error() -> None:
    pipe = subprocess.run(" ".join(f"'{part}'" for part in RUN) + " list rules --json | head -1", shell=True, cwd=ROOT,
                          capture_output=True, text=True)
    assert "Traceback" not in pipe.stderr and pipe.stdout.startswith("{")
