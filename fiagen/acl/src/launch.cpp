// The bridge from generated host code to a compiled kernel.
//
// In: a kernel name, a block count, global-memory arguments. Out: the run of that kernel on its stream, or its faults as error
// text of whoever synchronises the stream. Must never start a kernel on memory the runtime did not allocate.
#include <algorithm>
#include <cstring>

#include "runtime_state.h"

namespace fiagen {
namespace {

// One launch: everything its task needs, and its outcome for the thread that asked.
struct Launch {
    std::string kernel;
    uint32_t blockDim = 0;
    KernelEntry entry = nullptr;
    FiagenSimChip chip = {};
    uint64_t scheduleSeed = 0;
    uint32_t schedulePolicy = 0;
    uint64_t instructionBudget = 0;
    bool timeOnly = false;
    FiagenSimSpan* spans = nullptr;
    uint64_t spanCapacity = 0;
    std::vector<Place> places;  // of every argument; none for a null one. Keeps the memory alive.
    std::vector<uint64_t> bytes;
    std::vector<uint8_t> roles;

    std::mutex lock;
    bool finished = false;
    FiagenSimReport report = {};
};

thread_local std::shared_ptr<Launch> lastOfThread;

Status Prepare(const std::vector<KernelArg>& args, Launch& launch)
{
    for (size_t index = 0; index < args.size(); ++index) {
        const KernelArg& arg = args[index];
        const std::string subject = "kernel " + launch.kernel + ", argument " + std::to_string(index) + ": ";
        const std::string size = std::to_string(arg.bytes) + " bytes";
        Place place;
        if (arg.ptr == nullptr && arg.bytes != 0) {
            return SetRecentError(ERR_RUNTIME, subject + "null, but said to have " + size);
        }
        if (arg.bytes == 0) {
            // an empty tensor has no byte a kernel could touch
        } else if (arg.onHost) {
            place.block = Block::Make(arg.bytes);  // a copy: the caller's object may be gone when the kernel runs
            if (place.block == nullptr) {
                return SetRecentError(ERR_RUNTIME, subject + "no device memory for " + size + " of host data");
            }
            std::memcpy(place.Host(), arg.ptr, arg.bytes);
        } else {
            Runtime& runtime = Runtime::Get();
            const Guard guard(runtime.lock);
            place = runtime.memory.Find(arg.ptr, arg.bytes);
            if (!place) {
                return SetRecentError(ERR_RUNTIME, subject + "its " + size + " are not inside one device allocation");
            }
        }
        launch.places.push_back(std::move(place));
        launch.bytes.push_back(arg.bytes);
        launch.roles.push_back(arg.role);
    }
    return STATUS_OK;
}

void CopyText(char* destination, size_t capacity, const std::string& text)
{
    const size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(destination, text.data(), length);
    destination[length] = '\0';
}

// What a kernel wrote beside its arguments becomes a fault like those the simulator saw itself.
void AddOverruns(const Launch& launch, FiagenSimReport& report)
{
    for (size_t index = 0; index < launch.places.size(); ++index) {
        if (!launch.places[index]) {
            continue;
        }
        Block& block = *launch.places[index].block;
        Block::Sides broken;
        {
            const Guard guard(Runtime::Get().lock);  // another launch may look at the same guards
            broken = block.RepairGuards();
        }
        if (!broken.before && !broken.behind) {
            continue;
        }
        report.status = 1;
        if (report.num_faults >= FIAGEN_SIM_MAX_FAULTS) {
            continue;
        }
        FiagenSimFault& fault = report.faults[report.num_faults++];
        fault = FiagenSimFault{};
        fault.block = -1;
        CopyText(fault.id, sizeof fault.id, "sim.guard_overwritten");
        const std::string side = broken.before && broken.behind ? "before and behind" : broken.before ? "before" : "behind";
        CopyText(fault.message, sizeof fault.message,
                 "bytes " + side + " the allocation of " + std::to_string(block.bytes) + " bytes that holds argument " +
                     std::to_string(index) + " were overwritten");
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

// "" for a clean run.
std::string Judge(const std::string& kernel, const FiagenSimReport& report)
{
    if (report.status == 0) {
        return "";
    }
    const uint32_t shown = std::min<uint32_t>(report.num_faults, FIAGEN_SIM_MAX_FAULTS);
    std::string text = "kernel " + kernel + " faulted";
    for (uint32_t index = 0; index < shown; ++index) {
        text += "\n  " + FaultText(report.faults[index]);
    }
    return shown == 0 ? text + ": the simulator reported a failure without naming a fault" : text;
}

// The task of the stream.
void Run(Launch& launch, Stream& stream)
{
    std::vector<void*> pointers;
    for (const Place& place : launch.places) {
        pointers.push_back(place ? place.Host() : nullptr);
    }
    FiagenSimLaunch raw = {};
    raw.abi_version = FIAGEN_SIM_ABI_VERSION;
    raw.block_dim = launch.blockDim;
    raw.num_args = static_cast<uint32_t>(pointers.size());
    raw.args = pointers.data();
    raw.arg_bytes = launch.bytes.data();
    raw.arg_roles = launch.roles.data();
    raw.schedule_seed = launch.scheduleSeed;
    raw.schedule_policy = launch.schedulePolicy;
    raw.instruction_budget = launch.instructionBudget;
    raw.chip = &launch.chip;
    raw.time_only = launch.timeOnly ? 1 : 0;
    raw.spans = launch.spans;
    raw.span_capacity = launch.spanCapacity;
    FiagenSimReport report = {};
    if (launch.entry(&raw, &report) != 0) {
        report.status = 1;  // a launch that failed without a fault of its own must not pass
    }
    AddOverruns(launch, report);
    stream.simulated += report.microseconds;
    const std::string fault = Judge(launch.kernel, report);
    if (!fault.empty()) {
        stream.AddFault(fault);
    }
    launch.places.clear();
    const std::lock_guard<std::mutex> held(launch.lock);
    launch.report = report;
    launch.finished = true;
}

}  // namespace

Status LaunchKernel(const char* kernelName, uint32_t blockDim, const std::vector<KernelArg>& args, aclrtStream stream)
{
    lastOfThread.reset();
    if (kernelName == nullptr || kernelName[0] == '\0') {
        return SetRecentError(ERR_RUNTIME, "LaunchKernel: the kernel has no name");
    }
    auto launch = std::make_shared<Launch>();
    launch->kernel = kernelName;
    launch->blockDim = blockDim;
    const std::string subject = "kernel " + launch->kernel;
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<Stream> queue = StreamOf(stream, subject.c_str(), &error);
    if (queue == nullptr) {
        return ERR_RUNTIME;
    }
    if (blockDim == 0) {
        return SetRecentError(ERR_RUNTIME, subject + ": launched on 0 blocks");
    }
    const FiagenSimChip* const chip = ChosenChip();
    if (chip == nullptr) {
        return SetRecentError(ERR_RUNTIME, subject + ": no chip is chosen (fiagenSetChip)");
    }
    const Settings& settings = ThreadSettings();
    launch->chip = *chip;
    launch->scheduleSeed = settings.scheduleSeed;
    launch->schedulePolicy = settings.schedulePolicy;
    launch->instructionBudget = settings.instructionBudget;
    launch->timeOnly = settings.timeOnly;
    launch->spans = settings.spans;
    launch->spanCapacity = settings.spanCapacity;
    if (const Status status = LoadKernel(launch->kernel, &launch->entry); status != STATUS_OK) {
        return status;
    }
    if (const Status status = Prepare(args, *launch); status != STATUS_OK) {
        return status;
    }
    lastOfThread = launch;
    Stream* const own = queue.get();  // a stream outlives its tasks
    own->Enqueue([launch, own] { Run(*launch, *own); });
    return STATUS_OK;
}

}  // namespace fiagen

using fiagen::lastOfThread;

extern "C" {

aclError fiagenGetLastReport(FiagenSimReport* report)
{
    if (report == nullptr || lastOfThread == nullptr) {
        return fiagen::SetRecentError(ACL_ERROR_INVALID_PARAM, "fiagenGetLastReport: no kernel was launched");
    }
    const std::lock_guard<std::mutex> held(lastOfThread->lock);
    if (!lastOfThread->finished) {
        return fiagen::SetRecentError(ACL_ERROR_INVALID_PARAM, "fiagenGetLastReport: the kernel runs; synchronise its stream");
    }
    *report = lastOfThread->report;
    return ACL_SUCCESS;
}

const char* fiagenGetLastKernelName(void)
{
    return lastOfThread == nullptr ? "" : lastOfThread->kernel.c_str();
}

uint32_t fiagenGetLastBlockDim(void)
{
    return lastOfThread == nullptr ? 0 : lastOfThread->blockDim;
}

void fiagenForgetLaunch(void)
{
    lastOfThread.reset();
}
}
