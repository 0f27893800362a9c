"""Where the rooms of the house are.

In: nothing. Out: paths of specs, templates, generated files, simulator sources and the build cache. This module must
never read a file, and no other module may spell the place of a room.
"""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
_REPOSITORY = PACKAGE.parent
_SHIPPED = PACKAGE / "_data"


def _room(name: str) -> Path:
    """A data folder: beside the package in a checkout, inside `fiagen/_data` in an installed wheel."""
    shipped = _SHIPPED / name
    return shipped if shipped.is_dir() else _REPOSITORY / name


SPECS = _room("specs")
TEMPLATES = _room("templates")
GENERATED = _REPOSITORY / "generated"
SIM_INCLUDE = PACKAGE / "sim" / "include"
SIM_SRC = PACKAGE / "sim" / "src"
ACL_INCLUDE = PACKAGE / "acl" / "include"
ACL_SRC = PACKAGE / "acl" / "src"

_chosen: dict[str, Path] = {}


def set_cache_dir(path: str | os.PathLike[str] | None) -> None:
    """Put build products under `path` from now on; None goes back to the user's cache folder."""
    if path is None:
        _chosen.pop("cache", None)
    else:
        _chosen["cache"] = Path(path).resolve()


def cache_dir() -> Path:
    """The folder for build products: the one chosen, else `$XDG_CACHE_HOME/fiagen`, else `~/.cache/fiagen`. Not
    created."""
    if "cache" in _chosen:
        return _chosen["cache"]
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fiagen"


def shown(path: str | os.PathLike[str]) -> str:
    """`path` as messages print it: relative to the repository or the shipped data when it lies inside, else as given.
    """
    given = Path(path)
    try:
        resolved = given.resolve()
    except (OSError, ValueError):  # a name no file can have
        return repr(str(path))
    for base in (_SHIPPED, _REPOSITORY):
        if resolved.is_relative_to(base):
            return resolved.relative_to(base).as_posix()
    return given.as_posix()
