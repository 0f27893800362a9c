// In:    vector calls that move elements to other places, already reduced to addresses.
// Out:   checked and queued vector instructions.
// Never: an element that changes on its way.
#include "cost.h"

namespace AscendC {
namespace sim {

// What an instruction touches depends on data in UB: everything issued before has to be done.
static void FinishVector(Core& core, At at)
{
    if (!core.Force(PIPE_V, core.pipes[PIPE_V].done + core.pipes[PIPE_V].Pending())) {
        core.Drain(at);
    }
}

static Cost Moving(Core& core, double repeats)
{
    const FiagenSimChip& chip = core.run.chip;
    return Cost(chip.vector_issue_cycles + repeats * chip.vector_repeat_cycles, chip.vector_latency_cycles);
}

static void RaiseOverlap(Core& core)
{
    core.Raise("sim.overlap", PIPE_V, core.curName, core.curLine, 0, "source and destination of %s overlap", core.curName);
}

struct GatherJob {
    uint8_t* dst;
    const uint8_t *src, *offsets;
    LanePlan plan;
    uint32_t size, base;
    uint16_t dstRep;
    void operator()(Core&) const
    {
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            for (uint32_t i = 0; i < plan.Active(r); ++i) {
                if (plan.Has(i)) {
                    uint32_t offset;
                    std::memcpy(&offset, offsets + (size_t{r} * plan.lanes + i) * 4, 4);
                    std::memcpy(dst + size_t{r} * dstRep * 32 + size_t{i} * size, src + base + offset, size);
                }
            }
        }
    }
};

void VecGather(const Local& dst, const Local& src, const Local& offsets, uint32_t base, const Mask& mask, uint32_t repeat,
    uint16_t dstRep, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Gather", at);
    CheckUb(core, dst, "destination");
    CheckUb(core, src, "source");
    CheckUb(core, offsets, "srcOffset");
    const uint32_t size = SizeOf(dst.dtype);
    core.CheckAligned(base, size, "srcBaseAddr");
    LanePlan plan = Plan(core, mask, repeat, 256 / size);
    if (plan.repeats == 0) {
        return;
    }
    const Operand to = OperandOf(core, dst, 1, dstRep);
    const Operand index{core.At8(Mem::UB, offsets.addr), 1, static_cast<uint16_t>(plan.lanes * 4 / 32), DType::U32, 4};
    TouchLanes(core, offsets, index, plan, Uses::READ);
    FinishVector(core, at);
    const uint64_t dstEnd = dst.addr + (plan.repeats - 1) * uint64_t{dstRep} * 32 + uint64_t{plan.lanes} * size;
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        for (uint32_t i = 0; i < plan.Active(r); ++i) {
            if (plan.Has(i)) {
                uint32_t offset;
                std::memcpy(&offset, core.At8(Mem::UB, offsets.addr) + (size_t{r} * plan.lanes + i) * 4, 4);
                core.CheckAligned(offset, size, "an offset");
                const uint64_t lo = uint64_t{src.addr} + base + offset;
                core.ReadCopy(src, lo, lo + size);
                if (lo < dstEnd && dst.addr < lo + size) {
                    RaiseOverlap(core);
                }
            }
        }
    }
    TouchLanes(core, dst, to, plan, Uses::WRITE_COPY);
    GatherJob job{to.base, core.At8(Mem::UB, src.addr), index.base, plan, size, base, dstRep};
    if (core.run.checks) {
        GatherJob marks = job;
        marks.dst = core.Written(Mem::UB, dst.addr);
        marks.src = core.Written(Mem::UB, src.addr);
        marks(core);
    }
    core.Issue(PIPE_V, "Gather", at, Moving(core, plan.repeats * 8.0), job);
}

// Kept elements, one behind the other.
struct KeepJob {
    uint8_t* dst;
    const uint8_t *src, *bits; // bits: null for a fixed pattern
    GatherMaskParams p;
    uint32_t pattern, count, size; // count: elements of a repeat
    bool Keeps(uint32_t repeat, uint32_t element) const
    {
        if (bits != nullptr) {
            return (bits[size_t{repeat} * p.src1RepeatStride * 32 + element / 8] >> (element % 8) & 1) != 0;
        }
        return pattern == 7 || (pattern < 3 ? element % 2 == pattern - 1 : element % 4 == pattern - 3);
    }
    uint64_t Place(uint32_t repeat, uint32_t element) const
    {
        const uint32_t perBlock = 32 / size;
        return (uint64_t{repeat} * p.src0RepeatStride + uint64_t{element / perBlock} * p.src0BlockStride) * 32 +
            element % perBlock * size;
    }
    uint64_t Kept() const
    {
        uint64_t kept = 0;
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            for (uint32_t i = 0; i < count; ++i) {
                kept += Keeps(r, i) ? 1 : 0;
            }
        }
        return kept;
    }
    void operator()(Core&) const
    {
        uint8_t* to = dst;
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            for (uint32_t i = 0; i < count; ++i) {
                if (Keeps(r, i)) {
                    std::memmove(to, src + Place(r, i), size);
                    to += size;
                }
            }
        }
    }
};

uint64_t VecGatherMask(const Local& dst, const Local& src, const Local* bits, uint32_t pattern, bool counted, uint32_t count,
    const GatherMaskParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "GatherMask", at);
    CheckUb(core, dst, "destination");
    CheckUb(core, src, "source");
    const uint32_t size = SizeOf(dst.dtype), lanes = counted ? count : 256 / size;
    core.counterMode = false;
    if (p.repeatTimes == 0) {
        return 0;
    }
    if (counted) {
        core.CheckLimit(count, 1, 0xFFFFFFFFu, "mask in counter mode");
    }
    if (bits == nullptr) {
        core.CheckLimit(pattern, 1, 7, "src1Pattern");
    } else {
        CheckUb(core, *bits, "src1Pattern");
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            const uint64_t lo = bits->addr + uint64_t{r} * p.src1RepeatStride * 32;
            core.Read(*bits, lo, lo + (lanes + 7) / 8);
        }
        FinishVector(core, at);
    }
    KeepJob job{core.At8(Mem::UB, dst.addr), core.At8(Mem::UB, src.addr), bits == nullptr ? nullptr : core.At8(Mem::UB, bits->addr),
        p, pattern, lanes, size};
    const uint64_t kept = job.Kept();
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        for (uint32_t i = 0; i < lanes; i += 32 / size) {
            const uint64_t lo = src.addr + job.Place(r, i);
            core.ReadCopy(src, lo, lo + std::min(32 / size, lanes - i) * uint64_t{size});
            if (dst.addr != src.addr && lo < dst.addr + kept * size && dst.addr < lo + 32) {
                RaiseOverlap(core); // in place every element moves to a lower address
            }
        }
    }
    core.WriteCopy(dst, dst.addr, dst.addr + kept * size);
    if (core.run.checks) {
        KeepJob marks = job;
        marks.dst = core.Written(Mem::UB, dst.addr);
        marks.src = core.Written(Mem::UB, src.addr);
        marks(core);
    }
    core.Issue(PIPE_V, "GatherMask", at, Moving(core, double(p.repeatTimes) * ((lanes * size + 255) / 256)), job);
    return kept;
}

struct SquareJob {
    uint8_t* dst;
    const uint8_t* src;
    void operator()(Core&) const
    {
        uint16_t in[256], out[256];
        std::memcpy(in, src, sizeof(in));
        for (int i = 0; i < 256; ++i) {
            out[i % 16 * 16 + i / 16] = in[i];
        }
        std::memcpy(dst, out, sizeof(out));
    }
};

void VecTranspose(const Local& dst, const Local& src, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Transpose", at);
    CheckUb(core, dst, "destination");
    CheckUb(core, src, "source");
    core.ReadCopy(src, src.addr, src.addr + 512);
    if (src.addr != dst.addr && src.addr < dst.addr + 512 && dst.addr < src.addr + 512) {
        RaiseOverlap(core);
    }
    core.WriteCopy(dst, dst.addr, dst.addr + 512);
    if (core.run.checks) {
        SquareJob{core.Written(Mem::UB, dst.addr), core.Written(Mem::UB, src.addr)}(core);
    }
    core.Issue(PIPE_V, "Transpose", at, Moving(core, 2), SquareJob{core.At8(Mem::UB, dst.addr), core.At8(Mem::UB, src.addr)});
}

struct To5HdJob {
    uint8_t* base;
    uint32_t dst[16], src[16];
    TransDataTo5HDParams p;
    uint8_t size;
    // A single repeat starts one stride behind the addresses of the lists.
    uint32_t Shift(uint32_t repeat, uint16_t stride) const { return (p.repeatTimes == 1 ? 1u : repeat) * stride * 32u; }
    void operator()(Core&) const
    {
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            uint8_t in[16][32];
            for (int j = 0; j < 16; ++j) {
                std::memcpy(in[j], base + src[j] + Shift(r, p.srcRepStride), 32);
            }
            const int from = size == 1 && p.srcHighHalf ? 16 : 0, to = size == 1 && p.dstHighHalf ? 16 : 0;
            for (int j = 0; j < 16; ++j) {          // source block
                for (int i = 0; i < (size == 4 ? 8 : 16); ++i) { // element in it
                    const int row = size == 4 ? 2 * i + j / 8 : i, column = size == 4 ? j % 8 : j + to;
                    std::memcpy(base + dst[row] + Shift(r, p.dstRepStride) + column * size, in[j] + (i + from) * size, size);
                }
            }
        }
    }
};

void VecTo5Hd(const uint32_t* dst, const uint32_t* src, DType dtype, const TransDataTo5HDParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "TransDataTo5HD", at);
    if (p.repeatTimes == 0) {
        return;
    }
    To5HdJob job{core.At8(Mem::UB, 0), {}, {}, p, static_cast<uint8_t>(SizeOf(dtype))};
    const uint32_t half = job.size == 1 ? 16 : 32;
    const auto size = static_cast<uint32_t>(core.memories[static_cast<int>(Mem::UB)].size);
    auto each = [&](const uint32_t* list, uint16_t stride, bool high, auto use) {
        for (uint32_t r = 0; r < p.repeatTimes; ++r) {
            for (int i = 0; i < 16; ++i) {
                const Local block{list[i], size, Mem::UB, dtype};
                CheckUb(core, block, "an address of the list");
                const uint64_t lo = uint64_t{list[i]} + job.Shift(r, stride) + (job.size == 1 && high ? 16 : 0);
                use(block, lo, lo + half);
            }
        }
    };
    each(src, p.srcRepStride, p.srcHighHalf, [&](const Local& block, uint64_t lo, uint64_t hi) { core.ReadCopy(block, lo, hi); });
    each(dst, p.dstRepStride, p.dstHighHalf, [&](const Local& block, uint64_t lo, uint64_t hi) {
        core.WriteCopy(block, lo, hi);
    });
    std::copy_n(dst, 16, job.dst);
    std::copy_n(src, 16, job.src);
    if (core.run.checks) {
        To5HdJob marks = job;
        marks.base = core.Written(Mem::UB, 0);
        marks(core);
    }
    core.Issue(PIPE_V, "TransDataTo5HD", at, Moving(core, 2.0 * p.repeatTimes), job);
}

} // namespace sim
} // namespace AscendC
