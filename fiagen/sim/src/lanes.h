// In:    a vector instruction's mask, strides and operands.
// Out:   its lanes, repeat by repeat: which are active, where they lie, and their values as one plain array.
// Never: arithmetic.
#ifndef FIAGEN_SIM_LANES_H
#define FIAGEN_SIM_LANES_H
#include "machine.h"
#include <algorithm>

namespace AscendC {
namespace sim {

// Which lanes of each repeat are active. `lanes` is the number of lanes of a repeat.
struct LanePlan {
    uint32_t repeats = 0;
    uint32_t lanes = 0;
    uint32_t total = 0;       // counted lanes over all repeats, when counted
    bool counted = false;
    uint32_t prefix = 0;      // active lanes of a repeat, when the mask is a prefix
    bool isPrefix = true;
    uint64_t bits[2] = {0, 0};

    uint32_t Active(uint32_t repeat) const { return counted ? std::min(lanes, total - repeat * lanes) : prefix; }
    bool Has(uint32_t lane) const { return isPrefix || (bits[lane / 64] >> (lane % 64) & 1) != 0; }
    bool Whole() const { return isPrefix && (counted || prefix == lanes); }
    uint64_t Elements() const { return counted ? total : uint64_t{repeats} * lanes; }
};

struct Operand {
    uint8_t* base = nullptr;
    uint16_t blk = 1, rep = 8;
    DType dtype = DType::F32;
    uint8_t size = 4;
    uint8_t* Block(uint32_t repeat, uint32_t block) const
    {
        return base + (size_t{repeat} * rep + size_t{block} * blk) * 32;
    }
};

LanePlan Plan(Core& core, const Mask& mask, uint32_t repeat, uint32_t lanes);
Operand OperandOf(Core& core, const Local& tensor, uint16_t blk, uint16_t rep);
enum class Uses : uint8_t { READ, WRITE, READ_COPY, WRITE_COPY }; // as the functions of Core
void TouchLanes(Core& core, const Local& tensor, const Operand& operand, const LanePlan& plan, Uses uses);
// A destination that overlaps a source other than lane by lane is a fault; `adds`: the instruction may accumulate, which
// is dst = src1 with a repeat stride of 0.
void CheckOverlap(Core& core, const Local& dst, const Operand& to, const Local& src, const Operand& from, const LanePlan& plan,
    bool adds = false);
void CheckUb(Core& core, const Local& tensor, const char* what);
Cost VectorCycles(Core& core, const LanePlan& plan, double perRepeat); // without a look at banks
inline bool Contiguous(const Operand& o, const LanePlan& p)
{
    return o.blk == 1 && (p.repeats <= 1 || uint32_t{o.rep} * 32 == p.lanes * o.size);
}

constexpr uint32_t MAX_LANES = 256;

// The first n lanes of a repeat as floats, or as int32 for integers; the buffer is used unless they lie there already.
const float* LoadFloats(const Operand& operand, uint32_t repeat, uint32_t n, float* buffer);
const int32_t* LoadInts(const Operand& operand, uint32_t repeat, uint32_t n, int32_t* buffer);
void StoreFloats(const Operand& operand, uint32_t repeat, uint32_t n, const LanePlan& plan, const float* values);
void StoreInts(const Operand& operand, uint32_t repeat, uint32_t n, const LanePlan& plan, const int32_t* values);
inline bool IsFloat(DType dtype) { return dtype <= DType::BF16; }

} // namespace sim
} // namespace AscendC
#endif
