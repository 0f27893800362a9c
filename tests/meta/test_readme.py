"""Does every command of the README work, and does the README say what its house rules ask for?

In: README.md. Out: verdicts. Must never skip a command: one that cannot run inside a test is dry-run by make itself.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?m)(?:^    .*\n)+", TEXT)
LINES = [line.strip().split("  #")[0].strip() for block in BLOCKS for line in block.splitlines()]
COMMANDS = [line for line in LINES if line.startswith(("fiagen ", "make "))]


def test_the_readme_has_commands() -> None:
    assert sum(c.startswith("fiagen ") for c in COMMANDS) >= 4 and {"make run", "make test"} <= set(COMMANDS)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("fiagen ")])
def test_command_works(command: str) -> None:
    python = f'"{sys.executable}" -c "from fiagen.cli.main import script; script()"'
    run = subprocess.run(command.replace("fiagen", python, 1), shell=True, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_make_target_knows_what_to_do(command: str) -> None:
    run = subprocess.run([*command.split(), "-n", f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0 and ("fiagen" in run.stdout or "pytest" in run.stdout), run.stderr


def test_bare_make_lists_the_targets() -> None:
    run = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0
    assert {"run", "test", "check", "gen"} <= {line.split()[0] for line in run.stdout.splitlines() if line.strip()}


def test_the_command_table_is_the_command_line() -> None:
    from fiagen.cli.main import VERBS

    told = set(re.findall(r"(?m)^\| `fiagen ([a-z]+)", TEXT))
    assert told == set(VERBS)


def test_python_example_runs() -> None:
    lines = [block for block in BLOCKS if "fiagen.run(" in block]
    assert len(lines) == 1
    code = "import numpy as np\nq = np.ones((1, 8, 4, 64), np.float16)\nk = v = np.ones((1, 8, 6, 64), np.float16)\n" + "\n".join(
        line[4:] for line in lines[0].splitlines()) + "\nassert outputs['attention_out'].shape == (1, 8, 4, 64)\nprint('ran')"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=dict(os.environ))
    assert run.returncode == 0 and "ran" in run.stdout, run.stderr


def test_adding_an_operator_takes_seven_steps() -> None:
    section = TEXT.split("## Add an operator in seven steps")[1].split("\n## ")[0]
    steps = re.findall(r"(?m)^\d\. (.*)", section)
    assert len(steps) == 7
    for step in steps:
        for name in re.findall(r"`((?:specs|fiagen|templates|generated|tests)/[a-z_/]*)", step):
            assert (ROOT / name).exists(), name
