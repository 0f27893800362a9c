"""Does the writer keep its promises: one source a path, nothing outside its folder, no half file, drift told apart?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.emit.writer import Emitted, compare, write

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "fiagen build --out here"


def file(path: str, text: str = "text\n") -> Emitted:
    return Emitted(path, text, "specs/some.yaml", "templates/some.jinja")


def below(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def refusal(files: list[Emitted], out: Path) -> tuple[str, str]:
    """Rule and text of the one Diagnostic that a write gives."""
    with pytest.raises(DiagnosticError) as caught:
        write(files, out)
    (found,) = caught.value.diagnostics
    assert found.fix and found.why
    return found.rule, found.given


def test_a_second_write_touches_nothing(tmp_path: Path) -> None:
    files = [file("a/one.h"), file("a/two.h", "two\n")]
    first = write(files, tmp_path)
    assert (first.files, first.written, first.unchanged, first.removed) == (3, 3, 0, 0)
    for path in tmp_path.rglob("*.h"):
        os.utime(path, (1, 1))
    second = write(files, tmp_path)
    assert (second.files, second.written, second.unchanged, second.removed) == (3, 0, 3, 0)
    assert {path.stat().st_mtime for path in tmp_path.rglob("*.h")} == {1}


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    write([file("one.h"), file("two.h")], tmp_path)
    outcome = write([file("one.h"), file("two.h", "new\n")], tmp_path)
    assert (outcome.written, outcome.unchanged) == (2, 1)  # two.h and the manifest
    assert below(tmp_path)["two.h"] == "new\n"


def test_orphans_go_and_strangers_stay(tmp_path: Path) -> None:
    write([file("a/b/old.h"), file("a/kept.h")], tmp_path)
    (tmp_path / "a" / "mine.txt").write_text("not generated")
    outcome = write([file("a/kept.h")], tmp_path)
    assert outcome.removed == 1
    assert set(below(tmp_path)) == {"a/kept.h", "a/mine.txt", "MANIFEST.json"}
    assert not (tmp_path / "a" / "b").exists()


@pytest.mark.parametrize("path", ["/etc/one.h", "../one.h", "a/../../one.h", "a\\one.h", "a\0.h", "", "."])
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    out = tmp_path / "out"
    assert refusal([file("fine.h"), file(path)], out) == ("build.unsafe_path", f"output path {path!r}")
    assert not out.exists()


def test_a_path_twice_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    other = Emitted("a.h", "other\n", "specs/other.yaml", "templates/other.jinja")
    assert refusal([file("a.h"), other], out) == (
        "build.path_twice", "a.h from templates/some.jinja and from templates/other.jinja")
    assert not out.exists()


@pytest.mark.parametrize("path", ["a/./b.h", "a//b.h", "a/b.h"])
def test_a_path_twice_in_another_spelling_is_refused(tmp_path: Path, path: str) -> None:
    assert refusal([file("a/b.h"), file("a/a.h"), file(path, "other\n")], tmp_path / "out")[0] == "build.path_twice"


def test_the_name_of_the_manifest_is_taken(tmp_path: Path) -> None:
    assert refusal([file("a.h"), file("MANIFEST.json")], tmp_path / "out")[0] == "build.path_twice"


def test_a_manifest_that_points_outside_removes_nothing(tmp_path: Path) -> None:
    out, victim = tmp_path / "out", tmp_path / "victim.h"
    write([file("a.h")], out)
    victim.write_text("precious")
    (out / "MANIFEST.json").write_text(json.dumps({"files": [{"path": "../victim.h"}]}))
    with pytest.raises(DiagnosticError, match=r"build\.unsafe_path"):
        write([file("a.h")], out)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"files": [1]}', '{"files": {"a": 1}}'])
def test_a_broken_manifest_is_replaced(tmp_path: Path, text: str) -> None:
    write([file("a.h")], tmp_path)
    whole = below(tmp_path)
    (tmp_path / "MANIFEST.json").write_text(text)
    write([file("a.h")], tmp_path)
    assert below(tmp_path) == whole


def test_changed_missing_and_extra_are_three_findings(tmp_path: Path) -> None:
    files = [file("a/changed.h"), file("a/missing.h"), file("a/same.h")]
    write([*files, file("a/orphan.h")], tmp_path)
    manifest = (tmp_path / "MANIFEST.json").read_bytes()
    (tmp_path / "a" / "changed.h").write_text("tExt\n")
    (tmp_path / "a" / "missing.h").unlink()
    (tmp_path / "a" / "stray.txt").write_text("mine")
    outcome = compare(files, tmp_path, COMMAND)
    found = {(Path(d.place).name, d.rule): d.fix for d in outcome.findings}
    assert found == {
        ("changed.h", "drift.changed"): f"Run `{COMMAND}`.",
        ("missing.h", "drift.missing"): f"Run `{COMMAND}`.",
        ("orphan.h", "drift.extra"): f"Run `{COMMAND}`.",
        ("stray.txt", "drift.extra"): f"Run `rm {tmp_path / 'a' / 'stray.txt'}`.",
        ("MANIFEST.json", "drift.changed"): f"Run `{COMMAND}`.",
    }
    assert outcome.unchanged == 1 and (tmp_path / "MANIFEST.json").read_bytes() == manifest
    write(files, tmp_path)  # what the commands of the findings do
    (tmp_path / "a" / "stray.txt").unlink()
    assert compare(files, tmp_path, COMMAND).findings == []


def test_a_folder_that_is_not_there_misses_everything(tmp_path: Path) -> None:
    outcome = compare([file("a.h")], tmp_path / "none", COMMAND)
    assert [d.rule for d in outcome.findings] == ["drift.missing", "drift.missing"]
    assert not (tmp_path / "none").exists()


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    rule, given = refusal([file("a.h")], tmp_path / "out")
    assert rule == "build.cannot_write" and "out" in given
    assert below(tmp_path) == {"out": "a file"}


def test_a_folder_in_the_way_of_a_file_leaves_everything_as_it_was(tmp_path: Path) -> None:
    write([file("a.h"), file("b.h")], tmp_path)
    (tmp_path / "c.h").mkdir()
    before = below(tmp_path)
    rule, _ = refusal([file("a.h", "new\n"), file("b.h", "new\n"), file("c.h")], tmp_path)
    assert rule == "build.cannot_write" and below(tmp_path) == before


FULL = """
import resource, sys
from pathlib import Path
from fiagen.diagnostics import DiagnosticError
from fiagen.emit.writer import Emitted, write
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write([Emitted("a.h", "new\\n", "", ""), Emitted("b.h", "x" * 9000, "", "")], Path(sys.argv[1]))
except DiagnosticError as error:
    print([d.rule for d in error.diagnostics])
"""


def test_no_room_leaves_no_half_file(tmp_path: Path) -> None:
    """A limit on the size of a file stands for a full disk: the second file cannot be written to its end."""
    write([file("a.h"), file("b.h")], tmp_path)
    before = below(tmp_path)
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['build.cannot_write']", done.stderr
    assert below(tmp_path) == before and not list(tmp_path.glob(".new-*"))


@pytest.mark.parametrize("arguments", [["build", "--out", "file/out"], ["build", "--out", "file/out", "--json"]])
def test_the_command_says_so_and_exits_2(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    command = [sys.executable, "-c", "from fiagen.cli.main import script; script()", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "build.cannot_write" in done.stderr and "Traceback" not in done.stderr
    assert below(tmp_path) == {"file": "in the way"}
