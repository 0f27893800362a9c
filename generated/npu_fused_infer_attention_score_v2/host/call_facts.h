// Facts of one call of npu_fused_infer_attention_score_v2.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/host/call_facts.h.jinja. Do not edit: run `fiagen build`.
#ifndef FIA_CALL_FACTS_H
#define FIA_CALL_FACTS_H

#include <string>
#include <string_view>
#include <vector>

#include "fia_expr.h"

namespace fiagen_npu_fused_infer_attention_score_v2 {

struct Call {
    std::string_view edition = "seed";
    std::string_view authority = "document";
    std::string_view product;

    // Arguments under their documented names
    fia::TensorFact query;
    fia::TensorFact key;
    fia::TensorFact value;
    fia::TensorFact query_rope;
    fia::TensorFact key_rope;
    fia::TensorFact pse_shift;
    fia::TensorFact atten_mask;
    fia::IntsFact actual_seq_qlen;
    fia::IntsFact actual_seq_kvlen;
    fia::TensorFact block_table;
    fia::TensorFact dequant_scale_query;
    fia::TensorFact dequant_scale_key;
    fia::TensorFact dequant_offset_key;
    fia::TensorFact dequant_scale_value;
    fia::TensorFact dequant_offset_value;
    fia::TensorFact dequant_scale_key_rope;
    fia::TensorFact quant_scale_out;
    fia::TensorFact quant_offset_out;
    fia::TensorFact quant_scale_p;
    fia::TensorFact learnable_sink;
    int64_t num_query_heads = 1;
    int64_t num_key_value_heads = 0;
    double softmax_scale = 1.0;
    int64_t pre_tokens = 2147483647;
    int64_t next_tokens = 2147483647;
    std::string_view input_layout = "BSH";
    int64_t sparse_mode = 0;
    int64_t block_size = 0;
    int64_t query_quant_mode = 0;
    int64_t key_quant_mode = 0;
    int64_t value_quant_mode = 0;
    int64_t inner_precise = 0;
    bool return_softmax_lse = false;
    fia::IntFact query_dtype;
    fia::IntFact key_dtype;
    fia::IntFact value_dtype;
    fia::IntFact query_rope_dtype;
    fia::IntFact key_rope_dtype;
    fia::IntFact key_shared_prefix_dtype;
    fia::IntFact value_shared_prefix_dtype;
    fia::IntFact dequant_scale_query_dtype;
    fia::IntFact dequant_scale_key_dtype;
    fia::IntFact dequant_scale_value_dtype;
    fia::IntFact dequant_scale_key_rope_dtype;
    fia::IntFact out_dtype;

    // Derived quantities
    bool PA = false; // Paged attention is on.
    bool ROPE = false; // Rotary parts are given.
    bool MASK = false; // A mask is given; one without elements counts as none.
    bool PSE = false; // A position term is given.
    bool SINK = false; // Sink logits are given.
    bool POSTQ = false; // The output is quantised.
    std::string_view Q_LAYOUT; // Layout of the query, the part of input_layout before the underscore; empty for a name nobody knows.
    std::string_view OUT_LAYOUT; // Layout of attention_out, the part of input_layout after the underscore.
    bool TNDLIKE = false; // Batches lie one after another on a token axis.
    bool BSX = false; // One of the three plain padded layouts.
    int64_t Q_N = 0; // Number of query heads.
    int64_t KV_N = 0; // Number of key and value heads.
    int64_t N_AXIS = 0; // Number of heads the query shape shows; BSH does not show it.
    bool MHA = false; // Every query head has its own key head.
    int64_t GROUP = 0; // Query heads that share one key head.
    int64_t T = 0; // Tokens of all batches of the query; 0 in padded layouts.
    int64_t B = 0; // Number of batches; in the TND layouts the number of entries of actual_seq_qlen.
    int64_t Q_S = 0; // Length of the query axis S; in the TND layouts the longest batch.
    int64_t Dq = 0; // Head dim of the query.
    int64_t PACK = 0; // Channels in one element of key and value.
    int64_t Dk = 0; // Head dim of the key.
    int64_t Dv = 0; // Head dim of the value.
    int64_t OUT_D = 0; // Head dim of the output.
    std::string_view OUT_DTYPE; // Dtype of attention_out.
    std::string_view CACHE; // Form of the cache, told by its rank.
    int64_t W = 0; // Blocks a row of block_table can name.
    int64_t NB = 0; // Blocks in the pool.
    int64_t T2 = 0; // Tokens of all batches of the key; 0 in padded layouts and with paged attention.
    int64_t KV_AXIS = 0; // Length of the key axis S; 0 where there is none.
    fia::Ints Lq; // Query length of each batch.
    fia::Ints Lk; // Key length of each batch.
    int64_t MAX_BLOCKS = 0; // Cache blocks of the longest batch.
    int64_t KV_S = 0; // Length of the key axis S; with paged attention whole blocks of the longest batch.
    bool DECODE1 = false; // One query token per batch.
    bool PREFILL = false; // More than one query token.
    bool EMPTY_QUERY = false; // The query has no elements.
    bool EMPTY_KV = false; // The query has elements, key and value have none.
    bool FLOATQ = false; // The query is 16-bit float.
    bool FLOATKV = false; // The key is 16-bit float.
    bool INT4KV = false; // Key and value hold 4-bit integers.
    bool NOQ = false; // Nothing but the output is quantised.
    bool ANTIQ = false; // Integer key and value are dequantised on the fly.
    bool FULLQ = false; // Query, key and value are int8.
    bool MLA512 = false; // Decode MLA.
    bool MLA128 = false; // Prefill MLA with split rotary parts.
    bool NZ = false; // The cache is five-dimensional.
    bool GQANZ = false; // Integer cache in five dimensions without rotary parts.
    bool OUT_I8 = false; // The output is int8.
    bool PER_CHANNEL_OUT = false; // The output factors are per channel.
    bool SPARSE_FREE = false; // sparse_mode and the tokens have no effect.
    bool LEGACY_DECODE = false; // The shipped host prefers its older decode path.
    bool SPLIT_FUSE = false; // The shipped host takes its split-fuse path for TND.
    std::string_view HOST_PATH; // Which of the four paths of the shipped host checks the call.
    bool MASK_BY_ZERO = false; // The shipped host reads the mask as under sparse_mode 0.
    bool FULL_MASK = false; // The mask is a full matrix.
    bool PACKED_MASK = false; // The mask is the compressed 2048 x 2048 pattern.
    bool TOKENS_USED = false; // pre_tokens and next_tokens have an effect.
    bool DECODE = false; // A batch has at most one query row, and that row needs no diagonal. Left-up and band windows of packed batches do.
    bool TRIANGULAR = false; // The mask is the compressed 2048 x 2048 triangle, which says nothing where the sparse mode has no effect.
    std::string_view MASK_KIND; // What the kernel has to do about masking.
};

struct Violation {
    int32_t status;
    std::string rule;
    std::string given;
    std::string allowed;
    std::string fix;
};

// Fills the derived quantities of `c` from its arguments.
void Derive(Call& c);

// Every rule that `c` breaks, in the order a person would fix them.
std::vector<Violation> BrokenRules(const Call& c);

} // namespace fiagen_npu_fused_infer_attention_score_v2

#endif
