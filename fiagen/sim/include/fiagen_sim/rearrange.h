// In:    calls that move elements to other places, as a kernel writes them.
// Out:   calls of the runtime with plain addresses, masks and strides.
// Never: a data type the c220 vector unit does not take; those stop the compiler.
#ifndef FIAGEN_SIM_REARRANGE_H
#define FIAGEN_SIM_REARRANGE_H
#include "reduce.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

namespace sim {
template <typename T> constexpr void CheckGather()
{
    static_assert(IsOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>(),
        "fiagen sim: Gather and GatherMask take 16 and 32 bit types");
}
} // namespace sim

// dst[i] = the element of src at srcBaseAddr + srcOffset[i] bytes.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
    uint32_t srcBaseAddr, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CheckGather<T>();
    sim::VecGather(dst.View(), src.View(), srcOffset.View(), srcBaseAddr, sim::Mask::Total(count), 0, 8, at);
}
template <typename T, typename M>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
    uint32_t srcBaseAddr, M mask, uint8_t repeatTime, uint16_t dstRepStride, sim::At at = sim::At::Here())
{
    sim::CheckGather<T>();
    sim::VecGather(dst.View(), src.View(), srcOffset.View(), srcBaseAddr, sim::MaskArgument<true>(mask), repeatTime,
        dstRepStride, at);
}

template <typename T>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, uint8_t src1Pattern, bool reduceMode, uint32_t mask,
    const GatherMaskParams& params, uint64_t& rsvdCnt, sim::At at = sim::At::Here())
{
    sim::CheckGather<T>();
    rsvdCnt = sim::VecGatherMask(dst.View(), src0.View(), nullptr, src1Pattern, reduceMode, mask, params, at);
}
template <typename T, typename U>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern, bool reduceMode,
    uint32_t mask, const GatherMaskParams& params, uint64_t& rsvdCnt, sim::At at = sim::At::Here())
{
    sim::CheckGather<T>();
    static_assert(sizeof(U) == sizeof(T) && std::is_unsigned<U>::value,
        "fiagen sim: the pattern of GatherMask is uint16_t for 16 bit types and uint32_t for 32 bit types");
    rsvdCnt = sim::VecGatherMask(dst.View(), src0.View(), &src1Pattern.View(), 0, reduceMode, mask, params, at);
}

template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, sim::At at = sim::At::Here())
{
    static_assert(sim::IsOneOf<T, int16_t, uint16_t, half>(), "fiagen sim: Transpose takes int16_t, uint16_t or half");
    sim::VecTranspose(dst.View(), src.View(), at);
}

// The elements of 16 blocks of 32 bytes become those of 16 others.
template <typename T>
void TransDataTo5HD(uint64_t (&dstList)[NCHW_CONV_ADDR_LIST_SIZE], uint64_t (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
    const TransDataTo5HDParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>(),
        "fiagen sim: TransDataTo5HD takes 8, 16 and 32 bit integers, half and float");
    uint32_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = static_cast<uint32_t>(dstList[i]);
        src[i] = static_cast<uint32_t>(srcList[i]);
    }
    sim::VecTo5Hd(dst, src, sim::DTypeOf<T>::value, params, at);
}
template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& params,
    sim::At at = sim::At::Here())
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = dstList[i].GetPhyAddr();
        src[i] = srcList[i].GetPhyAddr();
    }
    TransDataTo5HD<T>(dst, src, params, at);
}

} // namespace AscendC
#endif
