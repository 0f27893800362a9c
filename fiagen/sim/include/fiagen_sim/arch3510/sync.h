// In:    mutexes of 3510 as a kernel writes them.
// Out:   calls of the runtime.
// Never: a lock that orders nothing.
#ifndef FIAGEN_SIM_ARCH3510_SYNC_H
#define FIAGEN_SIM_ARCH3510_SYNC_H
#include "../sync.h"
#include "runtime.h"

namespace AscendC {

// A lock that pipes hand on in the order of the program: Lock waits until whoever held it before has unlocked it.
class Mutex {
public:
    template <pipe_t pipe> static void Lock(MutexID id, sim::At at = sim::At::Here())
    {
        static_assert(pipe != PIPE_ALL, "fiagen sim: Mutex::Lock names one pipe");
        sim::MutexLock(pipe, id, at);
    }
    template <pipe_t pipe> static void Unlock(MutexID id, sim::At at = sim::At::Here())
    {
        static_assert(pipe != PIPE_ALL, "fiagen sim: Mutex::Unlock names one pipe");
        sim::MutexUnlock(pipe, id, at);
    }
};
inline MutexID AllocMutexID(sim::At at = sim::At::Here()) { return sim::MutexAlloc(at); }
inline void ReleaseMutexID(MutexID id, sim::At at = sim::At::Here()) { sim::MutexRelease(id, at); }

} // namespace AscendC
#endif
