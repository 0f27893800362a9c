"""NumPy's name for a dtype of the contract, and the raw bits a dtype that NumPy lacks is stored as.

In: dtype names. Out: NumPy dtypes. Must never convert values.
"""

from __future__ import annotations

from typing import Any

import en_dtypes
import ml_dtypes
import numpy as np

from fiagen.diagnostics import fail, suggestion

# Names that neither NumPy nor ml_dtypes (which registers bfloat16, float8_e4m3fn, int4 ... with NumPy) spells as we do.
_OTHER_NAMES = {
    "hifloat8": np.dtype(en_dtypes.hifloat8),
    "float8_e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "float4_e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
}
_BITS: dict[int, np.dtype[Any]] = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16)}


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy dtype of a contract dtype name; DiagnosticError for a name it does not know."""
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    try:
        return np.dtype(name)
    except TypeError:
        raise fail(
            "call.dtype",
            given=f"dtype = {name!r}",
            allowed="a dtype of the contract",
            why="An array needs an element type.",
            fix=suggestion(
                name, ["float16", "bfloat16", "float32", "bool", "int8", "uint8", "int32", "int64", *_OTHER_NAMES]
            ),
        ) from None


def contract_name(dtype: np.dtype) -> str:
    """The contract's name of a NumPy dtype."""
    return next((name for name, known in _OTHER_NAMES.items() if known == dtype), dtype.name)


def storage_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What a file holds for `dtype`: itself when NumPy knows it, else unsigned integers of its size."""
    return dtype if dtype.isbuiltin == 1 else _BITS[dtype.itemsize]
