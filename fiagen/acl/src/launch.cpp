// The bridge from generated host code to a compiled kernel.
//
// In: a kernel name, a block count, global-memory arguments. Out: the finished run of that kernel, or its faults as error text.
// Must never start a kernel on memory the runtime did not allocate.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "runtime_state.h"

namespace fiagen {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

// Host arguments copied to device memory for the time of one launch.
class StagedArgs {
public:
    explicit StagedArgs(DeviceMemory& memory) : memory_(memory) {}
    StagedArgs(const StagedArgs&) = delete;
    StagedArgs& operator=(const StagedArgs&) = delete;

    ~StagedArgs()
    {
        for (void* const pointer : staged_) {
            bool intact = true;
            memory_.Free(pointer, &intact);
        }
    }

    void* Stage(const KernelArg& arg)
    {
        void* const copy = memory_.Allocate(arg.bytes);
        if (copy != nullptr) {
            staged_.push_back(copy);
            std::memcpy(memory_.HostAddress(copy), arg.ptr, arg.bytes);
        }
        return copy;
    }

private:
    DeviceMemory& memory_;
    std::vector<void*> staged_;
};

struct PreparedArgs {
    std::vector<void*> pointers;
    std::vector<uint64_t> bytes;
    std::vector<uint8_t> roles;
};

Status Prepare(const std::string& kernel, const std::vector<KernelArg>& args, DeviceMemory& memory, StagedArgs& staged,
               PreparedArgs& prepared)
{
    for (size_t index = 0; index < args.size(); ++index) {
        const KernelArg& arg = args[index];
        const std::string subject = "kernel " + kernel + ", argument " + std::to_string(index) + ": ";
        const std::string size = std::to_string(arg.bytes) + " bytes";
        if (arg.ptr == nullptr) {
            if (arg.bytes != 0) {
                return SetRecentError(ERR_RUNTIME, subject + "null, but said to have " + size);
            }
            prepared.pointers.push_back(nullptr);
        } else if (arg.bytes == 0) {
            prepared.pointers.push_back(nullptr);  // an empty tensor has no byte a kernel could touch
        } else if (arg.onHost) {
            void* const copy = staged.Stage(arg);
            if (copy == nullptr) {
                return SetRecentError(ERR_RUNTIME, subject + "no device memory for " + size + " of host data");
            }
            prepared.pointers.push_back(memory.HostAddress(copy));
        } else {
            if (!memory.Holds(arg.ptr, arg.bytes)) {
                return SetRecentError(ERR_RUNTIME, subject + "its " + size + " are not inside one device allocation");
            }
            prepared.pointers.push_back(memory.HostAddress(arg.ptr));
        }
        prepared.bytes.push_back(arg.bytes);
        prepared.roles.push_back(arg.role);
    }
    return STATUS_OK;
}

Status Load(Runtime& runtime, const std::string& kernel, LoadedKernel* result)
{
    const auto known = runtime.kernels.find(kernel);
    if (known != runtime.kernels.end()) {
        *result = known->second;
        return STATUS_OK;
    }
    if (runtime.resolver == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": no kernel resolver is set (fiagenSetKernelResolver)");
    }
    runtime.resolverError.clear();
    const char* const path = runtime.resolver(kernel.c_str());
    if (path == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": " +
                                               (runtime.resolverError.empty() ? "the resolver knows no such kernel"
                                                                              : runtime.resolverError));
    }
    LoadedKernel loaded;
    loaded.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loaded.library == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + " cannot be loaded: " + std::string(dlerror()));
    }
    void* const symbol = dlsym(loaded.library, "fiagen_sim_launch");
    if (symbol == nullptr) {
        dlclose(loaded.library);
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": " + path + " has no fiagen_sim_launch");
    }
    std::memcpy(&loaded.launch, &symbol, sizeof symbol);
    runtime.kernels.emplace(kernel, loaded);
    *result = loaded;
    return STATUS_OK;
}

void CopyText(char* destination, size_t capacity, const std::string& text)
{
    const size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(destination, text.data(), length);
    destination[length] = '\0';
}

// What a kernel wrote beside its arguments becomes a fault like those the simulator saw itself.
void AddOverruns(const std::vector<DeviceMemory::Overrun>& overruns, const PreparedArgs& prepared, FiagenSimReport& report)
{
    for (const DeviceMemory::Overrun& overrun : overruns) {
        std::string owner = "no argument of this kernel";
        for (size_t index = 0; index < prepared.pointers.size(); ++index) {
            const uintptr_t start = reinterpret_cast<uintptr_t>(prepared.pointers[index]);
            if (prepared.pointers[index] != nullptr && start - overrun.address < overrun.bytes) {
                owner = "argument " + std::to_string(index);
                break;
            }
        }
        report.status = 1;
        if (report.num_faults >= FIAGEN_SIM_MAX_FAULTS) {
            continue;
        }
        FiagenSimFault& fault = report.faults[report.num_faults++];
        fault = FiagenSimFault{};
        fault.block = -1;
        CopyText(fault.id, sizeof fault.id, "sim.guard_overwritten");
        const std::string side = overrun.before && overrun.behind ? "before and behind" : overrun.before ? "before" : "behind";
        CopyText(fault.message, sizeof fault.message,
                 "bytes " + side + " the allocation of " + std::to_string(overrun.bytes) + " bytes that holds " + owner +
                     " were overwritten");
    }
}

std::string FaultText(const FiagenSimFault& fault)
{
    std::string text = fault.id;
    if (fault.block >= 0) {
        const std::string core = fault.sub_core == 0 ? "AIC" : "AIV" + std::to_string(fault.sub_core - 1);
        text += ", block " + std::to_string(fault.block) + " " + core;
    }
    if (fault.pipe[0] != '\0') {
        text += std::string(", pipe ") + fault.pipe;
    }
    if (fault.instruction[0] != '\0') {
        text += std::string(", ") + fault.instruction;
    }
    if (fault.line > 0) {
        text += ", line " + std::to_string(fault.line);
    }
    if (fault.other_line > 0) {
        text += " against line " + std::to_string(fault.other_line);
    }
    return text + ": " + fault.message;
}

Status Judge(const std::string& kernel, const FiagenSimReport& report)
{
    if (report.status == 0) {
        return STATUS_OK;
    }
    const uint32_t shown = std::min<uint32_t>(report.num_faults, FIAGEN_SIM_MAX_FAULTS);
    std::string text = "kernel " + kernel + " faulted";
    for (uint32_t index = 0; index < shown; ++index) {
        text += "\n  " + FaultText(report.faults[index]);
    }
    if (shown == 0) {
        text += ": the simulator reported a failure without naming a fault";
    }
    return SetRecentError(ERR_RUNTIME, text);
}

}  // namespace

uint32_t CubeCores()
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    return runtime.chip.has_value() ? runtime.chip->aic_count : 0;
}

Status LaunchKernel(const char* kernelName, uint32_t blockDim, const std::vector<KernelArg>& args, aclrtStream stream)
{
    if (kernelName == nullptr || kernelName[0] == '\0') {
        return SetRecentError(ERR_RUNTIME, "LaunchKernel: the kernel has no name");
    }
    const std::string kernel = kernelName;
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    runtime.last.reset();
    Stream* const queue = runtime.FindStream(stream);
    if (queue == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": not a stream of this device");
    }
    if (blockDim == 0) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": launched on 0 blocks");
    }
    if (!runtime.chip.has_value()) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": no chip is chosen (fiagenSetChip)");
    }
    LoadedKernel loaded;
    if (const Status status = Load(runtime, kernel, &loaded); status != STATUS_OK) {
        return status;
    }
    StagedArgs staged(runtime.memory);
    PreparedArgs prepared;
    if (const Status status = Prepare(kernel, args, runtime.memory, staged, prepared); status != STATUS_OK) {
        return status;
    }

    FiagenSimLaunch launch = {};
    launch.abi_version = FIAGEN_SIM_ABI_VERSION;
    launch.block_dim = blockDim;
    launch.num_args = static_cast<uint32_t>(prepared.pointers.size());
    launch.args = prepared.pointers.data();
    launch.arg_bytes = prepared.bytes.data();
    launch.arg_roles = prepared.roles.data();
    launch.schedule_seed = runtime.scheduleSeed;
    launch.schedule_policy = runtime.schedulePolicy;
    launch.instruction_budget = runtime.instructionBudget;
    launch.time_only = runtime.timeOnly ? 1 : 0;
    launch.spans = runtime.spans;
    launch.span_capacity = runtime.spanCapacity;
    launch.chip = &*runtime.chip;
    runtime.last = LastLaunch{kernel, blockDim, {}};
    FiagenSimReport& report = runtime.last->report;
    const int returned = loaded.launch(&launch, &report);
    if (returned != 0) {
        report.status = 1;  // a launch that failed without a fault of its own must not pass
    }
    AddOverruns(runtime.memory.RepairGuards(), prepared, report);
    const Status status = Judge(kernel, report);
    queue->faulted = queue->faulted || status != STATUS_OK;
    return status;
}

}  // namespace fiagen

using fiagen::Runtime;

extern "C" {

void fiagenSetKernelResolver(const char* (*resolver)(const char* kernelName))
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.resolver = resolver;
    runtime.kernels.clear();  // the libraries stay loaded: a run may have left things of theirs behind in this process
}

void fiagenSetResolverError(const char* text)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.resolverError = text == nullptr ? "" : text;
}

void fiagenSetSimOptions(uint64_t scheduleSeed, uint32_t schedulePolicy, uint64_t instructionBudget)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.scheduleSeed = scheduleSeed;
    runtime.schedulePolicy = schedulePolicy;
    runtime.instructionBudget = instructionBudget;
}

void fiagenSetSimTiming(uint32_t timeOnly, FiagenSimSpan* spans, uint64_t spanCapacity)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.timeOnly = timeOnly != 0;
    runtime.spans = spans;
    runtime.spanCapacity = spans == nullptr ? 0 : spanCapacity;
}

void fiagenSetChip(const FiagenSimChip* chip)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.chip.reset();
    if (chip != nullptr) {
        runtime.chip = *chip;
    }
}

aclError fiagenGetLastReport(FiagenSimReport* report)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (report == nullptr || !runtime.last.has_value()) {
        return fiagen::SetRecentError(ACL_ERROR_INVALID_PARAM, "fiagenGetLastReport: no kernel was launched");
    }
    *report = runtime.last->report;
    return ACL_SUCCESS;
}

const char* fiagenGetLastKernelName(void)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    return runtime.last.has_value() ? runtime.last->kernel.c_str() : "";
}

uint32_t fiagenGetLastBlockDim(void)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    return runtime.last.has_value() ? runtime.last->blockDim : 0;
}

void fiagenForgetLaunch(void)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    runtime.last.reset();
}
}
