"""What a kernel for 3510 may not contain is refused by the compiler, each with the sentence that names it.

In: statements in a small kernel. Out: verdicts. Must never run a kernel.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.paths import SIM_INCLUDE
from fiagen.sim import build
from fiagen.sim.build import compile_kernel, find_compiler

ARCH_FLAG = "-D__NPU_ARCH__=3510"
KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
__simd_vf__ inline void Vf(__ubuf__ float* x, uint16_t times)
{
    Reg::RegTensor<float> a;
    Reg::RegTensor<int8_t> b;
    Reg::RegTensor<half> h;
    auto all = Reg::CreateMask<float>();
    for (uint16_t i = 0; i < times; ++i) {
        Reg::LoadAlign(a, x);
        %s
        Reg::StoreAlign(x, a, all);
    }
    (void)b, (void)h;
}
struct Words { int32_t a, b; };
__simd_vf__ inline void VfOfWords(__ubuf__ float*, Words) {}
extern "C" __global__ __aicore__ void small(GM_ADDR x)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<float> g;
    g.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    LocalTensor<float> l1(TPosition::A1, 0, 256), l0a(TPosition::A2, 0, 256), ub(TPosition::VECIN, 0, 256);
    auto p = reinterpret_cast<__ubuf__ float*>(ub.GetPhyAddr());
    asc_vf_call<Vf>(p, uint16_t{1});
    (void)l1, (void)l0a;
    %s
}
"""
REGISTER = [
    ("Reg::Sub<float, Reg::MaskMergeMode::MERGING>(a, a, a, all);", "ZEROING only"),
    ("constexpr static Reg::CastTrait t{}; Reg::Cast<int8_t, half, t>(b, h, all);", "Reg::Cast"),
    ("Reg::Div(b, b, b, all);", "Reg::Div takes half or float"),
    ("Reg::RegTensor<int64_t> w; Reg::Add(w, w, w, all);", "RegTensor"),
    ("Reg::LoadAlign<float, Reg::LoadDist::DIST_DINTLV_B32>(a, x);", "two registers"),
]
OUTSIDE = [
    ("LoadData(l0a, g, LoadData2DParamsV2{});", "no copy from global memory to L0"),
    ("asc_vf_call<VfOfWords>(p, Words{1, 2});", "neither structures nor arrays"),
    ("asc_vf_call<Vf>(p);", "wrong number of arguments for this vector function"),
    ("Mutex::Lock<PIPE_ALL>(0);", "names one pipe"),
    ("CrossCoreSetFlag<3, PIPE_MTE3>(0);", "3510 also mode 4"),
]


def refusal(folder: Path, inside: str, outside: str, arch: int = 3510) -> str:
    source = folder / "small.cpp"
    source.write_text(KERNEL % (inside, outside))
    with pytest.raises(DiagnosticError) as raised:
        compile_kernel(source, "small", arch=arch, generated=False)
    (finding,) = raised.value.diagnostics
    assert finding.rule == "sim.compile_failed" and ARCH_FLAG in finding.fix
    return finding.given


def test_the_kernel_without_them_compiles(tmp_path: Path) -> None:
    source = tmp_path / "small.cpp"
    source.write_text(KERNEL % ("", "CrossCoreSetFlag<4, PIPE_MTE3>(10);"))
    assert compile_kernel(source, "small", arch=3510).exists()


@pytest.mark.parametrize(("statement", "said"), REGISTER)
def test_a_vector_function_refuses(statement: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, statement, "")


@pytest.mark.parametrize(("statement", "said"), OUTSIDE)
def test_a_kernel_refuses(statement: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, "", statement)


ONLY_3510 = ["CrossCoreSetFlag<4, PIPE_MTE3>(0);", "asc_vf_call<nullptr>();", "Mutex::Lock<PIPE_V>(0);"]


@pytest.mark.parametrize("statement", ONLY_3510)
def test_c220_has_none_of_it(statement: str, tmp_path: Path) -> None:
    text = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
    text += 'extern "C" __global__ __aicore__ void small(GM_ADDR)\n{\n%s\n}\n'
    source = tmp_path / "small.cpp"
    source.write_text(text % "(void)GetBlockIdx();")
    assert compile_kernel(source, "small").exists()
    source.write_text(text % statement)
    with pytest.raises(DiagnosticError):
        compile_kernel(source, "small", generated=False)


def test_every_header_stands_alone(tmp_path: Path) -> None:
    headers = sorted((SIM_INCLUDE / "fiagen_sim").glob("**/*.h"))
    assert len([h for h in headers if h.parent.name == "arch3510"]) >= 12
    unit = tmp_path / "unit.cpp"
    for header in headers:
        unit.write_text(f'#include "{header.relative_to(SIM_INCLUDE).as_posix()}"\n')
        command = [*find_compiler(), *build.KERNEL_FLAGS, ARCH_FLAG, f"-I{SIM_INCLUDE}", "-fsyntax-only", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (header.name, done.stderr)
