// In:    x, `total` bytes, the same share for every block.
// Out:   nothing: every byte goes to UB and is dropped.
// Never: a vector instruction; this measures GM -> UB alone.
#include "kernel_operator.h"

using namespace AscendC;

struct CopyTiling {
    uint64_t total; // bytes
    uint32_t tile;  // bytes of one copy
};

extern "C" __global__ __aicore__ void copy_to_ub(GM_ADDR x, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(CopyTiling);
    GET_TILING_DATA_WITH_STRUCT(CopyTiling, tiling, tilingGm);
    const uint64_t share = tiling.total / static_cast<uint64_t>(GetBlockNum());
    GlobalTensor<uint8_t> source;
    source.SetGlobalBuffer(x + static_cast<uint64_t>(GetBlockIdx()) * share, share);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, tiling.tile);
    for (uint64_t done = 0; done + tiling.tile <= share; done += tiling.tile) {
        LocalTensor<uint8_t> tile = queue.AllocTensor<uint8_t>();
        DataCopy(tile, source[done], tiling.tile);
        queue.EnQue(tile);
        tile = queue.DeQue<uint8_t>();
        queue.FreeTensor(tile);
    }
}
