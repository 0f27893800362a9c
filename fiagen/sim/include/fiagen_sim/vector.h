// In:    element-wise vector calls as a kernel writes them.
// Out:   calls of the runtime with plain addresses, masks and strides.
// Never: a data type the c220 vector unit does not take; those stop the compiler.
#ifndef FIAGEN_SIM_VECTOR_H
#define FIAGEN_SIM_VECTOR_H
#include "copy.h"

namespace AscendC {
namespace sim {
inline Steps StepsOf(uint32_t repeat, const BinaryRepeatParams& p)
{
    return {repeat, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride};
}
inline Steps StepsOf(uint32_t repeat, const UnaryRepeatParams& p)
{
    return {repeat, p.dstBlkStride, p.srcBlkStride, 1, p.dstRepStride, p.srcRepStride, 8};
}
constexpr Steps CONTIGUOUS = {0, 1, 1, 1, 8, 8, 8};
template <typename T> constexpr bool IsArithmetic() { return IsOneOf<T, int16_t, half, int32_t, float>(); }
template <typename T> constexpr bool IsFloating() { return IsOneOf<T, half, float>(); }
template <bool isSetMask, typename M> Mask MaskArgument(M mask)
{
    if constexpr (std::is_integral<M>::value) {
        return Mask::Of(static_cast<uint64_t>(mask), isSetMask);
    } else {
        return Mask::Of(mask, isSetMask);
    }
}
} // namespace sim

#define FIAGEN_VEC_BINARY(NAME, OP, TYPES, MESSAGE)                                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,        \
        uint8_t repeatTime, const BinaryRepeatParams& params, sim::At at = sim::At::Here())                            \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecBinary(sim::VecOp::OP, #NAME, dst.View(), src0.View(), src1.View(), sim::Mask::Of(mask, isSetMask),    \
            sim::StepsOf(repeatTime, params), at);                                                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                       \
        const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& params, sim::At at = sim::At::Here())     \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecBinary(sim::VecOp::OP, #NAME, dst.View(), src0.View(), src1.View(), sim::Mask::Of(mask, isSetMask),    \
            sim::StepsOf(repeatTime, params), at);                                                                     \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int32_t count,        \
        sim::At at = sim::At::Here())                                                                                  \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecBinary(sim::VecOp::OP, #NAME, dst.View(), src0.View(), src1.View(),                                    \
            sim::Mask::Total(static_cast<uint32_t>(count)), sim::CONTIGUOUS, at);                                      \
    }

FIAGEN_VEC_BINARY(Add, ADD, sim::IsArithmetic<T>(), "fiagen sim: Add takes int16_t, half, int32_t or float")
FIAGEN_VEC_BINARY(Sub, SUB, sim::IsArithmetic<T>(), "fiagen sim: Sub takes int16_t, half, int32_t or float")
FIAGEN_VEC_BINARY(Mul, MUL, sim::IsArithmetic<T>(), "fiagen sim: Mul takes int16_t, half, int32_t or float")
FIAGEN_VEC_BINARY(Max, MAX, sim::IsArithmetic<T>(), "fiagen sim: Max takes int16_t, half, int32_t or float")
FIAGEN_VEC_BINARY(Min, MIN, sim::IsArithmetic<T>(), "fiagen sim: Min takes int16_t, half, int32_t or float")
FIAGEN_VEC_BINARY(Div, DIV, sim::IsFloating<T>(), "fiagen sim: Div takes half or float")
FIAGEN_VEC_BINARY(And, AND, (sim::IsOneOf<T, int16_t, uint16_t>()), "fiagen sim: And takes int16_t or uint16_t")
FIAGEN_VEC_BINARY(Or, OR, (sim::IsOneOf<T, int16_t, uint16_t>()), "fiagen sim: Or takes int16_t or uint16_t")
#undef FIAGEN_VEC_BINARY

namespace sim {
// Both sides of one type, or half that is added to float: then a repeat is 64 elements, and half of them fill 4 blocks.
template <typename T, typename U> constexpr bool IsAddTypes()
{
    return IsFloating<T>() && (std::is_same<T, U>::value || (std::is_same<T, float>::value && std::is_same<U, half>::value));
}
template <typename T, typename U> constexpr Steps AddSteps()
{
    constexpr uint16_t blocks = static_cast<uint16_t>(8 * sizeof(U) / sizeof(T));
    return {0, 1, 1, 1, 8, blocks, blocks};
}
} // namespace sim

// dst += src0 * src1
template <typename T, typename U, bool isSetMask = true, typename M>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, M mask,
    uint8_t repeatTime, const BinaryRepeatParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsAddTypes<T, U>(), "fiagen sim: MulAddDst takes half, float, or half into float");
    sim::VecBinary(sim::VecOp::MULADDDST, "MulAddDst", dst.View(), src0.View(), src1.View(),
        sim::MaskArgument<isSetMask>(mask), sim::StepsOf(repeatTime, params), at);
}
template <typename T, typename U>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, int32_t count,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsAddTypes<T, U>(), "fiagen sim: MulAddDst takes half, float, or half into float");
    sim::VecBinary(sim::VecOp::MULADDDST, "MulAddDst", dst.View(), src0.View(), src1.View(),
        sim::Mask::Total(static_cast<uint32_t>(count)), sim::AddSteps<T, U>(), at);
}

// dst += src * scalar
template <typename T, typename U, bool isSetMask = true, typename M>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, M mask, uint8_t repeatTime,
    const UnaryRepeatParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsAddTypes<T, U>(), "fiagen sim: Axpy takes half, float, or half into float");
    sim::VecUnary(sim::VecOp::AXPY, "Axpy", dst.View(), src.View(), static_cast<double>(scalarValue),
        sim::MaskArgument<isSetMask>(mask), sim::StepsOf(repeatTime, params), at);
}
template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, int32_t count,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsAddTypes<T, U>(), "fiagen sim: Axpy takes half, float, or half into float");
    sim::VecUnary(sim::VecOp::AXPY, "Axpy", dst.View(), src.View(), static_cast<double>(scalarValue),
        sim::Mask::Total(static_cast<uint32_t>(count)), sim::AddSteps<T, U>(), at);
}

#define FIAGEN_VEC_SCALAR(NAME, OP, TYPES, MESSAGE)                                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,               \
        uint8_t repeatTime, const UnaryRepeatParams& params, sim::At at = sim::At::Here())                             \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), static_cast<double>(scalarValue),                 \
            sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params), at);                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const uint64_t mask[],       \
        uint8_t repeatTime, const UnaryRepeatParams& params, sim::At at = sim::At::Here())                             \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), static_cast<double>(scalarValue),                 \
            sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params), at);                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, int32_t count,               \
        sim::At at = sim::At::Here())                                                                                  \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), static_cast<double>(scalarValue),                 \
            sim::Mask::Total(static_cast<uint32_t>(count)), sim::CONTIGUOUS, at);                                      \
    }

FIAGEN_VEC_SCALAR(Adds, ADDS, sim::IsArithmetic<T>(), "fiagen sim: Adds takes int16_t, half, int32_t or float")
FIAGEN_VEC_SCALAR(Muls, MULS, sim::IsArithmetic<T>(), "fiagen sim: Muls takes int16_t, half, int32_t or float")
FIAGEN_VEC_SCALAR(Maxs, MAXS, sim::IsArithmetic<T>(), "fiagen sim: Maxs takes int16_t, half, int32_t or float")
FIAGEN_VEC_SCALAR(Mins, MINS, sim::IsArithmetic<T>(), "fiagen sim: Mins takes int16_t, half, int32_t or float")
FIAGEN_VEC_SCALAR(LeakyRelu, LRELU, sim::IsFloating<T>(), "fiagen sim: LeakyRelu takes half or float")
FIAGEN_VEC_SCALAR(ShiftLeft, SHL, (sim::IsOneOf<T, int16_t, uint16_t, int32_t, uint32_t>()),
    "fiagen sim: ShiftLeft takes 16 and 32 bit integers")
FIAGEN_VEC_SCALAR(ShiftRight, SHR, (sim::IsOneOf<T, int16_t, uint16_t, int32_t, uint32_t>()),
    "fiagen sim: ShiftRight takes 16 and 32 bit integers")
#undef FIAGEN_VEC_SCALAR

#define FIAGEN_VEC_UNARY(NAME, OP, TYPES, MESSAGE)                                                                     \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, uint8_t repeatTime,                 \
        const UnaryRepeatParams& params, sim::At at = sim::At::Here())                                                 \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), 0.0, sim::Mask::Of(mask, isSetMask),              \
            sim::StepsOf(repeatTime, params), at);                                                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], uint8_t repeatTime,         \
        const UnaryRepeatParams& params, sim::At at = sim::At::Here())                                                 \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), 0.0, sim::Mask::Of(mask, isSetMask),              \
            sim::StepsOf(repeatTime, params), at);                                                                     \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t count, sim::At at = sim::At::Here())       \
    {                                                                                                                  \
        static_assert(TYPES, MESSAGE);                                                                                 \
        sim::VecUnary(sim::VecOp::OP, #NAME, dst.View(), src.View(), 0.0,                                              \
            sim::Mask::Total(static_cast<uint32_t>(count)), sim::CONTIGUOUS, at);                                      \
    }

FIAGEN_VEC_UNARY(Exp, EXP, sim::IsFloating<T>(), "fiagen sim: Exp takes half or float")
FIAGEN_VEC_UNARY(Ln, LN, sim::IsFloating<T>(), "fiagen sim: Ln takes half or float")
FIAGEN_VEC_UNARY(Abs, ABS, sim::IsFloating<T>(), "fiagen sim: Abs takes half or float")
FIAGEN_VEC_UNARY(Sqrt, SQRT, sim::IsFloating<T>(), "fiagen sim: Sqrt takes half or float")
FIAGEN_VEC_UNARY(Rsqrt, RSQRT, sim::IsFloating<T>(), "fiagen sim: Rsqrt takes half or float")
FIAGEN_VEC_UNARY(Reciprocal, RECIPROCAL, sim::IsFloating<T>(), "fiagen sim: Reciprocal takes half or float")
FIAGEN_VEC_UNARY(Relu, RELU, (sim::IsOneOf<T, half, float, int32_t>()), "fiagen sim: Relu takes half, float or int32_t")
FIAGEN_VEC_UNARY(Not, NOT, (sim::IsOneOf<T, int16_t, uint16_t>()), "fiagen sim: Not takes int16_t or uint16_t")
#undef FIAGEN_VEC_UNARY

template <typename T, bool isSetMask = true, typename M>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, uint8_t repeatTime,
    const CopyRepeatParams& params, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Copy takes 2 and 4 byte types");
    sim::Steps steps{repeatTime, params.dstStride, params.srcStride, 1, params.dstRepeatSize, params.srcRepeatSize, 8};
    sim::VecUnary(sim::VecOp::COPY, "Copy", dst.View(), src.View(), 0.0, sim::Mask::Of(mask, isSetMask), steps, at);
}

template <typename T>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Copy takes 2 and 4 byte types");
    sim::VecUnary(sim::VecOp::COPY, "Copy", dst.View(), src.View(), 0.0, sim::Mask::Total(count), sim::CONTIGUOUS, at);
}

template <typename T, bool isSetMask = true, typename M>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, M mask, uint8_t repeatTime, uint16_t dstBlockStride,
    uint8_t dstRepeatStride, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Duplicate takes 2 and 4 byte types");
    sim::VecFill(dst.View(), static_cast<uint32_t>(sim::BitsOf(scalarValue)), sim::Mask::Of(mask, isSetMask),
        {repeatTime, dstBlockStride, 1, 1, dstRepeatStride, 8, 8}, at);
}
template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, int32_t count, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Duplicate takes 2 and 4 byte types");
    sim::VecFill(dst.View(), static_cast<uint32_t>(sim::BitsOf(scalarValue)),
        sim::Mask::Total(static_cast<uint32_t>(count)), sim::CONTIGUOUS, at);
}

template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, uint32_t count, sim::At at = sim::At::Here())
{
    static_assert(sim::IsArithmetic<T>(), "fiagen sim: CreateVecIndex takes int16_t, half, int32_t or float");
    sim::VecIndex(dst.View(), static_cast<double>(firstValue), sim::Mask::Total(count), sim::CONTIGUOUS, at);
}
template <typename T, typename M>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, M mask, uint8_t repeatTime, uint16_t dstBlkStride,
    uint8_t dstRepStride, sim::At at = sim::At::Here())
{
    static_assert(sim::IsArithmetic<T>(), "fiagen sim: CreateVecIndex takes int16_t, half, int32_t or float");
    sim::VecIndex(dst.View(), static_cast<double>(firstValue), sim::Mask::Of(mask, true),
        {repeatTime, dstBlkStride, 1, 1, dstRepStride, 8, 8}, at);
}

namespace sim {
template <typename D, typename S> constexpr bool IsCast()
{
    return (std::is_same<S, half>::value && IsOneOf<D, float, int32_t, int16_t, int8_t, uint8_t>()) ||
        (std::is_same<S, float>::value && IsOneOf<D, float, half, bfloat16_t, int32_t, int16_t, int64_t>()) ||
        (std::is_same<S, bfloat16_t>::value && IsOneOf<D, float, int32_t>()) ||
        (IsOneOf<S, int8_t, uint8_t>() && std::is_same<D, half>::value) ||
        (std::is_same<S, int16_t>::value && IsOneOf<D, half, float>()) ||
        (std::is_same<S, int32_t>::value && IsOneOf<D, float, half, int16_t, int64_t>()) ||
        (std::is_same<S, int64_t>::value && IsOneOf<D, float, int32_t>());
}
} // namespace sim

// What a Cast from int32_t to half multiplies with.
inline void SetDeqScale(half scale, sim::At at = sim::At::Here()) { sim::SetDequantScale(static_cast<float>(scale), at); }

template <typename T, typename U, bool isSetMask = true, typename M>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, M mask, uint8_t repeatTime,
    const UnaryRepeatParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsCast<T, U>(), "fiagen sim: this pair of types has no Cast on c220 that is simulated");
    sim::VecCast(dst.View(), src.View(), roundMode, sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params),
        at);
}
template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, uint32_t count,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsCast<T, U>(), "fiagen sim: this pair of types has no Cast on c220 that is simulated");
    sim::VecCast(dst.View(), src.View(), roundMode, sim::Mask::Total(count), sim::CONTIGUOUS, at);
}

} // namespace AscendC
#endif
