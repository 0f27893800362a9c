// Attention of 128 query rows a block on 3510, head dim 64, key tiles of 128: scores and products come from L0C straight to
// the UB of both AIVs, probabilities go from there to L1. select: {query rows, keys}.
// C1 and C2 are the two products of the cube, V1 and V2 what the vector side does with them; C1 and V1 run one tile ahead.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROWS = 128, HALF_ROWS = 64, TILE = 128, DIM = 64, PITCH = HALF_ROWS + 1; // blocks, against bank conflicts
constexpr float SCALE = 0.125f, LOWEST = -1e30f;
constexpr FixpipeConfig TO_UB = {CO2Layout::ROW_MAJOR, true};
enum Flag : uint16_t { S_READY, S_FREE, P_READY, P_FREE, PV_READY, PV_FREE, AIV1 = 16 };
enum Lock : uint8_t { LOCK_Q, LOCK_K, LOCK_V, LOCK_L0, LOCK_L0C };

// UB of an AIV, in bytes.
constexpr uint32_t S_AT = 0, S_BYTES = HALF_ROWS * TILE * 4;
constexpr uint32_t PV_AT = S_AT + 2 * S_BYTES, PV_BYTES = HALF_ROWS * DIM * 4;
constexpr uint32_t O_AT = PV_AT + 2 * PV_BYTES, P_AT = O_AT + PV_BYTES, P_BYTES = PITCH * 8 * 32;
constexpr uint32_t MAX_AT = P_AT + 2 * P_BYTES, SUM_AT = MAX_AT + 256, ALPHA_AT = SUM_AT + 256, OUT_AT = ALPHA_AT + 512;
// L1 of the AIC, in bytes.
constexpr uint32_t P1_AT = 0, P1_BYTES = ROWS * TILE * 2, Q1_AT = 2 * P1_BYTES, K1_AT = Q1_AT + ROWS * DIM * 2,
                   V1_AT = K1_AT + TILE * DIM * 2;

constexpr Reg::CastTrait EVEN = {Reg::RegLayout::ZERO, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr Reg::CastTrait ODD = {Reg::RegLayout::ONE, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};

// Row maxima, then exponentials in the order of NZ, row sums and what the old rows have to be scaled with.
__simd_vf__ inline void SoftmaxVf(__ubuf__ half* p, __ubuf__ float* s, __ubuf__ float* max, __ubuf__ float* sum, __ubuf__ float* alpha)
{
    Reg::RegTensor<float> even, odd, row, before, scale, total, old;
    Reg::RegTensor<half> low, high;
    Reg::MaskReg all = Reg::CreateMask<float>(), one = Reg::CreateMask<float, Reg::MaskPattern::VL1>();
    Reg::MaskReg halves = Reg::CreateMask<half>();
    for (uint16_t i = 0; i < HALF_ROWS; ++i) {
        Reg::LoadAlign<float, Reg::LoadDist::DIST_DINTLV_B32>(even, odd, s + i * TILE);
        Reg::Muls(even, even, SCALE, all);
        Reg::Muls(odd, odd, SCALE, all);
        Reg::Max(row, even, odd, all);
        Reg::Reduce<ReduceType::MAX>(row, row, all);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(before, max + i);
        Reg::Max(row, row, before, one);
        Reg::ExpSub(scale, before, row, one);
        Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(max + i, row, one);
        Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(alpha + i, scale, one);
    }
    Reg::LocalMemBar<Reg::MemType::VEC_STORE, Reg::MemType::VEC_LOAD>();
    for (uint16_t i = 0; i < HALF_ROWS; ++i) {
        Reg::LoadAlign<float, Reg::LoadDist::DIST_DINTLV_B32>(even, odd, s + i * TILE);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(row, max + i);
        Reg::Muls(even, even, SCALE, all);
        Reg::Muls(odd, odd, SCALE, all);
        Reg::ExpSub(even, even, row, all);
        Reg::ExpSub(odd, odd, row, all);
        Reg::Add(total, even, odd, all);
        Reg::Reduce<ReduceType::SUM>(total, total, all);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(old, sum + i);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(scale, alpha + i);
        Reg::MulAddDst(total, old, scale, one);
        Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(sum + i, total, one);
        Reg::Cast<half, float, EVEN>(low, even, all);
        Reg::Cast<half, float, ODD>(high, odd, all);
        Reg::Add(low, low, high, halves); // each has zeros where the other one has values
        Reg::StoreAlign<half, Reg::DataCopyMode::DATA_BLOCK_COPY>(p + i * 16, low, PITCH, halves);
    }
}

__simd_vf__ inline void RescaleVf(__ubuf__ float* o, __ubuf__ float* pv, __ubuf__ float* alpha)
{
    Reg::RegTensor<float> old, fresh, scale;
    Reg::MaskReg all = Reg::CreateMask<float>();
    for (uint16_t i = 0; i < HALF_ROWS; ++i) {
        Reg::LoadAlign(old, o + i * DIM);
        Reg::LoadAlign(fresh, pv + i * DIM);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(scale, alpha + i);
        Reg::MulDstAdd(old, scale, fresh, all);
        Reg::StoreAlign(o + i * DIM, old, all);
    }
}

__simd_vf__ inline void FinishVf(__ubuf__ half* out, __ubuf__ float* o, __ubuf__ float* sum)
{
    Reg::RegTensor<float> row, total;
    Reg::RegTensor<half> narrow;
    Reg::MaskReg all = Reg::CreateMask<float>();
    for (uint16_t i = 0; i < HALF_ROWS; ++i) {
        Reg::LoadAlign(row, o + i * DIM);
        Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B32>(total, sum + i);
        Reg::Div(row, row, total, all);
        Reg::Cast<half, float, EVEN>(narrow, row, all);
        Reg::StoreAlign<half, Reg::StoreDist::DIST_PACK_B32>(out + i * DIM, narrow, all);
    }
}

class CubeSide {
public:
    void Run(const GlobalTensor<half>& q, const GlobalTensor<half>& k, const GlobalTensor<half>& v, uint32_t tiles)
    {
        k_ = k;
        v_ = v;
        Mutex::Lock<PIPE_MTE2>(LOCK_Q);
        ToL1(q1_, q, ROWS);
        Mutex::Unlock<PIPE_MTE2>(LOCK_Q);
        Mutex::Lock<PIPE_MTE1>(LOCK_Q);
        Scores(0);
        for (uint32_t t = 0; t < tiles; ++t) {
            if (t + 1 < tiles) {
                Scores(t + 1);
            }
            Products(t);
        }
        Mutex::Unlock<PIPE_MTE1>(LOCK_Q);
        for (uint32_t t = tiles > 2 ? tiles - 2 : 0; t < tiles; ++t) { // what nobody had to wait for
            WaitBoth<PIPE_FIX>(S_FREE);
            WaitBoth<PIPE_FIX>(PV_FREE);
        }
    }

private:
    template <pipe_t pipe> static void WaitBoth(uint16_t flag)
    {
        CrossCoreWaitFlag<4, pipe>(flag);
        CrossCoreWaitFlag<4, pipe>(static_cast<uint16_t>(flag + AIV1));
    }
    template <pipe_t pipe> static void SetBoth(uint16_t flag)
    {
        CrossCoreSetFlag<4, pipe>(flag);
        CrossCoreSetFlag<4, pipe>(static_cast<uint16_t>(flag + AIV1));
    }
    static void ToL1(const LocalTensor<half>& l1, const GlobalTensor<half>& gm, uint32_t rows)
    {
        DataCopy(l1, gm, Nd2NzParams(1, static_cast<uint16_t>(rows), DIM, 0, DIM, static_cast<uint16_t>(rows), 1, 0));
    }
    void Multiply(uint32_t n, uint32_t k, const LocalTensor<float>& c)
    {
        Mutex::Unlock<PIPE_MTE1>(LOCK_L0);
        Mutex::Lock<PIPE_M>(LOCK_L0);
        Mutex::Lock<PIPE_M>(LOCK_L0C);
        Mmad(c, a2_, b2_, MmadParams(ROWS, static_cast<uint16_t>(n), static_cast<uint16_t>(k), 0, false, true));
        Mutex::Unlock<PIPE_M>(LOCK_L0C);
        Mutex::Unlock<PIPE_M>(LOCK_L0);
    }
    void Scores(uint32_t t)
    {
        Mutex::Lock<PIPE_MTE2>(LOCK_K);
        ToL1(k1_, k_[t * TILE * DIM], TILE);
        Mutex::Unlock<PIPE_MTE2>(LOCK_K);
        Mutex::Lock<PIPE_MTE1>(LOCK_L0);
        Mutex::Lock<PIPE_MTE1>(LOCK_K);
        LoadData(a2_, q1_, LoadData2DParamsV2(0, 0, ROWS / 16, DIM / 16, ROWS / 16, ROWS / 16, false, 0));
        LoadData(b2_, k1_, LoadData2DParamsV2(0, 0, TILE / 16, DIM / 16, TILE / 16, TILE / 16, false, 0));
        Mutex::Unlock<PIPE_MTE1>(LOCK_K);
        Multiply(TILE, DIM, c_);
        if (t >= 2) {
            WaitBoth<PIPE_FIX>(S_FREE);
        }
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> f(TILE, ROWS, ROWS, TILE);
        f.dualDstCtl = 1;
        Mutex::Lock<PIPE_FIX>(LOCK_L0C);
        Fixpipe<float, float, TO_UB>(s_[t % 2 * HALF_ROWS * TILE], c_, f);
        Mutex::Unlock<PIPE_FIX>(LOCK_L0C);
        SetBoth<PIPE_FIX>(S_READY);
    }
    void Products(uint32_t t)
    {
        Mutex::Lock<PIPE_MTE2>(LOCK_V);
        ToL1(v1_, v_[t * TILE * DIM], TILE);
        Mutex::Unlock<PIPE_MTE2>(LOCK_V);
        WaitBoth<PIPE_MTE1>(P_READY);
        Mutex::Lock<PIPE_MTE1>(LOCK_L0);
        Mutex::Lock<PIPE_MTE1>(LOCK_V);
        LoadData(a2_, p1_[t % 2 * ROWS * TILE], LoadData2DParamsV2(0, 0, ROWS / 16, TILE / 16, ROWS / 16, ROWS / 16, false, 0));
        SetBoth<PIPE_MTE1>(P_FREE);
        LoadData(b2_, v1_, LoadData2DParamsV2(0, 0, TILE / 16, DIM / 16, TILE / 16, DIM / 16, true, 0));
        Mutex::Unlock<PIPE_MTE1>(LOCK_V);
        Multiply(DIM, TILE, c_);
        if (t >= 2) {
            WaitBoth<PIPE_FIX>(PV_FREE);
        }
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> f(DIM, ROWS, ROWS, DIM);
        f.dualDstCtl = 1;
        Mutex::Lock<PIPE_FIX>(LOCK_L0C);
        Fixpipe<float, float, TO_UB>(pv_[t % 2 * HALF_ROWS * DIM], c_, f);
        Mutex::Unlock<PIPE_FIX>(LOCK_L0C);
        SetBoth<PIPE_FIX>(PV_READY);
    }

    LocalTensor<half> p1_{TPosition::A1, P1_AT, 2 * ROWS * TILE}, q1_{TPosition::A1, Q1_AT, ROWS * DIM},
        k1_{TPosition::B1, K1_AT, TILE * DIM}, v1_{TPosition::B1, V1_AT, TILE * DIM}, a2_{TPosition::A2, 0, ROWS * TILE},
        b2_{TPosition::B2, 0, TILE * DIM};
    LocalTensor<float> c_{TPosition::CO1, 0, ROWS * TILE}, s_{TPosition::VECIN, S_AT, 2 * HALF_ROWS * TILE},
        pv_{TPosition::VECIN, PV_AT, 2 * HALF_ROWS * DIM};
    GlobalTensor<half> k_, v_;
};

class VectorSide {
public:
    void Run(const GlobalTensor<half>& out, uint32_t tiles)
    {
        Duplicate(max_, LOWEST, HALF_ROWS);
        Duplicate(sum_, 0.0f, HALF_ROWS);
        Duplicate(o_, 0.0f, HALF_ROWS * DIM);
        Softmax(0);
        for (uint32_t t = 0; t < tiles; ++t) {
            if (t + 1 < tiles) {
                Softmax(t + 1);
            }
            CrossCoreWaitFlag<4, PIPE_V>(PV_READY);
            asc_vf_call<RescaleVf>(At<float>(o_), At<float>(pv_) + t % 2 * HALF_ROWS * DIM, At<float>(alpha_) + t % 2 * HALF_ROWS);
            CrossCoreSetFlag<4, PIPE_V>(PV_FREE);
        }
        asc_vf_call<FinishVf>(At<half>(out_), At<float>(o_), At<float>(sum_));
        SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
        DataCopy(out, out_, HALF_ROWS * DIM);
        for (uint32_t t = tiles > 2 ? tiles - 2 : 0; t < tiles; ++t) {
            CrossCoreWaitFlag<4, PIPE_MTE3>(P_FREE);
            WaitFlag<HardEvent::MTE3_V>(static_cast<int32_t>(t % 2));
        }
    }

private:
    template <typename T, typename U> static __ubuf__ T* At(const LocalTensor<U>& tensor) { return (__ubuf__ T*)tensor.GetPhyAddr(); }
    void Softmax(uint32_t t)
    {
        const auto slot = static_cast<int32_t>(t % 2);
        CrossCoreWaitFlag<4, PIPE_V>(S_READY);
        if (t >= 2) {
            WaitFlag<HardEvent::MTE3_V>(slot); // the copy of two tiles ago is out of this slot
        }
        asc_vf_call<SoftmaxVf>(At<half>(p_[slot * P_BYTES / 2]), At<float>(s_[slot * HALF_ROWS * TILE]), At<float>(max_),
            At<float>(sum_), At<float>(alpha_[slot * HALF_ROWS]));
        CrossCoreSetFlag<4, PIPE_V>(S_FREE);
        SetFlag<HardEvent::V_MTE3>(slot);
        WaitFlag<HardEvent::V_MTE3>(slot);
        if (t >= 2) {
            CrossCoreWaitFlag<4, PIPE_MTE3>(P_FREE);
        }
        const uint32_t mine = static_cast<uint32_t>(GetSubBlockIdx()) * HALF_ROWS * 16;
        DataCopy(p1_[slot * ROWS * TILE + mine], p_[slot * P_BYTES / 2], DataCopyParams(TILE / 16, HALF_ROWS, PITCH - HALF_ROWS, ROWS - HALF_ROWS));
        SetFlag<HardEvent::MTE3_V>(slot);
        CrossCoreSetFlag<4, PIPE_MTE3>(P_READY);
    }

    LocalTensor<float> s_{TPosition::VECIN, S_AT, 2 * HALF_ROWS * TILE}, pv_{TPosition::VECIN, PV_AT, 2 * HALF_ROWS * DIM},
        o_{TPosition::VECCALC, O_AT, HALF_ROWS * DIM}, max_{TPosition::VECCALC, MAX_AT, HALF_ROWS},
        sum_{TPosition::VECCALC, SUM_AT, HALF_ROWS}, alpha_{TPosition::VECCALC, ALPHA_AT, 2 * HALF_ROWS};
    LocalTensor<half> p_{TPosition::VECOUT, P_AT, P_BYTES}, out_{TPosition::VECOUT, OUT_AT, HALF_ROWS * DIM},
        p1_{TPosition::A1, P1_AT, 2 * ROWS * TILE};
};

extern "C" __global__ __aicore__ void attention_3510(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<int32_t> sizes;
    sizes.SetGlobalBuffer((__gm__ int32_t*)select);
    GlobalTensor<half> query, key, value, result;
    query.SetGlobalBuffer((__gm__ half*)q);
    key.SetGlobalBuffer((__gm__ half*)k);
    value.SetGlobalBuffer((__gm__ half*)v);
    result.SetGlobalBuffer((__gm__ half*)out);
    const uint32_t tiles = static_cast<uint32_t>(sizes.GetValue(1)) / TILE;
    if ASCEND_IS_AIC {
        CubeSide side;
        side.Run(query[static_cast<uint64_t>(GetBlockIdx()) * ROWS * DIM], key, value, tiles);
    } else {
        VectorSide side;
        side.Run(result[static_cast<uint64_t>(GetBlockIdx()) * HALF_ROWS * DIM], tiles);
    }
}
