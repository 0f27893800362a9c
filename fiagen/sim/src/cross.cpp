// In:    cross-core flags and SyncAll.
// Out:   tokens that other cores wait for, blocked fibers, or a fault.
// Never: a wait that the scheduler cannot see.
#include "machine.h"
#include <algorithm>

namespace AscendC {
namespace sim {

// All that the clocks of a and b know.
static Snapshot Merged(const Snapshot& a, const Snapshot& b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    auto both = std::make_shared<std::vector<Clock>>(*a);
    for (size_t i = 0; i < both->size(); ++i) {
        (*both)[i].Merge((*b)[i]);
    }
    return both;
}

Snapshot Core::Release(int pipe)
{
    if (!run.checks) {
        return nullptr;
    }
    auto clocks = remote.empty() ? std::make_shared<std::vector<Clock>>(run.cores.size())
                                 : std::make_shared<std::vector<Clock>>(remote);
    Learn(pipe);
    for (size_t i = 0; i < remoteOf[pipe].size(); ++i) {
        (*clocks)[i].Merge(remoteOf[pipe][i]);
    }
    Clock& own = (*clocks)[Index()];
    own = known[pipe];
    own.seq[pipe] = seq[pipe];
    own.seq[PIPE_S] = seq[PIPE_S]; // a scalar access is over before anything later is issued
    return clocks;
}

// Lessons of other pipes that lie before something this pipe has waited for.
void Core::Learn(int pipe)
{
    for (int teacher = 1; teacher < PIPES; ++teacher) {
        const std::vector<Lesson>& all = lessons[teacher];
        size_t& at = learned[pipe][teacher];
        for (; at < all.size() && (teacher == pipe || all[at].seq <= known[pipe].seq[teacher]); ++at) {
            remoteOf[pipe].resize(run.cores.size());
            for (size_t i = 0; i < remoteOf[pipe].size(); ++i) {
                remoteOf[pipe][i].Merge((*all[at].known)[i]);
            }
            known[pipe].Merge((*all[at].known)[Index()]);
        }
    }
}

bool Core::Knows(uint32_t core, int pipe, uint32_t sequence)
{
    if (!remote.empty() && remote[core].seq[pipe] >= sequence) {
        return true;
    }
    Learn(curPipe);
    return !remoteOf[curPipe].empty() && remoteOf[curPipe][core].seq[pipe] >= sequence;
}

void Core::Acquire(const Snapshot& other, int pipe)
{
    if (!other) {
        return;
    }
    if (pipe != PIPE_S) {
        lessons[pipe].push_back({seq[pipe], other});
        Learn(pipe);
        return;
    }
    remote.resize(run.cores.size());
    for (size_t i = 0; i < remote.size(); ++i) {
        remote[i].Merge((*other)[i]);
    }
    for (Clock& clock : known) { // what came back of our own work is complete
        clock.Merge((*other)[Index()]);
    }
}

void Run::GiveToken(Core& core, uint8_t flag, Snapshot token, int32_t line)
{
    Tokens& tokens = core.tokens[flag];
    tokens.ready.push_back(std::move(token));
    tokens.line = line;
}

// CrossCoreSetFlag has been executed by `core`; the token tells what it covers.
void Run::CrossSet(Core& core, uint8_t mode, uint8_t flag, const Snapshot& token, int32_t line)
{
    auto overflow = [&](Core& target, size_t count) {
        if (count > limits::CROSS_FLAG_COUNTER_MAX) {
            core.Raise("sim.cross_flag_overflow", PIPE_S, "CrossCoreSetFlag", line, 0,
                "cross-core flag %u of block %u %s was set more than %llu times without being waited for", flag, target.block,
                target.Aic() ? "AIC" : "AIV", static_cast<unsigned long long>(limits::CROSS_FLAG_COUNTER_MAX));
        }
    };
    if (mode == 4) {
        const uint32_t id = flag - CROSS_FLAG_MODE4, aiv = core.Aic() ? id / 16 + 1 : core.sub;
        const uint32_t partner = core.block * 3 + (core.Aic() ? aiv : 0);
        if (!cores[partner]) {
            core.Raise("sim.cross_flag_no_partner", PIPE_S, "CrossCoreSetFlag", line, 0,
                "mode 4 sets a flag of the %s of this block, and this kernel type has none", core.Aic() ? "AIV" : "AIC");
        }
        Core& target = *cores[partner];
        const uint32_t index = CROSS_FLAG_MODE4 + id % 16 + (core.Aic() ? 0 : (aiv - 1) * 16);
        GiveToken(target, static_cast<uint8_t>(index), token, line);
        overflow(target, target.tokens[index].ready.size());
        return;
    }
    if (mode == 2) {
        if (core.Aic()) {
            for (uint32_t sub = 1; sub <= 2; ++sub) {
                if (cores[core.block * 3 + sub]) {
                    Core& target = Of(core.block, sub);
                    GiveToken(target, flag, token, line);
                    overflow(target, target.tokens[flag].ready.size());
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
        tokens.half[me].push_back(token);
        tokens.line = line;
        overflow(target, tokens.half[me].size() + tokens.ready.size());
        bool alone = !cores[core.block * 3 + (me == 0 ? 2 : 1)];
        if (alone) {
            tokens.half[me].clear();
            GiveToken(target, flag, token, line);
        } else if (!tokens.half[0].empty() && !tokens.half[1].empty()) {
            Snapshot both = Merged(tokens.half[0].front(), tokens.half[1].front());
            tokens.half[0].erase(tokens.half[0].begin());
            tokens.half[1].erase(tokens.half[1].begin());
            GiveToken(target, flag, std::move(both), line);
        }
        return;
    }
    // Modes 0 and 1: everybody of the group gets a token when everybody has set.
    core.tokens[flag].own.push_back(token);
    core.tokens[flag].line = line;
    overflow(core, core.tokens[flag].own.size() + core.tokens[flag].ready.size());
    auto inGroup = [&](const std::unique_ptr<Core>& other) {
        return other && other->Aic() == core.Aic() && (mode == 0 || other->block == core.block);
    };
    for (const auto& other : cores) {
        if (inGroup(other) && other->tokens[flag].own.empty()) {
            return;
        }
    }
    Snapshot all;
    for (auto& other : cores) {
        if (inGroup(other)) {
            std::vector<Snapshot>& own = other->tokens[flag].own;
            all = Merged(all, own.front());
            own.erase(own.begin());
        }
    }
    for (auto& other : cores) {
        if (inGroup(other)) {
            GiveToken(*other, flag, all, line);
        }
    }
}

// The index of a flag among the tokens of a core.
static uint32_t FlagIndex(Core& core, uint8_t mode, uint16_t flag, int pipe)
{
    if (mode == 4) {
        const bool second = core.Aic() && flag >= limits::CROSS_FLAG_AIV1_OFFSET;
        core.CheckLimit(second ? flag - limits::CROSS_FLAG_AIV1_OFFSET : flag, 0, limits::CROSS_FLAG_MODE4_MAX, "flag id");
        return CROSS_FLAG_MODE4 + flag;
    }
    core.CheckLimit(flag, 0, limits::CROSS_FLAG_MAX, "flag id");
    if (flag >= limits::CROSS_FLAG_RESERVED_FIRST && flag <= limits::CROSS_FLAG_RESERVED_LAST) {
        core.Raise("sim.cross_flag_reserved", pipe, core.curName, core.curLine, 0, "flag id %u belongs to SyncAll", flag);
    }
    return flag;
}

void IssueCrossSet(uint8_t mode, pipe_t pipe, uint16_t flag, At at)
{
    Core& core = Current();
    core.Begin(pipe, "CrossCoreSetFlag", at);
    const auto index = static_cast<uint8_t>(FlagIndex(core, mode, flag, pipe));
    if (pipe == PIPE_S) {
        core.ScalarStep(at);
        Step& step = core.timeline.Add(Step::CROSS_SET, PIPE_S, "CrossCoreSetFlag", at.line);
        step.what = mode;
        step.id = index;
        core.run.CrossSet(core, mode, index, core.Release(PIPE_S), at.line);
        return;
    }
    Op& op = core.PushFlag(pipe, Op::CROSS_SET, "CrossCoreSetFlag", at, mode, index);
    Snapshot* clocks = new Snapshot(core.Release(pipe)); // the set takes it over when it runs, or ~Core
    std::memcpy(op.payload, &clocks, sizeof(clocks));
    ++core.pipes[pipe].crossSets;
    core.AfterIssue(pipe);
}

// On 3510 only `pipe` waits. Its later instructions are not issued before the flag is there; the other pipes learn nothing.
void CrossWait(uint8_t mode, pipe_t pipe, uint16_t flag, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(pipe, "CrossCoreWaitFlag", at);
    const uint32_t index = FlagIndex(core, mode, flag, pipe);
    Tokens& tokens = core.tokens[index];
    if (tokens.ready.empty()) {
        core.ForceCrossSets();
    }
    while (tokens.ready.empty()) {
        core.waitFlag = index;
        core.waitLine = at.line;
        core.Block(Core::CROSS);
    }
    core.timeline.Add(Step::CROSS_WAIT, pipe, "CrossCoreWaitFlag", at.line).id = static_cast<uint8_t>(index);
    core.Acquire(tokens.ready.front(), pipe);
    tokens.ready.erase(tokens.ready.begin());
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
    if (const Snapshot own = core.Release(PIPE_S)) {
        barrier.gathered.resize(run.cores.size());
        for (size_t i = 0; i < own->size(); ++i) {
            barrier.gathered[i].Merge((*own)[i]);
        }
    }
    if (++barrier.arrived == members) {
        barrier.arrived = 0;
        ++barrier.generation;
        barrier.passed = run.checks ? std::make_shared<std::vector<Clock>>(barrier.gathered) : nullptr;
    } else {
        core.waitGeneration = barrier.generation;
        core.waitVectorOnly = vectorOnly;
        core.waitLine = at.line;
        core.Block(Core::SYNC);
    }
    core.Acquire(barrier.passed);
}

} // namespace sim
} // namespace AscendC
