// In:    x, `total` bytes, the same share for every block.
// Out:   nothing: every byte goes to L1 and is dropped.
// Never: a load to L0; this measures GM -> L1 alone.
#include "kernel_operator.h"

using namespace AscendC;

struct CopyTiling {
    uint64_t total; // bytes
    uint32_t tile;  // bytes of one copy
};

extern "C" __global__ __aicore__ void copy_to_l1(GM_ADDR x, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(CopyTiling);
    GET_TILING_DATA_WITH_STRUCT(CopyTiling, tiling, tilingGm);
    const uint64_t share = tiling.total / static_cast<uint64_t>(GetBlockNum());
    GlobalTensor<half> source;
    source.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x + static_cast<uint64_t>(GetBlockIdx()) * share), share / sizeof(half));
    TPipe pipe;
    TQue<TPosition::A1, 1> queue;
    pipe.InitBuffer(queue, 2, tiling.tile);
    const uint32_t count = tiling.tile / sizeof(half);
    for (uint64_t done = 0; done + tiling.tile <= share; done += tiling.tile) {
        LocalTensor<half> tile = queue.AllocTensor<half>();
        DataCopy(tile, source[done / sizeof(half)], count);
        queue.EnQue(tile);
        tile = queue.DeQue<half>();
        queue.FreeTensor(tile);
    }
}
