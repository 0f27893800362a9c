// Memory as the application sees it: allocations, copies, fills.
//
// In: the published calls. Out: their effect, at once or in the order of a stream. Must never copy while it holds the runtime's
// lock, nor use an address it did not hand out as one of the device.
#include <cstring>
#include <new>

#include "runtime_state.h"

namespace fiagen {
namespace {

std::string Bytes(uint64_t count)
{
    return std::to_string(count) + " bytes";
}

aclError Allocate(void** devPtr, size_t size, const char* call)
{
    const std::string name = call;
    if (devPtr == nullptr || size == 0) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM,
                              name + (devPtr == nullptr ? ": the result pointer is null" : ": the size is 0"));
    }
    Runtime& runtime = Runtime::Get();
    {
        const Guard guard(runtime.lock);
        if (const aclError error = RequireContext(runtime, call); error != ACL_SUCCESS) {
            return error;
        }
    }
    const std::shared_ptr<Block> block = Block::Make(size);
    const Guard guard(runtime.lock);
    if (block == nullptr || !runtime.memory.Insert(block)) {
        return SetRecentError(ACL_ERROR_RT_MEMORY_ALLOCATION, name + ": no memory for " + Bytes(size));
    }
    *devPtr = reinterpret_cast<void*>(block->address);
    return ACL_SUCCESS;
}

// Both ends of a copy, ready for use; a device end keeps its allocation alive.
struct Ends {
    Place to;
    Place from;
    void* hostTo = nullptr;
    const void* hostFrom = nullptr;

    void Copy(size_t count) const { std::memmove(to ? to.Host() : hostTo, from ? from.Host() : hostFrom, count); }
};

aclError FindEnds(const char* call, void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, Ends* ends)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    const DeviceMemory& memory = runtime.memory;
    const auto refuse = [call](const std::string& why) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": " + why);
    };
    if (dst == nullptr || src == nullptr) {
        return refuse(dst == nullptr ? "the destination is null" : "the source is null");
    }
    if (count > destMax) {
        return refuse(Bytes(count) + " do not fit into the destination's " + Bytes(destMax));
    }
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEFAULT) {
        return refuse("unknown kind " + std::to_string(static_cast<int>(kind)));
    }
    const bool told = kind != ACL_MEMCPY_DEFAULT;
    const bool toDevice =
        told ? kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE : memory.Touches(dst, destMax);
    const bool fromDevice =
        told ? kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE : memory.Touches(src, count);
    if (toDevice) {
        ends->to = memory.Find(dst, destMax);
    }
    if (toDevice ? !ends->to : memory.Touches(dst, destMax)) {
        return refuse(toDevice ? "the destination's " + Bytes(destMax) + " are not inside one device allocation"
                               : "the destination of a copy to the host is device memory");
    }
    if (fromDevice) {
        ends->from = memory.Find(src, count);
    }
    if (fromDevice ? !ends->from : memory.Touches(src, count)) {
        return refuse(fromDevice ? "the source's " + Bytes(count) + " are not inside one device allocation"
                                 : "the source of a copy from the host is device memory");
    }
    ends->hostTo = dst;
    ends->hostFrom = src;
    return ACL_SUCCESS;
}

aclError FindFill(const char* call, void* devPtr, size_t maxCount, size_t count, Place* place)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    *place = devPtr == nullptr || count > maxCount ? Place{} : runtime.memory.Find(devPtr, maxCount);
    if (!*place) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": " + Bytes(count) + " of " + Bytes(maxCount) +
                                                           " are not inside one device allocation");
    }
    return ACL_SUCCESS;
}

}  // namespace
}  // namespace fiagen

using fiagen::Guard;
using fiagen::Runtime;
using fiagen::SetRecentError;

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    return fiagen::Allocate(devPtr, size, "aclrtMalloc");
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    return fiagen::Allocate(devPtr, size, "aclrtMallocAlign32");
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    return fiagen::Allocate(devPtr, size, "aclrtMallocCached");
}

aclError aclrtFree(void* devPtr)
{
    Runtime& runtime = Runtime::Get();
    std::shared_ptr<fiagen::Block> dying;
    {
        const Guard guard(runtime.lock);
        dying = runtime.memory.Remove(devPtr);
        if (dying == nullptr) {
            runtime.Complain("aclrtFree");
            return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtFree: not the start of a live allocation");
        }
    }
    if (dying.use_count() > 1) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM,
                              "aclrtFree: a task of a stream still uses the memory; synchronise the stream first");
    }
    const fiagen::Block::Sides broken = dying->RepairGuards();
    if (broken.before || broken.behind) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtFree: bytes beside the allocation were overwritten");
    }
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (hostPtr == nullptr || size == 0) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: the result pointer is null or the size is 0");
    }
    if (const aclError error = fiagen::RequireContext(runtime, "aclrtMallocHost"); error != ACL_SUCCESS) {
        return error;
    }
    std::unique_ptr<uint8_t[]> made(new (std::nothrow) uint8_t[size]);
    if (made == nullptr) {
        return SetRecentError(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost: no memory for " + fiagen::Bytes(size));
    }
    *hostPtr = made.get();
    runtime.hostMemory.emplace(made.get(), std::move(made));
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (runtime.hostMemory.erase(hostPtr) == 0) {
        runtime.Complain("aclrtFreeHost");
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost: not the start of a live allocation");
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind)
{
    fiagen::Ends ends;
    const aclError error = fiagen::FindEnds("aclrtMemcpy", dst, destMax, src, count, kind, &ends);
    if (error == ACL_SUCCESS) {
        ends.Copy(count);
    }
    return error;
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
    fiagen::Ends ends;
    aclError error = fiagen::FindEnds("aclrtMemcpyAsync", dst, destMax, src, count, kind, &ends);
    if (error != ACL_SUCCESS) {
        return error;
    }
    const std::shared_ptr<fiagen::Stream> own = fiagen::StreamOf(stream, "aclrtMemcpyAsync", &error);
    if (own != nullptr) {
        own->Enqueue([ends = std::move(ends), count] { ends.Copy(count); });
    }
    return error;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count)
{
    fiagen::Place place;
    const aclError error = fiagen::FindFill("aclrtMemset", devPtr, maxCount, count, &place);
    if (error == ACL_SUCCESS) {
        std::memset(place.Host(), value, count);
    }
    return error;
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    fiagen::Place place;
    aclError error = fiagen::FindFill("aclrtMemsetAsync", devPtr, maxCount, count, &place);
    if (error != ACL_SUCCESS) {
        return error;
    }
    const std::shared_ptr<fiagen::Stream> own = fiagen::StreamOf(stream, "aclrtMemsetAsync", &error);
    if (own != nullptr) {
        own->Enqueue([place = std::move(place), value, count] { std::memset(place.Host(), value, count); });
    }
    return error;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (free == nullptr || total == nullptr || attr < ACL_DDR_MEM || attr > ACL_HBM_MEM) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: a result pointer is null or the memory unknown");
    }
    if (const aclError error = fiagen::RequireContext(runtime, "aclrtGetMemInfo"); error != ACL_SUCCESS) {
        return error;
    }
    *total = attr == ACL_HBM_MEM ? runtime.memory.Capacity() : 0;
    *free = attr == ACL_HBM_MEM ? *total - runtime.memory.BytesInUse() : 0;
    return ACL_SUCCESS;
}

uint64_t fiagenDeviceBytesInUse(void)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    return runtime.memory.BytesInUse();
}
}
