"""Seeded random legal calls of one variant.

In: a variant, a seed, an index. Out: a Call, the same on every machine. Must never make an illegal call, and must never
depend on what a kernel can or cannot do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fiagen.model.call import Arg, Call, TensorArg
from fiagen.verify.draw import generator

INT_MAX = 2147483647
# Query heads a kv head serves; every small one, what public models use, odd ones, and the largest that is documented.
RATIOS = (1, 8, 4, 2, 7, 16, 5, 64, 3, 32, 12, 13)
PREFILL_KINDS = ("ragged", "blocks", "more_queries", "gaps", "tall", "one_length", "no_lists", "long_lists", "aligned")
DECODE_KINDS = ("blocks", "crowd", "ragged", "long", "gaps", "one_length", "no_lists", "long_lists", "aligned")
WORK = 200_000_000  # multiplications and additions of both products that a case may cost ...
LARGE_WORK = 5 * WORK  # ... and one in sixteen cases
LARGE_EVERY = 16
COMPRESSED = ((2048, 2048), (1, 2048, 2048), (1, 1, 2048, 2048))


@dataclass(frozen=True)
class Axes:
    """The variant of a case, as the generator reads it."""

    name: str
    dtype: str
    layout: str
    mask: str
    head_dim: int
    phase: str

    @classmethod
    def of(cls, variant: Any) -> Axes:
        """From any object that has the axes as attributes, or as entries of its `values`."""
        values = getattr(variant, "values", {})

        def axis(name: str) -> Any:
            return values[name] if name in values else getattr(variant, name)

        return cls(variant.name, axis("dtype"), axis("layout"), axis("mask"), int(axis("head_dim")), axis("phase"))


def generate_case(variant: Any, seed: int, index: int) -> Call:
    """Case `index` of the endless list of cases that `seed` gives a variant of `npu_fused_infer_attention_score_v2`.

    `variant` has name, dtype, layout (BSND, which also stands for BSH; BNSD; TND), mask (none, full, causal, band),
    head_dim and phase (prefill, decode). The call is legal in the edition it names.
    """
    axes = Axes.of(variant)
    rng = generator("case", axes.name, seed, index)
    kinds = DECODE_KINDS if axes.phase == "decode" else PREFILL_KINDS
    kind, turn = kinds[index % len(kinds)], index // len(kinds)
    ratio = RATIOS[(index + turn) % len(RATIOS)]
    kv_heads = _between(rng, 1, 3) if ratio < 8 else 1
    budget = LARGE_WORK if index % LARGE_EVERY == LARGE_EVERY - 1 else WORK
    lengths = _fit(axes, _lengths(axes, kind, rng), kv_heads, ratio, budget)

    args: dict[str, Arg] = {}
    if axes.layout == "TND":
        _put_tokens(args, axes, lengths, kv_heads, ratio)
    else:
        _put_batches(args, axes, lengths, kv_heads, ratio, kind, rng, fused=axes.layout == "BSND" and index % 2 == 0)
    _put_mask(args, axes, lengths, rng, index)
    _put_scalars(args, axes, kv_heads, ratio, rng)
    return Call(
        id=f"{axes.name}.s{seed}.{index}",
        op="npu_fused_infer_attention_score_v2",
        product="a3" if index % 4 == 3 else "a2",
        args=args,
        edition="current",
        extra={"kind": kind},
    )


Lengths = list[tuple[int, int]]  # (query rows, key rows) of every batch


def _between(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high, endpoint=True))


def _one_of(rng: np.random.Generator, *choices: Any) -> Any:
    return choices[_between(rng, 0, len(choices) - 1)]


def _lengths(axes: Axes, kind: str, rng: np.random.Generator) -> Lengths:
    """Lengths of every batch before the work is limited."""
    decode = axes.phase == "decode"

    def pair() -> tuple[int, int]:
        q = 1 if decode or not _between(rng, 0, 7) else _between(rng, 2, 70)
        if kind == "blocks":
            return min(q, 48), _one_of(rng, _between(rng, 513, 1100), _between(rng, 1025, 2600), 512, 1024, 1025)
        if kind == "long":
            return 1, _between(rng, 4096, 16384)
        if kind == "crowd":  # more key tiles than cores: a core has whole rows, ends of rows and beginnings of others
            return 1, _one_of(rng, _between(rng, 1, 300), _between(rng, 1, 300), _between(rng, 1025, 2600), 1024, 2048)
        if kind == "more_queries":
            q = _between(rng, 30, 200)
            return q, _between(rng, 1, q - 1)
        if kind == "tall":
            return _between(rng, 129, 520), _between(rng, 100, 700)
        if kind == "aligned":
            return (1 if decode else _one_of(rng, 16, 64, 128, 256)), _one_of(rng, 64, 128, 256, 512, 1024)
        return q, _between(rng, 1, 900 if decode else 300)

    least = {"gaps": 2, "crowd": 14}.get(kind, 1)
    most = {"crowd": 26, "blocks": 2, "long": 2, "tall": 2, "aligned": 3}.get(kind, 6)
    if kind in ("one_length", "no_lists"):
        lengths = [pair()] * _between(rng, 1, 4)
    else:
        lengths = [pair() for _ in range(_between(rng, least, most))]
    if kind == "gaps":
        q, k = pair()
        lengths += [(1, 1), (0, k), (q, 0), (0, 0)][: _between(rng, 1, 4)]
        rng.shuffle(lengths)
        lengths = [(int(a), int(b)) for a, b in lengths]
    if decode and axes.layout == "TND":
        lengths = [(_one_of(rng, 1, 1, 0), k) for _, k in lengths]
        if not any(q for q, _ in lengths):
            lengths[-1] = (1, lengths[-1][1] or 1)
    elif decode:
        lengths = [(1, k) for _, k in lengths]
    elif axes.layout == "TND" and max(q for q, _ in lengths) < 2:  # else it were a decode step
        lengths[-1] = (2, lengths[-1][1])
    if not any(k for _, k in lengths):
        lengths[0] = (lengths[0][0], 1)
    return lengths


def _fit(axes: Axes, lengths: Lengths, kv_heads: int, ratio: int, budget: int) -> Lengths:
    """Shorten the longest rows until the two products stay within the budget; a decode step costs 16 rows at least."""

    def work(now: Lengths) -> int:
        rows = [ratio * q if axes.phase == "prefill" else -(-ratio * q // 16) * 16 for q, _ in now]
        return 4 * axes.head_dim * kv_heads * sum(m * k for m, (_, k) in zip(rows, now, strict=True))

    while work(lengths) > budget:
        costly = max(lengths, key=lambda pair: pair[0] * pair[1])
        q, k = costly
        shorter = (max(2, q * 3 // 4), k) if axes.phase == "prefill" and q > 8 else (q, k * 3 // 4)
        lengths = [shorter if pair == costly else pair for pair in lengths]
    return lengths


def _put_tokens(args: dict[str, Arg], axes: Axes, lengths: Lengths, kv_heads: int, ratio: int) -> None:
    """TND: one token axis for queries, one for keys, and cumulative lists."""
    q_ends = np.cumsum([q for q, _ in lengths])
    k_ends = np.cumsum([k for _, k in lengths])
    kv = TensorArg((int(k_ends[-1]), kv_heads, axes.head_dim), axes.dtype)
    args["query"] = TensorArg((int(q_ends[-1]), kv_heads * ratio, axes.head_dim), axes.dtype)
    args["key"] = args["value"] = kv
    args["actual_seq_qlen"] = tuple(int(n) for n in q_ends)
    args["actual_seq_kvlen"] = tuple(int(n) for n in k_ends)
    args["input_layout"] = "TND"


def _put_batches(
    args: dict[str, Arg],
    axes: Axes,
    lengths: Lengths,
    kv_heads: int,
    ratio: int,
    kind: str,
    rng: np.random.Generator,
    *,
    fused: bool,
) -> None:
    """BSH, BSND or BNSD: padded axes, and lists of every form that says the same."""
    batch, decode = len(lengths), axes.phase == "decode"
    exact = kind == "no_lists"
    q_axis = 1 if decode else max(2, max(q for q, _ in lengths) + (0 if exact else _one_of(rng, 0, 1, 9)))
    k_axis = max(1, max(k for _, k in lengths) + (0 if exact else _one_of(rng, 0, 3, 40)))

    def tensor(heads: int, rows: int) -> TensorArg:
        if fused:
            return TensorArg((batch, rows, heads * axes.head_dim), axes.dtype)
        if axes.layout == "BSND":
            return TensorArg((batch, rows, heads, axes.head_dim), axes.dtype)
        return TensorArg((batch, heads, rows, axes.head_dim), axes.dtype)

    args["query"] = tensor(kv_heads * ratio, q_axis)
    args["key"] = args["value"] = tensor(kv_heads, k_axis)
    args["input_layout"] = "BSH" if fused else axes.layout
    for name, column, rows in (("actual_seq_qlen", 0, q_axis), ("actual_seq_kvlen", 1, k_axis)):
        counts = tuple(pair[column] for pair in lengths)
        if decode and column == 0:  # has no effect on a query of one row
            if _one_of(rng, True, False, False):
                args[name] = tuple(_one_of(rng, 1, 1, 0) for _ in counts)
        elif exact or (set(counts) == {rows} and _one_of(rng, True, False)):
            continue
        elif kind == "one_length":
            args[name] = counts[:1]
        elif kind == "long_lists":
            args[name] = counts + tuple(_between(rng, 0, rows) for _ in range(_between(rng, 1, 3)))
        else:
            args[name] = counts


def _put_mask(args: dict[str, Arg], axes: Axes, lengths: Lengths, rng: np.random.Generator, index: int) -> None:
    dtype = ("bool", "int8", "uint8")[index % 3]
    compressed = TensorArg(_one_of(rng, *COMPRESSED), dtype)
    tokens = {"pre_tokens": _one_of(rng, INT_MAX, 65535, 3), "next_tokens": _one_of(rng, INT_MAX, 65535, 0)}
    if axes.mask == "none":
        if axes.phase == "decode" and index % 5 == 4:  # modes that change nothing for a single query row
            args["sparse_mode"] = 3 if axes.layout == "TND" else _one_of(rng, 2, 3, 4)
            args["atten_mask"] = compressed
            args.update(tokens)
        elif index % 3 == 1:
            args["sparse_mode"] = 0
            args.update(tokens)
    elif axes.mask == "causal":
        args["sparse_mode"] = 3 if axes.layout == "TND" else _one_of(rng, 3, 3, 2)
        args["atten_mask"] = compressed
        if index % 3 == 1:
            args.update(tokens)
    elif axes.mask == "band":
        args["sparse_mode"] = 4
        args["atten_mask"] = compressed
        shortest_q, shortest_k = (min(pair[column] for pair in lengths) for column in (0, 1))
        args.update(_band(rng, index, max(k for _, k in lengths), shortest_q - 1, shortest_k - 1))
    else:
        args["atten_mask"] = TensorArg(_full_mask_shape(args, axes, len(lengths), rng), dtype)
        if index % 2:
            args["sparse_mode"] = 0
        if axes.phase == "prefill" and index % 3:
            q_axis, k_axis = _sequence_axes(args)
            args.update(_band(rng, index, k_axis, k_axis - 1, q_axis - 1))
        elif index % 3 == 2:
            args.update(tokens)


def _band(
    rng: np.random.Generator, index: int, longest: int, most_negative_pre: int, most_negative_next: int
) -> dict[str, int]:
    """Tokens of a band that is not empty: wide, one-sided, a window, narrow, or off the diagonal."""
    style = index % 6
    low, high = _between(rng, 0, longest), _between(rng, 0, longest)
    if style == 0:
        pre, after = INT_MAX, INT_MAX
    elif style == 1:
        pre, after = _one_of(rng, INT_MAX, low), 0
    elif style == 2:
        pre, after = _between(rng, 0, 5), _between(rng, 0, 5)
    elif style == 3 and most_negative_next >= 1:
        after = -_between(rng, 1, min(most_negative_next, longest))
        pre = -after + low
    elif style == 4 and most_negative_pre >= 1:
        pre = -_between(rng, 1, min(most_negative_pre, longest))
        after = -pre + high
    else:
        pre, after = low, high
    return {"pre_tokens": pre, "next_tokens": after}


def _sequence_axes(args: dict[str, Arg]) -> tuple[int, int]:
    """Q_S and KV_S of a batched layout."""
    place = 2 if args["input_layout"] == "BNSD" else 1
    sizes = [tensor.shape[place] for tensor in (args["query"], args["key"]) if isinstance(tensor, TensorArg)]
    return sizes[0], sizes[1]


def _full_mask_shape(args: dict[str, Arg], axes: Axes, batch: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Every documented rank and broadcast of a full mask, its axes sometimes rounded up to 16 or 32."""
    q_axis, k_axis = _sequence_axes(args)
    unit = _one_of(rng, 1, 16, 32)
    rows, columns = (-(-size // unit) * unit for size in (q_axis, k_axis))
    if axes.phase == "decode":
        return _one_of(rng, (batch, columns), (batch, 1, columns), (batch, 1, 1, columns))
    first = _one_of(rng, 1, batch)
    return _one_of(rng, (q_axis, k_axis), (first, rows, columns), (first, 1, rows, columns))


def _put_scalars(args: dict[str, Arg], axes: Axes, kv_heads: int, ratio: int, rng: np.random.Generator) -> None:
    args["num_query_heads"] = kv_heads * ratio
    if ratio > 1 or _one_of(rng, True, False):
        args["num_key_value_heads"] = kv_heads if ratio > 1 else _one_of(rng, kv_heads, 0)
    usual = 1.0 / math.sqrt(axes.head_dim)
    scale = _one_of(rng, *[usual] * 8, usual / 2, usual * 1.5, 1.0, None, 0.0, -usual)
    if scale is not None:
        args["softmax_scale"] = scale
    precisions = (0,) if axes.layout == "TND" else (0, 1) if axes.phase == "decode" else (0, 1, 2, 3)
    chosen = _one_of(rng, *precisions)
    if chosen or _one_of(rng, True, False):
        args["inner_precise"] = chosen
    if _one_of(rng, True, False):
        args["return_softmax_lse"] = True
    elif _one_of(rng, True, False):
        args["return_softmax_lse"] = False
