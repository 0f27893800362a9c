// Device, stream and memory calls of the ACL runtime.
//
// In: acl_base.h. Out: declarations with the published signatures. Every call returns ACL_SUCCESS or the code of the fault, and
// leaves its description for aclGetRecentErrMsg. Must never promise more than src/runtime.cpp does.
#ifndef FIAGEN_ACL_ACL_RT_H
#define FIAGEN_ACL_ACL_RT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which page size the device memory comes from. Without pages to choose from, the policy changes nothing.
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3
} aclrtMemcpyKind;

aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtResetDevice(int32_t deviceId);

aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtDestroyStream(aclrtStream stream);
// Reports (once) ACL_ERROR_RT_AICORE_EXCEPTION when a kernel launched on the stream faulted since the last synchronisation.
aclError aclrtSynchronizeStream(aclrtStream stream);

// Device memory. It starts with hostile bytes (0xCB), carries guards on both sides and is freed only by aclrtFree.
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
// ACL_ERROR_INVALID_PARAM also when a guard of the allocation was overwritten; the memory is freed all the same.
aclError aclrtFree(void* devPtr);
// A device side must lie inside one live allocation, a host side must not touch any.
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind);
aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);

#ifdef __cplusplus
}
#endif

#endif
