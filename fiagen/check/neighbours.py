"""Calls that differ from a given one in one argument, near the edges that a rule draws.

In: a call, its operator, expressions. Out: changed calls, always in the same order. Must never judge a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fiagen.check.compiled import CompiledOperator
from fiagen.expr import Expr
from fiagen.expr.nodes import Const, Node, children
from fiagen.model.call import Arg, Call, TensorArg, TensorSpec
from fiagen.model.op import Parameter

_NUMBERS = (0, 1, 2, 3, -1, 8, 16, 17, 64, 128, 512, 1024, 4096)
_FORMATS = ("FRACTAL_NZ", "NCHW")
_MOST = 2**40


@dataclass(frozen=True)
class Edges:
    """What a rule looks at: parameters, those it names itself first, and what it compares them with."""

    parameters: tuple[str, ...]
    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def _constants(node: Node) -> Iterator[Const]:
    if isinstance(node, Const):
        yield node
    for child in children(node):
        yield from _constants(child)


def edges(names: CompiledOperator, texts: Iterable[str]) -> Edges:
    """The edges of expressions, through the derived quantities they read."""
    ahead = [names.expr(text) for text in texts]
    seen: dict[str, None] = {}
    found: list[Const] = []
    while ahead:
        expr: Expr = ahead.pop(0)
        found += _constants(expr.node)
        for name in expr.names():
            if name not in seen:
                seen[name] = None
                derived = names.derived(name)
                if derived is not None:
                    ahead.append(derived)
    numbers = dict.fromkeys(c.value + step for c in found if type(c.value) is int for step in (0, -1, 1))
    return Edges(
        tuple(name for name in seen if name in names.operator.parameters),
        tuple(dict.fromkeys((*numbers, *_NUMBERS))),
        tuple(dict.fromkeys(c.value for c in found if isinstance(c.value, str))),
    )


def _scalars(parameter: Parameter, value: Any, near: Edges) -> Iterator[Arg]:
    if parameter.type == "bool":
        yield not value
    elif parameter.type == "str":
        yield from near.texts
        yield "nonsense"
    elif parameter.type == "float":
        yield from (float("nan"), 0.0, -1.0, float(near.numbers[-1]))
    elif isinstance(value, int):
        yield from dict.fromkeys(n for n in (value + 1, value - 1, 2 * value, value // 2, *near.numbers) if n != value)
    else:
        yield from near.numbers


def _lists(value: Any, near: Edges) -> Iterator[Arg]:
    entries: tuple[int, ...] = value if isinstance(value, tuple) and all(type(v) is int for v in value) else ()
    if not entries:
        yield from ((n,) for n in near.numbers)
        return
    for at in (len(entries) - 1, 0):
        for number in dict.fromkeys((entries[at] + 1, entries[at] - 1, *near.numbers)):
            yield (*entries[:at], number, *entries[at + 1 :])
    yield (*entries, entries[-1])
    yield entries[:-1]
    yield tuple(reversed(entries))
    yield ()


def _tensors(parameter: Parameter, tensor: TensorSpec, near: Edges, dtypes: Sequence[str]) -> Iterator[TensorArg]:
    shape = tensor.shape

    def made(**changes: Any) -> TensorArg:
        fields = {"shape": shape, "dtype": tensor.dtype, "format": tensor.format, **changes}
        return TensorArg(**fields)

    def sized(axis: int, sizes: Iterable[int]) -> Iterator[TensorArg]:
        for size in dict.fromkeys(sizes):
            if 0 <= size <= _MOST and size != shape[axis]:
                yield made(shape=(*shape[:axis], size, *shape[axis + 1 :]))

    yield from (made(dtype=dtype) for dtype in dict.fromkeys((*parameter.dtypes, *dtypes)) if dtype != tensor.dtype)
    for axis in reversed(range(len(shape))):
        yield from sized(axis, (shape[axis] + 1, shape[axis] - 1, 2 * shape[axis], shape[axis] // 2))
    yield made(shape=(1, *shape))
    yield made(shape=shape[1:])
    yield made(shape=(*shape, 1))
    for axis in reversed(range(len(shape))):
        yield from sized(axis, near.numbers)
    yield from (made(format=name) for name in _FORMATS if name != tensor.format)
    if len(shape) > 1:
        yield made(strides=tuple(reversed([max(1, n) for n in shape])))


def _values(
    parameter: Parameter, value: Any, near: Edges, donors: Sequence[Arg], dtypes: Sequence[str]
) -> Iterator[Arg | None]:
    """Other values of one argument; None takes it out."""
    if isinstance(value, TensorSpec):
        yield from _tensors(parameter, value, near, dtypes)
    elif parameter.type == "tensors" and isinstance(value, tuple) and value and isinstance(value[0], TensorSpec):
        yield from ((item,) for item in _tensors(parameter, value[0], near, dtypes))
        yield value + value
    elif parameter.type == "ints":
        yield from _lists(value, near)
    elif parameter.type not in ("tensor", "tensors"):
        yield from _scalars(parameter, parameter.default if value is None else value, near)
    if value is not None and not parameter.required:
        yield None
    yield from donors


def neighbours(
    call: Call, names: CompiledOperator, near: Edges, donors: Mapping[str, Sequence[Arg]], dtypes: Sequence[str]
) -> Iterator[tuple[str, Call]]:
    """(parameter, call with another value of it), for all parameters of the edges in turn; `donors` are values of elsewhere."""
    ahead = [
        (name, _values(names.operator.parameters[name], call.args.get(name), near, donors.get(name, ()), dtypes))
        for name in near.parameters
    ]
    while ahead:
        left = []
        for name, values in ahead:
            try:
                value = next(values)
            except StopIteration:
                continue
            left.append((name, values))
            args = {key: kept for key, kept in call.args.items() if key != name}
            yield name, replace(call, args=args if value is None else {**args, name: value}, expect=None)
        ahead = left
