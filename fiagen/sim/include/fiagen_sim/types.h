// In:    nothing.
// Out:   the words every AscendC source may use: qualifiers, number types, enumerations and constants.
// Never: behaviour; what a call does is in the other headers.
#ifndef FIAGEN_SIM_TYPES_H
#define FIAGEN_SIM_TYPES_H
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The core architecture a kernel is compiled for: 2201 (c220), or 3510 with -D__NPU_ARCH__=3510.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#if __NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510
#error "fiagen sim: the architectures 2201 and 3510 are simulated"
#endif
#define FIAGEN_SIM 1

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
using GM_ADDR = uint8_t*;

namespace AscendC {
namespace sim {
float HalfBitsToFloat(uint16_t bits);
uint16_t FloatToHalfBits(float value);
inline float Bf16BitsToFloat(uint16_t bits)
{
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
}
uint16_t FloatToBf16Bits(float value); // nearest, ties to even
} // namespace sim
} // namespace AscendC

// Scalar arithmetic on half goes through float, as the scalar unit does it.
struct half {
    uint16_t bits;
    half() = default;
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    half(T value) : bits(AscendC::sim::FloatToHalfBits(static_cast<float>(value))) {}
    operator float() const { return AscendC::sim::HalfBitsToFloat(bits); }
};

// bfloat16_t has no scalar arithmetic on this core: convert with AscendC::ToFloat and AscendC::ToBfloat16.
struct bfloat16_t {
    uint16_t bits;
    bfloat16_t() = default;
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    explicit bfloat16_t(T value) : bits(AscendC::sim::FloatToBf16Bits(static_cast<float>(value))) {}
};

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum QuantMode_t {
    NoQuant = 0, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8
};

enum KernelMetaType {
    KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIV_1_0, KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2
};

namespace AscendC {
using ::QuantMode_t;
using TEventID = int8_t;

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM, SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
    MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
    FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, MAX
};

enum class RoundMode {
    CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD,
    CAST_HYBRID, UNKNOWN = 0xFF // 3510 only
};
enum class CMPMODE { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t MAX_REPEAT_TIMES = 255;

inline float ToFloat(const bfloat16_t& value) { return sim::Bf16BitsToFloat(value.bits); }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

namespace sim {
enum class DType : uint8_t {
    F32, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64,
    FP8_E4M3, FP8_E5M2, HIF8, FP8_E8M0, FP4_E2M1, FP4_E1M2 // 3510; the 4-bit types lie in pairs, one byte each
};
template <typename T> struct DTypeOf;
template <> struct DTypeOf<float> { static constexpr DType value = DType::F32; };
template <> struct DTypeOf<half> { static constexpr DType value = DType::F16; };
template <> struct DTypeOf<bfloat16_t> { static constexpr DType value = DType::BF16; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = DType::I8; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = DType::U8; };
template <> struct DTypeOf<bool> { static constexpr DType value = DType::U8; };
template <> struct DTypeOf<int16_t> { static constexpr DType value = DType::I16; };
template <> struct DTypeOf<uint16_t> { static constexpr DType value = DType::U16; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::I32; };
template <> struct DTypeOf<uint32_t> { static constexpr DType value = DType::U32; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = DType::I64; };
template <> struct DTypeOf<uint64_t> { static constexpr DType value = DType::U64; };
template <typename T, typename... Us> constexpr bool IsOneOf()
{
    return (std::is_same<T, Us>::value || ...);
}

// The place a public call was written at; every public call takes one as its defaulted last argument.
struct At {
    int line;
    static constexpr At Here(int line = __builtin_LINE()) { return At{line}; }
};

enum class Mem : uint8_t { UB, L1, L0A, L0B, L0C, BT, FB, COUNT, NONE };
constexpr Mem MemOf(TPosition position)
{
    switch (position) {
        case TPosition::VECIN:
        case TPosition::VECOUT:
        case TPosition::VECCALC:
        case TPosition::LCM: return Mem::UB;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM: return Mem::L1;
        case TPosition::A2: return Mem::L0A;
        case TPosition::B2: return Mem::L0B;
        case TPosition::CO1: return Mem::L0C;
        case TPosition::C2: return Mem::BT;
        case TPosition::C2PIPE2GM: return Mem::FB;
        default: return Mem::NONE;
    }
}
} // namespace sim
} // namespace AscendC
#endif
