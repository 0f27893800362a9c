// npu_fused_infer_attention_score_v2: the PyTorch operator over aclnnFusedInferAttentionScoreV4, for a machine with the toolkit.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/python/torch_binding.cpp.jinja. Do not edit: run `fiagen build`.
// Build it with torch.utils.cpp_extension: this file and ../host/call_rules.cpp, with ../host among the include folders and
// libopapi (or libcust_opapi), libnnopbase and libascendcl among the libraries.
#include "acl_torch.h"
#include "call_facts.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"

namespace fiagen_npu_fused_infer_attention_score_v2 {
namespace {

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


std::tuple<at::Tensor, at::Tensor> Run(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const std::optional<at::Tensor>& query_rope,
    const std::optional<at::Tensor>& key_rope,
    const std::optional<at::Tensor>& pse_shift,
    const std::optional<at::Tensor>& atten_mask,
    at::OptionalIntArrayRef actual_seq_qlen,
    at::OptionalIntArrayRef actual_seq_kvlen,
    const std::optional<at::Tensor>& block_table,
    const std::optional<at::Tensor>& dequant_scale_query,
    const std::optional<at::Tensor>& dequant_scale_key,
    const std::optional<at::Tensor>& dequant_offset_key,
    const std::optional<at::Tensor>& dequant_scale_value,
    const std::optional<at::Tensor>& dequant_offset_value,
    const std::optional<at::Tensor>& dequant_scale_key_rope,
    const std::optional<at::Tensor>& quant_scale_out,
    const std::optional<at::Tensor>& quant_offset_out,
    const std::optional<at::Tensor>& quant_scale_p,
    const std::optional<at::Tensor>& learnable_sink,
    int64_t num_query_heads,
    int64_t num_key_value_heads,
    double softmax_scale,
    int64_t pre_tokens,
    int64_t next_tokens,
    c10::string_view input_layout,
    int64_t sparse_mode,
    int64_t block_size,
    int64_t query_quant_mode,
    int64_t key_quant_mode,
    int64_t value_quant_mode,
    int64_t inner_precise,
    bool return_softmax_lse,
    std::optional<int64_t> query_dtype,
    std::optional<int64_t> key_dtype,
    std::optional<int64_t> value_dtype,
    std::optional<int64_t> query_rope_dtype,
    std::optional<int64_t> key_rope_dtype,
    std::optional<int64_t> key_shared_prefix_dtype,
    std::optional<int64_t> value_shared_prefix_dtype,
    std::optional<int64_t> dequant_scale_query_dtype,
    std::optional<int64_t> dequant_scale_key_dtype,
    std::optional<int64_t> dequant_scale_value_dtype,
    std::optional<int64_t> dequant_scale_key_rope_dtype,
    std::optional<int64_t> out_dtype)
{
    Call c;
    c.query = acl_torch::FactOf(query);
    c.key = acl_torch::FactOf(key);
    c.value = acl_torch::FactOf(value);
    c.query_rope = acl_torch::FactOf(query_rope);
    c.key_rope = acl_torch::FactOf(key_rope);
    c.pse_shift = acl_torch::FactOf(pse_shift);
    c.atten_mask = acl_torch::FactOf(atten_mask);
    c.actual_seq_qlen = acl_torch::FactOf(actual_seq_qlen);
    c.actual_seq_kvlen = acl_torch::FactOf(actual_seq_kvlen);
    c.block_table = acl_torch::FactOf(block_table);
    c.dequant_scale_query = acl_torch::FactOf(dequant_scale_query);
    c.dequant_scale_key = acl_torch::FactOf(dequant_scale_key);
    c.dequant_offset_key = acl_torch::FactOf(dequant_offset_key);
    c.dequant_scale_value = acl_torch::FactOf(dequant_scale_value);
    c.dequant_offset_value = acl_torch::FactOf(dequant_offset_value);
    c.dequant_scale_key_rope = acl_torch::FactOf(dequant_scale_key_rope);
    c.quant_scale_out = acl_torch::FactOf(quant_scale_out);
    c.quant_offset_out = acl_torch::FactOf(quant_offset_out);
    c.quant_scale_p = acl_torch::FactOf(quant_scale_p);
    c.learnable_sink = acl_torch::FactOf(learnable_sink);
    c.num_query_heads = num_query_heads;
    c.num_key_value_heads = num_key_value_heads;
    c.softmax_scale = softmax_scale;
    c.pre_tokens = pre_tokens;
    c.next_tokens = next_tokens;
    c.input_layout = input_layout;
    c.sparse_mode = sparse_mode;
    c.block_size = block_size;
    c.query_quant_mode = query_quant_mode;
    c.key_quant_mode = key_quant_mode;
    c.value_quant_mode = value_quant_mode;
    c.inner_precise = inner_precise;
    c.return_softmax_lse = return_softmax_lse;
    c.query_dtype = acl_torch::FactOf(query_dtype);
    c.key_dtype = acl_torch::FactOf(key_dtype);
    c.value_dtype = acl_torch::FactOf(value_dtype);
    c.query_rope_dtype = acl_torch::FactOf(query_rope_dtype);
    c.key_rope_dtype = acl_torch::FactOf(key_rope_dtype);
    c.key_shared_prefix_dtype = acl_torch::FactOf(key_shared_prefix_dtype);
    c.value_shared_prefix_dtype = acl_torch::FactOf(value_shared_prefix_dtype);
    c.dequant_scale_query_dtype = acl_torch::FactOf(dequant_scale_query_dtype);
    c.dequant_scale_key_dtype = acl_torch::FactOf(dequant_scale_key_dtype);
    c.dequant_scale_value_dtype = acl_torch::FactOf(dequant_scale_value_dtype);
    c.dequant_scale_key_rope_dtype = acl_torch::FactOf(dequant_scale_key_rope_dtype);
    c.out_dtype = acl_torch::FactOf(out_dtype);
    Derive(c);
    at::Tensor attention_out = at::empty(AttentionOutShape(c), query.options().dtype(acl_torch::TypeNamed(AttentionOutDtype(c))));
    at::Tensor softmax_lse = at::empty(c.return_softmax_lse ? SoftmaxLseShape(c) : fia::Ints{0}, query.options().dtype(acl_torch::TypeNamed(SoftmaxLseDtype(c))));
    acl_torch::Objects objects;
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    acl_torch::Require(aclnnFusedInferAttentionScoreV4GetWorkspaceSize(
        objects.Tensor(query),
        objects.List(key),
        objects.List(value),
        objects.Tensor(pse_shift),
        objects.Tensor(atten_mask),
        objects.Array(actual_seq_qlen),
        objects.Array(actual_seq_kvlen),
        nullptr,
        nullptr,
        nullptr,
        objects.Tensor(quant_scale_out),
        objects.Tensor(quant_offset_out),
        nullptr,
        nullptr,
        objects.Tensor(block_table),
        nullptr,
        nullptr,
        objects.Tensor(dequant_scale_key),
        objects.Tensor(dequant_offset_key),
        objects.Tensor(dequant_scale_value),
        objects.Tensor(dequant_offset_value),
        nullptr,
        nullptr,
        nullptr,
        objects.Tensor(query_rope),
        objects.Tensor(key_rope),
        objects.Tensor(dequant_scale_key_rope),
        objects.Tensor(dequant_scale_query),
        objects.Tensor(learnable_sink),
        num_query_heads,
        softmax_scale,
        pre_tokens,
        next_tokens,
        objects.Text(input_layout),
        num_key_value_heads,
        sparse_mode,
        inner_precise,
        block_size,
        0,
        return_softmax_lse,
        key_quant_mode,
        value_quant_mode,
        query_quant_mode,
        objects.Tensor(attention_out),
        objects.Tensor(softmax_lse),
        &workspaceSize, &executor), "aclnnFusedInferAttentionScoreV4GetWorkspaceSize");
    const at::Tensor workspace = at::empty({static_cast<int64_t>(workspaceSize)}, query.options().dtype(at::kByte));
    acl_torch::Require(aclnnFusedInferAttentionScoreV4(workspace.data_ptr(), workspaceSize, executor, ACL_TORCH_STREAM), "aclnnFusedInferAttentionScoreV4");
    return {attention_out, softmax_lse};
}

} // namespace
} // namespace fiagen_npu_fused_infer_attention_score_v2

TORCH_LIBRARY_FRAGMENT(fiagen, library)
{
    library.def(
        "npu_fused_infer_attention_score_v2(Tensor query, Tensor key, Tensor value, *, Tensor? "
        "query_rope=None, Tensor? key_rope=None, Tensor? pse_shift=None, Tensor? atten_mask=None, SymInt[]? "
        "actual_seq_qlen=None, SymInt[]? actual_seq_kvlen=None, Tensor? block_table=None, Tensor? "
        "dequant_scale_query=None, Tensor? dequant_scale_key=None, Tensor? dequant_offset_key=None, Tensor? "
        "dequant_scale_value=None, Tensor? dequant_offset_value=None, Tensor? dequant_scale_key_rope=None, "
        "Tensor? quant_scale_out=None, Tensor? quant_offset_out=None, Tensor? quant_scale_p=None, Tensor? "
        "learnable_sink=None, int num_query_heads=1, int num_key_value_heads=0, float softmax_scale=1.0, int "
        "pre_tokens=2147483647, int next_tokens=2147483647, str input_layout=\"BSH\", int sparse_mode=0, int "
        "block_size=0, int query_quant_mode=0, int key_quant_mode=0, int value_quant_mode=0, int "
        "inner_precise=0, bool return_softmax_lse=False, int? query_dtype=None, int? key_dtype=None, int? "
        "value_dtype=None, int? query_rope_dtype=None, int? key_rope_dtype=None, int? "
        "key_shared_prefix_dtype=None, int? value_shared_prefix_dtype=None, int? "
        "dequant_scale_query_dtype=None, int? dequant_scale_key_dtype=None, int? "
        "dequant_scale_value_dtype=None, int? dequant_scale_key_rope_dtype=None, int? out_dtype=None) -> "
        "(Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(fiagen, PrivateUse1, library)
{
    library.impl("npu_fused_infer_attention_score_v2", TORCH_FN(fiagen_npu_fused_infer_attention_score_v2::Run));
}
