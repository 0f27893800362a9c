// aclnnFusedInferAttentionScoreV4.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/aclnn/aclnn_entry.cpp.jinja. Do not edit: run `fiagen build`.
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"

#include <memory>

#include "fia_tiling.h"
#include "fiagen_runtime.h"

namespace fiagen_npu_fused_infer_attention_score_v2 {
namespace {

fia::TensorFact FactOf(const aclTensor* tensor)
{
    fia::TensorFact fact;
    if (tensor != nullptr) {
        fact.given = true;
        fact.shape = fiagen::Shape(tensor);
        fact.dtype = fiagen::DtypeName(tensor);
        fact.format = fiagen::FormatName(tensor);
        fact.numel = static_cast<int64_t>(fiagen::ElementCount(tensor));
        fact.rank = static_cast<int64_t>(fact.shape.size());
        fact.contiguous = fiagen::IsContiguous(tensor);
    }
    return fact;
}

// This operator takes lists of exactly one tensor; another length is told by the caller.
const aclTensor* OnlyItem(const aclTensorList* list)
{
    return list != nullptr && fiagen::ListSize(list) == 1 ? fiagen::ListItem(list, 0) : nullptr;
}

fia::IntsFact FactOf(const aclIntArray* array)
{
    fia::IntsFact fact;
    if (array != nullptr) {
        fact.given = true;
        fact.value = fiagen::Values(array);
    }
    return fact;
}

fiagen::Status Refuse(const Violation& violation, size_t others)
{
    std::string text = violation.rule + "\n  given    " + violation.given + "\n  allowed  " + violation.allowed +
                       "\n  fix      " + violation.fix;
    if (others > 0) {
        text += "\n  and      " + std::to_string(others) + " more: `fiagen check` lists them all";
    }
    return fiagen::SetRecentError(violation.status, text);
}

// Shape of attention_out by input_layout.
fia::Ints AttentionOutShape(const Call& c)
{
    if (c.input_layout == "BSH") {
        return {c.B, c.Q_S, fia::Mul(c.Q_N, c.OUT_D)};
    }
    if (c.input_layout == "BSND") {
        return {c.B, c.Q_S, c.N_AXIS, c.OUT_D};
    }
    if (c.input_layout == "BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "BNSD_BSND") {
        return {c.B, c.Q_S, c.N_AXIS, c.OUT_D};
    }
    if (c.input_layout == "BSH_NBSD") {
        return {c.N_AXIS, c.B, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "BSND_NBSD") {
        return {c.N_AXIS, c.B, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "BNSD_NBSD") {
        return {c.N_AXIS, c.B, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "TND") {
        return {c.T, c.N_AXIS, c.OUT_D};
    }
    if (c.input_layout == "TND_NTD") {
        return {c.N_AXIS, c.T, c.OUT_D};
    }
    if (c.input_layout == "NTD_TND") {
        return {c.T, c.N_AXIS, c.OUT_D};
    }
    if (c.input_layout == "NTD") {
        return {c.N_AXIS, c.T, c.OUT_D};
    }
    if (c.input_layout == "BSH_BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "BSND_BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, c.OUT_D};
    }
    if (c.input_layout == "NSD") {
        return {c.N_AXIS, c.Q_S, c.OUT_D};
    }
    return {};
}

std::string_view AttentionOutDtype([[maybe_unused]] const Call& c) { return c.OUT_DTYPE; }

// Shape of softmax_lse by input_layout.
fia::Ints SoftmaxLseShape(const Call& c)
{
    if (c.input_layout == "BSH") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BSND") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BNSD_BSND") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BSH_NBSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BSND_NBSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BNSD_NBSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "TND") {
        return {c.T, c.N_AXIS, 1};
    }
    if (c.input_layout == "TND_NTD") {
        return {c.T, c.N_AXIS, 1};
    }
    if (c.input_layout == "NTD_TND") {
        return {c.T, c.N_AXIS, 1};
    }
    if (c.input_layout == "NTD") {
        return {c.T, c.N_AXIS, 1};
    }
    if (c.input_layout == "BSH_BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "BSND_BNSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    if (c.input_layout == "NSD") {
        return {c.B, c.N_AXIS, c.Q_S, 1};
    }
    return {};
}

std::string_view SoftmaxLseDtype([[maybe_unused]] const Call& c) { return "float32"; }

fiagen::Status CheckOutput(const char* name, const aclTensor* tensor, const fia::Ints& shape, std::string_view dtype)
{
    if (tensor == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR, std::string(name) + " is a null pointer");
    }
    if (fiagen::Shape(tensor) != shape || fiagen::DtypeName(tensor) != dtype || !fiagen::IsContiguous(tensor)) {
        return fiagen::SetRecentError(
            fiagen::ERR_PARAM_INVALID, std::string(name) + " is " + std::string(fiagen::DtypeName(tensor)) +
                                           fiagen::ShapeText(fiagen::Shape(tensor)) + "; this call gives a contiguous " +
                                           std::string(dtype) + fiagen::ShapeText(shape));
    }
    return fiagen::STATUS_OK;
}

// What the second phase needs; owns everything that the caller may free or change between the phases.
struct Planned {
    Launch launch;
    fiagen::KernelArg query;
    fiagen::KernelArg key;
    fiagen::KernelArg value;
    fiagen::KernelArg mask;
    fiagen::KernelArg attentionOut;
    fiagen::KernelArg softmaxLse;
};

fiagen::KernelArg ListArg(const fia::Ints& list)
{
    return list.empty() ? fiagen::KernelArg{} : fiagen::HostArg(list.data(), list.size() * sizeof(int64_t));
}

fiagen::Status Run(const Planned& planned, void* workspace, uint64_t workspaceSize, aclrtStream stream)
{
    const Launch& launch = planned.launch;
    if (launch.variant == nullptr) {
        return fiagen::STATUS_OK;
    }
    return fiagen::LaunchKernel(launch.variant->name, launch.blockDim,
                                {planned.query, planned.key, planned.value, planned.mask, ListArg(launch.queryLengths),
                                 ListArg(launch.keyLengths), planned.attentionOut, planned.softmaxLse,
                                 fiagen::WorkspaceArg(workspace, workspaceSize), fiagen::HostArg(launch.tiling)},
                                stream);
}

} // namespace
} // namespace fiagen_npu_fused_infer_attention_score_v2

extern "C" {

aclnnStatus aclnnFusedInferAttentionScoreV4GetWorkspaceSize(
    const aclTensor* query,
    const aclTensorList* key,
    const aclTensorList* value,
    const aclTensor* pseShiftOptional,
    const aclTensor* attenMaskOptional,
    const aclIntArray* actualSeqLengthsOptional,
    const aclIntArray* actualSeqLengthsKvOptional,
    const aclTensor* deqScale1Optional,
    const aclTensor* quantScale1Optional,
    const aclTensor* deqScale2Optional,
    const aclTensor* quantScale2Optional,
    const aclTensor* quantOffset2Optional,
    const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional,
    const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional,
    const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional,
    const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional,
    const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional,
    const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional,
    const aclTensor* queryRopeOptional,
    const aclTensor* keyRopeOptional,
    const aclTensor* keyRopeAntiquantScaleOptional,
    const aclTensor* dequantScaleQueryOptional,
    const aclTensor* learnableSinkOptional,
    int64_t numHeads,
    double scaleValue,
    int64_t preTokens,
    int64_t nextTokens,
    char* inputLayout,
    int64_t numKeyValueHeads,
    int64_t sparseMode,
    int64_t innerPrecise,
    int64_t blockSize,
    int64_t antiquantMode,
    bool softmaxLseFlag,
    int64_t keyAntiquantMode,
    int64_t valueAntiquantMode,
    int64_t queryQuantMode,
    const aclTensor* attentionOut,
    const aclTensor* softmaxLse,
    uint64_t* workspaceSize, aclOpExecutor** executor)
{
    using namespace fiagen_npu_fused_infer_attention_score_v2;
    if (workspaceSize == nullptr || executor == nullptr || query == nullptr || key == nullptr || value == nullptr || inputLayout == nullptr || attentionOut == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR,
                                      "a required argument is a null pointer: query, key, value, inputLayout, attentionOut, workspaceSize or executor");
    }
    if (deqScale1Optional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "deqScale1Optional: no generated kernel uses this argument");
    }
    if (quantScale1Optional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "quantScale1Optional: no generated kernel uses this argument");
    }
    if (deqScale2Optional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "deqScale2Optional: no generated kernel uses this argument");
    }
    if (antiquantScaleOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "antiquantScaleOptional: no generated kernel uses this argument");
    }
    if (antiquantOffsetOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "antiquantOffsetOptional: no generated kernel uses this argument");
    }
    if (queryPaddingSizeOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "queryPaddingSizeOptional: no generated kernel uses this argument");
    }
    if (kvPaddingSizeOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "kvPaddingSizeOptional: no generated kernel uses this argument");
    }
    if (keySharedPrefixOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "keySharedPrefixOptional: no generated kernel uses this argument");
    }
    if (valueSharedPrefixOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "valueSharedPrefixOptional: no generated kernel uses this argument");
    }
    if (actualSharedPrefixLenOptional != nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "actualSharedPrefixLenOptional: no generated kernel uses this argument");
    }
    if (antiquantMode != 0) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "antiquantMode: no generated kernel uses this argument");
    }
    if (fiagen::ListSize(key) != 1 || fiagen::ListItem(key, 0) == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "key: a list of exactly one tensor is supported");
    }
    if (fiagen::ListSize(value) != 1 || fiagen::ListItem(value, 0) == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "value: a list of exactly one tensor is supported");
    }
    Call c;
    c.edition = fiagen::CallEdition("seed");
    c.authority = fiagen::CallAuthority();
    c.query = FactOf(query);
    c.key = FactOf(OnlyItem(key));
    c.value = FactOf(OnlyItem(value));
    c.pse_shift = FactOf(pseShiftOptional);
    c.atten_mask = FactOf(attenMaskOptional);
    c.actual_seq_qlen = FactOf(actualSeqLengthsOptional);
    c.actual_seq_kvlen = FactOf(actualSeqLengthsKvOptional);
    c.quant_scale_out = FactOf(quantScale2Optional);
    c.quant_offset_out = FactOf(quantOffset2Optional);
    c.block_table = FactOf(blockTableOptional);
    c.dequant_scale_key = FactOf(keyAntiquantScaleOptional);
    c.dequant_offset_key = FactOf(keyAntiquantOffsetOptional);
    c.dequant_scale_value = FactOf(valueAntiquantScaleOptional);
    c.dequant_offset_value = FactOf(valueAntiquantOffsetOptional);
    c.query_rope = FactOf(queryRopeOptional);
    c.key_rope = FactOf(keyRopeOptional);
    c.dequant_scale_key_rope = FactOf(keyRopeAntiquantScaleOptional);
    c.dequant_scale_query = FactOf(dequantScaleQueryOptional);
    c.learnable_sink = FactOf(learnableSinkOptional);
    c.num_query_heads = numHeads;
    c.softmax_scale = scaleValue;
    c.pre_tokens = preTokens;
    c.next_tokens = nextTokens;
    c.input_layout = inputLayout;
    c.num_key_value_heads = numKeyValueHeads;
    c.sparse_mode = sparseMode;
    c.inner_precise = innerPrecise;
    c.block_size = blockSize;
    c.return_softmax_lse = softmaxLseFlag;
    c.key_quant_mode = keyAntiquantMode;
    c.value_quant_mode = valueAntiquantMode;
    c.query_quant_mode = queryQuantMode;
    Derive(c);
    const std::vector<Violation> broken = BrokenRules(c);
    if (!broken.empty()) {
        return Refuse(broken.front(), broken.size() - 1);
    }
    fiagen::Status status = CheckOutput("attentionOut", attentionOut, AttentionOutShape(c), AttentionOutDtype(c));
    if (status == fiagen::STATUS_OK && c.return_softmax_lse) {
        status = CheckOutput("softmaxLse", softmaxLse, SoftmaxLseShape(c), SoftmaxLseDtype(c));
    }
    if (status != fiagen::STATUS_OK) {
        return status;
    }
    auto planned = std::make_shared<Planned>();
    std::string missing;
    if (!PlanLaunch(c, fiagen::CubeCores(), planned->launch, missing)) {
        return fiagen::SetRecentError(fiagen::ERR_INNER_TILING, "fiagen.unsupported: no generated kernel serves " + missing);
    }
    planned->query = fiagen::TensorArg(query);
    planned->key = fiagen::TensorArg(OnlyItem(key));
    planned->value = fiagen::TensorArg(OnlyItem(value));
    planned->attentionOut = fiagen::OutputArg(attentionOut);
    if (planned->launch.passMask) {
        planned->mask = fiagen::TensorArg(attenMaskOptional);
    }
    if (c.return_softmax_lse) {
        planned->softmaxLse = fiagen::OutputArg(softmaxLse);
    }
    *workspaceSize = planned->launch.workspaceBytes;
    *executor = fiagen::CreateExecutor("aclnnFusedInferAttentionScoreV4", *workspaceSize,
                                       [planned](void* workspace, uint64_t size, aclrtStream stream) {
                                           return Run(*planned, workspace, size, stream);
                                       });
    return fiagen::STATUS_OK;
}

aclnnStatus aclnnFusedInferAttentionScoreV4(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    return fiagen::RunExecutor("aclnnFusedInferAttentionScoreV4", workspace, workspaceSize, executor, stream);
}

} // extern "C"
