// What goes wrong in programs; the argument chooses. Only public calls.
#include "common.h"

int main(int, char** argv)
{
    const std::string what = argv[1];
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS);
    void* device = nullptr;
    CHECK_RET(aclrtMalloc(&device, 1000, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    if (what == "read") {
        std::printf("%d\n", static_cast<int>(*static_cast<volatile char*>(device)));
    } else if (what == "write") {
        static_cast<volatile char*>(device)[999] = 1;
    } else if (what == "leak") {
        const int64_t shape[] = {2};
        aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, device);
        aclCreateIntArray(shape, 1);
        aclCreateIntArray(shape, 1);
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        void* host = nullptr;
        CHECK_RET(aclrtCreateStream(&stream) == ACL_SUCCESS && aclrtCreateEvent(&event) == ACL_SUCCESS);
        CHECK_RET(aclrtMallocHost(&host, 5) == ACL_SUCCESS);
        Attention call = Prefill();
        call.Create();
        uint64_t workspaceSize = 0;
        aclOpExecutor* executor = nullptr;
        CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
        call.Destroy();
    } else if (what == "twice") {
        const int64_t shape[] = {2};
        aclIntArray* const array = aclCreateIntArray(shape, 1);
        CHECK_RET(aclDestroyIntArray(array) == ACL_SUCCESS && aclDestroyIntArray(array) == 161002);
        CHECK_RET(aclrtFree(device) == ACL_SUCCESS && aclrtFree(device) == ACL_ERROR_INVALID_PARAM);
        CHECK_RET(aclrtFree(device) == ACL_ERROR_INVALID_PARAM);
    } else {
        CHECK_RET(aclrtFree(device) == ACL_SUCCESS);
    }
    CHECK_RET(aclFinalize() == ACL_SUCCESS);
    return 0;
}
