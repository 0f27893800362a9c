"""Typed tree -> one English phrase.

In: a Node. Out: text a caller of the operator understands. Must never change the meaning for the sake of the wording.
"""

from __future__ import annotations

from fiagen.expr.functions import FUNCTIONS
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

_IS = {"==": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least",
       "in": "is one of", "not in": "is none of"}
_ATTRIBUTES = {
    "shape": "the shape of {0}",
    "dtype": "the dtype of {0}",
    "format": "the format of {0}",
    "numel": "the number of elements of {0}",
    "rank": "the rank of {0}",
    "given": "{0} is given",
    "contiguous": "{0} is contiguous",
    "dense_from": "the first densely stored axis of {0}",
    "count": "the number of tensors of {0}",
    "numels": "the numbers of elements of the tensors of {0}",
    "ranks": "the ranks of the tensors of {0}",
    "known": "the values of {0} are stated",
    "values": "the values of {0}",
    **{f"axis{n}": f"axis {n} of every tensor of {{0}}" for n in range(4)},
}
_BRACKETED = (Logic, Choose)


def _inner(node: Node) -> str:
    text = english(node)
    return f"({text})" if isinstance(node, _BRACKETED) else text


def _truth(node: Node, yes: bool) -> str:
    """A boolean as a statement, or its denial."""
    if isinstance(node, Name):
        return f"{node.name} is {'true' if yes else 'false'}"
    if isinstance(node, Attr):
        text = english(node)
        return text if yes else text.replace(" is ", " is not ", 1)
    if isinstance(node, Not):
        return _truth(node.value, not yes)
    if not yes and isinstance(node, Compare) and len(node.ops) == 1 and node.ops[0] in ("in", "not in", "==", "!="):
        opposite = {"in": "not in", "not in": "in", "==": "!=", "!=": "=="}[node.ops[0]]
        return english(Compare((opposite,), node.items))
    return english(node) if yes else f"it is not true that {_inner(node)}"


def _statement(node: Node) -> str:
    text = _truth(node, True)
    return f"({text})" if isinstance(node, _BRACKETED) else text


def _compare(node: Compare) -> str:
    first = node.items[0]
    if len(node.ops) == 2 and node.ops == ("<=", "<="):
        return f"{_inner(node.items[1])} is from {_inner(first)} to {_inner(node.items[2])}"
    parts = []
    for op, left, right in zip(node.ops, node.items, node.items[1:], strict=False):
        if op in ("==", "!=") and isinstance(right, Const) and isinstance(right.value, bool):
            parts.append(_truth(left, right.value == (op == "==")))
        elif (
            op in ("==", "!=")
            and isinstance(left, Arith)
            and left.op == "%"
            and isinstance(right, Const)
            and right.value == 0
        ):
            denied = "" if op == "==" else "not "
            parts.append(f"{_inner(left.left)} is {denied}a multiple of {_inner(left.right)}")
        else:
            parts.append(f"{_inner(left)} {_IS[op]} {_inner(right)}")
    return " and ".join(parts)


def english(node: Node) -> str:
    """The phrase for `node`; never empty."""
    if isinstance(node, Const):
        return str(node.value).lower() if isinstance(node.value, bool) else str(node.value) or "empty text"
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Attr):
        return _ATTRIBUTES[node.attr].format(node.name)
    if isinstance(node, Index):
        if isinstance(node.base, Attr):
            axis = "the last axis" if node.index == -1 else f"axis {node.index}"
            return f"{axis} of {node.base.name}"
        return f"entry {node.index} of {english(node.base)}"
    if isinstance(node, Arith):
        return f"{_operand(node.left)} {node.op} {_operand(node.right)}"
    if isinstance(node, Negative):
        return f"-{_operand(node.value)}"
    if isinstance(node, Compare):
        return _compare(node)
    if isinstance(node, Logic):
        return f" {node.op} ".join(_statement(item) for item in node.items)
    if isinstance(node, Not):
        return _truth(node.value, False)
    if isinstance(node, Choose):
        return f"{_inner(node.yes)} if {_statement(node.test)}, else {_inner(node.no)}"
    if isinstance(node, ListOf):
        return "(" + ", ".join(english(item) for item in node.items) + ")"
    return _call(node)


def _operand(node: Node) -> str:
    text = english(node)
    return f"({text})" if isinstance(node, (Arith, Choose)) else text


def _call(node: Call) -> str:
    given = tuple(arg.type for arg in node.args)
    function = next(f for f in FUNCTIONS[node.fn] if f.args == given)
    return function.english.format(*[_inner(arg) for arg in node.args])
