// In:    see cost.h.
// Out:   see cost.h.
// Never: see cost.h.
#include "cost.h"

namespace AscendC {
namespace sim {

// Blocks of one repeat by bank group, and the banks they lie in. A bank is one row wide and its groups follow each other
// in memory; the banks of a group are 64 KiB apart.
struct BankUse {
    static constexpr uint32_t GROUPS = 16; // at most
    uint8_t perGroup[GROUPS] = {};
    uint64_t banks = 0;
    void Add(const FiagenSimChip& chip, const uint8_t* memory, const Operand& o, uint32_t repeat, uint32_t lanes)
    {
        const uint32_t blocks = (lanes * o.size + 31) / 32;
        for (uint32_t b = 0; b < (o.blk == 0 ? 1 : blocks); ++b) {
            const uint64_t at = static_cast<uint64_t>(o.Block(repeat, b) - memory);
            const uint32_t group = static_cast<uint32_t>(at / 32 % chip.ub_bank_groups % GROUPS);
            ++perGroup[group];
            banks |= uint64_t{1} << (group + chip.ub_bank_groups * (at / (uint64_t{chip.ub_bank_bytes} * chip.ub_bank_groups)));
        }
    }
    uint32_t Worst() const { return *std::max_element(perGroup, perGroup + GROUPS); }
};

// Cycles that the banks need for one repeat: a group gives one row and takes one row a cycle, and a bank does only one of
// the two. The repeats of one instruction are alike up to a period of two, so few of them stand for all.
static double BankCycles(Core& core, const LanePlan& plan, const Operand* dst, const Operand* src0, const Operand* src1)
{
    constexpr uint32_t LOOKED_AT = 2;
    const uint8_t* memory = core.At8(Mem::UB, 0);
    const uint32_t n = std::min(plan.repeats, LOOKED_AT);
    double total = 0;
    for (uint32_t r = 0; r < n; ++r) {
        BankUse reads, writes;
        const uint32_t lanes = plan.Active(r);
        if (src0 != nullptr) {
            reads.Add(core.run.chip, memory, *src0, r, lanes);
        }
        if (src1 != nullptr && !(src0 != nullptr && src1->base == src0->base && src1->rep == src0->rep && src1->blk == src0->blk)) {
            reads.Add(core.run.chip, memory, *src1, r, lanes);
        }
        if (dst != nullptr) {
            writes.Add(core.run.chip, memory, *dst, r, lanes);
        }
        if (core.run.chip.npu_arch == 3510) { // a group serves two reads, or a read and a write
            uint32_t worst = 0;
            for (uint32_t g = 0; g < BankUse::GROUPS; ++g) {
                worst = std::max<uint32_t>(worst, (reads.perGroup[g] + writes.perGroup[g] + 1) / 2);
            }
            total += worst;
            continue;
        }
        const bool clash = (reads.banks & writes.banks) != 0;
        total += clash ? reads.Worst() + writes.Worst() : std::max(reads.Worst(), writes.Worst());
    }
    return n == 0 ? 0 : total / n;
}

Cost VectorCost(Core& core, const LanePlan& plan, double perRepeat, const Operand* dst, const Operand* src0, const Operand* src1)
{
    const FiagenSimChip& chip = core.run.chip;
    core.timeline.vectorElements += double(plan.counted ? plan.total : uint64_t{plan.repeats} * plan.prefix);
    const double banks = BankCycles(core, plan, dst, src0, src1);
    return {chip.vector_issue_cycles + plan.repeats * std::max(perRepeat, banks), chip.vector_latency_cycles};
}

Cost VectorCycles(Core& core, const LanePlan& plan, double perRepeat)
{
    return VectorCost(core, plan, perRepeat, nullptr, nullptr, nullptr);
}

} // namespace sim
} // namespace AscendC
