"""Random numbers that are the same on every machine, in every process.

In: words that name a draw. Out: NumPy generators and arrays. Must never use a hash of Python's own, a clock, or a
library function whose last bit depends on the platform.
"""

from __future__ import annotations

import hashlib

import numpy as np

# A pool of drawn values is repeated to fill a tensor larger than it. Its length is prime, so no stride of a kernel (a
# row, a head, a block, a core's share) lands on the same values again.
POOL = 1_000_003


def generator(*words: object) -> np.random.Generator:
    """A generator seeded by the words, in their order."""
    digest = hashlib.sha256("\0".join(str(word) for word in words).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def bell(rng: np.random.Generator, count: int) -> np.ndarray:
    """`count` float32 values, mean 0, deviation 1, near normal: a sum of four uniform integers, so exact anywhere."""
    parts = rng.integers(0, 65536, size=(4, count), dtype=np.uint16)
    total = parts.sum(axis=0, dtype=np.int32) - 2 * 65535
    return (total / np.float32(37837.0)).astype(np.float32)  # 65536 / sqrt(3)


def spread(pool: np.ndarray, count: int) -> np.ndarray:
    """`count` elements: the pool, repeated as often as needed."""
    if len(pool) == count:
        return pool
    filled = np.empty(count, dtype=pool.dtype)
    whole = count // len(pool)
    filled[: whole * len(pool)].reshape(whole, len(pool))[:] = pool
    filled[whole * len(pool) :] = pool[: count - whole * len(pool)]
    return filled
