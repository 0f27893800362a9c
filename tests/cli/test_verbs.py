"""Do the verbs do what the contract says: fields, exit statuses, nothing but JSON on stdout?

In: the installed command. Out: verdicts on its output. Must never depend on what is in the user's cache.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = "specs/calls/models.yaml"
SMALL = {
    "id": "small", "op": "npu_fused_infer_attention_score_v2", "product": "a2", "edition": "current",
    "args": {"query": {"shape": [1, 2, 5, 64], "dtype": "float16"}, "key": {"shape": [1, 1, 9, 64], "dtype": "float16"},
             "value": {"shape": [1, 1, 9, 64], "dtype": "float16"}, "num_query_heads": 2, "num_key_value_heads": 1,
             "input_layout": "BNSD", "softmax_scale": 0.125, "return_softmax_lse": True},
}


def fiagen(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, from the repository."""
    return subprocess.run([sys.executable, "-c", "from fiagen.cli.main import script; script()", *arguments], cwd=ROOT,
                          capture_output=True, text=True, env={**os.environ, **environment}, timeout=600)


def objects(run: subprocess.CompletedProcess[str]) -> list[dict]:
    return [json.loads(line) for line in run.stdout.splitlines()]


def write_calls(path: Path, *calls: dict) -> str:
    path.write_text("\n".join(json.dumps(call) for call in calls) + "\n")
    return str(path)


def changed(**args: object) -> dict:
    return {**SMALL, "args": {**SMALL["args"], **args}}


def test_check_accepts_every_model_call() -> None:
    run = fiagen("check", MODELS, "--json")
    found = objects(run)
    assert run.returncode == 0
    assert len(found) >= 14 and {row["verdict"] for row in found} == {"accept"}
    assert set(found[0]) == {"id", "op", "product", "verdict", "violations", "ignored", "advice"}


def test_check_names_rule_and_values_of_an_illegal_call(tmp_path: Path) -> None:
    run = fiagen("check", write_calls(tmp_path / "c.jsonl", changed(num_query_heads=3)), "--json")
    row = objects(run)[0]
    assert run.returncode == 1 and row["verdict"] == "reject"
    first = row["violations"][0]
    assert first["rule"].startswith("V2-GEN-") and "3" in first["given"]
    assert all(first[name] for name in ("rule", "given", "allowed", "why", "fix", "source"))


def test_run_passes_and_saves_what_the_oracle_says(tmp_path: Path) -> None:
    calls = write_calls(tmp_path / "c.jsonl", SMALL)
    run = fiagen("run", calls, "--json", "--save", str(tmp_path / "out.npz"))
    row = objects(run)[0]
    assert run.returncode == 0 and row["status"] == "pass" and row["variant"].startswith("fia_v2_c220_f16_bnsd_nomask_d64")
    assert row["cycles"] > 0 and row["microseconds"] > 0 and row["faults"] == []
    truth = fiagen("oracle", calls, "--json", "--out", str(tmp_path / "truth.npz"))
    assert objects(truth) == [{"id": "small", "outputs": ["attention_out", "softmax_lse"]}]
    out, true = np.load(tmp_path / "out.npz"), np.load(tmp_path / "truth.npz")
    assert np.abs(out["attention_out"].astype(float) - true["attention_out"]).max() < 2e-3
    assert np.abs(out["softmax_lse"] - true["softmax_lse"]).max() < 1e-5


def test_run_takes_arrays_in_place_of_seeded_values(tmp_path: Path) -> None:
    calls = write_calls(tmp_path / "c.jsonl", SMALL)
    ones = np.ones((1, 1, 9, 64), np.float16)
    np.savez(tmp_path / "in.npz", value=ones)
    run = fiagen("run", calls, "--inputs", str(tmp_path / "in.npz"), "--save", str(tmp_path / "out.npz"), "--json")
    assert run.returncode == 0
    assert np.array_equal(np.load(tmp_path / "out.npz")["attention_out"], np.ones((1, 2, 5, 64), np.float16))


def test_run_rejects_before_anything_is_compiled(tmp_path: Path) -> None:
    calls = write_calls(tmp_path / "c.jsonl", changed(num_query_heads=3))
    run = fiagen("run", calls, "--json", XDG_CACHE_HOME=str(tmp_path / "cache"))
    row = objects(run)[0]
    assert run.returncode == 1 and row["status"] == "reject" and row["violations"][0]["rule"].startswith("V2-")
    assert not list((tmp_path / "cache").rglob("*.so"))


def test_run_says_which_feature_no_kernel_has(tmp_path: Path) -> None:
    sink = {"shape": [2], "dtype": "float16"}
    paged = changed(pse_shift={"shape": [1, 2, 5, 16], "dtype": "float16"})
    run = fiagen("run", write_calls(tmp_path / "c.jsonl", paged), "--json")
    row = objects(run)[0]
    assert run.returncode == 1 and row["status"] == "unsupported" and "pse_shift" in row["why"] and sink


def test_verify_gives_the_same_bytes_for_the_same_seed() -> None:
    first, second = (objects(fiagen("verify", "--variant", "*f16_bnsd_nomask_d64_*", "--cases", "3", "--seed", "7", "--json",
                                    "-j", jobs)) for jobs in ("1", "2"))
    without = [[{k: v for k, v in row.items() if k != "seconds"} for row in rows] for rows in (first, second)]
    assert without[0] == without[1] and len(first) == 4
    assert {row["passed"] for row in first} == {3} and {row["faults"] for row in first} == {0}
    other = objects(fiagen("verify", "--variant", first[0]["variant"], "--cases", "3", "--seed", "8", "--json"))
    assert other[0]["output_sha256"] != first[0]["output_sha256"]


def test_shards_cut_the_variants_into_equal_parts() -> None:
    whole = {row["variant"] for row in objects(fiagen("list", "variants", "--where", "mask == 'band'", "--json"))}
    parts = [{row["variant"] for row in objects(fiagen("verify", "--where", "mask == 'band'", "--cases", "1", "--shard",
                                                       f"{i}/3", "--json"))} for i in (1, 2, 3)]
    assert set.union(*parts) == whole and sum(map(len, parts)) == len(whole)


@pytest.mark.parametrize("kind", ["ops", "products", "variants", "rules"])
def test_list_prints_one_object_each(kind: str) -> None:
    run = fiagen("list", kind, "--json")
    assert run.returncode == 0 and len(objects(run)) >= 1


def test_where_finds_variants_by_what_they_serve() -> None:
    names = [row["variant"] for row in objects(fiagen("list", "variants", "--where", 'layout == "BSH" and not pa', "--json"))]
    assert names and all("_bsnd_" in name for name in names)


def test_build_writes_once_and_compares(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    first = objects(fiagen("build", "--out", out, "--variant", "*bf16_tnd*", "--json"))[0]
    again = objects(fiagen("build", "--out", out, "--variant", "*bf16_tnd*", "--json"))[0]
    assert first["written"] == first["files"] > 10 and again["written"] == 0 and again["unchanged"] == first["files"]
    fewer = objects(fiagen("build", "--out", out, "--variant", "*bf16_tnd_band*", "--json"))[0]
    assert fewer["removed"] > 0 and fewer["files"] + fewer["removed"] == first["files"]
    assert fiagen("build", "--out", out, "--variant", "*bf16_tnd_band*", "--check").returncode == 0
    victim = next(Path(out).rglob("*.cpp"))
    victim.write_text(victim.read_text() + "// edited\n")
    check = fiagen("build", "--out", out, "--variant", "*bf16_tnd_band*", "--check", "--json")
    assert check.returncode == 1 and [f["rule"] for f in objects(check)[0]["findings"]] == ["drift.changed"]


def test_generated_gallery_is_what_the_specs_say() -> None:
    run = fiagen("build", "--check")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("subject", ["V2-SEQ-14", "actual_seq_kvlen", "actualSeqLengthsKvOptional", "161002", "sim.race", "a3",
                                     "fia_v2_c220_bf16_tnd_causal_d128_prefill", "npu_fused_infer_attention_score_v2"])
def test_explain_knows(subject: str) -> None:
    run = fiagen("explain", subject)
    assert run.returncode == 0 and len(run.stdout.splitlines()) >= 3


def test_oracle_of_a_task_table_knows_the_chip(tmp_path: Path) -> None:
    args = {"num_heads_q": 64, "num_heads_kv": 1, "head_dim": 512, "cu_seqlens_q": list(range(0, 97, 8)), "layout_q": "TND",
            "seqused_kv": [9000] * 12, "has_cmp_kv": False}
    calls = [{"id": chip, "op": "npu_sparse_attn_sharedkv_metadata", "product": f"a3:{chip}", "args": args} for chip in
             ("9391", "9372")]
    run = fiagen("oracle", write_calls(tmp_path / "c.jsonl", *calls), "--out", str(tmp_path / "o.npz"), "--json")
    assert run.returncode == 0 and [row["outputs"] for row in objects(run)] == [["metadata"]] * 2
    tables = np.load(tmp_path / "o.npz")
    assert tables["9391/metadata"][:288:8].sum() == 24 and tables["9372/metadata"][:288:8].sum() == 20
    assert tables["9372/metadata"][160:].sum() == 0 and tables["9372/metadata"].shape == (1024,)
