"""NumPy's spelling of the dtypes of the contract, and the raw bits a dtype that NumPy lacks is stored as.

In: dtype names. Out: NumPy dtypes, from the dtype table of the specs. Must never convert values.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fiagen.diagnostics import fail, suggestion
from fiagen.load import hardware

_BITS: dict[int, np.dtype[Any]] = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16)}


@lru_cache(maxsize=64)
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a contract dtype name; DiagnosticError for a name that the table does not have."""
    known = hardware.load_dtypes()
    if name not in known:
        raise fail(
            "call.dtype",
            given=f"dtype = {name!r}",
            allowed="a dtype of specs/dtypes.yaml",
            why="An array needs an element type.",
            fix=suggestion(name, known),
            source="specs/dtypes.yaml",
        )
    return np.dtype(hardware.numpy_dtype(name))


def storage_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What a file holds for `dtype`: itself when NumPy knows it, else unsigned integers of its size."""
    return dtype if dtype.isbuiltin == 1 else _BITS[dtype.itemsize]
