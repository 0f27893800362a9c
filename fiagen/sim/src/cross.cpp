// In:    cross-core flags and SyncAll.
// Out:   tokens that other cores wait for, blocked fibers, or a fault.
// Never: a wait that the scheduler cannot see.
#include "machine.h"
#include <algorithm>

namespace AscendC {
namespace sim {

void Run::GiveToken(Core& core, uint8_t flag, double time, int32_t line)
{
    Tokens& tokens = core.tokens[flag];
    tokens.times.push_back(time);
    tokens.line = line;
}

// CrossCoreSetFlag has been executed by `core` at `time`.
void Run::CrossSet(Core& core, uint8_t mode, uint8_t flag, double time, int32_t line)
{
    auto overflow = [&](Core& target, size_t count) {
        if (count > limits::CROSS_FLAG_COUNTER_MAX) {
            core.Raise("sim.cross_flag_overflow", PIPE_S, "CrossCoreSetFlag", line, 0,
                "cross-core flag %u of block %u %s was set more than %llu times without being waited for", flag, target.block,
                target.Aic() ? "AIC" : "AIV", static_cast<unsigned long long>(limits::CROSS_FLAG_COUNTER_MAX));
        }
    };
    if (mode == 2) {
        if (core.Aic()) {
            for (uint32_t sub = 1; sub <= 2; ++sub) {
                if (cores[core.block * 3 + sub]) {
                    Core& target = Of(core.block, sub);
                    GiveToken(target, flag, time, line);
                    overflow(target, target.tokens[flag].times.size());
                }
            }
            return;
        }
        if (!cores[core.block * 3]) {
            core.Raise("sim.cross_flag_no_partner", PIPE_S, "CrossCoreSetFlag", line, 0,
                "mode 2 sets a flag of the AIC of this block, and this kernel type has none");
        }
        Core& target = Of(core.block, 0);
        Tokens& tokens = target.tokens[flag];
        uint32_t me = core.sub - 1;
        ++tokens.half[me];
        tokens.line = line;
        tokens.halfTime[me] = time;
        overflow(target, tokens.half[me] + tokens.times.size());
        bool alone = !cores[core.block * 3 + (me == 0 ? 2 : 1)];
        if (alone || (tokens.half[0] > 0 && tokens.half[1] > 0)) {
            tokens.half[me] -= 1;
            if (!alone) {
                tokens.half[1 - me] -= 1;
            }
            GiveToken(target, flag, std::max(tokens.halfTime[0], tokens.halfTime[1]), line);
        }
        return;
    }
    // Modes 0 and 1: everybody of the group gets a token when everybody has set.
    core.tokens[flag].own += 1;
    core.tokens[flag].line = line;
    overflow(core, core.tokens[flag].own + core.tokens[flag].times.size());
    auto inGroup = [&](const std::unique_ptr<Core>& other) {
        return other && other->Aic() == core.Aic() && (mode == 0 || other->block == core.block);
    };
    for (const auto& other : cores) {
        if (inGroup(other) && other->tokens[flag].own == 0) {
            return;
        }
    }
    for (auto& other : cores) {
        if (inGroup(other)) {
            other->tokens[flag].own -= 1;
            GiveToken(*other, flag, time, line);
        }
    }
}

void IssueCrossSet(uint8_t mode, pipe_t pipe, uint16_t flag, At at)
{
    Core& core = Current();
    core.Begin(pipe, "CrossCoreSetFlag", at);
    core.CheckLimit(flag, 0, limits::CROSS_FLAG_MAX, "flag id");
    if (flag >= limits::CROSS_FLAG_RESERVED_FIRST && flag <= limits::CROSS_FLAG_RESERVED_LAST) {
        core.Raise("sim.cross_flag_reserved", pipe, core.curName, at.line, 0, "flag id %u belongs to SyncAll", flag);
    }
    Clock clock = core.known[pipe];
    clock.seq[pipe] = core.seq[pipe];
    core.crossClock.Merge(clock);
    core.PushFlag(pipe, Op::CROSS_SET, "CrossCoreSetFlag", at, mode, static_cast<uint8_t>(flag));
    ++core.pipes[pipe].crossSets;
    core.AfterIssue(pipe);
}

void CrossWait(uint16_t flag, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, "CrossCoreWaitFlag", at);
    core.CheckLimit(flag, 0, limits::CROSS_FLAG_MAX, "flag id");
    if (flag >= limits::CROSS_FLAG_RESERVED_FIRST && flag <= limits::CROSS_FLAG_RESERVED_LAST) {
        core.Raise("sim.cross_flag_reserved", PIPE_S, core.curName, at.line, 0, "flag id %u belongs to SyncAll", flag);
    }
    Tokens& tokens = core.tokens[flag];
    if (tokens.times.empty()) {
        core.ForceCrossSets();
    }
    while (tokens.times.empty()) {
        core.waitFlag = flag;
        core.waitLine = at.line;
        core.Block(Core::CROSS);
    }
    core.timeline.Add(Step::CROSS_WAIT, PIPE_S, "CrossCoreWaitFlag", at.line).id = static_cast<uint8_t>(flag);
    tokens.times.erase(tokens.times.begin());
    // Whoever set this flag may have waited for ours: what our own cross-core sets covered counts as done.
    for (Clock& known : core.known) {
        known.Merge(core.crossClock);
    }
}

void SyncAllCores(bool vectorOnly, At at)
{
    Core& core = Current();
    Run& run = core.run;
    core.Begin(PIPE_S, "SyncAll", at);
    core.ScalarStep(at);
    if (run.kind == KERNEL_TYPE_AIV_ONLY || run.kind == KERNEL_TYPE_AIC_ONLY) {
        core.Raise("sim.sync_all_kind", PIPE_S, core.curName, at.line, 0,
            "kernels of the kinds AIV_ONLY and AIC_ONLY have no cross-core synchronisation; declare a MIX kind");
    }
    if (vectorOnly && core.Aic()) {
        core.Raise("sim.sync_all_kind", PIPE_S, core.curName, at.line, 0,
            "SyncAll<true> is for AIVs only; an AIC has to use SyncAll<false>, together with every AIV");
    }
    if (run.launch.block_dim > run.chip.aic_count) {
        core.Raise("sim.limit", PIPE_S, core.curName, at.line, 0,
            "%u blocks on %u cores: the blocks are not all resident, so SyncAll cannot end", run.launch.block_dim,
            run.chip.aic_count);
    }
    core.Drain(at);
    core.timeline.Add(Step::SYNC, PIPE_S, "SyncAll", at.line).what = vectorOnly ? 1 : 0;
    Barrier& barrier = run.barriers[vectorOnly ? 0 : 1];
    uint32_t members = 0;
    for (const auto& other : run.cores) {
        members += other && (!vectorOnly || !other->Aic()) ? 1 : 0;
    }
    if (++barrier.arrived == members) {
        barrier.arrived = 0;
        ++barrier.generation;
    } else {
        core.waitGeneration = barrier.generation;
        core.waitVectorOnly = vectorOnly;
        core.waitLine = at.line;
        core.Block(Core::SYNC);
    }
}

} // namespace sim
} // namespace AscendC
