// In:    element-wise vector calls, already reduced to addresses, masks and strides.
// Out:   checked and queued vector instructions.
// Never: a change of a lane the mask switches off.
#include "cost.h"
#include "exp.h"
#include <cmath>

namespace AscendC {
namespace sim {

template <VecOp op> static inline float Calc(float a, float b, float d, float s)
{
    switch (op) {
        case VecOp::ADD: return a + b;
        case VecOp::SUB: return a - b;
        case VecOp::MUL: return a * b;
        case VecOp::DIV: return a / b;
        case VecOp::MAX: return a > b || a != a ? a : b;
        case VecOp::MIN: return a < b || a != a ? a : b;
        case VecOp::ADDS: return a + s;
        case VecOp::MULS: return a * s;
        case VecOp::MAXS: return a > s || a != a ? a : s;
        case VecOp::MINS: return a < s || a != a ? a : s;
        case VecOp::AXPY: return a * s + d;
        case VecOp::LRELU: return a >= 0.0f ? a : a * s;
        case VecOp::MULADDDST: return a * b + d;
        case VecOp::EXP: return ExpOne(a);
        case VecOp::LN: return std::log(a);
        case VecOp::ABS: return std::fabs(a);
        case VecOp::SQRT: return std::sqrt(a);
        case VecOp::RSQRT: return 1.0f / std::sqrt(a);
        case VecOp::RECIPROCAL: return 1.0f / a;
        case VecOp::RELU: return a > 0.0f || a != a ? a : 0.0f;
        default: return a;
    }
}
template <VecOp op> static inline int32_t Calc(int32_t a, int32_t b, int32_t, int32_t s)
{
    auto wrap = [](uint32_t value) { return static_cast<int32_t>(value); };
    uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b), us = static_cast<uint32_t>(s);
    switch (op) {
        case VecOp::ADD: return wrap(ua + ub);
        case VecOp::SUB: return wrap(ua - ub);
        case VecOp::MUL: return wrap(ua * ub);
        case VecOp::MAX: return a > b ? a : b;
        case VecOp::MIN: return a < b ? a : b;
        case VecOp::AND: return a & b;
        case VecOp::OR: return a | b;
        case VecOp::ADDS: return wrap(ua + us);
        case VecOp::MULS: return wrap(ua * us);
        case VecOp::MAXS: return a > s ? a : s;
        case VecOp::MINS: return a < s ? a : s;
        case VecOp::SHL: return us > 31 ? 0 : wrap(ua << us);
        case VecOp::SHR: return a >> (us > 31 ? 31u : us);
        case VecOp::RELU: return a > 0 ? a : 0;
        case VecOp::NOT: return ~a;
        default: return a;
    }
}

template <typename C> using Loop = void (*)(const C* a, const C* b, const C* d, C* out, C s, size_t n);
template <VecOp op, typename C> static void LoopOf(const C* a, const C* b, const C* d, C* out, C s, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = Calc<op>(a[i], b[i], d[i], s);
    }
}
template <typename C> static Loop<C> Pick(VecOp op)
{
    switch (op) {
#define FIAGEN_PICK(OP) \
    case VecOp::OP: return LoopOf<VecOp::OP, C>;
        FIAGEN_PICK(ADD) FIAGEN_PICK(SUB) FIAGEN_PICK(MUL) FIAGEN_PICK(DIV) FIAGEN_PICK(MAX) FIAGEN_PICK(MIN)
        FIAGEN_PICK(AND) FIAGEN_PICK(OR) FIAGEN_PICK(ADDS) FIAGEN_PICK(MULS) FIAGEN_PICK(MAXS) FIAGEN_PICK(MINS)
        FIAGEN_PICK(AXPY) FIAGEN_PICK(LRELU) FIAGEN_PICK(SHL) FIAGEN_PICK(SHR) FIAGEN_PICK(MULADDDST) FIAGEN_PICK(EXP)
        FIAGEN_PICK(LN) FIAGEN_PICK(ABS) FIAGEN_PICK(SQRT) FIAGEN_PICK(RSQRT) FIAGEN_PICK(RECIPROCAL) FIAGEN_PICK(RELU)
        FIAGEN_PICK(NOT) FIAGEN_PICK(COPY) FIAGEN_PICK(DUPLICATE)
#undef FIAGEN_PICK
    }
    return nullptr;
}

template <typename C> struct ElementJob {
    Loop<C> loop;
    Operand dst, src0, src1;
    LanePlan plan;
    C scalar;
    bool reads1, readsDst, logicalShift;

    const C* Load(const Operand& o, uint32_t r, uint32_t n, C* buffer) const
    {
        if constexpr (std::is_same<C, float>::value) {
            return LoadFloats(o, r, n, buffer);
        } else {
            return LoadInts(o, r, n, buffer);
        }
    }
    void operator()(Core&) const
    {
        const bool plain = dst.size == 4 && src0.size == 4 && plan.Whole() && Contiguous(dst, plan) &&
            Contiguous(src0, plan) && (!reads1 || Contiguous(src1, plan));
        if (plain && plan.repeats > 0) {
            C* out = reinterpret_cast<C*>(dst.base);
            const C* a = reinterpret_cast<const C*>(src0.base);
            loop(a, reads1 ? reinterpret_cast<const C*>(src1.base) : a, readsDst ? out : a, out, scalar, plan.Elements());
            return;
        }
        alignas(64) C buffer[4][MAX_LANES];
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            const uint32_t n = plan.Active(r);
            const C* a = Load(src0, r, n, buffer[0]);
            const C* b = reads1 ? Load(src1, r, n, buffer[1]) : a;
            const C* d = readsDst ? Load(dst, r, n, buffer[2]) : a;
            if (dst.size == 4 && dst.blk == 1 && plan.isPrefix) {
                loop(a, b, d, reinterpret_cast<C*>(dst.Block(r, 0)), scalar, n);
                continue;
            }
            loop(a, b, d, buffer[3], scalar, n);
            if constexpr (std::is_same<C, float>::value) {
                StoreFloats(dst, r, n, plan, buffer[3]);
            } else {
                StoreInts(dst, r, n, plan, buffer[3]);
            }
        }
    }
};

// Cycles of one repeat of so many lanes.
static double RateOf(Core& core, VecOp op, uint32_t lanes)
{
    const FiagenSimChip& chip = core.run.chip;
    switch (op) {
        case VecOp::EXP:
        case VecOp::LN: return lanes / chip.vector_exp_elements;
        case VecOp::DIV:
        case VecOp::SQRT:
        case VecOp::RSQRT:
        case VecOp::RECIPROCAL: return lanes / chip.vector_div_elements;
        default: return chip.vector_repeat_cycles;
    }
}

// A shift right of an unsigned value brings in zeros; everything else agrees on int32.
static void LogicalShift(const int32_t* a, const int32_t*, const int32_t*, int32_t* out, int32_t s, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = s > 31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(a[i]) >> s);
    }
}

// What may have the destination as its source 1 with a repeat stride of 0: the sum (or the like) of all repeats.
static bool Accumulates(VecOp op, DType dtype)
{
    const bool fits = op == VecOp::ADD || op == VecOp::SUB || op == VecOp::MUL || op == VecOp::MAX || op == VecOp::MIN;
    return fits && (dtype == DType::F16 || dtype == DType::F32 || dtype == DType::I32);
}

static void Elementwise(VecOp op, const char* name, const Local& dst, const Local& src0, const Local* src1, double scalar,
    const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, name, at);
    CheckUb(core, dst, "destination");
    CheckUb(core, src0, "source");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / SizeOf(dst.dtype));
    Operand to = OperandOf(core, dst, steps.dstBlk, steps.dstRep);
    Operand from0 = OperandOf(core, src0, steps.src0Blk, steps.src0Rep), from1 = from0;
    const bool readsDst = op == VecOp::AXPY || op == VecOp::MULADDDST;
    const bool copies = op == VecOp::COPY;
    TouchLanes(core, src0, from0, plan, copies ? Uses::READ_COPY : Uses::READ);
    CheckOverlap(core, dst, to, src0, from0, plan);
    if (src1 != nullptr) {
        CheckUb(core, *src1, "source 1");
        from1 = OperandOf(core, *src1, steps.src1Blk, steps.src1Rep);
        TouchLanes(core, *src1, from1, plan, Uses::READ);
        CheckOverlap(core, dst, to, *src1, from1, plan, Accumulates(op, dst.dtype));
    }
    if (readsDst) {
        TouchLanes(core, dst, to, plan, Uses::READ);
    }
    TouchLanes(core, dst, to, plan, copies ? Uses::WRITE_COPY : Uses::WRITE);
    const Cost cycles = VectorCost(core, plan, RateOf(core, op, plan.lanes), &to, &from0, src1 != nullptr ? &from1 : nullptr);
    if (IsFloat(dst.dtype) && op != VecOp::COPY) {
        // The scalar is rounded to the type of the tensor before it meets it; it came in as that type.
        core.Issue(PIPE_V, name, at, cycles,
            ElementJob<float>{Pick<float>(op), to, from0, from1, plan, static_cast<float>(scalar), src1 != nullptr, readsDst,
                false});
    } else {
        if (dst.dtype == DType::F16 || dst.dtype == DType::BF16) { // Copy moves bits
            to.dtype = from0.dtype = from1.dtype = DType::U16;
        }
        bool isUnsigned = dst.dtype == DType::U16 || dst.dtype == DType::U32;
        if (copies && core.run.checks) {
            Operand marks = to, marked = from0;
            marks.base = core.Written(Mem::UB, dst.addr);
            marked.base = core.Written(Mem::UB, src0.addr);
            ElementJob<int32_t>{Pick<int32_t>(op), marks, marked, marked, plan, 0, false, false, false}(core);
        }
        Loop<int32_t> loop = op == VecOp::SHR && isUnsigned ? LogicalShift : Pick<int32_t>(op);
        core.Issue(PIPE_V, name, at, cycles,
            ElementJob<int32_t>{loop, to, from0, from1, plan, static_cast<int32_t>(static_cast<int64_t>(scalar)),
                src1 != nullptr, false, isUnsigned});
    }
}

void VecBinary(VecOp op, const char* name, const Local& dst, const Local& src0, const Local& src1, const Mask& mask,
    const Steps& steps, At at)
{
    Elementwise(op, name, dst, src0, &src1, 0.0, mask, steps, at);
}
void VecUnary(VecOp op, const char* name, const Local& dst, const Local& src, double scalar, const Mask& mask,
    const Steps& steps, At at)
{
    Elementwise(op, name, dst, src, nullptr, scalar, mask, steps, at);
}

void VecFill(const Local& dst, uint32_t valueBits, const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Duplicate", at);
    CheckUb(core, dst, "destination");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / SizeOf(dst.dtype));
    Operand to = OperandOf(core, dst, steps.dstBlk, steps.dstRep);
    TouchLanes(core, dst, to, plan, Uses::WRITE);
    core.Issue(PIPE_V, "Duplicate", at, VectorCost(core, plan, core.run.chip.vector_repeat_cycles, &to, nullptr, nullptr),
        [to, plan, valueBits](Core&) {
        int32_t values[MAX_LANES];
        for (int32_t& value : values) {
            value = static_cast<int32_t>(valueBits);
        }
        if (to.size == 4 && plan.Whole() && Contiguous(to, plan)) {
            std::fill_n(reinterpret_cast<uint32_t*>(to.base), plan.repeats == 0 ? 0 : plan.Elements(), valueBits);
            return;
        }
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            StoreInts(to, r, plan.Active(r), plan, values);
        }
    });
}

void VecIndex(const Local& dst, double first, const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "CreateVecIndex", at);
    CheckUb(core, dst, "destination");
    LanePlan plan = Plan(core, mask, steps.repeat, 256 / SizeOf(dst.dtype));
    Operand to = OperandOf(core, dst, steps.dstBlk, steps.dstRep);
    TouchLanes(core, dst, to, plan, Uses::WRITE);
    core.Issue(PIPE_V, "CreateVecIndex", at,
        VectorCost(core, plan, core.run.chip.vector_repeat_cycles, &to, nullptr, nullptr), [to, plan, first](Core&) {
        for (uint32_t r = 0; r < plan.repeats; ++r) {
            float floats[MAX_LANES];
            int32_t ints[MAX_LANES];
            for (uint32_t i = 0; i < plan.lanes; ++i) {
                double value = first + double(r) * plan.lanes + i;
                floats[i] = static_cast<float>(value);
                ints[i] = static_cast<int32_t>(value);
            }
            IsFloat(to.dtype) ? StoreFloats(to, r, plan.Active(r), plan, floats)
                              : StoreInts(to, r, plan.Active(r), plan, ints);
        }
    });
}

} // namespace sim
} // namespace AscendC
