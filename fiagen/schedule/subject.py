"""What a schedule is about: the work of a call, and the table that divides it.

In: a Call of the metadata operator or of its consumer. Out: a Subject. Must never draw large tensors to learn lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fiagen.diagnostics import fail
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_product
from fiagen.model.call import Call, TensorArg
from fiagen.oracle import run_oracle
from fiagen.oracle.sparse_metadata import work_of
from fiagen.schedule.work import Work
from fiagen.verify.inputs import materialise
from fiagen.verify.sparse_inputs import CONSUMER, METADATA


@dataclass(frozen=True, eq=False)
class Subject:
    """`words` is the table; `given` tells whether the caller wrote it or the operator would."""

    title: str
    work: Work
    words: Sequence[int]
    given: bool


def _stated(call: Call, name: str) -> list[int] | None:
    arg = call.args.get(name)
    if not isinstance(arg, TensorArg) or arg.numel == 0:
        return None
    if arg.values is None:
        raise fail("schedule.lengths", given=f"{name} without values", allowed="a list of integers",
                   why="The table follows from the lengths.", fix=f"Write {name} as a list.", place=call.place)
    values = arg.values.tolist() if hasattr(arg.values, "tolist") else arg.values
    return [int(value) for value in values]


def _of_consumer(call: Call) -> dict[str, Any]:
    """The arguments of the metadata operator that a consumer's call corresponds to."""
    q, indices = call.tensor("q"), call.tensor("cmp_sparse_indices")
    assert q is not None  # a required parameter
    same = ("cmp_ratio", "ori_mask_mode", "cmp_mask_mode", "ori_win_left", "ori_win_right", "layout_q", "layout_kv")
    args = {name: call.args[name] for name in same if name in call.args}
    lengths = {name: _stated(call, name) for name in ("cu_seqlens_q", "seqused_q", "seqused_kv")}
    if args.get("layout_q", "BSND") == "BSND":
        args |= {"batch_size": q.shape[0], "max_seqlen_q": q.shape[1]}
    return {**args, **lengths, "num_heads_q": q.shape[-2], "num_heads_kv": 1, "head_dim": q.shape[-1],
            "has_cmp_kv": "cmp_kv" in call.args, "cmp_topk": indices.shape[-1] if indices is not None else 0}


def subject_of(call: Call, words: Sequence[int] | None = None, cores: int = 0) -> Subject:
    """The work of a legal `call` and its table: `words`, else the `metadata` values that the call states, else what the
    operator writes for `cores` cube cores (0: those of the chip).

    DiagnosticError for another operator, unknown lengths, or core counts that no table has room for.
    """
    if call.op not in (METADATA, CONSUMER):
        raise fail("schedule.no_table", given=f"a call of {call.op}", allowed=f"{METADATA} or {CONSUMER}",
                   why="Other operators have no task table.", fix="Choose such a call with --where.", place=call.place)
    defaults = {p.name: p.default for p in load_catalogue().operators[METADATA].spec.parameters}
    args = {**defaults, **(_of_consumer(call) if call.op == CONSUMER else materialise(call))}
    chip = load_product(call.product).chip
    count = cores or chip.aic
    own = run_oracle(METADATA, **args, aic_core_num=count, aiv_core_num=2 * count)["metadata"]
    if words is None and call.op == CONSUMER and (table := call.tensor("metadata")) is not None:
        words = _stated(call, "metadata") if table.values is not None else None
    work = Work(work_of(args), args["num_heads_q"] // args["num_heads_kv"], count)
    scenario = "window" if not args["has_cmp_kv"] else "window and compressed keys"
    if args["has_cmp_kv"] and args["cmp_topk"] > 0:
        scenario = "window and selected compressed keys"
    title = f"{call.id}: {len(work.batches)} batches, {work.rows} rows, {count} cube cores; {scenario}"
    return Subject(title, work, own.tolist() if words is None else words, words is not None)
