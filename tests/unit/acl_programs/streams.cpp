// Streams are asynchronous, in order, and several at a time. The arguments are the paths of the meeting kernel under two names:
// a library serves one launch at a time.
#include <cstdio>
#include <cstring>

#include "fiagen_runtime.h"

#define EXPECT(condition)                                       \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            return 1;                                           \
        }                                                       \
    } while (false)

namespace {

char** paths = nullptr;

const char* Resolve(const char* name)
{
    return paths[name[0] - 'a' + 1];
}

bool Said(const char* part)
{
    const char* const text = aclGetRecentErrMsg();
    return text != nullptr && std::strstr(text, part) != nullptr;
}

}  // namespace

int main(int, char** argv)
{
    paths = argv;
    void* counter = nullptr;
    void* other = nullptr;
    aclrtStream first = nullptr;
    aclrtStream second = nullptr;
    aclrtEvent event = nullptr;
    EXPECT(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtMalloc(&counter, 8, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclrtMalloc(&other, 8, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMemset(counter, 8, 0, 8) == 0);
    EXPECT(aclrtCreateStream(&first) == 0 && aclrtCreateStream(&second) == 0 && aclrtCreateEvent(&event) == 0);
    const FiagenSimChip chip = {};
    fiagenSetChip(&chip);
    fiagenSetKernelResolver(Resolve);

    // The kernel waits for its other half, so everything below happens while it runs.
    EXPECT(fiagen::LaunchKernel("a", 1, {fiagen::DeviceArg(counter, 8), fiagen::DeviceArg(other, 8)}, first) == 0);
    EXPECT(aclrtMemsetAsync(counter, 8, 0x11, 8, first) == 0 && aclrtRecordEvent(event, first) == 0);
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    EXPECT(aclrtStreamQuery(first, &status) == 0 && status == ACL_STREAM_STATUS_NOT_READY);
    EXPECT(aclrtStreamQuery(second, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE);
    EXPECT(aclrtSynchronizeStreamWithTimeout(first, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT && Said("not done within 20 ms"));
    aclrtEventRecordedStatus reached = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    EXPECT(aclrtQueryEventStatus(event, &reached) == 0 && reached == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT(aclrtSynchronizeEventWithTimeout(event, 20) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    FiagenSimReport report = {};
    EXPECT(fiagenGetLastReport(&report) == ACL_ERROR_INVALID_PARAM && Said("the kernel runs"));
    EXPECT(aclrtFree(other) == ACL_ERROR_INVALID_PARAM && Said("a task of a stream still uses the memory"));

    EXPECT(fiagen::LaunchKernel("b", 1, {fiagen::DeviceArg(counter, 8)}, second) == 0);
    EXPECT(aclrtStreamWaitEvent(second, event) == 0);  // the fill of the first stream comes before the copy of the second
    uint32_t seen = 0;
    EXPECT(aclrtMemcpyAsync(&seen, 4, counter, 4, ACL_MEMCPY_DEVICE_TO_HOST, second) == 0);
    EXPECT(aclrtSynchronizeStream(second) == 0 && aclrtSynchronizeDevice() == 0);
    EXPECT(seen == 0x11111111);
    EXPECT(fiagenGetLastReport(&report) == 0 && report.microseconds == 5);

    // What nobody began is dropped by force, what waits is finished without.
    EXPECT(aclrtMemset(counter, 8, 0, 8) == 0);
    EXPECT(aclrtMemsetAsync(counter, 8, 2, 1, first) == 0 && aclrtDestroyStream(first) == 0);
    EXPECT(aclrtMemcpy(&seen, 4, counter, 4, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && seen == 2);
    EXPECT(aclrtDestroyStreamForce(second) == 0 && aclrtDestroyStream(second) == ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT(aclrtDestroyEvent(event) == 0 && aclrtFree(counter) == 0 && aclrtResetDevice(0) == 0);
    std::printf("in order\n");
    return 0;
}
