// Twins of vector functions and mutexes on 3510: each function is one small kernel of an AIV; `bad` leaves out or changes
// the one thing its name says. The line to blame carries "// blame <name>", the second place "// other <name>".
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins3510 {
using namespace AscendC;
using namespace AscendC::Reg;
using twins::Args;
constexpr uint32_t N = 64, LANES = 64; // floats of a tile

struct Tiles {
    LocalTensor<float> x{TPosition::VECIN, 0, N * 4}, y{TPosition::VECOUT, N * 16, N * 4}, z{TPosition::VECCALC, N * 32, N * 4};
    static __ubuf__ float* At(const LocalTensor<float>& tensor) { return (__ubuf__ float*)tensor.GetPhyAddr(); }
    void Load(const Args& g) const
    {
        DataCopy(x, g.in, N * 4); // other vf_in
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }
};

__simd_vf__ inline void StoreLoadVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    StoreAlign(y, a, all); // other store_load
    if (!bad) {
        LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    }
    LoadAlign(b, y); // blame store_load
    StoreAlign(y + LANES, b, all);
}
__simd_vf__ inline void StoreLoopVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    for (uint16_t i = 0; i < 3; ++i) { // by the same register what the last round stored comes back in order
        StoreAlign(y + i * LANES, a, all); // other store_loop
        if (bad) {
            LoadAlign(b, y + i * LANES); // blame store_loop
            Adds(a, b, 1.0f, all);
        } else {
            LoadAlign(a, y + i * LANES);
        }
    }
}
__simd_vf__ inline void StoreStoreVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    LoadAlign(b, x + LANES);
    StoreAlign(y, a, all); // other store_store
    if (!bad) {
        LocalMemBar<MemType::VEC_STORE, MemType::VEC_STORE>();
    }
    StoreAlign(y + 8, b, all); // blame store_store
}
__simd_vf__ inline void LoadStoreVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x); // other load_store
    LoadAlign(b, x + LANES);
    if (!bad) {
        LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    }
    StoreAlign(x, b, all); // blame load_store
    StoreAlign(y, a, all);
}
__simd_vf__ inline void WrongBarVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    StoreAlign(y, a, all); // other wrong_bar
    if (bad) {
        LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    } else {
        LocalMemBar<MemType::VEC_ALL, MemType::VEC_ALL>();
    }
    LoadAlign(b, y); // blame wrong_bar
    StoreAlign(y + LANES, b, all);
}
// Clean: what is computed from a load is stored over it.
__simd_vf__ inline void InPlaceVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    for (uint16_t i = 0; i < 2; ++i) {
        LoadAlign(a, x + i * LANES); // other in_place
        Adds(b, a, 1.0f, all);
        if (bad) {
            Duplicate(b, 2.0f);
        }
        StoreAlign(x + i * LANES, b, all); // blame in_place
    }
    StoreAlign(y, b, all);
}
inline void CallBars(const Args& g, int32_t which, bool bad)
{
    Tiles t;
    t.Load(g);
    __ubuf__ float *x = Tiles::At(t.x), *y = Tiles::At(t.y);
    switch (which) {
        case 0: asc_vf_call<StoreLoadVf>(y, x, bad); return;
        case 1: asc_vf_call<StoreLoopVf>(y, x, bad); return;
        case 2: asc_vf_call<StoreStoreVf>(y, x, bad); return;
        case 3: asc_vf_call<LoadStoreVf>(y, x, bad); return;
        case 4: asc_vf_call<WrongBarVf>(y, x, bad); return;
        default: asc_vf_call<InPlaceVf>(y, x, bad); return;
    }
}

__simd_vf__ inline void CopyVf(__ubuf__ float* y, __ubuf__ float* x, uint32_t n)
{
    RegTensor<float> a;
    MaskReg mask = UpdateMask<float>(n); // blame outside_vf
    LoadAlign(a, x);                     // blame copy_load
    Adds(a, a, 1.0f, mask);
    StoreAlign(y, a, mask); // blame copy_store
}
inline void OutsideVf(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    if (bad) {
        CopyVf(Tiles::At(t.y), Tiles::At(t.x), N);
    } else {
        asc_vf_call<CopyVf>(Tiles::At(t.y), Tiles::At(t.x), N);
    }
}
__simd_vf__ inline void BarrierVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    if (bad) {
        PipeBarrier<PIPE_V>(); // blame barrier_in_vf
    }
    StoreAlign(y, a, all);
}
inline void BarrierInVf(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    asc_vf_call<BarrierVf>(Tiles::At(t.y), Tiles::At(t.x), bad);
}
__simd_vf__ inline void NestedVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    if (bad) {
        asc_vf_call<CopyVf>(y, x, N); // blame nested_vf
    } else {
        CopyVf(y, x, N);
    }
}
inline void NestedCall(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    asc_vf_call<NestedVf>(Tiles::At(t.y), Tiles::At(t.x), bad);
}
__simd_vf__ inline void MaskVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a;
    MaskReg mask;
    if (!bad) {
        mask = CreateMask<float>();
    }
    LoadAlign(a, x);
    Adds(a, a, 1.0f, mask); // blame mask_not_set
    StoreAlign(y, a, mask);
}
inline void MaskNotSet(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    asc_vf_call<MaskVf>(Tiles::At(t.y), Tiles::At(t.x), bad);
}

// Where a vector function reads and writes.
__simd_vf__ inline void AddressVf(__ubuf__ float* y, __ubuf__ float* x, int32_t from, int32_t to, bool pairs)
{
    RegTensor<float> a;
    MaskReg all = CreateMask<float>();
    if (pairs) {
        LoadAlign<float, LoadDist::DIST_E2B_B32>(a, x + from); // blame e2b
    } else {
        LoadAlign(a, x + from); // blame load_address
    }
    StoreAlign(y + to, a, all); // blame store_address
}
inline void Addresses(const Args& g, int32_t which, bool bad)
{
    Tiles t;
    t.Load(g);
    constexpr int32_t end = 248 * 1024 / 4;
    const int32_t far = end - static_cast<int32_t>(N * 4) - static_cast<int32_t>(LANES); // from y to the last register full
    const int32_t from = !bad ? 0 : which == 0 ? end - 8 : which == 2 ? 1 : which == 4 ? 4 : 0;
    const int32_t to = which == 1 ? (bad ? far + 8 : far) : bad && which == 3 ? 2 : 0;
    asc_vf_call<AddressVf>(Tiles::At(t.y), Tiles::At(t.x), from, to, which == 4);
}

__simd_vf__ inline void UnalignVf(__ubuf__ float* y, __ubuf__ float* x, int32_t which, bool bad)
{
    RegTensor<float> a;
    UnalignRegForLoad in;
    UnalignRegForStore out;
    x += 3;
    y += 5;
    if (!(bad && which == 0)) {
        LoadUnAlignPre(in, x);
    }
    LoadUnAlign(a, in, x, LANES); // blame not_prepared
    const uint32_t bytes = bad && which == 4 ? LANES + 1 : LANES;
    StoreUnAlign(y, a, out, bytes); // blame not_stored other not_stored
    if (bad && which == 1) {
        x += 20;
    }
    LoadUnAlign(a, in, x, LANES); // blame jumped
    if (bad && which == 2) {
        y += 3;
    }
    StoreUnAlign(y, a, out, LANES); // blame jumped_store blame last_store
    if (!(bad && which == 3)) {
        StoreUnAlignPost(y, out, 0);
    }
}
inline void Unaligned(const Args& g, int32_t which, bool bad)
{
    Tiles t;
    t.Load(g);
    asc_vf_call<UnalignVf>(Tiles::At(t.y), Tiles::At(t.x), which, bad);
}

inline void OrderAround(const Args& g, int32_t which, bool bad) // 0: before, 1: behind, 2: the next round
{
    Tiles t;
    DataCopy(t.x, g.in, N); // other around_in
    if (!(bad && which == 0)) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }
    asc_vf_call<CopyVf>(Tiles::At(t.y), Tiles::At(t.x), N);
    if (!(bad && which == 1)) {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    DataCopy(g.out, t.y, N); // blame around_out other around_out
    if (!(bad && which == 2)) {
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    asc_vf_call<CopyVf>(Tiles::At(t.y), Tiles::At(t.x), N);
}
// On this chip two vector calls, of tensors or of registers, follow each other without a barrier.
inline void NoBarrier(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    Adds(t.y, t.x, 1.0f, N);
    asc_vf_call<CopyVf>(Tiles::At(t.z), Tiles::At(t.y), N);
    Muls(t.y, t.z, 2.0f, N); // other no_barrier
    if (!bad) {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    DataCopy(g.out, t.y, N); // blame no_barrier
}

__simd_vf__ inline void TailVf(__ubuf__ float* y, __ubuf__ float* x, uint32_t n)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>(), tail = UpdateMask<float>(n);
    LoadAlign(a, x);
    Muls(a, a, 2.0f, all); // also of what nobody wrote: harmless as long as it goes nowhere
    Reduce<AscendC::ReduceType::SUM>(b, a, tail);
    StoreAlign(y, a, tail);
    StoreAlign(y + LANES, b, all);
}
inline void Nobody(const Args& g, bool bad, bool sum)
{
    Tiles t;
    DataCopy(t.x, g.in, 32);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    asc_vf_call<TailVf>(Tiles::At(t.y), Tiles::At(t.x), bad ? 40u : 32u);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(g.out, t.y[sum ? LANES : 0], sum || !bad ? 32 : 40); // blame nobody
}
__simd_vf__ inline void InterleaveVf(__ubuf__ float* y, __ubuf__ float* x, bool bad)
{
    RegTensor<float> a, b;
    MaskReg all = CreateMask<float>();
    LoadAlign(a, x);
    LoadAlign(b, x + LANES);
    Interleave(a, bad ? a : b, a, b); // blame same_result
    StoreAlign(y, a, all);
}
inline void SameResult(const Args& g, bool bad)
{
    Tiles t;
    t.Load(g);
    asc_vf_call<InterleaveVf>(Tiles::At(t.y), Tiles::At(t.x), bad);
}
inline void FreedTensor(const Args& g, bool bad)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(in, 1, N * 4);
    pipe.InitBuffer(room, N * 4);
    LocalTensor<float> x = in.AllocTensor<float>(), y = room.Get<float>();
    DataCopy(x, g.in, N);
    in.EnQue(x);
    x = in.DeQue<float>();
    if (bad) {
        in.FreeTensor(x);
    }
    asc_vf_call<CopyVf>(Tiles::At(y), Tiles::At(x), N);
    if (!bad) {
        in.FreeTensor(x);
    }
}

inline void Locks(const Args& g, int32_t which, bool bad)
{
    Tiles t;
    if (which == 6) {
        for (int32_t i = 0; i < (bad ? 29 : 28); ++i) {
            AllocMutexID(); // blame mutex_ids
        }
        return;
    }
    if (which == 7) {
        MutexID id = AllocMutexID();
        ReleaseMutexID(id);
        if (bad) {
            ReleaseMutexID(id); // blame mutex_not_taken
        }
        return;
    }
    const MutexID id = bad && which == 5 ? 28 : 27;
    if (!(bad && which == 1)) {
        Mutex::Lock<PIPE_MTE2>(id); // blame mutex_id
    }
    DataCopy(t.x, g.in, N); // other mutex_order
    if (bad && which == 0) {
        Mutex::Lock<PIPE_MTE2>(id); // blame mutex_twice
    }
    if (bad && which == 2) {
        Mutex::Unlock<PIPE_V>(id); // blame mutex_wrong_pipe
    }
    Mutex::Unlock<PIPE_MTE2>(id); // blame mutex_not_locked
    if (!(bad && which == 4)) {
        Mutex::Lock<PIPE_V>(id); // blame mutex_left
    }
    Adds(t.y, t.x, 1.0f, N); // blame mutex_order
    if (!(bad && which >= 3)) {
        Mutex::Unlock<PIPE_V>(id);
    }
}

inline bool RunVf(int32_t id, bool bad, const Args& g)
{
    if (GetSubBlockIdx() != 0) {
        return true;
    }
    switch (id) {
        case 0: case 1: case 2: case 3: case 4: case 5: CallBars(g, id, bad); return true;
        case 6: OutsideVf(g, bad); return true;
        case 7: BarrierInVf(g, bad); return true;
        case 8: NestedCall(g, bad); return true;
        case 9: MaskNotSet(g, bad); return true;
        case 10: case 11: case 12: case 13: case 14: Addresses(g, id - 10, bad); return true;
        case 15: case 16: case 17: case 18: case 19: Unaligned(g, id - 15, bad); return true;
        case 20: case 21: case 22: OrderAround(g, id - 20, bad); return true;
        case 23: NoBarrier(g, bad); return true;
        case 24: Nobody(g, bad, false); return true;
        case 25: Nobody(g, bad, true); return true;
        case 26: SameResult(g, bad); return true;
        case 27: FreedTensor(g, bad); return true;
        case 28: case 29: case 30: case 31: case 32: case 33: case 34: case 35: Locks(g, id - 28, bad); return true;
        default: return false;
    }
}
} // namespace twins3510
