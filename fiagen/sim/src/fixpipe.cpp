// In:    copies out of L0C, already reduced to addresses.
// Out:   checked and queued fixpipe instructions.
// Never: a conversion that the instruction does not name.
#include "cost.h"
#include <algorithm>
#include <cmath>

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
    QuantMode_t quant;
    uint64_t scalar;        // quantisation parameter of every column
    const uint8_t* vector;  // or one of each column, in FB

    // Columns of a group in the destination's NZ order fill 32 bytes, or are the 16 of the source.
    uint32_t GroupColumns() const { return SizeOf(to) == 1 ? 32 : 16; }
    uint64_t Place(uint32_t m, uint32_t n) const
    {
        const uint32_t size = SizeOf(to), group = GroupColumns();
        return rowMajor ? m * dstPitch + uint64_t{n} * size : n / group * dstPitch + (uint64_t{m} * group + n % group) * size;
    }
};

// A parameter as the hardware reads it: the scale is a float without its low 13 bits, the offset has 9 bits and a sign.
struct QuantParameter {
    float scale;
    int32_t offset;
    explicit QuantParameter(uint64_t bits)
    {
        const uint32_t wide = static_cast<uint32_t>(bits) & 0xFFFFE000u;
        std::memcpy(&scale, &wide, sizeof(scale));
        const auto nine = static_cast<int32_t>(bits >> 37 & 0x1FF);
        offset = nine >= 256 ? nine - 512 : nine;
    }
};

// 16 neighbours of a row, multiplied, rounded and saturated as the mode says.
static void Quantise(const FixJob& j, uint32_t n, const float* values, uint8_t* out)
{
    float scaled[16];
    for (uint32_t i = 0; i < 16; ++i) {
        uint64_t bits = j.scalar;
        if (j.vector != nullptr && n + i < j.columns) {
            std::memcpy(&bits, j.vector + size_t{n + i} * 8, 8);
        }
        const QuantParameter parameter(bits);
        scaled[i] = values[i] * parameter.scale;
        if (SizeOf(j.to) == 1) {
            const float low = j.to == DType::I8 ? -128.0f : 0.0f, high = j.to == DType::I8 ? 127.0f : 255.0f;
            const float rounded = std::nearbyint(scaled[i]) + static_cast<float>(parameter.offset);
            const float kept = rounded != rounded ? 0.0f : std::min(high, std::max(low, rounded));
            out[i] = static_cast<uint8_t>(static_cast<int32_t>(kept));
        }
    }
    if (SizeOf(j.to) != 1) {
        FromFloats(scaled, out, j.to, 16);
    }
}

static void ConvertRow(const FixJob& j, uint32_t n, const uint8_t* row, uint8_t* out)
{
    float values[16];
    int32_t whole[16];
    std::memcpy(values, row, 64);
    std::memcpy(whole, row, 64);
    for (uint32_t i = 0; i < 16; ++i) {
        if (j.from == DType::I32) {
            whole[i] = j.relu && whole[i] < 0 ? 0 : whole[i];
            values[i] = static_cast<float>(whole[i]);
        } else if (j.relu) {
            values[i] = values[i] < 0.0f ? 0.0f : values[i];
        }
    }
    if (j.quant > F322BF16) {
        Quantise(j, n, values, out);
    } else if (j.from == DType::I32) {
        std::memcpy(out, whole, 64);
    } else {
        FromFloats(values, out, j.to, 16);
    }
}

static void RunFix(const FixJob& j)
{
    const uint32_t size = SizeOf(j.to);
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        const uint8_t* matrix = j.src + size_t{nd} * j.srcMatrix;
        uint8_t* base = j.dst + nd * j.dstMatrix;
        for (uint32_t n = 0; n < j.columns; n += 16) {
            const uint32_t width = std::min<uint32_t>(16, j.columns - n);
            for (uint32_t m = 0; m < j.rows; ++m) {
                alignas(64) uint8_t out[64];
                ConvertRow(j, n, matrix + (size_t{n / 16} * j.srcGroup + m) * 64, out);
                uint8_t* to = base + j.Place(m, n);
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
            for (uint32_t n = 0; n < j.columns; n += j.GroupColumns()) {
                run(base + static_cast<int64_t>(j.Place(0, n)), int64_t{j.rows} * j.GroupColumns() * size);
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
                uint8_t* out = to + nd * j.dstMatrix + j.Place(m, n);
                for (uint32_t i = 0; i < width; ++i) {
                    if (!core.AllWritten(Mem::L0C, row + i * 4u, row + i * 4u + 4)) {
                        std::memset(out + size_t{i} * size, 0, size);
                    }
                }
            }
        }
    }
}

static bool Converts(DType from, DType to, QuantMode_t mode)
{
    const bool bytes = to == DType::I8 || to == DType::U8;
    switch (mode) {
        case NoQuant: return from == to;
        case F322F16: return from == DType::F32 && to == DType::F16;
        case F322BF16: return from == DType::F32 && to == DType::BF16;
        case DEQF16:
        case VDEQF16: return from == DType::I32 && to == DType::F16;
        case QF322B8_PRE:
        case VQF322B8_PRE: return from == DType::F32 && bytes;
        default: return (mode == REQ8 || mode == VREQ8) && from == DType::I32 && bytes;
    }
}

void SetFixpipeQuant(const Local& tensor, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "SetFixPipeConfig", at);
    core.ScalarStep(at);
    core.CheckMem(tensor, Mem::FB, "preData");
    core.CheckAligned(tensor.addr, limits::FB_ALIGN_BYTES, "preData");
    core.fixpipeQuant = tensor;
    core.fixpipeSet = true;
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
    if (!Converts(src.dtype, dtype, p.quantPre)) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0,
            "quantPre %d does not turn %s into %s: float to half is F322F16, to bfloat16_t F322BF16, to 8 bits QF322B8_PRE or "
            "VQF322B8_PRE; int32_t to half is DEQF16 or VDEQF16, to 8 bits REQ8 or VREQ8; the same type NoQuant",
            static_cast<int>(p.quantPre), NameOf(src.dtype), NameOf(dtype));
    }
    const uint32_t groupColumns = !rowMajor && size == 1 ? 32 : 16;
    if (!rowMajor && p.nSize % groupColumns != 0) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0, "nSize is %u; CFG_NZ needs a multiple of %u", p.nSize,
            groupColumns);
    }
    const bool byColumn = p.quantPre == VDEQF16 || p.quantPre == VQF322B8_PRE || p.quantPre == VREQ8;
    if (byColumn) {
        if (!core.fixpipeSet) {
            core.Raise("sim.no_quant_tensor", PIPE_FIX, "Fixpipe", at.line, 0,
                "a quantisation by column needs SetFixPipeConfig with a tensor in FB first");
        }
        core.Read(core.fixpipeQuant, core.fixpipeQuant.addr, core.fixpipeQuant.addr + uint64_t{p.nSize} * 8);
    }
    if (p.unitFlag != 0 && p.unitFlag != 3) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0, "unitFlag of Fixpipe is %u; allowed is 0 and 3", p.unitFlag);
    }
    if (p.isChannelSplit) {
        core.Raise("sim.unsupported", PIPE_FIX, "Fixpipe", at.line, 0, "isChannelSplit is not simulated");
    }
    FixJob job{core.At8(Mem::L0C, src.addr), nullptr, p.mSize, p.nSize, p.srcStride, count, p.srcNdStride * 1024u,
        rowMajor ? uint64_t{p.dstStride} * size : uint64_t{p.dstStride} * 32, uint64_t{p.dstNdStride} * size, src.dtype, dtype,
        p.reluEn, rowMajor, gm != nullptr ? core.atomic : Atomic::NONE, p.quantPre, p.deqScalar,
        byColumn ? core.At8(Mem::FB, core.fixpipeQuant.addr) : nullptr};
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
                  : (CeilDiv(p.nSize, groupColumns) - 1) * job.dstPitch + uint64_t{p.mSize} * groupColumns * size);
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
