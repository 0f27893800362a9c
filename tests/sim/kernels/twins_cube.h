// Cube-side twins and twins across cores; see twins_vector.h.
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins {
using namespace AscendC;
constexpr uint32_t M = 32, NC = 32, K = 64;

enum CubeFault {
    CLEAN, NO_MTE2_MTE1, NO_MTE1_M, NO_M_FIX, NO_PIPE_M, C_MISALIGNED, QUANT, L0C_PAST, L1_PAST, L0_REUSE, L0C_REUSE,
    OPERANDS, TAKEN_ID, BIG_M, COPY_TO_UB
};

inline void Product(const Args& g, CubeFault what)
{
    LocalTensor<half> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, M * K * 2, NC * K);
    LocalTensor<half> a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, NC * K);
    LocalTensor<float> c(TPosition::CO1, what == C_MISALIGNED ? 512 : 0, M * NC);
    GlobalTensor<half> half16 = g.in.ReinterpretCast<half>();
    Nd2NzParams nd;
    nd.ndNum = 1;
    nd.nValue = M;
    nd.dValue = K;
    nd.srcDValue = K;
    nd.dstNzC0Stride = static_cast<uint16_t>(what == L1_PAST ? M + 1 : M);
    nd.dstNzNStride = 1;
    DataCopy(a1, half16, nd); // blame l1_past
    nd.dstNzC0Stride = M;
    DataCopy(b1, half16[M * K], nd); // other mte2_mte1
    if (what == COPY_TO_UB) {
        DataCopy(LocalTensor<half>(TPosition::VECIN, 0, 64), half16, 64); // blame copy_to_ub
    }
    if (what != NO_MTE2_MTE1) {
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    }
    LoadData2DParams load;
    load.repeatTimes = K / 16;
    load.srcStride = M / 16;
    for (uint32_t i = 0; i < M / 16; ++i) {
        load.startIndex = static_cast<uint16_t>(i);
        LoadData(a2[i * 16 * K], a1, load); // blame mte2_mte1
    }
    load.startIndex = 0;
    load.srcStride = 1;
    load.repeatTimes = K / 16 * NC / 16;
    LoadData(b2, b1, load);
    if (what != NO_MTE1_M) {
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    }
    MmadParams mm;
    mm.m = what == BIG_M ? 4096 : M;
    mm.n = what == L0C_PAST ? NC + 16 : NC;
    mm.k = K;
    if (what == OPERANDS) {
        Mmad(c, b2, b2, mm); // blame operands
    }
    if (what == L0C_PAST) {
        mm.k = 16;
    }
    Mmad(c, a2, b2, mm); // blame first_mmad
    if (what != NO_PIPE_M) {
        PipeBarrier<PIPE_M>();
    }
    mm.cmatrixInitVal = false;
    Mmad(c, a2, b2, mm); // blame pipe_m
    if (what == L0_REUSE) {
        LoadData(b2, b1, load); // blame l0_reuse
    }
    if (what != NO_M_FIX) {
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }
    FixpipeParamsV220 fix;
    fix.nSize = NC;
    fix.mSize = M;
    fix.srcStride = M;
    fix.dstStride = NC;
    fix.quantPre = what == QUANT ? QuantMode_t::F322F16 : QuantMode_t::NoQuant;
    Fixpipe<float, float, CFG_ROW_MAJOR>(g.out, c, fix); // blame fixpipe
    if (what == L0C_REUSE) {
        mm.cmatrixInitVal = true;
        Mmad(c, a2, b2, mm); // blame l0c_reuse
    }
}

inline void TakenId(const Args&, bool bad)
{
    TPipe pipe;
    int32_t id = bad ? 2 : 3;
    SetFlag<HardEvent::M_MTE1>(id); // blame taken_id
    WaitFlag<HardEvent::M_MTE1>(id);
}

// Ping-pong between AIC and both AIVs of each block.
enum CrossFault {
    GOOD, NO_SET, NO_WAIT, OVERFLOW, RESERVED, HALF_SET, LATE_SET, SYNC_SKIPPED, SYNC_AIC, SET_ON_M, READS_LATE, NO_READY_WAIT
};
inline void PingPong(const Args& g, CrossFault what)
{
    constexpr uint16_t READY = 1, DONE = 2;
    uint32_t block = static_cast<uint32_t>(ASCEND_IS_AIC ? GetBlockIdx() : GetBlockIdx() / GetSubBlockNum());
    GlobalTensor<float> work = g.work[block * M * NC];
    if ASCEND_IS_AIC {
        for (uint32_t turn = 0; turn < 3; ++turn) {
            if (what == LATE_SET) {
                CrossCoreWaitFlag(DONE); // blame late_set
            }
            Args to = g;
            to.out = work;
            Product(to, CLEAN);
            if (what == OVERFLOW) {
                for (int i = 0; i < 15; ++i) {
                    CrossCoreSetFlag<2, PIPE_FIX>(READY);
                }
            }
            if (what == RESERVED) {
                CrossCoreSetFlag<2, PIPE_FIX>(12); // blame reserved
            }
            if (what == SET_ON_M) {
                CrossCoreSetFlag<2, PIPE_M>(READY);
            } else if (what != NO_SET) {
                CrossCoreSetFlag<2, PIPE_FIX>(READY); // blame overflow
            }
            if (what != LATE_SET && !(what == NO_WAIT && turn == 2)) {
                CrossCoreWaitFlag<2, PIPE_MTE2>(DONE); // blame half_set
            }
        }
        if (what == SYNC_AIC) {
            SyncAll(); // blame sync_aic
        }
        return;
    }
    uint32_t row = static_cast<uint32_t>(GetSubBlockIdx()) * M / 2;
    LocalTensor<float> x(TPosition::VECIN, 0, M / 2 * NC);
    for (uint32_t turn = 0; turn < 3; ++turn) {
        if (what == READS_LATE) { // says done before it has read
            CrossCoreWaitFlag(READY);
            CrossCoreSetFlag<2, PIPE_MTE2>(DONE);
        } else if (what != NO_READY_WAIT) {
            CrossCoreWaitFlag(READY); // blame no_set
        }
        DataCopy(x, work[row * NC], M / 2 * NC); // other ping_pong
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Muls(x, x, 2.0f, M / 2 * NC);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(g.out[block * M * NC + row * NC], x, M / 2 * NC);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        if (what != READS_LATE && !(what == HALF_SET && GetSubBlockIdx() == 1)) {
            CrossCoreSetFlag<2, PIPE_MTE2>(DONE); // blame no_wait
        }
    }
    if (what == SYNC_SKIPPED && GetBlockIdx() == 1) {
        return;
    }
    SyncAll(); // blame sync_skipped
}

inline bool RunCube(int32_t id, bool bad, const Args& g)
{
    constexpr CubeFault kinds[] = {NO_MTE2_MTE1, NO_MTE1_M, NO_M_FIX, NO_PIPE_M, C_MISALIGNED, QUANT, L0C_PAST, L1_PAST,
        L0_REUSE, L0C_REUSE, OPERANDS, BIG_M, COPY_TO_UB};
    constexpr int32_t count = sizeof(kinds) / sizeof(kinds[0]);
    if (id < count) {
        Product(g, bad ? kinds[id] : CLEAN);
        return true;
    }
    if (id == count) {
        TakenId(g, bad);
        return true;
    }
    return false;
}
inline void RunCross(int32_t id, bool bad, const Args& g)
{
    PingPong(g, bad ? static_cast<CrossFault>(id + 1) : GOOD);
}
} // namespace twins
