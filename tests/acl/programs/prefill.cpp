// Prefill, BNSD, grouped heads: the shortest way through the API. The argument is where the result goes.
#include "common.h"

int main(int, char** argv)
{
    const int32_t deviceId = 0;
    aclrtStream stream = nullptr;
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS);
    CHECK_RET(aclrtSetDevice(deviceId) == ACL_SUCCESS);
    CHECK_RET(aclrtCreateStream(&stream) == ACL_SUCCESS);
    CHECK_RET(std::strcmp(aclrtGetSocName(), "Ascend910B1") == 0);

    Attention call = Prefill();
    call.Create();
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    void* workspaceAddr = nullptr;
    if (workspaceSize > 0) {
        CHECK_RET(aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    }
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, stream) == ACL_SUCCESS);
    CHECK_RET(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
    const std::vector<uint16_t> host = call.ReadBack();
    WriteResult(argv[1], host.data(), host.size() * sizeof(uint16_t));

    call.Destroy();
    CHECK_RET(workspaceAddr == nullptr || aclrtFree(workspaceAddr) == ACL_SUCCESS);
    CHECK_RET(aclrtDestroyStream(stream) == ACL_SUCCESS);
    CHECK_RET(aclrtResetDevice(deviceId) == ACL_SUCCESS);
    CHECK_RET(aclFinalize() == ACL_SUCCESS);
    return 0;
}
