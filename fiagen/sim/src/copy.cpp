// In:    copies between global memory, UB and L1, already reduced to addresses.
// Out:   checked and queued copies.
// Never: a byte moved before its pipe reaches the instruction.
#include "cost.h"

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
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = dst.addr + static_cast<uint64_t>(i * dstStep);
        core.Write(dst, lo, lo + bytes);
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
    CheckLocalMem(core, src, "source");
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    core.CheckAligned(reinterpret_cast<uintptr_t>(dst.ptr), SizeOf(dst.dtype), "destination");
    uint32_t bytes = p.blockLen * 32u;
    int64_t srcStep = bytes + p.srcGap * 32, dstStep = bytes + p.dstGap * 32;
    core.CheckGlobal(dst, 0, (p.blockCount - 1) * dstStep + bytes);
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = src.addr + static_cast<uint64_t>(i * srcStep);
        core.Read(src, lo, lo + bytes);
    }
    core.Issue(PIPE_MTE3, name, at, GlobalCost(core, Path::FROM_UB, dst.ptr, p.blockCount, dstStep, bytes),
        Bursts{dst.ptr, core.At8(src.mem, src.addr), p.blockCount, bytes, dstStep, srcStep, core.atomic, dst.dtype});
}

void CopyLocal(const Local& dst, const Local& src, const DataCopyParams& p, const char* name, At at)
{
    Core& core = Current();
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
        core.Read(src, from, from + bytes);
        core.Write(dst, to, to + bytes);
    }
    const FiagenSimChip& chip = core.run.chip;
    const Cost cost = core.Aic() ? NearCost(core, dst, double(bytes) * p.blockCount)
                                 : Cost(chip.vector_issue_cycles + chip.vector_repeat_cycles * ((bytes + 255) / 256) * p.blockCount,
                                       chip.vector_latency_cycles);
    core.Issue(pipe, name, at, cost,
        Bursts{core.At8(dst.mem, dst.addr), core.At8(src.mem, src.addr), p.blockCount, bytes, dstStep, srcStep, Atomic::NONE,
            dst.dtype});
}

void CopyNd2Nz(const Local& dst, const Global& src, const Nd2NzParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE2, "DataCopy(Nd2Nz)", at);
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
    core.CheckGlobal(src, 0, (p.ndNum - 1) * matrix + (p.nValue - 1) * pitch + static_cast<int64_t>(p.dValue) * size);
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
    uint8_t* to = core.At8(Mem::L1, dst.addr);
    const uint8_t* from = src.ptr;
    core.Issue(PIPE_MTE2, "DataCopy(Nd2Nz)", at,
        GlobalCost(core, Path::TO_L1, from, p.nValue, pitch, p.dValue * size, p.ndNum, matrix),
        [to, from, p, size, groups, pitch, matrix](Core&) {
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
                            std::memset(out + left, 0, 32 - left);
                        }
                    }
                }
            }
        });
}

void CopyPadIn(const Local& dst, const Global& src, const DataCopyExtParams& p, bool isPad, uint8_t left, uint8_t right,
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
    const int64_t srcStep = int64_t{p.blockLen} + p.srcStride, dstStep = int64_t{padded} + int64_t{p.dstStride} * 32;
    core.CheckGlobal(src, 0, (p.blockCount - 1) * srcStep + p.blockLen);
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = dst.addr + static_cast<uint64_t>(i * dstStep);
        core.Write(dst, lo, lo + padded);
    }
    uint8_t* to = core.At8(Mem::UB, dst.addr);
    const uint8_t* from = src.ptr;
    struct Shape {
        uint32_t count, bytes, leftBytes, padded, size;
        int64_t srcStep, dstStep;
        uint64_t value;
        bool isPad;
    } s{p.blockCount, p.blockLen, left * size, padded, size, srcStep, dstStep, value, isPad};
    core.Issue(PIPE_MTE2, "DataCopyPad", at, GlobalCost(core, Path::TO_UB, from, p.blockCount, srcStep, p.blockLen),
        [to, from, s](Core&) {
            for (uint32_t i = 0; i < s.count; ++i) {
                const uint8_t* source = from + i * s.srcStep;
                uint8_t* row = to + i * s.dstStep;
                // Without isPad the fill is not specified; in practice it is the first element of the burst.
                const void* fill = s.isPad ? static_cast<const void*>(&s.value) : source;
                for (uint32_t b = 0; b < s.leftBytes; b += s.size) {
                    std::memcpy(row + b, fill, s.size);
                }
                std::memcpy(row + s.leftBytes, source, s.bytes);
                for (uint32_t b = s.leftBytes + s.bytes; b + s.size <= s.padded; b += s.size) {
                    std::memcpy(row + b, fill, s.size);
                }
            }
        });
}

void CopyPadOut(const Global& dst, const Local& src, const DataCopyExtParams& p, At at)
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
    const int64_t srcStep = (int64_t{p.blockLen} + 31) / 32 * 32 + int64_t{p.srcStride} * 32;
    const int64_t dstStep = int64_t{p.blockLen} + p.dstStride;
    core.CheckGlobal(dst, 0, (p.blockCount - 1) * dstStep + p.blockLen);
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        uint64_t lo = src.addr + static_cast<uint64_t>(i * srcStep);
        core.Read(src, lo, lo + p.blockLen);
    }
    core.Issue(PIPE_MTE3, "DataCopyPad", at, GlobalCost(core, Path::FROM_UB, dst.ptr, p.blockCount, dstStep, p.blockLen),
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
