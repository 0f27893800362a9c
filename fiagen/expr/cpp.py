"""Typed tree -> C++17 expression.

In: a Node. Out: C++ text that gives the same value as `evaluate`. Must never print a division, remainder, product, sum
or difference that C++ leaves undefined: those go through the total helpers of namespace fia.

What the C++ side must provide (names print as `c.<name>`; all of it lives in one header):
    namespace fia {
    using Ints = std::vector<int64_t>;
    struct TensorFact { bool given; Ints shape; std::string_view dtype, format; int64_t numel, rank; bool contiguous; };
    struct IntFact   { bool given; int64_t value; };           // a scalar parameter without a default
    struct FloatFact { bool given; double value; };
    struct TextFact  { bool given; std::string_view value; };
    struct IntsFact  { bool given; Ints value; };              // a host list parameter
    int64_t At(const Ints&, int64_t);                          // negative counts from the end; 0 beyond the ends
    int64_t Add, Sub, Mul(int64_t, int64_t), Neg(int64_t);     // stop at the 64-bit limits
    int64_t FloorDiv, FloorMod(int64_t, int64_t);              // round down; 0 for a divisor of 0
    template <class T> bool In(const T&, std::initializer_list<T>);   // T not deduced from the list
    ... and the functions of `fiagen.expr.functions` under their `cpp` names.
    }
Tensor lists and stated values have no C++ side yet: their attributes (count, numels, ranks, axis0 to axis3, dense_from,
known, values) don't compile there. Scalars, strings (std::string_view) and derived quantities are plain members of `c`
of type int64_t, double, bool, std::string_view and Ints. An absent argument is never looked into: the text keeps the
order of evaluation that Python has.
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

_ARITH = {"+": "fia::Add", "-": "fia::Sub", "*": "fia::Mul", "//": "fia::FloorDiv", "%": "fia::FloorMod"}
_LOGIC = {"and": " && ", "or": " || "}
_CPP_TYPE = {"int": "int64_t", "str": "std::string_view", "ints": "fia::Ints"}


def _const(node: Const) -> str:
    value = node.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float):
        return repr(value)
    if value == -(2**63):
        return "INT64_MIN"
    return str(value) if abs(value) < 2**31 else f"INT64_C({value})"


def _tight(node: Node) -> str:
    """`node` in brackets unless it is one token or call."""
    text = cpp(node)
    return f"({text})" if isinstance(node, (Compare, Logic, Choose)) and not _is_call(node) else text


def _operand(node: Node) -> str:
    """An operand of && or ||: a single comparison needs no brackets there."""
    return cpp(node) if isinstance(node, Compare) and len(node.ops) == 1 else _tight(node)


def _is_call(node: Node) -> bool:
    return isinstance(node, Compare) and node.ops == ("in",)


def _one_comparison(op: str, left: Node, right: Node) -> str:
    if op in ("in", "not in"):
        items = right.items if isinstance(right, ListOf) else ()
        listed = ", ".join(cpp(item) for item in items)
        return f"{'!' if op == 'not in' else ''}fia::In<{_CPP_TYPE[left.type]}>({cpp(left)}, {{{listed}}})"
    left_text, right_text = _tight(left), _tight(right)
    if isinstance(left, Const) and isinstance(right, Const) and left.type == "str":
        left_text = f"std::string_view({left_text})"
    if left.type != right.type:  # an int beside a float compares exactly in Python
        return f"fia::Compare({left_text}, {right_text}) {op} 0"
    return f"{left_text} {op} {right_text}"


def _choose(node: Choose) -> str:
    kind = {"int": "int64_t", "str": "std::string_view"}.get(node.type)
    branches = []
    for branch in (node.yes, node.no):
        text = _tight(branch)
        branches.append(f"{kind}({text})" if kind and isinstance(branch, Const) else text)
    return f"{_tight(node.test)} ? {branches[0]} : {branches[1]}"


def cpp(node: Node) -> str:
    """C++ text of `node`."""
    if isinstance(node, Const):
        return _const(node)
    if isinstance(node, Name):
        return f"c.{node.name}" + (".value" if node.declared.startswith("opt_") else "")
    if isinstance(node, Attr):
        return f"c.{node.name}.{node.attr}"
    if isinstance(node, Index):
        return f"fia::At({cpp(node.base)}, {node.index})"
    if isinstance(node, Arith):
        return f"{_ARITH[node.op]}({cpp(node.left)}, {cpp(node.right)})"
    if isinstance(node, Negative):
        return f"fia::Neg({cpp(node.value)})"
    if isinstance(node, Compare):
        pairs = zip(node.ops, node.items, node.items[1:], strict=False)
        return " && ".join(_one_comparison(op, left, right) for op, left, right in pairs)
    if isinstance(node, Logic):
        return _LOGIC[node.op].join(_operand(item) for item in node.items)
    if isinstance(node, Not):
        return f"!{_tight(node.value)}"
    if isinstance(node, Choose):
        return _choose(node)
    if isinstance(node, ListOf):
        listed = ", ".join(cpp(item) for item in node.items)
        return f"fia::Ints{{{listed}}}"
    return _call(node)


def _call(node: Call) -> str:
    given = tuple(arg.type for arg in node.args)
    function = next(f for f in FUNCTIONS[node.fn] if f.args == given)
    args = [cpp(arg) for arg in node.args]
    if node.fn == "abs" and isinstance(node.args[0], Const) and node.args[0].type == "int":
        args = [f"int64_t({args[0]})"]  # a plain int would fit both overloads alike
    return f"{function.cpp}({', '.join(args)})"
