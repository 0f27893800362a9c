// The state of the runtime: one object, behind one lock.
//
// In: calls of the ACL functions. Out: allocations, streams, options, last launch. Must never be reached except through Get().
#ifndef FIAGEN_ACL_RUNTIME_STATE_H
#define FIAGEN_ACL_RUNTIME_STATE_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fiagen_runtime.h"

namespace fiagen {

// Device addresses are opaque: only Find and HostAddress know that today they are addresses of host memory.
class DeviceMemory {
public:
    struct Allocation {
        uintptr_t address = 0;  // as the application sees it
        uint64_t bytes = 0;     // exactly what was asked for
        std::unique_ptr<uint8_t[]> storage;
        uint8_t* payload = nullptr;
    };

    struct Overrun {
        uintptr_t address = 0;
        uint64_t bytes = 0;
        bool before = false;
        bool behind = false;
    };

    void* Allocate(uint64_t bytes);  // null when the host has no memory left
    bool Free(void* pointer, bool* guardsIntact);  // false: not the start of a live allocation
    const Allocation* Find(const void* pointer) const;  // the allocation that holds this byte
    bool Holds(const void* pointer, uint64_t bytes) const;  // all of it inside one allocation
    bool Touches(const void* pointer, uint64_t bytes) const;  // any of it inside any allocation
    uint8_t* HostAddress(const void* pointer) const;  // of a byte inside a live allocation
    std::vector<Overrun> RepairGuards();  // every allocation with an overwritten guard; the guards are whole again
    uint64_t BytesInUse() const;
    void Clear();

private:
    std::map<uintptr_t, Allocation> allocations_;
};

struct Stream {
    int32_t device = 0;
    bool faulted = false;  // since the last synchronisation
};

struct LoadedKernel {
    void* library = nullptr;
    int (*launch)(const FiagenSimLaunch*, FiagenSimReport*) = nullptr;
};

struct LastLaunch {
    std::string kernel;
    uint32_t blockDim = 0;
    FiagenSimReport report = {};
};

class Runtime {
public:
    static Runtime& Get();

    std::recursive_mutex lock;
    bool initialized = false;
    int32_t currentDevice = -1;  // -1: none is set
    DeviceMemory memory;
    Stream defaultStream;
    std::map<Stream*, std::unique_ptr<Stream>> streams;
    std::set<aclOpExecutor*> executors;

    const char* (*resolver)(const char*) = nullptr;
    std::string resolverError;
    std::unordered_map<std::string, LoadedKernel> kernels;
    uint64_t scheduleSeed = 0;
    uint32_t schedulePolicy = 0;
    uint64_t instructionBudget = 0;
    bool timeOnly = false;
    FiagenSimSpan* spans = nullptr;
    uint64_t spanCapacity = 0;
    std::optional<FiagenSimChip> chip;
    std::optional<LastLaunch> last;

    Stream* FindStream(aclrtStream stream);  // null: not a stream of this runtime; the null handle is the default stream
};

}  // namespace fiagen

#endif
