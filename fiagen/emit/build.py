"""`fiagen build`: from specs to a folder of generated files.

In: the variants to generate, an output folder. Out: an Outcome. Must never write what it was only asked to compare.

Unchanged inputs and outputs are recognised without generating anything: a record in the cache holds the digest of all specs,
templates and generator sources, and size and time of every file of the last build of that folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from fiagen import paths
from fiagen.emit.writer import MANIFEST, Emitted, Outcome, compare, write

GENERATOR = ("check", "diagnostics.py", "emit", "expr", "load", "model", "plan", "view")


def _input_files() -> list[Path]:
    rooms = [paths.SPECS, paths.TEMPLATES, *(paths.PACKAGE / name for name in GENERATOR)]
    found: list[Path] = []
    for room in rooms:
        found += [room] if room.is_file() else [Path(f) for f in _walk(room)]
    return sorted(found)


def _walk(folder: Path) -> Iterable[str]:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _walk(Path(entry.path))
        elif not entry.name.endswith(".pyc"):
            yield entry.path


def _stamp(files: Iterable[Path]) -> str:
    """Names, sizes and times: what changes whenever somebody writes a file."""
    digest = hashlib.sha256()
    for file in files:
        status = os.stat(file)
        digest.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _record_path(out: Path, names: Sequence[str]) -> Path:
    key = hashlib.sha256("\0".join([str(out.resolve()), *names]).encode()).hexdigest()[:20]
    return paths.cache_dir() / "builds" / f"{key}.json"


def _unchanged(out: Path, record: Path) -> Outcome | None:
    """The outcome of doing nothing, when the record says that nothing changed."""
    try:
        known = json.loads(record.read_text())
        if known["inputs"] != _stamp(_input_files()):
            return None
        outputs = [out / name for name in known["files"]]
        return Outcome(files=len(outputs), unchanged=len(outputs)) if known["outputs"] == _stamp(outputs) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def generate(names: Sequence[str], docs: bool) -> list[Emitted]:
    """All files of the named variants: their kernels, the host files and bindings of their operators, the schemas of spec
    files; with `docs` also the documentation of everything, which only the folder that people read holds."""
    from fiagen.emit.bindings import emit_bindings
    from fiagen.emit.host import emit_host
    from fiagen.emit.kernels import emit_kernel
    from fiagen.load.specs import json_schemas

    kernels = [emit_kernel(name) for name in names]
    ops = sorted({kernel.path.split("/")[0] for kernel in kernels})
    schemas = [Emitted(f"schemas/{name}", text, "fiagen/model", "") for name, text in json_schemas().items()]
    files = [*kernels, *(file for op in ops for file in (*emit_host(op), *emit_bindings(op))), *schemas]
    if docs:
        from fiagen.emit.docs import emit_docs

        files += emit_docs()
    return files


def build(names: Sequence[str], out: Path, docs: bool = False) -> Outcome:
    """Bring `out` to hold exactly the files of the variants `names`, with `docs` also the documentation."""
    record = _record_path(out, [*names, *(["docs"] if docs else [])])
    done = _unchanged(out, record)
    if done is not None:
        return done
    inputs = _stamp(_input_files())
    files = generate(names, docs)
    outcome = write(files, out)
    paths_written = sorted([*(f.path for f in files), MANIFEST])
    text = json.dumps({"inputs": inputs, "files": paths_written, "outputs": _stamp(out / p for p in paths_written)})
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(text)
    except OSError:
        record.unlink(missing_ok=True)  # without a record the next build only takes longer
    return outcome


def check(names: Sequence[str], out: Path, command: str, docs: bool = False) -> Outcome:
    """Compare `out` with what would be generated; `command` is the one that mends it."""
    return compare(generate(names, docs), out, command)
