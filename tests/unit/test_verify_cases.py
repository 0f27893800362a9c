"""Are random cases the same everywhere, cheap enough, and as mixed as they claim to be?"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from fiagen.model.call import Call
from fiagen.oracle import run_oracle
from fiagen.verify.cases import DECODE_KINDS, LARGE_WORK, PREFILL_KINDS, RATIOS, generate_case
from fiagen.verify.inputs import materialise

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

SEED = 7
CASES = 108  # every ratio meets every prefill kind


@dataclass(frozen=True)
class AnyVariant:
    """What the generator needs to know of a variant."""

    dtype: str
    layout: str
    mask: str
    head_dim: int
    phase: str

    @property
    def name(self) -> str:
        return f"{self.dtype}__{self.layout}__{self.mask}__d{self.head_dim}__{self.phase}".lower()


VARIANTS = [
    AnyVariant(dtype, layout, mask, head_dim, phase)
    for dtype, layout, mask, head_dim, phase in product(
        ("float16", "bfloat16"),
        ("BSND", "BNSD", "TND"),
        ("none", "full", "causal", "band"),
        (64, 128),
        ("prefill", "decode"),
    )
    if not (layout == "TND" and mask == "full") and not (phase == "decode" and mask in ("causal", "band"))
]
by_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)


@cache
def cases(variant: AnyVariant) -> list[Call]:
    return [generate_case(variant, SEED, index) for index in range(CASES)]


def lengths(call: Call) -> list[tuple[int, int]]:
    """Query rows and key rows of every batch, read from the arguments alone."""
    layout, query, key = call.args["input_layout"], call.tensor("query"), call.tensor("key")
    q_list, k_list = call.args.get("actual_seq_qlen"), call.args.get("actual_seq_kvlen")
    if layout == "TND":
        return [
            (q1 - q0, k1 - k0)
            for (q0, q1), (k0, k1) in zip(pairwise([0, *q_list]), pairwise([0, *k_list]), strict=True)
        ]
    axis = 2 if layout == "BNSD" else 1
    batch, rows, columns = query.shape[0], query.shape[axis], key.shape[axis]
    q = [rows] * batch if q_list is None or rows == 1 else list(q_list) * (batch if len(q_list) == 1 else 1)
    k = [columns] * batch if k_list is None else list(k_list) * (batch if len(k_list) == 1 else 1)
    return list(zip(q[:batch], k[:batch], strict=True))


def fingerprint() -> str:
    text = "\n".join(
        f"{call.id} {call.product} {sorted(call.args.items())}" for variant in VARIANTS[::5] for call in cases(variant)
    )
    return hashlib.sha256(text.encode()).hexdigest()


def test_cases_do_not_depend_on_the_process() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", "import test_verify_cases as t; print(t.fingerprint())"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(__file__)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {fingerprint()}


def test_cases_depend_on_the_seed_and_on_the_index() -> None:
    variant = VARIANTS[0]
    texts = {str(generate_case(variant, seed, index).args) for seed in range(3) for index in range(20)}
    assert len(texts) > 55


@by_variant
def test_a_case_is_of_its_variant(variant: AnyVariant) -> None:
    layouts = {"BSND": {"BSND", "BSH"}, "BNSD": {"BNSD"}, "TND": {"TND"}}[variant.layout]
    modes = {"none": {0, 3} if variant.phase == "decode" else {0}, "full": {0}, "causal": {2, 3}, "band": {4}}[
        variant.mask
    ]
    if variant.phase == "decode" and variant.layout != "TND" and variant.mask == "none":
        modes = {0, 2, 3, 4}
    assert {call.args["input_layout"] for call in cases(variant)} == layouts
    assert {call.args.get("sparse_mode", 0) for call in cases(variant)} == (
        modes - {2} if variant.layout == "TND" else modes
    )
    for call in cases(variant):
        heads = call.args["num_query_heads"]
        query = call.tensor("query")
        width = query.shape[-1] // (heads if call.args["input_layout"] == "BSH" else 1)
        assert (query.dtype, width) == (variant.dtype, variant.head_dim)
        axis = {"BSH": 1, "BSND": 1, "BNSD": 2}.get(call.args["input_layout"])
        longest = max(q for q, _ in lengths(call)) if axis is None else query.shape[axis]
        assert (longest == 1) if variant.phase == "decode" else (longest > 1)
        assert ("atten_mask" in call.args) == (variant.mask != "none" or call.args.get("sparse_mode", 0) != 0)


@by_variant
def test_a_case_is_cheap_and_within_its_axes(variant: AnyVariant) -> None:
    for call in cases(variant):
        pairs = lengths(call)
        work = 4 * call.args["num_query_heads"] * variant.head_dim * sum(q * k for q, k in pairs)
        assert work > 0 or not any(q and k for q, k in pairs)
        assert work <= LARGE_WORK
        if variant.layout == "TND":
            assert call.args["actual_seq_qlen"][-1] == call.tensor("query").shape[0] > 0
            assert call.args["actual_seq_kvlen"][-1] == call.tensor("key").shape[0] > 0
        else:
            axis = 2 if call.args["input_layout"] == "BNSD" else 1
            assert max(q for q, _ in pairs) <= call.tensor("query").shape[axis]
            assert max(k for _, k in pairs) <= call.tensor("key").shape[axis]


@by_variant
def test_cases_mix_what_matters(variant: AnyVariant) -> None:
    calls = cases(variant)
    heads = [(c.args["num_query_heads"], c.args.get("num_key_value_heads") or c.args["num_query_heads"]) for c in calls]
    assert {q // k for q, k in heads} == set(RATIOS)
    assert {c.extra["kind"] for c in calls} == set(DECODE_KINDS if variant.phase == "decode" else PREFILL_KINDS)
    pairs = [pair for call in calls for pair in lengths(call)]
    assert {0, 1} <= {k for _, k in pairs}
    assert any(k > 1024 for _, k in pairs) and any(k % 16 and k > 512 for _, k in pairs)
    if variant.phase == "prefill":
        assert {0, 1} <= {q for q, _ in pairs} and any(q > k > 0 for q, k in pairs) and any(q > 128 for q, _ in pairs)
    else:
        assert any(k > 4096 for _, k in pairs)
        assert any(len(lengths(call)) > 12 and 1024 in {k for _, k in lengths(call)} for call in calls)
    assert {bool(c.args.get("return_softmax_lse")) for c in calls} == {True, False}
    assert {c.product for c in calls} == {"a2", "a3"}
    assert {c.args.get("softmax_scale") is None for c in calls} == {True, False}
    if variant.layout != "TND":
        k_lists = [(c.args.get("actual_seq_kvlen"), c.tensor("key").shape[0]) for c in calls]
        assert any(given is None for given, _ in k_lists)
        assert any(given is not None and len(given) == 1 < batch for given, batch in k_lists)
        assert any(given is not None and len(given) > batch for given, batch in k_lists)
    if variant.mask != "none":
        assert {c.tensor("atten_mask").dtype for c in calls} == {"bool", "int8", "uint8"}
        assert {c.tensor("atten_mask").rank for c in calls} == {2, 3, 4}
    if variant.mask == "band":
        tokens = {(np.sign(c.args["pre_tokens"]), np.sign(c.args["next_tokens"])) for c in calls}
        assert {(-1, 1), (1, -1), (1, 1), (1, 0)} <= tokens


@by_variant
def test_every_case_has_a_truth_that_padding_does_not_reach(variant: AnyVariant) -> None:
    if variant.dtype == "bfloat16":
        chosen = [generate_case(variant, SEED, index) for index in range(8)]
    else:
        chosen = [generate_case(variant, SEED, index) for index in range(8, 12)]
    for call in chosen:
        found = run_oracle(call.op, **materialise(call))
        assert np.isfinite(found["attention_out"]).all()
        assert found["attention_out__defined"].all()
        assert not np.isnan(found["softmax_lse"]).any()
