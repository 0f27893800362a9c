// Packed tokens (TND), causal from the right, on the context's own stream.
#include "common.h"

int main(int, char** argv)
{
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS);
    Attention call;
    call.layout = "TND";
    call.type = ACL_BF16;
    call.queryShape = call.outShape = {30, 2, 128};
    call.keyShape = {90, 1, 128};
    call.numHeads = 2;
    call.queryLengths = {10, 11, 30};
    call.keyLengths = {40, 60, 90};
    call.sparseMode = 3;
    call.maskShape = {2048, 2048};
    call.maskData.resize(2048 * 2048);
    for (size_t row = 0; row < 2048; ++row) {
        for (size_t column = row + 1; column < 2048; ++column) {
            call.maskData[row * 2048 + column] = 1;
        }
    }
    call.Create();
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    void* workspaceAddr = nullptr;
    CHECK_RET(aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, nullptr) == ACL_SUCCESS);
    CHECK_RET(aclrtSynchronizeDevice() == ACL_SUCCESS);
    const std::vector<uint16_t> host = call.ReadBack();
    WriteResult(argv[1], host.data(), host.size() * sizeof(uint16_t));
    call.Destroy();
    CHECK_RET(aclrtFree(workspaceAddr) == ACL_SUCCESS && aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS);
    return 0;
}
