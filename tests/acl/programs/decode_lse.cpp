// Decode, BSND, bfloat16, a length per batch, log-sum-exp out; copies and fills in the order of the stream.
#include "common.h"

int main(int, char** argv)
{
    CHECK_RET(aclnnInit(nullptr) == ACL_SUCCESS);
    CHECK_RET(aclrtSetDevice(0) == ACL_SUCCESS);
    aclrtStream stream = nullptr;
    CHECK_RET(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC) == ACL_SUCCESS);

    Attention call;
    call.layout = "BSND";
    call.type = ACL_BF16;
    call.queryShape = call.outShape = {3, 1, 8, 64};
    call.keyShape = {3, 150, 2, 64};
    call.lseShape = {3, 8, 1, 1};
    call.numHeads = 8;
    call.numKeyValueHeads = 2;
    call.keyLengths = {1, 150, 77};
    call.lse = true;
    call.Create();
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    void* workspaceAddr = nullptr;
    CHECK_RET(workspaceSize > 0 && aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK_RET(aclrtMemsetAsync(workspaceAddr, workspaceSize, 0xFF, workspaceSize, stream) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, stream) == ACL_SUCCESS);
    std::vector<uint16_t> host(static_cast<size_t>(GetShapeSize(call.outShape)));
    std::vector<float> lse(24);
    const size_t bytes = host.size() * sizeof(uint16_t);
    CHECK_RET(aclrtMemcpyAsync(host.data(), bytes, call.outAddr, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream) == ACL_SUCCESS);
    CHECK_RET(aclrtMemcpyAsync(lse.data(), 96, call.lseAddr, 96, ACL_MEMCPY_DEVICE_TO_HOST, stream) == ACL_SUCCESS);
    CHECK_RET(aclrtSynchronizeStreamWithTimeout(stream, 600000) == ACL_SUCCESS);
    WriteResult(argv[1], host.data(), bytes);
    WriteResult(argv[1], lse.data(), 96);

    call.Destroy();
    CHECK_RET(aclrtFree(workspaceAddr) == ACL_SUCCESS && aclrtDestroyStream(stream) == ACL_SUCCESS);
    CHECK_RET(aclrtResetDevice(0) == ACL_SUCCESS && aclnnFinalize() == ACL_SUCCESS);
    return 0;
}
