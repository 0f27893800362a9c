"""The tree an expression is parsed into; every node knows its type.

In: nothing. Out: frozen node classes. Must never hold Python code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# "ints_list" and "strs" exist only as literals on the right of `in`. "tensor" has attributes and no value of its own;
# "opt_*" may be absent: `.given` may always be asked, the value only when it is given.
Type = Literal["int", "float", "bool", "str", "ints", "tensor", "opt_int", "opt_float", "opt_str", "opt_ints", "strs",
               "ints_list"]

TENSOR_ATTRIBUTES: dict[str, Type] = {
    "given": "bool",
    "shape": "ints",
    "dtype": "str",
    "format": "str",
    "numel": "int",
    "rank": "int",
    "contiguous": "bool",
    "dense_from": "int",
    # of a tensor list; a single tensor is a list of one, and the attributes above are those of the first tensor
    "count": "int",
    "numels": "ints",
    "ranks": "ints",
    "axis0": "ints",
    "axis1": "ints",
    "axis2": "ints",
    "axis3": "ints",
    # of a short integer tensor that a call wrote out (`listed` in its parameter): whether it did, and what
    "known": "bool",
    "values": "ints",
}


@dataclass(frozen=True)
class Const:
    value: int | float | bool | str
    type: Type


@dataclass(frozen=True)
class Name:
    name: str
    type: Type  # the type of its value: an "opt_int" name has type "int"
    declared: Type


@dataclass(frozen=True)
class Attr:
    name: str
    attr: str
    type: Type
    declared: Type


@dataclass(frozen=True)
class Index:
    base: Node
    index: int
    type: Type


@dataclass(frozen=True)
class Call:
    fn: str
    args: tuple[Node, ...]
    type: Type


@dataclass(frozen=True)
class Arith:
    op: Literal["+", "-", "*", "//", "%"]
    left: Node
    right: Node
    type: Type


@dataclass(frozen=True)
class Negative:
    value: Node
    type: Type


@dataclass(frozen=True)
class Compare:
    """A chain: items[0] ops[0] items[1] ops[1] ..."""

    ops: tuple[str, ...]
    items: tuple[Node, ...]
    type: Type = "bool"


@dataclass(frozen=True)
class Logic:
    op: Literal["and", "or"]
    items: tuple[Node, ...]
    type: Type = "bool"


@dataclass(frozen=True)
class Not:
    value: Node
    type: Type = "bool"


@dataclass(frozen=True)
class Choose:
    test: Node
    yes: Node
    no: Node
    type: Type


@dataclass(frozen=True)
class ListOf:
    items: tuple[Node, ...]
    type: Type


Node = Const | Name | Attr | Index | Call | Arith | Negative | Compare | Logic | Not | Choose | ListOf


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    if isinstance(node, (Compare, Logic, ListOf)):
        return node.items
    if isinstance(node, Call):
        return node.args
    if isinstance(node, Arith):
        return (node.left, node.right)
    if isinstance(node, (Negative, Not)):
        return (node.value,)
    if isinstance(node, Choose):
        return (node.test, node.yes, node.no)
    if isinstance(node, Index):
        return (node.base,)
    return ()


def leaves(node: Node) -> list[Name | Attr | Index]:
    """Names, attributes and indexed attributes in reading order, each once."""
    if isinstance(node, (Name, Attr)):
        return [node]
    if isinstance(node, Index) and isinstance(node.base, (Name, Attr)):
        return [node]
    found: list[Name | Attr | Index] = []
    for child in children(node):
        found.extend(leaf for leaf in leaves(child) if leaf not in found)
    return found
