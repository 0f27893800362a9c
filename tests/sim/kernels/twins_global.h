// Twins about global memory: order between cores, order between the pipes of one core, the scalar cache, roles of the
// arguments. Every core of two blocks runs them; see twins_vector.h for the markers.
#pragma once
#include "kernel_operator.h"
#include "twins_args.h"

namespace twins {
using namespace AscendC;
constexpr uint32_t G = 64; // floats that one vector core handles

inline LocalTensor<float> Tile(uint32_t index) { return LocalTensor<float>(TPosition::VECIN, index * G * 4, G); }
inline uint32_t Vector() { return static_cast<uint32_t>(GetBlockIdx()); }
inline bool IsFirstVector() { return !ASCEND_IS_AIC && GetBlockIdx() == 0; }

// A tile of the value 1 in UB, ready to be stored.
inline LocalTensor<float> Ones()
{
    LocalTensor<float> x = Tile(0);
    Duplicate(x, 1.0f, G);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    return x;
}
inline void AllVectors() { SyncAll(); }

inline void NeighbourWithoutSyncAll(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    DataCopy(g.work[Vector() * G], Ones(), G); // other neighbour
    if (!bad) {
        AllVectors();
    }
    DataCopy(Tile(1), g.work[(Vector() + 1) % 4 * G], G); // blame neighbour
}
inline void PairWithoutFlags(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    if (GetSubBlockIdx() == 0) {
        DataCopy(g.work[Vector() * G], Ones(), G); // other pair
    }
    if (!bad) {
        CrossCoreSetFlag<1, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);
    }
    if (GetSubBlockIdx() == 1) {
        DataCopy(Tile(1), g.work[(Vector() - 1) * G], G); // blame pair
    }
}
inline void PairOnTheWrongPipe(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    if (GetSubBlockIdx() == 0) {
        DataCopy(g.work[Vector() * G], Ones(), G); // other pair_pipe
    }
    if (bad) {
        CrossCoreSetFlag<1, PIPE_MTE2>(3);
    } else {
        CrossCoreSetFlag<1, PIPE_MTE3>(3);
    }
    CrossCoreWaitFlag(3);
    if (GetSubBlockIdx() == 1) {
        DataCopy(Tile(1), g.work[(Vector() - 1) * G], G); // blame pair_pipe
    }
}
inline void SetBeforeTheStore(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    if (bad) {
        CrossCoreSetFlag<0, PIPE_MTE3>(4);
    }
    DataCopy(g.work[Vector() * G], x, G); // other set_early
    if (!bad) {
        CrossCoreSetFlag<0, PIPE_MTE3>(4);
    }
    CrossCoreWaitFlag(4);
    DataCopy(Tile(1), g.work[(Vector() + 1) % 4 * G], G); // blame set_early
}
inline void Overwrites(const Args& g, bool bad) // a neighbour still reads what is written again
{
    if ASCEND_IS_AIC {
        return;
    }
    DataCopy(g.work[Vector() * G], Ones(), G);
    AllVectors();
    DataCopy(Tile(1), g.work[(Vector() + 1) % 4 * G], G); // other overwrites
    if (!bad) {
        AllVectors();
    }
    DataCopy(g.work[Vector() * G], Tile(0), G); // blame overwrites
}
inline void OverlappingOutputs(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    DataCopy(g.out[Vector() * (bad ? G - 8 : G)], x, G); // blame outputs
}
inline void SharedBlock(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    DataCopy(g.out[Vector() * G + (bad ? 4 : 0)], x, G); // blame shared_block
}
inline void PartsByPad(const Args& g, bool bad) // DataCopyPad may write parts of a block
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    const DataCopyExtParams burst(1, (bad ? G : G - 4) * 4, 0, 0, 0);
    DataCopyPad(g.out[Vector() * (G - 4)], x, burst); // blame parts_by_pad
}
inline void AtomicAndPlain(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    if (Vector() == 0) {
        DataCopy(g.out, x, G);
    }
    AllVectors();
    if (!(bad && Vector() == 3)) {
        SetAtomicAdd<float>();
    }
    DataCopy(g.out, x, G); // blame atomic
    SetAtomicNone();
}
inline void SharedByFixpipe(const Args& g, bool bad) // the cube core writes what a vector core writes
{
    if ASCEND_IS_AIC {
        if (GetBlockIdx() == 0) {
            Product(g, CLEAN); // its fixpipe is marked in twins_cube.h
        }
        return;
    }
    const LocalTensor<float> x = Ones();
    DataCopy(g.out[(bad ? 0 : 2048) + Vector() * G], x, G); // blame beside_fixpipe
}

// Inside one core.
inline void ReadBack(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    DataCopy(g.work, Ones(), G); // other read_back
    if (!bad) {
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
    DataCopy(Tile(1), g.work, G); // blame read_back
}
inline void StoreOverLoad(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    DataCopy(g.work, Ones(), G);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Tile(1), g.work, G); // other store_over_load
    if (!bad) {
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    }
    DataCopy(g.work, Tile(0), G); // blame store_over_load
}
inline void StoreOverStore(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    const LocalTensor<float> x = Ones();
    DataCopy(g.out, x, G); // other store_twice
    if (!bad) {
        PipeBarrier<PIPE_MTE3>();
    }
    DataCopy(g.out[G - 8], x, G); // blame store_twice
}
inline void ScalarReadsStore(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    DataCopy(g.work, Ones(), G); // other scalar_reads_store
    if (!bad) {
        SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    }
    g.work.GetValue(0); // blame scalar_reads_store
}
inline void LoadBehindScalar(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    for (uint32_t i = 0; i < 16; ++i) {
        g.work.SetValue(i, 2.0f);
    }
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g.work); // other load_behind_scalar
    if (!bad) {
        SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    }
    DataCopy(Tile(0), g.work, 16); // blame load_behind_scalar
}

// The scalar cache.
inline void LeftInCache(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    g.out.SetValue(3, 1.0f); // blame left_in_cache
    if (!bad) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g.out);
    }
}
inline void LoadsBeforeClean(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    for (uint32_t i = 0; i < 16; ++i) {
        g.work.SetValue(i, 2.0f); // other loads_before_clean
    }
    if (!bad) {
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(g.work);
    }
    SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    DataCopy(Tile(0), g.work, 16); // blame loads_before_clean
    if (bad) {
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(g.work);
    }
}
inline void StaleLine(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const LocalTensor<float> x = Ones();
    if (Vector() == 0) {
        DataCopy(g.work, x, G);
    }
    AllVectors();
    g.work.GetValue(Vector()); // every core has the line in its cache
    AllVectors();
    if (Vector() == 0) {
        Duplicate(Tile(1), 2.0f, G);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(g.work, Tile(1), G);
    }
    AllVectors();
    if (!bad) {
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(g.work);
    }
    g.work.GetValue(Vector()); // blame stale_line
}
inline void SharedLine(const Args& g, bool bad)
{
    if ASCEND_IS_AIC {
        return;
    }
    const uint32_t at = Vector() * (bad ? 4 : 16);
    g.out.SetValue(at, 1.0f); // blame shared_line
    AllVectors();
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g.out[at]);
}
inline void BesideCachedLine(const Args& g, bool bad) // a store into the rest of a line that a cache writes back
{
    if (!IsFirstVector()) {
        return;
    }
    const LocalTensor<float> x = Ones();
    g.out.SetValue(0, 1.0f); // other beside_line
    DataCopy(g.out[bad ? 8 : 16], x, 8);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g.out); // blame beside_line
}

// Roles and extents.
inline void WritesInput(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    DataCopy(bad ? g.in : g.out, Ones(), G); // blame writes_input
}
inline void PastWorkspace(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    DataCopy(g.work[4096 - G + (bad ? 8 : 0)], Ones(), G); // blame past_workspace
}
inline void NowhereTensor(const Args& g, bool bad)
{
    if (!IsFirstVector()) {
        return;
    }
    GlobalTensor<float> lost;
    lost.SetGlobalBuffer(bad ? nullptr : const_cast<float*>(g.in.GetPhyAddr()), G);
    DataCopy(Tile(0), lost, G); // blame nowhere
}

inline bool RunGlobal(int32_t id, bool bad, const Args& g)
{
    using Twin = void (*)(const Args&, bool);
    constexpr Twin all[] = {NeighbourWithoutSyncAll, PairWithoutFlags, PairOnTheWrongPipe, SetBeforeTheStore, Overwrites,
        OverlappingOutputs, SharedBlock, PartsByPad, AtomicAndPlain, SharedByFixpipe, ReadBack, StoreOverLoad, StoreOverStore,
        ScalarReadsStore, LoadBehindScalar, LeftInCache, LoadsBeforeClean, StaleLine, SharedLine, BesideCachedLine, WritesInput,
        PastWorkspace, NowhereTensor};
    if (id < 0 || id >= static_cast<int32_t>(sizeof(all) / sizeof(all[0]))) {
        return false;
    }
    all[id](g, bad);
    return true;
}
} // namespace twins
