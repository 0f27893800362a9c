"""Building an operator library: what is compiled again, what is reused, what a failure says."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import acl_fake
import pytest

from fiagen import paths
from fiagen.acl import build
from fiagen.diagnostics import DiagnosticError

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

GOOD = '#include "value.h"\nextern "C" int value() { return VALUE; }\n'


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    paths.set_cache_dir(tmp_path / "cache")
    yield tmp_path / "cache" / "acl"
    paths.set_cache_dir(None)


@pytest.fixture
def no_shim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the test's own sources: these tests are about the cache."""
    monkeypatch.setattr(build, "shim_sources", lambda: ())


def sources(folder: Path, value: int = 1) -> list[Path]:
    folder.mkdir(exist_ok=True)
    (folder / "value.h").write_text(f"#define VALUE {value}\n")
    (folder / "op.cpp").write_text(GOOD)
    return [folder / "op.cpp"]


def test_the_shim_is_every_source_of_its_folder() -> None:
    names = {file.name for file in build.shim_sources()}
    assert names == {file.name for file in paths.ACL_SRC.iterdir() if file.suffix == ".cpp"}
    assert "launch.cpp" in names


@pytest.mark.usefixtures("no_shim")
def test_an_unchanged_library_is_not_compiled_again(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build.build_op_library(sources(tmp_path / "src"), [tmp_path / "src"])
    before = sorted((file.name, file.stat().st_mtime_ns) for file in cache.iterdir())
    monkeypatch.setattr(build.subprocess, "run", lambda *_, **__: pytest.fail("compiled again"))
    assert build.build_op_library(sources(tmp_path / "src"), [tmp_path / "src"]) == first
    assert sorted((file.name, file.stat().st_mtime_ns) for file in cache.iterdir()) == before
    assert [name for name, _ in before if name.endswith(".so")] == [first.name]
    assert not [name for name, _ in before if name.startswith(".")], "a temporary file stayed behind"


@pytest.mark.usefixtures("no_shim")
@pytest.mark.parametrize("damage", ["cut", "changed", "emptied"])
def test_a_spoiled_file_of_the_cache_is_made_again(cache: Path, tmp_path: Path, damage: str) -> None:
    first = build.build_op_library(sources(tmp_path / "src"), [tmp_path / "src"])
    for file in cache.iterdir():
        good = file.read_bytes()
        half = len(good) // 2
        spoiled = {"cut": good[:half], "changed": good[:half] + b"x" + good[half + 1 :], "emptied": b""}[damage]
        file.write_bytes(spoiled)
    assert build.build_op_library(sources(tmp_path / "src"), [tmp_path / "src"]) == first
    assert ctypes.CDLL(str(first)).value() == 1


@pytest.mark.usefixtures("no_shim", "cache")
def test_a_changed_header_makes_another_library(tmp_path: Path) -> None:
    first = build.build_op_library(sources(tmp_path / "src", 1), [tmp_path / "src"])
    second = build.build_op_library(sources(tmp_path / "src", 2), [tmp_path / "src"])
    assert first != second
    assert build.build_op_library(sources(tmp_path / "src", 1), [tmp_path / "src"]) == first


@pytest.mark.usefixtures("no_shim")
@pytest.mark.parametrize("fault", ["int value( { return 1; }\n", "int value(int unused) { return 1; }\n"])
def test_code_that_does_not_compile_cleanly_is_our_bug(cache: Path, tmp_path: Path, fault: str) -> None:
    bad = tmp_path / "bad.cpp"
    bad.write_text(fault)
    with pytest.raises(DiagnosticError) as caught:
        build.build_op_library([bad], [])
    (found,) = caught.value.diagnostics
    assert found.rule == "sim.compile_failed"
    assert "bad.cpp:1" in found.given
    assert found.place == bad.as_posix()
    assert "This is our bug" in found.fix and "-Werror" in found.fix and str(bad) in found.fix
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("no_shim", "cache")
def test_a_missing_symbol_is_found_when_the_library_is_made(tmp_path: Path) -> None:
    source = tmp_path / "op.cpp"
    source.write_text('extern "C" int missing();\nextern "C" int value() { return missing(); }\n')
    with pytest.raises(DiagnosticError, match=r"sim\.compile_failed"):
        build.build_op_library([source], [])


def test_every_header_compiles_alone(tmp_path: Path) -> None:
    headers = sorted(paths.ACL_INCLUDE.rglob("*.h"))
    assert len(headers) == 6
    for header in headers:
        source = tmp_path / f"{header.stem}.cpp"
        source.write_text(f'#include "{header.relative_to(paths.ACL_INCLUDE).as_posix()}"\n')
        acl_fake.compiled(tmp_path / "alone.o", "-c", source)
