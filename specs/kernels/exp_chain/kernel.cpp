// In:    `count` floats a block, read once.
// Out:   y = exp(-exp(-...x)), half of `times` of them one after the other in UB.
// Never: a copy inside the chain; this measures the vector unit.
#include "kernel_operator.h"

using namespace AscendC;

struct ChainTiling {
    uint32_t count; // elements of a block, a multiple of 64
    uint32_t times; // even
    float factor; // of what goes into the next one: keeps it finite
};

extern "C" __global__ __aicore__ void exp_chain(GM_ADDR x, GM_ADDR y, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ChainTiling);
    GET_TILING_DATA_WITH_STRUCT(ChainTiling, tiling, tilingGm);
    const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * tiling.count;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + first, tiling.count);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + first, tiling.count);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 65536 + tiling.count * sizeof(float)); // the two ends lie in different banks
    LocalTensor<float> a = memory.Get<float>(tiling.count), b = memory.GetWithOffset<float>(tiling.count, 65536);
    DataCopy(a, in, tiling.count);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    for (uint32_t i = 0; i < tiling.times; i += 2) {
        Muls(b, a, tiling.factor, static_cast<int32_t>(tiling.count));
        PipeBarrier<PIPE_V>();
        Exp(a, b, static_cast<int32_t>(tiling.count));
        PipeBarrier<PIPE_V>();
    }
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(out, a, tiling.count);
}
