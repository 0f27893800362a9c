"""Do the runtime's half-float conversions agree with NumPy's?"""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np


def test_every_half_float_and_many_floats(library: Path) -> None:
    runtime = ctypes.CDLL(str(library / "lib" / "libascendcl.so"))
    runtime.aclFloat16ToFloat.restype, runtime.aclFloat16ToFloat.argtypes = ctypes.c_float, [ctypes.c_uint16]
    runtime.aclFloatToFloat16.restype, runtime.aclFloatToFloat16.argtypes = ctypes.c_uint16, [ctypes.c_float]
    bits = np.arange(65536, dtype=np.uint16)
    wide = bits.view(np.float16).astype(np.float32)
    found = np.array([runtime.aclFloat16ToFloat(int(b)) for b in bits], np.float32)
    np.testing.assert_array_equal(found, wide)
    finite = wide[np.isfinite(wide)]
    rng = np.random.default_rng(5)
    floats = np.concatenate(
        [
            finite,
            (finite[:-1] + finite[1:]) / 2,
            rng.normal(0, 1, 4000),
            rng.normal(0, 1e-6, 4000),
            rng.normal(0, 3e4, 4000),
            [65519.9, 65520.0, -1e30, 2.0**-25, 2.0**-24, -0.0, np.inf, -np.inf],
        ]
    ).astype(np.float32)
    back = np.array([runtime.aclFloatToFloat16(float(x)) for x in floats], np.uint16)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(back, floats.astype(np.float16).view(np.uint16))
    assert np.isnan(np.uint16(runtime.aclFloatToFloat16(float("nan"))).view(np.float16))
