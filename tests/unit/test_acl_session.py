"""The runtime and the session: a pretended operator through both phases, and every way it can go wrong."""

from __future__ import annotations

import ctypes
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acl_fake
import ml_dtypes
import numpy as np
import pytest

from fiagen import paths
from fiagen.acl.build import build_op_library
from fiagen.acl.session import RunResult, Session
from fiagen.diagnostics import DiagnosticError, fail
from fiagen.load import hardware
from fiagen.sim import abi

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

MODES = ("ok", "fault", "overrun_out", "overrun_workspace", "silent")


@dataclass
class Fake:
    library: Path
    kernels: dict[str, Path]
    folder: Path
    asked: list[str]

    def resolve(self, name: str) -> Path:
        self.asked.append(name)
        if name not in self.kernels:
            raise fail("sim.compile_failed", given=name, allowed="a kernel", why="no such kernel", fix="none")
        return self.kernels[name]

    def session(self) -> Session:
        return Session(self.library, self.resolve, acl_fake.fake_chip(), acl_fake.fake_spec())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fake]:
    folder = tmp_path_factory.mktemp("acl")
    paths.set_cache_dir(folder / "cache")
    source = acl_fake.PROGRAMS / "fake_kernel.cpp"
    kernels = {
        f"fake_{mode}": acl_fake.compiled(folder / f"{mode}.so", "-shared", "-fPIC", f"-D{mode.upper()}", source)
        for mode in MODES
    }
    yield Fake(build_op_library([acl_fake.PROGRAMS / "fake_op.cpp"], []), kernels, folder, [])
    paths.set_cache_dir(None)


@pytest.fixture
def fake(built: Fake) -> Fake:
    built.asked.clear()
    return built


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(session: Session, mode: str = "ok", **changes: Any) -> RunResult:
    args = {"x": X, "lengths": [3, 4], "count": 5, "scale": 10.0, "mode": mode, "flag": True, **changes}
    options = {name: args.pop(name) for name in ("seed", "policy", "instruction_budget", "formats") if name in args}
    return session.run(args, {"fake_out": (X.shape, np.dtype(np.float32))}, **options)


def test_the_run_returns_what_the_kernel_computed(fake: Fake) -> None:
    result = run(fake.session(), seed=11, policy="random", instruction_budget=99)
    np.testing.assert_array_equal(result.outputs["fake_out"], X * 10 + 7)
    assert (result.status, result.message, result.workspace_bytes) == (0, "", 96)
    assert (result.kernel, result.block_dim, fake.asked) == ("fake_ok", 7, ["fake_ok"])
    report = result.report
    assert report is not None and report.faults == ()
    assert (report.cycles, report.microseconds, report.instructions) == (11.0, 99.0, 2)
    assert report.aic_busy_cycles["MTE2"] == 1850.0, "the chip did not reach the kernel"
    assert report.aiv_busy_cycles["V"] == 51.0, "count and flag did not reach the kernel"


def test_absent_arguments_take_the_documented_default(fake: Fake) -> None:
    args = {"x": X, "mode": "ok"}
    result = fake.session().run(args, {"fake_out": (X.shape, np.dtype(np.float32))})
    np.testing.assert_array_equal(result.outputs["fake_out"], X * 2.0)
    assert result.report is not None and result.report.aiv_busy_cycles["V"] == 0.0


def test_a_tensor_list_carries_its_tensor(fake: Fake) -> None:
    result = run(fake.session(), other=X)
    np.testing.assert_array_equal(result.outputs["fake_out"], X * 11 + 7)


def test_nothing_stays_allocated(fake: Fake) -> None:
    session = fake.session()
    for mode in MODES:
        run(session, mode)
    assert session._library.c.fiagenDeviceBytesInUse() == 0


def test_a_fault_is_a_status_with_a_place(fake: Fake) -> None:
    result = run(fake.session(), "fault")
    assert (result.status, result.outputs, result.kernel) == (507015, {}, "fake_fault")
    assert result.message == (
        "error 507015: aclrtSynchronizeStream: kernel fake_fault faulted\n"
        "  sim.read_before_wait, block 3 AIV1, pipe MTE2, DataCopy, line 120 against line 88: the copy had not landed"
    )
    assert result.report is not None
    (fault,) = result.report.faults
    assert fault == abi.Fault(
        id="sim.read_before_wait", block=3, core="AIV1", pipe="MTE2", instruction="DataCopy", line=120, other_line=88,
        message="the copy had not landed",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("overrun_out", "bytes behind the allocation of 24 bytes that holds argument 2"),
        ("overrun_workspace", "bytes before and behind the allocation of 96 bytes that holds argument 3"),
    ],
)
def test_writing_beside_a_buffer_is_a_fault(fake: Fake, mode: str, said: str) -> None:
    session = fake.session()
    result = run(session, mode)
    assert result.status == 507015 and said in result.message
    assert result.report is not None
    assert [fault.id for fault in result.report.faults] == ["sim.guard_overwritten"]
    assert run(session).status == 0, "the fault of one run was blamed on the next"


def test_a_failure_without_a_named_fault_does_not_pass(fake: Fake) -> None:
    result = run(fake.session(), "silent")
    assert result.status == 507015 and "without naming a fault" in result.message


def test_the_entry_point_refuses_and_nothing_runs(fake: Fake) -> None:
    result = run(fake.session(), x=X.astype(ml_dtypes.bfloat16))
    assert (result.status, result.kernel, result.report, fake.asked) == (161002, "", None, [])
    assert "FAKE-02: x is bfloat16 ND [2, 3]" in result.message
    result = run(fake.session(), formats={"x": "FRACTAL_NZ"})
    assert "FAKE-02: x is float32 FRACTAL_NZ [2, 3]" in result.message


def test_strides_reach_the_entry_point(fake: Fake) -> None:
    wide = np.zeros((2, 5), np.float32)
    result = run(fake.session(), x=wide[:, 1:4])
    assert result.status == 161002
    assert "FAKE-03: x has strides [5, 1] in a storage of 32 bytes" in result.message


def test_an_absent_required_tensor_is_a_null_pointer(fake: Fake) -> None:
    result = fake.session().run({"mode": "ok"}, {"fake_out": (X.shape, np.dtype(np.float32))})
    assert result.status == 161001 and "FAKE-01" in result.message


def test_what_the_resolver_raises_comes_out(fake: Fake) -> None:
    with pytest.raises(DiagnosticError, match="no such kernel"):
        run(fake.session(), "unknown")
    assert run(fake.session()).status == 0


def test_a_library_that_is_no_kernel_is_refused(fake: Fake) -> None:
    text = fake.folder / "text.so"
    text.write_text("not a library")
    no_kernel = fake.library
    for path, said in ((text, "cannot be loaded"), (no_kernel, "has no fiagen_sim_launch")):
        session = Session(fake.library, lambda _, path=path: path, acl_fake.fake_chip(), acl_fake.fake_spec())
        result = run(session)
        assert result.status == 361001 and said in result.message and result.kernel == ""


def test_negative_strides_and_packed_types_are_refused(fake: Fake) -> None:
    with pytest.raises(DiagnosticError, match=r"call\.strides"):
        run(fake.session(), x=X[:, ::-1])
    with pytest.raises(DiagnosticError, match=r"call\.not_a_device_tensor"):
        run(fake.session(), x=X.astype(ml_dtypes.int4))
    with pytest.raises(DiagnosticError, match=r"call\.argument_type"):
        run(fake.session(), count=1.5)


def test_a_library_without_the_entry_points_is_refused(fake: Fake) -> None:
    other = acl_fake.fake_spec().model_copy(update={"c_api": "aclnnElsewhere"})
    with pytest.raises(DiagnosticError, match="aclnnElsewhereGetWorkspaceSize"):
        Session(fake.library, fake.resolve, acl_fake.fake_chip(), other)
    with pytest.raises(DiagnosticError, match=r"sim\.library_unusable"):
        Session(fake.kernels["fake_ok"], fake.resolve, acl_fake.fake_chip(), acl_fake.fake_spec())


def test_two_sessions_of_one_library_keep_their_own_kernels(fake: Fake) -> None:
    first = fake.session()
    second = Session(fake.library, lambda _: fake.kernels["fake_fault"], acl_fake.fake_chip(), acl_fake.fake_spec())
    assert [run(session).status for session in (first, second, first)] == [0, 507015, 0]


Misuse = Callable[[ctypes.CDLL, ctypes.c_void_p, int, ctypes.c_void_p], int]


def phases(fake: Fake, misuse: Misuse) -> tuple[int, str]:
    """The status and text of a misused second phase."""
    session = fake.session()
    execute = session._execute
    outcome: list[int] = []

    def wrapped(workspace: ctypes.c_void_p, _: object, executor: ctypes.c_void_p, stream: ctypes.c_void_p) -> int:
        outcome.append(misuse(session._library.c, executor, workspace.value or 0, stream))
        return outcome[-1]

    session._execute = wrapped
    result = run(session)
    assert session._execute is not execute and outcome == [result.status]
    return result.status, result.message


def aclnn(library: ctypes.CDLL, name: str, *args: Any) -> int:
    workspace, size, executor, stream = args
    return getattr(library, name)(ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, stream)


def used_twice(library: ctypes.CDLL, executor: ctypes.c_void_p, workspace: int, stream: ctypes.c_void_p) -> int:
    assert aclnn(library, "aclnnFake", workspace, 96, executor, stream) == 0
    return aclnn(library, "aclnnFake", workspace, 96, executor, stream)


@pytest.mark.parametrize(
    ("misuse", "status", "said"),
    [
        (used_twice, 161002, "already used or destroyed"),
        (lambda c, e, w, s: aclnn(c, "aclnnOther", w, 96, e, s), 161002, "the executor was made for aclnnFake"),
        (lambda c, e, w, s: aclnn(c, "aclnnFake", w, 95, e, s), 161002, "the workspace has 95 bytes, 96 are needed"),
        (lambda c, e, w, s: aclnn(c, "aclnnFake", w, 97, e, s), 161002, "97 bytes are not inside one device"),
        (lambda c, e, w, s: aclnn(c, "aclnnFake", None, 96, e, s), 161001, "the workspace is null"),
        (lambda c, e, w, s: aclnn(c, "aclnnFake", w, 96, None, s), 161001, "the executor is null"),
    ],
)
def test_a_misused_second_phase_is_refused(fake: Fake, misuse: Any, status: int, said: str) -> None:
    found, text = phases(fake, misuse)
    assert found == status and said in text


def test_a_faulted_stream_says_so_once(fake: Fake) -> None:
    def execute_and_synchronize(
        library: ctypes.CDLL, executor: ctypes.c_void_p, workspace: int, stream: ctypes.c_void_p
    ) -> int:
        assert aclnn(library, "aclnnFake", workspace, 96, executor, stream) == 0, "it waited for the kernel"
        assert library.aclrtSynchronizeStream(stream) == 507015
        return library.aclrtSynchronizeStream(stream)

    fake.kernels["fake_ok"], kept = fake.kernels["fake_fault"], fake.kernels["fake_ok"]
    try:
        assert phases(fake, execute_and_synchronize)[0] == 0
    finally:
        fake.kernels["fake_ok"] = kept
    assert run(fake.session()).status == 0


def test_the_sample_application_runs(fake: Fake, tmp_path: Path) -> None:
    program = acl_fake.compiled(tmp_path / "sample", acl_fake.PROGRAMS / "sample.cpp", fake.library)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all as documented\n"), done.stdout + done.stderr


def test_host_code_gets_facts_and_launches_as_designed(fake: Fake, tmp_path: Path) -> None:
    program = acl_fake.compiled(tmp_path / "host_code", acl_fake.PROGRAMS / "host_code.cpp", fake.library)
    done = subprocess.run([program, fake.kernels["fake_ok"]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all as designed\n"), done.stdout + done.stderr


def test_streams_are_asynchronous_in_order_and_several_at_a_time(fake: Fake, tmp_path: Path) -> None:
    program = acl_fake.compiled(tmp_path / "streams", acl_fake.PROGRAMS / "streams.cpp", fake.library)
    source = acl_fake.PROGRAMS / "meeting_kernel.cpp"
    kernels = [acl_fake.compiled(tmp_path / f"{name}.so", "-shared", "-fPIC", source) for name in "ab"]
    done = subprocess.run([program, *kernels], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "in order\n"), done.stdout + done.stderr


def test_sessions_serve_many_threads(fake: Fake) -> None:
    session = fake.session()
    wrong: list[str] = []

    def work(number: int) -> None:
        for turn in range(25):
            result = run(session, x=X + number, scale=float(turn))
            if result.status or not np.array_equal(result.outputs["fake_out"], (X + number) * turn + 7):
                wrong.append(f"{number} {turn} {result}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and session._library.c.fiagenDeviceBytesInUse() == 0


def test_the_runtime_and_the_dtype_table_agree(fake: Fake) -> None:
    library = fake.session()._library.c
    table = hardware.load_dtypes()
    assert len(table) == 15
    for name, spec in table.items():
        assert library.fiagenDataTypeFromName(name.encode()) == spec.acl_number
        assert library.aclDataTypeSize(spec.acl_number) * 8 == (spec.bits if spec.bits % 8 == 0 else 0)
    assert library.fiagenDataTypeFromName(b"float17") == -1
    header = (paths.ACL_INCLUDE / "acl" / "acl_base.h").read_text()
    for spec in table.values():
        assert re.search(rf"\b{spec.acl} = {spec.acl_number}\b", header), spec.acl


@pytest.mark.parametrize("struct", [abi.FiagenSimChip, abi.FiagenSimFault, abi.FiagenSimReport])
def test_ctypes_lays_structs_out_as_the_header_does(struct: type[ctypes.Structure], tmp_path: Path) -> None:
    name, fields = struct.__name__, [field[0] for field in struct._fields_]
    header = (paths.SIM_INCLUDE / "fiagen_sim_abi.h").read_text()
    body = re.search(rf"struct {name} {{(.*?)}} {name};", re.sub(r"//[^\n]*", "", header), re.DOTALL)
    assert body is not None
    declared = re.findall(r"(\w+)(?:\[\w+\])*\s*[,;]", body[1])
    assert declared == fields
    offsets = "".join(f'std::printf("%zu\\n", offsetof({name}, {field}));' for field in fields)
    source = tmp_path / "offsets.cpp"
    source.write_text(
        f'#include <cstddef>\n#include <cstdio>\n#include "fiagen_sim_abi.h"\nint main() {{ {offsets}'
        f'std::printf("%zu\\n", sizeof({name})); return 0; }}\n'
    )
    program = acl_fake.compiled(tmp_path / "offsets", source)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert list(map(int, printed)) == [*(getattr(struct, field).offset for field in fields), ctypes.sizeof(struct)]
