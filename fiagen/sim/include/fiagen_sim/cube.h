// In:    L1 -> L0 loads, matrix products and fixpipe writes as a kernel writes them.
// Out:   calls of the runtime with plain addresses.
// Never: a data type the c220 cube does not take; those stop the compiler.
#ifndef FIAGEN_SIM_CUBE_H
#define FIAGEN_SIM_CUBE_H
#include "tensor.h"

namespace AscendC {

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
    sim::At at = sim::At::Here())
{
    sim::Load2D(dst.View(), src.View(), params, at);
}

// Squares of 16 x 16 elements (32 x 32 of one byte), each transposed on the way.
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsOneOf<T, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>(),
        "fiagen sim: LoadDataWithTranspose takes 8 bit integers, half, bfloat16_t and 32 bit types");
    sim::LoadSquares(dst.View(), src.View(), params, at);
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
    sim::LoadImage(dst.View(), src.View(),
        {static_cast<uint32_t>(params.l1H) * params.l1W, params.channelSize, params.mExtension, params.kExtension,
            params.mStartPt, params.kStartPt, params.enTranspose, plain},
        at);
}

namespace sim {
template <typename C, typename A, typename B> constexpr bool IsMmadTypes()
{
    return std::is_same<A, B>::value &&
        ((std::is_same<C, float>::value && IsOneOf<A, half, bfloat16_t, float>()) ||
            (std::is_same<C, int32_t>::value && std::is_same<A, int8_t>::value));
}
} // namespace sim

template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& params,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsMmadTypes<T, U, S>(),
        "fiagen sim: Mmad on c220 takes half, bfloat16_t or float into float, and int8_t into int32_t");
    sim::MatMul(dst.View(), fm.View(), filter.View(), nullptr, params, params.m == 1, at);
}
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
    const LocalTensor<V>& bias, const MmadParams& params, sim::At at = sim::At::Here())
{
    static_assert(sim::IsMmadTypes<T, U, S>() && std::is_same<T, V>::value,
        "fiagen sim: Mmad on c220 takes half, bfloat16_t or float into float, and int8_t into int32_t; bias as C");
    sim::MatMul(dst.View(), fm.View(), filter.View(), &bias.View(), params, params.m == 1, at);
}

// Quantisation parameters, one of each column, for the modes VDEQF16, VQF322B8_PRE and VREQ8.
template <typename T> void SetFixPipeConfig(const LocalTensor<T>& preData, bool = false, sim::At at = sim::At::Here())
{
    static_assert(std::is_same<T, uint64_t>::value, "fiagen sim: SetFixPipeConfig takes a tensor of uint64_t");
    sim::SetFixpipeQuant(preData.View(), at);
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsOneOf<U, float, int32_t>(), "fiagen sim: Fixpipe reads float or int32_t from L0C");
    static_assert(sim::IsOneOf<T, float, half, bfloat16_t, int32_t, int8_t, uint8_t>(),
        "fiagen sim: Fixpipe writes float, half, bfloat16_t, int32_t, int8_t or uint8_t");
    sim::FixOut(&dst.View(), nullptr, src.View(), params, config.format, sim::DTypeOf<T>::value, at);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
    sim::At at = sim::At::Here())
{
    static_assert(sim::IsOneOf<U, float, int32_t>(), "fiagen sim: Fixpipe reads float or int32_t from L0C");
    static_assert(sim::IsOneOf<T, half, bfloat16_t, int8_t, uint8_t>(),
        "fiagen sim: Fixpipe to L1 writes half, bfloat16_t, int8_t or uint8_t");
    sim::FixOut(nullptr, &dst.View(), src.View(), params, config.format, sim::DTypeOf<T>::value, at);
}

} // namespace AscendC
#endif
