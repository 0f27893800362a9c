"""Does the checker decide calls as the documents do, and say why?"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import fiagen
from fiagen.check import check_call, output_specs
from fiagen.check.consistency import check_specs
from fiagen.diagnostics import DiagnosticError
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_dtypes, load_error_codes
from fiagen.model.call import Call, TensorArg

OP = "npu_fused_infer_attention_score_v2"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
# Recorded with table and cache shapes that are not those of the call that ran; no rule explains their verdict.
UNEXPLAINED = {"st_v4_31", "st_v4_32", "st_v4_38", "st_v4_70"}


def tensor(*shape, dtype="bfloat16", **more):
    return TensorArg(shape, dtype, **more)


PATTERN = tensor(2048, 2048, dtype="bool")
PREFILL = {"query": tensor(2, 8, 16, 128), "key": tensor(2, 2, 40, 128), "value": tensor(2, 2, 40, 128),
           "input_layout": "BNSD", "num_query_heads": 8, "num_key_value_heads": 2, "softmax_scale": 0.08}
DECODE = {**PREFILL, "query": tensor(2, 8, 1, 128)}
PACKED = {"query": tensor(20, 8, 128), "key": tensor(60, 2, 128), "value": tensor(60, 2, 128), "input_layout": "TND",
          "num_query_heads": 8, "num_key_value_heads": 2, "actual_seq_qlen": (10, 20), "actual_seq_kvlen": (30, 60),
          "softmax_scale": 0.08}
PAGED = {**DECODE, "key": tensor(9, 128, 256), "value": tensor(9, 128, 256), "block_size": 128,
         "block_table": tensor(2, 4, dtype="int32"), "actual_seq_kvlen": (300, 17)}
MLA = {
    "query": tensor(2, 1, 16, 512),
    "key": tensor(9, 128, 512),
    "value": tensor(9, 128, 512),
    "input_layout": "BSND",
    "query_rope": tensor(2, 1, 16, 64),
    "key_rope": tensor(9, 128, 64),
    "num_query_heads": 16,
    "num_key_value_heads": 1,
    "block_size": 128,
    "block_table": tensor(2, 4, dtype="int32"),
    "actual_seq_kvlen": (300, 17),
    "softmax_scale": 0.07,
}


def decide(args, edition="seed", authority="document", **more):
    return check_call(Call("x", OP, "a2", args, edition, authority, **more), load_catalogue())


def rules(args, edition="seed", authority="document", **more):
    return [d.rule for d in decide(args, edition, authority, **more).violations]


@pytest.mark.parametrize("edition", ["seed", "current"])
@pytest.mark.parametrize("args", [PREFILL, DECODE, PACKED, PAGED, MLA])
def test_legal(args, edition):
    assert rules(args, edition) == []


@pytest.mark.parametrize(("base", "change", "edition", "broken"), [
    (PREFILL, {"input_layout": "BNDS"}, "seed", ["V2-GEN-15"]),
    (PREFILL, {"num_query_heads": 0}, "seed", ["V2-GEN-08"]),
    (PREFILL, {"num_query_heads": 4}, "seed", ["V2-GEN-09"]),
    (PREFILL, {"num_key_value_heads": 3}, "seed", ["V2-GEN-11"]),
    (PREFILL, {"num_key_value_heads": 4}, "seed", ["V2-GEN-13"]),
    (PREFILL, {"num_key_value_heads": -2}, "seed", ["V2-GEN-11"]),
    (PREFILL, {"query": tensor(2, 8, 128)}, "seed", ["V2-GEN-16", "V2-GEN-17"]),
    (PREFILL, {"query": tensor(3, 8, 16, 128)}, "seed", ["V2-GEN-52"]),
    (PREFILL, {"query": tensor(2, 8, 16, 64)}, "seed", ["V2-GEN-43", "V2-GEN-44"]),
    (PREFILL, {"query": tensor(2, 8, 16, 128, dtype="float16")}, "seed", ["V2-GEN-53"]),
    (PREFILL, {"query": tensor(2, 8, 16, 128, dtype="float32")}, "seed", ["V2-GEN-03", "V2-GEN-53"]),
    (PREFILL, {"value": tensor(2, 2, 41, 128)}, "seed", ["V2-GEN-06"]),
    (PREFILL, {"key": tensor(2, 2, 40, 128, strides=(1, 1, 1, 1))}, "seed", ["V2-GEN-01"]),
    (PREFILL, {"sparse_mode": 5}, "seed", ["V2-GEN-30", "V2-GEN-29"][:1]),
    (PREFILL, {"sparse_mode": 10}, "seed", ["V2-GEN-29"]),
    (PREFILL, {"inner_precise": 4}, "seed", ["V2-GEN-31"]),
    (DECODE, {"inner_precise": 2}, "seed", ["V2-GEN-32"]),
    (PREFILL, {"softmax_scale": float("nan")}, "seed", ["V2-GEN-38"]),
    (PREFILL, {"sparse_mode": 3}, "seed", ["V2-MASK-03"]),
    (PREFILL, {"sparse_mode": 3, "atten_mask": tensor(16, 40, dtype="bool")}, "seed", ["V2-MASK-11"]),
    (PREFILL, {"sparse_mode": 3, "atten_mask": tensor(2048, 2048, dtype="float16")}, "seed", ["V2-MASK-01"]),
    (PREFILL, {"atten_mask": tensor(15, 40, dtype="bool")}, "seed", ["V2-MASK-10"]),
    (PREFILL, {"atten_mask": tensor(3, 16, 40, dtype="bool")}, "seed", ["V2-MASK-05"]),
    (PREFILL, {"atten_mask": tensor(2, 8, 16, 40, dtype="bool")}, "seed", ["V2-MASK-20"]),
    (PREFILL, {"sparse_mode": 4, "atten_mask": PATTERN, "pre_tokens": -5, "next_tokens": 2}, "seed", ["V2-MASK-15"]),
    (PREFILL, {"actual_seq_kvlen": (40, 41)}, "seed", ["V2-SEQ-04"]),
    (PREFILL, {"actual_seq_qlen": (-1,)}, "seed", ["V2-SEQ-03"]),
    (PREFILL, {"actual_seq_kvlen": ()}, "seed", ["V2-SEQ-02"]),
    (PACKED, {"actual_seq_qlen": None}, "seed", ["V2-SEQ-06"]),
    (PACKED, {"actual_seq_kvlen": None}, "seed", ["V2-SEQ-07"]),
    (PACKED, {"actual_seq_qlen": (10, 19)}, "seed", ["V2-SEQ-14"]),
    (PACKED, {"actual_seq_qlen": (21, 20)}, "seed", ["V2-SEQ-09"]),
    (PACKED, {"actual_seq_kvlen": (60,)}, "seed", ["V2-SEQ-13"]),
    (PACKED, {"sparse_mode": 2, "atten_mask": PATTERN}, "seed", ["V2-TND-02"]),
    (PACKED, {"sparse_mode": 3, "atten_mask": PATTERN, "actual_seq_kvlen": (10, 60)}, "seed", ["V2-TND-27"]),
    (PACKED, {"sparse_mode": 3, "atten_mask": PATTERN, "actual_seq_kvlen": (10, 60)}, "current", []),
    (PACKED, {"pse_shift": tensor(1, 8, 10, 30)}, "seed", ["V2-PSE-12"]),
    (PREFILL, {"pse_shift": tensor(1, 8, 16, 40, dtype="float32")}, "seed", ["V2-PSE-01"]),
    (PREFILL, {"pse_shift": tensor(1, 8, 16, 40, dtype="float16")}, "seed", ["V2-PSE-01"]),
    (PREFILL, {"pse_shift": tensor(1, 8, 16, 39)}, "seed", ["V2-PSE-04"]),
    (PREFILL, {"pse_shift": tensor(1, 1, 16, 40)}, "seed", ["V2-PSE-16"]),
    (PAGED, {"block_size": 64}, "seed", ["V2-PA-36", "V2-PA-04"]),
    (PAGED, {"block_table": tensor(2, 2, dtype="int32")}, "seed", ["V2-PA-04"]),
    (PAGED, {"block_table": tensor(3, 4, dtype="int32")}, "seed", ["V2-PA-03"]),
    (PAGED, {"actual_seq_kvlen": None}, "seed", ["V2-SEQ-16"]),
    (PAGED, {"actual_seq_kvlen": (300, -1)}, "seed", ["V2-SEQ-20"]),
    (MLA, {"return_softmax_lse": True}, "seed", ["V2-MLA512-20"]),
    (MLA, {"return_softmax_lse": True}, "current", []),
    (MLA, {"key_rope": None}, "seed", ["V2-MLA-01"]),
    (MLA, {"query_rope": tensor(2, 1, 16, 32)}, "seed", ["V2-MLA-05"]),
    (MLA, {"num_key_value_heads": 2}, "seed", ["V2-GEN-43", "V2-GEN-45", "V2-MLA-06", "V2-MLA512-05"]),
])
def test_broken_rules(base, change, edition, broken):
    assert rules({**base, **change}, edition) == broken


def test_tnd_below_512_is_bfloat16_in_the_seed_edition_only():
    half = {
        name: tensor(*value.shape, dtype="float16") if isinstance(value, TensorArg) else value
        for name, value in PACKED.items()
    }
    assert rules(half, "seed") == ["V2-TND-23"]
    assert rules(half, "current") == []


def test_violations_of_several_stages_come_cause_first():
    found = rules({**PREFILL, "query": tensor(3, 8, 16, 128), "inner_precise": 7, "sparse_mode": 3})
    assert found == ["V2-GEN-52", "V2-GEN-31", "V2-MASK-03"]


def test_a_violation_shows_what_was_given():
    (violation,) = decide({**PREFILL, "actual_seq_kvlen": (40, 41)}).violations
    assert violation.given == "actual_seq_kvlen = (40, 41), B = 2, KV_AXIS = 40"
    assert violation.json().keys() >= {"rule", "given", "allowed", "why", "fix", "source"}


def test_empty_calls_skip_the_checks_after_the_form():
    empty = {**PREFILL, "query": tensor(2, 8, 0, 128), "sparse_mode": 3}
    assert rules(empty) == []
    assert rules({**empty, "num_query_heads": 3}) == ["V2-GEN-11", "V2-GEN-09"]
    assert rules({**PREFILL, "key": tensor(2, 2, 0, 128), "value": tensor(2, 2, 0, 128), "inner_precise": 9}) == []
    assert rules({**PACKED, "query": tensor(0, 8, 128)}) == ["V2-TND-36"]
    assert rules({**PACKED, "query": tensor(0, 8, 128)}, "current") == []


def test_arguments_without_effect_are_named():
    verdict = decide({**DECODE, "sparse_mode": 3, "atten_mask": PATTERN, "pre_tokens": 7, "actual_seq_qlen": (1, 1),
                      "key_dtype": 5})
    assert verdict.accepted
    assert set(verdict.ignored) == {
        ("pre_tokens", "V2-GEN-35"),
        ("sparse_mode", "V2-GEN-36"),
        ("actual_seq_qlen", "V2-GEN-37"),
        ("key_dtype", "V2-GEN-27"),
    }
    assert decide(DECODE).ignored == ()


def test_advice_says_when_the_other_edition_or_authority_decides_otherwise():
    late = decide({**MLA, "return_softmax_lse": True})
    assert [d.rule for d in late.advice] == ["edition.differs", "authority.differs"]
    assert "V2-MLA512-20" in late.advice[0].why
    assert "legal in practice and outside the documented contract" in late.advice[1].allowed
    assert [d.rule for d in decide(PREFILL).advice] == []


def test_recommendations_do_not_reject():
    verdict = decide({**PREFILL, "atten_mask": tensor(16, 40, dtype="bool")})
    assert verdict.accepted
    assert [d.rule for d in verdict.advice] == ["V2-GEN-34"]


def test_supplied_outputs_are_compared():
    wrong = {"attention_out": TensorArg((2, 8, 16, 64), "bfloat16")}
    right = {"attention_out": TensorArg((2, 8, 16, 128), "bfloat16")}
    assert rules(PREFILL, outputs=wrong) == ["V2-GEN-56"]
    assert rules(PREFILL, outputs=right) == []
    lse = {"softmax_lse": TensorArg((2, 8, 16), "float32")}
    assert rules({**PREFILL, "return_softmax_lse": True}, outputs=lse) == ["V2-LSE-08"]
    assert rules(PREFILL, outputs=lse) == []


@pytest.mark.parametrize(("base", "change", "out", "lse"), [
    (PREFILL, {}, (2, 8, 16, 128), (2, 8, 16, 1)),
    (PREFILL, {"input_layout": "BNSD_BSND"}, (2, 16, 8, 128), (2, 8, 16, 1)),
    (PACKED, {}, (20, 8, 128), (20, 8, 1)),
    (MLA, {"input_layout": "BSND_NBSD"}, (16, 2, 1, 512), (2, 16, 1, 1)),
    (PAGED, {}, (2, 8, 1, 128), (2, 8, 1, 1)),
])
def test_outputs(base, change, out, lse):
    operator = load_catalogue().operators[OP]
    on = output_specs(Call("x", OP, "a2", {**base, **change, "return_softmax_lse": True}), operator)
    assert (on["attention_out"].shape, on["attention_out"].dtype) == (out, "bfloat16")
    assert (on["softmax_lse"].shape, on["softmax_lse"].dtype) == (lse, "float32")
    assert output_specs(Call("x", OP, "a2", {**base, **change}), operator)["softmax_lse"].shape == (0,)


def test_outputs_of_a_call_without_form_are_a_finding():
    with pytest.raises(DiagnosticError) as caught:
        output_specs(Call("x", OP, "a2", {**PREFILL, "query": tensor(2)}), load_catalogue().operators[OP])
    assert [d.rule for d in caught.value.diagnostics] == ["call.no_outputs"]


@pytest.mark.parametrize("change", [{"op": "x"}, {"edition": "newest"}, {"authority": "me"}])
def test_unknown_words_are_findings(change):
    call = Call(**{"id": "x", "op": OP, "product": "a2", "args": PREFILL, **change})
    with pytest.raises(DiagnosticError, match="call.unknown_" + next(iter(change))):
        check_call(call, load_catalogue())


def test_public_check_takes_arrays_and_specs():
    query = np.zeros((2, 8, 16, 128), ml_dtypes.bfloat16)
    key = fiagen.TensorSpec((2, 8, 40, 128), "bfloat16")
    more = {"num_query_heads": 8, "input_layout": "BNSD", "actual_seq_kvlen": np.array([3, 40])}
    assert fiagen.check(OP, "a2", query=query, key=key, value=key, **more).accepted
    transposed = np.zeros((2, 16, 8, 128), ml_dtypes.bfloat16).transpose(0, 2, 1, 3)
    verdict = fiagen.check(OP, "a2", query=transposed, key=key, value=key, **more)
    assert [d.rule for d in verdict.violations] == ["V2-GEN-01"]
    with pytest.raises(DiagnosticError, match="Did you mean 'query'"):
        fiagen.check(OP, "a2", qeury=query, key=key, value=key)


def test_the_specs_agree_with_themselves():
    catalogue = load_catalogue()
    assert list(check_specs(catalogue.operators.values(), load_dtypes(), load_error_codes())) == []
    assert len(catalogue.operators[OP].rules) > 400


def test_host_and_document_rules_differ():
    args = {**PREFILL, "query": tensor(2, 8, 1, 128), "input_layout": "BNSD_BSND"}
    assert rules(args) == ["V2-GEN-19"]
    assert rules(args, authority="host") == []


SHARED_FILES = sorted(SHARED.glob("*.jsonl"))


@pytest.mark.parametrize("path", SHARED_FILES, ids=lambda p: p.name)
def test_recorded_verdicts(path, tmp_path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if json.loads(line)["op"] == OP]
    if not lines:
        assert "v5" in path.name, f"{path.name} has no call of {OP}"
        return
    mine = tmp_path / path.name
    mine.write_text("\n".join(lines) + "\n", encoding="utf-8")
    catalogue = load_catalogue()
    calls = load_calls(mine, catalogue)
    wrong = {call.id for call in calls if check_call(call, catalogue).verdict != call.expect}
    assert wrong == UNEXPLAINED.intersection(call.id for call in calls)


def test_slice_is_legal_in_the_seed_edition():
    for dtype, head_dim, lse, mode in itertools.product(
        ["float16", "bfloat16"], [64, 128], [False, True], [0, 2, 3, 4]
    ):
        shape = (2, 8, 16, head_dim)
        args = {
            "query": tensor(*shape, dtype=dtype),
            "key": tensor(*shape, dtype=dtype),
            "value": tensor(*shape, dtype=dtype),
            "input_layout": "BNSD",
            "num_query_heads": 8,
            "sparse_mode": mode,
            "return_softmax_lse": lse,
            "pre_tokens": 5,
        }
        if mode:
            args["atten_mask"] = PATTERN
        assert rules(args) == []
