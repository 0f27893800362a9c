// Eight threads, so many calls each (the second argument), on streams of their own and on four shared ones; every result is that
// of a lone call.
#include <thread>

#include "common.h"

namespace {

void Work(const std::vector<uint16_t>* expected, aclrtStream shared, int rounds)
{
    CHECK_RET(aclrtSetDevice(0) == ACL_SUCCESS);
    aclrtStream own = nullptr;
    CHECK_RET(aclrtCreateStream(&own) == ACL_SUCCESS);
    for (int round = 0; round < rounds; ++round) {
        Attention call = Prefill();
        call.Create();
        const aclrtStream stream = round % 2 == 0 ? own : shared;
        uint64_t workspaceSize = 0;
        aclOpExecutor* executor = nullptr;
        CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
        void* workspaceAddr = nullptr;
        CHECK_RET(aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
        CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, stream) == ACL_SUCCESS);
        CHECK_RET(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
        CHECK_RET(call.ReadBack() == *expected);
        call.Destroy();
        CHECK_RET(aclrtFree(workspaceAddr) == ACL_SUCCESS);
    }
    CHECK_RET(aclrtDestroyStream(own) == ACL_SUCCESS);
    CHECK_RET(aclrtResetDevice(0) == ACL_SUCCESS);
}

}  // namespace

int main(int, char** argv)
{
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS);
    Attention call = Prefill();
    call.Create();
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    void* workspaceAddr = nullptr;
    CHECK_RET(aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, nullptr) == ACL_SUCCESS);
    CHECK_RET(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
    const std::vector<uint16_t> expected = call.ReadBack();
    aclrtStream shared[4] = {};
    for (aclrtStream& stream : shared) {
        CHECK_RET(aclrtCreateStream(&stream) == ACL_SUCCESS);
    }
    std::vector<std::thread> threads;
    for (int index = 0; index < 8; ++index) {
        threads.emplace_back(Work, &expected, shared[index % 4], std::atoi(argv[2]));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const aclrtStream stream : shared) {
        CHECK_RET(aclrtDestroyStream(stream) == ACL_SUCCESS);
    }
    WriteResult(argv[1], expected.data(), expected.size() * sizeof(uint16_t));
    call.Destroy();
    CHECK_RET(aclrtFree(workspaceAddr) == ACL_SUCCESS && aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS);
    return 0;
}
