// In:    bits of the 8-bit and 4-bit floating types of 3510.
// Out:   their values, and values rounded to them.
// Never: a format beside float8 E4M3FN and E5M2, hifloat8, E8M0 and float4 E2M1 and E1M2.
#ifndef FIAGEN_SIM_SMALL_FLOATS_H
#define FIAGEN_SIM_SMALL_FLOATS_H
#include "../include/fiagen_sim/types.h"

namespace AscendC {
namespace sim {

inline bool IsSmallFloat(DType dtype) { return dtype >= DType::FP8_E4M3; }
inline bool IsFloat4(DType dtype) { return dtype == DType::FP4_E2M1 || dtype == DType::FP4_E1M2; }

// `code` has 8 bits, or 4 for the float4 types.
float SmallToFloat(uint8_t code, DType dtype);

// What is above the largest value becomes that value when `saturate`, and NaN then becomes 0; else infinity, or NaN where
// the format has no infinity. The float4 types have neither: they always saturate. RINT is nearest even, ROUND nearest
// away from zero.
uint8_t FloatToSmall(float value, DType dtype, RoundMode mode, bool saturate);

// A float in half or bfloat16, in any rounding.
uint16_t NarrowBits(float x, DType to, RoundMode mode);

} // namespace sim
} // namespace AscendC
#endif
