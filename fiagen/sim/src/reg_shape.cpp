// In:    fills, moves, reorderings and reductions of registers.
// Out:   lanes, or in the first run of a vector function which of them are data.
// Never: an order of additions other than the tree the instruction has.
#include "reg_vf.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace AscendC {
namespace sim {

void RegFill(uint32_t size, Register& dst, uint64_t bits, const MaskRegister* mask, bool merge, At at)
{
    Vf& vf = EnterVf("Duplicate", at);
    if (mask != nullptr) {
        CheckSet(vf, *mask);
    }
    if (vf.check) {
        vf.Paired(1);
        FlowLanes(dst, size, nullptr, 0, mask, merge);
        return;
    }
    for (uint32_t i = 0; i < REG; i += size) {
        if (mask == nullptr || Active(*mask, i)) {
            std::memcpy(dst.bytes + i, &bits, size);
        } else if (!merge) {
            std::memset(dst.bytes + i, 0, size);
        }
    }
}

void RegFillLowest(uint32_t size, Register& dst, const Register& src, const MaskRegister& mask, bool merge, At at)
{
    Vf& vf = EnterVf("Duplicate", at);
    CheckSet(vf, mask);
    if (!vf.check) {
        uint64_t bits = 0;
        std::memcpy(&bits, src.bytes, size);
        for (uint32_t i = 0; i < REG; i += size) {
            if (Active(mask, i)) {
                std::memcpy(dst.bytes + i, &bits, size);
            } else if (!merge) {
                std::memset(dst.bytes + i, 0, size);
            }
        }
        return;
    }
    vf.Paired(1);
    uint8_t buffer[REG];
    Register whole; // the lowest element in every lane
    whole.taint = src.taint;
    const bool good = std::memchr(MarksOf(src, buffer), 0, size) == nullptr;
    whole.state = good ? Register::WHOLE : Register::EMPTY;
    const Register* source = &whole;
    FlowLanes(dst, size, &source, 1, &mask, merge);
}

void RegMove(uint32_t size, Register& dst, const Register& src, const MaskRegister* mask, At at)
{
    Vf& vf = EnterVf("Move", at);
    if (mask != nullptr) {
        CheckSet(vf, *mask);
    }
    if (vf.check) {
        vf.Paired(1);
        const Register* source = &src;
        FlowLanes(dst, size, &source, 1, mask, mask != nullptr);
        return;
    }
    for (uint32_t i = 0; i < REG; i += size) {
        if (mask == nullptr || Active(*mask, i)) {
            std::memmove(dst.bytes + i, src.bytes + i, size);
        }
    }
}

void RegArange(DType dtype, Register& dst, double first, bool down, At at)
{
    Vf& vf = EnterVf("Arange", at);
    if (vf.check) {
        vf.Paired(1);
        dst.state = Register::WHOLE;
        dst.taint = 0;
        return;
    }
    const uint32_t size = SizeOf(dtype), lanes = REG / size;
    for (uint32_t i = 0; i < lanes; ++i) {
        const double value = first + (down ? lanes - 1 - i : i);
        if (dtype == DType::F32 || dtype == DType::F16) {
            const auto narrow = static_cast<float>(value);
            FromFloats(&narrow, dst.bytes + i * size, dtype, 1);
        } else {
            const auto whole = static_cast<int64_t>(value);
            std::memcpy(dst.bytes + i * size, &whole, size);
        }
    }
}

namespace {
// Runs `move` on bytes, or in the first run on marks; it fills `count` registers from the two sources.
template <typename F> void Reorder(Vf& vf, Register* const* dst, uint32_t count, const Register& a, const Register& b, F move)
{
    uint8_t buffers[2][REG], results[2][REG];
    if (!vf.check) {
        move(a.bytes, b.bytes, results, uint8_t{0});
        for (uint32_t i = 0; i < count; ++i) {
            std::memcpy(dst[i]->bytes, results[i], REG);
        }
        return;
    }
    vf.Alone(1);
    if (!vf.Tracks()) {
        return;
    }
    const uint64_t taint = a.taint | b.taint;
    move(MarksOf(a, buffers[0]), MarksOf(b, buffers[1]), results, uint8_t{1});
    for (uint32_t i = 0; i < count; ++i) {
        SetMarks(*dst[i], results[i], taint);
    }
}
} // namespace

void RegInterleave(uint32_t size, Register& dst0, Register& dst1, const Register& src0, const Register& src1, bool apart, At at)
{
    Vf& vf = EnterVf(apart ? "DeInterleave" : "Interleave", at);
    if (&dst0 == &dst1) {
        vf.core.Raise("sim.overlap", PIPE_V, vf.core.curName, at.line, 0, "both results go into the same register");
    }
    Register* const dst[2] = {&dst0, &dst1};
    Reorder(vf, dst, 2, src0, src1, [=](const uint8_t* a, const uint8_t* b, uint8_t (*out)[REG], uint8_t) {
        const uint8_t* from[2] = {a, b};
        const uint32_t lanes = REG / size;
        for (uint32_t i = 0; i < 2 * lanes; ++i) {
            const uint32_t joined = i % lanes * size, split = i / 2 * size;
            apart ? std::memcpy(out[i % 2] + split, from[i / lanes] + joined, size)
                  : std::memcpy(out[i / lanes] + joined, from[i % 2] + split, size);
        }
    });
}

// The low half of each element; the other half of the register becomes 0.
void RegPack(uint32_t size, Register& dst, const Register& src, bool high, At at)
{
    Vf& vf = EnterVf("Pack", at);
    Register* const to = &dst;
    Reorder(vf, &to, 1, src, src, [=](const uint8_t* a, const uint8_t*, uint8_t (*out)[REG], uint8_t zero) {
        std::memset(out[0], zero, REG);
        for (uint32_t i = 0; i < REG; i += size) {
            std::memcpy(out[0] + (high ? REG / 2 : 0) + i / 2, a + i, size / 2);
        }
    });
}

void RegUnpack(uint32_t size, Register& dst, const Register& src, bool high, bool sign, At at)
{
    Vf& vf = EnterVf("UnPack", at);
    Register* const to = &dst;
    Reorder(vf, &to, 1, src, src, [=](const uint8_t* a, const uint8_t*, uint8_t (*out)[REG], uint8_t mark) {
        for (uint32_t i = 0; i < REG / 2; i += size) {
            const uint8_t* from = a + (high ? REG / 2 : 0) + i;
            const uint8_t fill = mark != 0 ? from[size - 1] : sign && (from[size - 1] & 0x80) != 0 ? 0xFF : 0;
            std::memset(out[0] + size_t{i} * 2, fill, size * 2);
            std::memcpy(out[0] + size_t{i} * 2, from, size);
        }
    });
}

namespace {
double ValueOf(const uint8_t* at, DType dtype)
{
    float real;
    int64_t whole = 0;
    switch (dtype) {
        case DType::F32:
        case DType::F16:
        case DType::BF16: ToFloats(at, dtype, &real, 1); return real;
        case DType::I16: return static_cast<double>(static_cast<int16_t>(at[0] | at[1] << 8));
        case DType::U16: return static_cast<double>(at[0] | at[1] << 8);
        case DType::I32: {
            int32_t value;
            std::memcpy(&value, at, 4);
            return value;
        }
        default: std::memcpy(&whole, at, SizeOf(dtype)); return static_cast<double>(whole);
    }
}
void PutValue(uint8_t* at, DType dtype, double value)
{
    if (dtype == DType::F32 || dtype == DType::F16) {
        const auto real = static_cast<float>(value);
        FromFloats(&real, at, dtype, 1);
        return;
    }
    const auto whole = static_cast<int64_t>(value); // integer sums stay far below 2^53, and wrap when they are stored
    std::memcpy(at, &whole, SizeOf(dtype));
}
double Lowest(DType dtype)
{
    switch (dtype) {
        case DType::I16: return -32768;
        case DType::I32: return -2147483648.0;
        case DType::U16:
        case DType::U32: return 0;
        default: return -std::numeric_limits<double>::infinity();
    }
}
double Highest(DType dtype)
{
    switch (dtype) {
        case DType::I16: return 32767;
        case DType::I32: return 2147483647.0;
        case DType::U16: return 65535;
        case DType::U32: return 4294967295.0;
        default: return std::numeric_limits<double>::infinity();
    }
}

struct Found {
    double value;
    uint32_t lane;
};
// Elements [first, first + count) of a register, brought together; neighbours are added first, then their sums.
Found Gather(ReduceOp type, DType from, DType to, const Register& src, const MaskRegister& mask, uint32_t first, uint32_t count)
{
    const uint32_t size = SizeOf(from);
    if (type == ReduceOp::SUM) {
        double tree[REG];
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t place = (first + i) * size;
            tree[i] = Active(mask, place) ? ValueOf(src.bytes + place, from) : 0.0;
        }
        const bool real = to == DType::F32 || to == DType::F16;
        for (; count > 1; count = (count + 1) / 2) {
            for (uint32_t i = 0; i < count / 2; ++i) {
                const double sum = tree[2 * i] + tree[2 * i + 1];
                tree[i] = real ? static_cast<double>(static_cast<float>(sum)) : sum;
            }
            if (count % 2 != 0) {
                tree[count / 2] = tree[count - 1];
            }
        }
        return {tree[0], 0};
    }
    const bool up = type == ReduceOp::MAX;
    Found best{up ? Lowest(from) : Highest(from), 0};
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t place = (first + i) * size;
        if (!Active(mask, place)) {
            continue;
        }
        const double value = ValueOf(src.bytes + place, from);
        const bool zero = value == 0 && best.value == 0 && std::signbit(value) != std::signbit(best.value);
        const bool better = zero ? std::signbit(best.value) == up : up ? value > best.value : value < best.value;
        if (!any || better || (value != value && best.value == best.value)) {
            best = {value, first + i};
            any = true;
        }
    }
    return best;
}

// The first run of a reduction: lane i of the result is data when its `count` active elements are.
void FlowReduced(Vf& vf, DType from, DType to, Register& dst, const Register& src, const MaskRegister& mask, uint32_t count,
    uint32_t results, bool withIndex)
{
    if (!vf.Tracks()) {
        return;
    }
    uint8_t buffer[REG], result[REG];
    const uint8_t* marks = MarksOf(src, buffer);
    const uint32_t size = SizeOf(from), wide = SizeOf(to);
    std::memset(result, 1, REG);
    for (uint32_t i = 0; i < results; ++i) {
        bool good = true;
        for (uint32_t lane = i * count; lane < (i + 1) * count; ++lane) {
            good = good && (!Active(mask, lane * size) || std::memchr(marks + lane * size, 0, size) == nullptr);
        }
        std::memset(result + i * wide, good ? 1 : 0, withIndex ? 2 * wide : wide);
    }
    SetMarks(dst, result, src.taint | mask.taint);
}
} // namespace

void RegReduce(ReduceOp type, DType from, DType to, Register& dst, const Register& src, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("Reduce", at);
    CheckSet(vf, mask);
    const uint32_t lanes = REG / SizeOf(from);
    if (vf.check) {
        vf.Alone(type == ReduceOp::SUM ? vf.core.run.chip.vector_sum_cycles : vf.core.run.chip.vector_max_cycles);
        FlowReduced(vf, from, to, dst, src, mask, lanes, 1, type != ReduceOp::SUM);
        return;
    }
    const Found found = Gather(type, from, to, src, mask, 0, lanes);
    std::memset(dst.bytes, 0, REG);
    PutValue(dst.bytes, to, found.value);
    if (type != ReduceOp::SUM) {
        std::memcpy(dst.bytes + SizeOf(to), &found.lane, SizeOf(to));
    }
}

void RegReduceBlock(ReduceOp type, DType from, DType to, Register& dst, const Register& src, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("ReduceDataBlock", at);
    CheckSet(vf, mask);
    const uint32_t count = 32 / SizeOf(from);
    if (vf.check) {
        vf.Alone(type == ReduceOp::SUM ? vf.core.run.chip.vector_sum_cycles : vf.core.run.chip.vector_max_cycles);
        FlowReduced(vf, from, to, dst, src, mask, count, REG / 32, false);
        return;
    }
    uint8_t result[REG] = {};
    for (uint32_t block = 0; block < REG / 32; ++block) {
        PutValue(result + size_t{block} * SizeOf(to), to, Gather(type, from, to, src, mask, block * count, count).value);
    }
    std::memcpy(dst.bytes, result, REG);
}

void RegReducePair(DType dtype, Register& dst, const Register& src, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("PairReduceElem", at);
    CheckSet(vf, mask);
    const uint32_t size = SizeOf(dtype), pairs = REG / size / 2;
    if (vf.check) {
        vf.Alone(vf.core.run.chip.vector_sum_cycles);
        FlowReduced(vf, dtype, dtype, dst, src, mask, 2, pairs, false);
        return;
    }
    uint8_t result[REG] = {};
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        PutValue(result + size_t{pair} * size, dtype, Gather(ReduceOp::SUM, dtype, dtype, src, mask, pair * 2, 2).value);
    }
    std::memcpy(dst.bytes, result, REG);
}

} // namespace sim
} // namespace AscendC
