// In:    what each instruction costs, in the order in which the kernel issues it.
// Out:   one timeline per core, which the replay turns into cycles.
// Never: a look at data, at the schedule policy or at how far a pipe has run.
#ifndef FIAGEN_SIM_TIMING_H
#define FIAGEN_SIM_TIMING_H
#include "../include/fiagen_sim_abi.h"
#include <cstdint>
#include <vector>

namespace AscendC {
namespace sim {

// The way of bytes between global memory and a core.
enum class Path : uint8_t { NONE, TO_L1, TO_UB, FROM_UB, FROM_L0C };
constexpr int PATHS = 4;

// Bursts of one length in global memory, in two loops.
struct Traffic {
    const uint8_t* start = nullptr;
    int64_t step = 0, outerStep = 0;
    uint32_t bursts = 0, outer = 1, bytes = 0;
    Path path = Path::NONE;
};

// `cycles` is how long the pipe is taken, `latency` how much later the result is there. An instruction with traffic
// takes as long as its bytes need, and at least `cycles`.
struct Cost {
    double cycles = 0, latency = 0;
    Traffic traffic;
    Cost() = default;
    Cost(double cyclesIn, double latencyIn = 0) : cycles(cyclesIn), latency(latencyIn) {}
};

struct Step {
    enum Kind : uint8_t { DATA, SET, WAIT, BARRIER, CROSS_SET, CROSS_WAIT, SYNC, DRAIN };
    const char* name;
    float scalar;      // cycles of the scalar unit before this
    float cycles, latency;
    uint32_t traffic;  // 1 + index, 0: none
    uint32_t needs;    // instructions of needsPipe that must have ended
    int32_t line;
    Kind kind;
    uint8_t pipe;
    uint8_t what;      // event, mode of a cross-core flag, or 1 for a SyncAll of the AIVs alone
    uint8_t id;
    uint8_t needsPipe; // FIAGEN_PIPE_COUNT: none
};

class Timeline {
public:
    std::vector<Step> steps;
    std::vector<Traffic> traffic;
    double tail = 0; // scalar cycles after the last step
    double macs = 0, vectorElements = 0;
    std::vector<uint64_t> cached;

    void Scalar(double cycles) { tail += cycles; }
    // The scalar unit reads `bytes` of an argument through its data cache; a line that is not there costs `cycles`.
    void Load(uint32_t arg, uint64_t offset, uint32_t bytes, double cycles)
    {
        constexpr uint64_t LINE = 64, LINES = 512; // the 32 KiB data cache of section "memories", direct mapped
        cached.resize(LINES);
        for (uint64_t line = offset / LINE; line <= (offset + bytes - 1) / LINE; ++line) {
            const uint64_t name = (uint64_t{arg} + 1) << 48 | line;
            if (cached[line % LINES] != name) {
                cached[line % LINES] = name;
                tail += cycles;
            }
        }
    }
    Step& Add(Step::Kind kind, int pipe, const char* name, int32_t line, const Cost& cost = {})
    {
        if (cost.traffic.path != Path::NONE) {
            traffic.push_back(cost.traffic);
        }
        steps.push_back({name, static_cast<float>(tail), static_cast<float>(cost.cycles), static_cast<float>(cost.latency),
            cost.traffic.path != Path::NONE ? static_cast<uint32_t>(traffic.size()) : 0u, 0, line, kind,
            static_cast<uint8_t>(pipe), 0, 0, FIAGEN_PIPE_COUNT});
        tail = 0;
        return steps.back();
    }
};

class Run;

// Fills the times of a clean run into its report, and its spans when the launch wants them.
void Replay(Run& run, FiagenSimReport& report);

} // namespace sim
} // namespace AscendC
#endif
