"""Does the oracle keep the laws of attention?"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fiagen.oracle import run_oracle

OP = "npu_fused_infer_attention_score_v2"
CLOSE = {"rtol": np.finfo(np.float64).eps * 4096, "atol": np.finfo(np.float64).eps * 4096}
INFINITE = 2147483647
law = settings(max_examples=25, deadline=None, derandomize=True)


@st.composite
def calls(draw: Any) -> dict[str, Any]:
    """q, k, v in BNSD with grouped heads; any lengths, more queries than keys among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    batch, kv_heads, group = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    rows, columns, width = draw(st.integers(2, 9)), draw(st.integers(1, 12)), draw(st.sampled_from([1, 8]))
    return {
        "query": rng.standard_normal((batch, kv_heads * group, rows, width)),
        "key": rng.standard_normal((batch, kv_heads, columns, width)),
        "value": rng.standard_normal((batch, kv_heads, columns, width)),
        "num_query_heads": kv_heads * group,
        "num_key_value_heads": kv_heads,
        "input_layout": "BNSD",
        "softmax_scale": 0.75,
        "return_softmax_lse": True,
    }


def results(args: dict[str, Any], **changed: Any) -> tuple[np.ndarray, np.ndarray]:
    found = run_oracle(OP, **{**args, **changed})
    return found["attention_out"], found["softmax_lse"]


def masked(args: dict[str, Any], mode: int, **tokens: int) -> dict[str, Any]:
    return {**args, "sparse_mode": mode, "atten_mask": np.triu(np.ones((2048, 2048), dtype=bool), 1), **tokens}


@law
@given(calls(), st.sampled_from([-2.0, 0.5, 8.0]))
def test_scaling_value_scales_the_output_alone(args: dict[str, Any], factor: float) -> None:
    out, lse = results(args)
    scaled, same_lse = results(args, value=args["value"] * factor)
    np.testing.assert_allclose(scaled, out * factor, **CLOSE)
    np.testing.assert_allclose(same_lse, lse, **CLOSE)


@law
@given(calls(), st.randoms(use_true_random=False))
def test_order_of_keys_does_not_matter_without_mask(args: dict[str, Any], random: Any) -> None:
    order = list(range(args["key"].shape[2]))
    random.shuffle(order)
    shuffled = results(args, key=args["key"][:, :, order], value=args["value"][:, :, order])
    for one, other in zip(results(args), shuffled, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


@law
@given(calls())
def test_output_lies_between_the_values(args: dict[str, Any]) -> None:
    out, _ = results(args)
    value = np.repeat(args["value"], args["num_query_heads"] // args["num_key_value_heads"], axis=1)
    assert (out <= value.max(axis=2, keepdims=True) + CLOSE["atol"]).all()
    assert (out >= value.min(axis=2, keepdims=True) - CLOSE["atol"]).all()


@law
@given(calls(), st.floats(-50.0, 50.0))
def test_shifting_all_scores_moves_the_lse_alone(args: dict[str, Any], shift: float) -> None:
    heads, rows, columns = args["num_query_heads"], args["query"].shape[2], args["key"].shape[2]
    out, lse = results(args)
    moved, moved_lse = results(args, pse_shift=np.full((1, heads, rows, columns), shift))
    np.testing.assert_allclose(moved, out, **CLOSE)
    np.testing.assert_allclose(moved_lse, lse + shift, **CLOSE)


@law
@given(calls(), st.integers(0, 12))
def test_parts_of_the_keys_merge_by_their_lse(args: dict[str, Any], cut: int) -> None:
    cut = min(cut, args["key"].shape[2])
    whole, whole_lse = results(args)
    parts = [
        results(args, key=args["key"][:, :, part], value=args["value"][:, :, part])
        for part in (slice(0, cut), slice(cut, None))
    ]
    weights = [np.where(np.isposinf(lse), 0.0, np.exp(lse)) for _, lse in parts]
    merged = (parts[0][0] * weights[0] + parts[1][0] * weights[1]) / (weights[0] + weights[1])
    np.testing.assert_allclose(merged, whole, **CLOSE)
    np.testing.assert_allclose(np.log(weights[0] + weights[1]), whole_lse, **CLOSE)


@law
@given(calls(), st.sampled_from([2, 3]))
def test_causal_is_the_full_mask_of_its_triangle(args: dict[str, Any], mode: int) -> None:
    rows, columns = args["query"].shape[2], args["key"].shape[2]
    triangle = np.triu(np.ones((rows, columns), dtype=bool), 1 + (columns - rows if mode == 3 else 0))
    explicit = results(args, atten_mask=triangle, inner_precise=2)
    for one, other in zip(results(masked(args, mode)), explicit, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


@law
@given(calls(), st.integers(-3, 9), st.integers(0, 9))
def test_band_is_the_full_mask_of_its_stripe(args: dict[str, Any], pre: int, width: int) -> None:
    after = width - pre
    rows, columns = args["query"].shape[2], args["key"].shape[2]
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None] - (columns - rows)
    explicit = results(args, atten_mask=(distance < -pre) | (distance > after), inner_precise=3)
    for one, other in zip(results(masked(args, 4, pre_tokens=pre, next_tokens=after)), explicit, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


@law
@given(calls())
def test_band_without_ends_is_no_mask_and_with_one_end_is_causal(args: dict[str, Any]) -> None:
    for tokens, mode in (({"pre_tokens": INFINITE, "next_tokens": INFINITE}, 0), ({"next_tokens": 0}, 3)):
        other = args if mode == 0 else masked(args, 3)
        for one, two in zip(results(masked(args, 4, **tokens)), results(other), strict=True):
            np.testing.assert_allclose(one, two, **CLOSE)


@law
@given(calls())
def test_shared_key_heads_are_repeated_key_heads(args: dict[str, Any]) -> None:
    group = args["num_query_heads"] // args["num_key_value_heads"]
    repeated = {name: np.repeat(args[name], group, axis=1) for name in ("key", "value")}
    for one, other in zip(results(args), results(args, num_key_value_heads=0, **repeated), strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


@law
@given(calls(), st.sampled_from([0, 2, 3]))
def test_layouts_say_the_same(args: dict[str, Any], mode: int) -> None:
    args = masked(args, mode) if mode else args
    names = ("query", "key", "value")
    bsnd = {name: args[name].transpose(0, 2, 1, 3) for name in names}
    fused = {name: bsnd[name].reshape(*bsnd[name].shape[:2], -1) for name in names}
    out, lse = results(args)
    for layout, tensors in (("BSND", bsnd), ("BSH", fused)):
        other, other_lse = results(args, input_layout=layout, **tensors)
        np.testing.assert_allclose(other.reshape(bsnd["query"].shape), out.transpose(0, 2, 1, 3), **CLOSE)
        np.testing.assert_allclose(other_lse, lse, **CLOSE)
    batch, _, rows, _ = args["query"].shape
    columns = args["key"].shape[2]
    tokens = {name: bsnd[name].reshape(-1, *bsnd[name].shape[2:]) for name in names}
    lists = {
        "actual_seq_qlen": [rows * (b + 1) for b in range(batch)],
        "actual_seq_kvlen": [columns * (b + 1) for b in range(batch)],
    }
    other, other_lse = results(args, input_layout="TND", **tokens, **lists)
    np.testing.assert_allclose(other.reshape(bsnd["query"].shape), out.transpose(0, 2, 1, 3), **CLOSE)
    np.testing.assert_allclose(other_lse.reshape(batch, rows, -1), lse[..., 0].transpose(0, 2, 1), **CLOSE)


@law
@given(calls(), st.data(), st.sampled_from([0, 2, 3, 4]))
def test_rows_beyond_the_lengths_are_as_if_cut_off(args: dict[str, Any], data: Any, mode: int) -> None:
    args = masked(args, mode, pre_tokens=2, next_tokens=1) if mode else args
    batch, _, rows, _ = args["query"].shape
    columns = args["key"].shape[2]
    q_list = data.draw(st.lists(st.integers(0, rows), min_size=batch, max_size=batch + 2))
    k_list = data.draw(st.lists(st.integers(0, columns), min_size=batch, max_size=batch + 2))
    spoiled = {name: args[name].copy() for name in ("query", "key", "value")}
    for b in range(batch):
        spoiled["query"][b, :, q_list[b] :] = np.nan
        for name in ("key", "value"):
            spoiled[name][b, :, k_list[b] :] = np.inf
    out, lse = results(args, actual_seq_qlen=q_list, actual_seq_kvlen=k_list, **spoiled)
    for b in range(batch):
        q, k = (q_list[0] if len(q_list) == 1 else q_list[b]), (k_list[0] if len(k_list) == 1 else k_list[b])
        assert not out[b, :, q:].any() and np.isposinf(lse[b, :, q:]).all()
        alone = {name: args[name][b : b + 1, :, : q if name == "query" else k] for name in ("query", "key", "value")}
        if q > 1:  # a query of one row follows other rules
            for whole, part in zip((out, lse), results(args, **alone), strict=True):
                np.testing.assert_allclose(whole[b : b + 1, :, :q], part, **CLOSE)
