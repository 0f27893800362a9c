// In:    L1 -> L0 loads in the forms of 3510, already reduced to addresses.
// Out:   checked and queued loads.
// Never: a fractal in another order than the cube of 3510 reads: NZ in L0A.
#include "../include/fiagen_sim/arch3510/limits.h"
#include "cost.h"
#include "reg_vf.h"
#include <algorithm>

namespace AscendC {
namespace sim {

static uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static void CheckNear(Core& core, const Local& dst, const Local& src)
{
    if (dst.mem != Mem::L0B) {
        core.CheckMem(dst, Mem::L0A, "destination");
    }
    core.CheckMem(dst, dst.mem, "destination");
    core.CheckAligned(dst.addr, limits::L0AB_ALIGN_BYTES, "destination");
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
}

namespace {
// Fractals (m, k) of the source. Transposed, those that make a square of 16, or of 32 for 1-byte types, belong together.
struct MatrixJob {
    const uint8_t* from;
    uint8_t* to;
    Load2DV2 p;
    uint32_t size;

    const uint8_t* Source(uint32_t m, uint32_t k) const
    {
        return from + (uint64_t{p.kStart + k} * p.srcStride + p.mStart + m) * 512;
    }
    uint8_t* Target(uint32_t m, uint32_t k) const { return to + (uint64_t{k} * p.dstStride + m) * 512; }
    uint32_t InM() const { return p.transpose && size == 1 ? 2 : 1; } // source fractals of a square along m and k
    uint32_t InK() const { return p.transpose && size == 4 ? 2 : 1; }

    void Square(uint32_t m, uint32_t k) const
    {
        const uint32_t c0 = 32 / size, side = std::max(16u, c0);
        for (uint32_t i = 0; i < side; ++i) {     // row of the source
            for (uint32_t j = 0; j < side; ++j) { // and its column
                const uint8_t* a = Source(m + i / 16, k + j / c0) + (i % 16 * c0 + j % c0) * size;
                const uint32_t rows = k * c0 + j, columns = m * 16 + i; // of the target
                uint8_t* b = Target(rows / 16, columns / c0) + (rows % 16 * c0 + columns % c0) * size;
                std::memcpy(b, a, size);
            }
        }
    }
    void operator()(Core&) const
    {
        for (uint32_t k = 0; k < p.kStep; k += InK()) {
            for (uint32_t m = 0; m < p.mStep; m += InM()) {
                p.transpose ? Square(m, k) : static_cast<void>(std::memcpy(Target(m, k), Source(m, k), 512));
            }
        }
    }
};
} // namespace

void LoadMatrix(const Local& dst, const Local& src, const Load2DV2& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData(2DV2)", at);
    if (p.mStep == 0 || p.kStep == 0) {
        return;
    }
    CheckNear(core, dst, src);
    core.CheckLimit(p.mStep, 1, limits::LOAD_2D_STEP_MAX, "mStep");
    core.CheckLimit(p.kStep, 1, limits::LOAD_2D_STEP_MAX, "kStep");
    const MatrixJob job{core.At8(Mem::L1, src.addr), core.At8(dst.mem, dst.addr), p, SizeOf(dst.dtype)};
    if (p.mStep % job.InM() != 0 || p.kStep % job.InK() != 0) {
        core.Raise("sim.limit", PIPE_MTE1, core.curName, at.line, 0,
            "a transposing load of %s needs an even %s: mStep is %u, kStep is %u", NameOf(dst.dtype),
            job.InM() == 2 ? "mStep" : "kStep", p.mStep, p.kStep);
    }
    const uint32_t c0 = 32 / job.size;
    const uint32_t rows = p.transpose ? p.kStep * c0 / 16 : p.mStep, columns = p.transpose ? p.mStep * 16 / c0 : p.kStep;
    for (uint32_t k = 0; k < p.kStep; ++k) {
        const auto lo = src.addr + static_cast<uint64_t>(job.Source(0, k) - job.from);
        core.ReadCopy(src, lo, lo + uint64_t{p.mStep} * 512);
    }
    for (uint32_t k = 0; k < columns; ++k) {
        const auto lo = dst.addr + static_cast<uint64_t>(job.Target(0, k) - job.to);
        core.WriteCopy(dst, lo, lo + uint64_t{rows} * 512);
    }
    if (core.run.checks) {
        MatrixJob marks = job;
        marks.from = core.Written(Mem::L1, src.addr);
        marks.to = core.Written(dst.mem, dst.addr);
        marks(core);
    }
    core.Issue(PIPE_MTE1, "LoadData(2DV2)", at, NearCost(core, dst, 512.0 * p.mStep * p.kStep), job);
}

void SetLoadRepeat(uint32_t stride, uint32_t time, uint32_t mode, uint32_t dstStride, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, "SetLoadDataRepeat", at);
    core.CheckLimit(time, 0, limits::LOAD_REPEAT_MAX, "repeatTime");
    core.CheckLimit(mode, 0, 1, "repeatMode");
    auto& repeat = StateOf(core).loadRepeat;
    repeat.set = true;
    repeat.stride = stride;
    repeat.time = time;
    repeat.mode = mode;
    repeat.dstStride = dstStride;
}

namespace {
// A block of mExtension x kExtension from a matrix of `rows` rows in NZ order, element (m, k): into L0A as it is, into L0B
// transposed.
struct NzImageJob {
    const uint8_t* from;
    uint8_t* to;
    Load3D p;
    uint32_t mFractals, kFractals, dstStride;
    bool toB;
    uint16_t outside; // below the last row
    void operator()(Core&) const
    {
        const uint16_t* source = reinterpret_cast<const uint16_t*>(from);
        for (uint32_t mf = 0; mf < mFractals; ++mf) {
            for (uint32_t kf = 0; kf < kFractals; ++kf) {
                const size_t place = toB ? size_t{mf} * dstStride + kf : size_t{kf} * dstStride + mf;
                uint16_t* out = reinterpret_cast<uint16_t*>(to) + place * 256;
                for (uint32_t i = 0; i < 16; ++i) {
                    const uint32_t m = p.mStart + mf * 16 + i;
                    const uint16_t* row = source + (size_t{p.kStart / 16 + kf} * p.rows + m) * 16;
                    for (uint32_t j = 0; j < 16; ++j) {
                        out[toB ? j * 16 + i : i * 16 + j] = m < p.rows ? row[j] : outside;
                    }
                }
            }
        }
    }
};
} // namespace

void LoadImageNz(const Local& dst, const Local& src, const Load3D& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData(3D)", at);
    const auto& repeat = StateOf(core).loadRepeat;
    if (!repeat.set) {
        core.Raise("sim.load_repeat_not_set", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData with LoadData3DParamsV2 needs SetLoadDataRepeat before it on this chip: nothing else tells the stride of the "
            "destination");
    }
    if (p.rows == 0 || p.channels == 0 || p.mExtension == 0 || p.kExtension == 0 || repeat.time == 0) {
        return;
    }
    CheckNear(core, dst, src);
    const uint32_t size = SizeOf(dst.dtype), c0 = 32 / size;
    if (!p.plain || size != 2 || repeat.time != 1 || (p.transpose && dst.mem == Mem::L0A)) {
        core.Raise("sim.unsupported", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData3DParamsV2 is simulated on 3510 for 2-byte types with a 1x1 filter, strides and dilations of 1, no padding, no "
            "enTranspose and a repeatTime of 1");
    }
    if (p.channels % c0 != 0 || p.kStart % c0 != 0 || p.mStart + p.mExtension > CeilDiv(p.rows, 16) * 16 ||
        p.kStart + p.kExtension > p.channels) {
        core.Raise("sim.limit", PIPE_MTE1, core.curName, at.line, 0,
            "the block (%u+%u, %u+%u) is not inside a matrix of %u rows and %u channels, or not in whole fractals", p.mStart,
            p.mExtension, p.kStart, p.kExtension, p.rows, p.channels);
    }
    const bool toB = dst.mem == Mem::L0B;
    const uint32_t mFractals = CeilDiv(p.mExtension, 16), kFractals = CeilDiv(p.kExtension, c0);
    for (uint32_t k = 0; k < kFractals; ++k) {
        const uint32_t valid = std::min(mFractals * 16, p.rows - std::min(p.rows, p.mStart));
        const uint64_t lo = src.addr + (uint64_t{p.kStart / c0 + k} * p.rows + p.mStart) * 32;
        core.ReadCopy(src, lo, lo + uint64_t{valid} * 32);
    }
    const uint32_t outer = toB ? mFractals : kFractals, inner = toB ? kFractals : mFractals;
    core.CheckLimit(repeat.dstStride, inner, 65535, "dstStride of SetLoadDataRepeat");
    for (uint32_t i = 0; i < outer; ++i) {
        const uint64_t lo = dst.addr + uint64_t{i} * repeat.dstStride * 512;
        core.WriteCopy(dst, lo, lo + uint64_t{inner} * 512);
    }
    const NzImageJob job{core.At8(Mem::L1, src.addr), core.At8(dst.mem, dst.addr), p, mFractals, kFractals, repeat.dstStride, toB, 0};
    if (core.run.checks) {
        NzImageJob marks = job;
        marks.from = core.Written(Mem::L1, src.addr);
        marks.to = core.Written(dst.mem, dst.addr);
        marks.outside = 0x0101;
        marks(core);
    }
    core.Issue(PIPE_MTE1, core.curName, at, NearCost(core, dst, 512.0 * mFractals * kFractals, true), job);
}

} // namespace sim
} // namespace AscendC
