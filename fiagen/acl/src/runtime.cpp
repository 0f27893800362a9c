// Life cycle, devices, streams and memory of the ACL runtime.
//
// In: the published ACL calls. Out: their effect on the Runtime object, and an error text for every refusal. Must never act on a
// handle or an address it did not hand out.
#include <cstring>

#include "runtime_state.h"

namespace fiagen {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

constexpr int32_t DEVICE_COUNT = 1;  // one simulated chip

aclError RequireDevice(const Runtime& runtime, const char* call)
{
    if (runtime.currentDevice < 0) {
        return SetRecentError(ACL_ERROR_RT_CONTEXT_NULL, std::string(call) + ": no device is set; call aclInit and aclrtSetDevice");
    }
    return ACL_SUCCESS;
}

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

void ForgetDevice(Runtime& runtime)
{
    runtime.currentDevice = -1;
    runtime.streams.clear();
    runtime.defaultStream = Stream{};
    runtime.memory.Clear();
}

aclError Finalize(const char* call)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (!runtime.initialized) {
        return SetRecentError(ACL_ERROR_UNINITIALIZE, std::string(call) + ": the runtime is not initialized");
    }
    ForgetDevice(runtime);
    runtime.initialized = false;
    return ACL_SUCCESS;
}

std::string Bytes(uint64_t count)
{
    return std::to_string(count) + " bytes";
}

}  // namespace

Runtime& Runtime::Get()
{
    static Runtime runtime;
    return runtime;
}

Stream* Runtime::FindStream(aclrtStream stream)
{
    if (stream == nullptr) {
        return &defaultStream;
    }
    const auto found = streams.find(static_cast<Stream*>(stream));
    return found == streams.end() ? nullptr : found->first;
}

}  // namespace fiagen

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

aclError aclrtSetDevice(int32_t deviceId)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (!runtime.initialized) {
        return SetRecentError(ACL_ERROR_UNINITIALIZE, "aclrtSetDevice: the runtime is not initialized; call aclInit first");
    }
    if (deviceId < 0 || deviceId >= fiagen::DEVICE_COUNT) {
        return SetRecentError(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtSetDevice: device " + std::to_string(deviceId) +
                                                                 " does not exist; the simulator is device 0");
    }
    runtime.currentDevice = deviceId;
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (deviceId < 0 || deviceId != runtime.currentDevice) {
        return SetRecentError(ACL_ERROR_RT_INVALID_DEVICEID,
                              "aclrtResetDevice: device " + std::to_string(deviceId) + " is not set");
    }
    fiagen::ForgetDevice(runtime);
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (stream == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: the result pointer is null");
    }
    if (const aclError error = fiagen::RequireDevice(runtime, "aclrtCreateStream"); error != ACL_SUCCESS) {
        return error;
    }
    auto made = std::make_unique<fiagen::Stream>();
    made->device = runtime.currentDevice;
    fiagen::Stream* const handle = made.get();
    runtime.streams.emplace(handle, std::move(made));
    *stream = handle;
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (stream == nullptr || runtime.streams.erase(static_cast<fiagen::Stream*>(stream)) == 0) {
        return SetRecentError(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtDestroyStream: not a stream of this device");
    }
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    fiagen::Stream* const known = runtime.FindStream(stream);
    if (known == nullptr) {
        return SetRecentError(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtSynchronizeStream: not a stream of this device");
    }
    if (known->faulted) {
        known->faulted = false;
        return SetRecentError(ACL_ERROR_RT_AICORE_EXCEPTION,
                              "aclrtSynchronizeStream: a kernel of this stream faulted since the last synchronisation");
    }
    return ACL_SUCCESS;
}

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (devPtr == nullptr || size == 0) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM,
                              devPtr == nullptr ? "aclrtMalloc: the result pointer is null" : "aclrtMalloc: the size is 0");
    }
    if (const aclError error = fiagen::RequireDevice(runtime, "aclrtMalloc"); error != ACL_SUCCESS) {
        return error;
    }
    void* const made = runtime.memory.Allocate(size);
    if (made == nullptr) {
        return SetRecentError(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMalloc: no memory for " + fiagen::Bytes(size));
    }
    *devPtr = made;
    return ACL_SUCCESS;
}

aclError aclrtFree(void* devPtr)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    bool intact = true;
    if (devPtr == nullptr || !runtime.memory.Free(devPtr, &intact)) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtFree: not the start of a live allocation");
    }
    if (!intact) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtFree: bytes beside the allocation were overwritten");
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    const fiagen::DeviceMemory& memory = runtime.memory;
    const auto refuse = [](const std::string& why) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: " + why);
    };
    if (dst == nullptr || src == nullptr) {
        return refuse(dst == nullptr ? "the destination is null" : "the source is null");
    }
    if (count > destMax) {
        return refuse(fiagen::Bytes(count) + " do not fit into the destination's " + fiagen::Bytes(destMax));
    }
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEVICE_TO_DEVICE) {
        return refuse("unknown kind " + std::to_string(static_cast<int>(kind)));
    }
    const bool toDevice = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool fromDevice = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    if (toDevice ? !memory.Holds(dst, destMax) : memory.Touches(dst, destMax)) {
        return refuse(toDevice ? "the destination's " + fiagen::Bytes(destMax) + " are not inside one device allocation"
                               : "the destination of a copy to the host is device memory");
    }
    if (fromDevice ? !memory.Holds(src, count) : memory.Touches(src, count)) {
        return refuse(fromDevice ? "the source's " + fiagen::Bytes(count) + " are not inside one device allocation"
                                 : "the source of a copy from the host is device memory");
    }
    std::memmove(toDevice ? memory.HostAddress(dst) : dst, fromDevice ? memory.HostAddress(src) : src, count);
    return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (devPtr == nullptr || count > maxCount || !runtime.memory.Holds(devPtr, maxCount)) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtMemset: " + fiagen::Bytes(count) + " of " +
                                                           fiagen::Bytes(maxCount) + " are not inside one device allocation");
    }
    std::memset(runtime.memory.HostAddress(devPtr), value, count);
    return ACL_SUCCESS;
}

uint64_t fiagenDeviceBytesInUse(void)
{
    Runtime& runtime = Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    return runtime.memory.BytesInUse();
}
}
