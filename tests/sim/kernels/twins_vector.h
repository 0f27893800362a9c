// Vector-side twins: each function is one small kernel; `bad` leaves out or changes the one thing its name says.
// The line that has to be blamed carries "// blame <name>", the second place "// other <name>".
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins {
using namespace AscendC;
constexpr uint32_t N = 256; // floats of one tile

struct Ub { // two tiles by hand, outside TPipe
    LocalTensor<float> x{TPosition::VECIN, 0, N};
    LocalTensor<float> y{TPosition::VECOUT, N * 4, N};
    LocalTensor<float> z{TPosition::VECCALC, N * 8, N};
};

inline void CopyAdd(const Args& g, bool dropSet, bool dropWait, bool dropOutWait)
{
    Ub ub;
    DataCopy(ub.x, g.in, N); // other race_in
    if (!dropSet) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // blame flag_left_set
    }
    if (!dropWait) {
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); // blame wait_never_set
    }
    Adds(ub.y, ub.x, 1.0f, N); // blame race_in
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    if (!dropOutWait) {
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    DataCopy(g.out, ub.y, N); // blame race_out
}

inline void LeftSet(const Args& g, bool bad)
{
    CopyAdd(g, false, false, false);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID1); // blame left_set
    if (!bad) {
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }
}

inline void SetTwice(const Args& g, bool bad)
{
    Ub ub;
    DataCopy(ub.x, g.in, N);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID2); // other set_twice
    if (bad) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID2); // blame set_twice
    }
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
}

inline void ReadAfterWrite(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N); // other raw_barrier
    if (!bad) {
        PipeBarrier<PIPE_V>();
    }
    Adds(ub.y, ub.x, 1.0f, N); // blame raw_barrier
}

inline void WriteAfterRead(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    PipeBarrier<PIPE_V>();
    Adds(ub.y, ub.x, 1.0f, N); // other war_barrier
    if (!bad) {
        PipeBarrier<PIPE_V>();
    }
    Duplicate(ub.x[N - 8], 2.0f, 8); // blame war_barrier
}

// Clean: two instructions that interleave in the same rows but share no byte need no barrier.
inline void Interleaved(const Args&, bool bad)
{
    LocalTensor<float> x{TPosition::VECCALC, 0, 4 * 128};
    Duplicate(x, 1.0f, static_cast<uint64_t>(64), 4, 1, 16); // other interleaved
    Duplicate(x[bad ? 56 : 64], 2.0f, static_cast<uint64_t>(64), 3, 1, 16); // blame interleaved
}

inline void CopyOverCopy(const Args& g, bool bad)
{
    Ub ub;
    DataCopy(ub.x, g.in, N); // other mte2_barrier
    if (!bad) {
        PipeBarrier<PIPE_MTE2>();
    }
    DataCopy(ub.x[N - 8], g.in, 8); // blame mte2_barrier
}

inline void ReuseAfterCopyOut(const Args& g, bool bad)
{
    Ub ub;
    CopyAdd(g, false, false, false);
    if (!bad) {
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    Duplicate(ub.y, 0.0f, N); // blame reuse_out
}

inline void ReuseAfterVector(const Args& g, bool bad)
{
    Ub ub;
    CopyAdd(g, false, false, false);
    if (!bad) {
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    }
    DataCopy(ub.x, g.in, N); // blame reuse_in
}

// Order through a third pipe counts: V -> MTE3 -> MTE2 orders V before MTE2.
inline void OrderThroughThird(const Args& g, bool bad)
{
    Ub ub;
    CopyAdd(g, false, false, false);
    if (!bad) {
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
    DataCopy(ub.x, g.in, N); // blame third
}

inline void ScalarRead(const Args& g, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 3.0f, N); // other scalar_read
    if (!bad) {
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
    }
    float value = ub.x.GetValue(5); // blame scalar_read
    g.out.SetValue(0, value);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g.out);
}

inline void ScalarWrite(const Args&, bool bad)
{
    Ub ub;
    for (uint32_t i = 0; i < 8; ++i) {
        ub.x.SetValue(i, 1.0f); // other scalar_write
    }
    if (!bad) {
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
    }
    Adds(ub.y, ub.x, 1.0f, 8); // blame scalar_write
}

inline void ScalarWait(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 3.0f, N);
    if (!bad) {
        SetFlag<HardEvent::V_S>(EVENT_ID0);
    }
    WaitFlag<HardEvent::V_S>(EVENT_ID0); // blame scalar_wait
}

inline void Circle(const Args& g, bool bad)
{
    Ub ub;
    if (bad) {
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0); // blame circle
    }
    DataCopy(ub.x, g.in, N);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(ub.y, ub.x, 1.0f, N);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    if (!bad) {
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    }
}

inline void Misaligned(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x[bad ? 4 : 8], 1.0f, 8); // blame misaligned
}
inline void PartialBlock(const Args& g, bool bad)
{
    Ub ub;
    DataCopy(ub.x, g.in, bad ? 12 : 16); // blame partial_block
}
inline void PastBuffer(const Args&, bool bad)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, N * 4);
    pipe.InitBuffer(b, N * 4);
    LocalTensor<float> x = a.Get<float>();
    Duplicate(x, 1.0f, static_cast<int32_t>(bad ? N + 1 : N)); // blame past_buffer
}
inline void PastMemory(const Args&, bool bad)
{
    LocalTensor<float> x(TPosition::VECCALC, 196608 - 1024, bad ? 264 : 256); // blame past_memory
    Duplicate(x, 1.0f, 256);
}
inline void PastArgument(const Args& g, bool bad)
{
    Ub ub;
    DataCopy(ub.x, g.in[bad ? g.inCount - N + 8 : g.inCount - N], N); // blame past_argument
}
inline void PastTensor(const Args& g, bool bad)
{
    Ub ub;
    GlobalTensor<float> part;
    part.SetGlobalBuffer(const_cast<float*>(g.in.GetPhyAddr()), bad ? N - 1 : N);
    DataCopy(ub.x, part, N); // blame past_tensor
}
inline void BeforeTensor(const Args& g, bool bad)
{
    Ub ub;
    DataCopy(ub.x, g.in[bad ? static_cast<uint64_t>(-8) : 8], N); // blame before_tensor
}
inline void TooMuchUb(const Args&, bool bad)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 100 * 1024);
    pipe.InitBuffer(b, bad ? 93 * 1024 : 92 * 1024); // blame too_much_ub
}
inline void TooManyBuffers(const Args&, bool bad)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[65];
    for (uint32_t i = 0; i < (bad ? 65u : 64u); ++i) {
        pipe.InitBuffer(buffers[i], 32); // blame too_many_buffers
    }
}

// One queue round; `what` says which rule to break.
enum QueueFault { NONE, ALLOC, DEQUE, LEAK, FREE_TWICE, DEPTH, FREE_QUEUED, ENQUE_TWICE, OTHER };
inline void QueueRound(const Args& g, QueueFault what)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, N * 4);
    pipe.InitBuffer(out, 2, N * 4);
    for (uint32_t i = 0; i < 4; ++i) {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, g.in[i * N], N);
        if (what == ALLOC) {
            in.AllocTensor<float>();
            in.AllocTensor<float>(); // blame queue_alloc
        }
        if (what == DEPTH) {
            in.EnQue(x);
            LocalTensor<float> second = in.AllocTensor<float>();
            in.EnQue(second); // blame queue_depth
        }
        if (what == FREE_QUEUED) {
            in.EnQue(x);
            in.FreeTensor(x); // blame queue_free_queued
        }
        if (what == ENQUE_TWICE) {
            in.EnQue(x);
            in.EnQue(x); // blame queue_enque_twice
        }
        if (what == OTHER) {
            out.EnQue(x); // blame queue_other
        }
        if (what != DEQUE) {
            in.EnQue(x);
        }
        x = in.DeQue<float>(); // blame queue_deque
        LocalTensor<float> y = out.AllocTensor<float>(); // blame queue_leak
        Adds(y, x, 1.0f, N);
        in.FreeTensor(x);
        if (what == FREE_TWICE) {
            in.FreeTensor(x); // blame queue_free_twice
        }
        out.EnQue(y);
        y = out.DeQue<float>();
        DataCopy(g.out[i * N], y, N);
        if (what == LEAK) {
            break;
        }
        out.FreeTensor(y);
    }
}

inline void MaskTooLong(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, static_cast<uint64_t>(bad ? 65 : 64), 1, 1, 8); // blame mask_too_long
}
inline void ZeroStride(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, static_cast<uint64_t>(64), 1, bad ? 0 : 1, 8); // blame zero_stride
}
inline void CompareCount(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    PipeBarrier<PIPE_V>();
    Compares(ub.y.ReinterpretCast<uint8_t>(), ub.x, 1.0f, CMPMODE::EQ, bad ? 32u : 64u); // blame compare_count
}
inline void SelectTail(const Args&, bool bad)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, bad ? 190 * 1024 : 184 * 1024);
    LocalTensor<float> x = all.Get<float>();
    LocalTensor<uint8_t> bits = x[1024].ReinterpretCast<uint8_t>();
    Duplicate(x, 1.0f, N);
    Duplicate(bits.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0xAAAA), 64);
    PipeBarrier<PIPE_V>();
    Select(x, bits, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64u); // blame select_tail
}
inline void CastRounding(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Cast(ub.y.ReinterpretCast<bfloat16_t>(), ub.x, bad ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, 64u); // blame cast_rounding
}
inline void PadTooWide(const Args& g, bool bad)
{
    Ub ub;
    DataCopyExtParams burst(1, 20, 0, 0, 0);
    DataCopyPadExtParams<float> pad(true, 0, static_cast<uint8_t>(bad ? 9 : 3), 0.0f);
    DataCopyPad(ub.x, g.in, burst, pad); // blame pad_too_wide
}
inline void EventId(const Args&, bool bad)
{
    int32_t id = bad ? 8 : 7;
    SetFlag<HardEvent::V_MTE3>(id); // blame event_id
    WaitFlag<HardEvent::V_MTE3>(id);
}
inline void EventIds(const Args&, bool bad)
{
    TPipe pipe;
    for (int i = 0; i < (bad ? 9 : 8); ++i) {
        pipe.AllocEventID<HardEvent::MTE2_V>(); // blame event_ids
    }
}
inline void QueueOwnsId(const Args& g, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, N * 4);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, g.in, N);
    in.EnQue(x);
    if (bad) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // blame queue_owns_id
    }
    x = in.DeQue<float>();
    in.FreeTensor(x);
}
inline void TwoPipes(const Args&, bool bad)
{
    TPipe first;
    if (!bad) {
        first.Destroy();
    }
    TPipe second; // blame two_pipes
}
inline void NoL1(const Args&, bool bad)
{
    LocalTensor<float> x(bad ? TPosition::A1 : TPosition::VECCALC, 0, 64); // blame no_l1
    if (!bad) {
        Duplicate(x, 0.0f, 64);
    }
}
inline void BrcbInPlace(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, 8);
    PipeBarrier<PIPE_V>();
    Brcb(bad ? ub.x : ub.y, ub.x, 1, BrcbRepeatParams(1, 8)); // blame brcb_in_place
}

inline bool RunVector(int32_t id, bool bad, const Args& g)
{
    switch (id) {
        case 0: CopyAdd(g, bad, false, false); return true;
        case 1: CopyAdd(g, bad, bad, false); return true;
        case 2: CopyAdd(g, false, false, bad); return true;
        case 3: LeftSet(g, bad); return true;
        case 4: SetTwice(g, bad); return true;
        case 5: ReadAfterWrite(g, bad); return true;
        case 6: WriteAfterRead(g, bad); return true;
        case 7: Interleaved(g, bad); return true;
        case 8: CopyOverCopy(g, bad); return true;
        case 9: ReuseAfterCopyOut(g, bad); return true;
        case 10: ReuseAfterVector(g, bad); return true;
        case 11: OrderThroughThird(g, bad); return true;
        case 12: ScalarRead(g, bad); return true;
        case 13: ScalarWrite(g, bad); return true;
        case 14: ScalarWait(g, bad); return true;
        case 15: Circle(g, bad); return true;
        case 16: Misaligned(g, bad); return true;
        case 17: PartialBlock(g, bad); return true;
        case 18: PastBuffer(g, bad); return true;
        case 19: PastMemory(g, bad); return true;
        case 20: PastArgument(g, bad); return true;
        case 21: PastTensor(g, bad); return true;
        case 22: BeforeTensor(g, bad); return true;
        case 23: TooMuchUb(g, bad); return true;
        case 24: TooManyBuffers(g, bad); return true;
        case 25: QueueRound(g, bad ? ALLOC : NONE); return true;
        case 26: QueueRound(g, bad ? DEQUE : NONE); return true;
        case 27: QueueRound(g, bad ? LEAK : NONE); return true;
        case 28: QueueRound(g, bad ? FREE_TWICE : NONE); return true;
        case 29: QueueRound(g, bad ? DEPTH : NONE); return true;
        case 30: QueueRound(g, bad ? FREE_QUEUED : NONE); return true;
        case 31: QueueRound(g, bad ? ENQUE_TWICE : NONE); return true;
        case 32: QueueRound(g, bad ? OTHER : NONE); return true;
        case 33: MaskTooLong(g, bad); return true;
        case 34: ZeroStride(g, bad); return true;
        case 35: CompareCount(g, bad); return true;
        case 36: SelectTail(g, bad); return true;
        case 37: CastRounding(g, bad); return true;
        case 38: PadTooWide(g, bad); return true;
        case 39: EventId(g, bad); return true;
        case 40: EventIds(g, bad); return true;
        case 41: QueueOwnsId(g, bad); return true;
        case 42: TwoPipes(g, bad); return true;
        case 43: NoL1(g, bad); return true;
        case 44: BrcbInPlace(g, bad); return true;
        default: return false;
    }
}
} // namespace twins
