"""Typed tree -> Python closure that computes its value.

In: a Node. Out: a function of an environment. Must never see text or run anything but the listed functions.

The environment maps parameter and derived names to values: int, float, bool, str, tuple of int, TensorFact, or None for
an absent parameter. Asking an absent parameter for anything but `.given`, an axis that does not exist, or a division by
zero is an EvalError; `and`, `or` and conditionals look no further than they need to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fiagen.expr.functions import FUNCTIONS, add, clamp, multiply, product, subtract
from fiagen.expr.nodes import (
    Arith,
    Attr,
    Call,
    Choose,
    Compare,
    Const,
    Index,
    ListOf,
    Logic,
    Name,
    Negative,
    Node,
    Not,
)

Env = Mapping[str, Any]
Closure = Callable[[Env], Any]


class EvalError(Exception):
    """The value cannot be computed from this environment."""


@dataclass(frozen=True)
class TensorFact:
    """What a rule may know of a tensor. An absent one has `given` false and nothing else may be asked of it."""

    given: bool
    shape: tuple[int, ...] = ()
    dtype: str = ""
    format: str = "ND"
    contiguous: bool = True
    numel: int = field(init=False)
    rank: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numel", product(self.shape))
        object.__setattr__(self, "rank", len(self.shape))

    @property
    def _all(self) -> tuple[tuple[int, ...], ...]:
        return (self.shape,)

    @property
    def dense_from(self) -> int:
        """From this axis on the elements lie one after another."""
        return 0 if self.contiguous else self.rank

    @property
    def count(self) -> int:
        return len(self._all)

    @property
    def numels(self) -> tuple[int, ...]:
        return tuple(product(shape) for shape in self._all)

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(len(shape) for shape in self._all)

    def _axis(self, axis: int) -> tuple[int, ...]:
        return tuple(shape[axis] if axis < len(shape) else 0 for shape in self._all)

    @property
    def axis0(self) -> tuple[int, ...]:
        return self._axis(0)

    @property
    def axis1(self) -> tuple[int, ...]:
        return self._axis(1)

    @property
    def axis2(self) -> tuple[int, ...]:
        return self._axis(2)

    @property
    def axis3(self) -> tuple[int, ...]:
        return self._axis(3)

    @property
    def known(self) -> bool:
        """Whether `values` may be asked."""
        return False

    @property
    def values(self) -> tuple[int, ...]:
        raise EvalError("values that the call does not state")


@dataclass(frozen=True)
class ListedFact(TensorFact):
    """A list of integers on the device whose entries the call states."""

    entries: tuple[int, ...] = ()

    @property
    def known(self) -> bool:
        return True

    @property
    def values(self) -> tuple[int, ...]:
        return self.entries


@dataclass(frozen=True)
class ListFact(TensorFact):
    """A tensor list, or a tensor with gaps: `shapes` are those of all tensors, `shape` that of the first."""

    shapes: tuple[tuple[int, ...], ...] = ()
    dense: int = 0

    @property
    def _all(self) -> tuple[tuple[int, ...], ...]:
        return self.shapes

    @property
    def dense_from(self) -> int:
        return self.dense


def _name(node: Name) -> Closure:
    name = node.name
    if not node.declared.startswith("opt_"):
        return lambda env: env[name]

    def optional(env: Env) -> Any:
        value = env[name]
        if value is None:
            raise EvalError(f"{name} is not given")
        return value

    return optional


def _attr(node: Attr) -> Closure:
    name, attr = node.name, node.attr
    if node.declared != "tensor":
        return lambda env: env[name] is not None
    if attr == "given":
        return lambda env: env[name].given

    def attribute(env: Env) -> Any:
        fact = env[name]
        if not fact.given:
            raise EvalError(f"{name} is not given")
        return getattr(fact, attr)

    return attribute


def _index(node: Index) -> Closure:
    base, index = closure(node.base), node.index

    def at(env: Env) -> int:
        values = base(env)
        if not -len(values) <= index < len(values):
            raise EvalError(f"entry {index} of a list of {len(values)}")
        return values[index]

    return at


def _arith(node: Arith) -> Closure:
    left, right = closure(node.left), closure(node.right)
    if node.op in ("+", "-", "*"):
        operation = {"+": add, "-": subtract, "*": multiply}[node.op]
        return lambda env: operation(left(env), right(env))
    divide = node.op == "//"

    def divided(env: Env) -> int:
        dividend, divisor = left(env), right(env)
        if divisor == 0:
            raise EvalError("division by zero")
        return clamp(dividend // divisor) if divide else dividend % divisor

    return divided


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}


def _compare(node: Compare) -> Closure:
    items = [closure(item) for item in node.items]
    tests = [_TESTS[op] for op in node.ops]
    if len(tests) == 1:
        test, left, right = tests[0], items[0], items[1]
        return lambda env: test(left(env), right(env))

    def chain(env: Env) -> bool:
        before = items[0](env)
        for test, item in zip(tests, items[1:], strict=False):
            value = item(env)
            if not test(before, value):
                return False
            before = value
        return True

    return chain


def _logic(conjunction: bool, items: list[Closure]) -> Closure:
    """`and` or `or` of two nested pairwise: most rules are asked and end at their first condition."""
    first, rest = items[0], items[1] if len(items) == 2 else _logic(conjunction, items[1:])
    if conjunction:
        return lambda env: first(env) and rest(env)
    return lambda env: first(env) or rest(env)


def closure(node: Node) -> Closure:
    """The function that computes `node` from an environment."""
    if isinstance(node, Const):
        value = node.value
        return lambda env: value
    if isinstance(node, Name):
        return _name(node)
    if isinstance(node, Attr):
        return _attr(node)
    if isinstance(node, Index):
        return _index(node)
    if isinstance(node, Arith):
        return _arith(node)
    if isinstance(node, Compare):
        return _compare(node)
    if isinstance(node, Logic):
        return _logic(node.op == "and", [closure(item) for item in node.items])
    if isinstance(node, (Not, Negative)):
        inner = closure(node.value)
        return (lambda env: not inner(env)) if isinstance(node, Not) else (lambda env: clamp(-inner(env)))
    if isinstance(node, Choose):
        test, yes, no = closure(node.test), closure(node.yes), closure(node.no)
        return lambda env: yes(env) if test(env) else no(env)
    if isinstance(node, ListOf):
        parts = [closure(item) for item in node.items]
        if all(isinstance(item, Const) for item in node.items):
            fixed = tuple(part({}) for part in parts)
            return lambda env: fixed
        return lambda env: tuple([part(env) for part in parts])
    return _call(node)


def _call(node: Call) -> Closure:
    given = tuple(arg.type for arg in node.args)
    function = next(f.value for f in FUNCTIONS[node.fn] if f.args == given)
    args = [closure(arg) for arg in node.args]
    return lambda env: function(*[arg(env) for arg in args])
