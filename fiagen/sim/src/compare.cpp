// In:    Compare and Select calls, already reduced to addresses.
// Out:   checked and queued vector instructions.
// Never: a change of a lane the mask switches off.
#include "cost.h"

namespace AscendC {
namespace sim {

template <typename C> static bool Holds(CMPMODE mode, C a, C b)
{
    switch (mode) {
        case CMPMODE::LT: return a < b;
        case CMPMODE::GT: return a > b;
        case CMPMODE::EQ: return a == b;
        case CMPMODE::LE: return a <= b;
        case CMPMODE::GE: return a >= b;
        default: return a != b;
    }
}

struct CompareJob {
    uint8_t* bits; // nullptr: the compare mask register
    Operand src0, src1;
    LanePlan plan;
    double scalar;
    CMPMODE mode;
    bool hasSrc1;

    template <typename C> void Pack(const C* a, const C* b, uint32_t n, uint8_t* out) const
    {
        for (uint32_t i = 0; i < n; i += 8) {
            uint32_t byte = 0;
            for (uint32_t j = 0; j < 8 && i + j < n; ++j) {
                byte |= static_cast<uint32_t>(Holds(mode, a[i + j], b[i + j])) << j;
            }
            out[i / 8] = static_cast<uint8_t>(byte);
        }
    }
    template <typename C> void Go(uint8_t* out) const
    {
        C first[MAX_LANES], second[MAX_LANES];
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const C *a, *b = second;
            if constexpr (std::is_same<C, float>::value) {
                a = LoadFloats(src0, r, n, first);
                b = hasSrc1 ? LoadFloats(src1, r, n, second) : second;
            } else {
                a = LoadInts(src0, r, n, first);
                b = hasSrc1 ? LoadInts(src1, r, n, second) : second;
            }
            if (!hasSrc1) {
                std::fill_n(second, n, static_cast<C>(scalar));
            }
            Pack(a, b, n, out + size_t{r} * plan.lanes / 8);
        }
    }
    void operator()(Core& core) const
    {
        uint8_t* out = bits != nullptr ? bits : reinterpret_cast<uint8_t*>(core.compareMask);
        IsFloat(src0.dtype) ? Go<float>(out) : Go<int32_t>(out);
    }
};

static void IssueCompare(const char* name, const Local* dst, const Local& src0, const Local* src1, double scalar, CMPMODE mode,
    const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, name, at);
    CheckUb(core, src0, "source 0");
    const uint32_t size = SizeOf(src0.dtype), lanes = 256 / size;
    if (src0.dtype == DType::I32 && mode != CMPMODE::EQ) {
        core.Raise("sim.limit", PIPE_V, name, at.line, 0, "int32_t is compared with CMPMODE::EQ only");
    }
    if (mask.kind == Mask::TOTAL && mask.low * size % limits::COMPARE_COUNT_BYTES != 0) {
        core.Raise("sim.limit", PIPE_V, name, at.line, 0, "count %llu of %s is %llu bytes, which is not a multiple of %llu",
            static_cast<unsigned long long>(mask.low), NameOf(src0.dtype), static_cast<unsigned long long>(mask.low * size),
            static_cast<unsigned long long>(limits::COMPARE_COUNT_BYTES));
    }
    LanePlan plan = Plan(core, mask, steps.repeat, lanes);
    if (!plan.counted) { // the mask argument has no effect on this core
        plan.isPrefix = true;
        plan.prefix = lanes;
        plan.repeats = steps.repeat;
    }
    Operand from0 = OperandOf(core, src0, steps.src0Blk, steps.src0Rep), from1 = from0;
    TouchLanes(core, src0, from0, plan, Uses::READ);
    if (src1 != nullptr) {
        CheckUb(core, *src1, "source 1");
        from1 = OperandOf(core, *src1, steps.src1Blk, steps.src1Rep);
        TouchLanes(core, *src1, from1, plan, Uses::READ);
    }
    uint8_t* bits = nullptr;
    if (dst != nullptr) {
        CheckUb(core, *dst, "destination");
        core.Write(*dst, dst->addr, dst->addr + uint64_t{plan.repeats} * lanes / 8);
        bits = core.At8(Mem::UB, dst->addr);
    }
    core.Issue(PIPE_V, name, at,
        VectorCost(core, plan, core.run.chip.vector_repeat_cycles, nullptr, &from0, src1 != nullptr ? &from1 : nullptr),
        CompareJob{bits, from0, from1, plan, scalar, mode, src1 != nullptr});
}

void VecCompare(const char* name, const Local& dst, const Local& src0, const Local* src1, double scalar, CMPMODE mode,
    const Mask& mask, const Steps& steps, At at)
{
    IssueCompare(name, &dst, src0, src1, scalar, mode, mask, steps, at);
}
void VecCompareToRegister(const Local& src0, const Local& src1, CMPMODE mode, const Mask& mask, const Steps& steps, At at)
{
    IssueCompare("Compare", nullptr, src0, &src1, 0.0, mode, mask, steps, at);
}

void SetCompareMask(const Local& src, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "SetCmpMask", at);
    CheckUb(core, src, "source");
    core.Read(src, src.addr, src.addr + 16);
    const uint8_t* from = core.At8(Mem::UB, src.addr);
    core.Issue(PIPE_V, "SetCmpMask", at, 1, [from](Core& c) { std::memcpy(c.compareMask, from, 16); });
}
void GetCompareMask(const Local& dst, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "GetCmpMask", at);
    CheckUb(core, dst, "destination");
    core.Write(dst, dst.addr, dst.addr + 16);
    uint8_t* to = core.At8(Mem::UB, dst.addr);
    core.Issue(PIPE_V, "GetCmpMask", at, 1, [to](Core& c) { std::memcpy(to, c.compareMask, 16); });
}

struct SelectJob {
    const uint8_t* bits;
    Operand dst, src0, src1;
    LanePlan plan;
    float scalar;
    bool hasSrc1, consume;
    void operator()(Core&) const
    {
        float first[MAX_LANES], second[MAX_LANES], out[MAX_LANES];
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const float* a = LoadFloats(src0, r, n, first);
            const float* b = second;
            if (hasSrc1) {
                b = LoadFloats(src1, r, n, second);
            } else {
                std::fill_n(second, n, scalar);
            }
            const uint8_t* select = bits + (consume ? size_t{r} * plan.lanes / 8 : 0);
            for (uint32_t i = 0; i < n; ++i) {
                out[i] = (select[i / 8] >> (i % 8) & 1) != 0 ? a[i] : b[i];
            }
            StoreFloats(dst, r, n, plan, out);
        }
    }
};

void VecSelect(const Local& dst, const Local& bits, const Local& src0, const Local* src1, float scalar, SELMODE mode,
    const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Select", at);
    CheckUb(core, dst, "destination");
    CheckUb(core, bits, "selMask");
    CheckUb(core, src0, "source 0");
    const bool consume = mode != SELMODE::VSEL_CMPMASK_SPR;
    if ((mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) != (src1 == nullptr)) {
        core.Raise("sim.limit", PIPE_V, "Select", at.line, 0,
            "VSEL_TENSOR_SCALAR_MODE takes a scalar as src1, the other modes take a tensor");
    }
    if (consume) {
        const Memory& ub = core.memories[static_cast<int>(Mem::UB)];
        core.selectLine = at.line;
        if (ub.allocated > ub.size - limits::SELECT_RESERVED_UB_BYTES) {
            core.Raise("sim.select_reserved_ub", PIPE_V, "Select", at.line, 0,
                "this mode of Select needs the last %llu bytes of UB for itself, and TPipe has handed out %llu of %llu",
                static_cast<unsigned long long>(limits::SELECT_RESERVED_UB_BYTES),
                static_cast<unsigned long long>(ub.allocated), static_cast<unsigned long long>(ub.size));
        }
    }
    const uint32_t lanes = 256 / SizeOf(dst.dtype);
    LanePlan plan = Plan(core, mask, steps.repeat, lanes);
    Operand to = OperandOf(core, dst, steps.dstBlk, steps.dstRep);
    Operand from0 = OperandOf(core, src0, steps.src0Blk, steps.src0Rep), from1 = from0;
    const uint64_t words = plan.repeats == 0 ? 0 : (consume ? (plan.Elements() + 7) / 8 : lanes / 8);
    core.Read(bits, bits.addr, bits.addr + words);
    TouchLanes(core, src0, from0, plan, Uses::READ);
    if (src1 != nullptr) {
        CheckUb(core, *src1, "source 1");
        from1 = OperandOf(core, *src1, steps.src1Blk, steps.src1Rep);
        TouchLanes(core, *src1, from1, plan, Uses::READ);
        CheckOverlap(core, dst, to, *src1, from1, plan);
    }
    CheckOverlap(core, dst, to, src0, from0, plan);
    TouchLanes(core, dst, to, plan, Uses::WRITE);
    core.Issue(PIPE_V, "Select", at,
        VectorCost(core, plan, core.run.chip.vector_repeat_cycles, &to, &from0, src1 != nullptr ? &from1 : nullptr),
        SelectJob{core.At8(Mem::UB, bits.addr), to, from0, from1, plan, scalar, src1 != nullptr, consume});
}

} // namespace sim
} // namespace AscendC
