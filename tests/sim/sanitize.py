"""Runs the simulator's tests with AddressSanitizer and UndefinedBehaviorSanitizer in every library they compile.

In: arguments for pytest, tests/sim without any. Out: the status of pytest, or 1 for a complaint of a sanitizer. Must
never pass because the sanitizers were not there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILER = "g++ -fsanitize=address,undefined -fno-omit-frame-pointer"
COMPLAINTS = ("runtime error:", "ERROR: AddressSanitizer")
# Memory that grows is how the sanitizer works, and a loop without an instruction is slow to be noticed.
LEFT_OUT = "not leak_nothing"


def library(name: str) -> str:
    """The path of a library of the compiler."""
    return subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()


def main(arguments: list[str]) -> int:
    environment = dict(
        os.environ,
        FIAGEN_CXX=COMPILER,
        LD_PRELOAD=f"{library('libasan.so')} {library('libubsan.so')}",
        ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0:alloc_dealloc_mismatch=0",
        UBSAN_OPTIONS="print_stacktrace=1",
    )
    command = [sys.executable, "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", "-k", LEFT_OUT]
    run = subprocess.run(
        [*command, *(arguments or [str(HERE)])], env=environment, capture_output=True, text=True, check=False
    )
    text = run.stdout + run.stderr
    complaints = [line for line in text.splitlines() if any(complaint in line for complaint in COMPLAINTS)]
    print(text[-4000:] if run.returncode else text.splitlines()[-1])
    print("\n".join(sorted(set(complaints))) or "no complaint of a sanitizer")
    return run.returncode or bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
