// In:    copies between global memory, UB and L1 as a kernel writes them.
// Out:   calls of the runtime with plain addresses.
// Never: a silent truncation; a count that is not whole blocks is a fault.
#ifndef FIAGEN_SIM_COPY_H
#define FIAGEN_SIM_COPY_H
#include "tensor.h"

namespace AscendC {
namespace sim {
inline DataCopyParams OneBurst(uint64_t bytes, At at)
{
    return DataCopyParams(1, static_cast<uint16_t>(WholeBlocks(bytes, at)), 0, 0);
}
template <typename P> PadBursts BurstsOf(const P& params)
{
    return {params.blockCount, params.blockLen, static_cast<int64_t>(params.srcStride),
        static_cast<int64_t>(params.dstStride)};
}
template <typename T> uint64_t BitsOf(const T& value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
} // namespace sim

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
    sim::At at = sim::At::Here())
{
    sim::CopyIn(dst.View(), src.View(), params, "DataCopy", at);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CopyIn(dst.View(), src.View(), sim::OneBurst(uint64_t{count} * sizeof(T), at), "DataCopy", at);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
    sim::At at = sim::At::Here())
{
    sim::CopyOut(dst.View(), src.View(), params, "DataCopy", at);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CopyOut(dst.View(), src.View(), sim::OneBurst(uint64_t{count} * sizeof(T), at), "DataCopy", at);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
    sim::At at = sim::At::Here())
{
    // The length counts 64 bytes towards BT and 128 towards FB.
    const sim::Mem to = dst.View().mem;
    DataCopyParams blocks = params;
    blocks.blockLen = static_cast<uint16_t>(params.blockLen * (to == sim::Mem::FB ? 4 : to == sim::Mem::BT ? 2 : 1));
    sim::CopyLocal(dst.View(), src.View(), blocks, "DataCopy", at);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, sim::At at = sim::At::Here())
{
    sim::CopyLocal(dst.View(), src.View(), sim::OneBurst(uint64_t{count} * sizeof(T), at), "DataCopy", at);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params,
    sim::At at = sim::At::Here())
{
    sim::CopyNd2Nz(dst.View(), src.View(),
        {params.ndNum, params.nValue, params.dValue, params.srcNdMatrixStride, params.srcDValue, params.dstNzC0Stride,
            params.dstNzNStride, params.dstNzMatrixStride, false},
        "DataCopy(Nd2Nz)", at);
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
    const DataCopyPadExtParams<T>& pad, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) <= 4, "fiagen sim: DataCopyPad is simulated for 1, 2 and 4 byte types");
    sim::CopyPadIn(dst.View(), src.View(), sim::BurstsOf(params), pad.isPad, pad.leftPadding, pad.rightPadding,
        sim::BitsOf(pad.paddingValue), at);
}
// DataCopyParams: blockLen in bytes, strides as in DataCopyExtParams.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
    const DataCopyPadParams& pad, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) <= 4, "fiagen sim: DataCopyPad is simulated for 1, 2 and 4 byte types");
    sim::CopyPadIn(dst.View(), src.View(), sim::BurstsOf(params), pad.isPad, pad.leftPadding, pad.rightPadding,
        pad.paddingValue, at);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
    sim::At at = sim::At::Here())
{
    sim::CopyPadOut(dst.View(), src.View(), sim::BurstsOf(params), at);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
    sim::At at = sim::At::Here())
{
    sim::CopyPadOut(dst.View(), src.View(), sim::BurstsOf(params), at);
}

template <typename T, typename U = T>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& params, sim::At at = sim::At::Here())
{
    static_assert(std::is_same<T, U>::value, "fiagen sim: Fill takes a value of the tensor's own type");
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "fiagen sim: Fill is simulated for 2 and 4 byte types");
    uint32_t bits = static_cast<uint32_t>(sim::BitsOf(params.initValue));
    sim::FillConst(dst.View(), params.repeatTimes, params.blockNum, params.dstGap, bits, at);
}
template <typename T, typename U = T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& params, sim::At at = sim::At::Here())
{
    Fill(dst, params, at);
}

} // namespace AscendC
#endif
