// In:    a core whose kernel function has returned.
// Out:   faults for whatever is left over: flags, locks, cache lines, queue tensors.
// Never: an effect of an instruction that has not been issued.
#include "machine.h"

namespace AscendC {
namespace sim {

// The kernel function has returned: everything has to have run and nothing may be left over.
void Core::Finish()
{
    for (int e = 0; e < EVENTS; ++e) {
        for (int id = 0; id < 8; ++id) {
            const EventState& event = events[e][id];
            if (event.balance < 0) {
                Raise("sim.wait_never_set", EventTo(e), "WaitFlag", event.waitLine, 0,
                    "WaitFlag<HardEvent::%s>(%d) has no SetFlag: pipe %s would wait for ever", EVENT_NAMES[e], id,
                    PIPE_NAMES[EventTo(e)]);
            }
        }
    }
    Drain(At{0});
    for (int e = 0; e < EVENTS; ++e) {
        for (int id = 0; id < 8; ++id) {
            const EventState& event = events[e][id];
            if (event.set) {
                Raise("sim.flag_left_set", EventFrom(e), "SetFlag", event.line, 0,
                    "flag HardEvent::%s id %d is still set at the end of the kernel: its WaitFlag is missing", EVENT_NAMES[e],
                    id);
            }
        }
    }
    for (const MutexState& mutex : mutexes) {
        if (mutex.holder != PIPES) {
            Raise("sim.mutex_left_locked", mutex.holder, "Mutex::Lock", mutex.line, 0,
                "a mutex is still locked at the end of the kernel: its Unlock is missing");
        }
    }
    for (const CachedLine& line : cache) {
        if (line.dirty != 0) {
            Raise("sim.cache_not_cleaned", PIPE_S, "SetValue", line.dirtyLine, 0,
                "what SetValue changed still is in the core's cache when the kernel ends: DataCacheCleanAndInvalid is missing");
        }
    }
    for (const QueueBuffer& buffer : buffers) {
        if (buffer.state != QueueBuffer::IDLE) {
            Raise("sim.tensor_not_freed", PIPE_S, "AllocTensor", buffer.line, 0,
                "a queue tensor was never given back with FreeTensor");
        }
    }
}

} // namespace sim
} // namespace AscendC
