// The state of the runtime: one object, behind one lock that nobody holds while a task runs.
//
// In: calls of the ACL functions. Out: allocations, contexts, streams, events, executors. Must never be reached except through
// Get(), and never be destroyed: a stream may still work when the process ends.
#ifndef FIAGEN_ACL_RUNTIME_STATE_H
#define FIAGEN_ACL_RUNTIME_STATE_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "device_memory.h"
#include "fiagen_runtime.h"
#include "stream.h"

namespace fiagen {

struct Context {
    int32_t device = 0;
    std::shared_ptr<Stream> defaultStream;
    std::set<Stream*> streams;
};

// What was never freed or destroyed, or once too often. Counts only; the texts are made at the end.
struct Complaints {
    std::map<std::string, uint64_t> again;  // "aclrtFree" -> calls on what was no longer or never there
    uint64_t lostAllocations = 0;           // gone with a device reset
    uint64_t lostBytes = 0;
};

class Runtime {
public:
    static Runtime& Get();

    std::mutex lock;
    bool initialized = false;
    std::map<int32_t, uint32_t> deviceUses;  // device -> aclrtSetDevice without its aclrtResetDevice
    std::map<int32_t, std::shared_ptr<Context>> defaultContexts;
    std::map<Context*, std::shared_ptr<Context>> contexts;
    std::map<Stream*, std::shared_ptr<Stream>> streams;
    std::map<Event*, std::shared_ptr<Event>> events;
    std::map<void*, std::unique_ptr<uint8_t[]>> hostMemory;
    std::map<aclOpExecutor*, std::shared_ptr<aclOpExecutor>> executors;
    DeviceMemory memory;
    Complaints complaints;

    std::shared_ptr<Context> CurrentContext();               // null: none in this thread. Needs the lock.
    std::shared_ptr<Stream> FindStream(aclrtStream stream);  // the null handle: the context's own; null: no stream. Needs the lock.
    void Complain(const std::string& call);                  // needs the lock
};

using Guard = std::lock_guard<std::mutex>;

void SetCurrentContext(const std::shared_ptr<Context>& context);  // of this thread; null: none
aclError RequireContext(Runtime& runtime, const char* call);      // ACL_SUCCESS, or the error with its text. Needs the lock.
std::shared_ptr<Stream> StreamOf(aclrtStream stream, const char* call, aclError* error);  // takes the lock

// What a thread chose for its launches; a thread that chose nothing has what the library was built for.
struct Settings {
    const char* (*resolver)(const char*) = nullptr;
    std::string resolverError;
    std::unordered_map<std::string, int (*)(const FiagenSimLaunch*, FiagenSimReport*)> kernels;
    uint64_t scheduleSeed = 0;
    uint32_t schedulePolicy = 0;
    uint64_t instructionBudget = 0;
    bool timeOnly = false;
    FiagenSimSpan* spans = nullptr;
    uint64_t spanCapacity = 0;
    std::string edition;  // "": the operator's default
    std::string authority = "document";
    std::unique_ptr<FiagenSimChip> chip;
};

Settings& ThreadSettings();
const FiagenSimChip* ChosenChip();  // the thread's, else the library's; null: none

using KernelEntry = int (*)(const FiagenSimLaunch*, FiagenSimReport*);
Status LoadKernel(const std::string& kernel, KernelEntry* entry);  // by the thread's resolver, else the library's folder

// The folder that `fiagen build --library` made, seen from the library that lies in it.
namespace home {
const FiagenSimChip* Chip();                                        // null: not in such a folder
const char* SocName();                                              // null: not in such a folder
std::string KernelPath(const std::string& kernel, std::string& why);  // "" with the reason in `why`
}  // namespace home

namespace trap {
void Arm(uintptr_t begin, uintptr_t end);  // from now on a host access there is told before the process dies
}  // namespace trap

std::vector<int64_t> RowMajor(const std::vector<int64_t>& shape);  // the strides without gaps

// Objects of the aclnn layer that are alive, so that a second destruction is told and not done.
namespace objects {
void Created(const void* object, const char* type);
bool Destroyed(const void* object, const char* call);  // false, with the error text, when it is not alive
std::map<std::string, uint64_t> Alive();               // type -> how many
void Retire(std::shared_ptr<const void> object);       // keeps the place of a dead object for a while
void Forget();                                         // what is alive was told; its destruction is still welcome
}  // namespace objects

}  // namespace fiagen

#endif
