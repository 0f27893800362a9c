// In:    see small_floats.h.
// Out:   see small_floats.h.
// Never: see small_floats.h.
#include "small_floats.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace AscendC {
namespace sim {
namespace {

constexpr float INF = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

// A plain format: sign, exponent with a bias, mantissa, subnormals.
float Plain(uint8_t code, int mantissaBits, int bias)
{
    const int mantissa = code & ((1 << mantissaBits) - 1), exponent = code >> mantissaBits;
    const float fraction = static_cast<float>(mantissa) / static_cast<float>(1 << mantissaBits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0f + fraction, exponent - bias);
}

// hifloat8 without its sign: a prefix tells how many bits the exponent has, and the mantissa gets the rest.
float Hybrid(uint8_t code)
{
    struct Field {
        int width, digits; // of prefix and exponent; the exponent is a sign and, behind a hidden one, its magnitude
    };
    const Field field = (code >> 5) == 3 ? Field{2, 4} : (code >> 5) == 2 ? Field{2, 3} : (code >> 5) == 1 ? Field{2, 2}
        : (code >> 4) == 1               ? Field{3, 1}
        : (code >> 3) == 1               ? Field{4, 0}
                                         : Field{4, -1};
    if (field.digits < 0) { // steps of a whole power of two
        return code == 0 ? 0.0f : std::ldexp(1.0f, (code & 7) - 23);
    }
    const int mantissaBits = 7 - field.width - field.digits;
    const float fraction = static_cast<float>(code & ((1 << mantissaBits) - 1)) / static_cast<float>(1 << mantissaBits);
    int exponent = 0;
    if (field.digits > 0) {
        const int bits = code >> mantissaBits & ((1 << field.digits) - 1);
        const int magnitude = (bits & ((1 << (field.digits - 1)) - 1)) | 1 << (field.digits - 1);
        exponent = (bits >> (field.digits - 1)) != 0 ? -magnitude : magnitude;
    }
    return std::ldexp(1.0f + fraction, exponent);
}

float Magnitude(uint8_t code, DType dtype)
{
    switch (dtype) {
        case DType::FP8_E4M3: return code == 0x7F ? NOT_A_NUMBER : Plain(code, 3, 7);
        case DType::FP8_E5M2: return code == 0x7C ? INF : code > 0x7C ? NOT_A_NUMBER : Plain(code, 2, 15);
        case DType::HIF8: return code == 0x6F ? INF : Hybrid(code);
        case DType::FP4_E2M1: return Plain(code, 1, 1);
        default: return Plain(code, 2, 1); // FP4_E1M2
    }
}

// The finite magnitudes of a format in order, with their codes.
struct Table {
    uint32_t count = 0;
    float values[128];
    uint8_t codes[128];
    float beyond = INF; // the step behind the largest one
    uint8_t infinity = 0, nan = 0;
    bool saturates = false;
};

Table Make(DType dtype)
{
    Table table;
    for (uint32_t code = 0; code < (IsFloat4(dtype) ? 8u : 128u); ++code) {
        const float value = Magnitude(static_cast<uint8_t>(code), dtype);
        if (std::isfinite(value)) {
            table.codes[table.count++] = static_cast<uint8_t>(code);
        }
    }
    std::sort(table.codes, table.codes + table.count,
        [dtype](uint8_t a, uint8_t b) { return Magnitude(a, dtype) < Magnitude(b, dtype); });
    for (uint32_t i = 0; i < table.count; ++i) {
        table.values[i] = Magnitude(table.codes[i], dtype);
    }
    switch (dtype) {
        case DType::FP8_E4M3: table.beyond = 480.0f, table.infinity = table.nan = 0x7F; break;
        case DType::FP8_E5M2: table.beyond = 65536.0f, table.infinity = 0x7C, table.nan = 0x7F; break;
        case DType::HIF8: table.beyond = 49152.0f, table.infinity = 0x6F, table.nan = 0x80; break;
        default: table.saturates = true; break;
    }
    return table;
}

const Table& TableOf(DType dtype)
{
    static const Table tables[] = {Make(DType::FP8_E4M3), Make(DType::FP8_E5M2), Make(DType::HIF8), Make(DType::FP4_E2M1),
        Make(DType::FP4_E1M2)};
    switch (dtype) {
        case DType::FP8_E4M3: return tables[0];
        case DType::FP8_E5M2: return tables[1];
        case DType::HIF8: return tables[2];
        case DType::FP4_E2M1: return tables[3];
        default: return tables[4];
    }
}

// Does a magnitude between `low` and `high` go up?
bool GoesUp(float size, float low, float high, bool negative, uint8_t lowCode, RoundMode mode)
{
    switch (mode) {
        case RoundMode::CAST_FLOOR: return negative;
        case RoundMode::CAST_CEIL: return !negative;
        case RoundMode::CAST_TRUNC: return false;
        default: break;
    }
    const float below = size - low, above = high - size; // exact: the formats are much coarser than float
    return below > above || (below == above && (mode == RoundMode::CAST_ROUND || (lowCode & 1) != 0));
}

} // namespace

float SmallToFloat(uint8_t code, DType dtype)
{
    if (dtype == DType::FP8_E8M0) {
        return code == 0xFF ? NOT_A_NUMBER : std::ldexp(1.0f, code - 127);
    }
    const uint8_t sign = IsFloat4(dtype) ? 8 : 0x80;
    if (dtype == DType::HIF8 && code == 0x80) {
        return NOT_A_NUMBER;
    }
    const float value = Magnitude(static_cast<uint8_t>(code & (sign - 1)), dtype);
    return (code & sign) != 0 ? -value : value;
}

uint8_t FloatToSmall(float value, DType dtype, RoundMode mode, bool saturate)
{
    if (dtype == DType::FP8_E8M0) { // the exponent alone; the sign and the mantissa are left out
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        return value != value ? 0xFF : static_cast<uint8_t>(std::min<uint32_t>(bits >> 23 & 0xFF, 0xFE));
    }
    const Table& table = TableOf(dtype);
    const uint8_t sign = IsFloat4(dtype) ? 8 : 0x80;
    if (value != value) {
        return table.saturates || saturate ? 0 : table.nan;
    }
    const bool negative = std::signbit(value);
    const float size = std::fabs(value);
    const float* above = std::upper_bound(table.values, table.values + table.count, size);
    auto at = static_cast<uint32_t>(above - table.values) - 1; // the first value is 0
    const bool last = at + 1 == table.count;
    const float high = last ? table.beyond : table.values[at + 1];
    uint8_t code = table.codes[at];
    if (size != table.values[at] && (size >= high || GoesUp(size, table.values[at], high, negative, code, mode))) {
        code = !last ? table.codes[at + 1] : table.saturates || saturate ? code : table.infinity;
    }
    if (dtype == DType::HIF8 && code == 0) {
        return 0; // there is no negative zero
    }
    return static_cast<uint8_t>(code | (negative ? sign : 0));
}

} // namespace sim
} // namespace AscendC
