"""The documentation site: Markdown through MkDocs to HTML.

In: files of `emit_docs`, a folder. Out: the site there. Must never delete a folder that an earlier run did not make.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from fiagen import paths
from fiagen.diagnostics import fail
from fiagen.emit.writer import Emitted, write

MARK = ".fiagen-docs"
_TOLD = 12  # lines of MkDocs' complaints that a message repeats


def check_out(out: Path) -> None:
    """DiagnosticError `docs.not_ours` when `out` holds something that no earlier run made."""
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).is_file())):
        raise fail(
            "docs.not_ours",
            given=f"{paths.shown(out)} holds other files",
            allowed="a new or empty folder, or an earlier site",
            why="The site replaces the folder.",
            fix="Choose another --out folder.",
            source="fiagen docs",
        )


def _mkdocs(folder: Path, site: Path) -> None:
    """Run MkDocs; every warning of it, such as a broken link, is a failure and our bug."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml"), "-d", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "0"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode:
        lines = (run.stdout + run.stderr).splitlines()
        said = [line for line in lines if line.startswith(("WARNING", "ERROR", "Aborted", "Error"))] or lines
        raise fail(
            "docs.failed",
            given="\n".join(said[-_TOLD:]) or f"status {run.returncode}",
            allowed="pages without warnings",
            why="MkDocs refused the generated Markdown. This is our bug.",
            fix="Mend the template or view that drew the page.",
            source="templates/docs",
        )


def build_site(files: Sequence[Emitted], out: Path) -> int:
    """Bring the site of `files` to `out`; returns the number of files. Afterwards the whole
    site is there, or the old one.

    DiagnosticError `docs.no_mkdocs` without the extra, `docs.not_ours`, `docs.failed`.
    """
    if find_spec("mkdocs") is None or find_spec("material") is None:
        raise fail(
            "docs.no_mkdocs",
            given="no MkDocs Material in this environment",
            allowed="the extra `docs`",
            why="The site is built with it.",
            fix="pip install 'fiagen[docs]'",
            source="pyproject.toml",
        )
    check_out(out)
    out.resolve().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.resolve().parent, prefix=".fiagen-docs-") as scratch:
        markdown, site = Path(scratch) / "markdown", Path(scratch) / "site"
        write(list(files), markdown)
        _mkdocs(markdown, site)
        (site / "404.html").unlink(missing_ok=True)  # only a server shows it, and its links begin at the server's root
        (site / MARK).write_text("This folder is replaced by `fiagen docs`.\n", encoding="utf-8")
        if out.exists():
            shutil.move(out, Path(scratch) / "old")
        os.replace(site, out)
    return sum(path.is_file() for path in out.rglob("*"))
