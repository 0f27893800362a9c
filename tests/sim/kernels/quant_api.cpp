// One product of 32 x 32 x 32 and a fixpipe that quantises. select: {A and B int8, quantPre, 8-bit type is signed, form
// (0 row by row, 1 NZ, 2 by way of L1), relu, vector parameters are set}; see tests/sim/test_quant_api.py.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t SIDE = 32;

template <typename D, typename C> void Store(GM_ADDR outGm, const LocalTensor<C>& c, FixpipeParamsV220 f, int32_t form)
{
    GlobalTensor<D> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(outGm));
    if (form == 0) {
        f.dstStride = SIDE + 3;
        Fixpipe<D, C, CFG_ROW_MAJOR>(out, c, f);
    } else {
        f.dstStride = SIDE;
        Fixpipe<D, C, CFG_NZ>(out, c, f);
    }
}

template <typename D, typename T, typename C> void StoreNear(GM_ADDR outGm, const LocalTensor<C>& c, FixpipeParamsV220 f)
{
    if constexpr (sizeof(D) == sizeof(T)) { // a product of the quantised matrix with itself shows what lies in L1
        LocalTensor<D> near(TPosition::A1, 131072, SIDE * SIDE);
        f.dstStride = SIDE;
        Fixpipe<D, C, CFG_NZ>(near, c, f);
        SetFlag<HardEvent::FIX_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::FIX_MTE1>(EVENT_ID0);
        LocalTensor<D> left(TPosition::A2, 32768, SIDE * SIDE), right(TPosition::B2, 32768, SIDE * SIDE);
        constexpr uint32_t fractals = SIDE * SIDE * sizeof(D) / 512;
        LoadData2DParams load;
        load.srcStride = 1;
        load.repeatTimes = fractals;
        if constexpr (sizeof(D) == 1) {
            LoadData(left, near, load);
        } else {
            load.repeatTimes = 2;
            load.srcStride = 2;
            LoadData(left, near, load);
            load.startIndex = 1;
            LoadData(left[SIDE * 16], near, load);
            load.startIndex = 0;
            load.repeatTimes = fractals;
            load.srcStride = 1;
        }
        LoadData(right, near, load);
        SetFlag<HardEvent::MTE1_M>(EVENT_ID1);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID1);
        LocalTensor<C> again(TPosition::CO1, 65536, SIDE * SIDE);
        Mmad(again, left, right, MmadParams(SIDE, SIDE, SIDE, 0, false, true));
        SetFlag<HardEvent::M_FIX>(EVENT_ID1);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID1);
        GlobalTensor<C> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(outGm));
        Fixpipe<C, C, CFG_ROW_MAJOR>(out, again, FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, false));
    }
}

template <typename T, typename C> void Run(GM_ADDR aGm, GM_ADDR bGm, GM_ADDR quantGm, GM_ADDR outGm, const int32_t* choice)
{
    constexpr uint32_t c0 = 32 / sizeof(T), kf = SIDE / c0;
    LocalTensor<T> a1(TPosition::A1, 0, SIDE * SIDE), b1(TPosition::B1, 8192, SIDE * SIDE);
    LocalTensor<T> a2(TPosition::A2, 0, SIDE * SIDE), b2(TPosition::B2, 0, SIDE * SIDE);
    LocalTensor<uint64_t> quant1(TPosition::C1, 16384, SIDE), quant2(TPosition::C2PIPE2GM, 0, SIDE);
    LocalTensor<C> c(TPosition::CO1, 0, SIDE * SIDE);
    GlobalTensor<T> a, b;
    GlobalTensor<uint64_t> quant;
    a.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(aGm));
    b.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bGm));
    quant.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(quantGm));
    DataCopy(a1, a, Nd2NzParams(1, SIDE, SIDE, 0, SIDE, SIDE, 1, 0));
    DataCopy(b1, b, Nd2NzParams(1, SIDE, SIDE, 0, SIDE, SIDE, 1, 0));
    DataCopy(quant1, quant[1], SIDE);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    SetFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    if (choice[5] != 0) {
        DataCopy(quant2, quant1, DataCopyParams(1, SIDE * 8 / 128, 0, 0));
        SetFixPipeConfig(quant2);
        PipeBarrier<PIPE_FIX>();
    }
    LoadData2DParams load;
    load.repeatTimes = kf;
    load.srcStride = SIDE / 16;
    for (uint32_t i = 0; i < SIDE / 16; ++i) {
        load.startIndex = static_cast<uint16_t>(i);
        LoadData(a2[i * 16 * SIDE], a1, load);
    }
    load.startIndex = 0;
    load.srcStride = 1;
    load.repeatTimes = kf * SIDE / 16;
    LoadData(b2, b1, load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(c, a2, b2, MmadParams(SIDE, SIDE, SIDE, 0, false, true));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 f(SIDE, SIDE, SIDE, SIDE, choice[4] != 0);
    f.quantPre = static_cast<QuantMode_t>(choice[1]);
    f.deqScalar = quant.GetValue(0);
    const bool half16 = f.quantPre == QuantMode_t::DEQF16 || f.quantPre == QuantMode_t::VDEQF16;
    if (choice[3] == 2) {
        StoreNear<int8_t, T>(outGm, c, f);
    } else if (half16) {
        Store<half>(outGm, c, f, choice[3]);
    } else if (choice[2] != 0) {
        Store<int8_t>(outGm, c, f, choice[3]);
    } else {
        Store<uint8_t>(outGm, c, f, choice[3]);
    }
}

extern "C" __global__ __aicore__ void quant_api(GM_ADDR a, GM_ADDR b, GM_ADDR quant, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<int32_t> v;
    v.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select));
    int32_t choice[6];
    for (uint32_t i = 0; i < 6; ++i) {
        choice[i] = v.GetValue(i);
    }
    if (choice[0] != 0) {
        Run<int8_t, int32_t>(a, b, quant, out, choice);
    } else {
        Run<half, float>(a, b, quant, out, choice);
    }
}
