// In:    conversions between registers of the types of 3510.
// Out:   converted lanes at the places the layout names, or in the first run of a vector function which of them are data.
// Never: a rounding the call does not name.
#include "reg_vf.h"
#include "small_floats.h"
#include <algorithm>
#include <cmath>

namespace AscendC {
namespace sim {
namespace {

constexpr bool IsReal(DType dtype) { return dtype <= DType::BF16 || dtype >= DType::FP8_E4M3; }

double RoundWhole(double x, RoundMode mode)
{
    switch (mode) {
        case RoundMode::CAST_FLOOR: return std::floor(x);
        case RoundMode::CAST_CEIL: return std::ceil(x);
        case RoundMode::CAST_ROUND: return std::round(x);
        case RoundMode::CAST_TRUNC: return std::trunc(x);
        default: return std::nearbyint(x);
    }
}

// The nearest float in the direction the mode wants; the value is an integer of at most 32 bits.
float NarrowWhole(int64_t value, RoundMode mode)
{
    const auto wide = static_cast<double>(value);
    const auto near = static_cast<float>(value);
    const double rest = wide - static_cast<double>(near);
    if (rest == 0) {
        return near;
    }
    const float other = std::nextafter(near, rest > 0 ? INFINITY : -INFINITY), low = std::min(near, other), high = std::max(near, other);
    switch (mode) {
        case RoundMode::CAST_FLOOR: return low;
        case RoundMode::CAST_CEIL: return high;
        case RoundMode::CAST_TRUNC: return value > 0 ? low : high;
        case RoundMode::CAST_ROUND: {
            const double below = wide - static_cast<double>(low), above = static_cast<double>(high) - wide;
            return below == above ? (value > 0 ? high : low) : near;
        }
        default: return near;
    }
}

struct Range {
    double low, high;
};
Range RangeOf(DType dtype)
{
    switch (dtype) {
        case DType::I8: return {-128, 127};
        case DType::U8: return {0, 255};
        case DType::I16: return {-32768, 32767};
        case DType::U16: return {0, 65535};
        case DType::I32: return {-2147483648.0, 2147483647.0};
        default: return {0, 4294967295.0};
    }
}

int64_t LoadWhole(const uint8_t* at, DType dtype)
{
    switch (dtype) {
        case DType::I8: return static_cast<int8_t>(at[0]);
        case DType::U8: return at[0];
        case DType::I16: return static_cast<int16_t>(at[0] | at[1] << 8);
        case DType::U16: return at[0] | at[1] << 8;
        default: {
            uint32_t bits;
            std::memcpy(&bits, at, 4);
            return dtype == DType::I32 ? static_cast<int64_t>(static_cast<int32_t>(bits)) : static_cast<int64_t>(bits);
        }
    }
}

// A float in a type of floats; float4 codes come back alone, their pairs are put together by the caller.
uint32_t RealBits(float value, const RegConversion& how)
{
    if (how.to == DType::F32) {
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        return bits;
    }
    if (IsSmallFloat(how.to)) {
        return FloatToSmall(value, how.to, how.round, how.saturate);
    }
    if (value != value && how.saturate) {
        return 0;
    }
    const uint32_t bits = NarrowBits(value, how.to, how.round), infinite = how.to == DType::F16 ? 0x7C00u : 0x7F80u;
    return how.saturate && (bits & 0x7FFF) == infinite ? bits - 1 : bits;
}

uint32_t WholeBits(double value, const RegConversion& how)
{
    if (value != value) {
        return 0;
    }
    const Range range = RangeOf(how.to);
    const double rounded = std::isinf(value) ? value : RoundWhole(value, how.round);
    if (how.saturate || std::isinf(value) || std::fabs(rounded) > 9e18) {
        return static_cast<uint32_t>(static_cast<int64_t>(std::clamp(rounded, range.low, range.high)));
    }
    return static_cast<uint32_t>(static_cast<int64_t>(rounded));
}

uint32_t Convert(const uint8_t* at, const RegConversion& how)
{
    if (!IsReal(how.from)) {
        const int64_t value = LoadWhole(at, how.from);
        if (!IsReal(how.to)) {
            const Range range = RangeOf(how.to);
            return static_cast<uint32_t>(how.saturate
                    ? static_cast<int64_t>(std::clamp(static_cast<double>(value), range.low, range.high))
                    : value);
        }
        const float real = how.to == DType::F32 ? NarrowWhole(value, how.round) : static_cast<float>(value);
        return RealBits(real, how);
    }
    float value;
    ToFloats(at, how.from, &value, 1);
    value *= how.scale;
    return IsReal(how.to) ? RealBits(value, how) : WholeBits(value, how);
}

// Where an element comes from and goes to: byte in the source and in the result, in steps of the layout.
struct Places {
    uint32_t lanes, fromStep, toStep, from, to;
};
Places PlacesOf(const RegConversion& how)
{
    const uint32_t from = SizeOf(how.from), to = SizeOf(how.to), wide = std::max(from, to);
    const bool pairs = IsFloat4(how.from) || IsFloat4(how.to); // a byte of two beside two elements of two bytes
    const uint32_t step = pairs ? 4 : wide;
    return {REG / step, step, step, from < step && !(pairs && IsFloat4(how.to)) ? how.layout * from : 0,
        to < step && !(pairs && IsFloat4(how.from)) ? how.layout * to : 0};
}

} // namespace

void RegCast(const char* name, const RegConversion& how, Register& dst, const Register& src, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf(name, at);
    CheckSet(vf, mask);
    const Places places = PlacesOf(how);
    const bool pairs = IsFloat4(how.from) || IsFloat4(how.to);
    const uint32_t fromBytes = pairs && IsFloat4(how.to) ? 4 : SizeOf(how.from);
    const uint32_t toBytes = pairs && IsFloat4(how.from) ? 4 : SizeOf(how.to);
    if (vf.check) {
        vf.Paired(1, places.lanes);
        if (!vf.Tracks()) {
            return;
        }
        uint8_t buffer[REG], result[REG];
        const uint8_t* marks = MarksOf(src, buffer);
        std::memset(result, 1, REG);
        for (uint32_t i = 0; i < places.lanes; ++i) {
            const uint32_t from = i * places.fromStep + places.from;
            const bool good = !Active(mask, from) || std::memchr(marks + from, 0, fromBytes) == nullptr;
            std::memset(result + i * places.toStep + places.to, good ? 1 : 0, toBytes);
        }
        SetMarks(dst, result, src.taint | mask.taint);
        return;
    }
    uint8_t result[REG] = {};
    for (uint32_t i = 0; i < places.lanes; ++i) {
        const uint8_t* from = src.bytes + i * places.fromStep + places.from;
        uint8_t* to = result + i * places.toStep + places.to;
        if (!Active(mask, i * places.fromStep + places.from)) {
            continue;
        }
        if (IsFloat4(how.to)) {
            *to = static_cast<uint8_t>(Convert(from, how) | Convert(from + 2, how) << 4);
        } else if (IsFloat4(how.from)) {
            const uint8_t codes[2] = {static_cast<uint8_t>(*from & 15), static_cast<uint8_t>(*from >> 4)};
            for (uint32_t half = 0; half < 2; ++half) {
                const uint32_t bits = Convert(codes + half, how);
                std::memcpy(to + size_t{half} * 2, &bits, 2);
            }
        } else {
            const uint32_t bits = Convert(from, how);
            std::memcpy(to, &bits, toBytes);
        }
    }
    std::memcpy(dst.bytes, result, REG);
}

} // namespace sim
} // namespace AscendC
