"""The site, built once for all workers.

In: the specs. Out: the folder of the site. Must never reuse a site of an earlier run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))


def build(out: Path) -> None:
    command = [sys.executable, "-c", "from fiagen.cli.main import script; script()", "docs", "--out", str(out)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, (
        run.stdout + run.stderr + "\nMkDocs Material comes with the extra `docs`; `make test` installs it."
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The built site; the first worker builds it and the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    out, failed = shared / "site", shared / "site.failed"
    try:
        os.close(os.open(shared / "site.lock", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        end = time.monotonic() + 900
        while not out.is_dir():
            assert not failed.exists(), "the worker that built the site failed"
            assert time.monotonic() < end, "nobody built the site"
            time.sleep(0.2)
    else:
        try:
            build(out)
        except BaseException:
            failed.touch()
            raise
    yield out
