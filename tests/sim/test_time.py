"""Simulated time: against boards, against itself, and the rules it is made of.

In: the kernels of specs/kernels. Out: verdicts. Must never assert how long this machine takes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from fiagen.cli.main import main
from fiagen.diagnostics import DiagnosticError
from fiagen.load.hardware import chip_names, load_chip
from fiagen.load.launches import kernel_folder, load_points, read_launch
from fiagen.model.launch import KernelLaunch
from fiagen.sim.abi import FiagenSimSpan
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch
from fiagen.verify.calibration import calibration_markdown, measure
from fiagen.verify.handwritten import KernelRun, kernel_of, run_kernel

KERNELS = sorted(path.parent.name for path in kernel_folder("").glob("*/kernel.cpp"))
LARGE = ("copy_to_ub", "copy_to_l1")  # run for time only
WITHIN = 0.15
MAY_BE_MISSING = ("l0c_to_ub_bytes", "ub_to_l1_bytes", "l1_to_ub_bytes", "vector_dual_issue")  # 0 on c220


def run(name: str, request: KernelLaunch | None = None, **options: object) -> KernelRun:
    folder = kernel_folder(name)
    request = request or read_launch(folder / "launch.yaml")
    return run_kernel(kernel_of(folder / "kernel.cpp", request), request, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("point", load_points().points, ids=lambda point: point.id)
def test_a_measured_point_is_met(point):
    row = measure(point)
    assert abs(row.error) <= WITHIN, f"{row.what}: simulated {row.ours:.2f} {row.unit}, measured {row.measured}"


def test_the_page_lists_every_point_and_what_is_missing():
    points = load_points()
    text = calibration_markdown([measure(points.points[1])])
    assert points.points[1].what in text
    assert all(item.what in text and item.needs in text for item in points.unanswered)


@pytest.mark.parametrize("name", [name for name in KERNELS if name not in LARGE])
def test_time_does_not_depend_on_the_schedule_nor_on_the_data(name: str):
    first = run(name)
    assert first.report.faults == () and first.report.cycles > 0
    for number, policy in enumerate(("early", "random", "random")):
        other = run(name, policy=policy, seed=number)
        assert other.report.cycles == first.report.cycles and other.digest == first.digest
    alone = run(name, time_only=True)
    assert alone.report.cycles == first.report.cycles and alone.report.aic_stalls == first.report.aic_stalls


def test_the_sum_and_the_product_are_right():
    request = read_launch(kernel_folder("matmul_bf16") / "launch.yaml")
    shapes, fields = {"a": (200, 304), "b": (304, 272), "c": (200, 272)}, {"m": 200, "n": 272, "k": 304}
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shapes[name]).astype(ml_dtypes.bfloat16) for name in "ab")
    result = run("matmul_bf16", request.replaced(shapes=shapes, fields=fields), given={"a": a, "b": b})
    assert result.report.faults == ()
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(result.outputs["c"].astype(np.float64), wanted, rtol=2**-7, atol=1e-2)
    x, y = (rng.standard_normal((40, 256)).astype(ml_dtypes.bfloat16) for _ in "xy")
    total = run("add_bf16", given={"x": x, "y": y}).outputs["z"]
    assert np.array_equal(total, (x.astype(np.float32) + y.astype(np.float32)).astype(ml_dtypes.bfloat16))


def test_cores_share_hbm_and_one_alone_is_bound_by_its_path():
    chip = ChipConfig.from_hardware(load_chip("910B1"))
    request = read_launch(kernel_folder("copy_to_ub") / "launch.yaml")
    moved = 402653184

    def rate(blocks: int, total: int) -> float:
        changed = request.replaced(blocks=blocks, fields={"total": total}, shapes={"x": (total,)})
        report = run("copy_to_ub", changed, time_only=True).report
        assert report.hbm_read_bytes == total
        return total / report.cycles

    assert rate(48, moved) == pytest.approx(chip.hbm_bytes, rel=0.02)
    assert rate(1, moved // 48) == pytest.approx(chip.hbm_to_ub_bytes, rel=0.05)
    assert rate(48, moved) > 1.9 * rate(8, moved // 6) * 0.9


def test_a_second_look_comes_from_l2_while_the_footprint_fits():
    request = read_launch(kernel_folder("matmul_bf16") / "launch.yaml")
    report = run("matmul_bf16", request, time_only=True).report
    bytes_of = {a.name: a.tensor.numel * 2 for a in request.arguments if a.tensor is not None}
    assert report.hbm_read_bytes == bytes_of["a"] + bytes_of["b"]
    assert report.hbm_write_bytes == bytes_of["c"]
    assert report.l2_read_bytes == bytes_of["a"] * 1 + bytes_of["b"] * 1  # two tiles in each direction


CHAIN = """// In: nothing. Out: nothing. Never: nothing.
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void chain(GM_ADDR x)
{{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<float> g;
    g.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 131072);
    LocalTensor<float> a = memory.GetWithOffset<float>(4096, 0);
    LocalTensor<float> b = memory.GetWithOffset<float>(4096, {b});
    LocalTensor<float> c = memory.GetWithOffset<float>(4096, {c});
    Duplicate(a, 1.0f, 4096);
    Duplicate(b, 1.0f, 4096);
    Duplicate(c, 1.0f, 4096);
    PipeBarrier<PIPE_V>();
    for (int i = 0; i < 8; ++i) {{
        {body}
        PipeBarrier<PIPE_V>();
    }}
    if (g.GetSize() == 0) {{
        return;
    }}
}}
"""


def chain(tmp_path: Path, chip: ChipConfig, body: str, b: int = 65536, c: int = 16384 + 256) -> SimReport:
    source = tmp_path / "chain.cpp"
    source.write_text(CHAIN.format(body=body, b=b, c=c))
    library = compile_kernel(source, "chain", generated=False)
    report = launch(library, [np.zeros(8, np.float32)], block_dim=1, chip=chip)
    assert report.faults == ()
    return report


def test_banks_that_clash_cost_cycles(tmp_path: Path, chip: ChipConfig):
    repeats = 8 * 4096 * 4 / 256
    apart = chain(tmp_path, chip, "Add(c, a, b, 4096);", b=65536 + 256, c=32768 + 256)
    reads = chain(tmp_path, chip, "Add(c, a, b, 4096);", b=65536, c=32768 + 256)
    both = chain(tmp_path, chip, "Add(c, a, b, 4096);", b=65536, c=32768)
    assert reads.aiv_busy_cycles["V"] - apart.aiv_busy_cycles["V"] == repeats  # a and b in the same groups
    assert both.aiv_busy_cycles["V"] - apart.aiv_busy_cycles["V"] == 2 * repeats  # and c in the banks of a
    in_place = chain(tmp_path, chip, "Muls(a, a, 1.0f, 4096);")
    out_of_place = chain(tmp_path, chip, "Muls(b, a, 1.0f, 4096);")
    assert in_place.aiv_busy_cycles["V"] - out_of_place.aiv_busy_cycles["V"] == repeats


def test_exponentials_take_longer_than_products(tmp_path: Path, chip: ChipConfig):
    repeats = 8 * 4096 * 4 / 256
    product = chain(tmp_path, chip, "Muls(b, a, 1.0f, 4096);").aiv_busy_cycles["V"]
    exponential = chain(tmp_path, chip, "Exp(b, a, 4096);").aiv_busy_cycles["V"]
    assert exponential - product == repeats * (64 / chip.vector_exp_elements - chip.vector_repeat_cycles)


def test_a_launch_costs_by_its_blocks_and_kind(chip: ChipConfig):
    request = read_launch(kernel_folder("add_bf16") / "launch.yaml").replaced(chip="910B1")
    one, two = (run("add_bf16", request.replaced(blocks=n)).report.launch_microseconds for n in (10, 20))
    assert two - one == pytest.approx(10 * chip.launch_vector_block_ns / 1000)
    mixed = run("mix_ping_pong").report
    wanted = chip.launch_cube_ns + 24 * chip.launch_cube_block_ns + chip.launch_mix_ns
    assert mixed.launch_microseconds == pytest.approx(wanted / 1000)
    assert mixed.microseconds == pytest.approx(mixed.launch_microseconds + mixed.cycles / chip.clock_mhz)


def test_more_blocks_than_cores_run_one_after_the_other():
    request = read_launch(kernel_folder("muls_chain") / "launch.yaml")

    def cycles(blocks: int) -> float:
        shape = (8192 * blocks,)
        return run(
            "muls_chain", request.replaced(blocks=blocks, shapes={"x": shape, "y": shape}), time_only=True
        ).report.cycles

    assert cycles(49) == pytest.approx(2 * cycles(48), rel=0.1)


def test_a_hand_over_between_cores_takes_its_latency(chip: ChipConfig):
    request = read_launch(kernel_folder("mix_ping_pong") / "launch.yaml")
    one, eleven = (run("mix_ping_pong", request.replaced(fields={"rounds": n})).report for n in (1, 11))
    assert eleven.cycles - one.cycles > 10 * 2 * chip.cross_flag_cycles
    assert eleven.aic_stalls["S"]["cross-core flag"] > 10 * 2 * chip.cross_flag_cycles


def test_a_wait_that_fills_its_queue_stands_for_ever(tmp_path: Path, chip: ChipConfig):
    source = tmp_path / "stuck.cpp"
    body = "WaitFlag<HardEvent::MTE2_V>(0);"
    body += " for (int i = 0; i < {n}; ++i) {{ Muls(a, a, 1.0f, 64); PipeBarrier<PIPE_V>(); }}"
    for count, faults in ((8, 0), (40, 1)):
        code = CHAIN.format(body="", b=65536, c=32768).replace(
            "if (g.GetSize()",
            body.format(n=count) + " DataCopy(c, g, 8); SetFlag<HardEvent::MTE2_V>(0); if (g.GetSize()",
        )
        source.write_text(code)
        library = compile_kernel(source, "chain", generated=False)
        report = launch(
            library, [np.zeros(8, np.float32)], block_dim=1, chip=replace(chip, queue_depth=32), checks=False
        )
        assert len(report.faults) == faults
        assert all(fault.id == "sim.instruction_queue_deadlock" for fault in report.faults)


def test_busy_and_waiting_add_up():
    report = run("matmul_bf16").report
    for pipe, waits in report.aic_stalls.items():
        assert report.aic_mean_cycles[pipe] + sum(waits.values()) == pytest.approx(report.cycles, rel=0.02), pipe


def test_spans_tell_every_instruction(chip: ChipConfig):
    traced = run("mmad_chain", trace=True)
    assert traced.spans is not None
    spans = [traced.spans[i] for i in range(traced.report.num_spans)]
    assert sum(span.name == b"Mmad" for span in spans) == 8
    busy = sum(span.end - span.start for span in spans if span.name == b"Mmad")
    assert busy == traced.report.aic_busy_cycles["M"]
    few = (FiagenSimSpan * 2)()
    request = read_launch(kernel_folder("mmad_chain") / "launch.yaml")
    library = kernel_of(kernel_folder("mmad_chain") / "kernel.cpp", request)
    arrays = [np.zeros((128, 64), np.float16), np.zeros((64, 256), np.float16), np.zeros((128, 256), np.float32)]
    tiling = np.array([128, 256, 64, 8, 0], np.uint32)
    report = launch(library, [*arrays, tiling], block_dim=1, chip=chip, spans=few)
    assert report.num_spans == len(spans) and few[1].end > 0


def test_the_sim_verb_runs_an_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder, trace, saved = kernel_folder("mix_ping_pong"), tmp_path / "trace.json", tmp_path / "out.npz"
    given = tmp_path / "in.npz"
    a = np.eye(16, dtype=np.float16)
    np.savez(given, a=a, b=2 * a)
    arguments = [str(folder / "kernel.cpp"), "--launch", str(folder / "launch.yaml"), "--json", "--schedules", "4"]
    assert main(["sim", *arguments, "--inputs", str(given), "--save", str(saved), "--trace", str(trace)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["status"] == "pass" and result["faults"] == [] and result["cycles"] > 0 and result["microseconds"] > 0
    with np.load(saved) as file:
        assert np.array_equal(file["c"], np.tile(2 * np.eye(16, dtype=np.float32) + 1, (24, 1)))
    events = json.loads(trace.read_text())["traceEvents"]
    names = {(e["pid"], e["args"]["name"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {(0, "M"), (0, "FIX"), (1, "V"), (1, "MTE3"), (3, "M")} <= names
    assert any(e["ph"] == "X" and e["name"] == "Mmad" and e["dur"] > 0 for e in events)


def test_the_sim_verb_tells_a_fault_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = kernel_folder("muls_chain")
    text = (folder / "kernel.cpp").read_text().replace("    WaitFlag<HardEvent::V_MTE3>(0);\n", "")
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text(text)
    assert main(["sim", str(kernel), "--launch", str(folder / "launch.yaml"), "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    fault = result["faults"][0]
    assert result["status"] == "fail" and result["cycles"] == 0
    line = next(n for n, part in enumerate(text.split("\n"), 1) if "DataCopy(out" in part)
    assert (fault["id"], fault["pipe"], fault["line"], fault["core"]) == ("sim.race", "MTE3", line, "AIV0")
    assert set(fault) >= {"id", "core", "pipe", "file", "line", "message"}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (("entry: muls_chain", "entry: 7"), "call.wrong_type"),
        (("blocks: 1", "blocks: 0"), "call.wrong_type"),
        (("blocks: 1", "blockz: 1"), "launch.unknown_key"),
        (("chip: 910B1", "chip: 910B7"), "launch.unknown_chip"),
        (("role: out", "role: output"), "launch.unknown_role"),
        (("name: y", "name: x"), "launch.two_of_a_name"),
        (("dtype: float32, shape: [8192]}\n  - {name: y", "shape: [8192]}\n  - {name: y"), "call.missing_key"),
        (("dtype: uint32, value: 256", "dtype: uint33, value: 256"), "launch.unknown_dtype"),
        (("value: 256", "value: -1"), "call.wrong_type"),
        (("value: 256", "value: 1.5"), "call.wrong_type"),
        (("role: struct", "role: workspace"), "launch.unknown_key"),
    ],
)  # fmt: skip
def test_a_launch_description_is_read_strictly(tmp_path: Path, change: tuple[str, str], rule: str):
    text = (kernel_folder("muls_chain") / "launch.yaml").read_text()
    assert change[0] in text
    path = tmp_path / "launch.yaml"
    path.write_text(text.replace(*change))
    with pytest.raises(DiagnosticError) as raised:
        read_launch(path)
    assert raised.value.diagnostics[0].rule == rule
    assert f"{path}:" in raised.value.diagnostics[0].place


def test_every_example_is_read_and_a_product_names_a_chip(tmp_path: Path):
    for name in KERNELS:
        assert read_launch(kernel_folder(name) / "launch.yaml").entry == name
    path = tmp_path / "launch.yaml"
    path.write_text((kernel_folder("muls_chain") / "launch.yaml").read_text().replace("chip: 910B1", "chip: a3"))
    assert read_launch(path).chip == "9391"


@pytest.mark.parametrize("name", chip_names())
def test_every_chip_has_what_time_needs(name: str):
    chip = ChipConfig.from_hardware(load_chip(name))
    assert all(value > 0 for key, value in vars(chip).items() if key not in MAY_BE_MISSING), name
