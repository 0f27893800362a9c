"""The only writer of generated files.

In: relative paths with their text. Out: files that were touched only when their bytes changed, a manifest, orphans removed.
Must never write a path twice, leave its folder, touch a file it does not own, or leave half a file behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fiagen import paths
from fiagen.diagnostics import Diagnostic, fail

MANIFEST = "MANIFEST.json"


@dataclass(frozen=True)
class Emitted:
    """One file: `path` below the output folder, its text, and what it was made from."""

    path: str
    text: str
    spec: str
    template: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass
class Outcome:
    """What a write or a comparison did."""

    files: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    findings: list[Diagnostic] = field(default_factory=list)


def safe_path(path: str) -> PurePosixPath:
    """`path` as a relative path below the output folder; DiagnosticError `build.unsafe_path` otherwise."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in path or "\0" in path:
        raise fail("build.unsafe_path", given=f"output path {path!r}", allowed="a relative path without '..'",
                   why="A generated file must stay inside its output folder.", fix="Mend the name in the spec.",
                   source="fiagen/emit/writer.py")
    return pure


def with_manifest(files: list[Emitted]) -> list[Emitted]:
    """`files` sorted, with the manifest last. The same path twice is our bug: DiagnosticError `build.path_twice`."""
    ordered = sorted(files, key=lambda item: item.path)
    seen = {safe_path(MANIFEST): Emitted(MANIFEST, "", "", "the writer")}
    for two in ordered:
        one = seen.setdefault(safe_path(two.path), two)
        if one is not two:
            raise fail("build.path_twice", given=f"{two.path} from {one.template} and from {two.template}",
                       allowed="one source for each path", why="The later file would silently replace the earlier.",
                       fix="Give the variants different names.", source="specs/variants")
    listing = [{"path": f.path, "sha256": f.sha256, "spec": f.spec, "template": f.template} for f in ordered]
    text = json.dumps({"files": listing}, indent=1, ensure_ascii=False) + "\n"
    return [*ordered, Emitted(MANIFEST, text, "", "")]


def owned(out: Path) -> set[str]:
    """Paths that an earlier write says are ours."""
    try:
        listing = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        return {str(safe_path(entry["path"])) for entry in listing["files"]} | {MANIFEST}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _current(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(files: list[Emitted], out: Path) -> Outcome:
    """Bring `out` to hold `files`. All new text is on disk before the first name changes."""
    wanted = with_manifest(files)
    before = owned(out)
    outcome = Outcome(files=len(wanted))
    staged: list[tuple[Path, Path]] = []
    try:
        for item in wanted:
            target = out / item.path
            data = item.text.encode()
            if _current(target) == data:
                outcome.unchanged += 1
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
            staged.append((Path(name), target))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, 0o644)
        while staged:
            new, target = staged[-1]
            os.replace(new, target)
            staged.pop()
            outcome.written += 1
        for orphan in sorted(before - {item.path for item in wanted}):
            (out / orphan).unlink(missing_ok=True)
            outcome.removed += 1
        _drop_empty_folders(out, before)
    except OSError as error:
        raise fail("build.cannot_write", given=f"{error.strerror or error} ({paths.shown(error.filename or out)})",
                   allowed="a folder that can be written, with room", why="The generated files could not be written.",
                   fix="Free some space or choose another --out folder, then build again.", source="fiagen build") from error
    finally:
        for new, _ in staged:
            new.unlink(missing_ok=True)
    return outcome


def _drop_empty_folders(out: Path, before: set[str]) -> None:
    folders = {parent for path in before for parent in PurePosixPath(path).parents}
    for folder in sorted(folders, key=lambda item: len(item.parts), reverse=True):
        place = out / folder
        if folder.parts and place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def _finding(rule: str, given: str, why: str, command: str, place: str) -> Diagnostic:
    return Diagnostic(rule, "error", given, "exactly what the specs generate", why, f"Run `{command}`.", "fiagen build", place)


def compare(files: list[Emitted], out: Path, command: str) -> Outcome:
    """Compare `out` with `files`, both ways; nothing is written. `command` is the command that would mend it."""
    wanted = with_manifest(files)
    outcome = Outcome(files=len(wanted))
    for item in wanted:
        place = paths.shown(out / item.path)
        data = _current(out / item.path)
        if data is None:
            outcome.findings.append(_finding("drift.missing", "no such file", "The file was never generated or got lost.",
                                             command, place))
        elif data != item.text.encode():
            outcome.findings.append(_finding("drift.changed", "other bytes than the specs give",
                                             "The file was edited by hand, or a spec or template changed.", command, place))
        else:
            outcome.unchanged += 1
    expected = {item.path for item in wanted}
    for path in sorted(out.rglob("*")) if out.is_dir() else ():
        name = path.relative_to(out).as_posix()
        if path.is_file() and name not in expected:
            outcome.findings.append(_finding("drift.extra", "a file that no spec gives",
                                             "Everything in this folder is generated.",
                                             command if name in owned(out) else f"rm {paths.shown(path)}", paths.shown(path)))
    return outcome
