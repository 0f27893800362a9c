// In:    copies out of L0C, already reduced to addresses.
// Out:   checked and queued fixpipe instructions.
// Never: a conversion that the instruction does not name.
#include "cost.h"
#include <algorithm>

namespace AscendC {
namespace sim {

static uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

struct FixJob {
    const uint8_t* src;
    uint8_t* dst;
    uint32_t rows, columns, srcGroup, count, srcMatrix;
    uint64_t dstPitch, dstMatrix;
    DType from, to;
    bool relu, rowMajor;
    Atomic atomic;
};

static void RunFix(const FixJob& j)
{
    const uint32_t size = SizeOf(j.to);
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        const uint8_t* matrix = j.src + size_t{nd} * j.srcMatrix;
        uint8_t* base = j.dst + nd * j.dstMatrix;
        for (uint32_t n = 0; n < j.columns; n += 16) {
            const uint32_t width = std::min<uint32_t>(16, j.columns - n);
            for (uint32_t m = 0; m < j.rows; ++m) {
                alignas(64) uint8_t row[64], out[64];
                std::memcpy(row, matrix + (size_t{n / 16} * j.srcGroup + m) * 64, 64);
                if (j.from == DType::I32) {
                    int32_t values[16];
                    std::memcpy(values, row, 64);
                    for (int32_t& value : values) {
                        value = j.relu && value < 0 ? 0 : value;
                    }
                    std::memcpy(out, values, 64);
                } else {
                    float values[16];
                    std::memcpy(values, row, 64);
                    if (j.relu) {
                        for (float& value : values) {
                            value = value < 0.0f ? 0.0f : value;
                        }
                    }
                    FromFloats(values, out, j.to, 16);
                }
                uint8_t* to = j.rowMajor ? base + m * j.dstPitch + size_t{n} * size
                                         : base + size_t{n / 16} * j.dstPitch + size_t{m} * 16 * size;
                if (j.atomic == Atomic::ADD) {
                    AddInto(to, out, size_t{width} * size, j.to);
                } else {
                    std::memcpy(to, out, size_t{width} * size);
                }
            }
        }
    }
}

// The runs of bytes that a fixpipe writes.
template <typename F> static void EachRun(const FixJob& j, F run)
{
    const uint32_t size = SizeOf(j.to);
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        const int64_t base = static_cast<int64_t>(nd * j.dstMatrix);
        if (j.rowMajor) {
            for (uint32_t m = 0; m < j.rows; ++m) {
                run(base + static_cast<int64_t>(m * j.dstPitch), int64_t{j.columns} * size);
            }
        } else {
            for (uint32_t n = 0; n < j.columns; n += 16) {
                run(base + static_cast<int64_t>(n / 16 * j.dstPitch), int64_t{j.rows} * 16 * size);
            }
        }
    }
}

static void UseFixed(Core& core, const Global& gm, const FixJob& j)
{
    const bool adds = j.atomic == Atomic::ADD;
    EachRun(j, [&](int64_t lo, int64_t bytes) {
        core.WriteGlobal(gm, lo, lo + bytes, adds, false);
        if (adds) {
            core.NeedGlobal(gm, lo, lo + bytes);
        }
    });
}

// Which bytes of the destination hold data afterwards: those whose four bytes in L0C do.
static void MarkFixed(Core& core, const Global* gm, const Local* l1, const Local& src, const FixJob& j)
{
    const bool carries = gm == nullptr || (core.HoldsNoData(*gm) && j.atomic != Atomic::ADD);
    uint8_t* to = gm == nullptr ? core.Written(Mem::L1, l1->addr) : core.WrittenGlobal(*gm);
    const uint32_t size = SizeOf(j.to);
    if (to != nullptr) {
        EachRun(j, [&](int64_t lo, int64_t bytes) { std::memset(to + lo, 1, static_cast<size_t>(bytes)); });
    }
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        for (uint32_t n = 0; n < j.columns; n += 16) {
            const uint32_t width = std::min<uint32_t>(16, j.columns - n);
            const uint64_t group = src.addr + uint64_t{nd} * j.srcMatrix + uint64_t{n / 16} * j.srcGroup * 64;
            if (core.AllWritten(Mem::L0C, group, group + uint64_t{j.rows} * 64)) {
                continue;
            }
            for (uint32_t m = 0; m < j.rows; ++m) {
                const uint64_t row = group + uint64_t{m} * 64;
                if (!carries) {
                    core.Need(Mem::L0C, row, row + width * 4u);
                    continue;
                }
                uint8_t* out = to + nd * j.dstMatrix + (j.rowMajor ? m * j.dstPitch + size_t{n} * size
                                                                   : n / 16 * j.dstPitch + size_t{m} * 16 * size);
                for (uint32_t i = 0; i < width; ++i) {
                    if (!core.AllWritten(Mem::L0C, row + i * 4u, row + i * 4u + 4)) {
                        std::memset(out + size_t{i} * size, 0, size);
                    }
                }
            }
        }
    }
}

void FixOut(const Global* gm, const Local* l1, const Local& src, const FixpipeParamsV220& p, CO2Layout layout, DType dtype,
    At at)
{
    Core& core = Current();
    core.Begin(PIPE_FIX, "Fixpipe", at, p.unitFlag != 0);
    if (p.nSize == 0 || p.mSize == 0) {
        return;
    }
    const bool rowMajor = layout == CO2Layout::ROW_MAJOR;
    const uint32_t size = SizeOf(dtype), groups = CeilDiv(p.nSize, 16), count = rowMajor ? p.ndNum : 1;
    core.CheckMem(src, Mem::L0C, "source");
    core.CheckAligned(src.addr, limits::L0C_ALIGN_BYTES, "source");
    core.CheckLimit(p.nSize, 1, limits::FIXPIPE_COLUMNS_MAX, "nSize");
    core.CheckLimit(p.mSize, 1, rowMajor ? limits::FIXPIPE_ND_ROWS_MAX : 65535, "mSize");
    core.CheckLimit(p.srcStride, p.mSize, 65535, "srcStride");
    core.CheckLimit(count, 1, 65535, "ndNum");
    QuantMode_t wanted = dtype == DType::F16 ? F322F16 : dtype == DType::BF16 ? F322BF16 : NoQuant;
    if (p.quantPre != wanted || (src.dtype == DType::I32) != (dtype == DType::I32)) {
        core.Raise(p.quantPre > F322BF16 ? "sim.unsupported" : "sim.limit", PIPE_FIX, "Fixpipe", at.line, 0,
            "quantPre %d does not turn %s into %s: float to half is F322F16, float to bfloat16_t F322BF16, the same type "
            "NoQuant; other modes are not simulated",
            static_cast<int>(p.quantPre), NameOf(src.dtype), NameOf(dtype));
    }
    if (!rowMajor && p.nSize % 16 != 0) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0, "nSize is %u; CFG_NZ needs a multiple of 16", p.nSize);
    }
    if (p.unitFlag != 0 && p.unitFlag != 3) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0, "unitFlag of Fixpipe is %u; allowed is 0 and 3", p.unitFlag);
    }
    if (p.isChannelSplit) {
        core.Raise("sim.unsupported", PIPE_FIX, "Fixpipe", at.line, 0, "isChannelSplit is not simulated");
    }
    FixJob job{core.At8(Mem::L0C, src.addr), nullptr, p.mSize, p.nSize, p.srcStride, count, p.srcNdStride * 1024u,
        rowMajor ? uint64_t{p.dstStride} * size : uint64_t{p.dstStride} * 32, uint64_t{p.dstNdStride} * size, src.dtype, dtype,
        p.reluEn, rowMajor, gm != nullptr ? core.atomic : Atomic::NONE};
    if (rowMajor && p.mSize > 1) {
        core.CheckLimit(p.dstStride, p.nSize, 0xFFFFFFFFu, "dstStride");
    }
    for (uint32_t nd = 0; nd < count; ++nd) {
        for (uint32_t g = 0; g < groups; ++g) {
            uint64_t lo = src.addr + uint64_t{nd} * job.srcMatrix + uint64_t{g} * p.srcStride * 64;
            core.ReadCopy(src, lo, lo + uint64_t{p.mSize} * 64);
        }
    }
    const uint64_t extent = (count - 1) * job.dstMatrix +
        (rowMajor ? (p.mSize - 1) * job.dstPitch + uint64_t{p.nSize} * size
                  : (groups - 1) * job.dstPitch + uint64_t{p.mSize} * 16 * size);
    if (gm != nullptr) {
        core.CheckAligned(reinterpret_cast<uintptr_t>(gm->ptr), size, "destination");
        core.CheckGlobal(*gm, 0, static_cast<int64_t>(extent));
        UseFixed(core, *gm, job);
        job.dst = gm->ptr;
    } else {
        core.CheckMem(*l1, Mem::L1, "destination");
        core.CheckAligned(l1->addr, limits::L1_ALIGN_BYTES, "destination");
        core.curHandshake = false;
        core.WriteCopy(*l1, l1->addr, l1->addr + extent);
        job.dst = core.At8(Mem::L1, l1->addr);
    }
    if (core.run.checks) {
        MarkFixed(core, gm, l1, src, job);
    }
    const Cost cost = FixCost(core, double(p.mSize) * p.nSize * count, gm != nullptr ? gm->ptr : nullptr,
        rowMajor ? p.mSize : groups, static_cast<int64_t>(job.dstPitch), rowMajor ? p.nSize * size : p.mSize * 16 * size, count,
        static_cast<int64_t>(job.dstMatrix));
    uint64_t needs = p.unitFlag != 0 ? core.pipes[PIPE_M].done + core.pipes[PIPE_M].Pending() : 0;
    core.IssueAfter(PIPE_FIX, "Fixpipe", at, cost, p.unitFlag != 0 ? PIPE_M : PIPES, needs, [job](Core&) { RunFix(job); });
}

} // namespace sim
} // namespace AscendC
