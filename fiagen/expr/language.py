"""Expr: one parsed expression with its three printers.

In: text and a scope (name -> type). Out: Expr. Must never evaluate text with Python's own evaluator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fiagen.expr.cpp import cpp
from fiagen.expr.english import english
from fiagen.expr.evaluate import Closure, EvalError, ListedFact, ListFact, TensorFact, closure
from fiagen.expr.nodes import Attr, Index, Name, Node, Type, leaves
from fiagen.expr.parser import parse_tree

__all__ = ["Closure", "EvalError", "Expr", "ListFact", "ListedFact", "TensorFact", "parse"]


@dataclass(frozen=True)
class Expr:
    """A parsed expression. `type` is the type of its value."""

    text: str
    node: Node

    @property
    def type(self) -> Type:
        return self.node.type

    @cached_property
    def function(self) -> Closure:
        """`value` as a plain function of an environment, for those who ask it often."""
        return closure(self.node)

    def value(self, env: Mapping[str, Any]) -> Any:
        """The value in `env`: int, float, bool, str or tuple of int. EvalError when an absent argument is looked into,
        an axis does not exist, or a divisor is 0."""
        return self.function(env)

    def cpp(self) -> str:
        """C++17 text of the same value; see `fiagen.expr.cpp` for what it needs around it."""
        return cpp(self.node)

    def english(self) -> str:
        """The expression as a phrase, never empty."""
        return english(self.node)

    def names(self) -> tuple[str, ...]:
        """The parameters and derived quantities it reads, in reading order."""
        found: list[str] = []
        for leaf in leaves(self.node):
            base = leaf.base if isinstance(leaf, Index) else leaf
            if isinstance(base, (Name, Attr)) and base.name not in found:
                found.append(base.name)
        return tuple(found)

    def reads(self) -> tuple[str, ...]:
        """What it looks at, spelled as expressions: `query.shape[0]`, `Q_S`; in reading order, each once."""
        return tuple(dict.fromkeys(_spelled(leaf) for leaf in leaves(self.node)))


def _spelled(leaf: Name | Attr | Index) -> str:
    if isinstance(leaf, Index):
        base = leaf.base
        return f"{_spelled(base)}[{leaf.index}]" if isinstance(base, (Name, Attr)) else ""
    return f"{leaf.name}.{leaf.attr}" if isinstance(leaf, Attr) else leaf.name


def parse(text: str, scope: Mapping[str, Type], place: str = "") -> Expr:
    """`text` as an Expr over the names of `scope`; DiagnosticError with `expr.forbidden`, `expr.unknown_name`,
    `expr.wrong_type` or `expr.syntax` findings, at `place`."""
    return Expr(text, parse_tree(text, scope, place))
