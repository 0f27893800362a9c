"""Is every generated kernel one plain AscendC file that two compilers take without a warning?

In: the text of every variant's kernel, specs/api. Out: verdicts. Must never skip a kernel or a compiler.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from fiagen import paths
from fiagen.emit.host import emit_host
from fiagen.emit.kernels import emit_kernel
from fiagen.load.reference import load_apis
from fiagen.load.variants import load_variants
from fiagen.sim.build import find_compiler

VARIANTS = list(load_variants())
WARNINGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{paths.SIM_INCLUDE}")
# The machine's own compiler (g++ where there is one) and clang, which the package ziglang brings everywhere.
COMPILERS = {"own": find_compiler(), "clang": (sys.executable, "-m", "ziglang", "c++")}
# Words of the language that look like calls, and what a kernel file has from the headers besides calls: the macro of
# the entry, and the members by which tensors and buffers are made and read.
LANGUAGE = {"if", "for", "while", "return", "sizeof", "static_assert", "static_cast", "reinterpret_cast"}
BUILTINS = {"__builtin_inff"}
MACROS = {"KERNEL_TASK_TYPE_DEFAULT"}
MEMBERS = {"Get", "GetValue", "SetGlobalBuffer"}
CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*(?:<[\w\s,:]*>)?\s*\(")
MEMBER_CALL = re.compile(r"\.(\w+)\s*(?:<[\w\s,:]*>)?\s*\(")
DEFINED = re.compile(r"\binline (?:[\w:<>&*]+ )?(\w+)\(|\bvoid (\w+)\(")


@cache
def code_of(name: str) -> str:
    """A kernel's text without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", emit_kernel(name).text, flags=re.DOTALL)


def compile_with(compiler: str, source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    target = source.with_suffix(f".{compiler}.o")
    command = (*COMPILERS[compiler], *WARNINGS, *flags, "-c", str(source), "-o", str(target))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def calls_in(code: str) -> tuple[set[str], set[str], set[str]]:
    """Functions that a text calls without defining them, members it calls, and functions it defines."""
    defined = {name for pair in DEFINED.findall(code) for name in pair if name}
    return set(CALL.findall(code)) - defined - LANGUAGE - BUILTINS - MACROS, set(MEMBER_CALL.findall(code)), defined


def known_calls() -> set[str]:
    return {call.name for family in load_apis() if family.arch == "c220" for call in family.calls}


def foreign(code: str) -> list[str]:
    """What a kernel file must not hold."""
    found = []
    includes = re.findall(r"(?m)^\s*#\s*(\w+)\s*(.*)$", code)
    found += [f"#{word} {rest}" for word, rest in includes if (word, rest) != ("include", '"kernel_operator.h"')]
    found += re.findall(r"\bstd::\w*", code)
    found += re.findall(r"(?<!static_)\bassert\s*\(", code)
    found += re.findall(r"\b(?:new|delete|malloc|printf|throw|try|goto|dynamic_cast|virtual)\b", code)
    found += re.findall(r"(?m)^\s+template\s*<\s*>", code)  # an explicit specialisation inside a class
    return found


def test_the_tools_are_there() -> None:
    assert len(VARIANTS) == 64
    assert find_spec("ziglang"), "pip install -e .[dev]"


@pytest.mark.parametrize("compiler", list(COMPILERS))
@pytest.mark.parametrize("name", VARIANTS)
def test_a_kernel_compiles_without_a_warning(tmp_path: Path, name: str, compiler: str) -> None:
    source = tmp_path / f"{name}.cpp"
    source.write_text(emit_kernel(name).text, encoding="utf-8")
    done = compile_with(compiler, source)
    assert done.returncode == 0 and done.stderr == "", done.stderr[:3000]


@pytest.mark.parametrize("compiler", list(COMPILERS))
def test_the_host_code_compiles_without_a_warning(tmp_path: Path, compiler: str) -> None:
    for op in sorted({variant.op for _, variant in load_variants().values()}):
        for file in emit_host(op):
            (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file.path).write_text(file.text, encoding="utf-8")
        sources = sorted((tmp_path / op).rglob("*.cpp"))
        assert len(sources) >= 3
        for source in sources:
            folders = (tmp_path / op / "host", tmp_path / op / "aclnn", paths.ACL_INCLUDE)
            done = compile_with(compiler, source, *(f"-I{folder}" for folder in folders))
            assert done.returncode == 0 and done.stderr == "", done.stderr[:3000]


@pytest.mark.parametrize("compiler", list(COMPILERS))
@pytest.mark.parametrize(
    "more", ["void F() { int unused; }", "int F(int x) { if (x = 1) return 2; return 3; }", "int F() { return NONE; }"]
)
def test_the_compilers_do_complain(tmp_path: Path, compiler: str, more: str) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(f"{emit_kernel(VARIANTS[0]).text}\n{more}\n", encoding="utf-8")
    assert compile_with(compiler, source).returncode != 0


@pytest.mark.parametrize("name", VARIANTS)
def test_a_kernel_holds_nothing_foreign(name: str) -> None:
    assert foreign(code_of(name)) == []
    assert code_of(name).count('#include "kernel_operator.h"') == 1
    assert code_of(name).count('extern "C" __global__ __aicore__ void') == 1


@pytest.mark.parametrize(
    "text",
    ["#include <cmath>", '#include "other.h"', "#define X 1", "std::max(a, b)", "assert(a)", "int* p = new int;",
     "class A {\n    template <> int x;"],
)  # fmt: skip
def test_what_is_foreign_is_found(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_kernel_calls_only_what_is_documented(name: str) -> None:
    called, members, _ = calls_in(code_of(name))
    known = known_calls()
    assert len(called) > 20 and {"DataCopy", "Mmad", "Select" if "nomask" not in name else "Exp"} <= called
    assert sorted(called - known) == [], "no entry in specs/api"
    assert sorted(members - known - MEMBERS - {"Init", "Process"}) == [], "no entry in specs/api"


def test_every_documented_member_is_used() -> None:
    used = {member for name in VARIANTS for member in calls_in(code_of(name))[1]}
    assert used >= MEMBERS


def test_an_undocumented_call_is_found() -> None:
    code = code_of(VARIANTS[0]).replace("Exp(", "Tanh(").replace("pipe.InitBuffer(", "pipe.AllocEventID(")
    called, members, _ = calls_in(code)
    assert called - known_calls() == {"Tanh"} and "AllocEventID" in members - known_calls() - MEMBERS


@pytest.mark.parametrize("name", VARIANTS)
def test_a_kernel_has_nothing_dead(name: str) -> None:
    """Every constant, member, field and function that a kernel file defines is used in it."""
    code = code_of(name)
    constants = re.findall(r"\bconstexpr \w+ (\w+) =", code)
    functions = calls_in(code)[2] - {"FusedAttention", name}
    members = re.findall(r"(?m)^    (?:TBuf|GlobalTensor)<[^;]*> (\w+);|^    u?int(?:32|64)_t (\w+) = 0;", code)
    words = re.findall(r"\w+", code)
    assert len(constants) > 40 and len(functions) > 30 and len(members) > 20
    names = {*constants, *functions, *(word for pair in members for word in pair if word)}
    assert sorted(word for word in names if words.count(word) < 2) == []


@pytest.mark.parametrize("name", VARIANTS)
def test_a_kernel_reads_well(name: str) -> None:
    text = emit_kernel(name).text
    lines = text.splitlines()
    assert text.startswith(f"/*\n * {name}\n") and "Do not edit" in text
    assert max(len(line) for line in lines) <= 130
    assert not any(line != line.rstrip() for line in lines)
    assert "\n\n\n" not in text and "{\n\n" not in text and "{{" not in text and "None" not in text
