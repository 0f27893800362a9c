// In:    lane by lane arithmetic between registers.
// Out:   lanes, or in the first run of a vector function which of them are data.
// Never: a rounding other than one per instruction.
#include "exp.h"
#include "reg_vf.h"
#include <algorithm>
#include <cmath>

namespace AscendC {
namespace sim {
namespace {

constexpr bool IsFloating(DType dtype) { return dtype <= DType::BF16; }

template <RegOp op> float Calc(float a, float b, float d, float s)
{
    switch (op) {
        case RegOp::ADD: return a + b;
        case RegOp::SUB: return a - b;
        case RegOp::MUL: return a * b;
        case RegOp::DIV: return a / b;
        case RegOp::MAX: return a > b || a != a ? a : b;
        case RegOp::MIN: return a < b || a != a ? a : b;
        case RegOp::ABSSUB: return std::fabs(a - b);
        case RegOp::PRELU: return a >= 0.0f ? a : a * b;
        case RegOp::MULADDDST: return std::fma(a, b, d);
        case RegOp::MULDSTADD: return std::fma(d, a, b);
        case RegOp::ADDS: return a + s;
        case RegOp::MULS: return a * s;
        case RegOp::MAXS: return a > s || a != a ? a : s;
        case RegOp::MINS: return a < s || a != a ? a : s;
        case RegOp::LRELU: return a >= 0.0f ? a : a * s;
        case RegOp::AXPY: return std::fma(a, s, d);
        case RegOp::ABS: return std::fabs(a);
        case RegOp::RELU: return a > 0.0f || a != a ? a : 0.0f;
        case RegOp::EXP: return ExpOne(a);
        case RegOp::SQRT: return std::sqrt(a);
        case RegOp::LN: return std::log(a);
        case RegOp::LOG2: return std::log2(a);
        case RegOp::LOG10: return std::log10(a);
        case RegOp::NEG: return -a;
        default: return a;
    }
}
// Integers of every width in 64 bits: what is stored is the low part, so sums and products wrap as they should.
template <RegOp op> int64_t Calc(int64_t a, int64_t b, int64_t d, int64_t s)
{
    switch (op) {
        case RegOp::ADD: return a + b;
        case RegOp::SUB: return a - b;
        case RegOp::MUL: return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        case RegOp::MAX: return std::max(a, b);
        case RegOp::MIN: return std::min(a, b);
        case RegOp::AND: return a & b;
        case RegOp::OR: return a | b;
        case RegOp::XOR: return a ^ b;
        case RegOp::SHL: return b < 0 || b > 31 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
        case RegOp::SHR: return a >> std::min<int64_t>(b < 0 ? 63 : b, 63);
        case RegOp::MULADDDST: return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(d));
        case RegOp::ADDS: return a + s;
        case RegOp::MULS: return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(s));
        case RegOp::MAXS: return std::max(a, s);
        case RegOp::MINS: return std::min(a, s);
        case RegOp::SHLS: return s < 0 || s > 31 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << s);
        case RegOp::SHRS: return a >> std::min<int64_t>(s < 0 ? 63 : s, 63);
        case RegOp::ABS: return a < 0 ? -a : a;
        case RegOp::RELU: return std::max<int64_t>(a, 0);
        case RegOp::NEG: return -a;
        case RegOp::NOT: return ~a;
        default: return a;
    }
}

template <typename C> using Loop = void (*)(const C* a, const C* b, const C* d, C* out, C s, uint32_t n);
template <RegOp op, typename C> void LoopOf(const C* a, const C* b, const C* d, C* out, C s, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        out[i] = Calc<op>(a[i], b[i], d[i], s);
    }
}
template <typename C> Loop<C> Pick(RegOp op)
{
    switch (op) {
#define FIAGEN_PICK(OP) \
    case RegOp::OP: return LoopOf<RegOp::OP, C>;
        FIAGEN_PICK(ADD) FIAGEN_PICK(SUB) FIAGEN_PICK(MUL) FIAGEN_PICK(DIV) FIAGEN_PICK(MAX) FIAGEN_PICK(MIN)
        FIAGEN_PICK(AND) FIAGEN_PICK(OR) FIAGEN_PICK(XOR) FIAGEN_PICK(SHL) FIAGEN_PICK(SHR) FIAGEN_PICK(ABSSUB)
        FIAGEN_PICK(PRELU) FIAGEN_PICK(MULADDDST) FIAGEN_PICK(MULDSTADD) FIAGEN_PICK(ADDS) FIAGEN_PICK(MULS)
        FIAGEN_PICK(MAXS) FIAGEN_PICK(MINS) FIAGEN_PICK(SHLS) FIAGEN_PICK(SHRS) FIAGEN_PICK(LRELU) FIAGEN_PICK(AXPY)
        FIAGEN_PICK(ABS) FIAGEN_PICK(RELU) FIAGEN_PICK(EXP) FIAGEN_PICK(SQRT) FIAGEN_PICK(LN) FIAGEN_PICK(LOG2)
        FIAGEN_PICK(LOG10) FIAGEN_PICK(NEG) FIAGEN_PICK(NOT)
#undef FIAGEN_PICK
    }
    return nullptr;
}

// Lanes of a register as floats, or as 64-bit integers.
const float* Widen(const Register& reg, DType dtype, float* buffer)
{
    if (dtype == DType::F32) {
        return reinterpret_cast<const float*>(reg.bytes);
    }
    ToFloats(reg.bytes, dtype, buffer, REG / SizeOf(dtype));
    return buffer;
}
template <typename T> void WidenAs(const uint8_t* bytes, int64_t* buffer)
{
    for (uint32_t i = 0; i < REG / sizeof(T); ++i) {
        T value;
        std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
        buffer[i] = static_cast<int64_t>(value);
    }
}
const int64_t* Widen(const Register& reg, DType dtype, int64_t* buffer)
{
    switch (dtype) {
        case DType::I8: WidenAs<int8_t>(reg.bytes, buffer); break;
        case DType::U8: WidenAs<uint8_t>(reg.bytes, buffer); break;
        case DType::I16: WidenAs<int16_t>(reg.bytes, buffer); break;
        case DType::U16: WidenAs<uint16_t>(reg.bytes, buffer); break;
        case DType::I32: WidenAs<int32_t>(reg.bytes, buffer); break;
        default: WidenAs<uint32_t>(reg.bytes, buffer); break;
    }
    return buffer;
}

// `result` holds every lane; the mask decides what becomes of it.
void Settle(Register& dst, const uint8_t* result, uint32_t size, const MaskRegister& mask, bool merge)
{
    if (Full(mask, size)) {
        std::memcpy(dst.bytes, result, REG);
        return;
    }
    for (uint32_t at = 0; at < REG; at += size) {
        if (Active(mask, at)) {
            std::memcpy(dst.bytes + at, result + at, size);
        } else if (!merge) {
            std::memset(dst.bytes + at, 0, size);
        }
    }
}

template <typename C>
void Compute(RegOp op, DType dtype, Register& dst, const Register& a, const Register& b, C scalar, const MaskRegister& mask, bool merge)
{
    alignas(64) C buffer[4][REG];
    alignas(64) uint8_t bytes[REG];
    const uint32_t size = SizeOf(dtype), lanes = REG / size;
    const C* left = Widen(a, dtype, buffer[0]);
    const C* right = &a == &b ? left : Widen(b, dtype, buffer[1]);
    const bool accumulates = op == RegOp::MULADDDST || op == RegOp::MULDSTADD || op == RegOp::AXPY;
    const C* before = accumulates ? Widen(dst, dtype, buffer[2]) : left;
    Pick<C>(op)(left, right, before, buffer[3], scalar, lanes);
    if constexpr (std::is_same<C, float>::value) {
        FromFloats(buffer[3], bytes, dtype, lanes);
    } else {
        for (uint32_t i = 0; i < lanes; ++i) { // little endian: the low bytes are the narrow value
            std::memcpy(bytes + i * size, buffer[3] + i, size);
        }
    }
    Settle(dst, bytes, size, mask, merge);
}

double CyclesOf(const Core& core, RegOp op, DType dtype)
{
    const double lanes = REG / SizeOf(dtype);
    switch (op) {
        case RegOp::EXP:
        case RegOp::LN:
        case RegOp::LOG2:
        case RegOp::LOG10: return lanes / core.run.chip.vector_exp_elements;
        case RegOp::DIV:
        case RegOp::SQRT: return lanes / core.run.chip.vector_div_elements;
        case RegOp::MAX:
        case RegOp::MIN:
        case RegOp::MAXS:
        case RegOp::MINS:
        case RegOp::AND:
        case RegOp::OR:
        case RegOp::XOR:
        case RegOp::NOT: return core.run.chip.vector_repeat_cycles;
        default: return core.run.chip.vector_repeat_cycles * (IsFloating(dtype) ? 1 : 2); // integers take two halves
    }
}

void Lanes(RegOp op, const char* name, DType dtype, Register& dst, const Register& a, const Register& b, double scalar,
    const MaskRegister& mask, bool merge, At at)
{
    Vf& vf = EnterVf(name, at);
    CheckSet(vf, mask);
    const uint32_t size = SizeOf(dtype);
    if (vf.check) {
        vf.Paired(CyclesOf(vf.core, op, dtype), REG / size);
        if (vf.Tracks()) {
            const Register* sources[3] = {&a, &b, &dst};
            const bool accumulates = op == RegOp::MULADDDST || op == RegOp::MULDSTADD || op == RegOp::AXPY;
            FlowLanes(dst, size, sources, accumulates ? 3 : 2, &mask, merge);
        }
        return;
    }
    if (IsFloating(dtype)) {
        Compute<float>(op, dtype, dst, a, b, static_cast<float>(scalar), mask, merge);
    } else {
        Compute<int64_t>(op, dtype, dst, a, b, static_cast<int64_t>(scalar), mask, merge);
    }
}

template <typename C> bool Holds(C a, C b, CMPMODE mode)
{
    switch (mode) {
        case CMPMODE::LT: return a < b;
        case CMPMODE::GT: return a > b;
        case CMPMODE::EQ: return a == b;
        case CMPMODE::LE: return a <= b;
        case CMPMODE::GE: return a >= b;
        default: return a != b;
    }
}
template <typename C>
void CompareLanes(DType dtype, MaskRegister& dst, const Register& a, const Register* b, C scalar, CMPMODE mode, const MaskRegister& mask)
{
    C buffer[2][REG];
    const C* left = Widen(a, dtype, buffer[0]);
    const C* right = b == nullptr ? nullptr : Widen(*b, dtype, buffer[1]);
    const uint32_t size = SizeOf(dtype);
    for (uint32_t i = 0; i < REG / size; ++i) {
        const bool on = Active(mask, i * size) && Holds(left[i], right == nullptr ? scalar : right[i], mode);
        dst.bits[i * size / 64] |= on ? uint64_t{1} << (i * size % 64) : 0;
    }
}

} // namespace

void RegBinary(RegOp op, const char* name, DType dtype, Register& dst, const Register& a, const Register& b, const MaskRegister& mask,
    bool merge, At at)
{
    Lanes(op, name, dtype, dst, a, b, 0.0, mask, merge, at);
}
void RegScalar(RegOp op, const char* name, DType dtype, Register& dst, const Register& a, double scalar, const MaskRegister& mask, At at)
{
    Lanes(op, name, dtype, dst, a, a, scalar, mask, false, at);
}

void RegExpSub(DType from, Register& dst, const Register& a, const Register& b, uint32_t layout, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("ExpSub", at);
    CheckSet(vf, mask);
    const uint32_t size = SizeOf(from), step = 4 / size, lanes = REG / 4;
    const uint32_t first = step == 1 ? 0 : layout;
    if (vf.check) {
        vf.Paired(lanes / vf.core.run.chip.vector_exp_elements, lanes);
        if (!vf.Tracks()) {
            return;
        }
        uint8_t buffers[2][REG], result[REG];
        const uint8_t* marks[2] = {MarksOf(a, buffers[0]), MarksOf(b, buffers[1])};
        for (uint32_t i = 0; i < lanes; ++i) {
            const uint32_t place = (i * step + first) * size;
            const bool good = !Active(mask, place) ||
                (std::memchr(marks[0] + place, 0, size) == nullptr && std::memchr(marks[1] + place, 0, size) == nullptr);
            std::memset(result + i * 4, good ? 1 : 0, 4);
        }
        SetMarks(dst, result, a.taint | b.taint | mask.taint);
        return;
    }
    float buffer[3][REG];
    const float* left = Widen(a, from, buffer[0]);
    const float* right = Widen(b, from, buffer[1]);
    for (uint32_t i = 0; i < lanes; ++i) {
        const uint32_t place = i * step + first;
        buffer[2][i] = Active(mask, place * size) ? ExpOne(left[place] - right[place]) : 0.0f;
    }
    std::memcpy(dst.bytes, buffer[2], REG);
}

void RegCompare(const char* name, DType dtype, MaskRegister& dst, const Register& a, const Register* b, double scalar, CMPMODE mode,
    const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf(name, at);
    CheckSet(vf, mask);
    MaskRegister result;
    result.set = true;
    if (vf.check) { // which lanes hold is for the data to say
        vf.Paired(1, REG / SizeOf(dtype));
        std::copy(mask.bits, mask.bits + 4, result.bits);
        result.exact = false;
        result.taint = a.taint | (b == nullptr ? 0 : b->taint) | mask.taint;
    } else if (IsFloating(dtype)) {
        CompareLanes<float>(dtype, result, a, b, static_cast<float>(scalar), mode, mask);
    } else {
        CompareLanes<int64_t>(dtype, result, a, b, static_cast<int64_t>(scalar), mode, mask);
    }
    dst = result;
}

void RegSelect(uint32_t size, Register& dst, const Register& a, const Register& b, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("Select", at);
    CheckSet(vf, mask);
    uint8_t buffers[2][REG], result[REG];
    const bool marks = vf.check;
    if (marks) {
        vf.Paired(1, REG / size);
        if (!vf.Tracks()) {
            return;
        }
    }
    const uint8_t* left = marks ? MarksOf(a, buffers[0]) : a.bytes;
    const uint8_t* right = marks ? MarksOf(b, buffers[1]) : b.bytes;
    for (uint32_t at8 = 0; at8 < REG; at8 += size) {
        std::memcpy(result + at8, Active(mask, at8) ? left + at8 : right + at8, size);
        for (uint32_t i = at8; marks && !mask.exact && i < at8 + size; ++i) {
            result[i] = left[i] & right[i];
        }
    }
    if (marks) {
        SetMarks(dst, result, a.taint | b.taint | mask.taint);
    } else {
        std::memcpy(dst.bytes, result, REG);
    }
}

} // namespace sim
} // namespace AscendC
