// In:    mutexes of 3510.
// Out:   queued locks that wait for who held the mutex before in the order of the program, or a fault.
// Never: a lock that two pipes hold.
#include "../include/fiagen_sim/arch3510/limits.h"
#include "../include/fiagen_sim/arch3510/runtime.h"
#include "machine.h"

namespace AscendC {
namespace sim {

static MutexState& MutexAt(Core& core, uint32_t id)
{
    core.CheckLimit(id, 0, limits::MUTEX_ID_MAX, "mutex id");
    return core.mutexes[id];
}

void MutexLock(pipe_t pipe, uint32_t id, At at)
{
    Core& core = Current();
    core.Begin(pipe, "Mutex::Lock", at);
    MutexState& mutex = MutexAt(core, id);
    if (mutex.holder != PIPES) {
        core.Raise("sim.mutex_locked_twice", pipe, "Mutex::Lock", at.line, mutex.line,
            "mutex %u is locked again before pipe %s has unlocked it", id, PIPE_NAMES[mutex.holder]);
    }
    mutex.holder = static_cast<uint8_t>(pipe);
    mutex.line = at.line;
    const bool waits = mutex.last != PIPES && mutex.last != pipe; // the same pipe does not wait for itself
    if (pipe == PIPE_S) {
        core.ScalarStep(at);
        if (waits && !core.Force(mutex.last, mutex.done)) {
            core.Raise("sim.wait_never_set", PIPE_S, "Mutex::Lock", at.line, 0,
                "the scalar unit waits for mutex %u, and nothing issued so far lets pipe %s unlock it", id, PIPE_NAMES[mutex.last]);
        }
        for (Clock& known : core.known) {
            if (waits) {
                known.Merge(mutex.clock);
            }
        }
        return;
    }
    if (waits) {
        core.known[pipe].Merge(mutex.clock);
    }
    core.IssueAfter(pipe, "Mutex::Lock", at, Cost(0), waits && mutex.last != PIPE_S ? mutex.last : PIPES, mutex.done, [](Core&) {});
}

void MutexUnlock(pipe_t pipe, uint32_t id, At at)
{
    Core& core = Current();
    core.Begin(pipe, "Mutex::Unlock", at);
    MutexState& mutex = MutexAt(core, id);
    if (mutex.holder != pipe) {
        core.Raise("sim.mutex_not_locked", pipe, "Mutex::Unlock", at.line, mutex.line,
            "mutex %u is unlocked by pipe %s, and %s%s", id, PIPE_NAMES[pipe],
            mutex.holder == PIPES ? "nobody has locked it" : "it is locked by pipe ",
            mutex.holder == PIPES ? "" : PIPE_NAMES[mutex.holder]);
    }
    mutex.holder = PIPES;
    mutex.last = static_cast<uint8_t>(pipe);
    mutex.line = at.line;
    mutex.clock = core.known[pipe];
    mutex.clock.seq[pipe] = core.seq[pipe];
    if (pipe == PIPE_S) {
        core.ScalarStep(at);
        return;
    }
    core.Push(pipe, Op::BARRIER, "Mutex::Unlock", at); // all that the pipe did before is over
    mutex.done = core.pipes[pipe].done + core.pipes[pipe].Pending();
    core.AfterIssue(pipe);
}

uint8_t MutexAlloc(At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, "AllocMutexID", at);
    for (uint32_t id = 0; id <= limits::MUTEX_ID_MAX; ++id) {
        if (!core.mutexes[id].reserved) {
            core.mutexes[id].reserved = true;
            return static_cast<uint8_t>(id);
        }
    }
    core.Raise("sim.mutex_ids_exhausted", PIPE_S, "AllocMutexID", at.line, 0, "all %llu mutexes are taken",
        static_cast<unsigned long long>(limits::MUTEX_ID_MAX + 1));
}

void MutexRelease(uint32_t id, At at)
{
    Core& core = Current();
    core.ScalarStep(at);
    core.Begin(PIPE_S, "ReleaseMutexID", at);
    MutexState& mutex = MutexAt(core, id);
    if (!mutex.reserved) {
        core.Raise("sim.mutex_not_taken", PIPE_S, "ReleaseMutexID", at.line, 0, "mutex %u was not given out by AllocMutexID", id);
    }
    mutex.reserved = false;
}

} // namespace sim
} // namespace AscendC
