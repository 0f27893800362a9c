"""Which generated files two sets of specs give.

In: a spec folder. Out: path -> digest of everything that today's generator makes of it. Must never write a file.

The generator reads the specs it is installed with. A process of its own is told another folder before it
imports anything.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from fiagen.diff.change import Change

_PROGRAM = "import sys; from fiagen.diff.generated import main; main(sys.argv[1])"


def main(specs: str) -> None:
    """The process's work: prints the digests, or why there are none, as one JSON object."""
    from fiagen import paths

    paths.SPECS = Path(specs)
    from fiagen.diagnostics import DiagnosticError
    from fiagen.emit.build import generate
    from fiagen.load.variants import load_variants

    try:
        found = {file.path: file.sha256 for file in generate(tuple(load_variants()), docs=True)}
        print(json.dumps({"files": found}))
    except DiagnosticError as error:
        print(json.dumps({"failed": f"{error.diagnostics[0].rule}: {error.diagnostics[0].given}"}))


def digests(specs: Path) -> tuple[dict[str, str], str]:
    """(path -> digest, "") or ({}, why)."""
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(specs.resolve())], capture_output=True, text=True, check=False
    )
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        return {}, "today's generator does not fit these specs: " + (run.stderr.strip().splitlines() or ["no answer"])[
            -1
        ]
    return answer.get("files", {}), answer.get("failed", "")


def compare_generated(old: Path, new: Path) -> Iterator[Change]:
    """A Change for each generated file that came, went or is another."""
    (before, failed_before), (after, failed_after) = digests(old), digests(new)
    for side, failed in (("old", failed_before), ("new", failed_after)):
        if failed:
            yield Change("generated", "unreadable", "files", why=f"{side}: {failed}")
    if failed_before or failed_after:
        return
    for path in sorted(set(before) | set(after)):
        if before.get(path) != after.get(path):
            yield Change(
                "generated",
                "added" if path not in before else "removed" if path not in after else "changed",
                path,
                _operator(path),
            )


def _operator(path: str) -> str:
    """The operator that a generated path belongs to, as far as the path tells."""
    parts = path.split("/")
    return (
        parts[2]
        if path.startswith("docs/ops/")
        else ""
        if parts[0] in ("docs", "schemas") or len(parts) == 1
        else parts[0]
    )
