// In:    reducing and broadcasting vector calls, already reduced to addresses.
// Out:   checked and queued vector instructions.
// Never: a change of a lane the mask switches off.
#include "cost.h"

namespace AscendC {
namespace sim {

static double RepeatCycles(const Core& core, ReduceOp op)
{
    return op == ReduceOp::SUM ? core.run.chip.vector_sum_cycles : core.run.chip.vector_max_cycles;
}

// Pairwise sum in the order of a binary tree over neighbours; lanes that are off count as zero.
static float TreeSum(float* values, uint32_t n)
{
    while (n > 1) {
        n /= 2;
        for (uint32_t i = 0; i < n; ++i) {
            values[i] = values[2 * i] + values[2 * i + 1];
        }
    }
    return values[0];
}

struct Best {
    float value = 0;
    uint32_t index = 0;
    bool any = false;
    void See(ReduceOp op, float candidate, uint32_t at)
    {
        bool better = !any || (op == ReduceOp::MAX ? candidate > value : candidate < value) || (candidate != candidate && value == value);
        if (better) {
            value = candidate;
            index = at;
            any = true;
        }
    }
};

static float RoundTo(float value, DType dtype)
{
    uint32_t bits = 0;
    FromFloats(&value, &bits, dtype, 1);
    ToFloats(&bits, dtype, &value, 1);
    return value;
}

// Reduce lanes [from, to) that are on; false when none is.
static bool Reduce(ReduceOp op, const float* lanes, uint32_t from, uint32_t to, uint32_t active, const LanePlan& plan, DType dtype,
    Best& best)
{
    if (op != ReduceOp::SUM) {
        for (uint32_t i = from; i < to && i < active; ++i) {
            if (plan.Has(i)) {
                best.See(op, lanes[i], i);
            }
        }
        return best.any;
    }
    float values[MAX_LANES];
    uint32_t width = to - from;
    for (uint32_t i = 0; i < width; ++i) {
        bool on = from + i < active && plan.Has(from + i);
        values[i] = on ? lanes[from + i] : 0.0f;
        best.any = best.any || on;
    }
    best.value = RoundTo(TreeSum(values, width), dtype);
    return best.any;
}

struct RepeatJob {
    uint8_t* dst;
    Operand src;
    LanePlan plan;
    ReduceOp op;
    ReduceOrder order;
    uint32_t step; // bytes between results
    void operator()(Core&) const
    {
        float buffer[MAX_LANES];
        const uint32_t size = src.size;
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const float* lanes = LoadFloats(src, r, n, buffer);
            Best best;
            Reduce(op, lanes, 0, plan.lanes, n, plan, src.dtype, best);
            uint8_t* to = dst + size_t{r} * step;
            uint8_t value[4], index[4];
            FromFloats(&best.value, value, src.dtype, 1);
            std::memcpy(index, &best.index, 4);
            switch (order) {
                case ReduceOrder::ORDER_ONLY_VALUE: std::memcpy(to, value, size); break;
                case ReduceOrder::ORDER_ONLY_INDEX: std::memcpy(to, index, size); break;
                case ReduceOrder::ORDER_VALUE_INDEX:
                    std::memcpy(to, value, size);
                    std::memcpy(to + size, index, size);
                    break;
                default:
                    std::memcpy(to, index, size);
                    std::memcpy(to + size, value, size);
                    break;
            }
        }
    }
};

static void CheckResult(Core& core, const Local& dst, uint32_t align)
{
    core.CheckMem(dst, Mem::UB, "destination");
    core.CheckAligned(dst.addr, align, "destination");
}

void VecReduceRepeat(ReduceOp op, const char* name, const Local& dst, const Local& src, const Mask& mask, const Steps& steps,
    ReduceOrder order, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, name, at);
    const uint32_t size = SizeOf(dst.dtype);
    const bool pair = order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE;
    CheckResult(core, dst, pair ? 2 * size : size); // a result of this instruction may lie at any result's own multiple
    CheckUb(core, src, "source");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / size);
    Operand from = OperandOf(core, src, steps.src0Blk, steps.src0Rep);
    const uint32_t result = pair ? 2 * size : size, step = steps.dstRep * result;
    TouchLanes(core, src, from, plan, Uses::READ);
    if (steps.dstRep == 1 && plan.repeats > 0) {
        core.Write(dst, dst.addr, dst.addr + uint64_t{plan.repeats} * result);
    } else {
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            core.Write(dst, dst.addr + uint64_t{r} * step, dst.addr + uint64_t{r} * step + result);
        }
    }
    core.Issue(PIPE_V, name, at, VectorCost(core, plan, RepeatCycles(core, op), nullptr, &from, nullptr),
        RepeatJob{core.At8(Mem::UB, dst.addr), from, plan, op, order, step});
}

struct BlockJob {
    uint8_t* dst;
    Operand src;
    LanePlan plan;
    ReduceOp op;
    uint32_t step;
    void operator()(Core&) const
    {
        float buffer[MAX_LANES];
        const uint32_t perBlock = 32u / src.size;
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const float* lanes = LoadFloats(src, r, n, buffer);
            for (uint32_t block = 0; block < 8; ++block) {
                Best best;
                if (Reduce(op, lanes, block * perBlock, (block + 1) * perBlock, n, plan, src.dtype, best)) {
                    FromFloats(&best.value, dst + size_t{r} * step + size_t{block} * src.size, src.dtype, 1);
                }
            }
        }
    }
};

void VecReduceBlock(ReduceOp op, const char* name, const Local& dst, const Local& src, const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, name, at);
    const uint32_t size = SizeOf(dst.dtype), step = steps.dstRep * 8 * size;
    CheckResult(core, dst, 8 * size);
    CheckUb(core, src, "source");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / size);
    Operand from = OperandOf(core, src, steps.src0Blk, steps.src0Rep);
    TouchLanes(core, src, from, plan, Uses::READ);
    const uint32_t perBlock = 32 / size;
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        uint32_t last = (plan.Active(r) + perBlock - 1) / perBlock;
        core.Write(dst, dst.addr + uint64_t{r} * step, dst.addr + uint64_t{r} * step + uint64_t{last} * size);
    }
    core.Issue(PIPE_V, name, at, VectorCost(core, plan, RepeatCycles(core, op), nullptr, &from, nullptr),
        BlockJob{core.At8(Mem::UB, dst.addr), from, plan, op, step});
}

struct PairJob {
    uint8_t* dst;
    Operand src;
    LanePlan plan;
    uint32_t step;
    void operator()(Core&) const
    {
        float buffer[MAX_LANES];
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const float* lanes = LoadFloats(src, r, n, buffer);
            for (uint32_t i = 0; i < n; i += 2) {
                bool one = plan.Has(i), two = i + 1 < n && plan.Has(i + 1);
                if (one || two) {
                    float sum = (one ? lanes[i] : 0.0f) + (two ? lanes[i + 1] : 0.0f);
                    FromFloats(&sum, dst + size_t{r} * step + size_t{i / 2} * src.size, src.dtype, 1);
                }
            }
        }
    }
};

void VecReducePair(const Local& dst, const Local& src, const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "PairReduceSum", at);
    const uint32_t size = SizeOf(dst.dtype), step = steps.dstRep * 128u;
    CheckUb(core, dst, "destination");
    CheckUb(core, src, "source");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / size);
    Operand from = OperandOf(core, src, steps.src0Blk, steps.src0Rep);
    TouchLanes(core, src, from, plan, Uses::READ);
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        core.Write(dst, dst.addr + uint64_t{r} * step, dst.addr + uint64_t{r} * step + uint64_t{(plan.Active(r) + 1) / 2} * size);
    }
    core.Issue(PIPE_V, "PairReduceSum", at, VectorCost(core, plan, RepeatCycles(core, ReduceOp::SUM), nullptr, &from, nullptr),
        PairJob{core.At8(Mem::UB, dst.addr), from, plan, step});
}

// The count form works through repeats: one partial result per repeat, and again over those.
void VecReduceCount(ReduceOp op, const char* name, const Local& dst, const Local& src, const Local& work, uint32_t count,
    bool withIndex, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, name, at);
    const uint32_t size = SizeOf(dst.dtype), lanes = 256 / size;
    if (count == 0) {
        return;
    }
    CheckResult(core, dst, size);
    CheckUb(core, src, "source");
    CheckUb(core, work, "sharedTmpBuffer");
    LanePlan plan = Plan(core, Mask::Total(count), 0, lanes);
    uint64_t workBytes = (uint64_t{plan.repeats} * (op == ReduceOp::SUM ? 1 : 2) * size + 31) / 32 * 32;
    core.Read(src, src.addr, src.addr + uint64_t{count} * size);
    core.Write(work, work.addr, work.addr + workBytes);
    core.Write(dst, dst.addr, dst.addr + uint64_t{withIndex ? 2u : 1u} * size);
    Operand from = OperandOf(core, src, 1, 8);
    uint8_t* to = core.At8(Mem::UB, dst.addr);
    const Cost cycles = VectorCost(core, plan, 2 * RepeatCycles(core, op), nullptr, &from, nullptr);
    core.Issue(PIPE_V, name, at, cycles, [op, from, to, plan, withIndex](Core&) {
        float buffer[MAX_LANES];
        Best all;
        std::vector<float> partial;
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const float* values = LoadFloats(from, r, n, buffer);
            Best best;
            Reduce(op, values, 0, plan.lanes, n, plan, from.dtype, best);
            if (op == ReduceOp::SUM) {
                partial.push_back(best.value);
            } else {
                all.See(op, best.value, r * plan.lanes + best.index);
            }
        }
        while (op == ReduceOp::SUM && partial.size() > 1) {
            std::vector<float> next;
            for (size_t first = 0; first < partial.size(); first += plan.lanes) {
                float values[MAX_LANES] = {};
                std::copy_n(partial.begin() + static_cast<std::ptrdiff_t>(first),
                    std::min<size_t>(plan.lanes, partial.size() - first), values);
                next.push_back(RoundTo(TreeSum(values, plan.lanes), from.dtype));
            }
            partial.swap(next);
        }
        float value = op == ReduceOp::SUM ? partial[0] : all.value;
        FromFloats(&value, to, from.dtype, 1);
        if (withIndex) {
            std::memcpy(to + from.size, &all.index, from.size);
        }
    });
}

struct BroadcastJob {
    const uint8_t* from;
    uint8_t* to;
    uint32_t repeat, size, blk, rep;
    void operator()(Core&) const
    {
        for (uint32_t e = 0; e < repeat * 8; ++e) {
            uint8_t* block = to + (size_t{e / 8} * rep + size_t{e % 8} * blk) * 32;
            for (uint32_t b = 0; b < 32; b += size) {
                std::memcpy(block + b, from + size_t{e} * size, size);
            }
        }
    }
};

void VecBrcb(const Local& dst, const Local& src, uint32_t repeat, const BrcbRepeatParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Brcb", at);
    core.CheckLimit(repeat, 0, limits::VECTOR_REPEAT_MAX, "repeatTime");
    if (repeat == 0) {
        return;
    }
    CheckUb(core, dst, "destination");
    core.CheckMem(src, Mem::UB, "source");
    core.CheckAligned(src.addr, limits::UB_ALIGN_BYTES, "source");
    core.CheckLimit(p.dstBlkStride, 1, 65535, "dstBlkStride");
    const uint32_t size = SizeOf(dst.dtype);
    const uint64_t srcEnd = src.addr + uint64_t{repeat} * 8 * size;
    core.ReadCopy(src, src.addr, srcEnd);
    for (uint32_t r = 0; r < repeat; ++r) {
        for (uint32_t i = 0; i < 8; ++i) {
            uint64_t lo = dst.addr + (uint64_t{r} * p.dstRepStride + uint64_t{i} * p.dstBlkStride) * 32;
            if (lo < srcEnd && src.addr < lo + 32) {
                core.Raise("sim.overlap", PIPE_V, "Brcb", at.line, 0, "source and destination of Brcb overlap");
            }
            core.WriteCopy(dst, lo, lo + 32);
        }
    }
    BroadcastJob job{core.At8(Mem::UB, src.addr), core.At8(Mem::UB, dst.addr), repeat, size, p.dstBlkStride, p.dstRepStride};
    if (core.run.checks) {
        BroadcastJob{core.Written(Mem::UB, src.addr), core.Written(Mem::UB, dst.addr), repeat, size, p.dstBlkStride,
            p.dstRepStride}(core);
    }
    core.Issue(PIPE_V, "Brcb", at,
        Cost(core.run.chip.vector_issue_cycles + repeat * core.run.chip.vector_repeat_cycles, core.run.chip.vector_latency_cycles), job);
}

} // namespace sim
} // namespace AscendC
