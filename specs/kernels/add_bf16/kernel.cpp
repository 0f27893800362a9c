// In:    x and y, `total` bfloat16 each.
// Out:   z = x + y, computed in float and rounded to nearest even.
// Never: two blocks in one 32-byte block of z: a share is a whole number of tiles, but for the last one.
#include "kernel_operator.h"

using namespace AscendC;

struct AddTiling {
    uint32_t total; // elements, a multiple of 16
    uint32_t tile;  // elements of one step, a multiple of 16
};

class Adder {
public:
    __aicore__ inline Adder(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling) : tile_(tiling.tile)
    {
        const uint32_t tiles = (tiling.total + tile_ - 1) / tile_;
        const uint32_t blocks = static_cast<uint32_t>(GetBlockNum()), block = static_cast<uint32_t>(GetBlockIdx());
        const uint32_t first = tiles * block / blocks * tile_;
        end_ = tiles * (block + 1) / blocks * tile_;
        end_ = end_ < tiling.total ? end_ : tiling.total;
        begin_ = first < end_ ? first : end_;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(x), tiling.total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(y), tiling.total);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(z), tiling.total);
        pipe_.InitBuffer(xIn_, 2, tile_ * sizeof(bfloat16_t));
        pipe_.InitBuffer(yIn_, 2, tile_ * sizeof(bfloat16_t));
        pipe_.InitBuffer(zOut_, 2, tile_ * sizeof(bfloat16_t));
        pipe_.InitBuffer(wide_, 2 * tile_ * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = begin_; at < end_; at += tile_) {
            const uint32_t count = end_ - at < tile_ ? end_ - at : tile_;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<bfloat16_t> x = xIn_.AllocTensor<bfloat16_t>();
        DataCopy(x, x_[at], count);
        xIn_.EnQue(x);
        LocalTensor<bfloat16_t> y = yIn_.AllocTensor<bfloat16_t>();
        DataCopy(y, y_[at], count);
        yIn_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> a = wide_.Get<float>(), b = a[tile_];
        LocalTensor<bfloat16_t> x = xIn_.DeQue<bfloat16_t>();
        Cast(a, x, RoundMode::CAST_NONE, count);
        xIn_.FreeTensor(x);
        LocalTensor<bfloat16_t> y = yIn_.DeQue<bfloat16_t>();
        Cast(b, y, RoundMode::CAST_NONE, count);
        yIn_.FreeTensor(y);
        PipeBarrier<PIPE_V>();
        Add(a, a, b, count);
        PipeBarrier<PIPE_V>();
        LocalTensor<bfloat16_t> z = zOut_.AllocTensor<bfloat16_t>();
        Cast(z, a, RoundMode::CAST_RINT, count);
        PipeBarrier<PIPE_V>();
        zOut_.EnQue(z);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        LocalTensor<bfloat16_t> z = zOut_.DeQue<bfloat16_t>();
        DataCopy(z_[at], z, count);
        zOut_.FreeTensor(z);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> xIn_, yIn_;
    TQue<TPosition::VECOUT, 1> zOut_;
    TBuf<TPosition::VECCALC> wide_;
    GlobalTensor<bfloat16_t> x_, y_, z_;
    uint32_t tile_, begin_ = 0, end_ = 0;
};

extern "C" __global__ __aicore__ void add_bf16(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AddTiling);
    GET_TILING_DATA_WITH_STRUCT(AddTiling, tiling, tilingGm);
    Adder op(x, y, z, tiling);
    op.Process();
}
