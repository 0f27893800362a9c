"""Do the Python value and the printed C++ agree? Random expressions and environments, one compilation a batch."""

from __future__ import annotations

import re
import subprocess
from dataclasses import fields
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fiagen.diagnostics import DiagnosticError
from fiagen.expr import EvalError, TensorFact, parse
from fiagen.paths import TEMPLATES

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

SCOPE = {
    "q": "tensor",
    "m": "tensor",
    "A": "int",
    "B": "int",
    "name": "str",
    "xs": "opt_ints",
    "k": "opt_int",
    "on": "bool",
    "scale": "float",
    "ys": "ints",
}
BATCH = 80


INTS = ["A", "B", "q.rank", "q.numel", "q.shape[0]", "q.shape[-1]", "ys[0]", "2147483648", "9223372036854775807",
        "-9223372036854775807", "0", "1", "-3", "16", "64", "7"]
BOOLS = ["on", "q.given", "m.given", "xs.given", "q.contiguous", "True", "False"]
LISTS = ["ys", "q.shape", "[]", "(xs if xs.given else ys)", "[A, 3]"]
TEXTS = ["'BSH'", "'TND'", "name", "q.dtype", "q.format"]
NUMBERS = ["scale", "0.5", "-1.5", "1e300"]
# i, b, l, t, n: a part that is an integer, boolean, list, text or number; words in <> are alternatives.
FORMS = {
    "i": [
        "(i <+|-|*|//|%> i)",
        "(i <+|-|*|//|%> i)",
        "(-(i))",
        "abs(i)",
        "(i if b else i)",
        "(k if k.given else i)",
        "<min|max|sum|product|len|first|last|sum_of_squares>(l)",
        "<min|max|ceil_div|align_up>(i, i)",
        "max(i, i, i)",
    ],
    "b": [
        "(n <==|!=|LT|LE|GT|GE> n)",
        "(not b)",
        "(i LE i LT i)",
        "(b <and|or|==> b)",
        "(b <and|or> b <and|or> b)",
        "(t <==|!=> t)",
        "(t <in|not in> [t, t])",
        "(i in [i, i])",
        "(l <==|!=> l)",
        "(l in [l, l])",
        "non_decreasing(l)",
        "(not m.given or m.shape[0] == i)",
        "all_between(l, i, i)",
        "<each_less|each_at_most>(l, l)",
        "<all_at_least|all_at_most>(l, i)",
    ],
    "l": [
        "[i, i]",
        "diff(l)",
        "minus(l, l)",
        "take(l, 2)",
        "drop_last(l)",
        "with_last(l, i)",
        "fill(i, 3)",
        "expand(l, 4)",
        "ceil_div_each(l, i)",
        "(l if b else l)",
    ],
}
LEAVES = {"i": INTS, "b": BOOLS, "l": LISTS, "t": TEXTS, "n": [*INTS, *NUMBERS]}


def _expression(random, kind, depth):
    if depth == 0 or kind == "t" or random.random() < 0.15:
        return random.choice(LEAVES[kind])
    if kind == "n":
        kind = "i"
    form = re.sub(r"<([^>]*)>", lambda found: random.choice(found[1].split("|")), random.choice(FORMS[kind]))
    for word, sign in (("LT", "<"), ("LE", "<="), ("GT", ">"), ("GE", ">=")):
        form = form.replace(word, sign)
    return re.sub(r"\b[iblnt]\b", lambda found: _expression(random, found[0], depth - 1), form)


def _environment(random):
    def number():
        return random.choice([random.randint(-10, 300), random.randint(0, 3), random.randint(-(2**63), 2**63 - 1)])

    def entries():
        return tuple(
            random.choice([random.randint(-3, 5), random.randint(0, 2**40)]) for _ in range(random.randint(0, 5))
        )

    shape = tuple(random.randint(0, 4096) for _ in range(random.randint(0, 4)))
    tensor = TensorFact(True, shape, random.choice(["float16", "int8"]), "ND", random.random() < 0.5)
    return {
        "q": tensor,
        "m": random.choice([TensorFact(False), TensorFact(True, (3, 4), "bool")]),
        "A": number(),
        "B": number(),
        "name": random.choice(["BSH", "TND", ""]),
        "xs": random.choice([None, entries()]),
        "k": random.choice([None, number()]),
        "on": random.random() < 0.5,
        "scale": random.choice([0.0, -0.5, 1e300, 7.0, random.random()]),
        "ys": entries(),
    }


def _literal(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"
    if isinstance(value, float):
        return value.hex() if value - value == 0 else ("-" if value < 0 else "") + "INFINITY"
    if isinstance(value, str):
        return f'"{value}"'
    return "{" + ", ".join(_literal(v) for v in value) + "}"


def _assign(name, kind, value):
    if kind == "tensor":
        names = [f.name for f in fields(TensorFact)]
        return [f"c.{name}.{key} = {_literal(getattr(value, key))};" for key in names]
    if kind.startswith("opt_"):
        return [f"c.{name}.given = {_literal(value is not None)};"] + (
            [f"c.{name}.value = {_literal(value)};"] if value is not None else []
        )
    return [f"c.{name} = {_literal(value)};"]


CPP_TYPES = {"tensor": "fia::TensorFact", "int": "int64_t", "str": "std::string_view", "opt_ints": "fia::IntsFact",
             "opt_int": "fia::IntFact", "bool": "bool", "float": "double", "ints": "fia::Ints"}
PRELUDE = """#include <cmath>
#include <iostream>
#include "fia_expr.h"
void Show(int64_t v) { std::cout << v << "\\n"; }
void Show(bool v) { std::cout << (v ? "true" : "false") << "\\n"; }
void Show(std::string_view v) { std::cout << '<' << v << ">\\n"; }
void Show(const fia::Ints& v) { for (auto x : v) { std::cout << x << ","; } std::cout << "\\n"; }
"""


def _shown(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"<{value}>" if isinstance(value, str) else "".join(f"{v}," for v in value)


def _program(cases):
    members = "\n".join(f"    {CPP_TYPES[kind]} {name}{{}};" for name, kind in SCOPE.items())
    bodies = []
    for number, (expr, env) in enumerate(cases):
        lines = [line for name, kind in SCOPE.items() for line in _assign(name, kind, env[name])]
        cast = {"int": "int64_t", "bool": "bool", "str": "std::string_view", "ints": "fia::Ints"}[expr.type]
        lines.append(f"Show({cast}({expr.cpp()}));")
        bodies.append(f"void Case{number}()\n{{\n    Call c;\n    " + "\n    ".join(lines) + "\n}\n")
    calls = "".join(f"    Case{number}();\n" for number in range(len(cases)))
    return f"{PRELUDE}struct Call {{\n{members}\n}};\n{''.join(bodies)}int main()\n{{\n{calls}}}\n"


def _run(folder, cases, compiler="g++"):
    source, binary = folder / "cases.cpp", folder / "cases"
    source.write_text(_program(cases))
    subprocess.run(
        [
            compiler,
            "-std=c++17",
            "-O0",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-type-limits",
            "-Wno-tautological-compare",
            "-Wno-bool-compare",
            "-Wno-parentheses",
            f"-I{TEMPLATES / 'host' / 'static'}",
            "-fsanitize=undefined",
            "-fno-sanitize-recover=undefined",
            str(source),
            "-o",
            str(binary),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


@settings(max_examples=3, deadline=None, derandomize=True, database=None, phases=(Phase.generate,))
@given(st.integers(0, 2**32))
def test_python_and_cpp_agree(tmp_path_factory, seed):
    random = Random(seed)
    cases, expected = [], []
    for _ in range(BATCH):
        text, env = _expression(random, random.choice("iibbbl"), random.randint(1, 4)), _environment(random)
        try:
            expr = parse(text, SCOPE)
        except DiagnosticError as error:
            # The generator may write a literal division by 0, which the parser refuses.
            assert ["division by 0"] * len(error.diagnostics) == [d.given[:13] for d in error.diagnostics], text
            continue
        assert expr.english()
        try:
            value = expr.value(env)
        except EvalError:
            continue
        cases.append((expr, env))
        expected.append(_shown(value))
    assert len(cases) > BATCH // 3
    printed = _run(tmp_path_factory.mktemp("expr"), cases)
    wrong = [
        (e.text, e.cpp(), want, got) for (e, _), want, got in zip(cases, expected, printed, strict=False) if want != got
    ]
    assert not wrong
    assert len(printed) == len(expected)


def test_the_comparison_can_fail(tmp_path):
    env = {"q": TensorFact(True, (2,)), "m": TensorFact(False), "A": -7, "B": 2, "name": "BSH", "xs": None, "k": None,
           "on": True, "scale": 1.5, "ys": (1,)}
    expr = parse("A // B", SCOPE)
    assert expr.value(env) == -4
    assert _run(tmp_path, [(expr, env)]) == ["-4"]
    plain = type("Plain", (), {"type": "int", "cpp": lambda self: "c.A / c.B"})()
    assert _run(tmp_path, [(plain, env)]) == ["-3"]


@pytest.mark.parametrize("text", ["A // B", "q.shape[5]", "m.rank"])
def test_cpp_is_total_where_python_refuses(tmp_path, text):
    env = {"q": TensorFact(True, (2,)), "m": TensorFact(False), "A": -7, "B": 0, "name": "BSH", "xs": None, "k": None,
           "on": True, "scale": 1.5, "ys": (1,)}
    expr = parse(text, SCOPE)
    with pytest.raises(EvalError):
        expr.value(env)
    assert _run(tmp_path, [(expr, env)]) == ["0"]
