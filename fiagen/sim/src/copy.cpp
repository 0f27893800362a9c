// In:    copies between global memory, UB and L1, already reduced to addresses.
// Out:   checked and queued copies.
// Never: a byte moved before its pipe reaches the instruction.
#include "cost.h"
#include "../include/fiagen_sim/arch3510/runtime.h"

namespace AscendC {
namespace sim {

uint32_t WholeBlocks(uint64_t bytes, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "DataCopy", at);
    if (bytes % 32 != 0) {
        core.Raise("sim.misaligned", PIPE_S, "DataCopy", at.line, 0,
            "a copy of %llu bytes is not a whole number of 32-byte blocks; use DataCopyPad",
            static_cast<unsigned long long>(bytes));
    }
    core.CheckLimit(bytes / 32, 0, 65535, "length in 32-byte blocks");
    return static_cast<uint32_t>(bytes / 32);
}

// Tell the order checker of global memory about `count` runs of `bytes`, `step` bytes apart.
static void UseGlobal(Core& core, const Global& tensor, uint32_t count, uint32_t bytes, int64_t step, Core::Use use)
{
    if (!core.Tracks(tensor) && !use.write) {
        return;
    }
    if (step == int64_t{bytes} || count == 1) {
        core.TouchGlobal(tensor, 0, (count - 1) * step + bytes, use);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        core.TouchGlobal(tensor, i * step, i * step + bytes, use);
    }
}

// A number of runs of the same length: the shape of every plain copy.
struct Bursts {
    uint8_t* dst;
    const uint8_t* src;
    uint32_t count;
    uint32_t bytes;
    int64_t dstStep, srcStep;
    Atomic atomic;
    DType dtype;
    void operator()(Core&) const
    {
        for (uint32_t i = 0; i < count; ++i) {
            if (atomic == Atomic::ADD) {
                AddInto(dst + i * dstStep, src + i * srcStep, bytes, dtype);
            } else {
                std::memmove(dst + i * dstStep, src + i * srcStep, bytes);
            }
        }
    }
};

static void CheckLocalMem(Core& core, const Local& tensor, const char* what)
{
    core.CheckMem(tensor, core.Aic() ? Mem::L1 : Mem::UB, what);
    core.CheckAligned(tensor.addr, tensor.mem == Mem::UB ? limits::UB_ALIGN_BYTES : limits::L1_ALIGN_BYTES, what);
}

// The checks of a copy to global memory. A workspace may get bytes that nobody wrote; an output may not.
static void BurstsOut(Core& core, const Global& dst, const Local& src, uint32_t count, uint32_t bytes, int64_t dstStep,
    int64_t srcStep, bool exact)
{
    const bool adds = core.atomic == Atomic::ADD;
    UseGlobal(core, dst, count, bytes, dstStep, {true, adds, exact});
    uint8_t* written = core.WrittenGlobal(dst);
    const bool carries = core.HoldsNoData(dst) && !adds;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t lo = src.addr + static_cast<uint64_t>(i * srcStep);
        carries ? core.ReadCopy(src, lo, lo + bytes) : core.Read(src, lo, lo + bytes);
        if (adds) {
            core.NeedGlobal(dst, i * dstStep, i * dstStep + bytes);
        } else if (written != nullptr && carries) {
            std::memcpy(written + i * dstStep, core.Written(src.mem, lo), bytes);
        } else if (written != nullptr) {
            std::memset(written + i * dstStep, 1, bytes);
        }
    }
}

void CopyIn(const Local& dst, const Global& src, const DataCopyParams& p, const char* name, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE2, name, at);
    if (p.blockLen == 0) {
        return;
    }
    CheckLocalMem(core, dst, "destination");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    core.CheckAligned(reinterpret_cast<uintptr_t>(src.ptr), SizeOf(src.dtype), "source");
    uint32_t bytes = p.blockLen * 32u;
    int64_t srcStep = bytes + p.srcGap * 32, dstStep = bytes + p.dstGap * 32;
    core.CheckGlobal(src, 0, (p.blockCount - 1) * srcStep + bytes);
    UseGlobal(core, src, p.blockCount, bytes, srcStep, {false, false, false});
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = dst.addr + static_cast<uint64_t>(i * dstStep);
        core.Write(dst, lo, lo + bytes);
    }
    if (const uint8_t* written = core.WrittenGlobal(src)) {
        Bursts{core.Written(dst.mem, dst.addr), written, p.blockCount, bytes, dstStep, srcStep, Atomic::NONE, dst.dtype}(core);
    }
    core.Issue(PIPE_MTE2, name, at, GlobalCost(core, PathTo(dst), src.ptr, p.blockCount, srcStep, bytes),
        Bursts{core.At8(dst.mem, dst.addr), src.ptr, p.blockCount, bytes, dstStep, srcStep, Atomic::NONE, dst.dtype});
}

void CopyOut(const Global& dst, const Local& src, const DataCopyParams& p, const char* name, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE3, name, at);
    if (p.blockLen == 0) {
        return;
    }
    if (core.run.arch == 3510 && src.mem == Mem::L1) {
        core.Raise("sim.wrong_memory", PIPE_MTE3, name, at.line, 0, "this chip has no copy from L1 to global memory");
    }
    CheckLocalMem(core, src, "source");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    core.CheckAligned(reinterpret_cast<uintptr_t>(dst.ptr), SizeOf(dst.dtype), "destination");
    uint32_t bytes = p.blockLen * 32u;
    int64_t srcStep = bytes + p.srcGap * 32, dstStep = bytes + p.dstGap * 32;
    core.CheckGlobal(dst, 0, (p.blockCount - 1) * dstStep + bytes);
    BurstsOut(core, dst, src, p.blockCount, bytes, dstStep, srcStep, false);
    core.Issue(PIPE_MTE3, name, at, GlobalCost(core, Path::FROM_UB, dst.ptr, p.blockCount, dstStep, bytes),
        Bursts{dst.ptr, core.At8(src.mem, src.addr), p.blockCount, bytes, dstStep, srcStep, core.atomic, dst.dtype});
}

void CopyLocal(const Local& dst, const Local& src, const DataCopyParams& p, const char* name, At at)
{
    Core& core = Current();
    if (core.run.arch == 3510 && !core.Aic() && dst.mem == Mem::L1) {
        CopyUbToL1(dst, src, p, at);
        return;
    }
    const bool toBias = dst.mem == Mem::BT;
    const int pipe = core.Aic() ? (toBias ? PIPE_MTE1 : PIPE_FIX) : PIPE_V;
    core.Begin(pipe, name, at);
    if (p.blockLen == 0) {
        return;
    }
    uint32_t unit = 32;
    if (core.Aic()) {
        core.CheckMem(src, Mem::L1, "source");
        core.CheckMem(dst, toBias ? Mem::BT : Mem::FB, "destination");
        core.CheckAligned(dst.addr, toBias ? limits::BT_ALIGN_BYTES : limits::FB_ALIGN_BYTES, "destination");
        unit = toBias ? 64 : 128; // BT counts 64 bytes, FB 128
    } else {
        core.CheckMem(src, Mem::UB, "source");
        core.CheckMem(dst, Mem::UB, "destination");
        core.CheckAligned(dst.addr, limits::UB_ALIGN_BYTES, "destination");
    }
    core.CheckAligned(src.addr, 32, "source");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    uint32_t bytes = p.blockLen * 32u;
    if (core.Aic() && bytes % unit != 0) {
        core.Raise("sim.misaligned", pipe, name, at.line, 0, "a copy of %u bytes is not a whole number of %u-byte blocks", bytes,
            unit);
    }
    int64_t srcStep = bytes + p.srcGap * 32, dstStep = bytes + p.dstGap * 32;
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t from = src.addr + static_cast<uint64_t>(i * srcStep), to = dst.addr + static_cast<uint64_t>(i * dstStep);
        core.ReadCopy(src, from, from + bytes);
        core.WriteCopy(dst, to, to + bytes);
    }
    if (core.run.checks) {
        Bursts{core.Written(dst.mem, dst.addr), core.Written(src.mem, src.addr), p.blockCount, bytes, dstStep, srcStep,
            Atomic::NONE, dst.dtype}(core);
    }
    const FiagenSimChip& chip = core.run.chip;
    const Cost cost = core.Aic() ? NearCost(core, dst, double(bytes) * p.blockCount)
                                 : Cost(chip.vector_issue_cycles + chip.vector_repeat_cycles * ((bytes + 255) / 256) * p.blockCount,
                                       chip.vector_latency_cycles);
    core.Issue(pipe, name, at, cost,
        Bursts{core.At8(dst.mem, dst.addr), core.At8(src.mem, src.addr), p.blockCount, bytes, dstStep, srcStep, Atomic::NONE,
            dst.dtype});
}

struct Nd2NzJob {
    uint8_t* to;
    const uint8_t* from;
    NdNz p;
    uint32_t size, groups;
    int64_t pitch, matrix;
    uint8_t fill; // of the columns that complete a group
    void Columns() const // element (n, d) of the target comes from row d, column n
    {
        for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
            for (uint32_t n = 0; n < p.nValue; ++n) {
                uint8_t* out = to + size_t{nd} * p.dstNzMatrixStride * size + size_t{n} * p.dstNzNStride * 32;
                for (uint32_t d = 0; d < groups * (32 / size); ++d) {
                    uint8_t* at = out + size_t{d * size / 32} * p.dstNzC0Stride * 32 + d * size % 32;
                    d < p.dValue ? std::memcpy(at, from + nd * matrix + d * pitch + size_t{n} * size, size)
                                 : std::memset(at, fill, size);
                }
            }
        }
    }
    void operator()(Core&) const
    {
        if (p.columns) {
            Columns();
            return;
        }
        for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
            for (uint32_t n = 0; n < p.nValue; ++n) {
                const uint8_t* row = from + nd * matrix + n * pitch;
                uint8_t* out = to + size_t{nd} * p.dstNzMatrixStride * size + size_t{n} * p.dstNzNStride * 32;
                uint32_t left = p.dValue * size;
                for (uint32_t g = 0; g < groups; ++g, out += size_t{p.dstNzC0Stride} * 32, row += 32) {
                    if (left >= 32) {
                        std::memcpy(out, row, 32);
                        left -= 32;
                    } else {
                        std::memcpy(out, row, left);
                        std::memset(out + left, fill, 32 - left);
                    }
                }
            }
        }
    }
};

void CopyNd2Nz(const Local& dst, const Global& src, const NdNz& p, const char* name, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE2, name, at);
    if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) {
        return;
    }
    const uint32_t size = SizeOf(dst.dtype);
    core.CheckMem(dst, Mem::L1, "destination");
    core.CheckAligned(dst.addr, limits::L1_ALIGN_BYTES, "destination");
    core.CheckAligned(reinterpret_cast<uintptr_t>(src.ptr), size, "source");
    core.CheckLimit(p.ndNum, 1, limits::ND2NZ_COUNT_MAX, "ndNum");
    core.CheckLimit(p.nValue, 1, limits::ND2NZ_ROWS_MAX, "nValue");
    core.CheckLimit(p.dstNzC0Stride, 1, limits::ND2NZ_DST_STRIDE_MAX, "dstNzC0Stride");
    core.CheckLimit(p.dstNzNStride, 1, limits::ND2NZ_DST_STRIDE_MAX, "dstNzNStride");
    const uint32_t c0 = 32 / size, groups = (p.dValue + c0 - 1) / c0;
    const int64_t pitch = static_cast<int64_t>(p.srcDValue) * size, matrix = static_cast<int64_t>(p.srcNdMatrixStride) * size;
    const uint32_t rows = p.columns ? p.dValue : p.nValue, columns = p.columns ? p.nValue : p.dValue; // of the source
    core.CheckGlobal(src, 0, int64_t{p.ndNum - 1} * matrix + int64_t{rows - 1} * pitch + static_cast<int64_t>(columns) * size);
    for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
        for (uint32_t g = 0; g < groups; ++g) {
            uint64_t lo = dst.addr + uint64_t{nd} * p.dstNzMatrixStride * size + uint64_t{g} * p.dstNzC0Stride * 32;
            if (p.dstNzNStride == 1) {
                core.Write(dst, lo, lo + uint64_t{p.nValue} * 32);
            } else {
                for (uint32_t n = 0; n < p.nValue; ++n) {
                    core.Write(dst, lo + uint64_t{n} * p.dstNzNStride * 32, lo + uint64_t{n} * p.dstNzNStride * 32 + 32);
                }
            }
        }
    }
    for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
        Global matrixAt = src;
        matrixAt.ptr += nd * matrix;
        UseGlobal(core, matrixAt, rows, columns * size, pitch, {false, false, false});
    }
    const Nd2NzJob job{core.At8(Mem::L1, dst.addr), src.ptr, p, size, groups, pitch, matrix, 0};
    if (const uint8_t* written = core.WrittenGlobal(src)) {
        Nd2NzJob marks = job;
        marks.to = core.Written(Mem::L1, dst.addr);
        marks.from = written;
        marks.fill = 1;
        marks(core);
    }
    core.Issue(PIPE_MTE2, name, at, GlobalCost(core, Path::TO_L1, src.ptr, rows, pitch, columns * size, p.ndNum, matrix), job);
}

struct PadJob {
    uint8_t* to;
    const uint8_t* from;
    uint32_t count, bytes, leftBytes, padded, size;
    int64_t srcStep, dstStep;
    uint64_t value;
    bool isPad;
    void operator()(Core&) const
    {
        for (uint32_t i = 0; i < count; ++i) {
            const uint8_t* source = from + i * srcStep;
            uint8_t* row = to + i * dstStep;
            // Without isPad the fill is not specified; in practice it is the first element of the burst.
            const void* fill = isPad ? static_cast<const void*>(&value) : source;
            for (uint32_t b = 0; b < leftBytes; b += size) {
                std::memcpy(row + b, fill, size);
            }
            std::memcpy(row + leftBytes, source, bytes);
            for (uint32_t b = leftBytes + bytes; b + size <= padded; b += size) {
                std::memcpy(row + b, fill, size);
            }
        }
    }
};

void CopyPadIn(const Local& dst, const Global& src, const PadBursts& p, bool isPad, uint8_t left, uint8_t right,
    uint64_t value, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE2, "DataCopyPad", at);
    if (p.blockLen == 0 || p.blockCount == 0) {
        return;
    }
    const uint32_t size = SizeOf(dst.dtype);
    core.CheckMem(dst, Mem::UB, "destination");
    core.CheckAligned(dst.addr, limits::UB_ALIGN_BYTES, "destination");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    core.CheckLimit(p.blockLen, 1, limits::COPY_PAD_BLOCK_BYTES_MAX, "blockLen");
    core.CheckLimit(uint64_t{left} * size, 0, limits::COPY_PAD_PADDING_BYTES_MAX, "leftPadding in bytes");
    core.CheckLimit(uint64_t{right} * size, 0, limits::COPY_PAD_PADDING_BYTES_MAX, "rightPadding in bytes");
    const uint32_t used = (left + right) * size + p.blockLen, padded = (used + 31) / 32 * 32;
    const int64_t srcStep = int64_t{p.blockLen} + p.srcStride, dstStep = int64_t{padded} + p.dstStride * 32;
    core.CheckGlobal(src, 0, (p.blockCount - 1) * srcStep + p.blockLen);
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = dst.addr + static_cast<uint64_t>(i * dstStep);
        core.Write(dst, lo, lo + padded);
    }
    UseGlobal(core, src, p.blockCount, p.blockLen, srcStep, {false, false, false});
    const PadJob job{core.At8(Mem::UB, dst.addr), src.ptr, p.blockCount, p.blockLen, left * size, padded, size, srcStep, dstStep,
        value, isPad};
    if (const uint8_t* written = core.WrittenGlobal(src)) {
        PadJob marks = job;
        marks.to = core.Written(Mem::UB, dst.addr);
        marks.from = written;
        marks.value = 0x0101010101010101ull;
        marks(core);
    }
    core.Issue(PIPE_MTE2, "DataCopyPad", at,
        GlobalCost(core, Path::TO_UB, src.ptr, p.blockCount, srcStep, p.blockLen), job);
}

void CopyPadOut(const Global& dst, const Local& src, const PadBursts& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE3, "DataCopyPad", at);
    if (p.blockLen == 0 || p.blockCount == 0) {
        return;
    }
    core.CheckMem(src, Mem::UB, "source");
    core.CheckAligned(src.addr, limits::UB_ALIGN_BYTES, "source");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    core.CheckLimit(p.blockLen, 1, limits::COPY_PAD_BLOCK_BYTES_MAX, "blockLen");
    const int64_t srcStep = (int64_t{p.blockLen} + 31) / 32 * 32 + p.srcStride * 32;
    const int64_t dstStep = int64_t{p.blockLen} + p.dstStride;
    core.CheckGlobal(dst, 0, (p.blockCount - 1) * dstStep + p.blockLen);
    BurstsOut(core, dst, src, p.blockCount, p.blockLen, dstStep, srcStep, true);
    core.Issue(PIPE_MTE3, "DataCopyPad", at,
        GlobalCost(core, Path::FROM_UB, dst.ptr, p.blockCount, dstStep, p.blockLen),
        Bursts{dst.ptr, core.At8(Mem::UB, src.addr), p.blockCount, p.blockLen, dstStep, srcStep, core.atomic, dst.dtype});
}

void FillConst(const Local& dst, uint32_t repeat, uint32_t blocks, uint32_t gap, uint32_t valueBits, At at)
{
    Core& core = Current();
    const bool far = dst.mem == Mem::L1;
    const int pipe = far ? PIPE_MTE2 : PIPE_MTE1;
    core.Begin(pipe, "Fill", at);
    if (repeat == 0 || blocks == 0) {
        return;
    }
    if (dst.mem != Mem::L0A && dst.mem != Mem::L0B) {
        core.CheckMem(dst, Mem::L1, "destination");
    }
    core.CheckMem(dst, dst.mem, "destination");
    core.CheckLimit(repeat, 1, limits::FILL_REPEAT_MAX, "repeatTimes");
    core.CheckLimit(blocks, 1, limits::FILL_BLOCKS_MAX, "blockNum");
    core.CheckLimit(gap, 0, limits::FILL_GAP_MAX, "dstGap");
    core.CheckAligned(dst.addr, far ? limits::L1_ALIGN_BYTES : limits::L0AB_ALIGN_BYTES, "destination");
    const uint32_t unit = far ? 32 : 512, bytes = blocks * unit, step = (blocks + gap) * unit, size = SizeOf(dst.dtype);
    for (uint32_t r = 0; r < repeat; ++r) {
        uint64_t lo = dst.addr + uint64_t{r} * step;
        core.Write(dst, lo, lo + bytes);
    }
    uint8_t* to = core.At8(dst.mem, dst.addr);
    const FiagenSimChip& chip = core.run.chip;
    core.Issue(pipe, "Fill", at,
        Cost(chip.mte1_issue_cycles + double(bytes) * repeat / chip.l1_to_l0a_bytes, chip.mte1_latency_cycles),
        [to, repeat, step, bytes, size, valueBits](Core&) {
            for (uint32_t r = 0; r < repeat; ++r) {
                for (uint32_t b = 0; b < bytes; b += size) {
                    std::memcpy(to + size_t{r} * step + b, &valueBits, size);
                }
            }
        });
}

} // namespace sim
} // namespace AscendC
