"""The table of mutants, and mutated copies of the tree in which a subprocess runs.

In: tests/mutation/mutants/*.yaml. Out: Mutants; verdicts of judge.py. Must never change the tree itself.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PREFIX = "fia_v2_c220_"
CASES = 25
SEED = 7
TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Mutant:
    """One fault: `old` stands once in `file` and becomes `new`, which differs in one line; `variants` show it.

    `refused_by` names the Diagnostic that has to stop the build of a plan that cannot work; other mutants must build.
    """

    name: str
    fault: str
    file: str
    old: str
    new: str
    variants: tuple[str, ...]
    refused_by: str = ""

    @property
    def changed_lines(self) -> tuple[list[str], list[str]]:
        """The lines that go and the lines that come."""
        lines = list(difflib.ndiff(self.old.splitlines(), self.new.splitlines()))
        return [x[2:] for x in lines if x.startswith("- ")], [x[2:] for x in lines if x.startswith("+ ")]


def load_mutants() -> list[Mutant]:
    """All mutants of all files, in order."""
    found = []
    for path in sorted((HERE / "mutants").glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            variants = tuple(PREFIX + name for name in entry.pop("variants"))
            found.append(Mutant(name=entry.pop("mutant"), variants=variants, **entry))
    return found


def copy_tree(place: Path) -> Path:
    """A tree of its own in `place`: package and templates copied, specs linked. Compiled modules come along: faster."""
    for room in ("fiagen", "templates"):
        shutil.copytree(ROOT / room, place / room)
    (place / "specs").symlink_to(ROOT / "specs")
    return place


def mutate(tree: Path, mutant: Mutant) -> None:
    """Puts the fault into `tree`. A text that does not stand in its file exactly once is an error of the table."""
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: {mutant.old!r} stands {text.count(mutant.old)} times in {mutant.file}")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def verdict(tree: Path, variant: str, cases: int = CASES, seed: int = SEED) -> dict[str, str | int]:
    """What judge.py says of `variant` in `tree`; `how` is `timeout` after a minute of cases, `crash` without an answer.

    Compiling does not count: the time starts when judge.py says that everything is built.
    """
    command = [sys.executable, str(HERE / "judge.py"), variant, str(cases), str(seed)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True) as run,
    ):
        assert run.stdout is not None
        lines = [run.stdout.readline()]
        alarm = threading.Timer(TIMEOUT_SECONDS, run.kill)
        alarm.start()
        lines += run.stdout.readlines()
        code = run.wait()
        rang = not alarm.is_alive()
        alarm.cancel()
        errors.seek(0)
        said = errors.read()[-2000:]
    if rang and code != 0:
        return {"how": "timeout", "case": 0, "words": f"more than {TIMEOUT_SECONDS} s", "text": ""}
    if code != 0 or len(lines) != 2:
        return {"how": "crash", "case": 0, "words": f"exit {code}", "text": said}
    return json.loads(lines[-1])
