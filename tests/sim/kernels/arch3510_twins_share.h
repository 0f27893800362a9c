// Twins of what AIC and AIVs of 3510 share, and of the cube's new forms; as arch3510_twins_vf.h.
#pragma once
#include "arch3510_twins_vf.h"

namespace twins3510 {
constexpr FixpipeConfig ROWS_UB = {CO2Layout::ROW_MAJOR, true}, COLUMNS_UB = {CO2Layout::COLUMN_MAJOR, true};
constexpr uint32_t SIDE = 32; // of every matrix

struct Near { // memories of an AIC
    LocalTensor<half> a1{TPosition::A1, 0, SIDE * SIDE}, b1{TPosition::B1, 4096, SIDE * SIDE}, a2{TPosition::A2, 0, SIDE * SIDE},
        b2{TPosition::B2, 0, SIDE * SIDE};
    LocalTensor<float> c{TPosition::CO1, 0, SIDE * SIDE}, ub{TPosition::VECIN, 0, SIDE * SIDE * 2};
};
inline LocalTensor<float> Far() { return {TPosition::VECOUT, 16384, N}; } // in UB, away from what the AIC writes
inline GlobalTensor<half> Halves(const Args& g)
{
    GlobalTensor<half> in;
    in.SetGlobalBuffer((__gm__ half*)g.in.GetPhyAddr());
    return in;
}

// A product in L0C, ready for the fixpipe.
inline void Product(const Args& g, const Near& n)
{
    const Nd2NzParams nd(1, SIDE, SIDE, 0, SIDE, SIDE, 1, 0);
    DataCopy(n.a1, Halves(g), nd);
    DataCopy(n.b1, Halves(g), nd);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const LoadData2DParamsV2 load(0, 0, SIDE / 16, SIDE / 16, SIDE / 16, SIDE / 16, false, 0);
    LoadData(n.a2, n.a1, load);
    LoadData(n.b2, n.b1, load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(n.c, n.a2, n.b2, MmadParams(SIDE, SIDE, SIDE, 0, false, true));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
}
inline FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> Rows() { return {SIDE, SIDE, SIDE, SIDE}; }

enum ToUb { NO_WAIT, OTHER_PIPE, NO_FREE, NO_SET, LEFT_SET, OVERFLOW_FLAG, FLAG_ID, SECOND_ID, FROM_ABOVE, PAST_UB, TWO_PIPES };

// L0C -> UB of AIV0, which reads it and then lets the AIC write again.
inline void ScoresToUb(const Args& g, ToUb what, bool bad)
{
    if ASCEND_IS_AIC {
        Near n;
        Product(g, n);
        const bool past = bad && what == PAST_UB;
        LocalTensor<float> ub(TPosition::VECIN, past ? 248 * 1024 - 4096 + 32 : 0, past ? SIDE * SIDE - 8 : SIDE * SIDE);
        if (what == FROM_ABOVE && !bad) {
            CrossCoreSetFlag<4, PIPE_FIX>(16); // flag 0 of AIV1
        }
        Fixpipe<float, float, ROWS_UB>(ub, n.c, Rows()); // blame to_ub other to_ub
        if (!(bad && what == NO_SET)) {
            CrossCoreSetFlag<4, PIPE_FIX>(bad && what == FLAG_ID ? 11 : 0); // blame flag_id
        }
        for (int32_t i = 0; bad && what == OVERFLOW_FLAG && i < 15; ++i) {
            CrossCoreSetFlag<4, PIPE_FIX>(0); // blame overflow_mode4
        }
        if (bad && what == LEFT_SET) {
            CrossCoreSetFlag<4, PIPE_FIX>(1); // blame left_mode4
        }
        if (!(bad && what == NO_FREE)) {
            CrossCoreWaitFlag<4, PIPE_FIX>(bad && what == SECOND_ID ? 17 : 1); // blame second_id
        }
        Fixpipe<float, float, ROWS_UB>(ub, n.c, Rows()); // blame again_to_ub other again_to_ub
        CrossCoreSetFlag<4, PIPE_FIX>(0);
        return;
    }
    if (GetSubBlockIdx() == 1) {
        if (what == FROM_ABOVE) {
            CrossCoreWaitFlag<4, PIPE_V>(0); // blame from_above
        }
        return;
    }
    Tiles t;
    if (!(bad && what == NO_WAIT)) {
        if (bad && what == OTHER_PIPE) {
            CrossCoreWaitFlag<4, PIPE_MTE3>(0);
        } else {
            CrossCoreWaitFlag<4, PIPE_V>(0); // blame never_set
        }
    }
    Adds(Far(), t.x, 1.0f, N); // blame from_cube other from_cube
    if (what == TWO_PIPES) { // what one pipe waited for, another one knows after a flag
        if (!bad) {
            SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
        }
        DataCopy(g.out[1024], t.x, N); // blame two_pipes
        SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }
    CrossCoreSetFlag<4, PIPE_V>(1);
    CrossCoreWaitFlag<4, PIPE_V>(0);
    if (bad && (what == NO_WAIT || what == OTHER_PIPE)) {
        return;
    }
    Adds(Far(), t.x, 1.0f, N);
}

enum ToL1 { L1_NO_WAIT, L1_NO_FREE, L1_PAST, L1_PIPE };
// UB of AIV0 -> L1, which the AIC loads; then once more.
inline void ValuesToL1(const Args& g, ToL1 what, bool bad)
{
    const uint32_t rows = bad && what == L1_PAST ? 33 : 32;
    LocalTensor<half> l1(TPosition::A1, 512 * 1024 - 2048, 1024);
    if ASCEND_IS_AIC {
        Near n;
        const LoadData2DParamsV2 load(0, 0, SIDE / 16, SIDE / 16, SIDE / 16, SIDE / 16, false, 0);
        if (!(bad && what == L1_NO_WAIT)) {
            if (bad && what == L1_PIPE) {
                CrossCoreWaitFlag<4, PIPE_MTE2>(2);
            } else {
                CrossCoreWaitFlag<4, PIPE_MTE1>(2);
            }
        }
        LoadData(n.a2, l1, load); // blame from_vector other from_vector
        CrossCoreSetFlag<4, PIPE_MTE1>(3);
        CrossCoreWaitFlag<4, PIPE_MTE1>(2);
        return;
    }
    if (GetSubBlockIdx() == 1) {
        return;
    }
    LocalTensor<half> ub(TPosition::VECIN, 0, 2048);
    Duplicate(ub, static_cast<half>(1.0f), 2048);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(l1, ub, DataCopyParams(1, static_cast<uint16_t>(rows * 2), 0, 0)); // blame to_l1 other to_l1
    CrossCoreSetFlag<4, PIPE_MTE3>(2);
    if (!(bad && what == L1_NO_FREE)) {
        CrossCoreWaitFlag<4, PIPE_MTE3>(3);
    }
    DataCopy(l1, ub, 1024); // blame again_to_l1 other again_to_l1
    CrossCoreSetFlag<4, PIPE_MTE3>(2);
    if (bad && what == L1_NO_FREE) {
        CrossCoreWaitFlag<4, PIPE_MTE3>(3);
    }
    (void)g;
}

// L1 -> UB of AIV0.
inline void L1ToUb(const Args& g, bool bad, bool wrongCore)
{
    LocalTensor<float> l1(TPosition::C1, 0, 1024), ub(TPosition::VECIN, 0, 1024);
    if ASCEND_IS_AIC {
        DataCopy(l1, g.in, 1024);
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        DataCopyL1ToUB<float, 0>(ub, l1, 1024); // other l1_to_ub
        CrossCoreSetFlag<4, PIPE_MTE1>(0);
        return;
    }
    if (GetSubBlockIdx() == 1) {
        if (wrongCore && bad) {
            DataCopyL1ToUB<float, 1>(ub, l1, 1024); // blame l1_to_ub_on_aiv
        }
        return;
    }
    if (!bad || wrongCore) {
        CrossCoreWaitFlag<4, PIPE_MTE3>(0);
    }
    DataCopy(g.out, ub, 1024); // blame l1_to_ub
    if (bad && !wrongCore) {
        CrossCoreWaitFlag<4, PIPE_MTE3>(0);
    }
}

// Nothing has put all of L0C there: it goes through UB and out.
inline void NobodyInL0C(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        Near n;
        Product(g, n);
        auto f = Rows();
        f.dualDstCtl = 1;
        LocalTensor<float> c(TPosition::CO1, bad ? 1024 : 0, SIDE * SIDE * 2);
        Fixpipe<float, float, ROWS_UB>(n.ub, c, f);
        CrossCoreSetFlag<4, PIPE_FIX>(0);
        CrossCoreSetFlag<4, PIPE_FIX>(16);
        return;
    }
    Tiles t;
    CrossCoreWaitFlag<4, PIPE_V>(0);
    asc_vf_call<CopyVf>(Tiles::At(Far()), Tiles::At(t.x), N);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(g.out[GetSubBlockIdx() * N], Far(), N); // blame nobody_in_l0c
}

enum Form { SPLIT_ROWS, SPLIT_COLUMNS, SPLIT_RELU, NOT_TO_UB, UB_ALIGN, UB_ROW, COLUMN_STRIDE, QUANT, DUAL_VALUE, L1_TO_GM,
    NO_REPEAT, REPEAT_STRIDE, ODD_SQUARE, L0A_PAST, STEP, FIX_FLAG, NO_AIC_VECTOR };
inline void CubeForm(const Args& g, Form form, bool bad)
{
    Near n;
    if (form == NO_AIC_VECTOR) {
        if (bad) {
            asc_vf_call<CopyVf>((__ubuf__ float*)n.ub.GetPhyAddr(), (__ubuf__ float*)n.ub.GetPhyAddr(), N); // blame aic_vector
        }
        return;
    }
    if (form == L1_TO_GM) {
        LocalTensor<float> l1(TPosition::C1, 0, 1024);
        DataCopy(l1, g.in, 1024);
        if (bad) {
            SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
            DataCopy(g.out, l1, 1024); // blame l1_to_gm
        }
        return;
    }
    if (form >= NO_REPEAT && form <= STEP) {
        DataCopy(n.a1, Halves(g), Nd2NzParams(1, SIDE, SIDE, 0, SIDE, SIDE, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        if (form == ODD_SQUARE) {
            LocalTensor<int8_t> to(TPosition::B2, 0, 4096);
            LoadData(to, n.a1.ReinterpretCast<int8_t>(), LoadData2DParamsV2(0, 0, bad ? 1 : 2, 1, 2, 2, true, 0)); // blame odd_square
            return;
        }
        if (form == STEP) {
            LoadData(n.a2, n.a1, LoadData2DParamsV2(0, 0, bad ? 256 : 2, 2, 2, 2, false, 0)); // blame load_step
            return;
        }
        if (form == L0A_PAST) {
            LocalTensor<half> to(TPosition::A2, 65536 - 2048, 1024);
            LoadData(to, n.a1, LoadData2DParamsV2(0, 0, 2, 2, 2, bad ? 3 : 2, false, 0)); // blame l0a_past
            return;
        }
        if (!(bad && form == NO_REPEAT)) {
            SetLoadDataRepeat(LoadDataRepeatParam(0, 1, 0, bad ? 1 : 2));
        }
        LoadData3DParamsV2<half> image;
        image.l1H = 1;
        image.l1W = image.channelSize = image.mExtension = image.kExtension = SIDE;
        LoadData(n.a2, n.a1, image); // blame load_image
        return;
    }
    Product(g, n);
    auto f = Rows();
    f.mSize = bad && form == SPLIT_ROWS ? 31 : SIDE;
    f.nSize = bad && form == SPLIT_COLUMNS ? 16 : bad && form == UB_ROW ? 20 : SIDE;
    f.dualDstCtl = form == SPLIT_COLUMNS ? 2 : bad && form == DUAL_VALUE ? 3 : form == UB_ROW ? 0 : 1;
    f.reluEn = bad && form == SPLIT_RELU;
    f.quantPre = bad && form == QUANT ? QuantMode_t::F322F16 : QuantMode_t::NoQuant;
    f.unitFlag = bad && form == FIX_FLAG ? 1 : 0;
    if (form == COLUMN_STRIDE) {
        FixpipeParamsArch3510<CO2Layout::COLUMN_MAJOR> columns(SIDE, SIDE, SIDE, SIDE);
        columns.params.srcNzC0Stride = bad ? 0 : 1;
        Fixpipe<float, float, COLUMNS_UB>(n.ub, n.c, columns); // blame column_stride
    } else if (form == NOT_TO_UB) {
        f.dualDstCtl = 0;
        LocalTensor<float> l1(TPosition::C1, 16384, SIDE * SIDE);
        Fixpipe<float, float>(bad ? n.ub : l1, n.c, f); // blame not_to_ub
    } else {
        Fixpipe<float, float, ROWS_UB>(n.ub[bad && form == UB_ALIGN ? 4 : 0], n.c, f); // blame fix_form
    }
}

// 0 to 10: scores, 11 to 14: values, 15 and 16: L1 to UB, 17: nobody, 18 and up: forms of the AIC alone
inline bool RunShare(int32_t id, bool bad, const Args& g)
{
    if (GetBlockIdx() / (ASCEND_IS_AIC ? 1 : 2) != 0) {
        return true;
    }
    if (id <= TWO_PIPES) {
        ScoresToUb(g, static_cast<ToUb>(id), bad);
    } else if (id < 15) {
        ValuesToL1(g, static_cast<ToL1>(id - 11), bad);
    } else if (id < 17) {
        L1ToUb(g, bad, id == 16);
    } else if (id == 17) {
        NobodyInL0C(g, bad);
    } else if (id <= 18 + NO_AIC_VECTOR) {
        if ASCEND_IS_AIC {
            CubeForm(g, static_cast<Form>(id - 18), bad);
        }
    } else {
        return false;
    }
    return true;
}
} // namespace twins3510
