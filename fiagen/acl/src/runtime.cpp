// Life cycle, devices and contexts of the ACL runtime.
//
// In: the published ACL calls. Out: their effect on the Runtime object, and an error text for every refusal. Must never act on a
// handle it did not hand out.
#include <cstdio>

#include "runtime_state.h"

namespace fiagen {
namespace {

constexpr int32_t DEVICE_COUNT = 1;  // one simulated chip

thread_local std::weak_ptr<Context> currentContext;

aclError Initialize(const char* call)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (runtime.initialized) {
        return SetRecentError(ACL_ERROR_REPEAT_INITIALIZE, std::string(call) + ": the runtime is already initialized");
    }
    runtime.initialized = true;
    return ACL_SUCCESS;
}

std::string Counted(uint64_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// What was never freed or destroyed, or twice; "" when all is well. Needs the lock.
std::string Report(const Runtime& runtime)
{
    std::string text;
    const auto line = [&text](const std::string& what) { text += "\n  " + what; };
    if (runtime.memory.Count() + runtime.complaints.lostAllocations > 0) {
        line("never freed: " + Counted(runtime.memory.Count() + runtime.complaints.lostAllocations, "device allocation") + ", " +
             Counted(runtime.memory.BytesInUse() + runtime.complaints.lostBytes, "byte"));
    }
    if (!runtime.hostMemory.empty()) {
        line("never freed: " + Counted(runtime.hostMemory.size(), "host allocation"));
    }
    const auto alive = [&line](uint64_t count, const std::string& what) {
        if (count > 0) {
            line("never destroyed: " + Counted(count, what));
        }
    };
    alive(runtime.streams.size(), "stream");
    alive(runtime.events.size(), "event");
    alive(runtime.contexts.size(), "context");
    alive(runtime.executors.size(), "aclOpExecutor");
    for (const auto& [type, count] : objects::Alive()) {
        alive(count, type);
    }
    for (const auto& [call, count] : runtime.complaints.again) {
        line(call + ": " + Counted(count, "call") + " on what was no longer or never there");
    }
    return text;
}

// Everything of a device, taken out under the lock and ended outside of it: its streams still run tasks.
struct Remains {
    std::vector<std::shared_ptr<Stream>> streams;
    std::vector<std::shared_ptr<Context>> contexts;
};

Remains TakeDevice(Runtime& runtime, int32_t device)
{
    Remains taken;
    for (auto it = runtime.streams.begin(); it != runtime.streams.end();) {
        const bool mine = it->second->device == device;
        if (mine) {
            taken.streams.push_back(it->second);
        }
        it = mine ? runtime.streams.erase(it) : std::next(it);
    }
    for (auto it = runtime.contexts.begin(); it != runtime.contexts.end();) {
        const bool mine = it->second->device == device;
        if (mine) {
            taken.contexts.push_back(it->second);
        }
        it = mine ? runtime.contexts.erase(it) : std::next(it);
    }
    const auto own = runtime.defaultContexts.find(device);
    if (own != runtime.defaultContexts.end()) {
        taken.contexts.push_back(own->second);
        runtime.defaultContexts.erase(own);
    }
    runtime.deviceUses.erase(device);
    return taken;
}

void End(Remains& taken)
{
    for (const std::shared_ptr<Stream>& stream : taken.streams) {
        stream->Stop(false);
    }
    for (const std::shared_ptr<Context>& context : taken.contexts) {
        context->defaultStream->Stop(false);
    }
}

aclError Finalize(const char* call)
{
    Runtime& runtime = Runtime::Get();
    Remains taken;
    std::string report;
    {
        const Guard guard(runtime.lock);
        if (!runtime.initialized) {
            return SetRecentError(ACL_ERROR_UNINITIALIZE, std::string(call) + ": the runtime is not initialized");
        }
        runtime.initialized = false;
        report = Report(runtime);
        taken = TakeDevice(runtime, 0);
    }
    End(taken);
    const Guard guard(runtime.lock);
    runtime.memory.Clear();
    runtime.hostMemory.clear();
    runtime.events.clear();
    runtime.executors.clear();
    runtime.complaints = Complaints{};
    objects::Forget();
    if (!report.empty()) {
        std::fprintf(stderr, "fiagen: at %s%s\n", call, report.c_str());
    }
    return ACL_SUCCESS;
}

aclError Reset(const char* call, int32_t deviceId, bool force)
{
    Runtime& runtime = Runtime::Get();
    Remains taken;
    {
        const Guard guard(runtime.lock);
        const auto uses = runtime.deviceUses.find(deviceId);
        if (uses == runtime.deviceUses.end()) {
            return SetRecentError(ACL_ERROR_RT_INVALID_DEVICEID,
                                  std::string(call) + ": device " + std::to_string(deviceId) + " is not set");
        }
        if (--uses->second > 0 && !force) {
            return ACL_SUCCESS;
        }
        taken = TakeDevice(runtime, deviceId);
    }
    End(taken);
    const Guard guard(runtime.lock);
    runtime.complaints.lostAllocations += runtime.memory.Count();
    runtime.complaints.lostBytes += runtime.memory.BytesInUse();
    runtime.memory.Clear();
    return ACL_SUCCESS;
}

// A process that ends while streams work: the code they run is about to be unloaded.
struct AtExit {
    ~AtExit()
    {
        Runtime& runtime = Runtime::Get();
        Remains taken;
        {
            const Guard guard(runtime.lock);
            taken = TakeDevice(runtime, 0);
        }
        for (const std::shared_ptr<Stream>& stream : taken.streams) {
            stream->Stop(true);
        }
        for (const std::shared_ptr<Context>& context : taken.contexts) {
            context->defaultStream->Stop(true);
        }
    }
};

}  // namespace

Runtime& Runtime::Get()
{
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

std::shared_ptr<Context> Runtime::CurrentContext()
{
    const std::shared_ptr<Context> found = currentContext.lock();
    const auto own = found == nullptr ? defaultContexts.end() : defaultContexts.find(found->device);
    const bool alive = found != nullptr && (contexts.count(found.get()) != 0 || (own != defaultContexts.end() && own->second == found));
    return alive ? found : nullptr;
}

std::shared_ptr<Stream> Runtime::FindStream(aclrtStream stream)
{
    if (stream == nullptr) {
        const std::shared_ptr<Context> context = CurrentContext();
        return context == nullptr ? nullptr : context->defaultStream;
    }
    const auto found = streams.find(static_cast<Stream*>(stream));
    return found == streams.end() ? nullptr : found->second;
}

void Runtime::Complain(const std::string& call)
{
    ++complaints.again[call];
}

void SetCurrentContext(const std::shared_ptr<Context>& context)
{
    currentContext = context;
}

aclError RequireContext(Runtime& runtime, const char* call)
{
    if (runtime.CurrentContext() == nullptr) {
        return SetRecentError(ACL_ERROR_RT_CONTEXT_NULL,
                              std::string(call) + ": no device is set in this thread; call aclInit and aclrtSetDevice");
    }
    return ACL_SUCCESS;
}

}  // namespace fiagen

using fiagen::Guard;
using fiagen::Runtime;
using fiagen::SetRecentError;

extern "C" {

aclError aclInit(const char*)
{
    return fiagen::Initialize("aclInit");
}

aclError aclFinalize(void)
{
    return fiagen::Finalize("aclFinalize");
}

aclnnStatus aclnnInit(const char*)
{
    return fiagen::Initialize("aclnnInit");
}

aclnnStatus aclnnFinalize(void)
{
    return fiagen::Finalize("aclnnFinalize");
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion)
{
    if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion: a result pointer is null");
    }
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

const char* aclrtGetSocName(void)
{
    return fiagen::home::SocName();
}

aclError aclrtGetRunMode(aclrtRunMode* runMode)
{
    if (runMode == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: the result pointer is null");
    }
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count)
{
    if (count == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: the result pointer is null");
    }
    *count = fiagen::DEVICE_COUNT;
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    static const fiagen::AtExit atExit;
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (!runtime.initialized) {
        return SetRecentError(ACL_ERROR_UNINITIALIZE, "aclrtSetDevice: the runtime is not initialized; call aclInit first");
    }
    if (deviceId < 0 || deviceId >= fiagen::DEVICE_COUNT) {
        return SetRecentError(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtSetDevice: device " + std::to_string(deviceId) +
                                                                 " does not exist; the simulator is device 0");
    }
    std::shared_ptr<fiagen::Context>& context = runtime.defaultContexts[deviceId];
    if (context == nullptr) {
        context = std::make_shared<fiagen::Context>();
        context->device = deviceId;
        context->defaultStream = std::make_shared<fiagen::Stream>(deviceId);
    }
    ++runtime.deviceUses[deviceId];
    fiagen::SetCurrentContext(context);
    return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t* deviceId)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (deviceId == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: the result pointer is null");
    }
    if (const aclError error = fiagen::RequireContext(runtime, "aclrtGetDevice"); error != ACL_SUCCESS) {
        return error;
    }
    *deviceId = runtime.CurrentContext()->device;
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    return fiagen::Reset("aclrtResetDevice", deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    return fiagen::Reset("aclrtResetDeviceForce", deviceId, true);
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (context == nullptr || !runtime.initialized) {
        return context == nullptr ? SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: the result pointer is null")
                                  : SetRecentError(ACL_ERROR_UNINITIALIZE, "aclrtCreateContext: call aclInit first");
    }
    if (deviceId < 0 || deviceId >= fiagen::DEVICE_COUNT) {
        return SetRecentError(ACL_ERROR_RT_INVALID_DEVICEID,
                              "aclrtCreateContext: device " + std::to_string(deviceId) + " does not exist");
    }
    auto made = std::make_shared<fiagen::Context>();
    made->device = deviceId;
    made->defaultStream = std::make_shared<fiagen::Stream>(deviceId);
    runtime.contexts.emplace(made.get(), made);
    fiagen::SetCurrentContext(made);
    *context = made.get();
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
    Runtime& runtime = Runtime::Get();
    std::shared_ptr<fiagen::Context> dying;
    {
        const Guard guard(runtime.lock);
        const auto found = runtime.contexts.find(static_cast<fiagen::Context*>(context));
        if (found == runtime.contexts.end()) {
            runtime.Complain("aclrtDestroyContext");
            return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: not a context made by aclrtCreateContext");
        }
        dying = found->second;
        runtime.contexts.erase(found);
    }
    dying->defaultStream->Stop(false);
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    auto* const wanted = static_cast<fiagen::Context*>(context);
    const auto found = runtime.contexts.find(wanted);
    if (found != runtime.contexts.end()) {
        fiagen::SetCurrentContext(found->second);
        return ACL_SUCCESS;
    }
    for (const auto& [device, own] : runtime.defaultContexts) {
        if (own.get() == wanted) {
            fiagen::SetCurrentContext(own);
            return ACL_SUCCESS;
        }
    }
    return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: not a context that is alive");
}

aclError aclrtGetCurrentContext(aclrtContext* context)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (context == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: the result pointer is null");
    }
    if (const aclError error = fiagen::RequireContext(runtime, "aclrtGetCurrentContext"); error != ACL_SUCCESS) {
        return error;
    }
    *context = runtime.CurrentContext().get();
    return ACL_SUCCESS;
}
}
