// In:    fills, reorderings, reductions and conversions of registers as a vector function writes them.
// Out:   calls of the runtime.
// Never: a pair of types or a mode that 3510 does not have for a call; those stop the compiler.
#ifndef FIAGEN_SIM_ARCH3510_REG_SHAPE_H
#define FIAGEN_SIM_ARCH3510_REG_SHAPE_H
#include "reg_compute.h"

namespace AscendC {
namespace sim {
constexpr ReduceOp OpOf(ReduceType type)
{
    return type == ReduceType::SUM ? ReduceOp::SUM : type == ReduceType::MAX ? ReduceOp::MAX : ReduceOp::MIN;
}
} // namespace sim

namespace Reg {

template <typename T = DefaultType, typename U, typename S, typename = sim::IfReg<S>,
    typename = typename std::enable_if<!std::is_base_of<sim::Register, U>::value>::type>
void Duplicate(S& dstReg, U scalarValue, sim::At at = sim::At::Here())
{
    using E = typename S::ActualT;
    sim::RegFill(sizeof(E), dstReg, sim::FillBits<E>(scalarValue), nullptr, false, at);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, typename S,
    typename = sim::IfReg<S>, typename = typename std::enable_if<!std::is_base_of<sim::Register, U>::value>::type>
void Duplicate(S& dstReg, U scalarValue, MaskReg& mask, sim::At at = sim::At::Here())
{
    using E = typename S::ActualT;
    sim::RegFill(sizeof(E), dstReg, sim::FillBits<E>(scalarValue), &mask, sim::Merges<mode>(), at);
}
template <typename T = DefaultType, HighLowPart pos = HighLowPart::LOWEST,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename = sim::IfReg<S>>
void Duplicate(S& dstReg, S& srcReg, MaskReg& mask, sim::At at = sim::At::Here())
{
    static_assert(pos == HighLowPart::LOWEST, "fiagen sim: Reg::Duplicate takes the lowest element");
    sim::RegFillLowest(sizeof(typename S::ActualT), dstReg, srcReg, mask, sim::Merges<mode>(), at);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U, typename = sim::IfReg<U>>
void Move(U& dstReg, U& srcReg, MaskReg mask, sim::At at = sim::At::Here())
{
    static_assert(mode == MaskMergeMode::MERGING, "fiagen sim: 3510 has MERGING only for Reg::Move");
    sim::RegMove(sizeof(typename U::ActualT), dstReg, srcReg, &mask, at);
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void Move(U& dstReg, U& srcReg, sim::At at = sim::At::Here())
{
    sim::RegMove(sizeof(typename U::ActualT), dstReg, srcReg, nullptr, at);
}
template <typename T = DefaultType, IndexOrder order = IndexOrder::INCREASE_ORDER, typename U, typename S,
    typename = sim::IfReg<S>>
void Arange(S& dstReg, U scalarValue, sim::At at = sim::At::Here())
{
    using E = typename S::ActualT;
    static_assert(sim::IsReal<E>() || sim::IsOneOf<E, int8_t, int16_t, int32_t>(),
        "fiagen sim: Reg::Arange takes half, float and signed integers");
    sim::RegArange(sim::DTypeOf<E>::value, dstReg, sim::ScalarOf(scalarValue), order == IndexOrder::DECREASE_ORDER, at);
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void Interleave(U& dstReg0, U& dstReg1, U& srcReg0, U& srcReg1, sim::At at = sim::At::Here())
{
    sim::RegInterleave(sizeof(typename U::ActualT), dstReg0, dstReg1, srcReg0, srcReg1, false, at);
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void DeInterleave(U& dstReg0, U& dstReg1, U& srcReg0, U& srcReg1, sim::At at = sim::At::Here())
{
    sim::RegInterleave(sizeof(typename U::ActualT), dstReg0, dstReg1, srcReg0, srcReg1, true, at);
}
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename S,
    typename V, typename = sim::IfReg<S>, typename = sim::IfReg<V>>
void Pack(S& dstReg, V& srcReg, sim::At at = sim::At::Here())
{
    using To = typename S::ActualT;
    using From = typename V::ActualT;
    static_assert((std::is_same<To, uint8_t>::value && sim::IsOneOf<From, int16_t, uint16_t>()) ||
            (std::is_same<To, uint16_t>::value && sim::IsOneOf<From, int32_t, uint32_t>()),
        "fiagen sim: Reg::Pack takes 2 byte integers into uint8_t and 4 byte integers into uint16_t");
    sim::RegPack(sizeof(From), dstReg, srcReg, part == HighLowPart::HIGHEST, at);
}
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename S,
    typename V, typename = sim::IfReg<S>, typename = sim::IfReg<V>>
void UnPack(S& dstReg, V& srcReg, sim::At at = sim::At::Here())
{
    using To = typename S::ActualT;
    using From = typename V::ActualT;
    static_assert((std::is_same<From, int8_t>::value && std::is_same<To, int16_t>::value) ||
            (std::is_same<From, uint8_t>::value && std::is_same<To, uint16_t>::value) ||
            (std::is_same<From, int16_t>::value && std::is_same<To, int32_t>::value) ||
            (std::is_same<From, uint16_t>::value && std::is_same<To, uint32_t>::value),
        "fiagen sim: Reg::UnPack takes integers into twice as wide ones of the same sign");
    sim::RegUnpack(sizeof(From), dstReg, srcReg, part == HighLowPart::HIGHEST, std::is_signed<From>::value, at);
}

// One result in lane 0; the maximum and the minimum have their place, as bits, in lane 1.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V, typename = sim::IfReg<S>,
    typename = sim::IfReg<V>>
void Reduce(S& dstReg, const V& srcReg, const MaskReg& mask, sim::At at = sim::At::Here())
{
    using To = typename S::ActualT;
    using From = typename V::ActualT;
    constexpr bool same = std::is_same<To, From>::value;
    constexpr bool widened = (std::is_same<From, int16_t>::value && std::is_same<To, int32_t>::value) ||
        (std::is_same<From, uint16_t>::value && std::is_same<To, uint32_t>::value);
    sim::CheckZeroing<mode>();
    static_assert(type == ReduceType::SUM ? widened || (same && (sim::IsReal<To>() || sim::IsOneOf<To, int32_t, uint32_t>()))
                                          : same && (sim::IsReal<To>() || sim::IsWide<To>()),
        "fiagen sim: this pair of types has no Reg::Reduce on 3510");
    sim::RegReduce(sim::OpOf(type), sim::DTypeOf<From>::value, sim::DTypeOf<To>::value, dstReg, srcReg, mask, at);
}
// One result per block of 32 bytes, in the lowest lanes.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V, typename = sim::IfReg<S>,
    typename = sim::IfReg<V>>
void ReduceDataBlock(S& dstReg, const V& srcReg, const MaskReg& mask, sim::At at = sim::At::Here())
{
    using To = typename S::ActualT;
    using From = typename V::ActualT;
    constexpr bool same = std::is_same<To, From>::value;
    constexpr bool widened = (std::is_same<From, int16_t>::value && std::is_same<To, int32_t>::value) ||
        (std::is_same<From, uint16_t>::value && std::is_same<To, uint32_t>::value);
    sim::CheckZeroing<mode>();
    static_assert(type == ReduceType::SUM ? widened || (same && (sim::IsReal<To>() || sim::IsOneOf<To, int32_t, uint32_t>()))
                                          : same && (sim::IsReal<To>() || sim::IsWide<To>()),
        "fiagen sim: this pair of types has no Reg::ReduceDataBlock on 3510");
    sim::RegReduceBlock(sim::OpOf(type), sim::DTypeOf<From>::value, sim::DTypeOf<To>::value, dstReg, srcReg, mask, at);
}
template <PairReduce type = PairReduce::SUM, typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING,
    typename U, typename = sim::IfReg<U>>
void PairReduceElem(U& dstReg, const U& srcReg, const MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::CheckZeroing<mode>();
    static_assert(sim::IsReal<typename U::ActualT>(), "fiagen sim: Reg::PairReduceElem takes half or float");
    sim::RegReducePair(sim::DTypeOf<typename U::ActualT>::value, dstReg, srcReg, mask, at);
}
} // namespace Reg

namespace sim {
enum class CastKind : uint8_t { NONE, EXACT, ROUNDS, ROUNDS_OR_SATURATES, SATURATES };
template <typename D, typename S> constexpr CastKind CastOf()
{
    constexpr bool fromF = std::is_same<S, float>::value, fromH = std::is_same<S, half>::value,
                   fromB = std::is_same<S, bfloat16_t>::value;
    if ((fromF && IsOneOf<D, hifloat8_t, fp8_e5m2_t, fp8_e4m3fn_t, int16_t, half, bfloat16_t, int32_t>()) ||
        (fromH && IsOneOf<D, int8_t, uint8_t, hifloat8_t, int16_t>()) || (fromB && IsOneOf<D, half, int32_t>())) {
        return CastKind::ROUNDS_OR_SATURATES;
    }
    if ((fromH && IsOneOf<D, bfloat16_t, int32_t>()) || (fromB && IsOneOf<D, fp4x2_e2m1_t, fp4x2_e1m2_t>()) ||
        (std::is_same<S, int16_t>::value && std::is_same<D, half>::value) ||
        (std::is_same<S, int32_t>::value && std::is_same<D, float>::value)) {
        return CastKind::ROUNDS;
    }
    if ((std::is_same<S, int16_t>::value && std::is_same<D, uint8_t>::value) ||
        (std::is_same<S, uint16_t>::value && std::is_same<D, uint8_t>::value) ||
        (std::is_same<S, int32_t>::value && IsOneOf<D, uint8_t, int16_t, uint16_t>()) ||
        (std::is_same<S, uint32_t>::value && IsOneOf<D, uint8_t, int16_t, uint16_t>())) {
        return CastKind::SATURATES;
    }
    if ((std::is_same<S, int8_t>::value && IsOneOf<D, int16_t, half, int32_t>()) ||
        (std::is_same<S, uint8_t>::value && IsOneOf<D, uint16_t, half, uint32_t>()) ||
        (IsOneOf<S, fp4x2_e2m1_t, fp4x2_e1m2_t, fp8_e8m0_t>() && std::is_same<D, bfloat16_t>::value) ||
        (std::is_same<S, hifloat8_t>::value && IsOneOf<D, half, float>()) ||
        (IsOneOf<S, fp8_e5m2_t, fp8_e4m3fn_t>() && std::is_same<D, float>::value) ||
        (std::is_same<S, int16_t>::value && IsOneOf<D, int32_t, uint32_t, float>()) ||
        (std::is_same<S, uint16_t>::value && std::is_same<D, uint32_t>::value) ||
        (fromH && std::is_same<D, float>::value) || (fromB && IsOneOf<D, fp8_e8m0_t, float>())) {
        return CastKind::EXACT;
    }
    return CastKind::NONE;
}
template <typename D, typename S> constexpr bool RoundsAs(RoundMode mode)
{
    const bool plain = mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_ROUND || mode == RoundMode::CAST_FLOOR ||
        mode == RoundMode::CAST_CEIL || mode == RoundMode::CAST_TRUNC;
    if (std::is_same<D, hifloat8_t>::value) {
        return mode == RoundMode::CAST_ROUND;
    }
    if (IsOneOf<D, fp8_e5m2_t, fp8_e4m3fn_t>()) {
        return mode == RoundMode::CAST_RINT;
    }
    return plain || (mode == RoundMode::CAST_ODD && std::is_same<S, float>::value && std::is_same<D, half>::value);
}
// How many narrow elements share the place of a wide one; pairs of float4 count as one.
template <typename D, typename S> constexpr uint32_t LayoutsOf()
{
    constexpr bool four = IsOneOf<D, fp4x2_e2m1_t, fp4x2_e1m2_t>() || IsOneOf<S, fp4x2_e2m1_t, fp4x2_e1m2_t>();
    return four ? 4 : sizeof(D) > sizeof(S) ? sizeof(D) / sizeof(S) : sizeof(S) / sizeof(D);
}
} // namespace sim

namespace Reg {
template <typename T = DefaultType, typename U = DefaultType, const CastTrait& trait = castTrait, typename S, typename V,
    typename = sim::IfReg<S>, typename = sim::IfReg<V>>
void Cast(S& dstReg, V& srcReg, MaskReg& mask, sim::At at = sim::At::Here())
{
    using To = sim::Named<T, typename S::ActualT>;
    using From = sim::Named<U, typename V::ActualT>;
    sim::CheckNamed<T, S>();
    sim::CheckNamed<U, V>();
    constexpr sim::CastKind kind = sim::CastOf<To, From>();
    static_assert(kind != sim::CastKind::NONE, "fiagen sim: this pair of types has no Reg::Cast on 3510 that is simulated");
    static_assert(trait.mrgMode == MaskMergeMode::ZEROING, "fiagen sim: Reg::Cast needs a CastTrait with ZEROING");
    constexpr bool rounds = kind == sim::CastKind::ROUNDS || kind == sim::CastKind::ROUNDS_OR_SATURATES;
    constexpr bool saturates = kind == sim::CastKind::SATURATES || kind == sim::CastKind::ROUNDS_OR_SATURATES;
    static_assert(!rounds || sim::RoundsAs<To, From>(trait.roundMode),
        "fiagen sim: Reg::Cast of these types does not have this RoundMode, or it is not simulated");
    static_assert(!saturates || trait.satMode != SatMode::UNKNOWN, "fiagen sim: Reg::Cast of these types needs a SatMode");
    constexpr int layout = static_cast<int>(trait.layoutMode);
    constexpr uint32_t layouts = sim::LayoutsOf<To, From>();
    static_assert(layouts == 1 ? layout <= 0 : layout >= 0 && layout < static_cast<int>(layouts),
        "fiagen sim: Reg::Cast of these types does not have this RegLayout");
    sim::RegCast("Cast",
        {sim::DTypeOf<To>::value, sim::DTypeOf<From>::value, trait.roundMode, trait.satMode == SatMode::SAT || (!saturates && std::is_integral<To>::value),
            static_cast<uint32_t>(layout < 0 ? 0 : layout), 1.0f},
        dstReg, srcReg, mask, at);
}
// src * scalarValue, rounded to half away from zero at ties.
template <typename T0 = DefaultType, typename T1 = DefaultType, typename T2, RegLayout layout = RegLayout::ZERO,
    typename T3, typename T4, typename = sim::IfReg<T3>, typename = sim::IfReg<T4>>
void MulsCast(T3& dstReg, T4& srcReg, T2 scalarValue, MaskReg& mask, sim::At at = sim::At::Here())
{
    static_assert(std::is_same<typename T3::ActualT, half>::value && std::is_same<typename T4::ActualT, float>::value &&
            std::is_same<T2, float>::value,
        "fiagen sim: Reg::MulsCast turns float into half");
    static_assert(layout == RegLayout::ZERO || layout == RegLayout::ONE, "fiagen sim: Reg::MulsCast takes ZERO or ONE");
    sim::RegCast("MulsCast",
        {sim::DType::F16, sim::DType::F32, RoundMode::CAST_ROUND, false, static_cast<uint32_t>(layout), scalarValue}, dstReg,
        srcReg, mask, at);
}
} // namespace Reg
} // namespace AscendC
#endif
