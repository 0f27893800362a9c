// In:    L1 -> L0 loads, matrix products and fixpipe writes of 3510 as a kernel writes them.
// Out:   calls of the runtime with plain addresses.
// Never: a data type the cube of 3510 does not take, or a way that is gone; those stop the compiler.
#ifndef FIAGEN_SIM_ARCH3510_CUBE_H
#define FIAGEN_SIM_ARCH3510_CUBE_H
#include "../tensor.h"
#include "runtime.h"

namespace AscendC {

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

// dstGap has no effect on 3510.
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
    sim::At at = sim::At::Here())
{
    LoadData2DParams close = params;
    close.dstGap = 0;
    sim::Load2D(dst.View(), src.View(), close, at);
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParamsV2& params,
    sim::At at = sim::At::Here())
{
    sim::LoadMatrix(dst.View(), src.View(),
        {params.mStartPosition, params.kStartPosition, params.mStep, params.kStep,
            static_cast<uint32_t>(params.srcStride < 0 ? -params.srcStride : params.srcStride), params.dstStride,
            params.ifTranspose},
        at);
}
template <typename T, typename P>
void LoadData(const LocalTensor<T>&, const GlobalTensor<T>&, const P&)
{
    static_assert(sim::NEVER<T>, "fiagen sim: 3510 has no copy from global memory to L0; go through L1");
}

// The stride of the destination that LoadData3DParamsV2 has no field for; needed before every kind of such a load.
inline void SetLoadDataRepeat(const LoadDataRepeatParam& params, sim::At at = sim::At::Here())
{
    sim::SetLoadRepeat(params.repeatStride, params.repeatTime, params.repeatMode, params.dstStride, at);
}
// Simulated as a block loader: 1x1 filter, stride 1, dilation 1, no padding.
template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params,
    sim::At at = sim::At::Here())
{
    bool plain = params.strideW == 1 && params.strideH == 1 && params.filterW == 1 && params.filterH == 1 &&
        params.dilationFilterW == 1 && params.dilationFilterH == 1 && !params.enSmallK && !params.filterSizeW &&
        !params.filterSizeH && !params.fMatrixCtrl &&
        (params.padList[0] | params.padList[1] | params.padList[2] | params.padList[3]) == 0;
    sim::LoadImageNz(dst.View(), src.View(),
        {static_cast<uint32_t>(params.l1H) * params.l1W, params.channelSize, params.mExtension, params.kExtension,
            params.mStartPt, params.kStartPt, params.enTranspose, plain},
        at);
}

namespace sim {
inline bool UsesGemv(const MmadParams& params) { return params.m == 1 && !params.disableGemv; }
template <typename C, typename A, typename B> constexpr bool IsMmadTypes()
{
    return (std::is_same<C, float>::value &&
               ((std::is_same<A, B>::value && IsOneOf<A, half, bfloat16_t, float, hifloat8_t>()) ||
                   (IsOneOf<A, fp8_e4m3fn_t, fp8_e5m2_t>() && IsOneOf<B, fp8_e4m3fn_t, fp8_e5m2_t>()))) ||
        (std::is_same<C, int32_t>::value && std::is_same<A, int8_t>::value && std::is_same<B, int8_t>::value);
}
} // namespace sim

template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsMmadTypes<T, U, S>(), "fiagen sim: Mmad on 3510 takes half, bfloat16_t, float, hifloat8_t or "
                                               "float8 of two kinds into float, and int8_t into int32_t");
    sim::MatMul(dst.View(), fm.View(), filter.View(), nullptr, params, sim::UsesGemv(params), at);
}
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
    const LocalTensor<V>& bias, const MmadParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsMmadTypes<T, U, S>() && std::is_same<T, V>::value,
        "fiagen sim: Mmad on 3510 takes half, bfloat16_t, float, hifloat8_t or float8 of two kinds into float, and "
        "int8_t into int32_t; bias as C");
    sim::MatMul(dst.View(), fm.View(), filter.View(), &bias.View(), params, sim::UsesGemv(params), at);
}

namespace sim {
template <typename T, typename U, CO2Layout layout> FixJob3510 FixJobOf(const FixpipeParamsArch3510<layout>& p)
{
    static_assert((std::is_same<U, float>::value && IsOneOf<T, float, half, bfloat16_t>()) ||
            (std::is_same<U, int32_t>::value && std::is_same<T, int32_t>::value),
        "fiagen sim: Fixpipe on 3510 is simulated from float to float, half and bfloat16_t, and from int32_t to int32_t");
    FixJob3510 job{p.nSize, p.mSize, p.srcStride, p.dstStride, 1, 0, 0, 1, p.quantPre, p.unitFlag, p.dualDstCtl,
        static_cast<uint8_t>(p.subBlockId ? 1 : 0), p.reluEn, p.isChannelSplit, layout, DTypeOf<T>::value};
    if constexpr (layout == CO2Layout::ROW_MAJOR) {
        job.count = p.params.ndNum;
        job.srcMatrix = p.params.srcNdStride;
        job.dstMatrix = p.params.dstNdStride;
    } else if constexpr (layout == CO2Layout::COLUMN_MAJOR) {
        job.count = p.params.dnNum;
        job.srcMatrix = p.params.srcNzMatrixStride;
        job.dstMatrix = p.params.dstDnMatrixStride;
        job.srcRow = p.params.srcNzC0Stride;
    }
    return job;
}
} // namespace sim

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsArch3510<config.format>& params,
    sim::At at = sim::At::Here())
{
    static_assert(!config.isToUB, "fiagen sim: isToUB is for a destination in UB");
    sim::FixOut3510(&dst.View(), nullptr, false, src.View(), sim::FixJobOf<T, U>(params), at);
}
// To L1, or with config.isToUB to the UB of one AIV or of both.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsArch3510<config.format>& params,
    sim::At at = sim::At::Here())
{
    sim::FixOut3510(nullptr, &dst.View(), config.isToUB, src.View(), sim::FixJobOf<T, U>(params), at);
}

} // namespace AscendC
#endif
