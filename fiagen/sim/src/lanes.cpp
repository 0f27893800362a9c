// In:    see lanes.h.
// Out:   see lanes.h.
// Never: arithmetic.
#include "lanes.h"

namespace AscendC {
namespace sim {

LanePlan Plan(Core& core, const Mask& mask, uint32_t repeat, uint32_t lanes)
{
    LanePlan plan;
    plan.lanes = lanes;
    uint64_t low = mask.low, high = mask.high;
    if (mask.kind == Mask::TOTAL) {
        core.maskLow = core.maskHigh = ~uint64_t{0};
        core.counterMode = false;
        plan.counted = true;
    } else {
        if (mask.kind == Mask::REGISTER) {
            low = core.maskLow;
            high = core.maskHigh;
        } else if (mask.kind == Mask::COUNT && !core.counterMode) {
            core.CheckLimit(low, 0, lanes, "mask");
            plan.prefix = static_cast<uint32_t>(low);
            high = low > 64 ? (low >= 128 ? ~uint64_t{0} : (uint64_t{1} << (low - 64)) - 1) : 0;
            low = low >= 64 ? ~uint64_t{0} : (uint64_t{1} << low) - 1;
        }
        core.maskLow = low;
        core.maskHigh = high;
        plan.counted = core.counterMode;
    }
    if (plan.counted) {
        core.CheckLimit(low, 0, 0x7FFFFFFF, "element count");
        plan.total = static_cast<uint32_t>(low);
        plan.repeats = (plan.total + lanes - 1) / lanes;
        return plan;
    }
    core.CheckLimit(repeat, 0, limits::VECTOR_REPEAT_MAX, "repeatTime");
    if (lanes <= 64) {
        high = 0;
        low &= lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
    }
    plan.bits[0] = low;
    plan.bits[1] = high;
    uint32_t count = static_cast<uint32_t>(__builtin_popcountll(low) + __builtin_popcountll(high));
    uint32_t last = high != 0 ? 128 - static_cast<uint32_t>(__builtin_clzll(high))
        : low != 0            ? 64 - static_cast<uint32_t>(__builtin_clzll(low))
                              : 0;
    plan.isPrefix = count == last;
    plan.prefix = last; // also without a prefix: no lane from here on is active
    plan.repeats = count == 0 ? 0 : repeat;
    return plan;
}

void CheckUb(Core& core, const Local& tensor, const char* what)
{
    core.CheckMem(tensor, Mem::UB, what);
    core.CheckAligned(tensor.addr, limits::UB_ALIGN_BYTES, what);
}

Operand OperandOf(Core& core, const Local& tensor, uint16_t blk, uint16_t rep)
{
    return {core.At8(Mem::UB, tensor.addr), blk, rep, tensor.dtype, static_cast<uint8_t>(SizeOf(tensor.dtype))};
}

void TouchLanes(Core& core, const Local& tensor, const Operand& o, const LanePlan& plan, Uses uses)
{
    const bool write = uses == Uses::WRITE || uses == Uses::WRITE_COPY;
    auto touch = [&](uint64_t lo, uint64_t hi) {
        switch (uses) {
            case Uses::READ: core.Read(tensor, lo, hi); break;
            case Uses::WRITE: core.Write(tensor, lo, hi); break;
            case Uses::READ_COPY: core.ReadCopy(tensor, lo, hi); break;
            case Uses::WRITE_COPY: core.WriteCopy(tensor, lo, hi); break;
        }
    };
    if (plan.repeats == 0) {
        return;
    }
    if (write && o.blk == 0) {
        core.CheckLimit(o.blk, 1, 65535, "destination block stride");
    }
    if (Contiguous(o, plan) && plan.Whole()) {
        touch(tensor.addr, tensor.addr + plan.Elements() * o.size);
        return;
    }
    const uint32_t perBlock = 32u / o.size;
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        const uint32_t n = plan.Active(r);
        const uint64_t start = tensor.addr + uint64_t{r} * o.rep * 32;
        if (o.blk == 1 && plan.isPrefix) {
            touch(start, start + uint64_t{n} * o.size);
            continue;
        }
        if (o.blk == 0 && plan.isPrefix) { // one block, read again and again
            touch(start, start + uint64_t{std::min(n, perBlock)} * o.size);
            continue;
        }
        for (uint32_t first = 0; first < n; first += perBlock) {
            uint32_t from = perBlock, to = 0;
            for (uint32_t i = 0; i < perBlock && first + i < n; ++i) {
                if (plan.Has(first + i)) {
                    from = std::min(from, i);
                    to = i + 1;
                }
            }
            if (to > 0) {
                uint64_t at = start + uint64_t{first / perBlock} * o.blk * 32;
                touch(at + uint64_t{from} * o.size, at + uint64_t{to} * o.size);
            }
        }
    }
}

// Calls see(repeat, block, offset, bytes) for each run of bytes of an operand that active lanes use.
template <typename F> static void EachBlock(const Operand& o, const LanePlan& plan, F see)
{
    const uint32_t perBlock = 32u / o.size;
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        const uint32_t n = plan.Active(r);
        for (uint32_t first = 0; first < n; first += perBlock) {
            const uint32_t count = std::min(perBlock, n - first);
            bool any = plan.isPrefix;
            for (uint32_t i = 0; i < count && !any; ++i) {
                any = plan.Has(first + i);
            }
            if (any) {
                see(r, first / perBlock, (uint64_t{r} * o.rep + uint64_t{first / perBlock} * o.blk) * 32, count * o.size);
            }
        }
    }
}

static uint64_t Extent(const Operand& o, const LanePlan& plan)
{
    const uint64_t blocks = (uint64_t{plan.lanes} * o.size + 31) / 32;
    return ((plan.repeats - 1) * uint64_t{o.rep} + (blocks - 1) * o.blk + 1) * 32;
}

void CheckOverlap(Core& core, const Local& dst, const Operand& to, const Local& src, const Operand& from, const LanePlan& plan,
    bool adds)
{
    if (!core.run.checks || plan.repeats == 0) {
        return;
    }
    const uint64_t toEnd = dst.addr + Extent(to, plan), fromEnd = src.addr + Extent(from, plan);
    if (dst.addr >= fromEnd || src.addr >= toEnd) {
        return;
    }
    if (to.blk == 1 && from.blk == 1 && to.rep == from.rep && to.rep > 0) { // columns of the same rows
        const uint64_t pitch = to.rep * 32u, toSpan = uint64_t{plan.lanes} * to.size, fromSpan = uint64_t{plan.lanes} * from.size;
        const uint64_t gap = (src.addr + pitch - dst.addr % pitch) % pitch;
        if (gap >= toSpan && gap + fromSpan <= pitch) {
            return;
        }
    }
    const bool inPlace = dst.addr == src.addr && to.size == from.size && to.blk == from.blk;
    const bool steps = plan.repeats == 1 || to.rep == from.rep;
    if (inPlace && steps && (plan.repeats == 1 || to.rep != 0)) {
        if (to.rep * 32u >= plan.lanes * to.size || plan.repeats == 1) {
            return;
        }
    }
    if (adds && dst.addr == src.addr && (to.rep == 0 || from.rep == 0)) {
        return;
    }
    // Where the destination's bytes are: the block of 32 bytes, which repeat and block of the instruction, how many bytes.
    struct Place {
        uint32_t repeat, block, bytes;
    };
    std::unordered_map<uint64_t, std::vector<Place>> places;
    EachBlock(to, plan, [&](uint32_t r, uint32_t b, uint64_t offset, uint32_t bytes) {
        places[(dst.addr + offset) / 32].push_back({r, b, bytes});
    });
    EachBlock(from, plan, [&](uint32_t r, uint32_t b, uint64_t offset, uint32_t) {
        const auto found = places.find((src.addr + offset) / 32);
        if (found == places.end()) {
            return;
        }
        for (const Place& place : found->second) {
            const bool same = place.repeat == r && place.block == b && to.size == from.size;
            // A later repeat may write what an earlier one has read, but not the other way round.
            if (!same && (to.size != from.size || place.repeat <= r)) {
                core.Raise("sim.overlap", PIPE_V, core.curName, core.curLine, 0,
                    "repeat %u of %s writes block %llu of UB, which is a source of its repeat %u: source and destination may be "
                    "the same lane by lane, or have to be apart",
                    place.repeat, core.curName, static_cast<unsigned long long>((src.addr + offset) / 32), r);
            }
        }
    });
}

const float* LoadFloats(const Operand& o, uint32_t repeat, uint32_t n, float* buffer)
{
    if (o.blk == 1) {
        const uint8_t* at = o.Block(repeat, 0);
        if (o.dtype == DType::F32) {
            return reinterpret_cast<const float*>(at);
        }
        ToFloats(at, o.dtype, buffer, n);
        return buffer;
    }
    const uint32_t perBlock = 32u / o.size;
    if (o.blk == 0) { // one block for every lane
        ToFloats(o.Block(repeat, 0), o.dtype, buffer, perBlock);
        for (uint32_t i = perBlock; i < n; i += 8) {
            std::memcpy(buffer + i, buffer + i % perBlock, 8 * sizeof(float));
        }
        return buffer;
    }
    for (uint32_t i = 0; i < n; i += perBlock) {
        ToFloats(o.Block(repeat, i / perBlock), o.dtype, buffer + i, std::min(perBlock, n - i));
    }
    return buffer;
}

template <typename T> static void Widen(const uint8_t* at, int32_t* out, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        T value;
        std::memcpy(&value, at + i * sizeof(T), sizeof(T));
        out[i] = static_cast<int32_t>(value);
    }
}

const int32_t* LoadInts(const Operand& o, uint32_t repeat, uint32_t n, int32_t* buffer)
{
    if (o.blk == 1 && o.size == 4) {
        return reinterpret_cast<const int32_t*>(o.Block(repeat, 0));
    }
    const uint32_t perBlock = 32u / o.size;
    for (uint32_t i = 0; i < n; i += perBlock) {
        const uint8_t* at = o.Block(repeat, i / perBlock);
        const uint32_t count = std::min(perBlock, n - i);
        switch (o.dtype) {
            case DType::I8: Widen<int8_t>(at, buffer + i, count); break;
            case DType::U8: Widen<uint8_t>(at, buffer + i, count); break;
            case DType::I16: Widen<int16_t>(at, buffer + i, count); break;
            case DType::U16: Widen<uint16_t>(at, buffer + i, count); break;
            default: std::memcpy(buffer + i, at, size_t{count} * 4); break;
        }
    }
    return buffer;
}

void StoreFloats(const Operand& o, uint32_t repeat, uint32_t n, const LanePlan& plan, const float* values)
{
    const uint32_t perBlock = 32u / o.size;
    if (plan.isPrefix && o.blk == 1) {
        FromFloats(values, o.Block(repeat, 0), o.dtype, n);
        return;
    }
    for (uint32_t i = 0; i < n; i += perBlock) {
        uint8_t* at = o.Block(repeat, i / perBlock);
        const uint32_t count = std::min(perBlock, n - i);
        if (plan.isPrefix) {
            FromFloats(values + i, at, o.dtype, count);
            continue;
        }
        for (uint32_t lane = 0; lane < count; ++lane) {
            if (plan.Has(i + lane)) {
                FromFloats(values + i + lane, at + size_t{lane} * o.size, o.dtype, 1);
            }
        }
    }
}

void StoreInts(const Operand& o, uint32_t repeat, uint32_t n, const LanePlan& plan, const int32_t* values)
{
    const uint32_t perBlock = 32u / o.size;
    for (uint32_t i = 0; i < n; ++i) {
        if (plan.Has(i)) { // little endian: the low bytes are the narrow value
            std::memcpy(o.Block(repeat, i / perBlock) + size_t{i % perBlock} * o.size, values + i, o.size);
        }
    }
}

} // namespace sim
} // namespace AscendC
