"""Is every template as stupid as the house asks: holes, loops, plain conditions, includes, and nothing that decides?

In: templates/, the loaded specs. Out: verdicts. Must never pass a construct that it does not know.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from fiagen import paths
from fiagen.emit.render import environment
from fiagen.load.hardware import chip_names, load_chip, load_dtypes, load_products

TEMPLATES = sorted(path.relative_to(paths.TEMPLATES).as_posix() for path in paths.TEMPLATES.rglob("*.jinja"))
PLAIN = (nodes.Template, nodes.Output, nodes.Getattr, nodes.Name, nodes.Not)
FILTERS = {"join", "indent"}
COMMENT = re.compile(r"\A\{# Draws   \S.*?\n   Context (.+?) #\}\n", re.DOTALL)
CONTEXT = re.compile(r"(fiagen\.view(?:\.[a-z_]+)+)(?:\.([A-Z]\w*))?(?: as [a-z.]+)?(?: \(([^)]*)\))?")


def names_of_types_and_chips() -> set[str]:
    """Words that only a view may spell."""
    words = {*load_dtypes(), *load_products(), *chip_names()} | {load_chip(name).chip.arch for name in chip_names()}
    spelled = {spec.cpp for spec in load_dtypes().values() if spec.cpp}
    # The kernel's own arithmetic and integers are not the operator's dtypes: sums and scores are fp32 in every variant,
    # a mask is bytes widened to half for the compare, lists are 64 bit.
    own = {"bool", "float", "half", "uint8_t", "int32_t", "int64_t", "uint64_t"}
    return {word for word in words | spelled if len(word) > 2} - own


TYPES_AND_CHIPS = names_of_types_and_chips()


def is_plain(node: nodes.Node) -> bool:
    """A field: view.a.b, loop.last, item.name."""
    while isinstance(node, nodes.Getattr):
        node = node.node
    return isinstance(node, nodes.Name)


def offences(text: str) -> list[str]:
    """What the house rules have against a template's text, each as kind and line."""
    try:
        tree = environment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        return [f"syntax at {error.lineno}"]
    found = []
    for node in tree.find_all(nodes.Node):
        place = f"{type(node).__name__} at {node.lineno}"
        if isinstance(node, nodes.If):
            test = node.test.node if isinstance(node.test, nodes.Not) else node.test
            if not is_plain(test) or node.elif_:
                found.append(f"condition at {node.lineno}")
        elif isinstance(node, nodes.For):
            more = node.test or node.recursive or node.else_
            if more or not is_plain(node.iter) or not isinstance(node.target, nodes.Name):
                found.append(f"loop at {node.lineno}")
        elif isinstance(node, nodes.Include):
            constant = isinstance(node.template, nodes.Const) and isinstance(node.template.value, str)
            if not (constant or is_plain(node.template)) or node.ignore_missing or not node.with_context:
                found.append(f"include at {node.lineno}")
        elif isinstance(node, nodes.Filter):
            if node.name not in FILTERS:
                found.append(f"filter {node.name} at {node.lineno}")
        elif isinstance(node, nodes.TemplateData):
            found += [f"word {w}" for w in re.findall(r"[A-Za-z0-9_]+", node.data) if w in TYPES_AND_CHIPS]
        elif isinstance(node, nodes.Const):
            if not isinstance(node.value, str):
                found.append(place)
        elif not isinstance(node, PLAIN):
            found.append(place)
    return found


def test_there_are_templates() -> None:
    assert len(TEMPLATES) >= 60 and "kernel/fused_attention.cpp.jinja" in TEMPLATES
    assert {"float16", "bfloat16_t", "910B1", "c220", "ascend950"} <= TYPES_AND_CHIPS


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_decides_nothing(name: str) -> None:
    assert offences((paths.TEMPLATES / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_says_what_it_draws_from_what(name: str) -> None:
    text = (paths.TEMPLATES / name).read_text(encoding="utf-8")
    opening = COMMENT.match(text)
    assert opening, text.splitlines()[:2]
    if opening[1] in ("none", "whatever the including template has"):
        assert "view." not in text[opening.end() :]
        return
    said = CONTEXT.search(opening[1])
    assert said, opening[1]
    module = import_module(said[1])
    assert said[2] is None or hasattr(module, said[2]), opening[1]
    fields = re.findall(r"[a-z_]+", said[3] or "") if said[2] and said[3] and "." not in said[3] else []
    known = getattr(module, said[2] or "", None)
    assert [name for name in fields if name not in getattr(known, "__dataclass_fields__", {name: 0})] == [], opening[1]
    assert [name for name in fields if f".{name}" not in text] == [], "told in the comment, not drawn"


@pytest.mark.parametrize("name", [name for name in TEMPLATES if not Path(name).name.startswith("_")])
def test_a_root_includes_only_partials(name: str) -> None:
    tree = environment().parse((paths.TEMPLATES / name).read_text(encoding="utf-8"))
    included = [node.template.value for node in tree.find_all(nodes.Include) if isinstance(node.template, nodes.Const)]
    assert all(Path(other).name.startswith("_") and other in TEMPLATES for other in included)


BROKEN = {
    "{{ view.a + 1 }}": "Add at 1",
    "{{ view.a * view.b }}": "Mul at 1",
    "{{ view.a // 2 }}": "FloorDiv at 1",
    "{{ -view.a }}": "Neg at 1",
    "{{ view.a ~ view.b }}": "Concat at 1",
    "{% if view.a == 2 %}x{% endif %}": "condition at 1",
    "{% if view.a in view.b %}x{% endif %}": "condition at 1",
    "{% if view.a and view.b %}x{% endif %}": "condition at 1",
    "{% if view.a is defined %}x{% endif %}": "condition at 1",
    "{% if view.a %}x{% elif view.b %}y{% endif %}": "condition at 1",
    "\n{% set a = view.b %}": "Assign at 2",
    "{% macro a(b) %}x{% endmacro %}": "Macro at 1",
    "{% import 'kernel/_x.jinja' as x %}": "Import at 1",
    "{% extends 'kernel/_x.jinja' %}": "Extends at 1",
    "{{ view.a | default('x') }}": "filter default at 1",
    "{{ view.a | upper }}": "filter upper at 1",
    "{{ view.a['b'] }}": "Getitem at 1",
    "{{ view.a() }}": "Call at 1",
    "{{ 'a' if view.b else 'c' }}": "CondExpr at 1",
    "{% for a in view.b if a.c %}x{% endfor %}": "loop at 1",
    "{% for a in view.b.items() %}x{% endfor %}": "loop at 1",
    "{% for a, b in view.c %}x{% endfor %}": "loop at 1",
    "{% include 'a' ignore missing %}": "include at 1",
    "{{ 3 }}": "Const at 1",
    "LocalTensor<bfloat16_t> x;": "word bfloat16_t",
    "for the 910B1 chip": "word 910B1",
    "{% if %}": "syntax at 1",
}


@pytest.mark.parametrize("text", list(BROKEN))
def test_the_rules_find_what_they_forbid(text: str) -> None:
    assert BROKEN[text] in offences(text)


def test_the_rules_let_plain_templates_pass() -> None:
    loop = "{% for a in view.b %}{{ a.c | join(', ') }}{% if not loop.last %},{% endif %}{% endfor %}"
    assert offences(loop + "{% include view.d %}") == []


def test_there_is_one_environment() -> None:
    places = {
        path.relative_to(paths.PACKAGE).as_posix()
        for path in paths.PACKAGE.rglob("*.py")
        if re.search(r"\bimport jinja2|from jinja2\b", path.read_text(encoding="utf-8"))
    }
    assert places == {"emit/render.py"}
    made = environment()
    assert made.undefined is jinja2.StrictUndefined and not made.autoescape
    assert made.trim_blocks and made.lstrip_blocks and made.keep_trailing_newline and made.newline_sequence == "\n"
    assert environment() is made
