// In:    a replay that has ended.
// Out:   its spans, totals and launch cost in the report, or the fault of a core that can never go on.
// Never: a time for a core that did not end.
#include "replay.h"
#include <cstdio>

namespace AscendC {
namespace sim {
namespace replay {

void Player::Span(const CoreTime& c, int pipe, const Step& step, double from, double to)
{
    if (run_.launch.spans == nullptr) {
        return;
    }
    if (report_.num_spans < run_.launch.span_capacity) {
        FiagenSimSpan& span = run_.launch.spans[report_.num_spans];
        span = {static_cast<int32_t>(c.core->block), static_cast<int32_t>(c.core->sub), pipe, step.line, from, to, {}};
        std::snprintf(span.name, sizeof(span.name), "%s", step.name);
    }
    ++report_.num_spans;
}

// The data could be computed, but the hardware would stand: its instruction queues are shorter than ours.
void Player::Stuck(const CoreTime& c)
{
    const Step& step = c.line->steps[std::min(c.next, c.line->steps.size() - 1)];
    FiagenSimFault fault{};
    std::snprintf(fault.id, sizeof(fault.id), "sim.instruction_queue_deadlock");
    fault.block = static_cast<int32_t>(c.core->block);
    fault.sub_core = static_cast<int32_t>(c.core->sub);
    std::snprintf(fault.pipe, sizeof(fault.pipe), "%s", PIPE_NAMES[step.pipe]);
    std::snprintf(fault.instruction, sizeof(fault.instruction), "%s", step.name);
    fault.line = step.line;
    std::snprintf(fault.message, sizeof(fault.message),
        "pipe %s stands at a wait with %u instructions behind it, which fill its queue: the scalar unit cannot issue what would "
        "end the wait",
        PIPE_NAMES[step.pipe], chip_.queue_depth);
    run_.Record(fault);
}

void Player::Totals()
{
    uint32_t counts[2] = {0, 0};
    for (const CoreTime& c : cores_) {
        report_.cycles = std::max(report_.cycles, c.end);
        counts[c.core != nullptr && !c.core->Aic() ? 1 : 0] += c.core != nullptr ? 1u : 0u;
    }
    for (const CoreTime& c : cores_) {
        if (c.core == nullptr) {
            continue;
        }
        const int side = c.core->Aic() ? 0 : 1;
        report_.cube_macs += c.line->macs;
        report_.vector_elements += c.line->vectorElements;
        for (int p = 0; p < PIPES; ++p) {
            const PipeTime& pipe = c.pipes[p];
            report_.pipe_busy_cycles[side][p] = std::max(report_.pipe_busy_cycles[side][p], pipe.busy);
            report_.pipe_mean_cycles[side][p] += pipe.busy / counts[side];
            double known = pipe.busy;
            for (int cause = 0; cause < FIAGEN_STALL_IDLE; ++cause) {
                report_.stall_cycles[side][p][cause] += pipe.stall[cause] / counts[side];
                known += pipe.stall[cause];
            }
            report_.stall_cycles[side][p][FIAGEN_STALL_IDLE] += std::max(0.0, report_.cycles - known) / counts[side];
        }
    }
    report_.cores[0] = counts[0];
    report_.cores[1] = counts[1];
    const bool cube = counts[0] > 0, vector = counts[1] > 0;
    const double blocks = std::min(run_.BlocksOf(), cube ? chip_.aic_count : chip_.aiv_count);
    double nanoseconds = cube ? chip_.launch_cube_ns + blocks * chip_.launch_cube_block_ns
                              : chip_.launch_vector_ns + blocks * chip_.launch_vector_block_ns;
    nanoseconds += cube && vector ? chip_.launch_mix_ns : 0;
    report_.launch_microseconds = nanoseconds / 1000;
    report_.microseconds = report_.launch_microseconds + report_.cycles / chip_.clock_mhz;
}

} // namespace replay
} // namespace sim
} // namespace AscendC
