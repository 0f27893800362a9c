"""Text of an expression -> typed tree.

In: text and a mapping of name -> type. Out: a Node, or a DiagnosticError with every finding and its column. Must never
evaluate the text, and must refuse whatever is not on its list.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, cast

from fiagen.diagnostics import Diagnostic, DiagnosticError, suggestion
from fiagen.expr.functions import FUNCTIONS, INT_MAX, INT_MIN, clamp
from fiagen.expr.nodes import (
    TENSOR_ATTRIBUTES,
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
    Type,
)

_SOURCE = "the expression language of the spec files"
_MAX_TEXT, _MAX_DEPTH = 2000, 60
_ARITH: dict[type[ast.operator], Any] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARE: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
                                        ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in"}
_NUMBERS = ("int", "float")


class _Refused(Exception):
    """Carries one finding out of the part of the tree it makes meaningless."""

    def __init__(self, rule: str, node: ast.AST | None, given: str, allowed: str, why: str, fix: str) -> None:
        super().__init__(rule)
        self.rule, self.column = rule, getattr(node, "col_offset", 0) + 1
        self.given, self.allowed, self.why, self.fix = given, allowed, why, fix


def _forbidden(node: ast.AST, what: str) -> _Refused:
    return _Refused(
        "expr.forbidden",
        node,
        what,
        "literals, names, .shape[i] and the other tensor attributes, and/or/not, comparisons, + - * // %, "
        "x if c else y, in [...], and the listed functions",
        "Expressions state facts; they run nothing.",
        "Say it with the listed forms, or add a derived quantity.",
    )


def _wrong(node: ast.AST, given: str, allowed: str) -> _Refused:
    return _Refused("expr.wrong_type", node, given, allowed, "Both printers need to know the type of every part.",
                    "Compare or combine values of one type.")


class _Converter:
    def __init__(self, scope: Mapping[str, Type]) -> None:
        self.scope = scope
        self.found: list[_Refused] = []

    def convert(self, node: ast.AST, depth: int = 0) -> Node:
        if depth > _MAX_DEPTH:
            raise _forbidden(node, f"nesting deeper than {_MAX_DEPTH}")
        method = getattr(self, "on_" + type(node).__name__, None)
        if method is None:
            raise _forbidden(node, type(node).__name__)
        return cast(Node, method(node, depth + 1))

    def several(self, nodes: list[Any], depth: int) -> list[Node]:
        """Converts all, so that the findings of one don't hide those of the next; raises the first."""
        done: list[Node] = []
        refused: list[_Refused] = []
        for node in nodes:
            try:
                done.append(self.convert(node, depth))
            except _Refused as problem:
                refused.append(problem)
        if refused:
            self.found.extend(refused[1:])
            raise refused[0]
        return done

    def typed(self, node: ast.AST, given: Node, *types: Type) -> Node:
        if given.type not in types:
            raise _wrong(node, f"a value of type {given.type}", " or ".join(types))
        return given

    def on_Constant(self, node: ast.Constant, depth: int) -> Node:
        value = node.value
        if isinstance(value, bool):
            return Const(value, "bool")
        if isinstance(value, int):
            if not INT_MIN <= value <= INT_MAX:
                raise _wrong(node, str(value)[:40], "a 64-bit integer")
            return Const(value, "int")
        if isinstance(value, float):
            return Const(value, "float")
        if isinstance(value, str):
            if not value.isascii() or not value.isprintable() or any(c in "{}\\\"'%" for c in value):
                raise _forbidden(node, "a string with braces, quotes, backslashes, % or unprintable characters")
            return Const(value, "str")
        raise _forbidden(node, f"the literal {value!r}")

    def on_Name(self, node: ast.Name, depth: int) -> Node:
        declared = self.scope.get(node.id)
        if declared is None or node.id.startswith("_"):
            raise _Refused("expr.unknown_name", node, f"name {node.id!r}", "a parameter or a derived quantity",
                           "Nothing of that name is known here.", suggestion(node.id, self.scope))
        if declared == "tensor":
            raise _wrong(node, f"tensor {node.id} as a value", f"one of its attributes: {', '.join(TENSOR_ATTRIBUTES)}")
        return Name(node.id, cast(Type, declared.removeprefix("opt_")), declared)

    def on_Attribute(self, node: ast.Attribute, depth: int) -> Node:
        if not isinstance(node.value, ast.Name):
            raise _forbidden(node, f"attribute {node.attr!r} of something that is no parameter")
        owner = node.value.id
        declared = self.scope.get(owner)
        if declared is None or owner.startswith("_"):
            return self.on_Name(node.value, depth)
        known: dict[str, Type] = TENSOR_ATTRIBUTES if declared == "tensor" else (
            {"given": "bool"} if declared.startswith("opt_") else {})
        if node.attr not in known:
            raise _Refused("expr.forbidden", node, f"attribute {node.attr!r} of {owner}",
                           ", ".join(known) or "no attribute", "Only facts of an argument can be asked.",
                           suggestion(node.attr, known))
        return Attr(owner, node.attr, known[node.attr], declared)

    def on_Subscript(self, node: ast.Subscript, depth: int) -> Node:
        base = self.typed(node, self.convert(node.value, depth), "ints")
        index = node.slice
        sign = 1
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            sign, index = -1, index.operand
        if not (isinstance(index, ast.Constant) and type(index.value) is int and index.value < 64):
            raise _forbidden(node, "an index that is not a small integer literal")
        return Index(base, sign * index.value, "int")

    def on_List(self, node: ast.List, depth: int) -> Node:
        items = self.several(node.elts, depth)
        kinds = {item.type for item in items}
        if kinds <= {"int"}:
            return ListOf(tuple(items), "ints")
        for kind, result in (("str", "strs"), ("ints", "ints_list")):
            if kinds == {kind}:
                return ListOf(tuple(items), cast(Type, result))
        raise _wrong(node, "a list of " + ", ".join(sorted(kinds)), "a list of integers, of texts, or of integer lists")

    def on_UnaryOp(self, node: ast.UnaryOp, depth: int) -> Node:
        value = self.convert(node.operand, depth)
        if isinstance(node.op, ast.Not):
            return Not(self.typed(node.operand, value, "bool"))
        if isinstance(node.op, ast.USub):
            self.typed(node.operand, value, "int", "float")
            if isinstance(value, Const) and not isinstance(value.value, (bool, str)):
                return Const(clamp(-value.value) if isinstance(value.value, int) else -value.value, value.type)
            if value.type == "int":
                return Negative(value, "int")
        raise _forbidden(node, f"operator {type(node.op).__name__}")

    def on_BinOp(self, node: ast.BinOp, depth: int) -> Node:
        op = _ARITH.get(type(node.op))
        if op is None:
            raise _forbidden(node, f"operator {type(node.op).__name__}")
        left, right = self.several([node.left, node.right], depth)
        self.typed(node.left, left, "int")
        self.typed(node.right, right, "int")
        if op in ("//", "%") and isinstance(right, Const) and right.value == 0:
            raise _wrong(node.right, "division by 0", "another divisor")
        return Arith(op, left, right, "int")

    def on_BoolOp(self, node: ast.BoolOp, depth: int) -> Node:
        items = self.several(node.values, depth)
        for where, item in zip(node.values, items, strict=False):
            self.typed(where, item, "bool")
        return Logic("and" if isinstance(node.op, ast.And) else "or", tuple(items))

    def on_Compare(self, node: ast.Compare, depth: int) -> Node:
        items = self.several([node.left, *node.comparators], depth)
        ops = [_COMPARE.get(type(op), "") for op in node.ops]
        if "" in ops:
            raise _forbidden(node, "an identity test")
        for op, where, left, right in zip(ops, node.comparators, items, items[1:], strict=False):
            if op in ("in", "not in"):
                wanted = {"int": "ints", "str": "strs", "ints": "ints_list"}.get(left.type)
                empty = isinstance(right, ListOf) and not right.items
                if not isinstance(right, ListOf) or (right.type != wanted and not empty) or empty:
                    raise _wrong(where, f"{left.type} in {right.type}", "a literal list of values of the same type")
                if len(ops) > 1:
                    raise _forbidden(node, "'in' inside a chain of comparisons")
            elif left.type in _NUMBERS and right.type in _NUMBERS:
                continue
            elif left.type != right.type or left.type in ("strs", "ints_list") or op not in ("==", "!="):
                raise _wrong(
                    where, f"{left.type} {op} {right.type}", "two values of one type; < and > for numbers only"
                )
        return Compare(tuple(ops), tuple(items))

    def on_IfExp(self, node: ast.IfExp, depth: int) -> Node:
        test, yes, no = self.several([node.test, node.body, node.orelse], depth)
        self.typed(node.test, test, "bool")
        if yes.type != no.type or yes.type in ("strs", "ints_list"):
            raise _wrong(node.orelse, f"{yes.type} or else {no.type}", "two values of one type")
        return Choose(test, yes, no, yes.type)

    def on_Call(self, node: ast.Call, depth: int) -> Node:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise _forbidden(node, "a call of something that is no listed function, or with keywords")
        overloads = FUNCTIONS.get(node.func.id)
        if overloads is None:
            raise _Refused("expr.forbidden", node, f"a call of {node.func.id!r}", "a call of a listed function",
                           "Expressions state facts; they run nothing.", suggestion(node.func.id, FUNCTIONS))
        args = self.several(node.args, depth)
        given = tuple(arg.type for arg in args)
        for overload in overloads:
            if overload.args == given:
                return Call(node.func.id, tuple(args), overload.result)
        raise _wrong(node, f"{node.func.id}({', '.join(given)})",
                     " or ".join(f"{node.func.id}({', '.join(o.args)})" for o in overloads))


def parse_tree(text: str, scope: Mapping[str, Type], place: str = "") -> Node:
    """The typed tree of `text`. `place` (file:line:column of the text) goes into the findings, moved to their column.
    """
    converter = _Converter(scope)
    try:
        if len(text) > _MAX_TEXT:
            raise _Refused("expr.forbidden", None, f"{len(text)} characters", f"at most {_MAX_TEXT}",
                           "Nobody can read it.", "Name its parts as derived quantities.")
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            column = getattr(error, "offset", None) or 1
            refused = _Refused("expr.syntax", None, repr(text[:60]), "one expression", "It does not parse.",
                               "Repair the expression.")
            refused.column = column
            raise refused from None
        return converter.convert(tree.body)
    except _Refused as problem:
        converter.found.insert(0, problem)
    raise DiagnosticError(
        Diagnostic(
            p.rule,
            "error",
            f"{p.given} at column {p.column} of `{text if len(text) < 200 else text[:200] + '...'}`",
            p.allowed,
            p.why,
            p.fix,
            _SOURCE,
            place,
        )
        for p in converter.found
    )
