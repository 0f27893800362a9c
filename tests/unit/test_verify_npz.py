"""Do arrays survive a file, bit for bit?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.model.call import Call, TensorArg
from fiagen.verify.inputs import materialise
from fiagen.verify.npz import load_arrays, save_arrays

DTYPES = ("bfloat16", "float16", "float8_e4m3fn", "float8_e8m0", "hifloat8", "int32", "bool")


def call_of(**args: object) -> Call:
    return Call("npz", "npu_fused_infer_attention_score_v2", "a2", args)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_comes_back_as_it_was(dtype: str, tmp_path: Path) -> None:
    call = call_of(query=TensorArg((3, 5), dtype), scale=1.0, lengths=(1, 2))
    arrays = materialise(call)
    save_arrays(tmp_path / "in.npz", arrays)
    back = load_arrays(tmp_path / "in.npz", call)
    assert set(back) == {"query"}
    assert back["query"].dtype == arrays["query"].dtype
    assert back["query"].tobytes() == arrays["query"].tobytes()
    assert len(set(arrays["query"].tobytes())) > 1 or dtype == "bool"


def test_file_holds_raw_bits_under_the_parameter_name(tmp_path: Path) -> None:
    call = call_of(query=TensorArg((2,), "bfloat16", values=(1.0, -2.0)))
    save_arrays(tmp_path / "in.npz", materialise(call))
    with np.load(tmp_path / "in.npz") as file:
        assert file.files == ["query"]
        assert file["query"].dtype == np.uint16 and file["query"].tolist() == [0x3F80, 0xC000]


def test_parts_of_a_tensor_list_are_numbered(tmp_path: Path) -> None:
    call = call_of(key=(TensorArg((2,), "float16"), TensorArg((3,), "float16")))
    arrays = materialise(call)
    save_arrays(tmp_path / "in.npz", arrays)
    back = load_arrays(tmp_path / "in.npz", call)
    assert sorted(back) == ["key.0", "key.1"]
    again = materialise(call, back)["key"]
    assert [part.tobytes() for part in again] == [part.tobytes() for part in arrays["key"]]


def test_every_array_that_does_not_fit_is_reported(tmp_path: Path) -> None:
    call = call_of(query=TensorArg((2,), "bfloat16"), key=TensorArg((2,), "float16"), value=TensorArg((2,), "float16"))
    np.savez(tmp_path / "in.npz", query=np.zeros(2, np.float32), key=np.zeros(3, np.float16), valeu=np.zeros(2))
    with pytest.raises(DiagnosticError) as caught:
        load_arrays(tmp_path / "in.npz", call)
    given = {d.given: d for d in caught.value.diagnostics}
    assert set(given) == {"query: float32 (2,)", "key: float16 (3,)", "array 'valeu'"}
    assert given["query: float32 (2,)"].allowed == "query: uint16 (2,), the bits of bfloat16"
    assert "Did you mean 'value'?" in given["array 'valeu'"].fix


@pytest.mark.parametrize("content", [None, b"not an archive"])
def test_unreadable_file_is_reported(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        load_arrays(path, call_of(query=TensorArg((2,), "float16")))
    assert caught.value.diagnostics[0].rule == "call.inputs"
