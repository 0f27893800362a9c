"""Does every refusing rule of the sparse attention operators refuse one call alone, pass its neighbour, and say why?

In: pairs of calls that differ in one argument. Out: verdicts on rule ids and on whole messages. Must never leave a
refusing rule without a pair.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import fiagen
from fiagen.check import check_call, output_specs
from fiagen.load.calls import read_call
from fiagen.load.catalogue import load_catalogue

TABLE_OP, USE_OP = "npu_sparse_attn_sharedkv_metadata", "npu_sparse_attn_sharedkv"
MESSAGES = Path(__file__).resolve().parent / "rules"


def tensor(*shape, dtype="int32", **more):
    return {"shape": list(shape), "dtype": dtype, **more}


def half(*shape, dtype="bfloat16"):
    return tensor(*shape, dtype=dtype)


PACKED = {"num_heads_q": 64, "num_heads_kv": 1, "head_dim": 512, "cu_seqlens_q": [0, 3, 3, 7],
          "seqused_kv": [9, 0, 700], "layout_q": "TND", "cmp_ratio": 4, "cmp_topk": 512}
PADDED = {"num_heads_q": 64, "num_heads_kv": 1, "head_dim": 512, "seqused_kv": [9, 0, 700], "batch_size": 3,
          "max_seqlen_q": 2, "cmp_ratio": 128}
KEYS_PACKED = {**PACKED, "layout_kv": "TND", "cu_seqlens_ori_kv": [0, 9, 9, 709], "cu_seqlens_cmp_kv": [0, 2, 2, 177]}
KEYS_PADDED = {**PADDED, "layout_kv": "BSND", "max_seqlen_kv": 700}
S1_LIMIT = 4294967295 // 64
PAPER, FORK, UPSTREAM = ("seed", "document"), ("seed", "host"), ("current", "host")

SWA = {"q": half(7, 64, 512), "ori_kv": half(9, 128, 1, 512), "ori_block_table": tensor(3, 6), "layout_q": "TND",
       "cu_seqlens_q": [0, 3, 3, 7], "seqused_kv": [9, 0, 700], "sinks": tensor(64, dtype="float32"),
       "metadata": tensor(1024), "softmax_scale": 0.044}
CFA = {**SWA, "cmp_kv": half(5, 128, 1, 512), "cmp_block_table": tensor(3, 2), "cmp_ratio": 4}
SCFA = {**CFA, "cmp_sparse_indices": tensor(7, 1, 512)}
BSND = {**{k: v for k, v in SWA.items() if k != "cu_seqlens_q"}, "q": half(3, 4, 64, 512), "layout_q": "BSND"}

# rule, base, what breaks it, what its legal neighbour has instead, edition, authority
TWINS = {
    TABLE_OP: [
        ("SASM-GEN-02", KEYS_PADDED, {"seqused_kv": [], "layout_kv": "PA_ND"}, {"layout_kv": "PA_ND"}, *PAPER),
        ("SASM-GEN-03", PACKED, {"seqused_kv": tensor(3, dtype="int64")}, {"seqused_kv": tensor(3)}, *PAPER),
        ("SASM-GEN-03", PACKED, {"seqused_kv": tensor(3, 1)}, {"seqused_kv": tensor(3, strides=[2])}, *UPSTREAM),
        ("SASM-GEN-04", PACKED, {"metadata": tensor(1000)}, {"metadata": tensor(1024)}, *PAPER),
        ("SASM-GEN-05", PACKED, {"num_heads_kv": 2}, {"num_heads_kv": 1}, *PAPER),
        ("SASM-GEN-06", PACKED, {"num_heads_q": 16}, {"num_heads_q": 64}, *PAPER),
        ("SASM-GEN-06", PACKED, {"num_heads_q": 14}, {"num_heads_q": 16}, *FORK),
        ("SASM-GEN-07", KEYS_PADDED, {"num_heads_q": 16}, {"num_heads_q": 32}, *FORK),
        ("SASM-GEN-08", PACKED, {"head_dim": 576}, {"head_dim": 512}, *PAPER),
        ("SASM-GEN-09", PACKED, {"batch_size": -1}, {"batch_size": 0}, *PAPER),
        ("SASM-GEN-09", PADDED, {"max_seqlen_q": -1}, {"max_seqlen_q": 0}, *UPSTREAM),
        ("SASM-GEN-10", PADDED, {"layout_q": "BNSD"}, {"layout_q": "BSND"}, *PAPER),
        ("SASM-GEN-11", KEYS_PACKED, {}, {"layout_kv": "PA_ND"}, *PAPER),
        ("SASM-GEN-11", KEYS_PACKED, {"layout_kv": "PA_NZ"}, {}, *FORK),
        ("SASM-GEN-12", KEYS_PACKED, {"layout_kv": "BSND"}, {"layout_kv": "TND"}, *FORK),
        ("SASM-GEN-13", PACKED, {"cu_seqlens_q": None}, {"cu_seqlens_q": tensor(4)}, *PAPER),
        ("SASM-GEN-14", PACKED, {"seqused_kv": tensor(0)}, {"seqused_kv": tensor(3)}, *PAPER),
        ("SASM-GEN-15", KEYS_PACKED, {"cu_seqlens_cmp_kv": None}, {"cu_seqlens_cmp_kv": None, "has_cmp_kv": False},
         *UPSTREAM),
        ("SASM-GEN-16", PACKED, {"cu_seqlens_q": [0, 3, 2, 7]}, {"cu_seqlens_q": [0, 3, 3, 7]}, *PAPER),
        ("SASM-GEN-16", PACKED, {"cu_seqlens_q": [1, 3, 3, 7]}, {"cu_seqlens_q": tensor(4)}, *PAPER),
        ("SASM-GEN-17", PACKED, {"seqused_kv": [9, -1, 700]}, {"seqused_kv": [9, 1, 700]}, *PAPER),
        ("SASM-GEN-18", PADDED, {"batch_size": 4}, {"batch_size": 3}, *PAPER),
        ("SASM-GEN-18", PACKED, {"seqused_kv": [9, 700]}, {"seqused_kv": [9, 700, 1]}, *UPSTREAM),
        ("SASM-GEN-20", PADDED, {"seqused_q": [1, 2, 2]}, {"seqused_q": []}, *PAPER),
        ("SASM-GEN-21", PACKED, {"ori_mask_mode": 3}, {"ori_mask_mode": 4}, *PAPER),
        ("SASM-GEN-21", PACKED, {"ori_mask_mode": 2}, {"ori_mask_mode": 0}, *FORK),
        ("SASM-GEN-22", PACKED, {"cmp_mask_mode": 0}, {"cmp_mask_mode": 3}, *PAPER),
        ("SASM-GEN-23", PACKED, {"ori_win_left": 128}, {"ori_win_left": 127}, *PAPER),
        ("SASM-GEN-23", PACKED, {"ori_win_left": -1}, {"ori_win_left": 0}, *FORK),
        ("SASM-GEN-23", PACKED, {"ori_win_left": 128}, {"ori_win_left": 127}, *UPSTREAM),
        ("SASM-GEN-24", PACKED, {"ori_win_right": 1}, {"ori_win_right": 0}, *PAPER),
        ("SASM-GEN-24", PACKED, {"ori_win_right": -1}, {"ori_win_right": 5}, *FORK),
        ("SASM-GEN-25", PACKED, {"cmp_ratio": 1}, {"cmp_ratio": 1, "has_cmp_kv": False}, *PAPER),
        ("SASM-GEN-25", PACKED, {"cmp_ratio": None}, {"cmp_ratio": 128}, *PAPER),
        ("SASM-GEN-26", PACKED, {"cmp_topk": 1024}, {"cmp_topk": 0}, *PAPER),
        ("SASM-GEN-26", PACKED, {"cmp_topk": 256}, {"cmp_topk": 1024}, *FORK),
        ("SASM-GEN-28", PACKED, {"ori_topk": 512}, {"ori_topk": 0}, *PAPER),
        ("SASM-GEN-32", PADDED, {"max_seqlen_q": S1_LIMIT + 1}, {"max_seqlen_q": S1_LIMIT}, *PAPER),
    ],
    USE_OP: [
        ("SAS-GEN-01", CFA, {"cmp_kv": half(5, 128, 1, 512, dtype="float16")}, {}, *PAPER),
        ("SAS-GEN-02", SWA, {"q": half(7, 1, 64, 512)}, {"q": half(7, 64, 512)}, *PAPER),
        ("SAS-GEN-02", BSND, {"layout_q": "BNSD"}, {"layout_q": "BSND"}, *PAPER),
        ("SAS-GEN-03", SWA, {"ori_kv": half(9, 128, 1, 576)}, {"ori_kv": half(9, 128, 1, 512)}, *PAPER),
        ("SAS-GEN-04", SWA, {"q": half(7, 16, 512), "sinks": tensor(16, dtype="float32")}, {}, *PAPER),
        ("SAS-GEN-04", SWA, {"q": half(7, 14, 512), "sinks": tensor(14, dtype="float32")},
         {"q": half(7, 16, 512), "sinks": tensor(16, dtype="float32")}, *FORK),
        ("SAS-GEN-05", SWA, {"ori_kv": half(9, 128, 2, 512)}, {"ori_kv": half(9, 128, 1, 512)}, *PAPER),
        ("SAS-GEN-05", SCFA, {"cmp_sparse_indices": tensor(7, 2, 512)}, {}, *FORK),
        ("SAS-GEN-06", SWA, {"ori_kv": None}, {"ori_kv": half(6, 128, 1, 512)}, *PAPER),
        ("SAS-GEN-07", SWA, {"seqused_kv": None}, {"seqused_kv": tensor(3)}, *PAPER),
        ("SAS-GEN-07", SWA, {"ori_block_table": tensor(3, 5)}, {"ori_block_table": tensor(3, 6)}, *PAPER),
        ("SAS-GEN-07", SWA, {"ori_block_table": tensor(18)}, {"ori_block_table": tensor(3, 5)}, *FORK),
        ("SAS-GEN-08", CFA, {"cmp_block_table": None}, {"cmp_block_table": tensor(3, 2)}, *PAPER),
        ("SAS-GEN-08", CFA, {"cmp_block_table": tensor(3, 1)}, {"cmp_ratio": 128, "cmp_block_table": tensor(3, 1)},
         *PAPER),
        ("SAS-GEN-09", SWA, {"ori_kv": half(90, 24, 1, 512), "ori_block_table": tensor(3, 40)},
         {"ori_kv": half(90, 32, 1, 512), "ori_block_table": tensor(3, 40)}, *PAPER),
        ("SAS-GEN-09", SWA, {"ori_kv": half(9, 1040, 1, 512)}, {"ori_kv": half(9, 1024, 1, 512)}, *FORK),
        ("SAS-GEN-10", SWA, {"cu_seqlens_q": [0, 4, 3, 7]}, {"cu_seqlens_q": [0, 3, 3, 5]}, *PAPER),
        ("SAS-GEN-10", SWA, {"cu_seqlens_q": [0, 3, 3, 8]}, {"cu_seqlens_q": [0, 3, 3, 7]}, *PAPER),
        ("SAS-GEN-10", SWA, {"seqused_q": tensor(3)}, {}, *FORK),
        ("SAS-GEN-10", SWA, {"cu_seqlens_q": [0, 4, 3, 7]}, {"cu_seqlens_q": [0, 3, 3, 2]}, *FORK),
        ("SAS-GEN-11", BSND, {"cu_seqlens_q": [0, 4, 8, 12]}, {"cu_seqlens_q": None}, *PAPER),
        ("SAS-GEN-12", CFA, {"cmp_ratio": 8}, {"cmp_ratio": 4}, *PAPER),
        ("SAS-GEN-12", CFA, {"cmp_ratio": None}, {"cmp_ratio": 128}, *PAPER),
        ("SAS-GEN-13", SCFA, {"cmp_sparse_indices": tensor(7, 1, 1024)}, {}, *PAPER),
        ("SAS-GEN-13", SCFA, {"cmp_sparse_indices": tensor(7, 1, 256)}, {"cmp_sparse_indices": tensor(7, 1, 1024)},
         *UPSTREAM),
        ("SAS-GEN-13", SCFA, {"cmp_kv": None}, {}, *PAPER),
        ("SAS-GEN-14", SWA, {"sinks": None}, {"sinks": tensor(64, dtype="float32")}, *PAPER),
        ("SAS-GEN-15", SWA, {"metadata": tensor(1000)}, {"metadata": tensor(1024)}, *PAPER),
        ("SAS-GEN-16", SWA, {"cmp_mask_mode": 0}, {"cmp_mask_mode": 3}, *PAPER),
        ("SAS-GEN-16", SWA, {"ori_mask_mode": 3}, {"ori_mask_mode": 4}, *FORK),
        ("SAS-GEN-17", SWA, {"ori_win_left": 128}, {"ori_win_left": 127}, *PAPER),
        ("SAS-GEN-17", SWA, {"ori_win_right": -1}, {"ori_win_right": 1}, *FORK),
        ("SAS-GEN-18", SWA, {"layout_kv": "BSND"}, {"layout_kv": "PA_ND"}, *PAPER),
        ("SAS-GEN-19", SWA, {"return_softmax_lse": True}, {"return_softmax_lse": False}, *PAPER),
        ("SAS-GEN-23", SWA, {"cmp_block_table": tensor(3, 0)}, {"cmp_block_table": tensor(3, 1)}, *PAPER),
    ],
}
FLAT = [(op, *twin) for op, twins in TWINS.items() for twin in twins]


def decide(op, args, edition="seed", authority="document", product="a2"):
    raw = {"id": "x", "op": op, "product": product, "args": args, "edition": edition, "authority": authority}
    call, found = read_call(raw, load_catalogue(), "")
    assert call is not None, [d.text() for d in found]
    return check_call(call, load_catalogue(), opinions=False)


@pytest.mark.parametrize(("op", "rule", "base", "broken", "legal", "edition", "authority"), FLAT)
def test_the_rule_alone_refuses(op, rule, base, broken, legal, edition, authority):
    found = [d.rule for d in decide(op, {**base, **broken}, edition, authority).violations]
    assert found == [rule]
    assert decide(op, {**base, **legal}, edition, authority).violations == ()


@pytest.mark.parametrize("op", [TABLE_OP, USE_OP])
def test_every_refusing_rule_has_a_pair(op):
    refusing = {r.id for r in load_catalogue().operators[op].rules if r.severity == "error" and not r.covered_by}
    assert refusing == {rule for rule, *_ in TWINS[op]}


@pytest.mark.parametrize("op", [TABLE_OP, USE_OP])
def test_every_rule_of_the_sheet_is_there(op):
    prefix, count = ("SASM-GEN", 33) if op == TABLE_OP else ("SAS-GEN", 23)
    rules = load_catalogue().operators[op].rules_by_id
    assert {f"{prefix}-{number:02d}" for number in range(1, count + 1)} <= set(rules)
    assert all(rule.because and rule.source and rule.summary for rule in rules.values())


@pytest.mark.parametrize("op", [TABLE_OP, USE_OP])
def test_whole_messages(op):
    said = "\n\n".join(decide(op, {**base, **broken}, edition, authority).violations[0].text()
                       for _, base, broken, _, edition, authority in TWINS[op])
    assert said == (MESSAGES / f"{op}.errors").read_text(encoding="utf-8").rstrip("\n")


LEGAL = {TABLE_OP: [PACKED, PADDED], USE_OP: [SWA, CFA, SCFA, BSND]}


@pytest.mark.parametrize("product", ["a2", "a3:9372"])
@pytest.mark.parametrize("edition", ["seed", "current"])
@pytest.mark.parametrize("authority", ["document", "host"])
@pytest.mark.parametrize("op", [TABLE_OP, USE_OP])
def test_legal_everywhere(op, authority, edition, product):
    for args in LEGAL[op]:
        assert decide(op, args, edition, authority, product).violations == ()


def wild(random, parameter):
    """A value for a parameter that need not fit anything."""
    if parameter.type == "tensor":
        if parameter.listed and random.random() < 0.5:
            return [random.choice([0, 1, 5, -1, 2**31 - 1, -(2**31)]) for _ in range(random.randint(0, 4))]
        shape = [random.choice([0, 1, 2, 3, 16, 64, 128, 512, 1024]) for _ in range(random.randint(0, 5))]
        return tensor(*shape, dtype=random.choice([*parameter.dtypes, "int8"]))
    numbers = [0, 1, 3, 4, 64, 127, 128, 512, 1024, -1, 2**63 - 1, -(2**63)]
    texts = ["TND", "BSND", "PA_ND", "", "nonsense"]
    kinds = {"int": numbers, "str": texts, "bool": [True, False], "float": [0.0, 1.0, float("nan"), float("inf")]}
    return random.choice(kinds[parameter.type])


@pytest.mark.parametrize("op", [TABLE_OP, USE_OP])
def test_every_call_gets_an_answer(op):
    random = Random(4)
    parameters = load_catalogue().operators[op].parameters
    seen, verdicts = set(), []
    for _ in range(1500):
        args = dict(random.choice([*LEGAL[op], {k: v for k, v in LEGAL[op][0].items() if parameters[k].required}]))
        for name in random.sample(sorted(parameters), random.randint(0, 5)):
            args[name] = wild(random, parameters[name])
        for authority in ("document", "host"):
            verdict = decide(op, args, random.choice(["seed", "current"]), authority)
            verdicts.append(verdict.accepted)
            seen.update(d.rule for d in verdict.violations)
    assert "spec.unguarded_absent" not in seen
    assert verdicts.count(True) > 50 and verdicts.count(False) > 50
    assert len(seen) > 15


@pytest.mark.parametrize(("base", "change", "ignored"), [
    (PACKED, {"has_cmp_kv": False}, {("cmp_topk", "SASM-GEN-27"), ("cmp_ratio", "SASM-GEN-27")}),
    (PACKED, {"max_seqlen_kv": 8192, "cu_seqlens_ori_kv": [0, 9, 9, 709], "cu_seqlens_cmp_kv": [0, 2, 2, 177]}, {
        ("max_seqlen_kv", "SASM-EFFECT-01"), ("cu_seqlens_ori_kv", "SASM-EFFECT-01"),
        ("cu_seqlens_cmp_kv", "SASM-EFFECT-01")}),
    (PACKED, {"batch_size": 3, "max_seqlen_q": 4}, {
        ("batch_size", "SASM-EFFECT-02"), ("max_seqlen_q", "SASM-EFFECT-02")}),
    (PADDED, {"cu_seqlens_q": [0, 1, 2, 3]}, {("cu_seqlens_q", "SASM-EFFECT-04")}),
    (PADDED, {"has_ori_kv": False, "device": "npu:1"}, {
        ("has_ori_kv", "SASM-EFFECT-03"), ("device", "SASM-EFFECT-03")}),
])
def test_arguments_without_effect_are_named(base, change, ignored):
    verdict = decide(TABLE_OP, {**base, **change})
    assert verdict.accepted and set(verdict.ignored) == ignored


def test_advice_of_the_consumer():
    silent = {k: v for k, v in SWA.items() if k != "softmax_scale"}
    assert [d.rule for d in decide(USE_OP, silent).advice] == ["SAS-GEN-21"]
    verdict = decide(USE_OP, {**BSND, "seqused_q": [1, 2, 3], "cmp_ratio": 4, "ori_sparse_indices": tensor(7, 1, 128)})
    assert [d.rule for d in verdict.advice] == ["SAS-EFFECT-02"]
    assert set(verdict.ignored) == {("ori_sparse_indices", "SAS-EFFECT-01"), ("cmp_ratio", "SAS-EFFECT-03")}


def test_practice_is_named_and_told():
    raw = {"id": "x", "op": TABLE_OP, "product": "a3", "args": {**PACKED, "num_heads_q": 16}, "edition": "current"}
    call, _ = read_call(raw, load_catalogue(), "")
    (advice,) = check_call(call, load_catalogue()).advice
    assert advice.rule == "authority.differs" and "SASM-GEN-06" in advice.why
    assert "legal in practice" in advice.allowed
    for op in (TABLE_OP, USE_OP):
        assert any("practice is the authority host" in text for text in load_catalogue().operators[op].spec.semantics)


def test_a_list_stands_for_its_tensor_and_holds_32_bits():
    for value, said in (([2**31], "32-bit"), ([1.5], "32-bit"), ([[1]], "32-bit")):
        raw = {"id": "x", "op": TABLE_OP, "product": "a2", "args": {**PACKED, "seqused_kv": value}}
        call, found = read_call(raw, load_catalogue(), "")
        assert call is None and [d.rule for d in found] == ["call.wrong_type"] and said in found[0].allowed
    arrays = fiagen.check(TABLE_OP, "a2", **{**PACKED, "cu_seqlens_q": np.array([0, 3, 2, 7], np.int32)})
    assert [d.rule for d in arrays.violations] == ["SASM-GEN-16"]
    assert fiagen.check(TABLE_OP, "a2", **{**PACKED, "cu_seqlens_q": np.array([0, 3, 3, 7], np.int32)}).accepted


def test_outputs():
    catalogue = load_catalogue()
    for op, args, shapes in ((TABLE_OP, PADDED, {"metadata": (1024,)}),
                             (USE_OP, BSND, {"attention_out": (3, 4, 64, 512), "softmax_lse": (0,)}),
                             (USE_OP, {**SWA, "return_softmax_lse": True},
                              {"attention_out": (7, 64, 512), "softmax_lse": (7, 64, 1)})):
        call, _ = read_call({"id": "x", "op": op, "product": "a2", "args": args}, catalogue, "")
        assert {name: spec.shape for name, spec in output_specs(call, catalogue.operators[op]).items()} == shapes
