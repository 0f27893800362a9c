"""Does the expression language say what it should, and refuse what it must?"""

from __future__ import annotations

import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.expr import EvalError, TensorFact, parse

SCOPE = {"query": "tensor", "mask": "tensor", "B": "int", "N": "int", "layout": "str", "xs": "opt_ints", "on": "bool",
         "scale": "float", "ys": "ints"}
ENV = {"query": TensorFact(True, (2, 3, 4), "float16"), "mask": TensorFact(False), "B": 2, "N": -7, "layout": "BSH",
       "xs": None, "on": True, "scale": 0.5, "ys": (3, 1, 4)}


@pytest.mark.parametrize(("text", "value"), [
    ("query.shape[0] * query.shape[-1]", 8),
    ("N // 2", -4),
    ("N % 3", 2),
    ("-N", 7),
    ("2 if on and layout == 'BSH' else 3", 2),
    ("query.shape == [2, 3, 4]", True),
    ("query.shape in [[1, B], [B, 3, 4]]", True),
    ("layout not in ['TND', 'NTD']", True),
    ("1 <= B <= 2", True),
    ("1 <= B < 2", False),
    ("query.numel == 24 and query.rank == 3 and query.contiguous", True),
    ("not mask.given or mask.shape[0] == 1", True),
    ("max(ys) - min(ys)", 3),
    ("diff(ys)", (3, -2, 3)),
    ("expand([5], 3)", (5, 5, 5)),
    ("expand(ys, 2)", (3, 1)),
    ("fill(7, -1)", ()),
    ("ceil_div_each(ys, 2)", (2, 1, 2)),
    ("with_last(query.shape, 64)", (2, 3, 64)),
    ("non_decreasing(ys)", False),
    ("each_at_most([1, 2], [1, 2]) and not each_less([1, 2], [1, 2])", True),
    ("scale <= 1 and scale == 0.5", True),
    ("9223372036854775807 + B", 2**63 - 1),
    ("len(fill(1, 1000000000000))", 65537),
])
def test_value(text, value):
    assert parse(text, SCOPE).value(ENV) == value


@pytest.mark.parametrize(("text", "rule"), [
    ("__import__('os').system('true')", "expr.forbidden"),
    ("import os", "expr.syntax"),
    ("query.__class__", "expr.forbidden"),
    ("query.shape.__len__()", "expr.forbidden"),
    ("open('x')", "expr.forbidden"),
    ("[x for x in ys]", "expr.forbidden"),
    ("(lambda: 1)()", "expr.forbidden"),
    ("B / 2", "expr.forbidden"),
    ("B ** 2", "expr.forbidden"),
    ("B is None", "expr.forbidden"),
    ("(B := 3)", "expr.forbidden"),
    ("f'{B}' == layout", "expr.forbidden"),
    ("layout == '{{ 7 * 7 }}'", "expr.forbidden"),
    ("layout == '{% raw %}'", "expr.forbidden"),
    ("ys[B]", "expr.forbidden"),
    ("max(ys, key=len)", "expr.forbidden"),
    ("querry.shape[0]", "expr.unknown_name"),
    ("_B", "expr.unknown_name"),
    ("query", "expr.wrong_type"),
    ("layout == 3", "expr.wrong_type"),
    ("B and on", "expr.wrong_type"),
    ("B // 0", "expr.wrong_type"),
    ("B in ys", "expr.wrong_type"),
    ("on + on", "expr.wrong_type"),
    ("99999999999999999999", "expr.wrong_type"),
    ("B ==", "expr.syntax"),
    ("", "expr.syntax"),
    ("(" * 400 + "B" + ")" * 400, "expr.syntax"),
    ("not " * 100 + "on", "expr.forbidden"),
    ("B + " * 600 + "B", "expr.forbidden"),
])
def test_refused(text, rule):
    with pytest.raises(DiagnosticError) as caught:
        parse(text, SCOPE, "x.yaml:1:1")
    assert [d.rule for d in caught.value.diagnostics] == [rule]
    assert caught.value.diagnostics[0].place == "x.yaml:1:1"


def test_findings_of_all_parts_are_reported():
    with pytest.raises(DiagnosticError) as caught:
        parse("querry.rank == open('x') and (BB == 1 or N / 2 == 1)", SCOPE)
    assert sorted(d.rule for d in caught.value.diagnostics) == [
        "expr.forbidden", "expr.forbidden", "expr.unknown_name", "expr.unknown_name"]


def test_unknown_name_offers_the_nearest():
    with pytest.raises(DiagnosticError, match="Did you mean 'query'"):
        parse("querry.rank == 1", SCOPE)


@pytest.mark.parametrize(
    "text", ["mask.shape[0]", "query.shape[3]", "query.shape[-4]", "len(xs)", "B // (B - 2)", "mask.rank == 0"]
)
def test_looking_into_nothing_is_an_error(text):
    with pytest.raises(EvalError):
        parse(text, SCOPE).value(ENV)


@pytest.mark.parametrize(("text", "english"), [
    ("B % 16 == 0", "B is a multiple of 16"),
    ("1 <= B <= 16", "B is from 1 to 16"),
    ("layout in ['BSH', 'TND'] and not mask.given", "layout is one of (BSH, TND) and mask is not given"),
    ("query.shape[-1] >= 64", "the last axis of query is at least 64"),
    ("on == False", "on is false"),
    ("on and (B == 1 or N < 0)", "on is true and (B is 1 or N is less than 0)"),
])
def test_english(text, english):
    assert parse(text, SCOPE).english() == english


def test_names_and_reads():
    expr = parse("query.shape[0] == B and mask.given or query.shape[0] > N", SCOPE)
    assert expr.names() == ("query", "B", "mask", "N")
    assert expr.reads() == ("query.shape[0]", "B", "mask.given", "N")
