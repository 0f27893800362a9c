// Twins about limits, alignment, wrong memories and lengths: vector calls on the first vector core, cube calls and their
// unwritten operands on the first cube core. See twins_vector.h for the markers.
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins {
using namespace AscendC;

// ---- vector core
inline void BurstCount(const Args& g, bool bad)
{
    DataCopyParams p(static_cast<uint16_t>(bad ? 4096 : 4095), 1, 0, 0);
    LocalTensor<float> x(TPosition::VECIN, 0, 8 * 4096);
    p.srcStride = 0;
    DataCopy(x, g.in, bad ? p : DataCopyParams(511, 1, 0, 0)); // blame burst_count
}
inline void BurstLength(const Args& g, bool bad)
{
    LocalTensor<float> x(TPosition::VECIN, 0, 2048);
    DataCopy(x, g.in, bad ? 2100000u : 64u); // blame burst_length
}
inline void OddElement(const Args& g, bool bad)
{
    LocalTensor<half> x(TPosition::VECIN, 0, 64);
    GlobalTensor<uint8_t> bytes = g.in.ReinterpretCast<uint8_t>()[bad ? 1 : 2];
    DataCopy(x, bytes.ReinterpretCast<half>(), 64); // blame odd_element
}
inline void PadBursts(const Args& g, bool bad)
{
    LocalTensor<float> x(TPosition::VECIN, 0, 64);
    DataCopyExtParams p(1, bad ? 2097152u : 4u, 0, 0, 0);
    DataCopyPad(x, g.in, p, DataCopyPadExtParams<float>()); // blame pad_bursts
}
inline void CopyOutMisaligned(const Args& g, bool bad)
{
    LocalTensor<float> x(TPosition::VECOUT, 0, 128);
    Duplicate(x, 1.0f, 128);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(g.out, x[bad ? 4 : 8], DataCopyExtParams(1, 32, 0, 0, 0)); // blame copy_out_misaligned
}
inline void ReduceMisaligned(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 128), y(TPosition::VECCALC, 1024, 64);
    Duplicate(x, 1.0f, 128);
    PipeBarrier<PIPE_V>();
    WholeReduceMax(y[bad ? 1 : 2], x, 64, 2, 1, 1, 8); // blame reduce_misaligned
}
inline void BlockReduceMisaligned(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 128), y(TPosition::VECCALC, 1024, 64);
    Duplicate(x, 1.0f, 128);
    PipeBarrier<PIPE_V>();
    BlockReduceSum(y[bad ? 4 : 8], x, 2, 64, 1, 1, 8); // blame block_reduce
}
inline void HalfMask(const Args&, bool bad)
{
    LocalTensor<half> x(TPosition::VECCALC, 0, 256);
    Duplicate(x, static_cast<half>(1.0f), static_cast<uint64_t>(bad ? 129 : 128), 1, 1, 8); // blame half_mask
}
inline void IntCompare(const Args&, bool bad)
{
    LocalTensor<int32_t> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 1024, 64);
    Duplicate(x, 1, 64);
    Duplicate(y, 1, 64);
    PipeBarrier<PIPE_V>();
    Compare(LocalTensor<uint8_t>(TPosition::VECCALC, 2048, 32), x, y, bad ? CMPMODE::LT : CMPMODE::EQ, 64u); // blame int_compare
}
inline void SelectMode(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 64);
    LocalTensor<uint8_t> bits(TPosition::VECCALC, 1024, 32);
    Duplicate(x, 1.0f, 64);
    Duplicate(bits.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(1), 16);
    PipeBarrier<PIPE_V>();
    Select(x, bits, x, 0.0f, bad ? SELMODE::VSEL_TENSOR_TENSOR_MODE : SELMODE::VSEL_TENSOR_SCALAR_MODE, 64u); // blame select_mode
}
inline void CastFromHalf(const Args&, bool bad)
{
    LocalTensor<half> x(TPosition::VECCALC, 0, 64);
    Duplicate(x, static_cast<half>(1.0f), 64);
    PipeBarrier<PIPE_V>();
    Cast(LocalTensor<float>(TPosition::VECCALC, 1024, 64), x, bad ? RoundMode::CAST_RINT : RoundMode::CAST_NONE, 64u); // blame cast_from_half
}
inline void CastToInt(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 64);
    Duplicate(x, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Cast(LocalTensor<int32_t>(TPosition::VECCALC, 1024, 64), x, bad ? RoundMode::CAST_ODD : RoundMode::CAST_TRUNC, 64u); // blame cast_to_int
}
inline void BrcbStride(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 8), y(TPosition::VECCALC, 1024, 256);
    Duplicate(x, 1.0f, 8);
    PipeBarrier<PIPE_V>();
    Brcb(y, x, 1, BrcbRepeatParams(bad ? 0 : 1, 8)); // blame brcb_stride
}
inline void BrcbMisaligned(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 1024, 256);
    Duplicate(x, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Brcb(y, x[bad ? 4 : 8], 1, BrcbRepeatParams(1, 8)); // blame brcb_misaligned
}
inline void QueueBuffers(const Args&, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, static_cast<uint8_t>(bad ? 9 : 8), 32); // blame queue_buffers
}
inline void QueueUnknown(const Args& g, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    if (!bad) {
        pipe.InitBuffer(in, 1, 1024);
    }
    LocalTensor<float> x = in.AllocTensor<float>(); // blame queue_unknown
    DataCopy(x, g.in, 64);
    in.EnQue(x);
    in.FreeTensor(in.DeQue<float>());
}
inline void CrossFlagId(const Args&, bool bad)
{
    if (bad) {
        CrossCoreSetFlag<0, PIPE_MTE3>(16); // blame cross_flag_id
    }
}
inline void WaitReserved(const Args&, bool bad)
{
    if (bad) {
        CrossCoreWaitFlag(14); // blame wait_reserved
    }
}
inline void SpreadPast(const Args&, bool bad) // the last repeat of a strided call leaves the tensor
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 8 * 64);
    Duplicate(x, 1.0f, static_cast<uint64_t>(64), bad ? 5 : 4, 1, 16); // blame spread_past
}
inline void CounterPast(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 192);
    SetMaskCount();
    Duplicate(x, 1.0f, static_cast<uint64_t>(bad ? 200 : 192), 1, 1, 8); // blame counter_past
    SetMaskNorm();
    ResetMask();
}
inline void ScalarPast(const Args& g, bool bad)
{
    g.in.GetValue(bad ? 4096 : 4095); // blame scalar_past
}
inline void LocalScalarPast(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 64);
    x.SetValue(bad ? 64 : 63, 1.0f); // blame local_scalar_past
}

inline bool RunVectorLimits(int32_t id, bool bad, const Args& g)
{
    using Twin = void (*)(const Args&, bool);
    constexpr Twin all[] = {BurstCount, BurstLength, OddElement, PadBursts, CopyOutMisaligned, ReduceMisaligned,
        BlockReduceMisaligned, HalfMask, IntCompare, SelectMode, CastFromHalf, CastToInt, BrcbStride, BrcbMisaligned,
        QueueBuffers, QueueUnknown, CrossFlagId, WaitReserved, SpreadPast, CounterPast, ScalarPast, LocalScalarPast};
    if (id < 0 || id >= static_cast<int32_t>(sizeof(all) / sizeof(all[0]))) {
        return false;
    }
    all[id](g, bad);
    return true;
}

// ---- cube core: one product, of which one thing is wrong
enum class Cube {
    CLEAN, ND_ROWS, ND_STRIDE, ND_L1_MISALIGNED, FILL_BLOCKS, LOAD_MISALIGNED, LOAD_PAST, LOAD_FROM_UB, BIG_N, BIG_K,
    UNIT_FLAG, A_MISALIGNED, FIX_ROWS, FIX_PITCH, FIX_STRIDE, FIX_UNIT_FLAG, FIX_PAST, SHORT_ROWS, SHORT_K, NO_START,
    NO_BIAS, NO_VECTORS, BIAS_RACE, FIX_TWICE, L1_REUSE, FIX_READ_BACK
};
inline void CubeProduct(const Args& g, Cube what)
{
    constexpr uint32_t ROWS = 32, COLUMNS = 32, DEPTH = 32;
    LocalTensor<half> a1(TPosition::A1, what == Cube::ND_L1_MISALIGNED ? 16 : 0, ROWS * DEPTH);
    LocalTensor<half> b1(TPosition::B1, 8192, COLUMNS * DEPTH), near(TPosition::A2, 0, ROWS * DEPTH);
    LocalTensor<half> b2(TPosition::B2, 0, COLUMNS * DEPTH);
    LocalTensor<float> c(TPosition::CO1, 0, ROWS * COLUMNS), bias1(TPosition::C1, 16384, 64), bias2(TPosition::C2, 0, 64);
    GlobalTensor<half> in16 = g.in.ReinterpretCast<half>();
    Nd2NzParams nd(1, ROWS, DEPTH, 0, DEPTH, ROWS, 1, 0);
    if (what == Cube::ND_ROWS) {
        nd.nValue = 16385;
    }
    if (what == Cube::ND_STRIDE) {
        nd.dstNzC0Stride = 16385;
    }
    if (what == Cube::SHORT_ROWS) {
        nd.nValue = ROWS - 1;
    }
    if (what == Cube::SHORT_K) {
        nd.dValue = DEPTH - 16;
    }
    DataCopy(a1, in16, nd); // blame nd_load
    DataCopy(b1, in16[ROWS * DEPTH], Nd2NzParams(1, COLUMNS, DEPTH, 0, DEPTH, COLUMNS, 1, 0)); // other right_load
    DataCopy(bias1, g.in, 64);
    if (what == Cube::FILL_BLOCKS) {
        InitConstValueParams<half> zero(32768, 1, 0, static_cast<half>(0.0f));
        Fill(b1, zero); // blame fill_blocks
    }
    if (what == Cube::NO_VECTORS) {
        Duplicate(b1, static_cast<half>(0.0f), 64); // blame no_vectors
    }
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData2DParams load;
    load.repeatTimes = DEPTH / 16;
    load.srcStride = ROWS / 16;
    for (uint32_t i = 0; i < ROWS / 16; ++i) {
        load.startIndex = static_cast<uint16_t>(i);
        LoadData(near[i * 16 * DEPTH], a1, load);
    }
    load.startIndex = static_cast<uint16_t>(what == Cube::LOAD_PAST ? 1 : 0);
    load.srcStride = 1;
    load.repeatTimes = DEPTH / 16 * COLUMNS / 16;
    LoadData(b2[what == Cube::LOAD_MISALIGNED ? 16 : 0], what == Cube::LOAD_FROM_UB ? near : b1, load); // blame right_to_l0 other l1_reuse
    if (what != Cube::NO_BIAS) {
        DataCopy(bias2, bias1, 64); // other bias_race
    }
    if (what == Cube::L1_REUSE) {
        DataCopy(b1, in16, Nd2NzParams(1, COLUMNS, DEPTH, 0, DEPTH, COLUMNS, 1, 0)); // blame l1_reuse
    }
    if (what != Cube::BIAS_RACE) {
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    } else {
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
        DataCopy(bias2, bias1, 64); // other bias_again
    }
    MmadParams mm(ROWS, COLUMNS, DEPTH, 0, false, true);
    if (what == Cube::BIG_N) {
        mm.n = 4096;
    }
    if (what == Cube::BIG_K) {
        mm.k = 4096;
    }
    if (what == Cube::UNIT_FLAG) {
        mm.unitFlag = 1;
    }
    if (what == Cube::NO_START) {
        mm.cmatrixInitVal = false;
        Mmad(c, near, b2, mm);
    } else {
        Mmad(c, near[what == Cube::A_MISALIGNED ? 16 : 0], b2, bias2, mm); // blame mmad
    }
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 fix(COLUMNS, what == Cube::SHORT_ROWS ? ROWS - 1 : ROWS, ROWS, COLUMNS, false);
    GlobalTensor<float> to = g.out;
    if (what == Cube::FIX_ROWS) {
        fix.mSize = 8193;
    }
    if (what == Cube::FIX_PITCH) {
        fix.dstStride = COLUMNS - 1;
    }
    if (what == Cube::FIX_STRIDE) {
        fix.srcStride = ROWS - 16;
    }
    if (what == Cube::FIX_UNIT_FLAG) {
        fix.unitFlag = 2;
    }
    if (what == Cube::FIX_PAST) {
        to = g.out[4096 - ROWS * COLUMNS + 1];
    }
    if (what == Cube::FIX_READ_BACK) {
        to = g.work;
    }
    Fixpipe<float, float, CFG_ROW_MAJOR>(to, c, fix); // blame fixed
    if (what == Cube::SHORT_ROWS) { // the row that nobody loaded
        fix.mSize = ROWS;
        Fixpipe<float, float, CFG_ROW_MAJOR>(g.out[2048], c, fix); // blame short_rows
    }
    if (what == Cube::FIX_TWICE) {
        Fixpipe<float, float, CFG_ROW_MAJOR>(to, c, fix); // blame fix_twice
    }
    if (what == Cube::FIX_READ_BACK) {
        DataCopy(a1, g.work.ReinterpretCast<half>(), 64); // blame fix_read_back
    }
}
// Clean: rows that nobody loaded take part in the product, and are not copied out.
inline void PaddedProduct(const Args& g)
{
    LocalTensor<half> a1(TPosition::A1, 0, 512), b1(TPosition::B1, 8192, 512), a2(TPosition::A2, 0, 512), b2(TPosition::B2, 0, 512);
    LocalTensor<float> c(TPosition::CO1, 0, 1024);
    GlobalTensor<half> in16 = g.in.ReinterpretCast<half>();
    DataCopy(a1, in16, Nd2NzParams(1, 5, 16, 0, 16, 16, 1, 0));
    DataCopy(b1, in16, Nd2NzParams(1, 7, 16, 0, 16, 16, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData2DParams load;
    load.repeatTimes = 1;
    LoadData(a2, a1, load);
    LoadData(b2, b1, load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(c, a2, b2, MmadParams(16, 16, 16, 0, false, true));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe<float, float, CFG_ROW_MAJOR>(g.out, c, FixpipeParamsV220(7, 5, 16, 8, false));
}

inline bool RunCubeLimits(int32_t id, bool bad, const Args& g)
{
    constexpr auto last = static_cast<int32_t>(Cube::FIX_READ_BACK);
    if (id < 0 || id >= last) {
        return false;
    }
    if (bad) {
        CubeProduct(g, static_cast<Cube>(id + 1));
    } else {
        CubeProduct(g, Cube::CLEAN);
        PipeBarrier<PIPE_ALL>();
        PaddedProduct(g);
    }
    return true;
}
} // namespace twins
