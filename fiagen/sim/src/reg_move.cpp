// In:    loads and stores between UB and registers.
// Out:   bytes, or in the first run of a vector function which bytes are data; faults of bounds and alignment.
// Never: a byte that the mask leaves out.
#include "reg_vf.h"
#include <algorithm>

namespace AscendC {
namespace sim {
namespace {

uint32_t BytesOf(RegLoad dist, uint32_t size)
{
    switch (dist) {
        case RegLoad::BRC: return size;
        case RegLoad::US:
        case RegLoad::UNPACK: return REG / 2;
        case RegLoad::UNPACK4: return REG / 4;
        case RegLoad::DS:
        case RegLoad::DINTLV: return REG * 2;
        case RegLoad::BLK: return 32;
        case RegLoad::E2B: return size * (REG / 32);
        default: return REG;
    }
}

// The bytes of a register, or of two, from those of UB; `zero` is what fills the gaps.
void Spread(RegLoad dist, uint32_t size, const uint8_t* from, uint8_t* to, uint8_t* to1, uint8_t zero)
{
    const uint32_t step = dist == RegLoad::UNPACK4 ? 4 : 2; // of UNPACK, in elements
    switch (dist) {
        case RegLoad::BRC:
            for (uint32_t at = 0; at < REG; at += size) {
                std::memcpy(to + at, from, size);
            }
            break;
        case RegLoad::US:
            for (uint32_t at = 0; at < REG; at += size) {
                std::memcpy(to + at, from + at / (2 * size) * size, size);
            }
            break;
        case RegLoad::DS:
            for (uint32_t at = 0; at < REG; at += size) {
                std::memcpy(to + at, from + size_t{at} * 2, size);
            }
            break;
        case RegLoad::UNPACK:
        case RegLoad::UNPACK4:
            std::memset(to, zero, REG);
            for (uint32_t at = 0; at < REG; at += step * size) {
                std::memcpy(to + at, from + at / step, size);
            }
            break;
        case RegLoad::BLK:
            for (uint32_t at = 0; at < REG; at += 32) {
                std::memcpy(to + at, from, 32);
            }
            break;
        case RegLoad::E2B:
            for (uint32_t at = 0; at < REG; at += size) {
                std::memcpy(to + at, from + at / 32 * size, size);
            }
            break;
        case RegLoad::DINTLV:
            for (uint32_t at = 0; at < REG; at += size) {
                std::memcpy(to + at, from + size_t{at} * 2, size);
                std::memcpy(to1 + at, from + size_t{at} * 2 + size, size);
            }
            break;
        default: std::memcpy(to, from, REG); break;
    }
}

// First run: what of [at, at + bytes) is data goes through `spread` into the marks.
template <typename F> void LoadMarks(Vf& vf, Register& dst, F spread)
{
    if (!vf.Tracks()) {
        dst.state = Register::WHOLE;
        return;
    }
    uint8_t marks[REG];
    spread(marks);
    SetMarks(dst, marks, dst.taint);
}

// Second run: the lanes a store writes, of `size` bytes each in the register and `bytes` in UB.
void PutLanes(uint8_t* to, const uint8_t* from, uint32_t size, uint32_t bytes, const MaskRegister& mask)
{
    if (bytes == size && Full(mask, size)) {
        std::memcpy(to, from, REG);
        return;
    }
    for (uint32_t lane = 0; lane * size < REG; ++lane) {
        if (Active(mask, lane * size)) {
            std::memcpy(to + size_t{lane} * bytes, from + size_t{lane} * size, bytes);
        }
    }
}

// First run: every run of lanes a store may write.
void StoreLanes(Vf& vf, uint64_t at, const Register& src, uint32_t size, uint32_t bytes, const MaskRegister& mask)
{
    uint8_t buffer[REG];
    const uint8_t* marks = vf.Tracks() ? MarksOf(src, buffer) : nullptr;
    const uint32_t lanes = REG / size;
    for (uint32_t lane = 0; lane < lanes;) {
        if (!Active(mask, lane * size)) {
            ++lane;
            continue;
        }
        const uint32_t first = lane;
        while (lane < lanes && Active(mask, lane * size)) {
            ++lane;
        }
        const uint64_t lo = at + uint64_t{first} * bytes, hi = at + uint64_t{lane} * bytes;
        if (vf.Tracks()) {
            vf.Store(lo, hi, &src, src.taint | mask.taint);
            for (uint32_t i = first; i < lane; ++i) {
                std::memcpy(vf.core.Written(Mem::UB, lo + uint64_t{i - first} * bytes), marks + size_t{i} * size, bytes);
            }
        }
    }
}

// The end of the last lane that a store writes, for the check of bounds.
uint32_t Reach(uint32_t size, uint32_t bytes, const MaskRegister& mask)
{
    uint32_t reach = 0;
    for (uint32_t lane = 0; lane * size < REG; ++lane) {
        reach = Active(mask, lane * size) ? (lane + 1) * bytes : reach;
    }
    return reach;
}

} // namespace

void RegLoadAlign(Register& dst, Register* dst1, uint64_t address, RegLoad dist, uint32_t size, At at)
{
    Vf& vf = EnterVf("LoadAlign", at);
    const uint32_t bytes = BytesOf(dist, size);
    const uint64_t align = dist == RegLoad::BRC ? size : dist == RegLoad::E2B ? bytes : 32;
    const uint64_t from = vf.UbAt(address, bytes, align, "source");
    if (!vf.check) {
        Spread(dist, size, vf.Ub(from), dst.bytes, dst1 != nullptr ? dst1->bytes : nullptr, 0);
        return;
    }
    dist == RegLoad::DS || dst1 != nullptr ? vf.Alone(1) : vf.Paired(1);
    vf.Load(from, from + bytes, dst);
    uint8_t second[REG];
    LoadMarks(vf, dst, [&](uint8_t* marks) { Spread(dist, size, vf.core.Written(Mem::UB, from), marks, second, 1); });
    if (dst1 != nullptr) {
        dst1->taint = dst.taint;
        LoadMarks(vf, *dst1, [&](uint8_t* marks) { std::memcpy(marks, second, REG); });
    }
}

void RegStoreAlign(uint64_t address, const Register& src, const Register* src1, RegStore dist, uint32_t size,
    const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("StoreAlign", at);
    CheckSet(vf, mask);
    if (dist == RegStore::INTLV) {
        const uint64_t to = vf.UbAt(address, REG * 2, 32, "destination");
        uint8_t buffers[2][REG];
        const uint8_t* from[2] = {src.bytes, src1->bytes};
        uint8_t* out = vf.core.At8(Mem::UB, to);
        if (vf.check) {
            vf.Alone(1);
            if (!vf.Tracks()) {
                return;
            }
            vf.Store(to, to + REG * 2, &src, src.taint | src1->taint);
            from[0] = MarksOf(src, buffers[0]);
            from[1] = MarksOf(*src1, buffers[1]);
            out = vf.core.Written(Mem::UB, to);
        }
        for (uint32_t lane = 0; lane * size < REG * 2; ++lane) {
            std::memcpy(out + size_t{lane} * size, from[lane % 2] + size_t{lane / 2} * size, size);
        }
        return;
    }
    static const MaskRegister first = [] {
        MaskRegister one;
        one.bits[0] = 1;
        one.set = true;
        return one;
    }();
    const MaskRegister& lanes = dist == RegStore::FIRST ? first : mask;
    const uint32_t bytes = dist == RegStore::PACK ? size / 2 : dist == RegStore::PACK4 ? 1 : size;
    const uint64_t align = dist == RegStore::FIRST ? size : 32;
    const uint64_t to = vf.UbAt(address, Reach(size, bytes, lanes), align, "destination");
    if (!vf.check) {
        PutLanes(vf.core.At8(Mem::UB, to), src.bytes, size, bytes, lanes);
        return;
    }
    vf.Alone(1);
    StoreLanes(vf, to, src, size, bytes, lanes);
}

// A block is moved when the mask names any of its elements.
static bool BlockActive(const MaskRegister& mask, uint32_t block)
{
    return (mask.bits[block / 2] >> (block % 2 * 32) & 0xFFFFFFFFull) != 0;
}

void RegLoadBlocks(Register& dst, uint64_t address, uint32_t stride, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("LoadAlign", at);
    CheckSet(vf, mask);
    vf.UbAt(address, 0, 32, "source");
    uint8_t marks[REG];
    std::memset(marks, 1, REG);
    uint64_t taint = mask.taint;
    for (uint32_t block = 0; block < 8; ++block) {
        const uint64_t from = address - UB_BASE + uint64_t{block} * stride * 32;
        if (!BlockActive(mask, block)) {
            std::memset(dst.bytes + block * 32, 0, 32);
            continue;
        }
        vf.UbAt(UB_BASE + from, 32, 32, "source");
        if (!vf.check) {
            std::memcpy(dst.bytes + block * 32, vf.Ub(from), 32);
        } else if (vf.Tracks()) {
            vf.Load(from, from + 32, dst);
            taint |= dst.taint;
            std::memcpy(marks + block * 32, vf.core.Written(Mem::UB, from), 32);
        }
    }
    if (vf.check) {
        vf.Alone(2);
        SetMarks(dst, marks, taint);
    }
}

void RegStoreBlocks(uint64_t address, const Register& src, uint32_t stride, uint32_t size, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("StoreAlign", at);
    CheckSet(vf, mask);
    vf.UbAt(address, 0, 32, "destination");
    for (uint32_t block = 0; block < 8; ++block) {
        if (!BlockActive(mask, block)) {
            continue;
        }
        const uint64_t to = vf.UbAt(address + uint64_t{block} * stride * 32, 32, 32, "destination");
        MaskRegister part = mask; // of this block alone
        for (uint32_t i = 0; i < 4; ++i) {
            part.bits[i] = i == block / 2 ? mask.bits[i] & (0xFFFFFFFFull << (block % 2 * 32)) : 0;
        }
        if (vf.check) {
            StoreLanes(vf, to - block * 32, src, size, size, part);
        } else {
            PutLanes(vf.core.At8(Mem::UB, to) - block * 32, src.bytes, size, size, part);
        }
    }
    vf.Alone(2);
}

static void NeedPrepared(const Vf& vf, const UnalignRegister& ureg, uint64_t address)
{
    if (address % 32 != 0 && ureg.address != address / 32 * 32) {
        vf.core.Raise("sim.unalign_not_prepared", PIPE_V, vf.core.curName, vf.core.curLine, 0,
            "LoadUnAlign starts at byte %llu of UB, and the unalign register does not hold the block that byte lies in: "
            "LoadUnAlignPre has to come first, and each load has to go on where the last one ended",
            static_cast<unsigned long long>(address - UB_BASE));
    }
}

void RegLoadUnalignPre(UnalignRegister& ureg, uint64_t address, At at)
{
    Vf& vf = EnterVf("LoadUnAlignPre", at);
    vf.UbAt(address, 1, 1, "source");
    vf.Paired(1);
    ureg.address = address / 32 * 32;
}

void RegLoadUnalign(Register& dst, UnalignRegister& ureg, uint64_t address, At at)
{
    Vf& vf = EnterVf("LoadUnAlign", at);
    const uint64_t from = vf.UbAt(address, REG, 1, "source");
    NeedPrepared(vf, ureg, address);
    ureg.address = (address + REG) / 32 * 32;
    if (!vf.check) {
        std::memcpy(dst.bytes, vf.Ub(from), REG);
        return;
    }
    vf.Paired(1);
    vf.Load(from, from + REG, dst);
    LoadMarks(vf, dst, [&](uint8_t* marks) { std::memcpy(marks, vf.core.Written(Mem::UB, from), REG); });
}

// Bytes of the stream that starts in the unalign register go to UB as soon as a block is full.
static void Flush(Vf& vf, UnalignRegister& ureg, const uint8_t* bytes, const uint8_t* marks, uint32_t count, bool all)
{
    const uint64_t start = ureg.address - UB_BASE, end = start + ureg.count + count;
    const uint64_t stop = all ? end : std::max(start, end / 32 * 32);
    for (uint64_t at = start; at < stop; ++at) {
        const auto i = static_cast<uint32_t>(at - start);
        const bool held = i < ureg.count;
        *vf.core.At8(Mem::UB, at) = vf.check ? *vf.core.At8(Mem::UB, at) : held ? ureg.bytes[i] : bytes[i - ureg.count];
        if (vf.Tracks()) {
            *vf.core.Written(Mem::UB, at) = held ? ureg.marks[i] : marks[i - ureg.count];
        }
    }
    vf.Store(start, stop, &ureg, ureg.taint);
    uint8_t rest[2][32];
    const auto kept = static_cast<uint32_t>(end - stop);
    for (uint32_t i = 0; i < kept; ++i) {
        const auto from = static_cast<uint32_t>(stop - start) + i;
        rest[0][i] = from < ureg.count ? ureg.bytes[from] : bytes[from - ureg.count];
        rest[1][i] = from < ureg.count ? ureg.marks[from] : marks[from - ureg.count];
    }
    std::memcpy(ureg.bytes, rest[0], kept);
    std::memcpy(ureg.marks, rest[1], kept);
    ureg.count = kept;
    ureg.address = UB_BASE + stop;
}

void RegStoreUnalign(uint64_t address, const Register& src, UnalignRegister& ureg, uint32_t bytes, At at)
{
    Vf& vf = EnterVf("StoreUnAlign", at);
    if (bytes > REG) {
        vf.core.Raise("sim.limit", PIPE_V, vf.core.curName, vf.core.curLine, 0,
            "StoreUnAlign stores %u bytes; a register has %u", bytes, REG);
    }
    vf.UbAt(address, bytes, 1, "destination");
    if (ureg.count > 0 && ureg.address + ureg.count != address) {
        vf.core.Raise("sim.unalign_not_stored", PIPE_V, vf.core.curName, vf.core.curLine, ureg.line,
            "StoreUnAlign starts at byte %llu of UB, but the unalign register holds bytes that end at %llu: "
            "StoreUnAlignPost is missing",
            static_cast<unsigned long long>(address - UB_BASE),
            static_cast<unsigned long long>(ureg.address + ureg.count - UB_BASE));
    }
    if (ureg.count == 0) {
        ureg.address = address;
    }
    uint8_t buffer[REG];
    ureg.taint = src.taint;
    const uint32_t before = ureg.count > 0 ? 1 : 0;
    Flush(vf, ureg, src.bytes, MarksOf(src, buffer), bytes, false);
    vf.Alone(1);
    ureg.line = at.line;
    vf.pending += (ureg.count > 0 ? 1u : 0u) - before;
    vf.pendingLine = at.line;
}

void RegStoreUnalignPost(UnalignRegister& ureg, At at)
{
    Vf& vf = EnterVf("StoreUnAlignPost", at);
    vf.pending -= ureg.count > 0 ? 1u : 0u;
    Flush(vf, ureg, nullptr, nullptr, 0, true);
    vf.Alone(1);
}

} // namespace sim
} // namespace AscendC
