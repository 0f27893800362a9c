// In:    arithmetic between registers as a vector function writes it.
// Out:   calls of the runtime.
// Never: a data type or a mode that 3510 does not have for a call; those stop the compiler.
#ifndef FIAGEN_SIM_ARCH3510_REG_COMPUTE_H
#define FIAGEN_SIM_ARCH3510_REG_COMPUTE_H
#include "reg.h"

namespace AscendC {
namespace sim {
template <typename T> constexpr bool IsReal() { return IsOneOf<T, half, float>(); }
template <typename T> constexpr bool IsAnyReal() { return IsOneOf<T, half, bfloat16_t, float>(); }
template <typename T> constexpr bool IsWide() { return IsOneOf<T, int16_t, uint16_t, int32_t, uint32_t>(); }
template <typename T> constexpr bool IsWhole() { return IsOneOf<T, int8_t, uint8_t>() || IsWide<T>(); }
template <typename S> double ScalarOf(S value) { return static_cast<double>(static_cast<float>(value)); }
inline double ScalarOf(bfloat16_t value) { return static_cast<double>(ToFloat(value)); }
inline double ScalarOf(int32_t value) { return value; }
inline double ScalarOf(uint32_t value) { return value; }
template <typename T, typename S> uint64_t FillBits(S value)
{
    T exact;
    if constexpr (std::is_same<T, bfloat16_t>::value && !std::is_same<S, bfloat16_t>::value) {
        exact = bfloat16_t(static_cast<float>(value));
    } else {
        exact = static_cast<T>(value);
    }
    uint64_t bits = 0;
    std::memcpy(&bits, &exact, sizeof(T));
    return bits;
}
template <Reg::MaskMergeMode mode> constexpr void CheckZeroing()
{
    static_assert(mode == Reg::MaskMergeMode::ZEROING, "fiagen sim: 3510 has ZEROING only for this register call");
}
template <Reg::MaskMergeMode mode> constexpr bool Merges()
{
    static_assert(mode == Reg::MaskMergeMode::ZEROING || mode == Reg::MaskMergeMode::MERGING,
        "fiagen sim: the mode of a register call is ZEROING or MERGING");
    return mode == Reg::MaskMergeMode::MERGING;
}
} // namespace sim

namespace Reg {

// dst = src0 op src1 in the lanes of the mask.
#define FIAGEN_REG_BINARY(NAME, OP, TYPES, WORDS, MERGE)                                                               \
    template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U,                       \
        typename = sim::IfReg<U>>                                                                                      \
    void NAME(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())                          \
    {                                                                                                                  \
        using E = typename U::ActualT;                                                                                 \
        sim::CheckNamed<T, U>();                                                                                       \
        static_assert(TYPES, "fiagen sim: Reg::" #NAME " takes " WORDS);                                               \
        sim::RegBinary(sim::RegOp::OP, #NAME, sim::DTypeOf<E>::value, dstReg, srcReg0, srcReg1, mask, MERGE, at);      \
    }
#define FIAGEN_MERGE sim::Merges<mode>()
#define FIAGEN_ZERO (sim::CheckZeroing<mode>(), false)
FIAGEN_REG_BINARY(Add, ADD, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes", FIAGEN_MERGE)
FIAGEN_REG_BINARY(Sub, SUB, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes", FIAGEN_ZERO)
FIAGEN_REG_BINARY(Mul, MUL, sim::IsAnyReal<E>() || sim::IsWide<E>(), "numbers of 2 and 4 bytes", FIAGEN_ZERO)
FIAGEN_REG_BINARY(Max, MAX, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes", FIAGEN_MERGE)
FIAGEN_REG_BINARY(Min, MIN, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes", FIAGEN_MERGE)
FIAGEN_REG_BINARY(And, AND, sim::IsWhole<E>(), "integers", FIAGEN_ZERO)
FIAGEN_REG_BINARY(Or, OR, sim::IsWhole<E>(), "integers", FIAGEN_ZERO)
FIAGEN_REG_BINARY(Xor, XOR, sim::IsWhole<E>(), "integers", FIAGEN_ZERO)
FIAGEN_REG_BINARY(AbsSub, ABSSUB, sim::IsReal<E>(), "half or float", FIAGEN_ZERO)
FIAGEN_REG_BINARY(Prelu, PRELU, sim::IsReal<E>(), "half or float", FIAGEN_ZERO)
FIAGEN_REG_BINARY(MulAddDst, MULADDDST, sim::IsAnyReal<E>() || sim::IsWide<E>(), "numbers of 2 and 4 bytes", FIAGEN_ZERO)
FIAGEN_REG_BINARY(MulDstAdd, MULDSTADD, sim::IsAnyReal<E>(), "half, bfloat16_t or float", FIAGEN_ZERO)
FIAGEN_REG_BINARY(FusedMulDstAdd, MULDSTADD, sim::IsAnyReal<E>(), "half, bfloat16_t or float", FIAGEN_ZERO)

// The mode of these may also be a structure that names an algorithm; only the plain ones are simulated.
#define FIAGEN_REG_AUTO_MODE(NAME)                                                                                     \
    static_assert(std::is_same<decltype(mode), MaskMergeMode>::value,                                                  \
        "fiagen sim: Reg::" #NAME " is simulated with a MaskMergeMode, not with an algorithm");                        \
    static_assert(static_cast<int>(mode) == static_cast<int>(MaskMergeMode::ZEROING),                                  \
        "fiagen sim: 3510 has ZEROING only for Reg::" #NAME)
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U, typename = sim::IfReg<U>>
void Div(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    using E = typename U::ActualT;
    sim::CheckNamed<T, U>();
    FIAGEN_REG_AUTO_MODE(Div);
    static_assert(sim::IsReal<E>(), "fiagen sim: Reg::Div takes half or float");
    sim::RegBinary(sim::RegOp::DIV, "Div", sim::DTypeOf<E>::value, dstReg, srcReg0, srcReg1, mask, false, at);
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
    typename V, typename = sim::IfReg<S>, typename = sim::IfReg<V>>
void ShiftLeft(S& dstReg, S& srcReg0, V& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    static_assert(sim::IsWhole<typename S::ActualT>(), "fiagen sim: Reg::ShiftLeft takes integers");
    sim::RegBinary(sim::RegOp::SHL, "ShiftLeft", sim::DTypeOf<typename S::ActualT>::value, dstReg, srcReg0, srcReg1, mask,
        FIAGEN_ZERO, at);
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
    typename V, typename = sim::IfReg<S>, typename = sim::IfReg<V>>
void ShiftRight(S& dstReg, S& srcReg0, V& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    static_assert(sim::IsWhole<typename S::ActualT>(), "fiagen sim: Reg::ShiftRight takes integers");
    sim::RegBinary(sim::RegOp::SHR, "ShiftRight", sim::DTypeOf<typename S::ActualT>::value, dstReg, srcReg0, srcReg1, mask,
        FIAGEN_ZERO, at);
}

#define FIAGEN_REG_SCALAR(NAME, OP, TYPES, WORDS)                                                                      \
    template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,           \
        typename = sim::IfReg<S>>                                                                                      \
    void NAME(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask, sim::At at = sim::At::Here())                        \
    {                                                                                                                  \
        using E = typename S::ActualT;                                                                                 \
        sim::CheckNamed<T, S>();                                                                                       \
        sim::CheckZeroing<mode>();                                                                                     \
        static_assert(TYPES, "fiagen sim: Reg::" #NAME " takes " WORDS);                                               \
        sim::RegScalar(sim::RegOp::OP, #NAME, sim::DTypeOf<E>::value, dstReg, srcReg, sim::ScalarOf(scalarValue),      \
            mask, at);                                                                                                 \
    }
FIAGEN_REG_SCALAR(Adds, ADDS, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes")
FIAGEN_REG_SCALAR(Muls, MULS, sim::IsAnyReal<E>() || sim::IsWide<E>(), "numbers of 2 and 4 bytes")
FIAGEN_REG_SCALAR(Maxs, MAXS, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes")
FIAGEN_REG_SCALAR(Mins, MINS, sim::IsAnyReal<E>() || sim::IsWhole<E>(), "numbers of 1, 2 and 4 bytes")
FIAGEN_REG_SCALAR(ShiftLefts, SHLS, sim::IsWhole<E>(), "integers")
FIAGEN_REG_SCALAR(ShiftRights, SHRS, sim::IsWhole<E>(), "integers")
FIAGEN_REG_SCALAR(LeakyRelu, LRELU, sim::IsReal<E>(), "half or float")
FIAGEN_REG_SCALAR(Axpy, AXPY, sim::IsReal<E>(), "half or float")

#define FIAGEN_REG_UNARY(NAME, OP, TYPES, WORDS)                                                                       \
    template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U, typename = sim::IfReg<U>>      \
    void NAME(U& dstReg, U& srcReg, MaskReg& mask, sim::At at = sim::At::Here())                                       \
    {                                                                                                                  \
        using E = typename U::ActualT;                                                                                 \
        sim::CheckNamed<T, U>();                                                                                       \
        FIAGEN_REG_AUTO_MODE(NAME);                                                                                    \
        static_assert(TYPES, "fiagen sim: Reg::" #NAME " takes " WORDS);                                               \
        sim::RegScalar(sim::RegOp::OP, #NAME, sim::DTypeOf<E>::value, dstReg, srcReg, 0.0, mask, at);                  \
    }
FIAGEN_REG_UNARY(Abs, ABS, (sim::IsReal<E>() || sim::IsOneOf<E, int8_t, int16_t, int32_t>()), "half, float and signed integers")
FIAGEN_REG_UNARY(Neg, NEG, (sim::IsReal<E>() || sim::IsOneOf<E, int8_t, int16_t, int32_t>()), "half, float and signed integers")
FIAGEN_REG_UNARY(Relu, RELU, (sim::IsReal<E>() || std::is_same<E, int32_t>::value), "half, float or int32_t")
FIAGEN_REG_UNARY(Exp, EXP, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Sqrt, SQRT, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Ln, LN, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Log, LN, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Log2, LOG2, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Log10, LOG10, sim::IsReal<E>(), "half or float")
FIAGEN_REG_UNARY(Not, NOT, sim::IsWhole<E>(), "integers")

// exp(src0 - src1); half sources are widened, from the even (ZERO) or odd (ONE) lanes.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V, typename = sim::IfReg<S>,
    typename = sim::IfReg<V>>
void ExpSub(S& dstReg, V& srcReg0, V& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    static_assert(std::is_same<typename S::ActualT, float>::value && sim::IsReal<typename V::ActualT>(),
        "fiagen sim: Reg::ExpSub turns half or float into float");
    static_assert(layout == RegLayout::ZERO || layout == RegLayout::ONE, "fiagen sim: Reg::ExpSub takes ZERO or ONE");
    sim::CheckZeroing<mode>();
    sim::RegExpSub(sim::DTypeOf<typename V::ActualT>::value, dstReg, srcReg0, srcReg1, static_cast<uint32_t>(layout), mask,
        at);
}

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename = sim::IfReg<U>>
void Compare(MaskReg& dst, U& srcReg0, U& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    using E = typename U::ActualT;
    static_assert(sim::IsAnyReal<E>() || sim::IsWhole<E>(), "fiagen sim: Reg::Compare takes numbers");
    sim::RegCompare("Compare", sim::DTypeOf<E>::value, dst, srcReg0, &srcReg1, 0.0, mode, mask, at);
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S, typename = sim::IfReg<U>>
void Compares(MaskReg& dst, U& srcReg, S scalarValue, MaskReg& mask, sim::At at = sim::At::Here())
{
    using E = typename U::ActualT;
    static_assert(sim::IsAnyReal<E>() || sim::IsWhole<E>(), "fiagen sim: Reg::Compares takes numbers");
    sim::RegCompare("Compares", sim::DTypeOf<E>::value, dst, srcReg, nullptr, sim::ScalarOf(scalarValue), mode, mask, at);
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void Select(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::RegSelect(sizeof(typename U::ActualT), dstReg, srcReg0, srcReg1, mask, at);
}

} // namespace Reg
} // namespace AscendC
#endif
