// Twins about bytes that nobody wrote, about overlap, and about kernels that do not end; on the first vector core, apart
// from the products at the end, which the first cube core runs. See twins_vector.h for the markers.
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins {
using namespace AscendC;

inline void LoadTile(const LocalTensor<float>& dst, const GlobalTensor<float>& src, uint32_t count)
{
    DataCopy(dst, src, count);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}
inline void Store(const GlobalTensor<float>& dst, const LocalTensor<float>& src, uint32_t count)
{
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(dst, src, count); // blame store_unwritten
}

inline void NeverWritten(const Args&, bool bad)
{
    Ub ub;
    if (!bad) {
        Duplicate(ub.x, 1.0f, N);
    }
    PipeBarrier<PIPE_V>();
    Adds(ub.y, ub.x, 1.0f, N); // blame never_written
}
inline void ShortLoad(const Args& g, bool bad)
{
    Ub ub;
    LoadTile(ub.x, g.in, bad ? N - 8 : N);
    Adds(ub.y, ub.x, 1.0f, N); // blame short_load
}
inline void MaskedFill(const Args&, bool bad) // a lane that the mask of the fill left out
{
    Ub ub;
    Duplicate(ub.x, 1.0f, static_cast<uint64_t>(bad ? 63 : 64), 4, 1, 8);
    PipeBarrier<PIPE_V>();
    Muls(ub.y, ub.x, 2.0f, N); // blame masked_fill
}
inline void StoresUnwritten(const Args& g, bool bad)
{
    Ub ub;
    if (!bad) {
        Duplicate(ub.x, 1.0f, N);
    }
    Store(g.out, ub.x, N); // its copy is the one to be called bad
}
inline void ScalarReadsUnwritten(const Args&, bool bad)
{
    Ub ub;
    if (!bad) {
        Duplicate(ub.x, 1.0f, N);
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
    }
    ub.x.GetValue(7); // blame scalar_unwritten
}
inline void UnwrittenWorkspace(const Args& g, bool bad)
{
    Ub ub;
    LoadTile(ub.x, bad ? g.work : g.in, N);
    Adds(ub.y, ub.x, 1.0f, N); // blame unwritten_workspace
}
inline void AtomicOnUnwritten(const Args& g, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    if (!bad) {
        DataCopy(g.out, ub.x, N);
        PipeBarrier<PIPE_MTE3>();
    }
    SetAtomicAdd<float>();
    DataCopy(g.out, ub.x, N); // blame atomic_unwritten
    SetAtomicNone();
}
// Copied from UB to UB, to the workspace and back: still nobody's bytes. Copying alone is no fault.
inline void FollowsCopies(const Args& g, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N - 8);
    PipeBarrier<PIPE_V>();
    DataCopy(ub.z, ub.x, N);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(g.work[64], ub.z, N);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    LoadTile(ub.y, g.work[64], N);
    Adds(ub.x, ub.y, 1.0f, static_cast<int32_t>(bad ? N : N - 8)); // blame follows_copies
}
inline void FollowsCopyAndBrcb(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, 7);
    PipeBarrier<PIPE_V>();
    Brcb(ub.y, ub.x, 1, BrcbRepeatParams(1, 8)); // eight blocks, the last one of nobody's value
    PipeBarrier<PIPE_V>();
    Copy(ub.z, ub.y, static_cast<uint64_t>(64), 1, CopyRepeatParams(1, 1, 8, 8));
    PipeBarrier<PIPE_V>();
    Adds(ub.x, ub.z, 1.0f, bad ? 64 : 56); // blame follows_brcb
}
inline void BuffersAgain(const Args& g, bool bad) // what the last owner of a queue buffer left there is nobody's
{
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 1, N * 4);
    for (uint32_t i = 0; i < 2; ++i) {
        LocalTensor<float> x = out.AllocTensor<float>();
        if (i == 0 || !bad) {
            Duplicate(x, 1.0f, N);
        }
        PipeBarrier<PIPE_V>();
        Adds(x, x, 1.0f, N); // blame buffers_again
        out.EnQue(x);
        x = out.DeQue<float>();
        DataCopy(g.out[i * N], x, N);
        out.FreeTensor(x);
    }
}
inline void UsesFreed(const Args& g, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(in, 1, N * 4);
    pipe.InitBuffer(buffer, N * 4);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, g.in, N);
    in.EnQue(x);
    x = in.DeQue<float>();
    if (bad) {
        in.FreeTensor(x); // other uses_freed
    }
    Adds(buffer.Get<float>(), x, 1.0f, N); // blame uses_freed
    if (!bad) {
        in.FreeTensor(x);
    }
}
inline void UsesEnqueued(const Args& g, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, N * 4);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, g.in, N / 2);
    if (!bad) {
        DataCopy(x[N / 2], g.in, N / 2);
    }
    in.EnQue(x); // other uses_enqueued
    if (bad) {
        DataCopy(x[N / 2], g.in, N / 2); // blame uses_enqueued
    }
    x = in.DeQue<float>();
    in.FreeTensor(x);
}
inline void BeforeAlloc(const Args& g, bool bad) // by address, around the queue
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, N * 4);
    LocalTensor<float> x(TPosition::VECIN, bad ? 0 : N * 4, N);
    DataCopy(x, g.in, N); // blame before_alloc
}

inline void Shifted(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    PipeBarrier<PIPE_V>();
    Adds(ub.x[bad ? 8 : 0], ub.x, 1.0f, 64); // blame shifted
}
inline void NextRepeat(const Args&, bool bad) // repeat r writes what repeat r + 1 reads
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 2048);
    Duplicate(x, 1.0f, 2048);
    PipeBarrier<PIPE_V>();
    Muls(x[64], x, 2.0f, static_cast<uint64_t>(64), 3, {1, 1, static_cast<uint8_t>(bad ? 8 : 16), static_cast<uint8_t>(bad ? 8 : 16)}); // blame next_repeat
}
inline void Accumulates(const Args&, bool bad) // only source 1 may be the sum of all repeats
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 256), sum(TPosition::VECCALC, 4096, 64);
    Duplicate(x, 1.0f, 256);
    Duplicate(sum, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    if (bad) {
        Add(sum, sum, x, static_cast<uint64_t>(64), 4, {1, 1, 1, 0, 0, 8}); // blame accumulates
    } else {
        Add(sum, x, sum, static_cast<uint64_t>(64), 4, {1, 1, 1, 0, 8, 0});
    }
}
inline void WidensInPlace(const Args&, bool bad)
{
    Ub ub;
    LocalTensor<half> narrow = ub.x.ReinterpretCast<half>();
    Duplicate(narrow, static_cast<half>(1.0f), 128);
    PipeBarrier<PIPE_V>();
    Cast(bad ? ub.x : ub.y, narrow, RoundMode::CAST_NONE, 128u); // blame widens
}
inline void SelectShifted(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    Duplicate(ub.y.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0x5555), 64);
    PipeBarrier<PIPE_V>();
    Select(ub.x[bad ? 8 : 0], ub.y.ReinterpretCast<uint8_t>(), ub.x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64u); // blame select_shifted
}
inline void MaxShifted(const Args&, bool bad)
{
    Ub ub;
    Duplicate(ub.x, 1.0f, N);
    PipeBarrier<PIPE_V>();
    Max(ub.x, ub.x, ub.x[bad ? 8 : 64], 64); // blame max_shifted
}

inline void NeverEnds(const Args& g, bool bad)
{
    for (uint32_t i = 0; bad || i < 10; ++i) {
        g.in.GetValue(0); // blame never_ends
    }
}
inline void BadAddress(const Args& g, bool bad)
{
    g.in.GetValue(0); // blame bad_address
    volatile float* nowhere = bad ? reinterpret_cast<volatile float*>(8) : const_cast<volatile float*>(g.in.GetPhyAddr());
    const float value = *nowhere;
    (void)value;
}
__attribute__((no_sanitize("undefined"))) inline void DividesByZero(const Args& g, bool bad)
{
    const int32_t one = static_cast<int32_t>(g.in.GetValue(0)); // blame divides
    volatile int32_t by = bad ? one - 1 : one;
    volatile int32_t result = one / by;
    (void)result;
}
inline int32_t Deep(int32_t levels, int32_t sum)
{
    volatile int32_t local[64] = {};
    local[0] = levels;
    return levels == 0 ? sum : Deep(levels - 1, sum + local[0]) + local[1];
}
inline void StackUsedUp(const Args& g, bool bad)
{
    const int32_t one = static_cast<int32_t>(g.in.GetValue(0)); // blame stack_used_up
    volatile int32_t result = Deep(bad ? one * 100000 : one * 10, 0);
    (void)result;
}
inline void ThrowsItself(const Args& g, bool bad)
{
    g.in.GetValue(0); // blame throws_itself
    if (bad) {
        throw 1;
    }
}

inline bool RunMemory(int32_t id, bool bad, const Args& g)
{
    using Twin = void (*)(const Args&, bool);
    constexpr Twin all[] = {NeverWritten, ShortLoad, MaskedFill, StoresUnwritten, ScalarReadsUnwritten, UnwrittenWorkspace,
        AtomicOnUnwritten, FollowsCopies, FollowsCopyAndBrcb, BuffersAgain, UsesFreed, UsesEnqueued, BeforeAlloc, Shifted,
        NextRepeat, Accumulates, WidensInPlace, SelectShifted, MaxShifted, NeverEnds, BadAddress, DividesByZero, StackUsedUp,
        ThrowsItself};
    if (id < 0 || id >= static_cast<int32_t>(sizeof(all) / sizeof(all[0]))) {
        return false;
    }
    all[id](g, bad);
    return true;
}
} // namespace twins
