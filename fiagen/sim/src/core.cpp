// In:    instructions, one core at a time.
// Out:   their execution in pipe order, forced or free as the schedule policy says, and order faults.
// Never: the meaning of an instruction; that is in the payload.
#include "machine.h"
#include <cstdarg>
#include <cstdio>
#include <exception>

namespace AscendC {
namespace sim {

const char* const PIPE_NAMES[PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
const char* const EVENT_NAMES[EVENTS] = {"MTE2_MTE1", "MTE1_MTE2", "MTE1_M", "M_MTE1", "MTE2_V", "V_MTE2", "MTE3_V",
    "V_MTE3", "M_V", "V_M", "V_V", "MTE3_MTE1", "MTE1_MTE3", "MTE1_V", "MTE2_M", "M_MTE2", "V_MTE1", "M_FIX", "FIX_M",
    "MTE3_MTE2", "MTE2_MTE3", "S_V", "V_S", "S_MTE2", "MTE2_S", "S_MTE3", "MTE3_S", "MTE2_FIX", "FIX_MTE2", "FIX_S",
    "M_S", "FIX_MTE3", "MTE1_FIX", "FIX_MTE1", "FIX_FIX"};
const char* const MEM_NAMES[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "", "no memory of this core"};
const char* const MEM_RULES[] = {"ub", "l1", "l0a", "l0b", "l0c", "bt", "fb", "", "none"};

static int PipeFromName(const char* text, size_t length)
{
    for (int p = 0; p < PIPES; ++p) {
        if (std::strlen(PIPE_NAMES[p]) == length && std::strncmp(PIPE_NAMES[p], text, length) == 0) {
            return p;
        }
    }
    return PIPE_S;
}
struct EventEnds {
    int from[EVENTS], to[EVENTS];
    EventEnds()
    {
        for (int e = 0; e < EVENTS; ++e) {
            const char* bar = std::strchr(EVENT_NAMES[e], '_');
            from[e] = PipeFromName(EVENT_NAMES[e], static_cast<size_t>(bar - EVENT_NAMES[e]));
            to[e] = PipeFromName(bar + 1, std::strlen(bar + 1));
        }
    }
};
static const EventEnds& Ends()
{
    static const EventEnds ends;
    return ends;
}
int EventFrom(int event) { return Ends().from[event]; }
int EventTo(int event) { return Ends().to[event]; }

static Core* g_current = nullptr; // the fiber that runs; a launch holds the lock of launch.cpp
Core& Current() { return *g_current; }
Core* CurrentOrNull() { return g_current; }
void SetCurrent(Core* core) { g_current = core; }

Core::Core(Run& runIn, uint32_t blockIn, uint32_t subIn) : run(runIn), block(blockIn), sub(subIn)
{
    const FiagenSimChip& chip = run.chip;
    auto make = [this](Mem mem, uint64_t size, uint32_t granule) {
        Memory& memory = memories[static_cast<int>(mem)];
        memory.size = size;
        memory.granule = granule;
        memory.bytes.reset(new uint8_t[size]);
        std::memset(memory.bytes.get(), 0xFF, size); // NaN in every floating type: nobody may rely on old contents
        if (run.checks) {
            memory.cells = static_cast<Cell*>(std::calloc(size / granule + 1, sizeof(Cell)));
            memory.written = static_cast<uint8_t*>(std::calloc(size, 1));
        }
    };
    if (Aic()) {
        make(Mem::L1, chip.l1_bytes, 32);
        make(Mem::L0A, chip.l0a_bytes, 512);
        make(Mem::L0B, chip.l0b_bytes, 512);
        make(Mem::L0C, chip.l0c_bytes, 1024);
        make(Mem::BT, chip.bt_bytes, 64);
        make(Mem::FB, chip.fb_bytes, 64);
    } else {
        make(Mem::UB, chip.ub_bytes, 32);
    }
}

// The clocks that a pending CrossCoreSetFlag carries; they are the caller's from now on.
static Snapshot* TakeSnapshot(Op& op)
{
    Snapshot* clocks;
    std::memcpy(&clocks, op.payload, sizeof(clocks));
    std::memset(op.payload, 0, sizeof(clocks));
    return clocks;
}

Core::~Core()
{
    for (PipeQueue& queue : pipes) {
        for (size_t i = queue.head; i < queue.ops.size(); ++i) {
            if (queue.ops[i].kind == Op::CROSS_SET) {
                delete TakeSnapshot(queue.ops[i]);
            }
        }
    }
}

void Core::Raise(const char* id, int pipe, const char* instruction, int32_t line, int32_t other, const char* format, ...)
{
    Fault fault{};
    std::snprintf(fault.data.id, sizeof(fault.data.id), "%s", id);
    fault.data.block = static_cast<int32_t>(block);
    fault.data.sub_core = static_cast<int32_t>(sub);
    std::snprintf(fault.data.pipe, sizeof(fault.data.pipe), "%s", PIPE_NAMES[pipe]);
    std::snprintf(fault.data.instruction, sizeof(fault.data.instruction), "%s", instruction);
    fault.data.line = line;
    fault.data.other_line = other;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(fault.data.message, sizeof(fault.data.message), format, arguments);
    va_end(arguments);
    throw fault;
}

Op& Core::Push(int pipe, Op::Kind kind, const char* name, At at, const Cost& cost)
{
    ScalarStep(at);
    timeline.Add(static_cast<Step::Kind>(kind), pipe, name, at.line, cost);
    PipeQueue& queue = pipes[pipe];
    if (queue.Empty()) {
        queue.ops.clear();
        queue.head = 0;
    } else if (queue.head > 4096 && queue.head * 2 > queue.ops.size()) {
        queue.ops.erase(queue.ops.begin(), queue.ops.begin() + static_cast<std::ptrdiff_t>(queue.head));
        queue.head = 0;
    }
    queue.ops.emplace_back();
    Op& op = queue.ops.back();
    op.exec = nullptr;
    op.name = name;
    op.issued = run.issued;
    op.needs = 0;
    op.needsPipe = PIPES;
    op.line = at.line;
    op.kind = kind;
    return op;
}

Op& Core::PushFlag(int pipe, Op::Kind kind, const char* name, At at, uint8_t what, uint8_t id)
{
    Op& op = Push(pipe, kind, name, at);
    op.what = timeline.steps.back().what = what;
    op.id = timeline.steps.back().id = id;
    return op;
}

void Core::ScalarStep(At at)
{
    if (inVf) {
        Raise("sim.not_in_vf", PIPE_V, curName, at.line, 0,
            "a function that asc_vf_call runs has register instructions only: no copy, no flag, no call on tensors");
    }
    timeline.Scalar(run.chip.scalar_issue_cycles);
    ++run.issued;
    ++run.heartbeat;
    if (run.launch.instruction_budget != 0 && run.issued > run.launch.instruction_budget) {
        Raise("sim.budget", PIPE_S, "", at.line, 0, "the run issued more than its budget of %llu instructions",
            static_cast<unsigned long long>(run.launch.instruction_budget));
    }
}

void Core::AfterIssue(int pipe)
{
    if (run.launch.schedule_policy == FIAGEN_SIM_EARLY) {
        bool moved = true;
        while (moved) {
            moved = false;
            for (int p = 1; p < PIPES; ++p) {
                while (Runnable(p)) {
                    StepOne(p);
                    moved = true;
                }
            }
        }
    } else if (run.launch.schedule_policy == FIAGEN_SIM_RANDOM && run.Random(3) == 0) {
        if (run.Random(16) == 0) {
            Block(READY); // another core goes on
        }
        int p = run.Random(2) == 0 ? pipe : static_cast<int>(1 + run.Random(PIPES - 1));
        for (uint32_t burst = 1 + run.Random(6); burst > 0 && Runnable(p); --burst) {
            StepOne(p);
        }
    }
}

bool Core::Runnable(int pipe) const
{
    const PipeQueue& queue = pipes[pipe];
    if (queue.Empty()) {
        return false;
    }
    const Op& op = queue.ops[queue.head];
    if (op.kind == Op::WAIT && !events[op.what][op.id].set) {
        return false;
    }
    if (op.kind == Op::SET && op.payload[0] != 0 && events[op.what][op.id].set) {
        return false; // a queue reuses its id at once: its second set stalls until the first one is consumed
    }
    return op.needsPipe == PIPES || pipes[op.needsPipe].done >= op.needs;
}

void Core::StepOne(int pipe)
{
    PipeQueue& queue = pipes[pipe];
    Op& op = queue.ops[queue.head];
    switch (op.kind) {
        case Op::SET: {
            EventState& event = events[op.what][op.id];
            if (event.set) {
                Raise("sim.flag_set_twice", pipe, "SetFlag", op.line, event.line,
                    "SetFlag<HardEvent::%s>(%d) ran while the flag was still set: nothing makes pipe %s wait until "
                    "pipe %s has consumed the first one",
                    EVENT_NAMES[op.what], op.id, PIPE_NAMES[pipe], PIPE_NAMES[EventTo(op.what)]);
            }
            event.set = true;
            event.line = op.line;
            break;
        }
        case Op::WAIT: events[op.what][op.id].set = false; break;
        case Op::CROSS_SET: {
            --queue.crossSets;
            std::unique_ptr<Snapshot> clocks(TakeSnapshot(op));
            run.CrossSet(*this, op.what, op.id, *clocks, op.line);
            break;
        }
        case Op::BARRIER: break;
        case Op::DATA:
            if (run.launch.time_only == 0) {
                op.exec(*this, op.payload);
            }
            break;
    }
    ++queue.head;
    ++queue.done;
    ++run.heartbeat;
}

// Run a pipe until it has executed `until` instructions, and other pipes only as far as that needs.
bool Core::Force(int pipe, uint64_t until)
{
    PipeQueue& queue = pipes[pipe];
    if (queue.forcing) {
        return queue.done >= until; // a circle of waits
    }
    queue.forcing = true;
    bool ok = true;
    while (ok && queue.done < until) {
        if (Runnable(pipe)) {
            StepOne(pipe);
            continue;
        }
        if (queue.Empty()) {
            ok = false;
            break;
        }
        const Op& op = queue.ops[queue.head];
        if (op.kind == Op::WAIT && !events[op.what][op.id].set) {
            ok = ForceFlag(op.what, op.id);
        } else if (op.kind == Op::SET) {
            ok = ForceConsumer(op.what, op.id);
        } else {
            ok = Force(op.needsPipe, op.needs);
        }
    }
    queue.forcing = false;
    return ok;
}

bool Core::ForceFlag(int event, int id)
{
    if (events[event][id].set) {
        return true;
    }
    PipeQueue& queue = pipes[EventFrom(event)];
    for (size_t i = queue.head; i < queue.ops.size(); ++i) {
        const Op& op = queue.ops[i];
        if (op.kind == Op::SET && op.what == event && op.id == id) {
            return Force(EventFrom(event), queue.done + (i - queue.head) + 1);
        }
    }
    return false;
}

bool Core::ForceConsumer(int event, int id)
{
    PipeQueue& queue = pipes[EventTo(event)];
    for (size_t i = queue.head; i < queue.ops.size(); ++i) {
        const Op& op = queue.ops[i];
        if (op.kind == Op::WAIT && op.what == event && op.id == id) {
            return Force(EventTo(event), queue.done + (i - queue.head) + 1);
        }
    }
    return false;
}

bool Core::RunEverything()
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int p = 1; p < PIPES; ++p) {
            while (Runnable(p)) {
                StepOne(p);
                moved = true;
            }
        }
    }
    for (int p = 1; p < PIPES; ++p) {
        if (!pipes[p].Empty()) {
            return false;
        }
    }
    return true;
}

void Core::Drain(At at)
{
    if (!RunEverything()) {
        int stuck = 0;
        for (int p = 1; p < PIPES; ++p) { // blame what was issued first
            if (!pipes[p].Empty() && (stuck == 0 || pipes[p].Head().issued < pipes[stuck].Head().issued)) {
                stuck = p;
            }
        }
        const Op& op = pipes[stuck].Head();
        Raise("sim.wait_never_set", stuck, op.name, op.line, 0,
            "pipe %s stands at %s<HardEvent::%s>(%d) and nothing this core has issued can let it go on", PIPE_NAMES[stuck],
            op.name, EVENT_NAMES[op.what], op.id);
    }
    timeline.Add(Step::DRAIN, PIPE_S, "PipeBarrier", at.line);
    Clock all;
    std::memcpy(all.seq, seq, sizeof(seq));
    for (int p = 0; p < PIPES; ++p) {
        known[p].Merge(all);
    }
}

void Core::ForceCrossSets()
{
    if (run.launch.schedule_policy != FIAGEN_SIM_LATE) {
        RunEverything();
        return;
    }
    for (int p = 1; p < PIPES; ++p) {
        PipeQueue& queue = pipes[p];
        for (size_t i = queue.ops.size(); queue.crossSets > 0 && i > queue.head; --i) {
            if (queue.ops[i - 1].kind == Op::CROSS_SET) {
                Force(p, queue.done + (i - queue.head));
                break;
            }
        }
    }
}

void Core::Block(Wait why)
{
    wait = why;
    LeaveStack(&fiber, fiber.bottom, fiber.bytes);
    swapcontext(&context, &run.main);
    EnterStack(fiber);
    if (run.aborting) {
        throw Unwind{};
    }
}

} // namespace sim
} // namespace AscendC
