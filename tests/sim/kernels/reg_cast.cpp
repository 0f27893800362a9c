// One library for Reg::Cast and MulsCast: x comes to UB, one register is converted, the whole register goes back.
// select: {pair, trait, n}; see tests/sim/test_reg_cast.py, which lists the pairs and traits in the same order.
#include "kernel_operator.h"
using namespace AscendC;
using namespace AscendC::Reg;

template <RegLayout layout, SatMode sat, RoundMode round>
constexpr CastTrait TRAIT = {layout, sat, MaskMergeMode::ZEROING, round};

template <typename To, typename From, const CastTrait& trait>
__simd_vf__ inline void CastVf(__ubuf__ To* out, __ubuf__ From* x, uint32_t n)
{
    RegTensor<From> a;
    RegTensor<To> c;
    MaskReg mask = UpdateMask<From>(n), whole = CreateMask<To>();
    LoadAlign(a, x);
    Cast<To, From, trait>(c, a, mask);
    StoreAlign(out, c, whole);
}
template <RegLayout layout> __simd_vf__ inline void MulsCastVf(__ubuf__ half* out, __ubuf__ float* x, float s, uint32_t n)
{
    RegTensor<float> a;
    RegTensor<half> c;
    MaskReg mask = UpdateMask<float>(n), whole = CreateMask<half>();
    LoadAlign(a, x);
    MulsCast<half, float, float, layout>(c, a, s, mask);
    StoreAlign(out, c, whole);
}

struct Place {
    LocalTensor<uint8_t> x{TPosition::VECIN, 0, 256}, out{TPosition::VECOUT, 256, 256};
    uint32_t n;
    template <typename T> __ubuf__ T* X() const { return (__ubuf__ T*)x.GetPhyAddr(); }
    template <typename T> __ubuf__ T* Out() const { return (__ubuf__ T*)out.GetPhyAddr(); }
};

template <typename To, typename From, const CastTrait& trait> void One(const Place& p)
{
    asc_vf_call<CastVf<To, From, trait>>(p.Out<To>(), p.X<From>(), p.n);
}
template <typename To, typename From, RegLayout layout, SatMode sat> void Rounded(const Place& p, int32_t round)
{
    switch (round) {
        case 0: One<To, From, TRAIT<layout, sat, RoundMode::CAST_RINT>>(p); return;
        case 1: One<To, From, TRAIT<layout, sat, RoundMode::CAST_FLOOR>>(p); return;
        case 2: One<To, From, TRAIT<layout, sat, RoundMode::CAST_CEIL>>(p); return;
        case 3: One<To, From, TRAIT<layout, sat, RoundMode::CAST_ROUND>>(p); return;
        default: One<To, From, TRAIT<layout, sat, RoundMode::CAST_TRUNC>>(p); return;
    }
}
// round * 2 + saturate
template <typename To, typename From, RegLayout layout> void Both(const Place& p, int32_t how)
{
    if (how % 2 != 0) {
        Rounded<To, From, layout, SatMode::SAT>(p, how / 2);
    } else {
        Rounded<To, From, layout, SatMode::NO_SAT>(p, how / 2);
    }
}
template <typename To, typename From, RegLayout layout> void Saturated(const Place& p, int32_t how)
{
    if (how % 2 != 0) {
        One<To, From, TRAIT<layout, SatMode::SAT, RoundMode::UNKNOWN>>(p);
    } else {
        One<To, From, TRAIT<layout, SatMode::NO_SAT, RoundMode::UNKNOWN>>(p);
    }
}
template <typename To, typename From, RegLayout layout, RoundMode round> void Fixed(const Place& p, int32_t how)
{
    if (how % 2 != 0) {
        One<To, From, TRAIT<layout, SatMode::SAT, round>>(p);
    } else {
        One<To, From, TRAIT<layout, SatMode::NO_SAT, round>>(p);
    }
}
template <typename To, typename From, RegLayout layout> void Plain(const Place& p)
{
    One<To, From, TRAIT<layout, SatMode::UNKNOWN, RoundMode::UNKNOWN>>(p);
}

constexpr RegLayout ZERO = RegLayout::ZERO, ONE = RegLayout::ONE, TWO = RegLayout::TWO, THREE = RegLayout::THREE,
                    SAME = RegLayout::UNKNOWN;

void Choose(const Place& p, int32_t pair, int32_t how)
{
    switch (pair) {
        case 0: Both<half, float, ZERO>(p, how); return;
        case 1: Both<half, float, ONE>(p, how); return;
        case 2: Both<bfloat16_t, float, ZERO>(p, how); return;
        case 3: Both<bfloat16_t, float, ONE>(p, how); return;
        case 4: Both<half, bfloat16_t, SAME>(p, how); return;
        case 5: Rounded<bfloat16_t, half, SAME, SatMode::UNKNOWN>(p, how); return;
        case 6: Both<int32_t, float, SAME>(p, how); return;
        case 7: Both<int16_t, float, ONE>(p, how); return;
        case 8: Both<int8_t, half, ZERO>(p, how); return;
        case 9: Both<uint8_t, half, ONE>(p, how); return;
        case 10: Both<int16_t, half, SAME>(p, how); return;
        case 11: Rounded<int32_t, half, ONE, SatMode::UNKNOWN>(p, how); return;
        case 12: Both<int32_t, bfloat16_t, ZERO>(p, how); return;
        case 13: Rounded<float, int32_t, SAME, SatMode::UNKNOWN>(p, how); return;
        case 14: Rounded<half, int16_t, SAME, SatMode::UNKNOWN>(p, how); return;
        case 15: Plain<float, half, ZERO>(p); return;
        case 16: Plain<float, half, ONE>(p); return;
        case 17: Plain<float, bfloat16_t, ZERO>(p); return;
        case 18: Plain<float, bfloat16_t, ONE>(p); return;
        case 19: Plain<half, int8_t, ZERO>(p); return;
        case 20: Plain<half, uint8_t, ONE>(p); return;
        case 21: Plain<int16_t, int8_t, ONE>(p); return;
        case 22: Plain<int32_t, int8_t, THREE>(p); return;
        case 23: Plain<uint16_t, uint8_t, ZERO>(p); return;
        case 24: Plain<uint32_t, uint8_t, TWO>(p); return;
        case 25: Plain<int32_t, int16_t, ONE>(p); return;
        case 26: Plain<uint32_t, int16_t, ZERO>(p); return;
        case 27: Plain<uint32_t, uint16_t, ONE>(p); return;
        case 28: Plain<float, int16_t, ZERO>(p); return;
        case 29: Saturated<uint8_t, int16_t, ONE>(p, how); return;
        case 30: Saturated<uint8_t, uint16_t, ZERO>(p, how); return;
        case 31: Saturated<uint8_t, int32_t, THREE>(p, how); return;
        case 32: Saturated<int16_t, int32_t, ZERO>(p, how); return;
        case 33: Saturated<uint16_t, int32_t, ONE>(p, how); return;
        case 34: Saturated<uint8_t, uint32_t, ZERO>(p, how); return;
        case 35: Saturated<int16_t, uint32_t, ONE>(p, how); return;
        case 36: Saturated<uint16_t, uint32_t, ZERO>(p, how); return;
        case 37: Fixed<fp8_e4m3fn_t, float, ZERO, RoundMode::CAST_RINT>(p, how); return;
        case 38: Fixed<fp8_e4m3fn_t, float, THREE, RoundMode::CAST_RINT>(p, how); return;
        case 39: Fixed<fp8_e5m2_t, float, ONE, RoundMode::CAST_RINT>(p, how); return;
        case 40: Fixed<hifloat8_t, float, TWO, RoundMode::CAST_ROUND>(p, how); return;
        case 41: Fixed<hifloat8_t, half, ONE, RoundMode::CAST_ROUND>(p, how); return;
        case 42: Plain<float, fp8_e4m3fn_t, ZERO>(p); return;
        case 43: Plain<float, fp8_e5m2_t, THREE>(p); return;
        case 44: Plain<float, hifloat8_t, TWO>(p); return;
        case 45: Plain<half, hifloat8_t, ONE>(p); return;
        case 46: Plain<bfloat16_t, fp8_e8m0_t, ONE>(p); return;
        case 47: Plain<fp8_e8m0_t, bfloat16_t, ZERO>(p); return;
        case 48: Rounded<fp4x2_e2m1_t, bfloat16_t, TWO, SatMode::UNKNOWN>(p, how); return;
        case 49: Rounded<fp4x2_e1m2_t, bfloat16_t, ONE, SatMode::UNKNOWN>(p, how); return;
        case 50: Plain<bfloat16_t, fp4x2_e2m1_t, THREE>(p); return;
        case 51: Plain<bfloat16_t, fp4x2_e1m2_t, ZERO>(p); return;
        case 52: asc_vf_call<MulsCastVf<ZERO>>(p.Out<half>(), p.X<float>(), 0.5f, p.n); return;
        case 53: asc_vf_call<MulsCastVf<ONE>>(p.Out<half>(), p.X<float>(), 3.0f, p.n); return;
        default: One<half, float, TRAIT<ZERO, SatMode::NO_SAT, RoundMode::CAST_ODD>>(p); return;
    }
}

extern "C" __global__ __aicore__ void reg_cast(GM_ADDR x, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<int32_t> v;
    GlobalTensor<uint8_t> from, to;
    v.SetGlobalBuffer((__gm__ int32_t*)select);
    from.SetGlobalBuffer((__gm__ uint8_t*)x);
    to.SetGlobalBuffer((__gm__ uint8_t*)out);
    Place p;
    p.n = static_cast<uint32_t>(v.GetValue(2));
    DataCopy(p.x, from, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Choose(p, v.GetValue(0), v.GetValue(1));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, p.out, 256);
}
