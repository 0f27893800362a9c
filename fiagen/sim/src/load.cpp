// In:    L1 -> L0 loads, already reduced to addresses.
// Out:   checked and queued loads.
// Never: a fractal in another order than the cube reads.
#include "cost.h"
#include <algorithm>

namespace AscendC {
namespace sim {

static uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static void CheckNear(Core& core, const Local& dst)
{
    if (dst.mem != Mem::L0B) {
        core.CheckMem(dst, Mem::L0A, "destination");
    }
    core.CheckMem(dst, dst.mem, "destination");
    core.CheckAligned(dst.addr, limits::L0AB_ALIGN_BYTES, "destination");
}

struct FractalJob {
    const uint8_t* from;
    uint8_t* to;
    uint32_t srcStep, dstStep, repeat;
    bool transpose;
    void operator()(Core&) const
    {
        for (uint32_t r = 0; r < repeat; ++r) {
            const uint8_t* a = from + size_t{r} * srcStep;
            uint8_t* b = to + size_t{r} * dstStep;
            if (!transpose) {
                std::memcpy(b, a, 512);
                continue;
            }
            const uint16_t* in = reinterpret_cast<const uint16_t*>(a);
            uint16_t* out = reinterpret_cast<uint16_t*>(b);
            for (int i = 0; i < 16; ++i) {
                for (int j = 0; j < 16; ++j) {
                    out[j * 16 + i] = in[i * 16 + j];
                }
            }
        }
    }
};

void Load2D(const Local& dst, const Local& src, const LoadData2DParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData", at);
    if (p.repeatTimes == 0) {
        return;
    }
    CheckNear(core, dst);
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
    core.CheckLimit(p.addrMode, 0, 0, "addrMode");
    if (p.ifTranspose && SizeOf(dst.dtype) != 2) {
        core.Raise("sim.limit", PIPE_MTE1, "LoadData", at.line, 0, "ifTranspose is for 2-byte types, not for %s",
            NameOf(dst.dtype));
    }
    const uint32_t srcStep = p.srcStride * 512u, dstStep = (p.dstGap + 1u) * 512u;
    const uint64_t from = src.addr + p.startIndex * 512ull;
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        core.ReadCopy(src, from + uint64_t{r} * srcStep, from + uint64_t{r} * srcStep + 512);
        core.WriteCopy(dst, dst.addr + uint64_t{r} * dstStep, dst.addr + uint64_t{r} * dstStep + 512);
    }
    const FractalJob job{core.At8(Mem::L1, from), core.At8(dst.mem, dst.addr), srcStep, dstStep, p.repeatTimes, p.ifTranspose};
    if (core.run.checks) {
        FractalJob marks = job;
        marks.from = core.Written(Mem::L1, from);
        marks.to = core.Written(dst.mem, dst.addr);
        marks(core);
    }
    core.Issue(PIPE_MTE1, "LoadData", at, NearCost(core, dst, 512.0 * p.repeatTimes), job);
}

// Squares of `side` x `side` elements: one fractal of 2-byte elements; two of 4-byte elements, side by side; two of 1-byte
// elements, one below the other.
struct SquaresJob {
    const uint8_t* from;
    uint8_t* to;
    LoadData2dTransposeParams p;
    uint32_t size;
    uint32_t Side() const { return size == 1 ? 32 : 16; }
    uint32_t Bytes() const { return Side() * Side() * size; }
    int64_t Source(uint32_t repeat) const
    {
        const int64_t steps = int64_t{repeat} * p.srcStride;
        return (p.startIndex + (p.addrMode == 0 ? steps : -steps)) * int64_t{Bytes()};
    }
    uint64_t Fractal(uint32_t repeat, uint32_t half) const
    {
        return uint64_t{repeat} * (p.dstGap + 1u) * 512 + uint64_t{half} * (p.dstFracGap + 1u) * 512;
    }
    // Where element (row, column) of a square lies: which fractal, and at which byte of it.
    uint32_t Half(uint32_t row, uint32_t column) const { return size == 4 ? column / 8 : size == 1 ? row / 16 : 0; }
    uint32_t Place(uint32_t row, uint32_t column) const
    {
        return size == 4 ? (row * 8 + column % 8) * 4 : size == 1 ? row % 16 * 32 + column : (row * 16 + column) * 2;
    }
    void operator()(Core&) const
    {
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            const uint8_t* square = from + Source(r);
            for (uint32_t row = 0; row < Side(); ++row) {
                for (uint32_t column = 0; column < Side(); ++column) {
                    std::memcpy(to + Fractal(r, Half(column, row)) + Place(column, row),
                        square + Half(row, column) * 512 + Place(row, column), size);
                }
            }
        }
    }
};

void LoadSquares(const Local& dst, const Local& src, const LoadData2dTransposeParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadDataWithTranspose", at);
    if (p.repeatTimes == 0) {
        return;
    }
    CheckNear(core, dst);
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
    core.CheckLimit(p.addrMode, 0, 1, "addrMode");
    SquaresJob job{core.At8(Mem::L1, src.addr), core.At8(dst.mem, dst.addr), p, SizeOf(dst.dtype)};
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        const int64_t lo = src.addr + job.Source(r);
        core.ReadCopy(src, static_cast<uint64_t>(lo), static_cast<uint64_t>(lo) + job.Bytes());
        for (uint32_t half = 0; half < job.Bytes() / 512; ++half) {
            core.WriteCopy(dst, dst.addr + job.Fractal(r, half), dst.addr + job.Fractal(r, half) + 512);
        }
    }
    if (core.run.checks) {
        SquaresJob marks = job;
        marks.from = core.Written(Mem::L1, src.addr);
        marks.to = core.Written(dst.mem, dst.addr);
        marks(core);
    }
    core.Issue(PIPE_MTE1, "LoadDataWithTranspose", at, NearCost(core, dst, double(job.Bytes()) * p.repeatTimes), job);
}

// A block of mExtension x kExtension from a matrix of `rows` rows in NZ order: element (m, k) of the block goes to the
// L0A fractal (m / 16, k / c0), or to the L0B fractal (m / c0, k / 16) of the matrix seen as k x n, transposed.
struct ImageJob {
    const uint8_t* from;
    uint8_t* to;
    Load3D p;
    uint32_t mFractals, kFractals;
    bool toB;
    uint16_t outside; // below the last row
    void operator()(Core&) const
    {
        const uint16_t* source = reinterpret_cast<const uint16_t*>(from);
        for (uint32_t mf = 0; mf < mFractals; ++mf) {
            for (uint32_t kf = 0; kf < kFractals; ++kf) {
                uint16_t* out = reinterpret_cast<uint16_t*>(to) + size_t{mf * kFractals + kf} * 256;
                for (uint32_t i = 0; i < 16; ++i) {
                    uint32_t m = p.mStart + mf * 16 + i;
                    const uint16_t* row = source + (size_t{p.kStart / 16 + kf} * p.rows + m) * 16;
                    for (uint32_t j = 0; j < 16; ++j) {
                        uint16_t value = m < p.rows ? row[j] : outside;
                        out[toB ? j * 16 + i : i * 16 + j] = value;
                    }
                }
            }
        }
    }
};

void LoadImage(const Local& dst, const Local& src, const Load3D& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData(3D)", at);
    if (p.rows == 0 || p.channels == 0 || p.mExtension == 0 || p.kExtension == 0) {
        return;
    }
    const uint32_t size = SizeOf(dst.dtype), c0 = 32 / size;
    CheckNear(core, dst);
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
    if (!p.plain) {
        core.Raise("sim.unsupported", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData3DParamsV2 is simulated with a 1x1 filter, strides and dilations of 1 and no padding");
    }
    if (size != 2 || (p.transpose && dst.mem == Mem::L0A)) {
        core.Raise("sim.unsupported", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData3DParamsV2 is simulated for 2-byte types without enTranspose");
    }
    if (p.channels % c0 != 0 || p.kStart % c0 != 0 || p.mStart + p.mExtension > CeilDiv(p.rows, 16) * 16 ||
        p.kStart + p.kExtension > p.channels) {
        core.Raise("sim.limit", PIPE_MTE1, core.curName, at.line, 0,
            "the block (%u+%u, %u+%u) is not inside a matrix of %u rows and %u channels, or not in whole fractals", p.mStart,
            p.mExtension, p.kStart, p.kExtension, p.rows, p.channels);
    }
    const uint32_t mFractals = CeilDiv(p.mExtension, 16), kFractals = CeilDiv(p.kExtension, c0);
    for (uint32_t k = 0; k < kFractals; ++k) {
        uint32_t valid = std::min(mFractals * 16, p.rows - std::min(p.rows, p.mStart));
        uint64_t lo = src.addr + (uint64_t{p.kStart / c0 + k} * p.rows + p.mStart) * 32;
        core.ReadCopy(src, lo, lo + uint64_t{valid} * 32);
    }
    core.WriteCopy(dst, dst.addr, dst.addr + uint64_t{mFractals} * kFractals * 512);
    const ImageJob job{core.At8(Mem::L1, src.addr), core.At8(dst.mem, dst.addr), p, mFractals, kFractals, dst.mem == Mem::L0B, 0};
    if (core.run.checks) {
        ImageJob marks = job;
        marks.from = core.Written(Mem::L1, src.addr);
        marks.to = core.Written(dst.mem, dst.addr);
        marks.outside = 0x0101;
        marks(core);
    }
    core.Issue(PIPE_MTE1, core.curName, at, NearCost(core, dst, 512.0 * mFractals * kFractals, true), job);
}

} // namespace sim
} // namespace AscendC
