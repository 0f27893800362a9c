// In:    copies out of L0C on 3510: to global memory, to L1, to the UB of one AIV or of both.
// Out:   checked and queued fixpipe instructions.
// Never: a conversion that the instruction does not name.
#include "cost.h"
#include "../include/fiagen_sim/arch3510/limits.h"
#include "share3510.h"
#include <algorithm>

namespace AscendC {
namespace sim {
namespace {

constexpr uint32_t ROW = 64; // bytes of 16 elements in L0C

// One destination: a part of the matrix that lies `from` bytes into L0C.
struct FixPart {
    const uint8_t* src;
    uint8_t* dst;
    FixJob3510 job;
    DType from;
    Atomic atomic;

    uint32_t Size() const { return SizeOf(job.dtype); }
    // Where element (row, column) of matrix `nd` goes; columns of one group of 16 follow each other but in COLUMN_MAJOR.
    uint64_t Place(uint32_t nd, uint32_t row, uint32_t column) const
    {
        const uint64_t base = nd * job.dstMatrix;
        switch (job.layout) {
            case CO2Layout::ROW_MAJOR: return (base + row * job.dstStride + column) * Size();
            case CO2Layout::COLUMN_MAJOR: return (base + column * job.dstStride + row) * Size();
            default: return (column / 16 * job.dstStride + uint64_t{row} * 16 + column % 16) * Size();
        }
    }
    uint64_t Source(uint32_t nd, uint32_t row, uint32_t group) const
    {
        return (uint64_t{nd} * job.srcMatrix + uint64_t{group} * job.srcStride + uint64_t{row} * job.srcRow) * ROW;
    }
    // Calls see(offset, bytes) for each run of bytes that is written.
    template <typename F> void Runs(F see) const
    {
        for (uint32_t nd = 0; nd < job.count; ++nd) {
            if (job.layout == CO2Layout::ROW_MAJOR) {
                for (uint32_t row = 0; row < job.rows; ++row) {
                    see(Place(nd, row, 0), uint64_t{job.columns} * Size());
                }
            } else if (job.layout == CO2Layout::COLUMN_MAJOR) {
                for (uint32_t column = 0; column < job.columns; ++column) {
                    see(Place(nd, 0, column), uint64_t{job.rows} * Size());
                }
            } else {
                for (uint32_t column = 0; column < job.columns; column += 16) {
                    see(Place(nd, 0, column), uint64_t{job.rows} * 16 * Size());
                }
            }
        }
    }
    // Calls see(source offset, row, column, width, nd) for each piece of at most 16 elements of a row.
    template <typename F> void Pieces(F see) const
    {
        for (uint32_t nd = 0; nd < job.count; ++nd) {
            for (uint32_t column = 0; column < job.columns; column += 16) {
                for (uint32_t row = 0; row < job.rows; ++row) {
                    see(Source(nd, row, column / 16), nd, row, column, std::min(16u, job.columns - column));
                }
            }
        }
    }
    void Convert(const uint8_t* row, uint8_t* out) const
    {
        if (from == DType::I32) {
            int32_t values[16];
            std::memcpy(values, row, sizeof(values));
            for (int32_t& value : values) {
                value = job.relu && value < 0 ? 0 : value;
            }
            std::memcpy(out, values, sizeof(values));
            return;
        }
        float values[16];
        std::memcpy(values, row, sizeof(values));
        for (float& value : values) {
            value = job.relu && value < 0.0f ? 0.0f : value;
        }
        FromFloats(values, out, job.dtype, 16);
    }
    void operator()(Core&) const
    {
        const uint32_t size = Size();
        Pieces([&](uint64_t source, uint32_t nd, uint32_t row, uint32_t column, uint32_t width) {
            alignas(64) uint8_t out[ROW];
            Convert(src + source, out);
            const uint32_t step = job.layout == CO2Layout::COLUMN_MAJOR ? 1 : width; // elements that stay together
            for (uint32_t i = 0; i < width; i += step) {
                uint8_t* to = dst + Place(nd, row, column + i);
                atomic == Atomic::ADD ? AddInto(to, out + size_t{i} * size, size_t{step} * size, job.dtype)
                                      : static_cast<void>(std::memcpy(to, out + size_t{i} * size, size_t{step} * size));
            }
        });
    }
};

void CheckJob(Core& core, const Local& src, const FixJob3510& j, bool local, bool toUb)
{
    core.CheckMem(src, Mem::L0C, "source");
    core.CheckAligned(src.addr, limits::L0C_ALIGN_BYTES, "source");
    core.CheckLimit(j.columns, 1, limits::FIXPIPE_COLUMNS_MAX, "nSize");
    core.CheckLimit(j.srcStride, j.rows, 65535, "srcStride");
    core.CheckLimit(j.dstStride, 1, 0xFFFFFFFFu, "dstStride");
    const QuantMode_t wanted = j.dtype == DType::F16 ? F322F16 : j.dtype == DType::BF16 ? F322BF16 : NoQuant;
    if (j.quant != wanted) {
        core.Raise(j.quant > F322BF16 ? "sim.unsupported" : "sim.limit", PIPE_FIX, core.curName, core.curLine, 0,
            "quantPre %d does not turn %s into %s: float to half is F322F16, float to bfloat16_t F322BF16, the same type NoQuant",
            static_cast<int>(j.quant), NameOf(src.dtype), NameOf(j.dtype));
    }
    const uint32_t size = SizeOf(j.dtype);
    auto limit = [&](bool bad, const char* what) {
        if (bad) {
            core.Raise("sim.limit", PIPE_FIX, core.curName, core.curLine, 0, "%s (nSize %u, mSize %u)", what, j.columns, j.rows);
        }
    };
    limit(j.layout == CO2Layout::NZ && j.columns % 16 != 0, "CFG_NZ needs an nSize that is a multiple of 16");
    limit(local && j.layout == CO2Layout::ROW_MAJOR && j.columns * size % 32 != 0,
        "to L1 and UB a row has to be a multiple of 32 bytes");
    limit(j.layout == CO2Layout::COLUMN_MAJOR && j.rows * size % 32 != 0, "COLUMN_MAJOR needs columns of a multiple of 32 bytes");
    limit(j.layout == CO2Layout::COLUMN_MAJOR && j.srcRow == 0, "COLUMN_MAJOR needs srcNzC0Stride");
    limit(j.layout == CO2Layout::COLUMN_MAJOR && j.srcRow != 1 && j.unitFlag != 0,
        "COLUMN_MAJOR with srcNzC0Stride other than 1 goes without unitFlag");
    limit(j.unitFlag == 1 || j.unitFlag > 3, "unitFlag has to be 0, 2 or 3");
    limit(j.dual > 2, "dualDstCtl has to be 0, 1 or 2");
    limit(j.dual != 0 && !toUb, "dualDstCtl is for a destination in UB");
    limit(j.dual != 0 && (j.layout == CO2Layout::COLUMN_MAJOR || j.relu || j.quant != NoQuant),
        "with dualDstCtl there is neither COLUMN_MAJOR nor a conversion on the way");
    limit(j.dual == 1 && j.rows % limits::FIXPIPE_SPLIT_ROWS_MULTIPLE != 0, "dualDstCtl 1 needs an even mSize");
    limit(j.dual == 2 && j.columns % limits::FIXPIPE_SPLIT_COLUMNS_MULTIPLE != 0,
        "dualDstCtl 2 needs an nSize that is a multiple of 32");
    if (j.split) {
        core.Raise("sim.unsupported", PIPE_FIX, core.curName, core.curLine, 0, "isChannelSplit is not simulated");
    }
}

// Bytes of the destination are data when those they are made of are; global memory that is no workspace needs data.
void MarkPart(Core& core, const Local& src, const FixPart& part, uint8_t* marks, bool carries)
{
    if (marks != nullptr) {
        part.Runs([&](uint64_t at, uint64_t bytes) { std::memset(marks + at, 1, bytes); });
    }
    const uint32_t size = part.Size();
    const auto offset = static_cast<uint64_t>(part.src - core.At8(Mem::L0C, src.addr));
    part.Pieces([&](uint64_t source, uint32_t nd, uint32_t row, uint32_t column, uint32_t width) {
        const uint64_t at = src.addr + offset + source;
        if (core.AllWritten(Mem::L0C, at, at + width * 4u)) {
            return;
        }
        if (!carries) {
            core.Need(Mem::L0C, at, at + width * 4u);
            return;
        }
        for (uint32_t i = 0; i < width; ++i) {
            if (!core.AllWritten(Mem::L0C, at + i * 4u, at + i * 4u + 4)) {
                std::memset(marks + part.Place(nd, row, column + i), 0, size);
            }
        }
    });
}

} // namespace

void FixOut3510(const Global* gm, const Local* local, bool toUb, const Local& src, const FixJob3510& j, At at)
{
    Core& core = Current();
    core.Begin(PIPE_FIX, "Fixpipe", at, j.unitFlag != 0);
    if (j.columns == 0 || j.rows == 0 || j.count == 0) {
        return;
    }
    CheckJob(core, src, j, local != nullptr, toUb);
    FixPart parts[2] = {{core.At8(Mem::L0C, src.addr), nullptr, j, src.dtype, gm != nullptr ? core.atomic : Atomic::NONE}, {}};
    uint32_t count = 1;
    if (j.dual != 0) {
        count = 2;
        j.dual == 1 ? parts[0].job.rows /= 2 : parts[0].job.columns /= 2;
        parts[1] = parts[0];
        parts[1].src += j.dual == 1 ? parts[0].Source(0, parts[0].job.rows, 0) : parts[0].Source(0, 0, parts[0].job.columns / 16);
        parts[1].job.aiv = 1;
        parts[0].job.aiv = 0;
    }
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        for (uint32_t group = 0; group < (j.columns + 15) / 16; ++group) {
            const uint64_t lo = src.addr + parts[0].Source(nd, 0, group);
            core.ReadCopy(src, lo, src.addr + parts[0].Source(nd, j.rows - 1, group) + ROW);
        }
    }
    Cost cost = FixCost(core, double(j.rows) * j.columns * j.count, nullptr, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        FixPart& part = parts[i];
        if (gm != nullptr) {
            uint64_t extent = 0;
            part.Runs([&](uint64_t to, uint64_t bytes) { extent = std::max(extent, to + bytes); });
            core.CheckAligned(reinterpret_cast<uintptr_t>(gm->ptr), part.Size(), "destination");
            core.CheckGlobal(*gm, 0, static_cast<int64_t>(extent));
            const bool adds = part.atomic == Atomic::ADD;
            part.Runs([&](uint64_t to, uint64_t bytes) {
                const auto lo = static_cast<int64_t>(to), hi = static_cast<int64_t>(to + bytes);
                core.WriteGlobal(*gm, lo, hi, adds, false);
                if (adds) {
                    core.NeedGlobal(*gm, lo, hi);
                }
            });
            part.dst = gm->ptr;
            if (core.run.checks) {
                MarkPart(core, src, part, core.WrittenGlobal(*gm), core.HoldsNoData(*gm) && !adds);
            }
            const bool columns = j.layout == CO2Layout::COLUMN_MAJOR, rows = j.layout == CO2Layout::ROW_MAJOR;
            cost = FixCost(core, double(j.rows) * j.columns * j.count, gm->ptr, rows ? j.rows : columns ? j.columns : j.columns / 16,
                static_cast<int64_t>(j.dstStride * part.Size()), (rows ? j.columns : columns ? j.rows : j.rows * 16) * part.Size(),
                j.count, static_cast<int64_t>(j.dstMatrix * part.Size()));
            continue;
        }
        const Mem wanted = toUb ? Mem::UB : Mem::L1;
        Core& home = HomeOf(core, wanted, part.job.aiv, "destination");
        CheckShared(core, *local, wanted, "destination");
        core.curHandshake = false;
        part.Runs([&](uint64_t to, uint64_t bytes) {
            TouchShared(core, home, *local, local->addr + to, local->addr + to + bytes, true, "destination");
        });
        part.dst = home.At8(wanted, local->addr);
        if (core.run.checks) {
            MarkPart(core, src, part, home.Written(wanted, local->addr), true);
        }
        if (toUb) {
            const double bytes = double(j.rows) * j.columns * j.count * part.Size();
            cost = {core.run.chip.fix_issue_cycles + bytes / (core.run.chip.l0c_to_ub_bytes * count)};
        }
    }
    const uint64_t needs = j.unitFlag != 0 ? core.pipes[PIPE_M].done + core.pipes[PIPE_M].Pending() : 0;
    const int needsPipe = j.unitFlag != 0 ? static_cast<int>(PIPE_M) : PIPES;
    core.IssueAfter(PIPE_FIX, "Fixpipe", at, cost, needsPipe, needs, parts[0]);
    if (count == 2) { // the other half is on its way at the same time
        core.Issue(PIPE_FIX, "Fixpipe", at, Cost(0), parts[1]);
    }
}

} // namespace sim
} // namespace AscendC
