// In:    a (m x k) and b (k x n), bfloat16, row-major.
// Out:   c = a x b in bfloat16, sums in float.
// Never: a tile of c that two blocks write.
//
// Tiles of 128 x 256 are dealt to the blocks in turn. k runs in steps of 256 through two buffers of L1, and in steps of 64
// through two buffers of L0, so that copies, loads and products overlap. The accumulator fills L0C: Fixpipe has to empty it
// before the next tile, which the unit flag lets it do while the last product still runs.
#include "kernel_operator.h"

using namespace AscendC;

struct MatmulTiling {
    uint32_t m, n, k; // n and k are multiples of 16
};
constexpr uint32_t TILE_M = 128, TILE_N = 256, STEP_L1 = 256, STEP_L0 = 64, FRACTAL = 16;
constexpr uint32_t ORDERED_FRACTALS = 10; // smaller products that accumulate have to wait for each other

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline uint32_t Up(uint32_t a) { return (a + FRACTAL - 1) / FRACTAL * FRACTAL; }

class Product {
public:
    __aicore__ inline Product(GM_ADDR a, GM_ADDR b, GM_ADDR c, const MatmulTiling& tiling) : t_(tiling)
    {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(a), uint64_t{t_.m} * t_.k);
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(b), uint64_t{t_.k} * t_.n);
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(c), uint64_t{t_.m} * t_.n);
        pipe_.InitBuffer(aL1_, 2 * TILE_M * STEP_L1 * sizeof(bfloat16_t));
        pipe_.InitBuffer(bL1_, 2 * STEP_L1 * TILE_N * sizeof(bfloat16_t));
        pipe_.InitBuffer(l0a_, 2 * TILE_M * STEP_L0 * sizeof(bfloat16_t));
        pipe_.InitBuffer(l0b_, 2 * STEP_L0 * TILE_N * sizeof(bfloat16_t));
        pipe_.InitBuffer(l0c_, TILE_M * TILE_N * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (int32_t slot = 0; slot < 2; ++slot) {
            SetFlag<HardEvent::MTE1_MTE2>(slot);
            SetFlag<HardEvent::M_MTE1>(slot + L0_EVENT);
        }
        Step step{static_cast<uint32_t>(GetBlockIdx()), 0};
        if (Exists(step)) {
            Load(step, 0);
        }
        for (int32_t slot = 0; Exists(step); slot = 1 - slot) {
            const Step next = Next(step);
            if (Exists(next)) { // issued before this step's products fill the queues of MTE1 and M
                Load(next, 1 - slot);
            }
            Consume(step, slot);
            step = next;
        }
        for (int32_t slot = 0; slot < 2; ++slot) {
            WaitFlag<HardEvent::MTE1_MTE2>(slot);
            WaitFlag<HardEvent::M_MTE1>(slot + L0_EVENT);
        }
    }

private:
    static constexpr int32_t L0_EVENT = 3; // TPipe keeps the ids 0 to 2 of M_MTE1
    struct Step {
        uint32_t tile, k;
    };

    __aicore__ inline void ToL1(const LocalTensor<bfloat16_t>& dst, const GlobalTensor<bfloat16_t>& src, uint32_t rows,
        uint32_t columns, uint32_t pitch)
    {
        Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = static_cast<uint16_t>(rows);
        params.dValue = static_cast<uint16_t>(columns);
        params.srcDValue = static_cast<uint16_t>(pitch);
        params.dstNzC0Stride = static_cast<uint16_t>(Up(rows));
        params.dstNzNStride = 1;
        DataCopy(dst, src, params);
    }
    __aicore__ inline bool Exists(const Step& step) { return step.tile < Rows() * ((t_.n + TILE_N - 1) / TILE_N); }
    __aicore__ inline Step Next(const Step& step)
    {
        return step.k + STEP_L1 < t_.k ? Step{step.tile, step.k + STEP_L1}
                                       : Step{step.tile + static_cast<uint32_t>(GetBlockNum()), 0};
    }
    __aicore__ inline uint32_t Rows() { return (t_.m + TILE_M - 1) / TILE_M; }
    __aicore__ inline uint32_t Row(const Step& step) { return step.tile % Rows() * TILE_M; }
    __aicore__ inline uint32_t Column(const Step& step) { return step.tile / Rows() * TILE_N; }
    __aicore__ inline LocalTensor<bfloat16_t> Left(int32_t slot)
    {
        return aL1_.Get<bfloat16_t>()[static_cast<uint32_t>(slot) * TILE_M * STEP_L1];
    }
    __aicore__ inline LocalTensor<bfloat16_t> Right(int32_t slot)
    {
        return bL1_.Get<bfloat16_t>()[static_cast<uint32_t>(slot) * STEP_L1 * TILE_N];
    }
    __aicore__ inline void Load(const Step& step, int32_t slot)
    {
        const uint32_t row = Row(step), column = Column(step), depth = Least(STEP_L1, t_.k - step.k);
        WaitFlag<HardEvent::MTE1_MTE2>(slot);
        ToL1(Left(slot), a_[uint64_t{row} * t_.k + step.k], Least(TILE_M, t_.m - row), depth, t_.k);
        ToL1(Right(slot), b_[uint64_t{step.k} * t_.n + column], depth, Least(TILE_N, t_.n - column), t_.n);
        SetFlag<HardEvent::MTE2_MTE1>(slot);
    }
    __aicore__ inline void Consume(const Step& step, int32_t slot)
    {
        const uint32_t row = Row(step), column = Column(step), depth = Least(STEP_L1, t_.k - step.k);
        const uint32_t m = Least(TILE_M, t_.m - row), n = Least(TILE_N, t_.n - column);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        for (uint32_t part = 0; part < depth; part += STEP_L0) {
            Multiply(Left(slot), Right(slot), m, n, depth, part, step.k + part == 0, step.k + part + STEP_L0 >= t_.k);
        }
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        if (step.k + STEP_L1 < t_.k) {
            return;
        }
        FixpipeParamsV220 out;
        out.nSize = static_cast<uint16_t>(n);
        out.mSize = static_cast<uint16_t>(m);
        out.srcStride = static_cast<uint16_t>(Up(m));
        out.dstStride = t_.n;
        out.quantPre = QuantMode_t::F322BF16;
        out.unitFlag = 3;
        Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(c_[uint64_t{row} * t_.n + column], l0c_.Get<float>(), out);
    }
    __aicore__ inline void Multiply(const LocalTensor<bfloat16_t>& left, const LocalTensor<bfloat16_t>& right, uint32_t m, uint32_t n,
        uint32_t depth, uint32_t part, bool isFirst, bool isLast)
    {
        const uint32_t k = Least(STEP_L0, depth - part);
        const int32_t slot = static_cast<int32_t>(products_++ % 2);
        LocalTensor<bfloat16_t> a = l0a_.Get<bfloat16_t>()[static_cast<uint32_t>(slot) * TILE_M * STEP_L0];
        LocalTensor<bfloat16_t> b = l0b_.Get<bfloat16_t>()[static_cast<uint32_t>(slot) * STEP_L0 * TILE_N];
        WaitFlag<HardEvent::M_MTE1>(slot + L0_EVENT);
        LoadData2DParams load;
        load.repeatTimes = static_cast<uint8_t>(k / FRACTAL);
        load.srcStride = static_cast<uint16_t>(Up(m) / FRACTAL);
        for (uint32_t i = 0; i < Up(m) / FRACTAL; ++i) {
            load.startIndex = static_cast<uint16_t>(part / FRACTAL * (Up(m) / FRACTAL) + i);
            LoadData(a[i * k * FRACTAL], left, load);
        }
        load.repeatTimes = static_cast<uint8_t>(Up(n) / FRACTAL);
        load.srcStride = static_cast<uint16_t>(depth / FRACTAL);
        load.ifTranspose = true;
        for (uint32_t i = 0; i < k / FRACTAL; ++i) {
            load.startIndex = static_cast<uint16_t>(part / FRACTAL + i);
            LoadData(b[i * Up(n) * FRACTAL], right, load);
        }
        SetFlag<HardEvent::MTE1_M>(slot);
        WaitFlag<HardEvent::MTE1_M>(slot);
        MmadParams product;
        product.m = static_cast<uint16_t>(Up(m)); // a multiple of 16: m = 1 would read a as a vector
        product.n = static_cast<uint16_t>(Up(n));
        product.k = static_cast<uint16_t>(k);
        product.cmatrixInitVal = isFirst;
        product.unitFlag = isLast ? 3 : 2;
        Mmad(l0c_.Get<float>(), a, b, product);
        if (Up(m) / FRACTAL * (Up(n) / FRACTAL) < ORDERED_FRACTALS) {
            PipeBarrier<PIPE_M>();
        }
        SetFlag<HardEvent::M_MTE1>(slot + L0_EVENT);
    }

    TPipe pipe_;
    TBuf<TPosition::A1> aL1_;
    TBuf<TPosition::B1> bL1_;
    TBuf<TPosition::A2> l0a_;
    TBuf<TPosition::B2> l0b_;
    TBuf<TPosition::CO1> l0c_;
    GlobalTensor<bfloat16_t> a_, b_, c_;
    MatmulTiling t_;
    uint32_t products_ = 0;
};

extern "C" __global__ __aicore__ void matmul_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tilingGm)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(MatmulTiling);
    GET_TILING_DATA_WITH_STRUCT(MatmulTiling, tiling, tilingGm);
    Product op(a, b, c, tiling);
    op.Process();
}
