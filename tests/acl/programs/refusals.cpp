// Every status code of the documents, each with its rule or reason; after each of them a good call still works. A thousand bad
// calls and a thousand good first phases leave nothing behind.
#include "common.h"

namespace {

uint64_t workspaceSize = 0;
aclOpExecutor* executor = nullptr;

void Refused(const Attention& call, aclnnStatus status, const char* said)
{
    CHECK_RET(call.Plan(&workspaceSize, &executor) == status);
    const char* const text = aclGetRecentErrMsg();
    if (text == nullptr || std::strstr(text, said) == nullptr) {
        std::printf("%s is not in: %s\n", said, text == nullptr ? "nothing" : text);
        std::exit(1);
    }
    Attention good = Prefill();
    good.Create();
    CHECK_RET(good.Plan(&workspaceSize, &executor) == ACL_SUCCESS && aclDestroyAclOpExecutor(executor) == ACL_SUCCESS);
    good.Destroy();
}

void Spoiled(void (*spoil)(Attention&), aclnnStatus status, const char* said)
{
    Attention call = Prefill();
    spoil(call);
    call.Create();
    Refused(call, status, said);
    call.Destroy();
}

}  // namespace

int main()
{
    CHECK_RET(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS);
    for (int round = 0; round < 200; ++round) {
        Attention call = Prefill();
        call.Create();
        aclTensor* const kept = call.query;
        call.query = nullptr;
        Refused(call, 161001, "query");
        call.query = kept;
        aclTensorList* const list = call.value;
        call.value = nullptr;
        Refused(call, 161001, "value");
        call.value = list;
        aclTensor* const out = call.out;
        call.out = nullptr;
        Refused(call, 161001, "attentionOut");
        call.out = out;
        call.Destroy();
        Spoiled([](Attention& c) { c.numHeads = 3; }, 561002, "V2-");
        Spoiled([](Attention& c) { c.outShape = {2, 4, 19, 63}; }, 161002, "attentionOut");
    }
    Spoiled([](Attention& c) { c.type = ACL_INT16; }, 161002, "V2-");
    Spoiled([](Attention& c) { c.queryShape = {2, 4, 19}; }, 561002, "V2-GEN-16");
    Spoiled([](Attention& c) { c.layout = "NDSB"; }, 561002, "V2-GEN-15");
    Spoiled([](Attention& c) { c.sparseMode = 5; }, 561002, "V2-GEN-30");
    Attention call = Prefill();
    call.Create();
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(nullptr, workspaceSize, executor, nullptr) == 161001);
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(&workspaceSize, workspaceSize, executor, nullptr) == 161002);  // of the host
    CHECK_RET(call.Plan(&workspaceSize, &executor) == ACL_SUCCESS);
    int nowhere = 0;
    CHECK_RET(aclnnFusedInferAttentionScoreV4(call.outAddr, 0, executor, &nowhere) == 161002);
    CHECK_RET(aclnnFusedInferAttentionScoreV4(nullptr, 0, nullptr, nullptr) == 161001);
    call.Destroy();
    CHECK_RET(aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS);
    std::printf("all refused\n");
    return 0;
}
