"""What the tests of this folder share: names, compilers, running a program.

In: nothing. Out: constants and `run`. Must never hide a program's status.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

OP = "npu_fused_infer_attention_score_v2"
PROGRAMS = Path(__file__).parent / "programs"
AHEAD = "fia_v2_c220_f16_bnsd_nomask_d64_prefill"  # the other programs' kernels are made at their first launch
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
Compile = Callable[..., Path]


def run(*command: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done
