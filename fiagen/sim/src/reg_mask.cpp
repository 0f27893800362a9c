// In:    instructions on mask registers.
// Out:   masks; in the first run of a vector function, where data decides, every lane the mask may name.
// Never: a mask that names fewer lanes than the second run may.
#include "reg_vf.h"
#include <algorithm>

namespace AscendC {
namespace sim {

void MaskCreate(MaskRegister& dst, uint32_t size, int pattern, At at)
{
    Vf& vf = EnterVf("CreateMask", at);
    vf.Paired(1);
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
    const uint32_t lanes = REG / size;
    dst = MaskRegister();
    dst.set = true;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        bool on = false;
        switch (pattern) {
            case 0: on = true; break;            // ALL
            case 10: on = lane % 3 == 0; break;  // M3
            case 11: on = lane % 4 == 0; break;  // M4
            case 12: on = lane < lanes / 2; break;
            case 13: on = lane < lanes / 4; break;
            case 15: break;                      // ALLF
            default: on = lane < counts[pattern]; break;
        }
        if (on) {
            dst.bits[lane * size / 64] |= uint64_t{1} << (lane * size % 64);
        }
    }
}

void MaskUpdate(MaskRegister& dst, uint32_t size, uint32_t& count, At at)
{
    Vf& vf = EnterVf("UpdateMask", at);
    vf.Paired(1);
    const uint32_t lanes = REG / size, n = std::min(count, lanes);
    const uint64_t pattern = size == 4 ? 0x1111111111111111ull : size == 2 ? 0x5555555555555555ull : ~uint64_t{0};
    dst = MaskRegister();
    dst.set = true;
    for (uint32_t word = 0; word < 4; ++word) {
        const uint32_t bits = n * size, from = word * 64;
        const uint64_t prefix = bits >= from + 64 ? ~uint64_t{0} : bits <= from ? 0 : (uint64_t{1} << (bits - from)) - 1;
        dst.bits[word] = prefix & pattern;
    }
    count -= n;
}

void MaskLogic(MaskOp op, MaskRegister& dst, const MaskRegister& a, const MaskRegister& b, const MaskRegister& mask, At at)
{
    Vf& vf = EnterVf("Mask", at);
    CheckSet(vf, a);
    CheckSet(vf, b);
    CheckSet(vf, mask);
    vf.Paired(1);
    MaskRegister result;
    result.set = true;
    result.exact = a.exact && b.exact && mask.exact;
    result.taint = a.taint | b.taint | mask.taint;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint64_t x = a.bits[i], y = b.bits[i], m = mask.bits[i];
        switch (op) {
            case MaskOp::NOT: result.bits[i] = (a.exact ? ~x : ~uint64_t{0}) & m; break;
            case MaskOp::AND: result.bits[i] = x & y & m; break;
            case MaskOp::OR: result.bits[i] = (x | y) & m; break;
            case MaskOp::XOR: result.bits[i] = (a.exact && b.exact ? x ^ y : x | y) & m; break;
            case MaskOp::MOVE: result.bits[i] = x & m; break;
            case MaskOp::SELECT: result.bits[i] = mask.exact ? (x & m) | (y & ~m) : x | y; break;
        }
    }
    dst = result;
}

static bool Bit(const MaskRegister& mask, uint32_t at) { return Active(mask, at); }
static void Put(MaskRegister& mask, uint32_t at, bool on)
{
    mask.bits[at / 64] |= on ? uint64_t{1} << (at % 64) : 0;
}

void MaskInterleave(MaskRegister& dst0, MaskRegister& dst1, const MaskRegister& src0, const MaskRegister& src1, uint32_t size,
    bool apart, At at)
{
    Vf& vf = EnterVf(apart ? "DeInterleave" : "Interleave", at);
    CheckSet(vf, src0);
    CheckSet(vf, src1);
    vf.Alone(1);
    const MaskRegister* from[2] = {&src0, &src1};
    MaskRegister out[2];
    const uint32_t lanes = REG / size;
    for (uint32_t i = 0; i < 2 * lanes; ++i) { // i: place in the interleaved order, which is lane i / 2 of source i % 2
        for (uint32_t bit = 0; bit < size; ++bit) {
            const uint32_t joined = i % lanes * size + bit, split = i / 2 * size + bit;
            apart ? Put(out[i % 2], split, Bit(*from[i / lanes], joined)) : Put(out[i / lanes], joined, Bit(*from[i % 2], split));
        }
    }
    for (MaskRegister& mask : out) {
        mask.set = true;
        mask.exact = src0.exact && src1.exact;
        mask.taint = src0.taint | src1.taint;
    }
    dst0 = out[0];
    dst1 = out[1];
}

// Packing takes the even bits into one half; unpacking puts the bits of one half at the even places.
void MaskPack(MaskRegister& dst, const MaskRegister& src, bool high, bool unpack, At at)
{
    Vf& vf = EnterVf(unpack ? "UnPack" : "Pack", at);
    CheckSet(vf, src);
    vf.Alone(1);
    MaskRegister out;
    out.set = true;
    out.exact = src.exact;
    out.taint = src.taint;
    const uint32_t half = REG / 2, base = high ? half : 0;
    for (uint32_t i = 0; i < half; ++i) {
        unpack ? Put(out, 2 * i, Bit(src, base + i)) : Put(out, base + i, Bit(src, 2 * i));
    }
    dst = out;
}

void RegLoadMask(MaskRegister& mask, uint64_t address, int dist, At at)
{
    Vf& vf = EnterVf("LoadAlign", at);
    const uint32_t bytes = dist == 1 ? REG / 16 : dist == 2 ? REG / 4 : REG / 8; // US, DS, NORM
    const uint64_t from = vf.UbAt(address, bytes, std::min(bytes, 32u), "source");
    vf.Paired(1);
    mask = MaskRegister();
    mask.set = true;
    if (vf.check) {
        mask.exact = false;
        std::fill(mask.bits, mask.bits + 4, ~uint64_t{0});
        Register place; // stands for the mask in the order of loads
        vf.Load(from, from + bytes, place);
        mask.taint = place.taint;
        if (vf.Tracks()) {
            vf.core.Need(Mem::UB, from, from + bytes);
        }
        return;
    }
    const uint8_t* data = vf.Ub(from);
    for (uint32_t i = 0; i < REG; ++i) {
        const uint32_t bit = dist == 1 ? i / 2 : dist == 2 ? i * 2 : i;
        Put(mask, i, (data[bit / 8] >> (bit % 8) & 1) != 0);
    }
}

void RegStoreMask(uint64_t address, const MaskRegister& mask, int dist, At at)
{
    Vf& vf = EnterVf("StoreAlign", at);
    CheckSet(vf, mask);
    const uint32_t bytes = dist == 1 ? REG / 16 : REG / 8; // PACK, NORM
    const uint64_t to = vf.UbAt(address, bytes, bytes, "destination");
    vf.Alone(1);
    if (vf.check) {
        vf.Store(to, to + bytes, &mask, mask.taint);
        vf.core.MarkWritten(Mem::UB, to, to + bytes);
        return;
    }
    uint8_t data[REG / 8] = {};
    for (uint32_t i = 0; i < bytes * 8; ++i) {
        data[i / 8] = static_cast<uint8_t>(data[i / 8] | (Bit(mask, dist == 1 ? i * 2 : i) ? 1u << (i % 8) : 0u));
    }
    std::memcpy(vf.core.At8(Mem::UB, to), data, bytes);
}

} // namespace sim
} // namespace AscendC
