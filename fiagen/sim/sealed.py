"""Compiled files that can tell whether they are whole.

In: a file a compiler wrote. Out: the same with a seal behind it, which linkers and loaders pass over. Must never call a
file whole that was cut or changed: such a file would bring the process down that loads it.
"""

from __future__ import annotations

import zlib
from pathlib import Path

WORD = b"FIAGENOK"  # fiagen/acl/src/home.cpp reads the same seal
SEAL_BYTES = len(WORD) + 4


def seal(path: Path) -> None:
    """Appends the word and the CRC-32 of all bytes before it."""
    checksum = zlib.crc32(path.read_bytes())
    with path.open("ab") as file:
        file.write(WORD + checksum.to_bytes(4, "little"))


def whole(path: Path) -> bool:
    """Whether `path` is there with an unbroken seal."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    body, word, checksum = data[:-SEAL_BYTES], data[-SEAL_BYTES:-4], data[-4:]
    return word == WORD and int.from_bytes(checksum, "little") == zlib.crc32(body)
