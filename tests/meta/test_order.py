"""Is the house in order: short modules that open with what they are for, tests that can fail, nothing of this machine?

In: the whole tree. Out: verdicts. Must never pass because it looked at no file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tree_files import BROKEN_ON_PURPOSE, ROOT, TEXT, files, parsed, python_files, shown

MOST_LINES = 400
ALL = [path for path in files() if not shown(path).startswith(BROKEN_ON_PURPOSE)]
CODE = [path for path in files("fiagen", "templates") if path.suffix in (".py", ".cpp", ".h", ".jinja")]
TESTS = [path for path in python_files("tests") if path.name.startswith("test_")]
# Spelled in two parts, so that this file does not find itself.
UNDONE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
HERE_ONLY = re.compile(r"(?<![\w.}$<])/(?:home|root|work|tmp|mnt|Users|opt|srv|var)/" r"\w")
ADDRESS = re.compile(r"\bhttps?:" r"//([\w.-]+)")
# Names that mean something although nobody looks there: the licence's text, XML's and JSON Schema's vocabularies; and
# this machine, as a test's own server.
NAMES = {"www.apache.org", "www.w3.org", "json-schema.org", "127.0.0.1"}
# Test modules that may skip, each with its reason; they have to say so aloud.
MAY_SKIP = {"tests/docs/test_browser.py": "needs a browser, which no package index brings"}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_tree_is_there() -> None:
    assert len(ALL) > 250 and len(CODE) > 120 and len(TESTS) > 20
    assert {path.suffix for path in ALL} <= TEXT, "a file of a kind nobody reads"


def faulty(paths: Iterable[Path], wrong: Callable[[Path], object]) -> dict[str, object]:
    """What is wrong with which file; {} when nothing is."""
    found = {shown(path): wrong(path) for path in paths}
    assert found
    return {name: fault for name, fault in found.items() if fault}


def test_a_module_is_short() -> None:
    def too_long(path: Path) -> int:
        lines = len(text_of(path).splitlines())
        return lines if lines > MOST_LINES else 0

    assert faulty(CODE, too_long) == {}


def test_a_module_says_what_goes_in_and_out() -> None:
    def unsaid(path: Path) -> list[str]:
        said = ast.get_docstring(parsed(path)) or ""
        words = [word for word in ("In:", "Out:", "never") if word not in said]
        return words if sum(bool(line.strip()) for line in said.splitlines()) >= 2 else [*words, "two lines"]

    assert faulty(python_files("fiagen", ".ci"), unsaid) == {}


def test_a_source_opens_with_a_comment() -> None:
    sources = [path for path in files("fiagen", "tests") if path.suffix in (".cpp", ".h")]
    assert faulty(sources, lambda path: not text_of(path).startswith(("//", "/*"))) == {}


def test_a_test_module_asks_a_question() -> None:
    assert faulty(python_files("tests"), lambda path: not ast.get_docstring(parsed(path))) == {}


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def calls_of(node: ast.AST) -> set[str]:
    called = [item.func for item in ast.walk(node) if isinstance(item, ast.Call)]
    named = [item for item in called if isinstance(item, (ast.Name, ast.Attribute))]
    return {item.id if isinstance(item, ast.Name) else item.attr for item in named}


def can_fail(node: ast.AST) -> bool:
    """It asserts something that is not a constant, or expects an exception."""
    checks = [item.test for item in ast.walk(node) if isinstance(item, ast.Assert)]
    called = calls_of(node)
    asserts = any(not isinstance(check, ast.Constant) for check in checks)
    return asserts or "raises" in called or any(name.startswith("assert_") for name in called)


def without_assertion(tree: ast.Module, helpers: dict[str, ast.FunctionDef]) -> list[str]:
    """Tests of a module that cannot fail, neither themselves nor in the helpers that they call."""
    own = {**helpers, **functions_of(tree)}
    strict = {name for name, node in own.items() if can_fail(node)}
    while True:
        more = {name for name, node in own.items() if name not in strict and calls_of(node) & strict}
        if not more:
            return sorted(name for name in functions_of(tree) if name.startswith("test") and name not in strict)
        strict |= more


HELPERS = {
    name: node
    for path in python_files("tests")
    if path not in TESTS
    for name, node in functions_of(parsed(path)).items()
}


def test_a_test_can_fail() -> None:
    assert faulty(TESTS, lambda path: without_assertion(parsed(path), HELPERS)) == {}
    assert faulty(TESTS, lambda path: not any(name.startswith("test") for name in functions_of(parsed(path)))) == {}


def test_a_test_is_not_skipped() -> None:
    words = {"skip", "skipif", "xfail", "importorskip", "skipTest"}

    def skipping(path: Path) -> set[str]:
        tree = parsed(path)
        used = calls_of(tree) | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        aloud = shown(path) in MAY_SKIP and "warn" in used
        return set() if aloud else used & words

    assert faulty(TESTS, skipping) == {}


def test_a_test_that_cannot_fail_is_found() -> None:
    tree = ast.parse(
        "def helper(x):\n    assert x\ndef test_a():\n    helper(1)\ndef test_b():\n    print(1)\n"
        "def test_c():\n    assert True\ndef test_d():\n    with pytest.raises(ValueError):\n        f()\n"
    )
    assert without_assertion(tree, {}) == ["test_b", "test_c"]


def test_a_file_is_of_this_project_alone() -> None:
    def foreign(path: Path) -> list[str]:
        text = text_of(path)
        hosts = [host for host in ADDRESS.findall(text) if host not in NAMES and not host.endswith(".example")]
        return [*UNDONE.findall(text), *HERE_ONLY.findall(text), *hosts]

    assert faulty(ALL, foreign) == {}


def test_a_file_is_clean_text() -> None:
    def unclean(path: Path) -> list[str]:
        text = text_of(path)
        faults = {
            "carriage return": "\r" in text,
            "no newline at the end": bool(text) and not text.endswith("\n"),
            "empty lines at the end": text.endswith("\n\n"),
            "space at the end of a line": bool(re.search(r"[ \t]$", text, re.MULTILINE)),
            "tab": "\t" in text and path.name != "Makefile",
        }
        return [name for name, found in faults.items() if found]

    assert faulty([path for path in ALL if path.suffix not in (".css", ".js")], unclean) == {}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (UNDONE, "# TO" "DO: later"),
        (HERE_ONLY, "see /work" "/shared/x"),
        (HERE_ONLY, "'/ro" "ot/x'"),
        (ADDRESS, "htt" "p://a.b/c"),
    ],
)
def test_what_does_not_belong_is_found(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def test_every_test_folder_named_in_the_makefile_has_tests() -> None:
    named = set(re.findall(r"\btests/(\w+)", text_of(ROOT / "Makefile")))
    there = {shown(path).split("/")[1] for path in TESTS}
    assert named and named <= there, sorted(named - there)
