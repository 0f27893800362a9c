// One library for the calls that move elements, for sums of half into float and for scaled casts: tiles a and b come in,
// d goes in and out. select: {which call, element type, n, mode}; the numbers are those of test_rearrange_api.py.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE_BYTES = 8192;

template <typename T> LocalTensor<T> Tile(uint32_t number) { return LocalTensor<T>(TPosition::VECCALC, number * TILE_BYTES, TILE_BYTES / sizeof(T)); }

template <typename T> bool Rearrange(int32_t id, int32_t n, int32_t mode, const GlobalTensor<int32_t>& kept)
{
    const LocalTensor<T> a = Tile<T>(0), d = Tile<T>(2);
    const LocalTensor<uint32_t> offsets = Tile<uint32_t>(1);
    constexpr uint32_t lanes = 256 / sizeof(T), perBlock = 32 / sizeof(T);
    using Word = typename std::conditional<sizeof(T) == 2, uint16_t, uint32_t>::type;
    const auto count = static_cast<uint32_t>(n);
    uint64_t rest = 0;
    const uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAull, 0xAAAAAAAAAAAAAAAAull};
    switch (id) {
        case 0: Gather(d, a, offsets, 2 * sizeof(T), count); return true;
        case 1: Gather(d, a, offsets, 0, static_cast<uint64_t>(lanes - 3), 3, 9); return true;
        case 2: Gather(d, a, offsets, 0, odd, 2, 8); return true;
        case 3: GatherMask(d, a, static_cast<uint8_t>(mode), false, 0, GatherMaskParams(1, 3, 8, 0), rest); break;
        case 4: GatherMask(d, a, static_cast<uint8_t>(mode), true, count, GatherMaskParams(1, 2, 16, 0), rest); break;
        case 5: GatherMask(d, a, offsets.ReinterpretCast<Word>(), false, 0, GatherMaskParams(2, 2, 16, 1), rest); break;
        case 6: GatherMask(a, a, static_cast<uint8_t>(mode), false, 0, GatherMaskParams(1, 4, 8, 0), rest); // in place
            PipeBarrier<PIPE_V>();
            Copy(d, a, static_cast<uint32_t>(rest));
            break;
        case 7: Copy(d, a, count); return true;
        case 8: {
            LocalTensor<T> from[16], to[16];
            for (uint32_t i = 0; i < 16; ++i) {
                from[i] = a[i * 2 * perBlock];
                to[i] = d[i * perBlock];
            }
            TransDataTo5HD<T>(to, from, TransDataTo5HDParams(false, false, 2, 16, 1));
            return true;
        }
        case 9: { // one repeat starts a stride behind the lists
            uint64_t from[16], to[16];
            for (uint32_t i = 0; i < 16; ++i) {
                from[i] = a[i * perBlock].GetPhyAddr();
                to[i] = d[i * perBlock].GetPhyAddr();
            }
            TransDataTo5HD<T>(to, from, TransDataTo5HDParams(false, false, 1, static_cast<uint16_t>(mode), static_cast<uint16_t>(mode)));
            return true;
        }
        default: return false;
    }
    if (kept.GetSize() > 0) {
        kept.SetValue(0, static_cast<int32_t>(rest));
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(kept);
    }
    return true;
}

void Bytes(int32_t mode)
{
    uint64_t from[16], to[16];
    for (uint32_t i = 0; i < 16; ++i) {
        from[i] = Tile<int8_t>(0)[i * 32].GetPhyAddr();
        to[i] = Tile<int8_t>(2)[i * 32].GetPhyAddr();
    }
    TransDataTo5HD<int8_t>(to, from, TransDataTo5HDParams((mode & 1) != 0, (mode & 2) != 0, 1, 0, 0));
}

template <typename T> void Square() { Transpose(Tile<T>(2), Tile<T>(0)); }

bool Mixed(int32_t id, int32_t n)
{
    const LocalTensor<float> d = Tile<float>(2);
    const LocalTensor<half> a = Tile<half>(0), b = Tile<half>(1);
    switch (id) {
        case 20: MulAddDst(d, a, b, n); return true;
        case 21: MulAddDst(d, a, b, static_cast<uint64_t>(61), 4, BinaryRepeatParams(1, 1, 1, 8, 4, 4)); return true;
        case 22: Axpy(d, a, static_cast<half>(2.5f), n); return true;
        case 23: Axpy(d, a, static_cast<half>(2.5f), static_cast<uint64_t>(64), 3, UnaryRepeatParams(1, 1, 8, 4)); return true;
        case 24: SetDeqScale(static_cast<half>(0.25f)); Cast(d.ReinterpretCast<half>(), Tile<int32_t>(0), RoundMode::CAST_NONE, static_cast<uint32_t>(n)); return true;
        case 25: Cast(d.ReinterpretCast<half>(), Tile<int32_t>(0), RoundMode::CAST_NONE, static_cast<uint32_t>(n)); return true;
        default: return false;
    }
}

extern "C" __global__ __aicore__ void rearrange_api(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR kept, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<int32_t> choice, count;
    choice.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select));
    count.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(kept), 1);
    GlobalTensor<uint8_t> gm;
    GM_ADDR sources[] = {a, b, d};
    for (uint32_t i = 0; i < 3; ++i) {
        gm.SetGlobalBuffer(sources[i], TILE_BYTES);
        DataCopy(Tile<uint8_t>(i), gm, TILE_BYTES);
    }
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    const int32_t id = choice.GetValue(0), type = choice.GetValue(1), n = choice.GetValue(2), mode = choice.GetValue(3);
    bool known = true;
    switch (type) {
        case 0: known = Rearrange<float>(id, n, mode, count); break;
        case 1: known = Rearrange<half>(id, n, mode, count); break;
        case 2: known = Rearrange<uint16_t>(id, n, mode, count); break;
        case 3: known = Rearrange<int32_t>(id, n, mode, count); break;
        case 4: Bytes(mode); break;
        case 5: Square<half>(); break;
        case 6: Square<int16_t>(); break;
        default: known = Mixed(id, n); break;
    }
    if (!known) {
        WaitFlag<HardEvent::V_S>(EVENT_ID7); // an unknown number must not pass
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    gm.SetGlobalBuffer(d, TILE_BYTES);
    DataCopy(gm, Tile<uint8_t>(2), TILE_BYTES);
}
