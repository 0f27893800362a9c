// In:    copies that 3510 has beside those of copy.h, as a kernel writes them.
// Out:   calls of the runtime with plain addresses.
// Never: a copy that 3510 lost; those stop the compiler.
#ifndef FIAGEN_SIM_ARCH3510_COPY_H
#define FIAGEN_SIM_ARCH3510_COPY_H
#include "../copy.h"
#include "runtime.h"

namespace AscendC {

// Column-major to NZ: dValue rows of nValue elements become nValue rows of dValue.
template <typename T, bool enableSmallC0 = false>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Dn2NzParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(!enableSmallC0, "fiagen sim: the SmallC0 form of DataCopy is not simulated");
    sim::CopyNd2Nz(dst.View(), src.View(),
        {params.dnNum, params.nValue, params.dValue, params.srcDnMatrixStride, params.srcDValue, params.dstNzC0Stride,
            params.dstNzNStride, params.dstNzMatrixStride, true},
        "DataCopy(Dn2Nz)", at);
}

// From L1 to the UB of AIV subBlockId, issued by the AIC.
template <typename T, uint8_t subBlockId = 0>
void DataCopyL1ToUB(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(subBlockId <= 1, "fiagen sim: a block has the AIVs 0 and 1");
    sim::CopyL1ToUb(dst.View(), src.View(), params, subBlockId, at);
}
template <typename T, uint8_t subBlockId = 0>
void DataCopyL1ToUB(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
    sim::At at = sim::At::Here())
{
    static_assert(subBlockId <= 1, "fiagen sim: a block has the AIVs 0 and 1");
    sim::CopyL1ToUb(dst.View(), src.View(), sim::OneBurst(uint64_t{count} * sizeof(T), at), subBlockId, at);
}

} // namespace AscendC
#endif
