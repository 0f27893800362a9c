// In:    comparing, selecting, reducing and broadcasting vector calls as a kernel writes them.
// Out:   calls of the runtime with plain addresses, masks and strides.
// Never: a data type the c220 vector unit does not take; those stop the compiler.
#ifndef FIAGEN_SIM_REDUCE_H
#define FIAGEN_SIM_REDUCE_H
#include "vector.h"

namespace AscendC {
namespace sim {
template <typename T, typename U> constexpr void CheckCompare()
{
    static_assert(IsOneOf<T, half, float, int32_t>(), "fiagen sim: Compare takes half, float or int32_t");
    static_assert(IsOneOf<U, uint8_t, int8_t>(), "fiagen sim: Compare writes bits into uint8_t or int8_t");
}
} // namespace sim

template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
    uint32_t count, sim::At at = sim::At::Here())
{
    sim::CheckCompare<T, U>();
    sim::VecCompare("Compare", dst.View(), src0.View(), &src1.View(), 0.0, cmpMode, sim::Mask::Total(count),
        sim::CONTIGUOUS, at);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
    M mask, uint8_t repeatTime, const BinaryRepeatParams& params, sim::At at = sim::At::Here())
{
    sim::CheckCompare<T, U>();
    sim::VecCompare("Compare", dst.View(), src0.View(), &src1.View(), 0.0, cmpMode, sim::Mask::Of(mask, isSetMask),
        sim::StepsOf(repeatTime, params), at);
}
// Register form: one repeat into the compare mask.
template <typename T, bool isSetMask = true, typename M>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, M mask,
    const BinaryRepeatParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: Compare into the register takes half or float");
    sim::VecCompareToRegister(src0.View(), src1.View(), cmpMode, sim::Mask::Of(mask, isSetMask),
        sim::StepsOf(1, params), at);
}
template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
    uint32_t count, sim::At at = sim::At::Here())
{
    sim::CheckCompare<T, U>();
    sim::VecCompare("Compares", dst.View(), src0.View(), nullptr, static_cast<double>(src1Scalar), cmpMode,
        sim::Mask::Total(count), sim::CONTIGUOUS, at);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, M mask,
    uint8_t repeatTime, const UnaryRepeatParams& params, sim::At at = sim::At::Here())
{
    sim::CheckCompare<T, U>();
    sim::VecCompare("Compares", dst.View(), src0.View(), nullptr, static_cast<double>(src1Scalar), cmpMode,
        sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params), at);
}
template <typename T, typename U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
    uint32_t count, sim::At at = sim::At::Here())
{
    Compares(dst, src0, src1Scalar, cmpMode, count, at);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, M mask,
    uint8_t repeatTime, const UnaryRepeatParams& params, sim::At at = sim::At::Here())
{
    Compares<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, params, at);
}
template <typename T> void SetCmpMask(const LocalTensor<T>& src, sim::At at = sim::At::Here())
{
    sim::SetCompareMask(src.View(), at);
}
template <typename T> void GetCmpMask(const LocalTensor<T>& dst, sim::At at = sim::At::Here())
{
    sim::GetCompareMask(dst.View(), at);
}

namespace sim {
template <typename T, typename U> constexpr void CheckSelect()
{
    static_assert(IsFloating<T>(), "fiagen sim: Select takes half or float");
    static_assert(IsOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>(), "fiagen sim: Select reads unsigned mask words");
}
} // namespace sim

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
    const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CheckSelect<T, U>();
    sim::VecSelect(dst.View(), selMask.View(), src0.View(), &src1.View(), 0.0f, selMode, sim::Mask::Total(count),
        sim::CONTIGUOUS, at);
}
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
    SELMODE selMode, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CheckSelect<T, U>();
    sim::VecSelect(dst.View(), selMask.View(), src0.View(), nullptr, static_cast<float>(src1), selMode,
        sim::Mask::Total(count), sim::CONTIGUOUS, at);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
    const LocalTensor<T>& src1, SELMODE selMode, M mask, uint8_t repeatTime, const BinaryRepeatParams& params,
    sim::At at = sim::At::Here())
{
    sim::CheckSelect<T, U>();
    sim::VecSelect(dst.View(), selMask.View(), src0.View(), &src1.View(), 0.0f, selMode,
        sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params), at);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
    SELMODE selMode, M mask, uint8_t repeatTime, const BinaryRepeatParams& params, sim::At at = sim::At::Here())
{
    sim::CheckSelect<T, U>();
    sim::VecSelect(dst.View(), selMask.View(), src0.View(), nullptr, static_cast<float>(src1), selMode,
        sim::Mask::Of(mask, isSetMask), sim::StepsOf(repeatTime, params), at);
}

// dstRepStride counts results; source strides count blocks.
#define FIAGEN_WHOLE_REDUCE(NAME, OP)                                                                                  \
    template <typename T, bool isSetMask = true, typename M>                                                           \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeatTime, int32_t dstRepStride,  \
        int32_t srcBlkStride, int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,                \
        sim::At at = sim::At::Here())                                                                                  \
    {                                                                                                                  \
        static_assert(sim::IsFloating<T>(), "fiagen sim: " #NAME " takes half or float");                              \
        sim::VecReduceRepeat(sim::ReduceOp::OP, #NAME, dst.View(), src.View(), sim::MaskArgument<isSetMask>(mask),     \
            sim::ReduceSteps(repeatTime, dstRepStride, srcBlkStride, srcRepStride), order, at);                        \
    }
#define FIAGEN_BLOCK_REDUCE(NAME, OP)                                                                                  \
    template <typename T, bool isSetMask = true, typename M>                                                           \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeatTime, M mask, int32_t dstRepStride,  \
        int32_t srcBlkStride, int32_t srcRepStride, sim::At at = sim::At::Here())                                      \
    {                                                                                                                  \
        static_assert(sim::IsFloating<T>(), "fiagen sim: " #NAME " takes half or float");                              \
        sim::VecReduceBlock(sim::ReduceOp::OP, #NAME, dst.View(), src.View(), sim::MaskArgument<isSetMask>(mask),      \
            sim::ReduceSteps(repeatTime, dstRepStride, srcBlkStride, srcRepStride), at);                               \
    }

namespace sim {
inline Steps ReduceSteps(int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep)
{
    return {static_cast<uint32_t>(repeat), 1, static_cast<uint16_t>(srcBlk), 1, static_cast<uint16_t>(dstRep),
        static_cast<uint16_t>(srcRep), 8};
}
} // namespace sim

FIAGEN_WHOLE_REDUCE(WholeReduceMax, MAX)
FIAGEN_WHOLE_REDUCE(WholeReduceMin, MIN)
FIAGEN_BLOCK_REDUCE(BlockReduceMax, MAX)
FIAGEN_BLOCK_REDUCE(BlockReduceMin, MIN)
FIAGEN_BLOCK_REDUCE(BlockReduceSum, SUM)
#undef FIAGEN_WHOLE_REDUCE
#undef FIAGEN_BLOCK_REDUCE

template <typename T, bool isSetMask = true, typename M>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeatTime,
    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: WholeReduceSum takes half or float");
    sim::VecReduceRepeat(sim::ReduceOp::SUM, "WholeReduceSum", dst.View(), src.View(),
        sim::MaskArgument<isSetMask>(mask), sim::ReduceSteps(repeatTime, dstRepStride, srcBlkStride, srcRepStride),
        ReduceOrder::ORDER_ONLY_VALUE, at);
}
template <typename T, bool isSetMask = true, typename M>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeatTime, M mask,
    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: PairReduceSum takes half or float");
    sim::VecReducePair(dst.View(), src.View(), sim::MaskArgument<isSetMask>(mask),
        sim::ReduceSteps(repeatTime, dstRepStride, srcBlkStride, srcRepStride), at);
}

template <typename T>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
    int32_t count, bool calIndex = false, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: ReduceMax takes half or float");
    sim::VecReduceCount(sim::ReduceOp::MAX, "ReduceMax", dst.View(), src.View(), sharedTmpBuffer.View(),
        static_cast<uint32_t>(count), calIndex, at);
}
template <typename T>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
    int32_t count, bool calIndex = false, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: ReduceMin takes half or float");
    sim::VecReduceCount(sim::ReduceOp::MIN, "ReduceMin", dst.View(), src.View(), sharedTmpBuffer.View(),
        static_cast<uint32_t>(count), calIndex, at);
}
template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
    int32_t count, sim::At at = sim::At::Here())
{
    static_assert(sim::IsFloating<T>(), "fiagen sim: ReduceSum takes half or float");
    sim::VecReduceCount(sim::ReduceOp::SUM, "ReduceSum", dst.View(), src.View(), sharedTmpBuffer.View(),
        static_cast<uint32_t>(count), false, at);
}

template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint8_t repeatTime, const BrcbRepeatParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Brcb takes 2 and 4 byte types");
    sim::VecBrcb(dst.View(), src.View(), repeatTime, params, at);
}

} // namespace AscendC
#endif
