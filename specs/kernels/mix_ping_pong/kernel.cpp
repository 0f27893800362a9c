// In:    a and b, 16 x 16 halves.
// Out:   c = a x b + rounds, in float, by every block in its own 16 rows.
// Never: a GM access that no cross-core flag orders.
//
// The cube core writes a x b to global memory and hands it to its two vector cores; the first adds one and hands it back,
// `rounds` times. What one round takes is the price of a hand-over in both directions.
#include "kernel_operator.h"

using namespace AscendC;

struct PingPongTiling {
    uint32_t rounds;
};
constexpr uint32_t SIZE = 16;
constexpr uint16_t TO_VECTOR = 0, TO_CUBE = 1;

__aicore__ inline void Cube(GM_ADDR aGm, GM_ADDR bGm, const GlobalTensor<float>& c, uint32_t rounds)
{
    GlobalTensor<half> a, b;
    a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(aGm), SIZE * SIZE);
    b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bGm), SIZE * SIZE);
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 2 * SIZE * SIZE * sizeof(half));
    pipe.InitBuffer(l0a, SIZE * SIZE * sizeof(half));
    pipe.InitBuffer(l0b, SIZE * SIZE * sizeof(half));
    pipe.InitBuffer(l0c, SIZE * SIZE * sizeof(float));
    LocalTensor<half> aL1 = l1.Get<half>(), bL1 = aL1[SIZE * SIZE];
    DataCopy(aL1, a, SIZE * SIZE); // one fractal: row-major is NZ
    DataCopy(bL1, b, SIZE * SIZE);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData2DParams load;
    load.repeatTimes = 1;
    LoadData(l0a.Get<half>(), aL1, load);
    load.ifTranspose = true;
    LoadData(l0b.Get<half>(), bL1, load);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams product;
    product.m = product.n = product.k = SIZE;
    Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(), product);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 out;
    out.nSize = out.mSize = out.srcStride = SIZE;
    out.dstStride = SIZE;
    Fixpipe<float, float, CFG_ROW_MAJOR>(c, l0c.Get<float>(), out);
    CrossCoreSetFlag<2, PIPE_FIX>(TO_VECTOR);
    for (uint32_t i = 0; i < rounds; ++i) {
        CrossCoreWaitFlag(TO_CUBE);
        if (i + 1 < rounds) {
            CrossCoreSetFlag<2, PIPE_FIX>(TO_VECTOR);
        }
    }
}

__aicore__ inline void Vector(const GlobalTensor<float>& c, uint32_t rounds)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, SIZE * SIZE * sizeof(float));
    LocalTensor<float> tile = memory.Get<float>();
    for (uint32_t i = 0; i < rounds; ++i) {
        CrossCoreWaitFlag(TO_VECTOR);
        if (GetSubBlockIdx() == 0) {
            DataCopy(tile, c, SIZE * SIZE);
            SetFlag<HardEvent::MTE2_V>(0);
            WaitFlag<HardEvent::MTE2_V>(0);
            Adds(tile, tile, 1.0f, SIZE * SIZE);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(c, tile, SIZE * SIZE);
            SetFlag<HardEvent::MTE3_MTE2>(0);
            WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
        CrossCoreSetFlag<2, PIPE_MTE3>(TO_CUBE);
    }
}

extern "C" __global__ __aicore__ void mix_ping_pong(GM_ADDR a, GM_ADDR b, GM_ADDR cGm, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(PingPongTiling);
    GET_TILING_DATA_WITH_STRUCT(PingPongTiling, tiling, tilingGm);
    const int64_t block = GetBlockIdx() / GetTaskRation();
    GlobalTensor<float> c;
    c.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(cGm) + block * SIZE * SIZE, SIZE * SIZE);
    if ASCEND_IS_AIC {
        Cube(a, b, c, tiling.rounds);
    } else {
        Vector(c, tiling.rounds);
    }
}
