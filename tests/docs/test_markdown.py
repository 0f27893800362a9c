"""Is the generated Markdown the same everywhere?

In: the specs. Out: digests. Must never need MkDocs.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from fiagen.emit.docs import emit_docs


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    program = (
        "import hashlib; from fiagen.emit.docs import emit_docs\n"
        "print(hashlib.sha256(''.join(f.path + f.text for f in emit_docs()).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    here = hashlib.sha256("".join(f.path + f.text for f in emit_docs()).encode()).hexdigest()
    assert found == {here}


def test_pages_tell_neither_place_nor_time() -> None:
    text = "".join(f.text for f in emit_docs())
    assert str(Path(__file__).resolve().parents[2]) not in text and not re.search(r"\b20[2-9]\d-\d\d-\d\d\b", text)
