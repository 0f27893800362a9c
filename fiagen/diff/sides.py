"""Where the two sides of a comparison are: a folder of specs, a folder that holds one, or a git revision.

In: what the user wrote. Out: a folder of specs. Must never change the repository it reads from.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fiagen.diagnostics import DiagnosticError, fail


def _git(*arguments: str) -> bytes | None:
    """What git prints; None when it refuses or is not there."""
    try:
        run = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return run.stdout if run.returncode == 0 else None


def _unknown(given: str, why: str) -> DiagnosticError:
    return fail(
        "diff.unknown_side",
        given=given,
        allowed="a folder of specs, or a git revision of a repository that has one",
        why=why,
        fix="Name a folder with ops/ in it, or a commit, tag or branch.",
        source="fiagen diff",
    )


def _folder(path: Path) -> Path | None:
    return next((place for place in (path, path / "specs") if (place / "ops").is_dir()), None)


def _unpack(archive: bytes, target: Path) -> None:
    """Regular files of a tar archive below `target`; anything else, and any path that leaves it, is left out."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            place = (target / member.name).resolve()
            content = tar.extractfile(member) if member.isfile() and place.is_relative_to(target.resolve()) else None
            if content is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


@contextmanager
def specs_of(given: str) -> Iterator[Path]:
    """The folder of specs that `given` names; DiagnosticError `diff.unknown_side` when there is none."""
    path = Path(given)
    if path.is_dir():
        folder = _folder(path)
        if folder is None:
            raise _unknown(given, "The folder holds no ops/.")
        yield folder
        return
    top = _git("rev-parse", "--show-toplevel")
    commit = (
        _git("rev-parse", "--verify", "--quiet", "--end-of-options", given + "^{commit}")
        if top and "\0" not in given
        else None
    )
    if not top or not commit:
        raise _unknown(given, "There is no such folder, and git knows no such revision here.")
    archive = _git("-C", top.decode().strip(), "archive", "--format=tar", commit.decode().strip(), "specs")
    with TemporaryDirectory(prefix="fiagen-diff-") as scratch:
        if archive is not None:
            _unpack(archive, Path(scratch))
        folder = _folder(Path(scratch))
        if folder is None:
            raise _unknown(given, "The revision has no specs/ops.")
        yield folder
