// In:    Cast calls, already reduced to addresses, masks and strides.
// Out:   checked and queued conversions with the rounding the call names.
// Never: a rounding mode the pair of types does not have.
#include "cost.h"
#include "small_floats.h"
#include <cmath>
#include <limits>

namespace AscendC {
namespace sim {

static double RoundWhole(double x, RoundMode mode)
{
    switch (mode) {
        case RoundMode::CAST_FLOOR: return std::floor(x);
        case RoundMode::CAST_CEIL: return std::ceil(x);
        case RoundMode::CAST_ROUND: return std::round(x);
        case RoundMode::CAST_TRUNC: return std::trunc(x);
        default: return std::nearbyint(x);
    }
}

// Narrow a float to half or bfloat16 with any rounding: step from the nearest value when it lies on the wrong side.
uint16_t NarrowBits(float x, DType to, RoundMode mode)
{
    uint32_t wide;
    std::memcpy(&wide, &x, sizeof(wide));
    const uint32_t magnitude = wide & 0x7FFFFFFFu, sign = wide >> 16 & 0x8000u;
    // Half a unit added to the magnitude rounds ties away; the carry moves into the exponent as it should.
    if (mode == RoundMode::CAST_ROUND && to == DType::BF16 && magnitude < 0x7F800000u) {
        return static_cast<uint16_t>(sign | (magnitude + 0x8000u) >> 16);
    }
    if (mode == RoundMode::CAST_ROUND && to == DType::F16 && magnitude >= 0x38800000u && magnitude < 0x477FF000u) {
        return static_cast<uint16_t>(sign | (magnitude + 0x1000u - 0x38000000u) >> 13);
    }
    uint16_t bits;
    FromFloats(&x, &bits, to, 1);
    const bool overflows = mode == RoundMode::CAST_ROUND && (bits & 0x7FFF) == (to == DType::F16 ? 0x7C00 : 0x7F80);
    if (overflows || mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT || x != x || std::isinf(x)) {
        return bits;
    }
    float near;
    ToFloats(&bits, to, &near, 1);
    if (near == x) {
        return bits;
    }
    const bool negative = std::signbit(x);
    const float size = std::fabs(x);
    uint16_t low = static_cast<uint16_t>(bits & 0x7FFF); // the largest magnitude not above |x|
    if (std::fabs(near) > size) {
        --low;
    }
    uint16_t chosen = low;
    switch (mode) {
        case RoundMode::CAST_FLOOR: chosen = negative ? low + 1 : low; break;
        case RoundMode::CAST_CEIL: chosen = negative ? low : low + 1; break;
        case RoundMode::CAST_ODD: chosen = low | 1; break;
        case RoundMode::CAST_ROUND: {
            float below, above;
            uint16_t next = static_cast<uint16_t>(low + 1);
            ToFloats(&low, to, &below, 1);
            ToFloats(&next, to, &above, 1);
            chosen = double(size) - below >= double(above) - size ? next : low;
            break;
        }
        default: break;
    }
    return static_cast<uint16_t>(chosen | (negative ? 0x8000 : 0));
}

struct CastJob {
    Operand dst, src;
    LanePlan plan;
    RoundMode mode;
    float scale; // of int32_t to half
    void operator()(Core&) const;
    void Narrow(const float* in, uint32_t repeat, uint32_t n) const;
};

static int64_t Saturate(double x, DType to, RoundMode mode)
{
    if (x != x) {
        return 0;
    }
    double low, high;
    switch (to) {
        case DType::I8: low = -128, high = 127; break;
        case DType::U8: low = 0, high = 255; break;
        case DType::I16: low = -32768, high = 32767; break;
        case DType::I32: low = -2147483648.0, high = 2147483647.0; break;
        default:
            if (x >= 9223372036854775807.0) {
                return std::numeric_limits<int64_t>::max();
            }
            low = -9223372036854775808.0, high = 9223372036854774784.0;
            break;
    }
    x = RoundWhole(x, mode);
    return static_cast<int64_t>(x < low ? low : x > high ? high : x);
}

void CastJob::operator()(Core&) const
{
    const bool fast = mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT;
    if (IsFloat(src.dtype) && IsFloat(dst.dtype) && plan.Whole() && Contiguous(src, plan) && Contiguous(dst, plan) &&
        (fast || dst.dtype == DType::F32)) {
        float block[512];
        const uint64_t count = plan.repeats == 0 ? 0 : plan.Elements();
        for (uint64_t i = 0; i < count; i += 512) {
            size_t n = std::min<uint64_t>(512, count - i);
            if (dst.dtype == DType::F32) {
                ToFloats(src.base + i * src.size, src.dtype, reinterpret_cast<float*>(dst.base) + i, n);
            } else {
                ToFloats(src.base + i * src.size, src.dtype, block, n);
                FromFloats(block, dst.base + i * dst.size, dst.dtype, n);
            }
        }
        return;
    }
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        const uint32_t n = plan.Active(r);
        float floats[MAX_LANES], out[MAX_LANES];
        int32_t ints[MAX_LANES];
        if (IsFloat(src.dtype)) {
            const float* in = LoadFloats(src, r, n, floats);
            if (IsFloat(dst.dtype)) {
                if (dst.dtype == DType::F32 || fast) {
                    StoreFloats(dst, r, n, plan, in);
                } else {
                    for (uint32_t i = 0; i < n; ++i) {
                        ints[i] = NarrowBits(in[i], dst.dtype, mode);
                    }
                    StoreInts(dst, r, n, plan, ints);
                }
                continue;
            }
            for (uint32_t i = 0; i < n; ++i) {
                int64_t value = Saturate(in[i], dst.dtype, mode);
                ints[i] = static_cast<int32_t>(value);
                if (dst.size == 8 && plan.Has(i)) {
                    std::memcpy(dst.Block(r, i / 4) + size_t{i % 4} * 8, &value, 8);
                }
            }
            if (dst.size != 8) {
                StoreInts(dst, r, n, plan, ints);
            }
            continue;
        }
        for (uint32_t i = 0; i < n; ++i) { // integers: 64 bits hold every one
            int64_t value = 0;
            const uint8_t* at = src.Block(r, i * src.size / 32) + i * src.size % 32;
            if (src.size == 8) {
                std::memcpy(&value, at, 8);
            } else {
                Operand one = src;
                one.base = const_cast<uint8_t*>(at);
                int32_t narrow;
                value = *LoadInts(one, 0, 1, &narrow);
            }
            if (IsFloat(dst.dtype)) {
                out[i] = static_cast<float>(value) * scale;
                if (mode != RoundMode::CAST_NONE && mode != RoundMode::CAST_RINT && static_cast<double>(out[i]) != double(value)) {
                    bool above = static_cast<double>(out[i]) > double(value);
                    bool down = mode == RoundMode::CAST_FLOOR || (mode == RoundMode::CAST_TRUNC && value > 0);
                    bool up = mode == RoundMode::CAST_CEIL || (mode == RoundMode::CAST_TRUNC && value < 0);
                    out[i] = down && above ? std::nextafter(out[i], -INFINITY)
                        : up && !above     ? std::nextafter(out[i], INFINITY)
                                           : out[i];
                }
            } else {
                int64_t result = dst.dtype == DType::I16 ? std::min<int64_t>(32767, std::max<int64_t>(-32768, value))
                    : dst.dtype == DType::I32 ? std::min<int64_t>(2147483647, std::max<int64_t>(-2147483648LL, value))
                                              : value;
                ints[i] = static_cast<int32_t>(result);
                if (dst.size == 8 && plan.Has(i)) {
                    std::memcpy(dst.Block(r, i / 4) + size_t{i % 4} * 8, &result, 8);
                }
            }
        }
        if (IsFloat(dst.dtype)) {
            StoreFloats(dst, r, n, plan, out);
        } else if (dst.size != 8) {
            StoreInts(dst, r, n, plan, ints);
        }
    }
}

// The roundings each pair of types has, as a bit set over RoundMode.
static uint32_t Allowed(DType to, DType from)
{
    constexpr uint32_t NONE = 1, RINT = 2, FLOOR = 4, CEIL = 8, ROUND = 16, TRUNC = 32, ODD = 64;
    constexpr uint32_t WHOLE = RINT | FLOOR | CEIL | ROUND | TRUNC;
    if (from == DType::F32) {
        return to == DType::F16 ? WHOLE | NONE | ODD : to == DType::F32 ? WHOLE : WHOLE;
    }
    if (from == DType::F16) {
        return to == DType::F32 ? NONE : to == DType::I8 || to == DType::U8 ? WHOLE | NONE : WHOLE;
    }
    if (from == DType::BF16) {
        return to == DType::F32 ? NONE : WHOLE;
    }
    if (from == DType::I16) {
        return to == DType::F16 ? WHOLE | NONE : NONE;
    }
    if (from == DType::I32) {
        return to == DType::F32 ? WHOLE | NONE : NONE; // half only with SetDeqScale
    }
    return from == DType::I64 && to == DType::F32 ? WHOLE : NONE;
}

void SetDequantScale(float scale, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.dequantScale = scale;
    core.dequantScaleSet = true;
}

void VecCast(const Local& dst, const Local& src, RoundMode mode, const Mask& mask, const Steps& steps, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "Cast", at);
    CheckUb(core, dst, "destination");
    CheckUb(core, src, "source");
    if ((Allowed(dst.dtype, src.dtype) >> static_cast<int>(mode) & 1) == 0) {
        static const char* const names[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};
        core.Raise("sim.limit", PIPE_V, "Cast", at.line, 0, "Cast from %s to %s has no rounding mode CAST_%s", NameOf(src.dtype),
            NameOf(dst.dtype), names[static_cast<int>(mode)]);
    }
    const bool scaled = src.dtype == DType::I32 && dst.dtype == DType::F16;
    if (scaled && !core.dequantScaleSet) {
        core.Raise("sim.no_deq_scale", PIPE_V, "Cast", at.line, 0,
            "Cast from int32_t to half multiplies with the scale of SetDeqScale, and none was set");
    }
    const uint32_t wide = std::max(SizeOf(dst.dtype), SizeOf(src.dtype)), lanes = 256 / wide;
    LanePlan plan = Plan(core, mask, steps.repeat, lanes);
    // In the count form each side is contiguous by itself: a repeat of the narrow type is less than 8 blocks.
    bool count = mask.kind == Mask::TOTAL;
    auto step = [&](uint16_t given, DType dtype) { return count ? static_cast<uint16_t>(lanes * SizeOf(dtype) / 32) : given; };
    Operand to = OperandOf(core, dst, steps.dstBlk, step(steps.dstRep, dst.dtype));
    Operand from = OperandOf(core, src, steps.src0Blk, step(steps.src0Rep, src.dtype));
    TouchLanes(core, src, from, plan, Uses::READ);
    CheckOverlap(core, dst, to, src, from, plan);
    TouchLanes(core, dst, to, plan, Uses::WRITE);
    core.Issue(PIPE_V, "Cast", at, VectorCost(core, plan, core.run.chip.vector_repeat_cycles, &to, &from, nullptr),
        CastJob{to, from, plan, mode, scaled ? core.dequantScale : 1.0f});
}

} // namespace sim
} // namespace AscendC
