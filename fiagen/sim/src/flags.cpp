// In:    flags, barriers, masks, scalar accesses and queries of the running core.
// Out:   queued instructions, changed registers, or a fault.
// Never: data movement by another unit than the scalar one.
#include "machine.h"
#include <algorithm>

namespace AscendC {
namespace sim {

bool IsAic() { return Current().Aic(); }
int64_t BlockNum() { return Current().run.launch.block_dim; }
int64_t SubBlockNum()
{
    Core& core = Current();
    return core.run.kind == KERNEL_TYPE_MIX_AIC_1_2 ? 2 : 1;
}
int64_t SubBlockIdx()
{
    Core& core = Current();
    return core.Aic() ? 0 : core.sub - 1;
}
int64_t TaskRation() { return Current().Aic() ? 1 : SubBlockNum(); }
int64_t BlockIdx()
{
    Core& core = Current();
    return core.Aic() ? core.block : core.block * SubBlockNum() + core.sub - 1;
}

EventState& EventAt(Core& core, HardEvent event, int32_t id, bool internal)
{
    core.CheckLimit(static_cast<uint64_t>(static_cast<int64_t>(id)), 0, limits::EVENT_ID_MAX, "event id");
    EventState& state = core.events[static_cast<int>(event)][id];
    if (state.internal && !internal) {
        core.Raise("sim.event_id_taken", core.curPipe, core.curName, core.curLine, core.pipeLine,
            "event id %d of HardEvent::%s is in use by TPipe or by one of its queues; take ids from AllocEventID", id,
            EVENT_NAMES[static_cast<int>(event)]);
    }
    return state;
}

void SetEvent(HardEvent event, int32_t id, bool internal, At at)
{
    Core& core = Current();
    const int e = static_cast<int>(event);
    const int pipe = EventFrom(e);
    core.Begin(pipe, "SetFlag", at);
    EventState& state = EventAt(core, event, id, internal);
    if (state.balance > 0) {
        core.Raise("sim.flag_set_twice", pipe, "SetFlag", at.line, state.setLine,
            "SetFlag<HardEvent::%s>(%d) is issued again before a WaitFlag for the first one", EVENT_NAMES[e], id);
    }
    ++state.balance;
    state.setLine = at.line;
    state.clock = core.known[pipe];
    state.clock.seq[pipe] = core.seq[pipe];
    if (pipe == PIPE_S) {
        core.ScalarStep(at);
        if (state.set) {
            core.Raise("sim.flag_set_twice", pipe, "SetFlag", at.line, state.line,
                "SetFlag<HardEvent::%s>(%d) runs while pipe %s has not consumed the first one", EVENT_NAMES[e], id,
                PIPE_NAMES[EventTo(e)]);
        }
        state.set = true;
        state.line = at.line;
        Step& step = core.timeline.Add(Step::SET, PIPE_S, "SetFlag", at.line);
        step.what = static_cast<uint8_t>(e);
        step.id = static_cast<uint8_t>(id);
        core.AfterIssue(EventTo(e));
        return;
    }
    Op& op = core.PushFlag(pipe, Op::SET, "SetFlag", at, static_cast<uint8_t>(e), static_cast<uint8_t>(id));
    op.payload[0] = internal ? 1 : 0;
    core.AfterIssue(pipe);
}

void WaitEvent(HardEvent event, int32_t id, bool internal, At at)
{
    Core& core = Current();
    const int e = static_cast<int>(event);
    const int pipe = EventTo(e);
    core.Begin(pipe, "WaitFlag", at);
    EventState& state = EventAt(core, event, id, internal);
    --state.balance;
    state.waitLine = at.line;
    if (state.balance >= 0) {
        core.known[pipe].Merge(state.clock);
    }
    if (pipe != PIPE_S) {
        core.PushFlag(pipe, Op::WAIT, "WaitFlag", at, static_cast<uint8_t>(e), static_cast<uint8_t>(id));
        core.AfterIssue(pipe);
        return;
    }
    core.ScalarStep(at);
    if (!core.ForceFlag(e, id)) {
        core.Raise("sim.wait_never_set", PIPE_S, "WaitFlag", at.line, 0,
            "the scalar unit waits for HardEvent::%s id %d, and nothing issued so far can set it", EVENT_NAMES[e], id);
    }
    state.set = false;
    Step& step = core.timeline.Add(Step::WAIT, PIPE_S, "WaitFlag", at.line);
    step.what = static_cast<uint8_t>(e);
    step.id = static_cast<uint8_t>(id);
    for (Clock& known : core.known) { // the scalar unit issues nothing later before this wait is over
        known.Merge(state.clock);
    }
}

void IssueSetFlag(HardEvent event, int32_t id, At at) { SetEvent(event, id, false, at); }
void IssueWaitFlag(HardEvent event, int32_t id, At at) { WaitEvent(event, id, false, at); }

void IssueBarrier(pipe_t pipe, At at)
{
    Core& core = Current();
    if (pipe == PIPE_ALL) {
        core.ScalarStep(at);
        core.Drain(at);
        return;
    }
    core.Begin(pipe, "PipeBarrier", at);
    core.known[pipe].seq[pipe] = core.seq[pipe];
    core.Push(pipe, Op::BARRIER, "PipeBarrier", at);
    core.AfterIssue(pipe);
}

void SetAtomic(Atomic atomic, DType dtype)
{
    Core& core = Current();
    core.ScalarStep(At{0});
    core.atomic = atomic;
    core.atomicType = dtype;
}

void SetMaskRegister(uint64_t high, uint64_t low, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.maskHigh = high;
    core.maskLow = low;
}
void SetMaskMode(bool counter, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.counterMode = counter;
}
void ScalarInstruction(At at) { Current().ScalarStep(at); }

// Global tensors.
void RegisterExtent(Global& tensor, uint8_t* ptr, uint64_t bytes, bool sized)
{
    const FiagenSimLaunch& launch = Current().run.launch;
    tensor.ptr = ptr;
    tensor.begin = nullptr;
    tensor.end = nullptr;
    tensor.arg = 0;
    for (uint32_t i = 0; i < launch.num_args; ++i) {
        uint8_t* begin = static_cast<uint8_t*>(launch.args[i]);
        if (begin != nullptr && ptr >= begin && ptr < begin + launch.arg_bytes[i]) {
            uint8_t* end = begin + launch.arg_bytes[i];
            tensor.begin = ptr;
            tensor.arg = i;
            tensor.end = sized && ptr + bytes < end ? ptr + bytes : end;
            return;
        }
    }
}

void* GlobalScalar(const Global& tensor, uint64_t offset, uint32_t bytes, bool write, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, write ? "SetValue" : "GetValue", at);
    core.CheckGlobal(tensor, static_cast<int64_t>(offset), static_cast<int64_t>(offset + bytes));
    if (!write && bytes > 0) {
        const uint8_t* base = static_cast<const uint8_t*>(core.run.launch.args[tensor.arg]);
        core.timeline.Load(tensor.arg, static_cast<uint64_t>(tensor.ptr + offset - base), bytes, core.run.chip.scalar_gm_cycles);
    }
    return core.run.checks ? core.CachedScalar(tensor, offset, bytes, write) : tensor.ptr + offset;
}

void CleanDataCache(const Global& tensor, bool all, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, "DataCacheCleanAndInvalid", at);
    if (!all) {
        core.CheckGlobal(tensor, 0, 1);
    }
    core.CleanCache(tensor, all);
}

void* LocalScalar(const Local& tensor, uint64_t offset, uint32_t bytes, bool write, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, write ? "SetValue" : "GetValue", at);
    core.CheckMem(tensor, Mem::UB, "tensor");
    if (write) {
        core.Write(tensor, tensor.addr + offset, tensor.addr + offset + bytes);
    } else {
        core.Read(tensor, tensor.addr + offset, tensor.addr + offset + bytes);
    }
    return core.At8(Mem::UB, tensor.addr + offset);
}

void CheckPlacement(const Local& tensor, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "LocalTensor", at);
    if (core.run.arch == 3510 && tensor.mem == (core.Aic() ? Mem::UB : Mem::L1)) { // of another core of the block
        const uint64_t size = core.Aic() ? core.run.chip.ub_bytes : core.run.chip.l1_bytes;
        if (tensor.end > size) {
            core.Raise(core.Aic() ? "sim.ub_out_of_bounds" : "sim.l1_out_of_bounds", PIPE_S, core.curName, at.line, 0,
                "the tensor ends at byte %u of %s, which has %llu", tensor.end, MEM_NAMES[static_cast<int>(tensor.mem)],
                static_cast<unsigned long long>(size));
        }
        return;
    }
    if (tensor.mem == Mem::NONE || core.memories[static_cast<int>(tensor.mem)].size == 0) {
        core.Raise("sim.wrong_memory", PIPE_S, core.curName, at.line, 0, "an %s has no %s", core.Aic() ? "AIC" : "AIV",
            MEM_NAMES[static_cast<int>(tensor.mem)]);
    }
    core.CheckBounds(tensor, tensor.addr, tensor.end, "the tensor");
}

} // namespace sim
} // namespace AscendC
