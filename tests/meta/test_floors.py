"""Do imports run down the house, and does each tool stay in its room?

In: every module of fiagen. Out: verdicts. Must never let a new floor pass without a line in the table.
"""

from __future__ import annotations

import ast
import sys

import pytest
from tree_files import parsed, python_files, shown

# What each floor may import besides itself; `diagnostics` is everybody's.
BELOW: dict[str, set[str]] = {
    "paths": set(),
    "diagnostics": set(),
    "model": set(),
    "expr": set(),
    "load": {"paths", "model", "expr"},
    "check": {"paths", "model", "expr", "load"},
    "plan": {"model"},
    "view": {"model", "expr", "check", "plan"},
    "emit": {"paths", "model", "expr", "load", "check", "plan", "view"},
    "oracle": {"model"},
    "sim": {"paths"},
    "acl": {"paths", "model", "load", "sim"},
    "verify": {"paths", "model", "expr", "load", "check", "emit", "oracle", "sim", "acl"},
    "schedule": {"model", "load", "oracle", "verify"},
    "diff": {"paths", "model", "expr", "load", "check", "emit"},
    "torch": {"model", "load", "check", "view", "verify"},
    "cli": {
        "paths", "model", "expr", "load", "check", "plan", "emit", "oracle", "sim", "acl", "verify", "schedule", "diff",
    },
    "__init__": {"model", "check", "oracle", "verify"},
}  # fmt: skip
# Tools that only some floors may hold: who reads YAML reads specs, who runs commands touches the machine.
HOMES: dict[str, set[str]] = {
    "yaml": {"load"},
    "jinja2": {"emit"},
    "click": {"cli"},
    "rich": {"cli"},
    "pydantic": {"model", "load", "check"},
    "pydantic_core": {"model", "load"},
    "ctypes": {"sim", "acl", "verify"},
    "multiprocessing": {"verify", "cli"},
}
# The oracle is plain NumPy; the simulator's Python only compiles and calls.
ONLY: dict[str, set[str]] = {
    "oracle": {"numpy", "ml_dtypes", "en_dtypes"},
    "sim": {"numpy"},
    "expr": set(),
    "plan": set(),
}

MODULES = python_files("fiagen")


def floor_of(name: str) -> str:
    return name.split(".")[1] if "." in name else "__init__"


def module_name(path_text: str) -> str:
    """fiagen/emit/host.py -> fiagen.emit.host; fiagen/__init__.py -> fiagen."""
    return path_text.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(tree: ast.AST) -> set[str]:
    """Every module that a tree imports, wherever it does; `from fiagen import paths` is fiagen.paths."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            whole = node.module or ""
            found |= {f"fiagen.{item.name}" for item in node.names} if whole == "fiagen" else {whole}
    return found


def against_the_arrow(floor: str, imported: set[str]) -> list[str]:
    """The imports that a floor must not have."""
    allowed = BELOW[floor] | {floor, "diagnostics"}
    wrong = [name for name in imported if name.split(".")[0] == "fiagen" and floor_of(name) not in allowed]
    for name in imported:
        top = name.split(".")[0]
        foreign = top != "fiagen" and top not in sys.stdlib_module_names
        if floor not in HOMES.get(top, {floor}) or (floor in ONLY and foreign and top not in ONLY[floor]):
            wrong.append(name)
    return sorted(wrong)


def test_every_floor_is_in_the_table() -> None:
    assert {floor_of(module_name(shown(path))) for path in MODULES} == set(BELOW)


def test_imports_run_down() -> None:
    found = {shown(p): against_the_arrow(floor_of(module_name(shown(p))), imports_of(parsed(p))) for p in MODULES}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_the_floors_have_no_circle() -> None:
    order: list[str] = []
    while len(order) < len(BELOW):
        ready = [floor for floor, below in BELOW.items() if floor not in order and below <= set(order)]
        assert ready, sorted(set(BELOW) - set(order))
        order += ready


@pytest.mark.parametrize(
    ("floor", "line"),
    [
        ("oracle", "from fiagen.plan import plan_kernel"),
        ("oracle", "from fiagen.check import check_call"),
        ("oracle", "import scipy"),
        ("model", "from fiagen import paths"),
        ("sim", "from fiagen.acl.session import Session"),
        ("view", "def f():\n    from fiagen.emit.render import render"),
        ("plan", "import fiagen.load.hardware"),
        ("check", "import yaml"),
        ("verify", "from jinja2 import Environment"),
        ("expr", "import numpy"),
    ],
)
def test_an_import_against_the_arrow_is_found(floor: str, line: str) -> None:
    assert against_the_arrow(floor, imports_of(ast.parse(line)))


def test_an_import_down_is_fine() -> None:
    imported = imports_of(ast.parse("import jinja2\nfrom fiagen.view.kernel import view_kernel"))
    assert against_the_arrow("emit", imported) == []
