// One library for all vector calls: three 8 KiB tiles a, b and d come in, one call changes d, d goes out.
// select: {which call, count, mode}; the numbers are those of tests/sim/test_vector_api.py.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE_BYTES = 8192;

template <typename T> struct Tiles {
    LocalTensor<T> a, b, d;
};

template <typename T> bool Binary(int32_t id, const Tiles<T>& t, int32_t n)
{
    switch (id) {
        case 0: Add(t.d, t.a, t.b, n); return true;
        case 1: Sub(t.d, t.a, t.b, n); return true;
        case 2: Mul(t.d, t.a, t.b, n); return true;
        case 3: Max(t.d, t.a, t.b, n); return true;
        case 4: Min(t.d, t.a, t.b, n); return true;
        case 5: Adds(t.d, t.a, T(3), n); return true;
        case 6: Muls(t.d, t.a, T(3), n); return true;
        case 7: Maxs(t.d, t.a, T(1), n); return true;
        case 8: Mins(t.d, t.a, T(1), n); return true;
        case 9: CreateVecIndex(t.d, T(2), static_cast<uint32_t>(n)); return true;
        case 10: Duplicate(t.d, T(7), n); return true;
        default: return false;
    }
}

template <typename T> bool Floating(int32_t id, const Tiles<T>& t, int32_t n, int32_t mode)
{
    constexpr int32_t lanes = 256 / sizeof(T), perBlock = 32 / sizeof(T);
    const uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAull, 0xAAAAAAAAAAAAAAAAull};
    CMPMODE compare = static_cast<CMPMODE>(mode);
    ReduceOrder order = static_cast<ReduceOrder>(mode);
    switch (id) {
        case 20: Div(t.d, t.a, t.b, n); return true;
        case 21: Exp(t.d, t.a, n); return true;
        case 22: Ln(t.d, t.a, n); return true;
        case 23: Abs(t.d, t.a, n); return true;
        case 24: Sqrt(t.d, t.a, n); return true;
        case 25: Reciprocal(t.d, t.a, n); return true;
        case 26: Relu(t.d, t.a, n); return true;
        case 27: Rsqrt(t.d, t.a, n); return true;
        case 28: Axpy(t.d, t.a, T(2.5f), n); return true;
        case 29: MulAddDst(t.d, t.a, t.b, n); return true;
        case 30: Add(t.d, t.a, t.b, odd, 4, BinaryRepeatParams(1, 1, 1, 8, 8, 8)); return true;
        case 31: Add(t.d, t.a, t.b, static_cast<uint64_t>(lanes - 3), 4, BinaryRepeatParams(1, 1, 1, 8, 8, 8)); return true;
        case 32: Sub(t.d, t.a, t.b, static_cast<uint64_t>(lanes), 4, BinaryRepeatParams(1, 1, 0, 8, 8, 1)); return true;
        case 33: Muls(t.d, t.a, T(2), static_cast<uint64_t>(lanes), 3, UnaryRepeatParams(2, 1, 16, 8)); return true;
        case 34: Max(t.d, t.a, t.b, static_cast<uint64_t>(lanes), 4, BinaryRepeatParams(1, 1, 1, 8, 0, 8)); return true;
        case 35: // counter mode: the mask is the total, repeat is ignored
            SetMaskCount();
            SetVectorMask<T, MaskMode::COUNTER>(n);
            Add<T, false>(t.d, t.a, t.b, MASK_PLACEHOLDER, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
            SetMaskNorm();
            ResetMask();
            return true;
        case 36: // the mask register, kept for a second call
            SetVectorMask<T>(5);
            Muls<T, false>(t.d, t.a, T(2), MASK_PLACEHOLDER, 2, UnaryRepeatParams(1, 1, 8, 8));
            ResetMask();
            return true;
        case 40: WholeReduceMax(t.d, t.a, lanes, 4, 1, 1, 8, order); return true;
        case 41: WholeReduceMin(t.d, t.a, lanes - 5, 4, 2, 1, 8, order); return true;
        case 42: WholeReduceSum(t.d, t.a, lanes, 4, 1, 1, 8); return true;
        case 43: BlockReduceMax(t.d, t.a, 4, lanes, 1, 1, 8); return true;
        case 44: BlockReduceMin(t.d, t.a, 4, 3 * perBlock, 1, 1, 8); return true;
        case 45: BlockReduceSum(t.d, t.a, 4, lanes, 1, 1, 8); return true;
        case 46: PairReduceSum(t.d, t.a, 4, lanes, 1, 1, 8); return true;
        case 47: ReduceMax(t.d, t.a, t.b, n, true); return true;
        case 48: ReduceMin(t.d, t.a, t.b, n, true); return true;
        case 49: ReduceSum(t.d, t.a, t.b, n); return true;
        case 60: Compare(t.d.template ReinterpretCast<uint8_t>(), t.a, t.b, compare, static_cast<uint32_t>(n)); return true;
        case 61: Compares(t.d.template ReinterpretCast<uint8_t>(), t.a, T(0.5f), compare, static_cast<uint32_t>(n)); return true;
        case 62: Select(t.d, t.b.template ReinterpretCast<uint8_t>(), t.a, T(-1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE,
            static_cast<uint32_t>(n)); return true;
        case 63: Select(t.d, t.b.template ReinterpretCast<uint8_t>(), t.a, t.d, SELMODE::VSEL_TENSOR_TENSOR_MODE,
            static_cast<uint32_t>(n)); return true;
        case 64: Select(t.d, t.b.template ReinterpretCast<uint8_t>(), t.a, t.d, SELMODE::VSEL_CMPMASK_SPR,
            static_cast<uint64_t>(lanes), 4, BinaryRepeatParams(1, 1, 1, 8, 8, 8)); return true;
        default: return false;
    }
}

template <typename T> bool Bits(int32_t id, const Tiles<T>& t, int32_t n)
{
    switch (id) {
        case 70: And(t.d, t.a, t.b, n); return true;
        case 71: Or(t.d, t.a, t.b, n); return true;
        case 72: Not(t.d, t.a, n); return true;
        case 73: ShiftLeft(t.d, t.a, T(3), n); return true;
        case 74: ShiftRight(t.d, t.a, T(3), n); return true;
        default: return false;
    }
}

template <typename T> bool Moves(int32_t id, const Tiles<T>& t, int32_t n)
{
    switch (id) {
        case 80: Brcb(t.d, t.a, 4, BrcbRepeatParams(1, 8)); return true;
        case 81: Brcb(t.d, t.a, 2, BrcbRepeatParams(2, 16)); return true;
        case 82: Copy(t.d, t.a, static_cast<uint64_t>(32), 3, CopyRepeatParams(1, 1, 8, 4)); return true;
        case 83: DataCopy(t.d, t.a, static_cast<uint32_t>(n)); return true;
        case 84: DataCopy(t.d, t.a, DataCopyParams(3, 2, 1, 2)); return true;
        default: return false;
    }
}

template <typename T> void Run(int32_t id, GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR out, int32_t n, int32_t mode)
{
    constexpr uint32_t count = TILE_BYTES / sizeof(T);
    Tiles<T> t{LocalTensor<T>(TPosition::VECIN, 0, count), LocalTensor<T>(TPosition::VECIN, TILE_BYTES, count),
        LocalTensor<T>(TPosition::VECOUT, 2 * TILE_BYTES, count)};
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a), count);
    DataCopy(t.a, gm, count);
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(b), count);
    DataCopy(t.b, gm, count);
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(d), count);
    DataCopy(t.d, gm, count);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    bool known = Moves(id, t, n);
    if constexpr (sim::IsOneOf<T, half, float, int16_t, int32_t>()) {
        known = known || Binary(id, t, n);
    }
    if constexpr (sim::IsOneOf<T, half, float>()) {
        known = known || Floating(id, t, n, mode);
    }
    if constexpr (sim::IsOneOf<T, int16_t, uint16_t>()) {
        known = known || Bits(id, t, n);
    }
    if (!known) {
        WaitFlag<HardEvent::V_S>(EVENT_ID7); // an unknown number must not pass
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out), count);
    DataCopy(gm, t.d, count);
}

template <typename D, typename S> void RunCast(GM_ADDR a, GM_ADDR out, int32_t n, int32_t mode, bool stepped)
{
    LocalTensor<S> from(TPosition::VECIN, 0, TILE_BYTES / sizeof(S));
    LocalTensor<D> to(TPosition::VECOUT, TILE_BYTES, 4 * TILE_BYTES / sizeof(D));
    GlobalTensor<S> source;
    source.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(a), TILE_BYTES / sizeof(S));
    DataCopy(from, source, TILE_BYTES / sizeof(S));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (stepped) {
        constexpr uint32_t lanes = 256 / (sizeof(S) > sizeof(D) ? sizeof(S) : sizeof(D));
        UnaryRepeatParams p(1, 1, static_cast<uint8_t>(lanes * sizeof(D) / 32), static_cast<uint8_t>(lanes * sizeof(S) / 32));
        Cast(to, from, static_cast<RoundMode>(mode), static_cast<uint64_t>(lanes),
            static_cast<uint8_t>(static_cast<uint32_t>(n) / lanes), p);
    } else {
        Cast(to, from, static_cast<RoundMode>(mode), static_cast<uint32_t>(n));
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    GlobalTensor<D> target;
    target.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(out));
    DataCopyPad(target, to, DataCopyExtParams(1, static_cast<uint32_t>(n) * static_cast<uint32_t>(sizeof(D)), 0, 0, 0));
}

// Rows of `width` bytes in, padded to whole blocks, and out again with a gap.
template <typename T> void RunPad(GM_ADDR a, GM_ADDR out, int32_t width)
{
    LocalTensor<T> x(TPosition::VECIN, 0, 4096 / sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out));
    uint32_t bytes = static_cast<uint32_t>(width) * static_cast<uint32_t>(sizeof(T));
    uint32_t blocks = (bytes + 2 * static_cast<uint32_t>(sizeof(T)) + 31) / 32;
    DataCopyPad(x, from, DataCopyExtParams(4, bytes, 3 * sizeof(T), 1, 0), DataCopyPadExtParams<T>(true, 2, 0, T(9)));
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopyPad(to, x, DataCopyExtParams(4, blocks * 32, 1, 4 * sizeof(T), 0));
}

extern "C" __global__ __aicore__ void vector_api(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<int32_t> choice;
    choice.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select));
    int32_t id = choice.GetValue(0), n = choice.GetValue(1), mode = choice.GetValue(2), type = choice.GetValue(3);
    bool stepped = choice.GetValue(4) != 0;
    switch (type) {
        case 0: Run<float>(id, a, b, d, out, n, mode); return;
        case 1: Run<half>(id, a, b, d, out, n, mode); return;
        case 2: Run<int16_t>(id, a, b, d, out, n, mode); return;
        case 3: Run<int32_t>(id, a, b, d, out, n, mode); return;
        case 4: Run<uint16_t>(id, a, b, d, out, n, mode); return;
        case 10: RunCast<half, float>(a, out, n, mode, stepped); return;
        case 11: RunCast<float, half>(a, out, n, mode, stepped); return;
        case 12: RunCast<bfloat16_t, float>(a, out, n, mode, stepped); return;
        case 13: RunCast<float, bfloat16_t>(a, out, n, mode, stepped); return;
        case 14: RunCast<half, uint8_t>(a, out, n, mode, stepped); return;
        case 15: RunCast<half, int8_t>(a, out, n, mode, stepped); return;
        case 16: RunCast<int8_t, half>(a, out, n, mode, stepped); return;
        case 17: RunCast<uint8_t, half>(a, out, n, mode, stepped); return;
        case 18: RunCast<int32_t, float>(a, out, n, mode, stepped); return;
        case 19: RunCast<float, int32_t>(a, out, n, mode, stepped); return;
        case 20: RunCast<int16_t, int32_t>(a, out, n, mode, stepped); return;
        case 21: RunCast<int64_t, int32_t>(a, out, n, mode, stepped); return;
        case 30: RunPad<float>(a, out, n); return;
        case 31: RunPad<half>(a, out, n); return;
        case 32: RunPad<int8_t>(a, out, n); return;
        default: CrossCoreWaitFlag(0); return;
    }
}
