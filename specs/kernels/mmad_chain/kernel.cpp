// In:    a (m x k) and b (k x n) in half, row-major.
// Out:   c = times * a x b in float: the same product accumulated `times` times.
// Never: a load between the products; this measures the cube.
#include "kernel_operator.h"

using namespace AscendC;

struct ChainTiling {
    uint32_t m, n, k; // multiples of 16; a in 64 KiB, b in 64 KiB, c in 128 KiB
    uint32_t times;
    uint32_t unitFlag; // 1: Fixpipe follows the last product through the unit flag instead of an event
};

// Row-major in global memory -> NZ in L1.
__aicore__ inline void ToL1(const LocalTensor<half>& dst, const GlobalTensor<half>& src, uint32_t rows, uint32_t columns)
{
    Nd2NzParams params;
    params.ndNum = 1;
    params.nValue = rows;
    params.dValue = columns;
    params.srcDValue = columns;
    params.dstNzC0Stride = rows;
    params.dstNzNStride = 1;
    DataCopy(dst, src, params);
}

extern "C" __global__ __aicore__ void mmad_chain(GM_ADDR aGm, GM_ADDR bGm, GM_ADDR cGm, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(ChainTiling);
    GET_TILING_DATA_WITH_STRUCT(ChainTiling, tiling, tilingGm);
    const uint32_t m = tiling.m, n = tiling.n, k = tiling.k;
    GlobalTensor<half> a, b;
    GlobalTensor<float> c;
    a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(aGm), m * k);
    b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bGm), k * n);
    c.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(cGm), m * n);
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, (m + n) * k * sizeof(half));
    pipe.InitBuffer(l0a, m * k * sizeof(half));
    pipe.InitBuffer(l0b, k * n * sizeof(half));
    pipe.InitBuffer(l0c, m * n * sizeof(float));
    LocalTensor<half> aL1 = l1.Get<half>(), bL1 = aL1[m * k], left = l0a.Get<half>(), right = l0b.Get<half>();
    LocalTensor<float> acc = l0c.Get<float>();
    ToL1(aL1, a, m, k);
    ToL1(bL1, b, k, n);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData2DParams load;
    load.repeatTimes = static_cast<uint8_t>(k / 16);
    load.srcStride = static_cast<uint16_t>(m / 16);
    for (uint32_t row = 0; row < m / 16; ++row) { // zZ
        load.startIndex = static_cast<uint16_t>(row);
        LoadData(left[row * k * 16], aL1, load);
    }
    load.repeatTimes = static_cast<uint8_t>(n / 16);
    load.srcStride = static_cast<uint16_t>(k / 16);
    load.ifTranspose = true;
    for (uint32_t row = 0; row < k / 16; ++row) { // rows of fractals, each one transposed
        load.startIndex = static_cast<uint16_t>(row);
        LoadData(right[row * n * 16], bL1, load);
    }
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams product;
    product.m = static_cast<uint16_t>(m);
    product.n = static_cast<uint16_t>(n);
    product.k = static_cast<uint16_t>(k);
    for (uint32_t i = 0; i < tiling.times; ++i) {
        product.cmatrixInitVal = i == 0;
        product.unitFlag = tiling.unitFlag == 0 ? 0 : i + 1 == tiling.times ? 3 : 2;
        Mmad(acc, left, right, product);
    }
    FixpipeParamsV220 out;
    out.nSize = static_cast<uint16_t>(n);
    out.mSize = static_cast<uint16_t>(m);
    out.srcStride = static_cast<uint16_t>(m);
    out.dstStride = n;
    if (tiling.unitFlag == 0) {
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
    } else {
        out.unitFlag = 3;
    }
    Fixpipe<float, float, CFG_ROW_MAJOR>(c, acc, out);
}
