// In:    arrays of half, bfloat16 and integers.
// Out:   the same values in another type, rounded to nearest even unless the caller asks otherwise.
// Never: a call into a slow library routine per element where the machine has an instruction.
#include "machine.h"
#include "small_floats.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace AscendC {
namespace sim {

static float BitsToFloat(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
static uint32_t FloatToBits(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float HalfBitsToFloat(uint16_t bits)
{
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t magnitude = bits & 0x7FFFu;
    if (magnitude >= 0x7C00u) {
        return BitsToFloat(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
    }
    // Scaling by 2^112 moves the exponent and makes subnormals normal, exactly.
    return BitsToFloat(sign | FloatToBits(BitsToFloat(magnitude << 13) * BitsToFloat(0x77800000u)));
}

uint16_t FloatToHalfBits(float value)
{
    uint32_t bits = FloatToBits(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return static_cast<uint16_t>(sign | 0x7E00u | (magnitude >> 13 & 0x1FFu));
    }
    if (magnitude >= 0x477FF000u) { // 65520 and above round to infinity
        return static_cast<uint16_t>(sign | 0x7C00u);
    }
    if (magnitude < 0x38800000u) { // subnormal: adding 0.5 leaves the rounded value in the low bits
        float shifted = BitsToFloat(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (FloatToBits(shifted) - 0x3F000000u));
    }
    magnitude += 0xC8000FFFu + (magnitude >> 13 & 1u);
    return static_cast<uint16_t>(sign | magnitude >> 13);
}

uint16_t FloatToBf16Bits(float value)
{
    uint32_t bits = FloatToBits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return static_cast<uint16_t>(bits >> 16 | 0x40u);
    }
    return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

uint32_t SizeOf(DType dtype)
{
    switch (dtype) {
        case DType::I8:
        case DType::U8:
        case DType::FP8_E4M3:
        case DType::FP8_E5M2:
        case DType::HIF8:
        case DType::FP8_E8M0:
        case DType::FP4_E2M1:
        case DType::FP4_E1M2: return 1;
        case DType::F16:
        case DType::BF16:
        case DType::I16:
        case DType::U16: return 2;
        case DType::I64:
        case DType::U64: return 8;
        default: return 4;
    }
}

const char* NameOf(DType dtype)
{
    static const char* const names[] = {"float", "half", "bfloat16_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
        "uint32_t", "int64_t", "uint64_t", "fp8_e4m3fn_t", "fp8_e5m2_t", "hifloat8_t", "fp8_e8m0_t", "fp4x2_e2m1_t",
        "fp4x2_e1m2_t"};
    return names[static_cast<int>(dtype)];
}

void ToFloats(const void* src, DType dtype, float* dst, size_t n)
{
    if (dtype == DType::F32) {
        std::memcpy(dst, src, n * sizeof(float));
        return;
    }
    if (IsSmallFloat(dtype)) {
        for (size_t i = 0; i < n; ++i) {
            dst[i] = SmallToFloat(static_cast<const uint8_t*>(src)[i], dtype);
        }
        return;
    }
    const uint16_t* bits = static_cast<const uint16_t*>(src);
    if (dtype == DType::BF16) {
        for (size_t i = 0; i < n; ++i) {
            uint32_t wide = static_cast<uint32_t>(bits[i]) << 16;
            std::memcpy(dst + i, &wide, sizeof(wide));
        }
        return;
    }
    size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bits + i))));
    }
#endif
    for (; i < n; ++i) {
        dst[i] = HalfBitsToFloat(bits[i]);
    }
}

void FromFloats(const float* src, void* dst, DType dtype, size_t n)
{
    if (dtype == DType::F32) {
        std::memcpy(dst, src, n * sizeof(float));
        return;
    }
    uint16_t* bits = static_cast<uint16_t*>(dst);
    if (dtype == DType::BF16) {
        for (size_t i = 0; i < n; ++i) {
            uint32_t wide;
            std::memcpy(&wide, src + i, sizeof(wide));
            uint32_t rounded = (wide + 0x7FFFu + (wide >> 16 & 1u)) >> 16;
            bits[i] = static_cast<uint16_t>((wide & 0x7FFFFFFFu) > 0x7F800000u ? (wide >> 16 | 0x40u) : rounded);
        }
        return;
    }
    size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(bits + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i), 0));
    }
#endif
    for (; i < n; ++i) {
        bits[i] = FloatToHalfBits(src[i]);
    }
}

template <typename T> static void AddIntegers(uint8_t* dst, const uint8_t* src, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(T)) {
        T a, b;
        std::memcpy(&a, dst + i, sizeof(T));
        std::memcpy(&b, src + i, sizeof(T));
        a = static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        std::memcpy(dst + i, &a, sizeof(T));
    }
}

void AddInto(uint8_t* dst, const uint8_t* src, size_t bytes, DType dtype)
{
    switch (dtype) {
        case DType::I8: AddIntegers<int8_t>(dst, src, bytes); return;
        case DType::I16: AddIntegers<int16_t>(dst, src, bytes); return;
        case DType::I32: AddIntegers<int32_t>(dst, src, bytes); return;
        default: break;
    }
    const size_t size = SizeOf(dtype);
    for (size_t i = 0; i < bytes; i += size) {
        float a, b;
        ToFloats(dst + i, dtype, &a, 1);
        ToFloats(src + i, dtype, &b, 1);
        a += b;
        FromFloats(&a, dst + i, dtype, 1);
    }
}

} // namespace sim
} // namespace AscendC
