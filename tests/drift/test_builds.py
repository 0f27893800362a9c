"""Do the same specs give the same bytes, wherever and however they are built?"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fiagen.load.variants import load_variants

ROOT = Path(__file__).resolve().parents[2]
BUILD = "from fiagen.cli.main import script; script()"
# What must not matter: hash seed, locale (with Python's own repair of it switched off), time zone, width, user.
PLAIN = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TZ": "UTC"}
SETTINGS = {
    "seed_1": {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata"},
    "random": {"PYTHONHASHSEED": "random", "LC_ALL": "POSIX", "TZ": "America/St_Johns", "COLUMNS": "40"},
    "optimised": {"PYTHONHASHSEED": "2", "LANG": "C.UTF-8", "PYTHONOPTIMIZE": "1", "USER": "somebody", "TZ": "UTC"},
}


def build(out: Path, cache: Path, settings: dict[str, str], tree: Path = ROOT, *arguments: str) -> dict[str, str]:
    """Builds every variant into `out` and gives the SHA-256 of every file below it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    environment = {**kept, "PYTHONPATH": str(tree), "XDG_CACHE_HOME": str(cache), **settings}
    command = [sys.executable, "-c", BUILD, "build", "--out", str(out), "--json", *arguments]
    done = subprocess.run(command, cwd=out.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = json.loads(done.stdout)
    files = {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    assert len(files) == counts["files"] == counts["written"]
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("plain")
    return build(place / "out", place / "cache", PLAIN)


def test_there_is_a_file_for_every_variant(plain: dict[str, str]) -> None:
    kernels = {Path(name).stem for name in plain if "/kernel/" in name}
    assert kernels == set(load_variants())
    assert sum(name.endswith((".h", ".cpp")) for name in plain) >= len(kernels) + 8


@pytest.mark.parametrize("name", list(SETTINGS))
def test_another_environment_gives_the_same_bytes(tmp_path: Path, plain: dict[str, str], name: str) -> None:
    folder = tmp_path / "a folder with spaces" / "ünïcode"
    folder.mkdir(parents=True)
    assert build(folder / "out", tmp_path / "cache", SETTINGS[name]) == plain


def test_another_place_of_the_tree_gives_the_same_bytes(tmp_path: Path, plain: dict[str, str]) -> None:
    tree = tmp_path / "elsewhere"
    for room in ("fiagen", "templates", "specs"):
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    assert build(tmp_path / "out", tmp_path / "cache", PLAIN, tree) == plain


def test_nothing_generated_tells_where_or_when_it_was_made(tmp_path: Path, plain: dict[str, str]) -> None:
    build(tmp_path / "out", tmp_path / "cache", PLAIN)
    for name in plain:
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert str(tmp_path) not in text and str(ROOT) not in text and str(Path.home()) + "/" not in text, name
        assert "\r" not in text and "\t" not in text and text.endswith("\n"), name


def test_the_manifest_lists_every_file_with_its_digest(tmp_path: Path, plain: dict[str, str]) -> None:
    build(tmp_path / "out", tmp_path / "cache", PLAIN)
    listing = json.loads((tmp_path / "out" / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    assert {**{entry["path"]: entry["sha256"] for entry in listing}, "MANIFEST.json": plain["MANIFEST.json"]} == plain
    assert [entry["path"] for entry in listing] == sorted(entry["path"] for entry in listing)
    for entry in listing:
        assert (ROOT / entry["spec"]).exists(), entry
        assert entry["template"] == "" or (ROOT / entry["template"]).is_file(), entry


def test_the_tree_holds_what_the_specs_give() -> None:
    command = [sys.executable, "-c", BUILD, "build", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 written" in done.stdout
