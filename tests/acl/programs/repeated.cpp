// One executor, three runs on two streams that wait for one another; the simulated time between two events.
#include "common.h"

int main(int, char** argv)
{
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS);
    aclrtStream first = nullptr;
    aclrtStream second = nullptr;
    aclrtEvent start = nullptr;
    aclrtEvent between = nullptr;
    aclrtEvent end = nullptr;
    CHECK_RET(aclrtCreateStream(&first) == ACL_SUCCESS && aclrtCreateStream(&second) == ACL_SUCCESS);
    CHECK_RET(aclrtCreateEvent(&start) == ACL_SUCCESS && aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE) == ACL_SUCCESS);
    CHECK_RET(aclrtCreateEventWithFlag(&between, ACL_EVENT_SYNC) == ACL_SUCCESS);
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CHECK_RET(aclrtQueryEventStatus(end, &status) == ACL_SUCCESS && status == ACL_EVENT_RECORDED_STATUS_NOT_READY);

    Attention call = Prefill();
    call.Create();
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    CHECK_RET(aclSetAclOpExecutorRepeatable(executor) == ACL_SUCCESS);
    void* workspaceAddr = nullptr;
    CHECK_RET(aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize - 1, executor, first) == 161002);
    CHECK_RET(std::strstr(aclGetRecentErrMsg(), "are needed") != nullptr);

    CHECK_RET(aclrtRecordEvent(start, first) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, first) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, first) == ACL_SUCCESS);
    CHECK_RET(aclrtRecordEvent(between, first) == ACL_SUCCESS && aclrtStreamWaitEvent(second, between) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, second) == ACL_SUCCESS);
    CHECK_RET(aclrtRecordEvent(end, second) == ACL_SUCCESS);
    CHECK_RET(aclrtSynchronizeEvent(end) == ACL_SUCCESS);
    CHECK_RET(aclrtQueryEventStatus(end, &status) == ACL_SUCCESS && status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    float whole = 0;
    float part = 0;
    CHECK_RET(aclrtEventElapsedTime(&whole, start, end) == ACL_SUCCESS && aclrtEventElapsedTime(&part, start, between) == ACL_SUCCESS);
    CHECK_RET(part > 0 && whole > part * 1.4F && whole < part * 1.6F);  // three runs and two
    CHECK_RET(aclrtSynchronizeDevice() == ACL_SUCCESS);
    const std::vector<uint16_t> host = call.ReadBack();
    WriteResult(argv[1], host.data(), host.size() * sizeof(uint16_t));

    CHECK_RET(aclDestroyAclOpExecutor(executor) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(workspaceAddr, workspaceSize, executor, first) == 161002);
    call.Destroy();
    for (const aclrtEvent event : {start, between, end}) {
        CHECK_RET(aclrtDestroyEvent(event) == ACL_SUCCESS);
    }
    CHECK_RET(aclrtFree(workspaceAddr) == ACL_SUCCESS && aclrtDestroyStream(first) == ACL_SUCCESS);
    CHECK_RET(aclrtDestroyStream(second) == ACL_SUCCESS && aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS);
    return 0;
}
