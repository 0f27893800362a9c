"""Does the oracle say what a second, element-by-element reading of the document says?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_by_loops import attention_by_loops, element, lengths

from fiagen.oracle import run_oracle
from fiagen.oracle.layouts import LAYOUTS, TOKEN_LAYOUTS

OP = "npu_fused_infer_attention_score_v2"
CLOSE = np.finfo(np.float64).eps * 1024  # sums of at most some hundred float64 terms, in two orders
FEATURES = ("plain", "rope", "sink", "pse", "BnBsH", "BnNBsD", "NZ")
SEEDS_PER_FEATURE = 6


def draw(layout: str, feature: str, seed: int) -> dict[str, Any]:
    """A tiny random call in that layout, with that feature."""
    rng = np.random.default_rng([seed, sorted(LAYOUTS).index(layout), FEATURES.index(feature)])
    source = LAYOUTS[layout][0]
    tokens = layout in TOKEN_LAYOUTS
    batch = 1 if source == "NSD" else int(rng.integers(1, 4))
    kv_heads, group, width = int(rng.integers(1, 3)), int(rng.integers(1, 4)), 16 if feature == "NZ" else 4
    heads = kv_heads * group
    decode = not tokens and seed % 3 == 0
    q_lengths = [1 if decode else int(rng.integers(0, 6)) for _ in range(batch)]
    k_lengths = [int(rng.integers(0, 9)) for _ in range(batch)]
    q_lengths[-1], k_lengths[-1] = max(q_lengths[-1], 1), max(k_lengths[-1], 1)
    q_axis, k_axis = (1 if decode else max(q_lengths) + 1), max(k_lengths) + 2
    if source == "NSD":
        q_lengths, k_lengths = [q_axis], [k_axis]

    def tensor(count: int, per_batch: list[int], axis: int, channels: int) -> np.ndarray:
        total = sum(per_batch)
        shape = {
            "BSH": (batch, axis, count * channels),
            "BSND": (batch, axis, count, channels),
            "BNSD": (batch, count, axis, channels),
            "TND": (total, count, channels),
            "NTD": (count, total, channels),
            "NSD": (count, axis, channels),
        }[source]
        return rng.standard_normal(shape)

    def keys(channels: int) -> np.ndarray:
        blocks, slots = 9, 4
        if feature == "BnBsH":
            return rng.standard_normal((blocks, slots, kv_heads * channels))
        if feature == "BnNBsD":
            return rng.standard_normal((blocks, kv_heads, slots, channels))
        if feature == "NZ":
            return rng.standard_normal((blocks, kv_heads, channels // 8, slots, 8))
        return tensor(kv_heads, k_lengths, k_axis, channels)

    args: dict[str, Any] = {
        "query": tensor(heads, q_lengths, q_axis, width),
        "key": keys(width),
        "value": keys(width),
        "input_layout": layout,
        "num_query_heads": heads,
        "num_key_value_heads": kv_heads,
        "softmax_scale": 0.5,
        "return_softmax_lse": True,
    }
    paged = feature in ("BnBsH", "BnNBsD", "NZ")
    if tokens:
        args["actual_seq_qlen"] = np.cumsum(q_lengths).tolist()
        args["actual_seq_kvlen"] = k_lengths if paged else np.cumsum(k_lengths).tolist()
    elif source != "NSD":
        args["actual_seq_qlen"], args["actual_seq_kvlen"] = [*q_lengths, 0], [*k_lengths, 1]
    if paged:
        args["block_table"] = rng.integers(0, 9, size=(batch, 4)).astype(np.int32)
        if source == "NSD":
            args["actual_seq_kvlen"] = k_lengths
    if feature == "rope":
        args["query_rope"] = tensor(heads, q_lengths, q_axis, 2)
        args["key_rope"] = tensor(kv_heads, k_lengths, k_axis, 2)
    if feature == "sink":
        args["learnable_sink"] = rng.standard_normal(heads)
    if feature == "pse":
        args["pse_shift"] = rng.standard_normal((int(rng.choice([1, batch])), heads, max(q_lengths), max(k_lengths)))

    mode = (0, 1, 2, 3, 4, 0, 9)[int(rng.integers(0, 7))]
    args["sparse_mode"] = mode
    if rng.integers(0, 2):
        args["pre_tokens"] = int(rng.integers(-1, 5))
        args["next_tokens"] = int(rng.integers(max(-2, -args["pre_tokens"]), 5))
    if mode == 9:
        if decode or any(q > k for q, k in zip(q_lengths, k_lengths, strict=True)):
            args["sparse_mode"] = 3
        elif tokens:
            args["atten_mask"] = rng.integers(0, 2, size=sum(q * q for q in q_lengths)).astype(np.int8)
        else:
            args["atten_mask"] = rng.integers(0, 2, size=(batch, q_axis, q_axis)).astype(np.int8)
    if args["sparse_mode"] in (2, 3, 4):
        args["atten_mask"] = np.triu(np.ones((2048, 2048), dtype=bool), 1)
    elif mode == 1 or (mode == 0 and rng.integers(0, 2)):
        first = int(rng.choice([1, batch]))
        columns = max(k_axis, 16)
        shapes = [(first, q_axis, columns), (first, 1, q_axis, columns)]
        shapes.append((batch, columns) if decode else (q_axis, columns))
        chosen = shapes[int(rng.integers(0, 3))]
        args["atten_mask"] = (rng.random(chosen) < 0.3).astype(("bool", "int8", "uint8")[seed % 3])
    return args


@pytest.mark.parametrize("seed", range(SEEDS_PER_FEATURE))
@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_oracle_says_what_the_loops_say(layout: str, feature: str, seed: int) -> None:
    args = draw(layout, feature, seed)
    truth = attention_by_loops(args)
    found = run_oracle(OP, **args)
    assert truth

    result = LAYOUTS[layout][1]
    heads = args["num_query_heads"]
    q_lengths, _ = lengths(args)
    starts = [sum(q_lengths[:b]) for b in range(len(q_lengths))]
    seen = 0
    for (b, n, i), (row, lse) in truth.items():
        out = [element(found["attention_out"], result, heads, (b, n, i, c), starts) for c in range(len(row))]
        np.testing.assert_allclose(out, row, rtol=CLOSE, atol=CLOSE)
        place = (starts[b] + i, n, 0) if layout in TOKEN_LAYOUTS else (b, n, i, 0)
        if lse is None:
            assert not found["softmax_lse__defined"][place]
        else:
            np.testing.assert_allclose(found["softmax_lse"][place], lse, rtol=CLOSE, atol=CLOSE)
        seen += len(row)
    # everything the loops did not visit is padding: 0, and +inf in the lse
    assert np.count_nonzero(found["attention_out"]) <= seen
    assert np.isfinite(found["softmax_lse"]).sum() <= len(truth)
    assert found["attention_out"].dtype == np.float64
