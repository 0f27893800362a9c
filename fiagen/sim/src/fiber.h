// In:    switches between the scheduler's stack and the stacks of the cores.
// Out:   the same, told to AddressSanitizer when the library is built with it.
// Never: anything in an ordinary build.
#ifndef FIAGEN_SIM_FIBER_H
#define FIAGEN_SIM_FIBER_H
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define FIAGEN_SIM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIAGEN_SIM_SANITIZED 1
#endif
#endif

#ifdef FIAGEN_SIM_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

namespace AscendC {
namespace sim {

// What the sanitizer keeps for a stack that is left for a while.
struct FiberMemory {
    void* fake = nullptr;
    const void* bottom = nullptr; // of the stack this one was entered from
    size_t bytes = 0;
};

#ifdef FIAGEN_SIM_SANITIZED
inline void LeaveStack(FiberMemory* kept, const void* bottom, size_t bytes)
{
    __sanitizer_start_switch_fiber(kept == nullptr ? nullptr : &kept->fake, bottom, bytes);
}
inline void EnterStack(FiberMemory& kept) { __sanitizer_finish_switch_fiber(kept.fake, &kept.bottom, &kept.bytes); }
#else
inline void LeaveStack(FiberMemory*, const void*, size_t) {}
inline void EnterStack(FiberMemory&) {}
#endif

} // namespace sim
} // namespace AscendC
#endif
