// The published signature of aclnnFusedInferAttentionScoreV4, refusing every call with an account of what arrived.
#include "fiagen_runtime.h"

namespace {

class Account {
public:
    void Add(const char* name, const aclTensor* tensor)
    {
        if (tensor != nullptr) {
            Line(name, std::string(fiagen::DtypeName(tensor)) + fiagen::ShapeText(fiagen::Shape(tensor)));
        }
    }

    void Add(const char* name, const aclTensorList* list)
    {
        for (uint64_t index = 0; list != nullptr && index < fiagen::ListSize(list); ++index) {
            Add((std::string(name) + "#" + std::to_string(index)).c_str(), fiagen::ListItem(list, index));
        }
    }

    void Add(const char* name, const aclIntArray* array)
    {
        if (array != nullptr) {
            Line(name, fiagen::ShapeText(fiagen::Values(array)));
        }
    }

    void Add(const char* name, int64_t value) { Line(name, std::to_string(value)); }
    void Add(const char* name, double value) { Line(name, std::to_string(value)); }
    void Add(const char* name, bool value) { Line(name, value ? "true" : "false"); }
    void Add(const char* name, char* value) { Line(name, value == nullptr ? "null" : value); }

    const std::string& Text() const { return text_; }

private:
    void Line(const std::string& name, const std::string& value) { text_ += "\n" + name + "=" + value; }

    std::string text_;
};

}  // namespace

extern "C" aclnnStatus aclnnFusedInferAttentionScoreV4GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value, const aclTensor* pseShiftOptional,
    const aclTensor* attenMaskOptional, const aclIntArray* actualSeqLengthsOptional,
    const aclIntArray* actualSeqLengthsKvOptional, const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
    const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional, const aclTensor* quantOffset2Optional,
    const aclTensor* antiquantScaleOptional, const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional, const aclTensor* queryRopeOptional, const aclTensor* keyRopeOptional,
    const aclTensor* keyRopeAntiquantScaleOptional, const aclTensor* dequantScaleQueryOptional,
    const aclTensor* learnableSinkOptional, int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens,
    char* inputLayout, int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
    int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode, int64_t queryQuantMode,
    const aclTensor* attentionOut, const aclTensor* softmaxLse, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    Account account;
#define ARRIVED(name) account.Add(#name, name)
    ARRIVED(query);
    ARRIVED(key);
    ARRIVED(value);
    ARRIVED(pseShiftOptional);
    ARRIVED(attenMaskOptional);
    ARRIVED(actualSeqLengthsOptional);
    ARRIVED(actualSeqLengthsKvOptional);
    ARRIVED(deqScale1Optional);
    ARRIVED(quantScale1Optional);
    ARRIVED(deqScale2Optional);
    ARRIVED(quantScale2Optional);
    ARRIVED(quantOffset2Optional);
    ARRIVED(antiquantScaleOptional);
    ARRIVED(antiquantOffsetOptional);
    ARRIVED(blockTableOptional);
    ARRIVED(queryPaddingSizeOptional);
    ARRIVED(kvPaddingSizeOptional);
    ARRIVED(keyAntiquantScaleOptional);
    ARRIVED(keyAntiquantOffsetOptional);
    ARRIVED(valueAntiquantScaleOptional);
    ARRIVED(valueAntiquantOffsetOptional);
    ARRIVED(keySharedPrefixOptional);
    ARRIVED(valueSharedPrefixOptional);
    ARRIVED(actualSharedPrefixLenOptional);
    ARRIVED(queryRopeOptional);
    ARRIVED(keyRopeOptional);
    ARRIVED(keyRopeAntiquantScaleOptional);
    ARRIVED(dequantScaleQueryOptional);
    ARRIVED(learnableSinkOptional);
    ARRIVED(numHeads);
    ARRIVED(scaleValue);
    ARRIVED(preTokens);
    ARRIVED(nextTokens);
    ARRIVED(inputLayout);
    ARRIVED(numKeyValueHeads);
    ARRIVED(sparseMode);
    ARRIVED(innerPrecise);
    ARRIVED(blockSize);
    ARRIVED(antiquantMode);
    ARRIVED(softmaxLseFlag);
    ARRIVED(keyAntiquantMode);
    ARRIVED(valueAntiquantMode);
    ARRIVED(queryQuantMode);
    ARRIVED(attentionOut);
    ARRIVED(softmaxLse);
    std::string policy = std::string(fiagen::CallEdition("seed")) + "/" + std::string(fiagen::CallAuthority());
    account.Add("policy", policy.data());
    account.Add("results", workspaceSize != nullptr && executor != nullptr);
    return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID, account.Text());
}

extern "C" aclnnStatus aclnnFusedInferAttentionScoreV4(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                       aclrtStream stream)
{
    return fiagen::RunExecutor("aclnnFusedInferAttentionScoreV4", workspace, workspaceSize, executor, stream);
}
