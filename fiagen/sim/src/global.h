// In:    the arguments of a launch.
// Out:   what is known of every 32-byte block of global memory: who touched it last, what is written, what a cache holds.
// Never: the bytes themselves; they stay where the launcher has them.
#ifndef FIAGEN_SIM_GLOBAL_H
#define FIAGEN_SIM_GLOBAL_H
#include "../include/fiagen_sim_abi.h"
#include <unordered_map>
#include <vector>

namespace AscendC {
namespace sim {

// One access to a 32-byte block of global memory; mask has a bit for every byte and is 0 in an empty place.
struct GlobalAccess {
    uint32_t seq;
    uint32_t mask;
    uint32_t line : 24, pipe : 4, write : 1, adds : 1, exact : 1, more : 1;
    uint16_t core;
};
struct GlobalCell {
    GlobalAccess entries[4]; // entries[0].more: the rest is in GlobalMemory::more
};
struct GlobalArg {
    uint8_t* base = nullptr;
    uint64_t bytes = 0;
    uint8_t role = 0;
    GlobalCell* cells = nullptr;
    uint8_t* written = nullptr; // as in Memory; null: holds data
};
struct CachedLine { // 64 bytes of an argument in a core's scalar cache
    uint32_t arg;
    uint64_t line;
    uint64_t dirty;     // a bit for every byte
    int32_t dirtyLine;  // source line of the last SetValue
    alignas(8) uint8_t loaded[64], bytes[64];
};
class GlobalMemory {
public:
    GlobalMemory(const FiagenSimLaunch& launch, bool checks);
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;
    std::vector<GlobalArg> args;
    std::unordered_map<const GlobalCell*, std::vector<GlobalAccess>> more;
    uint32_t dirtyLines = 0; // in all caches together
};

} // namespace sim
} // namespace AscendC
#endif
