// In:    the shape of an instruction: bytes, repeats, fractals, addresses.
// Out:   its Cost on the chip of the run.
// Never: a number of a chip; those come from FiagenSimChip.
#ifndef FIAGEN_SIM_COST_H
#define FIAGEN_SIM_COST_H
#include "lanes.h"

namespace AscendC {
namespace sim {

// Bursts between global memory and the core; the replay finds out whether L2 holds them.
inline Cost GlobalCost(const Core& core, Path path, const uint8_t* start, uint32_t bursts, int64_t step, uint32_t bytes,
    uint32_t outer = 1, int64_t outerStep = 0)
{
    const FiagenSimChip& chip = core.run.chip;
    Cost cost;
    if (path == Path::FROM_UB) {
        cost = Cost(chip.mte3_issue_cycles, chip.gm_write_latency_cycles);
    }
    cost.traffic = {start, step, outerStep, bursts, outer, bytes, path};
    return cost;
}
inline Path PathTo(const Local& dst) { return dst.mem == Mem::UB ? Path::TO_UB : Path::TO_L1; }

inline Cost NearCost(const Core& core, const Local& dst, double bytes, bool image = false)
{
    const FiagenSimChip& chip = core.run.chip;
    const double rate = dst.mem == Mem::L0A ? chip.l1_to_l0a_bytes : dst.mem == Mem::L0B ? chip.l1_to_l0b_bytes : chip.l1_to_bt_bytes;
    return {chip.mte1_issue_cycles + bytes / rate, image ? chip.mte1_3d_latency_cycles : chip.mte1_latency_cycles};
}

inline Cost CubeCost(const Core& core, double fractals)
{
    const FiagenSimChip& chip = core.run.chip;
    return {chip.cube_issue_cycles + chip.cube_fractal_cycles * fractals, chip.cube_latency_cycles};
}

// L0C -> L1 or global memory: so many elements a cycle, and to global memory so many bytes.
inline Cost FixCost(const Core& core, double elements, const uint8_t* gm, uint32_t rows, int64_t pitch, uint32_t bytes,
    uint32_t outer, int64_t outerStep)
{
    const FiagenSimChip& chip = core.run.chip;
    Cost cost{chip.fix_issue_cycles + elements / chip.fixpipe_elements, gm == nullptr ? 0 : chip.gm_write_latency_cycles};
    if (gm != nullptr) {
        cost.traffic = {gm, pitch, outerStep, rows, outer, bytes, Path::FROM_L0C};
    }
    return cost;
}

// `operands` may be null; the first one is the destination. Bank conflicts: see BankCycles.
Cost VectorCost(Core& core, const LanePlan& plan, double perRepeat, const Operand* dst, const Operand* src0, const Operand* src1);

} // namespace sim
} // namespace AscendC
#endif
