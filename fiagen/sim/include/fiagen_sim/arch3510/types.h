// In:    nothing.
// Out:   the words that 3510 has beside those of types.h: qualifiers, element types, lengths.
// Never: behaviour.
#ifndef FIAGEN_SIM_ARCH3510_TYPES_H
#define FIAGEN_SIM_ARCH3510_TYPES_H
#include "../types.h"

#define __simd_vf__
#define __simd_callee__
#define __local_mem__

// Storage only: the vector unit converts them (Reg::Cast) and the cube multiplies them.
struct fp8_e4m3fn_t { uint8_t bits; };
struct fp8_e5m2_t { uint8_t bits; };
struct fp8_e8m0_t { uint8_t bits; };
struct hifloat8_t { uint8_t bits; };
struct fp4x2_e2m1_t { uint8_t bits; }; // two elements, the first one in the low half
struct fp4x2_e1m2_t { uint8_t bits; };

namespace AscendC {
enum class ReduceType { SUM = 0, MAX, MIN };
using MutexID = uint8_t;

constexpr uint32_t GetVecLen() { return 256; } // bytes of a vector register
template <typename T, typename U> constexpr auto CeilDivision(T a, U b) { return (a + b - 1) / b; }

namespace sim {
template <> struct DTypeOf<fp8_e4m3fn_t> { static constexpr DType value = DType::FP8_E4M3; };
template <> struct DTypeOf<fp8_e5m2_t> { static constexpr DType value = DType::FP8_E5M2; };
template <> struct DTypeOf<fp8_e8m0_t> { static constexpr DType value = DType::FP8_E8M0; };
template <> struct DTypeOf<hifloat8_t> { static constexpr DType value = DType::HIF8; };
template <> struct DTypeOf<fp4x2_e2m1_t> { static constexpr DType value = DType::FP4_E2M1; };
template <> struct DTypeOf<fp4x2_e1m2_t> { static constexpr DType value = DType::FP4_E1M2; };
template <typename... T> constexpr bool NEVER = false; // for a static_assert that tells of a call that does not exist
} // namespace sim
} // namespace AscendC
#endif
