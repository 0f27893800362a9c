"""Programs written against the published API: do they compile unchanged, run on the CPU, and give the oracle's result?

Every one is a process of its own; compilers are those of the machine (g++, clang++).
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from acl_programs import AHEAD, COMPILERS, OP, PROGRAMS, Compile, run

from fiagen.load.catalogue import load_catalogue
from fiagen.oracle import run_oracle
from fiagen.sim.sealed import whole
from fiagen.verify.compare import compare


def drawn(shape: tuple[int, ...], dtype: Any, salt: int) -> np.ndarray:
    """What Drawn of common.h gives."""
    with np.errstate(over="ignore"):
        x = np.arange(1, np.prod(shape) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
            salt
        ) * np.uint64(0xD1B54A32D192ED03)
        x ^= x >> np.uint64(29)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(32)
    return (((x % np.uint64(64)).astype(np.int64) - 32) / 32).astype(dtype).reshape(shape)


def inputs(query: tuple[int, ...], key: tuple[int, ...], dtype: Any, **more: Any) -> dict[str, Any]:
    return {
        "query": drawn(query, dtype, 1),
        "key": drawn(key, dtype, 2),
        "value": drawn(key, dtype, 3),
        "softmax_scale": 0.125,
        **more,
    }


PREFILL = inputs(
    (2, 4, 19, 64), (2, 2, 37, 64), np.float16, input_layout="BNSD", num_query_heads=4, num_key_value_heads=2
)
CALLS: dict[str, dict[str, Any]] = {
    "prefill": PREFILL,
    "repeated": PREFILL,
    "threads": PREFILL,
    "decode_lse": inputs(
        (3, 1, 8, 64),
        (3, 150, 2, 64),
        ml_dtypes.bfloat16,
        input_layout="BSND",
        num_query_heads=8,
        num_key_value_heads=2,
        actual_seq_kvlen=[1, 150, 77],
        return_softmax_lse=True,
    ),
    "packed_causal": inputs(
        (30, 2, 128),
        (90, 1, 128),
        ml_dtypes.bfloat16,
        input_layout="TND",
        num_query_heads=2,
        num_key_value_heads=1,
        actual_seq_qlen=[10, 11, 30],
        actual_seq_kvlen=[40, 60, 90],
        sparse_mode=3,
        atten_mask=np.triu(np.ones((2048, 2048), bool), 1),
        next_tokens=0,
    ),
}


def judged(name: str, result: Path) -> None:
    """Compares the bytes a program wrote with the oracle, within the operator's tolerances."""
    call = CALLS[name]
    expected = run_oracle(OP, **call)
    bytes_ = result.read_bytes()
    dtype = call["query"].dtype
    count = expected["attention_out"].size
    outputs = {"attention_out": np.frombuffer(bytes_, dtype, count).reshape(expected["attention_out"].shape)}
    rest = np.frombuffer(bytes_, np.float32, -1, count * dtype.itemsize)
    outputs["softmax_lse"] = rest.reshape(expected["softmax_lse"].shape)
    tolerances = load_catalogue().operators[OP].spec.tolerances
    found = compare(outputs, expected, {"attention_out": tolerances[dtype.name], "softmax_lse": tolerances["float32"]})
    assert found.status == "pass", found.worst
    assert np.ptp(outputs["attention_out"].astype(np.float32)) > 0.01, "the result says nothing"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_program_gives_the_oracles_result(compiled: Compile, tmp_path: Path, name: str, compiler: str) -> None:
    done = run(compiled(name, compiler), tmp_path / "result", 50)
    judged(name, tmp_path / "result")
    assert done.stderr == "", "a careful program leaves nothing to tell"


def test_every_program_of_the_folder_is_run() -> None:
    assert {file.stem for file in PROGRAMS.glob("*.cpp")} == {*CALLS, "refusals", "careless"} and len(COMPILERS) >= 1


def test_every_status_code_and_the_library_stays_usable(compiled: Compile) -> None:
    done = run(compiled("refusals", COMPILERS[0]))
    assert (done.stdout, done.stderr) == ("all refused\n", "")


def test_a_thousand_calls_leak_nothing_and_touch_nothing(sanitized: Compile) -> None:
    done = run(sanitized("refusals", "address,undefined"))
    assert (done.stdout, done.stderr) == ("all refused\n", "")


def test_eight_threads_and_their_streams_do_not_race(sanitized: Compile, tmp_path: Path) -> None:
    done = run(sanitized("threads", "thread"), tmp_path / "result", 8)
    assert "WARNING: ThreadSanitizer" not in done.stderr
    judged("threads", tmp_path / "result")


@pytest.mark.parametrize("what", ["read", "write"])
def test_device_memory_is_none_of_the_hosts(compiled: Compile, what: str) -> None:
    done = run(compiled("careless", COMPILERS[0]), what, check=False)
    assert done.returncode == -signal.SIGSEGV
    assert "the host touched device memory" in done.stderr


def test_leaks_are_told_at_the_end(compiled: Compile) -> None:
    done = run(compiled("careless", COMPILERS[0]), "leak")
    assert done.stderr.splitlines() == [
        "fiagen: at aclFinalize",
        "  never freed: 1 device allocation, 1000 bytes",
        "  never freed: 1 host allocation",
        "  never destroyed: 1 stream",
        "  never destroyed: 1 event",
        "  never destroyed: 1 aclOpExecutor",
        "  never destroyed: 2 aclIntArrays",
        "  never destroyed: 1 aclTensor",
    ]


def test_what_ends_twice_is_told_and_not_done(compiled: Compile) -> None:
    done = run(compiled("careless", COMPILERS[0]), "twice")
    assert done.stderr.splitlines() == [
        "fiagen: at aclFinalize",
        "  aclDestroyIntArray: 1 call on what was no longer or never there",
        "  aclrtFree: 2 calls on what was no longer or never there",
    ]
    assert run(compiled("careless", COMPILERS[0]), "nothing").stderr == ""


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_spoiled_kernel_is_made_again(library: Path, compiled: Compile, tmp_path: Path, damage: str) -> None:
    kernel = library / "lib" / "fiagen" / "kernels" / f"{AHEAD}.so"
    good = kernel.read_bytes()
    assert whole(kernel)
    try:
        kernel.unlink()
        if damage != "gone":
            kernel.write_bytes(good[: len(good) // 2] if damage == "cut" else good[:5000] + b"spoiled" + good[5007:])
        run(compiled("prefill", COMPILERS[0]), tmp_path / "result")
        judged("prefill", tmp_path / "result")
    finally:
        kernel.unlink(missing_ok=True)
        kernel.write_bytes(good)


def test_a_library_without_a_way_to_make_kernels_says_so(library: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"  # a library may be copied anywhere
    shutil.copytree(library, moved, symlinks=True)
    (moved / "lib" / "fiagen" / "maker.txt").unlink()
    run(
        COMPILERS[0],
        "-std=c++17",
        f"-I{moved}/include",
        PROGRAMS / "prefill.cpp",
        f"-L{moved}/lib",
        "-lascendcl",
        "-lcust_opapi",
        f"-Wl,-rpath,{moved}/lib",
        "-o",
        tmp_path / "prefill",
    )
    run(tmp_path / "prefill", tmp_path / "result")
    judged("prefill", tmp_path / "result")
    (moved / "lib" / "fiagen" / "kernels" / f"{AHEAD}.so").unlink()
    done = run(tmp_path / "prefill", tmp_path / "result", check=False)
    assert done.returncode == 1 and "maker.txt does not say how to make it" in done.stdout
