// Derived quantities and rules of npu_fused_infer_attention_score_v2.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/host/call_rules.cpp.jinja. Do not edit: run `fiagen build`.
#include "call_facts.h"

namespace fiagen_npu_fused_infer_attention_score_v2 {

void Derive(Call& c)
{
    c.PA = c.block_table.given;
    c.ROPE = c.query_rope.given && c.key_rope.given;
    c.MASK = c.atten_mask.given && c.atten_mask.numel > 0;
    c.PSE = c.pse_shift.given;
    c.SINK = c.learnable_sink.given;
    c.POSTQ = c.quant_scale_out.given;
    c.Q_LAYOUT = fia::In<std::string_view>(c.input_layout, {"BSH", "BSH_NBSD", "BSH_BNSD"}) ? std::string_view("BSH") : (fia::In<std::string_view>(c.input_layout, {"BSND", "BSND_NBSD", "BSND_BNSD"}) ? std::string_view("BSND") : (fia::In<std::string_view>(c.input_layout, {"BNSD", "BNSD_BSND", "BNSD_NBSD"}) ? std::string_view("BNSD") : (fia::In<std::string_view>(c.input_layout, {"TND", "TND_NTD"}) ? std::string_view("TND") : (fia::In<std::string_view>(c.input_layout, {"NTD", "NTD_TND"}) ? std::string_view("NTD") : ((c.input_layout == "NSD") ? std::string_view("NSD") : std::string_view(""))))));
    c.OUT_LAYOUT = fia::In<std::string_view>(c.input_layout, {"BSH_NBSD", "BSND_NBSD", "BNSD_NBSD"}) ? std::string_view("NBSD") : (fia::In<std::string_view>(c.input_layout, {"BNSD", "BSH_BNSD", "BSND_BNSD"}) ? std::string_view("BNSD") : (fia::In<std::string_view>(c.input_layout, {"BSND", "BNSD_BSND"}) ? std::string_view("BSND") : (fia::In<std::string_view>(c.input_layout, {"NTD", "TND_NTD"}) ? std::string_view("NTD") : (fia::In<std::string_view>(c.input_layout, {"TND", "NTD_TND"}) ? std::string_view("TND") : ((c.input_layout == "BSH") ? std::string_view("BSH") : std::string_view("NSD"))))));
    c.TNDLIKE = fia::In<std::string_view>(c.Q_LAYOUT, {"TND", "NTD"});
    c.BSX = fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD"});
    c.Q_N = c.num_query_heads;
    c.KV_N = (c.num_key_value_heads == 0) ? c.num_query_heads : c.num_key_value_heads;
    c.N_AXIS = (c.Q_LAYOUT == "BSH") ? c.num_query_heads : ((c.Q_LAYOUT == "BSND") ? fia::At(c.query.shape, 2) : (fia::In<std::string_view>(c.Q_LAYOUT, {"BNSD", "TND"}) ? fia::At(c.query.shape, 1) : fia::At(c.query.shape, 0)));
    c.MHA = c.KV_N == c.Q_N;
    c.GROUP = fia::FloorDiv(c.Q_N, c.KV_N);
    c.T = (c.Q_LAYOUT == "TND") ? fia::At(c.query.shape, 0) : ((c.Q_LAYOUT == "NTD") ? fia::At(c.query.shape, 1) : int64_t(0));
    c.B = c.TNDLIKE ? (c.actual_seq_qlen.given ? fia::Len(c.actual_seq_qlen.value) : int64_t(0)) : ((c.Q_LAYOUT == "NSD") ? int64_t(1) : fia::At(c.query.shape, 0));
    c.Q_S = (c.Q_LAYOUT == "BNSD") ? fia::At(c.query.shape, 2) : (!c.TNDLIKE ? fia::At(c.query.shape, 1) : (c.actual_seq_qlen.given ? fia::MaxOf(fia::Diff(c.actual_seq_qlen.value)) : c.T));
    c.Dq = (c.Q_LAYOUT == "BSH") ? fia::FloorDiv(fia::At(c.query.shape, 2), c.num_query_heads) : fia::At(c.query.shape, -1);
    c.PACK = (c.key.dtype == "int32") ? int64_t(8) : int64_t(1);
    c.Dk = c.PA ? fia::Mul((c.key.rank == 3) ? fia::FloorDiv(fia::At(c.key.shape, 2), c.KV_N) : ((c.key.rank == 4) ? fia::At(c.key.shape, 3) : fia::Mul(fia::At(c.key.shape, 2), fia::At(c.key.shape, 4))), c.PACK) : ((c.Q_LAYOUT == "BSH") ? fia::Mul(fia::FloorDiv(fia::At(c.key.shape, 2), c.KV_N), c.PACK) : fia::Mul(fia::At(c.key.shape, -1), c.PACK));
    c.Dv = c.PA ? fia::Mul((c.value.rank == 3) ? fia::FloorDiv(fia::At(c.value.shape, 2), c.KV_N) : ((c.value.rank == 4) ? fia::At(c.value.shape, 3) : fia::Mul(fia::At(c.value.shape, 2), fia::At(c.value.shape, 4))), c.PACK) : ((c.Q_LAYOUT == "BSH") ? fia::Mul(fia::FloorDiv(fia::At(c.value.shape, 2), c.KV_N), c.PACK) : fia::Mul(fia::At(c.value.shape, -1), c.PACK));
    c.OUT_D = (c.Dv == 0 || c.Dq == 0) ? c.Dq : c.Dv;
    c.OUT_DTYPE = c.POSTQ ? std::string_view("int8") : ((c.query.dtype == "int8") ? (c.query_rope.given ? c.query_rope.dtype : std::string_view("float16")) : c.query.dtype);
    c.CACHE = !c.PA ? std::string_view("") : ((c.key.rank == 3) ? std::string_view("BnBsH") : ((c.key.rank == 4) ? std::string_view("BnNBsD") : std::string_view("NZ")));
    c.W = c.PA ? fia::At(c.block_table.shape, 1) : int64_t(0);
    c.NB = c.PA ? fia::At(c.key.shape, 0) : int64_t(0);
    c.T2 = (c.PA || !c.TNDLIKE) ? int64_t(0) : ((c.Q_LAYOUT == "TND") ? fia::At(c.key.shape, 0) : fia::At(c.key.shape, 1));
    c.KV_AXIS = (c.PA || c.TNDLIKE) ? int64_t(0) : ((c.Q_LAYOUT == "BNSD") ? fia::At(c.key.shape, 2) : fia::At(c.key.shape, 1));
    c.Lq = c.TNDLIKE ? (c.actual_seq_qlen.given ? fia::Diff(c.actual_seq_qlen.value) : fia::Ints{}) : ((c.actual_seq_qlen.given && c.Q_S != 1) ? fia::Expand(c.actual_seq_qlen.value, c.B) : fia::Fill(c.Q_S, c.B));
    c.Lk = !c.actual_seq_kvlen.given ? (c.PA ? fia::Fill(0, c.B) : (!c.TNDLIKE ? fia::Fill(c.KV_AXIS, c.B) : fia::Ints{})) : (!c.TNDLIKE ? fia::Expand(c.actual_seq_kvlen.value, c.B) : (c.PA ? c.actual_seq_kvlen.value : fia::Diff(c.actual_seq_kvlen.value)));
    c.MAX_BLOCKS = fia::MaxOf(fia::CeilDivEach(c.Lk, c.block_size));
    c.KV_S = c.PA ? fia::Mul(c.MAX_BLOCKS, c.block_size) : (c.TNDLIKE ? fia::MaxOf(c.Lk) : c.KV_AXIS);
    c.DECODE1 = c.Q_S == 1;
    c.PREFILL = c.Q_S > 1;
    c.EMPTY_QUERY = c.query.numel == 0;
    c.EMPTY_KV = c.query.numel > 0 && c.key.numel == 0 && c.value.numel == 0;
    c.FLOATQ = fia::In<std::string_view>(c.query.dtype, {"float16", "bfloat16"});
    c.FLOATKV = fia::In<std::string_view>(c.key.dtype, {"float16", "bfloat16"});
    c.INT4KV = fia::In<std::string_view>(c.key.dtype, {"int32", "int4"});
    c.NOQ = c.FLOATQ && c.query.dtype == c.key.dtype && c.key.dtype == c.value.dtype;
    c.ANTIQ = c.FLOATQ && fia::In<std::string_view>(c.key.dtype, {"int8", "int4", "int32"});
    c.FULLQ = c.query.dtype == "int8" && c.key.dtype == "int8" && c.value.dtype == "int8";
    c.MLA512 = c.ROPE && c.Dq == 512;
    c.MLA128 = c.ROPE && c.Dq == 128;
    c.NZ = c.PA && c.key.rank == 5;
    c.GQANZ = c.ANTIQ && c.NZ && !c.ROPE;
    c.OUT_I8 = c.OUT_DTYPE == "int8";
    c.PER_CHANNEL_OUT = c.quant_scale_out.given && c.quant_scale_out.numel != 1;
    c.SPARSE_FREE = c.BSX && c.DECODE1 && !c.ROPE && c.Dq == c.Dv;
    c.LEGACY_DECODE = c.BSX && c.DECODE1 && !c.ROPE && c.Dq == 256 && c.Dv == 256 && c.MHA && !c.PA;
    c.SPLIT_FUSE = c.input_layout == "TND" && c.FLOATQ && c.query.dtype == c.key.dtype && !c.ROPE && fia::In<int64_t>(c.sparse_mode, {0, 3, 4}) && !c.POSTQ && c.Dq == c.Dk && c.Dk == c.Dv && c.Dq <= 256 && (c.MHA ? (!(c.query.dtype == "bfloat16" && c.inner_precise == 1) && !(c.sparse_mode == 0 && c.MASK)) : (c.inner_precise == 0)) && (!c.PA || (c.CACHE == "BnBsH" && fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 512) || (c.CACHE == "NZ" && fia::At(c.key.shape, 4) == 16 && fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 512 && fia::FloorMod(c.Dq, 16) == 0 && !fia::In<int64_t>(c.Dq, {64, 128}))) && !(c.SINK && c.query.dtype == "bfloat16" && c.Dq == 64);
    c.HOST_PATH = c.SPLIT_FUSE ? std::string_view("FAI") : ((c.FLOATQ && c.query.dtype == c.key.dtype && c.input_layout != "NSD" && !c.LEGACY_DECODE) ? std::string_view("NEW") : (((c.Q_S == 1 && !c.TNDLIKE && c.Q_LAYOUT != "NSD" && fia::In<std::string_view>(c.OUT_LAYOUT, {"BSH", "BSND", "BNSD", "NBSD"})) || (fia::In<std::string_view>(c.input_layout, {"TND", "TND_NTD"}) && c.Dq == 512) || (c.NZ && (1 <= c.Q_S && c.Q_S <= 16)) || (c.ROPE && (c.Q_S == 1 || (c.Q_S <= 32 && c.Dq == 512)))) ? std::string_view("IFA") : std::string_view("PFA")));
    c.MASK_BY_ZERO = c.authority == "host" && c.HOST_PATH == "NEW" && c.SPARSE_FREE;
    c.FULL_MASK = c.MASK && (fia::In<int64_t>(c.sparse_mode, {0, 1}) || c.MASK_BY_ZERO);
    c.PACKED_MASK = c.MASK && fia::In<int64_t>(c.sparse_mode, {2, 3, 4}) && !c.MASK_BY_ZERO;
    c.TOKENS_USED = !c.SPARSE_FREE && (c.sparse_mode == 4 || (c.sparse_mode == 0 && c.MASK));
    c.DECODE = c.TNDLIKE ? (fia::MaxOf(c.Lq) <= 1 && (!c.MASK || c.sparse_mode == 3)) : c.SPARSE_FREE;
    c.TRIANGULAR = c.MASK && fia::In<int64_t>(c.sparse_mode, {2, 3, 4}) && c.atten_mask.rank >= 2 && fia::At(c.atten_mask.shape, -1) == 2048 && fia::At(c.atten_mask.shape, -2) == 2048;
    c.MASK_KIND = (!c.MASK || (c.DECODE && (c.TNDLIKE || c.TRIANGULAR))) ? std::string_view("none") : ((c.DECODE || fia::In<int64_t>(c.sparse_mode, {0, 1})) ? std::string_view("full") : ((c.sparse_mode == 4) ? std::string_view("band") : std::string_view("causal")));
}

namespace {

std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(int64_t value) { return std::to_string(value); }
std::string Text(double value) { return std::to_string(value); }
std::string Text(std::string_view value) { return std::string(value); }

std::string Text(const fia::Ints& values)
{
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
    }
    return text + "]";
}

template <class T>
std::string Shown(const char* what, const T& value)
{
    return std::string(what) + " = " + Text(value);
}

// Rules on the form of the call.
void CheckForm(const Call& c, [[maybe_unused]] bool skipped, std::vector<Violation>& found)
{
    if (true) {
        if (!(fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD", "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD", "TND", "TND_NTD", "NTD_TND", "NTD", "BSH_BNSD", "BSND_BNSD", "NSD"}))) {
            found.push_back({561002, "V2-GEN-15", Shown("input_layout", c.input_layout), "input_layout is one of (BSH, BSND, BNSD, BNSD_BSND, BSH_NBSD, BSND_NBSD, BNSD_NBSD, TND, TND_NTD, NTD_TND, NTD, BSH_BNSD, BSND_BNSD, NSD)", "Use one of the listed names, in capitals."});
        }
    }
    if (true) {
        if (!(c.num_query_heads > 0)) {
            found.push_back({561002, "V2-GEN-08", Shown("num_query_heads", c.num_query_heads), "num_query_heads is more than 0", "Pass the number of query heads as num_query_heads."});
        }
    }
    if (c.Q_LAYOUT != "") {
        if (!(c.query.rank == (fia::In<std::string_view>(c.Q_LAYOUT, {"BSND", "BNSD"}) ? int64_t(4) : int64_t(3)))) {
            found.push_back({561002, "V2-GEN-16", Shown("query.shape", c.query.shape) + ", " + Shown("input_layout", c.input_layout), "the rank of query is (4 if Q_LAYOUT is one of (BSND, BNSD), else 3)", "Reshape query, or name the layout it has."});
        }
    }
    if (!c.block_table.given) {
        if (!(c.value.rank == c.query.rank)) {
            found.push_back({561002, "V2-GEN-17", Shown("value.shape", c.value.shape) + ", " + Shown("query.shape", c.query.shape), "the rank of value is the rank of query", "Reshape value to the layout of query, or pass a block_table if it is a cache."});
        }
    }
    if (c.block_table.given) {
        if (!(3 <= c.value.rank && c.value.rank <= 5)) {
            found.push_back({561002, "V2-GEN-18", Shown("value.shape", c.value.shape), "the rank of value is from 3 to 5", "Use (blocks, block_size, H), (blocks, KV_N, block_size, D) or the five-dimensional form."});
        }
    }
    if (c.num_key_value_heads != 0 && c.num_query_heads > 0) {
        if (!(c.num_key_value_heads > 0 && fia::FloorMod(c.num_query_heads, c.num_key_value_heads) == 0)) {
            found.push_back({561002, "V2-GEN-11", Shown("num_query_heads", c.num_query_heads) + ", " + Shown("num_key_value_heads", c.num_key_value_heads), "num_key_value_heads is more than 0 and num_query_heads is a multiple of num_key_value_heads", "Pass a divisor of num_query_heads, or 0 for as many key heads as query heads."});
        }
    }
    if (c.Q_LAYOUT == "BNSD" && c.num_query_heads > 0) {
        if (!(c.num_query_heads == fia::At(c.query.shape, 1))) {
            found.push_back({561002, "V2-GEN-09", Shown("num_query_heads", c.num_query_heads) + ", " + Shown("query.shape[1]", fia::At(c.query.shape, 1)), "num_query_heads is axis 1 of query", "Pass the head count of query as num_query_heads."});
        }
    }
    if ((c.authority == "document" || c.HOST_PATH != "FAI") && (!fia::In<std::string_view>(c.Q_LAYOUT, {"", "BNSD"}) && c.num_query_heads > 0)) {
        if (!((c.Q_LAYOUT == "BSH") ? (fia::FloorMod(fia::At(c.query.shape, 2), c.num_query_heads) == 0) : (c.num_query_heads == c.N_AXIS))) {
            found.push_back({561002, "V2-GEN-10", Shown("num_query_heads", c.num_query_heads) + ", " + Shown("query.shape", c.query.shape) + ", " + Shown("input_layout", c.input_layout), "axis 2 of query is a multiple of num_query_heads if Q_LAYOUT is BSH, else num_query_heads is N_AXIS", "Pass the head count of query as num_query_heads."});
        }
    }
    if (true) {
        if (!(c.query_rope.given == c.key_rope.given)) {
            found.push_back({561002, "V2-MLA-01", Shown("query_rope.given", c.query_rope.given) + ", " + Shown("key_rope.given", c.key_rope.given), "query_rope is given is key_rope is given", "Pass both rotary parts, or none."});
        }
    }
}

// Rules on the shape of the call.
void CheckShape(const Call& c, [[maybe_unused]] bool skipped, std::vector<Violation>& found)
{
    if (!skipped && (c.authority == "document" || (c.key.rank != c.value.rank || c.HOST_PATH != "FAI"))) {
        if (!(c.key.shape == c.value.shape || (c.key.rank == c.value.rank && fia::DropLast(c.key.shape) == fia::DropLast(c.value.shape) && c.Dq == 192 && c.Dv == 128))) {
            found.push_back({561002, "V2-GEN-06", Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape), "the shape of key is the shape of value or (the rank of key is the rank of value and the shape of key without its last axis is the shape of value without its last axis and Dq is 192 and Dv is 128)", "Pass key and value of one shape."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (!c.PA && c.Q_LAYOUT != "BSH"))) {
        if (!((c.Q_LAYOUT == "BSND") ? (fia::At(c.key.shape, 2) == c.KV_N && fia::At(c.value.shape, 2) == c.KV_N) : (fia::In<std::string_view>(c.Q_LAYOUT, {"BNSD", "TND"}) ? (fia::At(c.key.shape, 1) == c.KV_N && fia::At(c.value.shape, 1) == c.KV_N) : (fia::At(c.key.shape, 0) == c.KV_N && fia::At(c.value.shape, 0) == c.KV_N)))) {
            found.push_back({561002, "V2-GEN-13", Shown("KV_N", c.KV_N) + ", " + Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape) + ", " + Shown("input_layout", c.input_layout), "(axis 2 of key is KV_N and axis 2 of value is KV_N) if Q_LAYOUT is BSND, else ((axis 1 of key is KV_N and axis 1 of value is KV_N) if Q_LAYOUT is one of (BNSD, TND), else (axis 0 of key is KV_N and axis 0 of value is KV_N))", "Pass the head count of key as num_key_value_heads."});
        }
    }
    if (!skipped && (!c.PA && !c.TNDLIKE && c.Q_LAYOUT != "NSD")) {
        if (!(fia::At(c.key.shape, 0) == c.B && fia::At(c.value.shape, 0) == c.B)) {
            found.push_back({561002, "V2-GEN-52", Shown("B", c.B) + ", " + Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape), "axis 0 of key is B and axis 0 of value is B", "Make the batch axes equal, or pass a block_table if key is a cache."});
        }
    }
    if (!skipped) {
        if (!(c.Dq == c.Dk)) {
            found.push_back({561002, "V2-GEN-43", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk), "Dq is Dk", "Pass query and key of one head dim."});
        }
    }
    if (!skipped && (!c.ROPE)) {
        if (!(c.Dq == c.Dv || (c.Dq == 192 && c.Dv == 128))) {
            found.push_back({561002, "V2-GEN-44", Shown("Dq", c.Dq) + ", " + Shown("Dv", c.Dv), "Dq is Dv or (Dq is 192 and Dv is 128)", "Pad value, or use the 192/128 form."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(c.Dq == c.Dv)) {
            found.push_back({561002, "V2-GEN-45", Shown("Dq", c.Dq) + ", " + Shown("Dv", c.Dv), "Dq is Dv", "Pass value of the head dim of query."});
        }
    }
    if (!skipped && (c.TNDLIKE)) {
        if (!(c.actual_seq_qlen.given)) {
            found.push_back({561002, "V2-SEQ-06", Shown("actual_seq_qlen.given", c.actual_seq_qlen.given) + ", " + Shown("input_layout", c.input_layout), "actual_seq_qlen is given", "Pass the running totals of the query lengths."});
        }
    }
    if (!skipped && (c.TNDLIKE)) {
        if (!(c.actual_seq_kvlen.given)) {
            found.push_back({561002, "V2-SEQ-07", Shown("actual_seq_kvlen.given", c.actual_seq_kvlen.given) + ", " + Shown("input_layout", c.input_layout), "actual_seq_kvlen is given", "Pass the running totals of the key lengths; with paged attention the plain lengths."});
        }
    }
    if (!skipped && (c.PA && !c.TNDLIKE)) {
        if (!(c.actual_seq_kvlen.given)) {
            found.push_back({561002, "V2-SEQ-16", Shown("actual_seq_kvlen.given", c.actual_seq_kvlen.given), "actual_seq_kvlen is given", "Pass the key length of each batch."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.TNDLIKE && c.actual_seq_qlen.given && c.actual_seq_kvlen.given))) {
        if (!(fia::Len(c.actual_seq_kvlen.value) == fia::Len(c.actual_seq_qlen.value))) {
            found.push_back({561002, "V2-SEQ-13", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("actual_seq_qlen", c.actual_seq_qlen.value), "the number of entries of actual_seq_kvlen is the number of entries of actual_seq_qlen", "Pass one entry per batch in both lists."});
        }
    }
    if (!skipped && (c.PA)) {
        if (!(c.block_size > 0)) {
            found.push_back({561002, "V2-PA-09", Shown("block_size", c.block_size), "block_size is more than 0", "Pass the block axis of the cache as block_size."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && c.PA)) {
        if (!(c.block_table.rank == 2 && fia::At(c.block_table.shape, 0) == c.B && c.block_table.dtype == "int32")) {
            found.push_back({561002, "V2-PA-03", Shown("block_table.shape", c.block_table.shape) + ", " + Shown("block_table.dtype", c.block_table.dtype) + ", " + Shown("B", c.B), "the rank of block_table is 2 and axis 0 of block_table is B and the dtype of block_table is int32", "Pass one int32 row per batch."});
        }
    }
    if (!skipped && (c.PA)) {
        if (!((c.key.rank == 3) ? (fia::At(c.key.shape, 1) == c.block_size && fia::At(c.value.shape, 1) == c.block_size && fia::FloorMod(fia::At(c.key.shape, 2), c.KV_N) == 0) : ((c.key.rank == 4) ? (fia::At(c.key.shape, 2) == c.block_size && fia::At(c.value.shape, 2) == c.block_size && (fia::At(c.key.shape, 1) == c.KV_N || (c.authority == "host" && c.HOST_PATH == "FAI"))) : (fia::At(c.key.shape, 3) == c.block_size && fia::At(c.value.shape, 3) == c.block_size && (fia::At(c.key.shape, 1) == c.KV_N || (c.authority == "host" && c.HOST_PATH == "FAI")))))) {
            found.push_back({561002, "V2-PA-36", Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape) + ", " + Shown("block_size", c.block_size) + ", " + Shown("KV_N", c.KV_N), "(axis 1 of key is block_size and axis 1 of value is block_size and axis 2 of key is a multiple of KV_N) if the rank of key is 3, else ((axis 2 of key is block_size and axis 2 of value is block_size and (axis 1 of key is KV_N or (authority is host and HOST_PATH is FAI))) if the rank of key is 4, else (axis 3 of key is block_size and axis 3 of value is block_size and (axis 1 of key is KV_N or (authority is host and HOST_PATH is FAI))))", "Pass the block axis as block_size and the N axis as num_key_value_heads."});
        }
    }
    if (!skipped && (c.PSE)) {
        if (!(c.pse_shift.rank == 4 && fia::At(c.pse_shift.shape, 1) == c.Q_N && fia::In<int64_t>(fia::At(c.pse_shift.shape, 0), {1, c.B}))) {
            found.push_back({561002, "V2-PSE-16", Shown("pse_shift.shape", c.pse_shift.shape) + ", " + Shown("B", c.B) + ", " + Shown("Q_N", c.Q_N), "the rank of pse_shift is 4 and axis 1 of pse_shift is Q_N and axis 0 of pse_shift is one of (1, B)", "Expand it over the heads."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(c.query_rope.shape == fia::WithLast(c.query.shape, (c.Q_LAYOUT == "BSH") ? fia::Mul(c.Q_N, 64) : int64_t(64)))) {
            found.push_back({561002, "V2-MLA-05", Shown("query_rope.shape", c.query_rope.shape) + ", " + Shown("query.shape", c.query.shape) + ", " + Shown("input_layout", c.input_layout), "the shape of query_rope is the shape of query with (Q_N * 64 if Q_LAYOUT is BSH, else 64) as its last axis", "Reshape query_rope."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(c.key_rope.shape == (c.NZ ? fia::Ints{c.NB, c.KV_N, 4, fia::At(c.key.shape, 3), 16} : fia::WithLast(c.key.shape, ((c.PA && c.key.rank == 3) || (!c.PA && c.Q_LAYOUT == "BSH")) ? fia::Mul(c.KV_N, 64) : int64_t(64))))) {
            found.push_back({561002, "V2-MLA-06", Shown("key_rope.shape", c.key_rope.shape) + ", " + Shown("key.shape", c.key.shape) + ", " + Shown("input_layout", c.input_layout), "the shape of key_rope is ((NB, KV_N, 4, axis 3 of key, 16) if NZ is true, else the shape of key with (KV_N * 64 if ((PA is true and the rank of key is 3) or (PA is false and Q_LAYOUT is BSH)), else 64) as its last axis)", "Reshape key_rope."});
        }
    }
    if (!skipped && (c.NZ)) {
        if (!(fia::At(c.key.shape, 4) == ((c.key.dtype == "int8") ? int64_t(32) : int64_t(16)) && fia::At(c.value.shape, 4) == fia::At(c.key.shape, 4))) {
            found.push_back({561002, "V2-NZ-01", Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape) + ", " + Shown("key.dtype", c.key.dtype), "axis 4 of key is (32 if the dtype of key is int8, else 16) and axis 4 of value is axis 4 of key", "Reorder the cache."});
        }
    }
}

// Rules on the value of the call.
void CheckValue(const Call& c, [[maybe_unused]] bool skipped, std::vector<Violation>& found)
{
    if (!skipped) {
        if (!(c.query.contiguous && c.key.contiguous && c.value.contiguous)) {
            found.push_back({561002, "V2-GEN-01", Shown("query.contiguous", c.query.contiguous) + ", " + Shown("key.contiguous", c.key.contiguous) + ", " + Shown("value.contiguous", c.value.contiguous), "query is contiguous and key is contiguous and value is contiguous", "Call .contiguous() first."});
        }
    }
    if (!skipped) {
        if (!((!c.query_rope.given || c.query_rope.contiguous) && (!c.key_rope.given || c.key_rope.contiguous) && (!c.pse_shift.given || c.pse_shift.contiguous) && (!c.atten_mask.given || c.atten_mask.contiguous))) {
            found.push_back({561002, "V2-GEN-02", Shown("query_rope.given", c.query_rope.given) + ", " + Shown("key_rope.given", c.key_rope.given) + ", " + Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("atten_mask.given", c.atten_mask.given), "(query_rope is not given or query_rope is contiguous) and (key_rope is not given or key_rope is contiguous) and (pse_shift is not given or pse_shift is contiguous) and (atten_mask is not given or atten_mask is contiguous)", "Call .contiguous() first."});
        }
    }
    if (!skipped) {
        if (!(fia::In<std::string_view>(c.query.dtype, {"float16", "bfloat16"}) || (c.FULLQ && c.MLA512))) {
            found.push_back({161002, "V2-GEN-03", Shown("query.dtype", c.query.dtype), "the dtype of query is one of (float16, bfloat16) or (FULLQ is true and MLA512 is true)", "Convert query, or use the older interface for plain int8."});
        }
    }
    if (!skipped) {
        if (!(fia::In<std::string_view>(c.key.dtype, {"float16", "bfloat16", "int8", "int32", "int4"}) && fia::In<std::string_view>(c.value.dtype, {"float16", "bfloat16", "int8", "int32", "int4"}))) {
            found.push_back({161002, "V2-GEN-04", Shown("key.dtype", c.key.dtype) + ", " + Shown("value.dtype", c.value.dtype), "the dtype of key is one of (float16, bfloat16, int8, int32, int4) and the dtype of value is one of (float16, bfloat16, int8, int32, int4)", "Convert key and value."});
        }
    }
    if (!skipped && (c.authority == "document" || !(c.HOST_PATH == "NEW" && c.PA))) {
        if (!(c.key.dtype == c.value.dtype)) {
            found.push_back({161002, "V2-GEN-05", Shown("key.dtype", c.key.dtype) + ", " + Shown("value.dtype", c.value.dtype), "the dtype of key is the dtype of value", "Convert one of them."});
        }
    }
    if (!skipped && (c.FLOATKV)) {
        if (!(c.key.dtype == c.query.dtype)) {
            found.push_back({161002, "V2-GEN-53", Shown("key.dtype", c.key.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of key is the dtype of query", "Convert query or the cache."});
        }
    }
    if (!skipped && (!c.TNDLIKE || c.actual_seq_qlen.given)) {
        if (!(0 < c.B && c.B <= 65536)) {
            found.push_back({561002, "V2-GEN-46", Shown("B", c.B), "0 is less than B and B is at most 65536", "Split the call."});
        }
    }
    if (!skipped) {
        if (!(c.Dq <= 512 && c.Dv <= 512)) {
            found.push_back({561002, "V2-GEN-47", Shown("Dq", c.Dq) + ", " + Shown("Dv", c.Dv), "Dq is at most 512 and Dv is at most 512", "Split the head dim outside the operator."});
        }
    }
    if (!skipped && (c.authority == "document" || c.HOST_PATH == "PFA")) {
        if (!(c.Q_N <= 256 && c.KV_N <= 256)) {
            found.push_back({561002, "V2-GEN-48", Shown("Q_N", c.Q_N) + ", " + Shown("KV_N", c.KV_N), "Q_N is at most 256 and KV_N is at most 256", "Split the heads over several calls."});
        }
    }
    if (!skipped && ((c.authority == "document" || fia::In<std::string_view>(c.HOST_PATH, {"IFA", "PFA"})) && !c.MLA512)) {
        if (!(c.GROUP <= 64)) {
            found.push_back({561002, "V2-GEN-12", Shown("num_query_heads", c.num_query_heads) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("GROUP", c.GROUP), "GROUP is at most 64", "Split the query heads, or repeat the key heads."});
        }
    }
    if (!skipped && (c.authority == "document")) {
        if (!(fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD", "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD", "TND", "TND_NTD", "NTD_TND"}) || (c.edition == "current" && (c.input_layout == "NTD" || (fia::In<std::string_view>(c.input_layout, {"BSH_BNSD", "BSND_BNSD"}) && c.MLA128))))) {
            found.push_back({561002, "V2-GEN-14", Shown("input_layout", c.input_layout), "input_layout is one of (BSH, BSND, BNSD, BNSD_BSND, BSH_NBSD, BSND_NBSD, BNSD_NBSD, TND, TND_NTD, NTD_TND) or (edition is current and (input_layout is NTD or (input_layout is one of (BSH_BNSD, BSND_BNSD) and MLA128 is true)))", "Use a documented layout."});
        }
    }
    if (!skipped && (fia::In<std::string_view>(c.input_layout, {"BSH_BNSD", "BSND_BNSD"}))) {
        if (!((c.Dq == c.Dk && c.Dk == c.Dv && fia::In<int64_t>(c.Dv, {64, 128})) || (c.Dq == 192 && c.Dk == 192 && c.Dv == 128) || c.MLA128)) {
            found.push_back({561002, "V2-GEN-21", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv) + ", " + Shown("input_layout", c.input_layout), "(Dq is Dk and Dk is Dv and Dv is one of (64, 128)) or (Dq is 192 and Dk is 192 and Dv is 128) or MLA128 is true", "Use BSH or BSND and transpose afterwards."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "NEW") && c.input_layout == "BNSD_BSND")) {
        if (!(c.Q_S > 1)) {
            found.push_back({561002, "V2-GEN-19", Shown("Q_S", c.Q_S), "Q_S is more than 1", "Use BNSD; with one token the two differ by a reshape only."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.OUT_LAYOUT == "NBSD" && !c.MLA512))) {
        if (!(1 < c.Q_S && c.Q_S <= 16)) {
            found.push_back({561002, "V2-GEN-20", Shown("Q_S", c.Q_S) + ", " + Shown("input_layout", c.input_layout), "1 is less than Q_S and Q_S is at most 16", "Use the layout without _NBSD and transpose afterwards."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && (c.OUT_LAYOUT == "NBSD" && !c.ANTIQ))) {
        if (!(c.MLA512)) {
            found.push_back({561002, "V2-GEN-55", Shown("input_layout", c.input_layout) + ", " + Shown("Dq", c.Dq) + ", " + Shown("query_rope.given", c.query_rope.given), "MLA512", "Use the layout without _NBSD and transpose afterwards."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && (c.NOQ && !c.ROPE))) {
        if (!(((c.BSX && c.Q_S > 1) || c.input_layout == "BNSD_BSND") ? (fia::FloorMod(c.Dv, 16) == 0) : (fia::In<std::string_view>(c.input_layout, {"NTD", "NTD_TND", "BSH_BNSD", "BSND_BNSD"}) ? fia::In<int64_t>(c.Dv, {64, 128}) : ((c.input_layout == "TND") ? fia::In<int64_t>(c.Dv, {64, 128, 192}) : true)))) {
            found.push_back({561002, "V2-GEN-51", Shown("Dv", c.Dv) + ", " + Shown("input_layout", c.input_layout), "Dv is a multiple of 16 if ((BSX is true and Q_S is more than 1) or input_layout is BNSD_BSND), else (Dv is one of (64, 128) if input_layout is one of (NTD, NTD_TND, BSH_BNSD, BSND_BNSD), else (Dv is one of (64, 128, 192) if input_layout is TND, else true))", "Pad the head dim."});
        }
    }
    if (!skipped && (c.authority == "document" || c.HOST_PATH == "NEW")) {
        if (!(fia::In<std::string_view>(c.query.format, {"ND", "NCHW", "NHWC", "NCDHW"}) && (c.authority == "document" || (fia::In<std::string_view>(c.key.format, {"ND", "NCHW", "NHWC", "NCDHW"}) && fia::In<std::string_view>(c.value.format, {"ND", "NCHW", "NHWC", "NCDHW"}))))) {
            found.push_back({161002, "V2-GEN-54", Shown("query.format", c.query.format) + ", " + Shown("key.format", c.key.format) + ", " + Shown("value.format", c.value.format), "the format of query is one of (ND, NCHW, NHWC, NCDHW) and (authority is document or (the format of key is one of (ND, NCHW, NHWC, NCDHW) and the format of value is one of (ND, NCHW, NHWC, NCDHW)))", "Pass tensors marked ND."});
        }
    }
    if (!skipped) {
        if (!(!fia::In<int64_t>(c.sparse_mode, {5, 6, 7, 8}))) {
            found.push_back({561002, "V2-GEN-30", Shown("sparse_mode", c.sparse_mode), "sparse_mode is none of (5, 6, 7, 8)", "Use mode 1 with a full mask that says the same."});
        }
    }
    if (!skipped && (!fia::In<int64_t>(c.sparse_mode, {5, 6, 7, 8}))) {
        if (!(fia::In<int64_t>(c.sparse_mode, {0, 1, 2, 3, 4}) || (c.sparse_mode == 9 && (c.edition == "current" || c.authority == "host") && !(c.authority == "host" && c.HOST_PATH == "PFA")))) {
            found.push_back({561002, "V2-GEN-29", Shown("sparse_mode", c.sparse_mode), "sparse_mode is one of (0, 1, 2, 3, 4) or (sparse_mode is 9 and (edition is current or authority is host) and it is not true that (authority is host and HOST_PATH is PFA))", "Use a listed mode."});
        }
    }
    if (!skipped) {
        if (!(fia::In<int64_t>(c.inner_precise, {0, 1, 2, 3}) || (c.inner_precise == 4 && c.authority == "host" && c.HOST_PATH == "NEW"))) {
            found.push_back({561002, "V2-GEN-31", Shown("inner_precise", c.inner_precise), "inner_precise is one of (0, 1, 2, 3) or (inner_precise is 4 and authority is host and HOST_PATH is NEW)", "Use 0 or 1, plus 2 when rows may be masked entirely."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "IFA") && c.DECODE1)) {
        if (!(fia::In<int64_t>(c.inner_precise, {0, 1}) || !fia::In<int64_t>(c.inner_precise, {0, 1, 2, 3}))) {
            found.push_back({561002, "V2-GEN-32", Shown("inner_precise", c.inner_precise) + ", " + Shown("Q_S", c.Q_S), "inner_precise is one of (0, 1) or inner_precise is none of (0, 1, 2, 3)", "Use 0 or 1."});
        }
    }
    if (!skipped) {
        if (!(fia::Abs(c.softmax_scale) <= 3.4028234663852886e+38)) {
            found.push_back({561002, "V2-GEN-38", Shown("softmax_scale", c.softmax_scale), "the absolute value of softmax_scale is at most 3.4028234663852886e+38", "Pass a finite number, usually 1/sqrt(D)."});
        }
    }
    if (!skipped && (c.query.dtype == "int8")) {
        if (!(c.query_quant_mode == 3)) {
            found.push_back({561002, "V2-GEN-40", Shown("query_quant_mode", c.query_quant_mode), "query_quant_mode is 3", "Pass query_quant_mode=3."});
        }
    }
    if (!skipped && ((c.authority == "document" || fia::In<std::string_view>(c.HOST_PATH, {"IFA", "PFA"})) && c.FLOATQ)) {
        if (!(c.query_quant_mode == 0 && !c.dequant_scale_query.given)) {
            found.push_back({561002, "V2-GEN-41", Shown("query_quant_mode", c.query_quant_mode) + ", " + Shown("dequant_scale_query.given", c.dequant_scale_query.given), "query_quant_mode is 0 and dequant_scale_query is not given", "Leave query_quant_mode and dequant_scale_query out."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.actual_seq_qlen.given))) {
        if (!(fia::Len(c.actual_seq_qlen.value) <= 4096 && (!c.actual_seq_kvlen.given || fia::Len(c.actual_seq_kvlen.value) <= 4096))) {
            found.push_back({561002, "V2-SEQ-12", Shown("B", c.B), "the number of entries of actual_seq_qlen is at most 4096 and (actual_seq_kvlen is not given or the number of entries of actual_seq_kvlen is at most 4096)", "Split the call."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.TNDLIKE && c.actual_seq_qlen.given))) {
        if (!(fia::NonDecreasing(c.actual_seq_qlen.value) && fia::AllAtLeast(c.actual_seq_qlen.value, 0))) {
            found.push_back({561002, "V2-SEQ-09", Shown("actual_seq_qlen", c.actual_seq_qlen.value), "actual_seq_qlen never decreases and every entry of actual_seq_qlen is at least 0", "Pass the cumulative sum of the lengths."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.TNDLIKE && !c.PA && c.actual_seq_kvlen.given))) {
        if (!(fia::NonDecreasing(c.actual_seq_kvlen.value) && fia::AllAtLeast(c.actual_seq_kvlen.value, 0))) {
            found.push_back({561002, "V2-SEQ-10", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value), "actual_seq_kvlen never decreases and every entry of actual_seq_kvlen is at least 0", "Pass the cumulative sum of the lengths."});
        }
    }
    if (!skipped && (c.TNDLIKE && c.actual_seq_qlen.given)) {
        if (!(fia::Last(c.actual_seq_qlen.value) == c.T)) {
            found.push_back({561002, "V2-SEQ-14", Shown("actual_seq_qlen", c.actual_seq_qlen.value) + ", " + Shown("T", c.T), "the last entry of actual_seq_qlen is T", "Cut padding tokens off query, or give them to the last batch."});
        }
    }
    if (!skipped && (c.TNDLIKE && !c.PA && c.actual_seq_kvlen.given)) {
        if (!(fia::Last(c.actual_seq_kvlen.value) == c.T2)) {
            found.push_back({561002, "V2-SEQ-15", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("T2", c.T2), "the last entry of actual_seq_kvlen is T2", "Cut padding tokens off key, or give them to the last batch."});
        }
    }
    if (!skipped && (c.actual_seq_qlen.given && !c.TNDLIKE && !c.DECODE1)) {
        if (!(fia::Len(c.actual_seq_qlen.value) == 1 || fia::Len(c.actual_seq_qlen.value) >= c.B)) {
            found.push_back({561002, "V2-SEQ-01", Shown("actual_seq_qlen", c.actual_seq_qlen.value) + ", " + Shown("B", c.B), "the number of entries of actual_seq_qlen is 1 or the number of entries of actual_seq_qlen is at least B", "Pass one entry per batch."});
        }
    }
    if (!skipped && (c.actual_seq_kvlen.given && !c.TNDLIKE)) {
        if (!(fia::Len(c.actual_seq_kvlen.value) == 1 || fia::Len(c.actual_seq_kvlen.value) >= c.B)) {
            found.push_back({561002, "V2-SEQ-02", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("B", c.B), "the number of entries of actual_seq_kvlen is 1 or the number of entries of actual_seq_kvlen is at least B", "Pass one entry per batch."});
        }
    }
    if (!skipped && (c.actual_seq_qlen.given && !c.TNDLIKE && !c.DECODE1)) {
        if (!(fia::AllBetween(fia::Expand(c.actual_seq_qlen.value, c.B), 0, c.Q_S))) {
            found.push_back({561002, "V2-SEQ-03", Shown("actual_seq_qlen", c.actual_seq_qlen.value) + ", " + Shown("B", c.B) + ", " + Shown("Q_S", c.Q_S), "every entry of actual_seq_qlen for B batches is from 0 to Q_S", "Correct the entry, or pad query."});
        }
    }
    if (!skipped && (c.actual_seq_kvlen.given && !c.TNDLIKE && !c.PA)) {
        if (!(fia::AllBetween(fia::Expand(c.actual_seq_kvlen.value, c.B), 0, c.KV_AXIS))) {
            found.push_back({561002, "V2-SEQ-04", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("B", c.B) + ", " + Shown("KV_AXIS", c.KV_AXIS), "every entry of actual_seq_kvlen for B batches is from 0 to KV_AXIS", "Correct the entry, or pad key."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.actual_seq_kvlen.given && c.PA))) {
        if (!(fia::AllAtLeast(c.actual_seq_kvlen.value, 0))) {
            found.push_back({561002, "V2-SEQ-20", Shown("actual_seq_kvlen", c.actual_seq_kvlen.value), "every entry of actual_seq_kvlen is at least 0", "Correct the entry."});
        }
    }
    if (!skipped && (c.MLA512)) {
        if (!(!c.actual_seq_qlen.given || c.TNDLIKE)) {
            found.push_back({561002, "V2-SEQ-18", Shown("input_layout", c.input_layout) + ", " + Shown("actual_seq_qlen.given", c.actual_seq_qlen.given), "actual_seq_qlen is not given or TNDLIKE is true", "Leave actual_seq_qlen out, or use TND."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "IFA" && c.GQANZ)) {
        if (!(!c.actual_seq_qlen.given)) {
            found.push_back({561002, "V2-SEQ-19", Shown("actual_seq_qlen.given", c.actual_seq_qlen.given), "actual_seq_qlen is not given", "Leave actual_seq_qlen out."});
        }
    }
    if (!skipped) {
        if (!((!c.query_rope.given || c.query_rope.numel > 0) && (!c.key_rope.given || c.key_rope.numel > 0) && (!c.pse_shift.given || c.pse_shift.numel > 0) && (!c.block_table.given || c.block_table.numel > 0) && (!c.dequant_scale_query.given || c.dequant_scale_query.numel > 0) && (!c.dequant_scale_key.given || c.dequant_scale_key.numel > 0) && (!c.dequant_offset_key.given || c.dequant_offset_key.numel > 0) && (!c.dequant_scale_value.given || c.dequant_scale_value.numel > 0) && (!c.dequant_offset_value.given || c.dequant_offset_value.numel > 0) && (!c.quant_scale_out.given || c.quant_scale_out.numel > 0) && (!c.quant_offset_out.given || c.quant_offset_out.numel > 0) && (!c.learnable_sink.given || c.learnable_sink.numel > 0))) {
            found.push_back({561002, "V2-EMPTY-06", Shown("query_rope.given", c.query_rope.given) + ", " + Shown("key_rope.given", c.key_rope.given) + ", " + Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("block_table.given", c.block_table.given) + ", " + Shown("learnable_sink.given", c.learnable_sink.given), "(query_rope is not given or the number of elements of query_rope is more than 0) and (key_rope is not given or the number of elements of key_rope is more than 0) and (pse_shift is not given or the number of elements of pse_shift is more than 0) and (block_table is not given or the number of elements of block_table is more than 0) and (dequant_scale_query is not given or the number of elements of dequant_scale_query is more than 0) and (dequant_scale_key is not given or the number of elements of dequant_scale_key is more than 0) and (dequant_offset_key is not given or the number of elements of dequant_offset_key is more than 0) and (dequant_scale_value is not given or the number of elements of dequant_scale_value is more than 0) and (dequant_offset_value is not given or the number of elements of dequant_offset_value is more than 0) and (quant_scale_out is not given or the number of elements of quant_scale_out is more than 0) and (quant_offset_out is not given or the number of elements of quant_offset_out is more than 0) and (learnable_sink is not given or the number of elements of learnable_sink is more than 0)", "Leave the empty tensor out."});
        }
    }
    if (c.authority == "document" && (c.query_rope.given && c.key_rope.given && c.query.rank >= 3 && fia::In<int64_t>(c.Dq, {128, 512}))) {
        if (!(c.query.numel > 0 && c.key.numel > 0 && c.value.numel > 0)) {
            found.push_back({561002, "V2-EMPTY-07", Shown("query.numel", c.query.numel) + ", " + Shown("key.numel", c.key.numel) + ", " + Shown("value.numel", c.value.numel), "the number of elements of query is more than 0 and the number of elements of key is more than 0 and the number of elements of value is more than 0", "Skip the call."});
        }
    }
    if (c.authority == "host" && c.HOST_PATH == "IFA" && (c.query_rope.given && c.key_rope.given && c.Dq == 512)) {
        if (!(c.key.numel > 0 && c.key_rope.numel > 0)) {
            found.push_back({561002, "V2-EMPTY-08", Shown("key.numel", c.key.numel) + ", " + Shown("key_rope.numel", c.key_rope.numel), "the number of elements of key is more than 0 and the number of elements of key_rope is more than 0", "Skip the call."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && c.TNDLIKE)) {
        if (!((c.authority == "document") ? (c.T <= 1048576) : (fia::Mul(c.T, 2) <= 1048576))) {
            found.push_back({561002, "V2-TND-01", Shown("authority", c.authority) + ", " + Shown("T", c.T), "T is at most 1048576 if authority is document, else T * 2 is at most 1048576", "Split the call."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && c.TNDLIKE)) {
        if (!((c.sparse_mode == 0 && !c.MASK) || c.sparse_mode == 3 || (c.sparse_mode == 4 && c.Dq != 512))) {
            found.push_back({561002, "V2-TND-02", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given) + ", " + Shown("Dq", c.Dq), "(sparse_mode is 0 and MASK is false) or sparse_mode is 3 or (sparse_mode is 4 and Dq is not 512)", "Use mode 3 for causal attention, mode 0 and no mask for all pairs."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.TNDLIKE && c.Dq == 512 && !c.ROPE))) {
        if (!(fia::In<int64_t>(c.sparse_mode, {0, 3, 4, 9}) && !(c.authority == "host" && c.HOST_PATH == "IFA" && c.sparse_mode == 4))) {
            found.push_back({561002, "V2-TND-04", Shown("sparse_mode", c.sparse_mode), "sparse_mode is one of (0, 3, 4, 9) and it is not true that (authority is host and HOST_PATH is IFA and sparse_mode is 4)", "Use one of them."});
        }
    }
    if (!skipped && (c.TNDLIKE && c.Dq == 512 && !c.ROPE)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"TND", "TND_NTD"}))) {
            found.push_back({561002, "V2-TND-05", Shown("input_layout", c.input_layout) + ", " + Shown("Dq", c.Dq), "input_layout is one of (TND, TND_NTD)", "Use TND."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.TNDLIKE && c.Dq == 512))) {
        if (!(c.PA)) {
            found.push_back({561002, "V2-TND-08", Shown("Dq", c.Dq) + ", " + Shown("block_table.given", c.block_table.given), "PA", "Pass a cache with block_table."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.TNDLIKE && c.Dq == 512))) {
        if (!((c.authority == "document") ? fia::AllBetween(c.Lq, 1, 16) : fia::AllBetween(c.Lq, 0, 32))) {
            found.push_back({561002, "V2-TND-09", Shown("Lq", c.Lq), "every entry of Lq is from 1 to 16 if authority is document, else every entry of Lq is from 0 to 32", "Split the batch."});
        }
    }
    if (!skipped && (c.TNDLIKE && c.Dq == 512)) {
        if (!(c.ROPE)) {
            found.push_back({561002, "V2-TND-11", Shown("Dq", c.Dq) + ", " + Shown("query_rope.given", c.query_rope.given) + ", " + Shown("key_rope.given", c.key_rope.given), "ROPE", "Pass query_rope and key_rope, or use another layout."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.TNDLIKE && c.Dq != 512))) {
        if (!(fia::In<std::string_view>(c.input_layout, {"TND", "NTD", "NTD_TND"}))) {
            found.push_back({561002, "V2-TND-14", Shown("input_layout", c.input_layout) + ", " + Shown("Dq", c.Dq), "input_layout is one of (TND, NTD, NTD_TND)", "Use TND and transpose afterwards."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512))) {
        if (!(fia::In<std::string_view>(c.input_layout, {"TND", "NTD_TND"}))) {
            found.push_back({561002, "V2-TND-15", Shown("input_layout", c.input_layout) + ", " + Shown("Dq", c.Dq), "input_layout is one of (TND, NTD_TND)", "Use TND."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && !c.ROPE && c.input_layout == "TND"))) {
        if (!((c.Dq == 128 && c.Dk == 128 && c.Dv == 128) || (c.Dq == 192 && c.Dk == 192 && fia::In<int64_t>(c.Dv, {128, 192})) || (c.edition == "current" && c.Dq == 64 && c.Dk == 64 && c.Dv == 64))) {
            found.push_back({561002, "V2-TND-16", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "(Dq is 128 and Dk is 128 and Dv is 128) or (Dq is 192 and Dk is 192 and Dv is one of (128, 192)) or (edition is current and Dq is 64 and Dk is 64 and Dv is 64)", "Pad the head dim to 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && !c.ROPE && c.input_layout == "NTD"))) {
        if (!(c.Dv != 192)) {
            found.push_back({561002, "V2-TND-17", Shown("Dv", c.Dv), "Dv is not 192", "Use TND."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && !c.ROPE && c.input_layout == "NTD_TND"))) {
        if (!(c.Dq == c.Dk && fia::In<int64_t>(c.Dk, {128, 192}) && c.Dv == 128)) {
            found.push_back({561002, "V2-TND-18", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dq is Dk and Dk is one of (128, 192) and Dv is 128", "Pad the head dim to 128."});
        }
    }
    if (!skipped && (c.TNDLIKE && c.Dq != 512 && c.ROPE)) {
        if (!(c.Dq == 128 && c.Dk == 128 && c.Dv == 128)) {
            found.push_back({561002, "V2-TND-19", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dq is 128 and Dk is 128 and Dv is 128", "Use head dim 128."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.Dq != 512 && (!c.MHA || c.PA)))) {
        if (!(c.Dv != 192)) {
            found.push_back({561002, "V2-TND-20", Shown("Dv", c.Dv), "Dv is not 192", "Use 192/128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && c.MHA && !c.ROPE))) {
        if (!((c.Dq == 64 && c.Dk == 64 && c.Dv == 64) || (c.Dq == 128 && c.Dk == 128 && c.Dv == 128) || (c.Dq == 192 && c.Dk == 192 && c.Dv == 128))) {
            found.push_back({561002, "V2-TND-21", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "(Dq is 64 and Dk is 64 and Dv is 64) or (Dq is 128 and Dk is 128 and Dv is 128) or (Dq is 192 and Dk is 192 and Dv is 128)", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.Dq != 512))) {
        if (!(c.query.dtype == "bfloat16")) {
            found.push_back({161002, "V2-TND-23", Shown("query.dtype", c.query.dtype) + ", " + Shown("input_layout", c.input_layout), "the dtype of query is bfloat16", "Convert to bfloat16, or use a padded layout."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.authority == "document" || fia::In<std::string_view>(c.HOST_PATH, {"PFA", "FAI"})) && (c.TNDLIKE && c.Dq != 512 && c.MHA && c.sparse_mode == 0))) {
        if (!(!c.MASK)) {
            found.push_back({561002, "V2-TND-25", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "MASK is false", "Use mode 3 with the 2048 x 2048 pattern, or a padded layout."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.Dq != 512 && c.sparse_mode == 3))) {
        if (!((c.authority == "document") ? fia::EachLess(c.Lq, c.Lk) : fia::EachAtMost(c.Lq, c.Lk))) {
            found.push_back({561002, "V2-TND-27", Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "every entry of Lq is less than that of Lk if authority is document, else every entry of Lq is at most that of Lk", "Use padded layouts, or the current edition."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.Dq != 512 && c.sparse_mode == 4 && (c.edition == "seed" || !c.MHA)))) {
        if (!(c.pre_tokens >= fia::Neg(fia::MinOf(c.Lq)) && c.next_tokens >= fia::Neg(fia::MinOf(c.Lk)))) {
            found.push_back({561002, "V2-TND-28", Shown("pre_tokens", c.pre_tokens) + ", " + Shown("next_tokens", c.next_tokens) + ", " + Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "pre_tokens is at least -the smallest of Lq and next_tokens is at least -the smallest of Lk", "Enlarge the band."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && c.MHA && c.query.dtype == "float16"))) {
        if (!(fia::In<int64_t>(c.inner_precise, {0, 1}))) {
            found.push_back({561002, "V2-TND-29", Shown("inner_precise", c.inner_precise), "inner_precise is one of (0, 1)", "Use 0 or 1."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && c.MHA && c.query.dtype == "bfloat16"))) {
        if (!(c.inner_precise == 0)) {
            found.push_back({561002, "V2-TND-30", Shown("inner_precise", c.inner_precise), "inner_precise is 0", "Leave inner_precise at 0."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.authority == "document" || c.HOST_PATH == "NEW") && (c.TNDLIKE && c.Dq != 512 && c.PA))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 1024)) {
            found.push_back({561002, "V2-TND-31", Shown("block_size", c.block_size), "block_size is a multiple of 16 and block_size is at most 1024", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && c.PA))) {
        if (!(fia::In<int64_t>(c.block_size, {128, 512, 1024}))) {
            found.push_back({561002, "V2-TND-32", Shown("block_size", c.block_size), "block_size is one of (128, 512, 1024)", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && c.MHA && c.PA))) {
        if (!(c.CACHE == "BnBsH")) {
            found.push_back({561002, "V2-TND-33", Shown("CACHE", c.CACHE) + ", " + Shown("key.shape", c.key.shape), "CACHE is BnBsH", "Reshape the cache."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.TNDLIKE && c.Dq != 512))) {
        if (!(!c.ANTIQ && !c.FULLQ)) {
            found.push_back({561002, "V2-TND-34", Shown("query.dtype", c.query.dtype) + ", " + Shown("key.dtype", c.key.dtype), "ANTIQ is false and FULLQ is false", "Use a padded layout."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "PFA") && (c.TNDLIKE && c.Dq != 512))) {
        if (!(!c.POSTQ)) {
            found.push_back({561002, "V2-TND-35", Shown("quant_scale_out.given", c.quant_scale_out.given) + ", " + Shown("input_layout", c.input_layout), "POSTQ is false", "Quantise outside the operator."});
        }
    }
    if ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.TNDLIKE && c.query.rank == 3 && fia::At(c.query.shape, 2) != 512)) {
        if (!(c.query.numel > 0 && c.key.numel > 0 && c.value.numel > 0)) {
            found.push_back({561002, "V2-TND-36", Shown("query.numel", c.query.numel) + ", " + Shown("key.numel", c.key.numel) + ", " + Shown("value.numel", c.value.numel), "the number of elements of query is more than 0 and the number of elements of key is more than 0 and the number of elements of value is more than 0", "Skip the call."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.authority == "document" || c.HOST_PATH == "FAI") && (c.TNDLIKE && c.Dq != 512 && !c.MHA && !c.ROPE))) {
        if (!((c.sparse_mode == 0 && !c.MASK) || fia::In<int64_t>(c.sparse_mode, {3, 4, 9}))) {
            found.push_back({561002, "V2-TND-40", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "(sparse_mode is 0 and MASK is false) or sparse_mode is one of (3, 4, 9)", "Use mode 3 for causal attention."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && !c.MHA && c.sparse_mode == 4))) {
        if (!((c.Dq == c.Dk && c.Dk == c.Dv && c.Dq <= 256) || (c.Dq == 192 && c.Dk == 192 && fia::In<int64_t>(c.Dv, {128, 192})))) {
            found.push_back({561002, "V2-TND-41", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "(Dq is Dk and Dk is Dv and Dq is at most 256) or (Dq is 192 and Dk is 192 and Dv is one of (128, 192))", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.TNDLIKE && c.Dq != 512 && !c.MHA && !c.ROPE))) {
        if (!(c.inner_precise == 0)) {
            found.push_back({561002, "V2-TND-42", Shown("inner_precise", c.inner_precise), "inner_precise is 0", "Leave inner_precise at 0."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "FAI" && c.sparse_mode == 4)) {
        if (!(!(c.pre_tokens < 0 && c.next_tokens < 0))) {
            found.push_back({561002, "V2-TND-48", Shown("pre_tokens", c.pre_tokens) + ", " + Shown("next_tokens", c.next_tokens), "it is not true that (pre_tokens is less than 0 and next_tokens is less than 0)", "Make one of the two positive."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "PFA" && (c.input_layout == "TND" && c.sparse_mode == 4))) {
        if (!(fia::In<int64_t>(c.Dv, {64, 128}))) {
            found.push_back({561002, "V2-TND-49", Shown("Dv", c.Dv), "Dv is one of (64, 128)", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.PA && c.block_size > 0 && c.actual_seq_kvlen.given))) {
        if (!(c.W >= c.MAX_BLOCKS)) {
            found.push_back({561002, "V2-PA-04", Shown("block_table.shape", c.block_table.shape) + ", " + Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("block_size", c.block_size) + ", " + Shown("MAX_BLOCKS", c.MAX_BLOCKS), "W is at least MAX_BLOCKS", "Widen block_table, or correct actual_seq_kvlen."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && c.block_size > 0 && c.actual_seq_kvlen.given))) {
        if (!(c.NB >= fia::Sum(fia::CeilDivEach(c.Lk, c.block_size)))) {
            found.push_back({561002, "V2-PA-07", Shown("NB", c.NB) + ", " + Shown("actual_seq_kvlen", c.actual_seq_kvlen.value) + ", " + Shown("block_size", c.block_size), "NB is at least the sum of every entry of Lk / block_size rounded up", "Enlarge the pool."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && c.PREFILL && !c.TNDLIKE && !c.ROPE && !c.GQANZ))) {
        if (!(fia::FloorMod(c.block_size, 128) == 0 && 128 <= c.block_size && c.block_size <= 512)) {
            found.push_back({561002, "V2-PA-10", Shown("block_size", c.block_size), "block_size is a multiple of 128 and 128 is at most block_size and block_size is at most 512", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && (c.PA && c.NOQ && c.ROPE))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 1024)) {
            found.push_back({561002, "V2-PA-11", Shown("block_size", c.block_size), "block_size is a multiple of 16 and block_size is at most 1024", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && (c.PA && c.NOQ && !c.ROPE && c.Dq == c.Dk && c.Dk == c.Dv && fia::In<int64_t>(c.Dq, {64, 128})))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 1024)) {
            found.push_back({561002, "V2-PA-12", Shown("block_size", c.block_size), "block_size is a multiple of 16 and block_size is at most 1024", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && (c.PA && c.NOQ && !c.ROPE && !(c.Dq == c.Dv && fia::In<int64_t>(c.Dq, {64, 128})) && c.Q_S > 1))) {
        if (!(fia::FloorMod(c.block_size, 128) == 0 && c.block_size <= 1024)) {
            found.push_back({561002, "V2-PA-13", Shown("block_size", c.block_size), "block_size is a multiple of 128 and block_size is at most 1024", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "host" && fia::In<std::string_view>(c.HOST_PATH, {"NEW", "IFA"}) && (c.PA && c.NOQ && !c.ROPE && !(c.Dq == c.Dv && fia::In<int64_t>(c.Dq, {64, 128})) && c.Q_S == 1))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 512)) {
            found.push_back({561002, "V2-PA-14", Shown("block_size", c.block_size), "block_size is a multiple of 16 and block_size is at most 512", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "IFA") && (c.PA && c.DECODE1 && c.FLOATKV))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0)) {
            found.push_back({561002, "V2-PA-15", Shown("block_size", c.block_size), "block_size is a multiple of 16", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "IFA") && (c.PA && c.DECODE1 && c.key.dtype == "int8"))) {
        if (!(fia::FloorMod(c.block_size, 32) == 0 && (c.authority == "document" || c.block_size <= 512))) {
            found.push_back({561002, "V2-PA-16", Shown("block_size", c.block_size) + ", " + Shown("authority", c.authority), "block_size is a multiple of 32 and (authority is document or block_size is at most 512)", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && c.PREFILL && !c.GQANZ && !c.FULLQ))) {
        if (!(c.FLOATKV && c.FLOATQ)) {
            found.push_back({561002, "V2-PA-17", Shown("key.dtype", c.key.dtype) + ", " + Shown("query.dtype", c.query.dtype), "FLOATKV is true and FLOATQ is true", "Use a float cache, or the five-axis form."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && c.DECODE1 && c.ANTIQ && !c.GQANZ))) {
        if (!((!fia::In<int64_t>(c.key_quant_mode, {1, 3}) || !c.dequant_scale_key.given || fia::At(c.dequant_scale_key.shape, -1) >= fia::Mul(c.W, c.block_size)) && (!fia::In<int64_t>(c.value_quant_mode, {1, 3}) || !c.dequant_scale_value.given || fia::At(c.dequant_scale_value.shape, -1) >= fia::Mul(c.W, c.block_size)))) {
            found.push_back({561002, "V2-PA-22", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode) + ", " + Shown("W", c.W) + ", " + Shown("block_size", c.block_size), "(key_quant_mode is none of (1, 3) or dequant_scale_key is not given or the last axis of dequant_scale_key is at least W * block_size) and (value_quant_mode is none of (1, 3) or dequant_scale_value is not given or the last axis of dequant_scale_value is at least W * block_size)", "Enlarge the factors to W * block_size."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && fia::In<std::string_view>(c.Q_LAYOUT, {"BNSD", "TND"}) && !c.MLA512 && !c.GQANZ && !c.FULLQ))) {
        if (!(fia::In<std::string_view>(c.CACHE, {"BnBsH", "BnNBsD"}))) {
            found.push_back({561002, "V2-PA-23", Shown("key.shape", c.key.shape) + ", " + Shown("input_layout", c.input_layout), "CACHE is one of (BnBsH, BnNBsD)", "Use (blocks, block_size, H) or (blocks, KV_N, block_size, D)."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "IFA") && (c.PA && fia::In<std::string_view>(c.Q_LAYOUT, {"BSH", "BSND"}) && !c.MLA512 && !c.GQANZ && !c.FULLQ))) {
        if (!((c.authority == "document") ? (c.CACHE == "BnBsH") : (c.CACHE != "BnNBsD"))) {
            found.push_back({561002, "V2-PA-24", Shown("key.shape", c.key.shape) + ", " + Shown("input_layout", c.input_layout), "CACHE is BnBsH if authority is document, else CACHE is not BnNBsD", "Use (blocks, block_size, H), or a BNSD query."});
        }
    }
    if (!skipped && (c.PA && c.CACHE == "BnBsH")) {
        if (!(fia::Mul(c.KV_N, c.Dk) <= 65535)) {
            found.push_back({561002, "V2-PA-25", Shown("KV_N", c.KV_N) + ", " + Shown("Dk", c.Dk), "KV_N * Dk is at most 65535", "Use (blocks, KV_N, block_size, D), or fewer key heads."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.PA && c.DECODE1))) {
        if (!(c.key.numel <= 2147483647 && c.value.numel <= 2147483647)) {
            found.push_back({561002, "V2-PA-27", Shown("key.numel", c.key.numel) + ", " + Shown("value.numel", c.value.numel), "the number of elements of key is at most 2147483647 and the number of elements of value is at most 2147483647", "Use several pools."});
        }
    }
    if (!skipped && (c.PA && c.DECODE1)) {
        if (!(fia::In<std::string_view>(c.key.dtype, {"float16", "bfloat16", "int8"}))) {
            found.push_back({561002, "V2-PA-28", Shown("key.dtype", c.key.dtype), "the dtype of key is one of (float16, bfloat16, int8)", "Use int8."});
        }
    }
    if (!skipped && (c.MASK)) {
        if (!(fia::In<std::string_view>(c.atten_mask.dtype, {"bool", "int8", "uint8"}))) {
            found.push_back({161002, "V2-MASK-01", Shown("atten_mask.dtype", c.atten_mask.dtype), "the dtype of atten_mask is one of (bool, int8, uint8)", "Convert the mask, usually to bool."});
        }
    }
    if (!skipped && (fia::In<int64_t>(c.sparse_mode, {1, 2, 3, 4, 9}) && !c.SPARSE_FREE)) {
        if (!(c.MASK)) {
            found.push_back({561002, "V2-MASK-03", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "MASK", "Pass the mask of the mode; for 2, 3 and 4 the 2048 x 2048 pattern."});
        }
    }
    if (!skipped && (c.FULL_MASK && c.atten_mask.rank == 4)) {
        if (!(fia::At(c.atten_mask.shape, 1) == 1)) {
            found.push_back({561002, "V2-MASK-20", Shown("atten_mask.shape[1]", fia::At(c.atten_mask.shape, 1)), "axis 1 of atten_mask is 1", "Use one mask for all heads."});
        }
    }
    if (!skipped && (c.FULL_MASK)) {
        if (!((fia::In<int64_t>(c.atten_mask.rank, {3, 4}) && fia::In<int64_t>(fia::At(c.atten_mask.shape, 0), {1, c.B})) || (c.atten_mask.rank == 2 && fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD", "BNSD_BSND"}) && c.Dq == c.Dk && c.Dk == c.Dv && !c.ROPE && (c.Q_S > 1 || fia::At(c.atten_mask.shape, 0) == c.B)))) {
            found.push_back({561002, "V2-MASK-05", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("B", c.B) + ", " + Shown("Q_S", c.Q_S) + ", " + Shown("input_layout", c.input_layout), "(the rank of atten_mask is one of (3, 4) and axis 0 of atten_mask is one of (1, B)) or (the rank of atten_mask is 2 and input_layout is one of (BSH, BSND, BNSD, BNSD_BSND) and Dq is Dk and Dk is Dv and ROPE is false and (Q_S is more than 1 or axis 0 of atten_mask is B))", "Reshape the mask to one of these forms."});
        }
    }
    if (!skipped && (c.FULL_MASK && fia::In<int64_t>(c.atten_mask.rank, {2, 3, 4}))) {
        if (!(((c.atten_mask.rank == 2 && c.DECODE1) || fia::At(c.atten_mask.shape, -2) >= c.Q_S) && (c.PA || fia::At(c.atten_mask.shape, -1) >= ((c.authority == "document" && !c.TNDLIKE) ? c.KV_AXIS : fia::MaxOf(c.Lk))))) {
            found.push_back({561002, "V2-MASK-10", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("Q_S", c.Q_S) + ", " + Shown("KV_S", c.KV_S), "((the rank of atten_mask is 2 and DECODE1 is true) or axis -2 of atten_mask is at least Q_S) and (PA is true or the last axis of atten_mask is at least (KV_AXIS if (authority is document and TNDLIKE is false), else the largest of Lk))", "Enlarge the mask."});
        }
    }
    if (!skipped && (c.FULL_MASK && c.PA)) {
        if (!(fia::At(c.atten_mask.shape, -1) >= ((c.DECODE1 && !(c.authority == "host" && c.HOST_PATH == "NEW")) ? fia::Mul(c.W, c.block_size) : c.KV_S))) {
            found.push_back({561002, "V2-MASK-24", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("W", c.W) + ", " + Shown("block_size", c.block_size) + ", " + Shown("KV_S", c.KV_S), "the last axis of atten_mask is at least (W * block_size if (DECODE1 is true and it is not true that (authority is host and HOST_PATH is NEW)), else KV_S)", "Enlarge the mask to whole blocks."});
        }
    }
    if (!skipped && (c.PACKED_MASK)) {
        if (!(fia::In<fia::Ints>(c.atten_mask.shape, {fia::Ints{2048, 2048}, fia::Ints{1, 2048, 2048}, fia::Ints{1, 1, 2048, 2048}}))) {
            found.push_back({561002, "V2-MASK-11", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("sparse_mode", c.sparse_mode), "the shape of atten_mask is one of ((2048, 2048), (1, 2048, 2048), (1, 1, 2048, 2048))", "Pass numpy.triu(ones, 1) of 2048 x 2048."});
        }
    }
    if (!skipped && (c.TOKENS_USED)) {
        if (!(fia::Neg(c.next_tokens) <= c.pre_tokens)) {
            found.push_back({561002, "V2-MASK-15", Shown("next_tokens", c.next_tokens) + ", " + Shown("pre_tokens", c.pre_tokens), "-next_tokens is at most pre_tokens", "Enlarge one of the two."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "PFA" && c.TOKENS_USED)) {
        if (!(!(c.pre_tokens < 0 && c.next_tokens < 0))) {
            found.push_back({561002, "V2-MASK-16", Shown("pre_tokens", c.pre_tokens) + ", " + Shown("next_tokens", c.next_tokens), "it is not true that (pre_tokens is less than 0 and next_tokens is less than 0)", "Make one of the two positive."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "PFA" && (c.TOKENS_USED && c.sparse_mode == 0))) {
        if (!((c.next_tokens >= 0 || fia::Neg(c.next_tokens) < c.Q_S) && (c.pre_tokens >= 0 || fia::Neg(c.pre_tokens) < c.KV_S))) {
            found.push_back({561002, "V2-MASK-17", Shown("next_tokens", c.next_tokens) + ", " + Shown("Q_S", c.Q_S) + ", " + Shown("pre_tokens", c.pre_tokens) + ", " + Shown("KV_S", c.KV_S), "(next_tokens is at least 0 or -next_tokens is less than Q_S) and (pre_tokens is at least 0 or -pre_tokens is less than KV_S)", "Enlarge the window."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "PFA" && (c.TOKENS_USED && c.sparse_mode == 4))) {
        if (!((c.next_tokens >= 0 || fia::Neg(c.next_tokens) < fia::MinOf(c.Lk)) && (c.pre_tokens >= 0 || fia::Neg(c.pre_tokens) < fia::MinOf(c.Lq)))) {
            found.push_back({561002, "V2-MASK-18", Shown("next_tokens", c.next_tokens) + ", " + Shown("pre_tokens", c.pre_tokens) + ", " + Shown("Lk", c.Lk) + ", " + Shown("Lq", c.Lq), "(next_tokens is at least 0 or -next_tokens is less than the smallest of Lk) and (pre_tokens is at least 0 or -pre_tokens is less than the smallest of Lq)", "Enlarge the band."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "IFA" && c.MASK)) {
        if (!(fia::In<int64_t>(c.sparse_mode, {3, 4}) ? (c.atten_mask.shape == fia::Ints{2048, 2048}) : (c.sparse_mode == 9 || (fia::At(c.atten_mask.shape, 0) == c.B && fia::At(c.atten_mask.shape, -1) >= (c.PA ? fia::Mul(c.W, c.block_size) : fia::MaxOf(c.Lk)))))) {
            found.push_back({561002, "V2-MASK-19", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("B", c.B) + ", " + Shown("sparse_mode", c.sparse_mode), "the shape of atten_mask is (2048, 2048) if sparse_mode is one of (3, 4), else (sparse_mode is 9 or (axis 0 of atten_mask is B and the last axis of atten_mask is at least (W * block_size if PA is true, else the largest of Lk)))", "Repeat the mask for every batch."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "NEW") && c.MASK)) {
        if (!(fia::In<std::string_view>(c.atten_mask.format, {"ND", "NCHW", "NHWC", "NCDHW"}))) {
            found.push_back({161002, "V2-MASK-27", Shown("atten_mask.format", c.atten_mask.format), "the format of atten_mask is one of (ND, NCHW, NHWC, NCDHW)", "Pass it as ND."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.authority == "document" && (c.PREFILL && ((c.query.dtype == "int8") ? (fia::FloorMod(c.Dq, 32) != 0) : (fia::FloorMod(c.Dq, 16) != 0))))) {
        if (!(c.B <= 128)) {
            found.push_back({561002, "V2-QSN-02", Shown("B", c.B) + ", " + Shown("Dq", c.Dq), "B is at most 128", "Pad the head dim."});
        }
    }
    if (!skipped && (c.PREFILL)) {
        if (!(c.Q_S <= 20971520 && c.KV_S <= 20971520)) {
            found.push_back({561002, "V2-QSN-06", Shown("Q_S", c.Q_S) + ", " + Shown("KV_S", c.KV_S), "Q_S is at most 20971520 and KV_S is at most 20971520", "Split the S axis."});
        }
    }
    if (!skipped && (c.PREFILL && (c.query.dtype == "int8" || c.key.dtype == "int8" || c.value.dtype == "int8"))) {
        if (!(fia::FloorMod(c.Dq, 32) == 0 && fia::FloorMod(c.Dk, 32) == 0 && fia::FloorMod(c.Dv, 32) == 0)) {
            found.push_back({561002, "V2-QSN-08", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dq is a multiple of 32 and Dk is a multiple of 32 and Dv is a multiple of 32", "Pad the head dim."});
        }
    }
    if (!skipped && (c.PREFILL && c.INT4KV)) {
        if (!(fia::FloorMod(c.Dk, 64) == 0 && fia::FloorMod(c.Dv, 64) == 0)) {
            found.push_back({561002, "V2-QSN-09", Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dk is a multiple of 64 and Dv is a multiple of 64", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && (c.PREFILL && c.NOQ))) {
        if (!(fia::FloorMod(c.Dq, 16) == 0 && fia::FloorMod(c.Dv, 16) == 0)) {
            found.push_back({561002, "V2-QSN-10", Shown("Dq", c.Dq) + ", " + Shown("Dv", c.Dv), "Dq is a multiple of 16 and Dv is a multiple of 16", "Pad the head dim with zeros and cut the output."});
        }
    }
    if (!skipped && (c.authority == "document" && c.DECODE1)) {
        if (!(c.KV_S <= 262144)) {
            found.push_back({561002, "V2-QS1-03", Shown("KV_S", c.KV_S), "KV_S is at most 262144", "Split the keys and merge by log-sum-exp."});
        }
    }
    if (!skipped && (c.DECODE1 && c.INT4KV)) {
        if (!(fia::FloorMod(c.Dk, 64) == 0 && fia::FloorMod(c.Dv, 64) == 0)) {
            found.push_back({561002, "V2-QS1-08", Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dk is a multiple of 64 and Dv is a multiple of 64", "Pad the head dim."});
        }
    }
    if (!skipped && (c.PSE && c.PREFILL && c.pse_shift.dtype != "bfloat16")) {
        if (!(c.pse_shift.dtype == "float16" && fia::In<std::string_view>(c.query.dtype, {"float16", "int8"}))) {
            found.push_back({161002, "V2-PSE-01", Shown("pse_shift.dtype", c.pse_shift.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of pse_shift is float16 and the dtype of query is one of (float16, int8)", "Convert pse_shift."});
        }
    }
    if (!skipped && (c.PSE && c.PREFILL && c.pse_shift.dtype == "bfloat16")) {
        if (!(c.query.dtype == "bfloat16")) {
            found.push_back({161002, "V2-PSE-02", Shown("query.dtype", c.query.dtype), "the dtype of query is bfloat16", "Convert pse_shift."});
        }
    }
    if (!skipped && (c.PSE && c.DECODE1)) {
        if (!(c.pse_shift.dtype == c.query.dtype)) {
            found.push_back({161002, "V2-PSE-03", Shown("pse_shift.dtype", c.pse_shift.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of pse_shift is the dtype of query", "Convert pse_shift."});
        }
    }
    if (!skipped && (c.PSE && c.PREFILL && c.pse_shift.rank == 4 && !c.TNDLIKE)) {
        if (!(fia::At(c.pse_shift.shape, 2) >= c.Q_S && (c.PA || fia::At(c.pse_shift.shape, 3) >= c.KV_S))) {
            found.push_back({561002, "V2-PSE-04", Shown("pse_shift.shape", c.pse_shift.shape) + ", " + Shown("Q_S", c.Q_S) + ", " + Shown("KV_S", c.KV_S), "axis 2 of pse_shift is at least Q_S and (PA is true or axis 3 of pse_shift is at least KV_S)", "Enlarge pse_shift."});
        }
    }
    if (!skipped && (c.PSE && c.DECODE1 && c.pse_shift.rank == 4 && !c.TNDLIKE)) {
        if (!(fia::At(c.pse_shift.shape, 2) == 1 && (c.PA || fia::At(c.pse_shift.shape, 3) >= c.KV_S))) {
            found.push_back({561002, "V2-PSE-05", Shown("pse_shift.shape", c.pse_shift.shape) + ", " + Shown("KV_S", c.KV_S), "axis 2 of pse_shift is 1 and (PA is true or axis 3 of pse_shift is at least KV_S)", "Reshape pse_shift to (1 or B, Q_N, 1, KV_S)."});
        }
    }
    if (!skipped && (c.PSE && c.PA && c.pse_shift.rank == 4)) {
        if (!(fia::At(c.pse_shift.shape, 3) >= (c.DECODE1 ? fia::Mul(c.W, c.block_size) : c.KV_S))) {
            found.push_back({561002, "V2-PSE-14", Shown("pse_shift.shape", c.pse_shift.shape) + ", " + Shown("W", c.W) + ", " + Shown("block_size", c.block_size) + ", " + Shown("KV_S", c.KV_S), "axis 3 of pse_shift is at least (W * block_size if DECODE1 is true, else KV_S)", "Enlarge pse_shift to whole blocks."});
        }
    }
    if (!skipped && (c.PSE && c.DECODE1)) {
        if (!(fia::FloorMod(c.Dq, 16) == 0)) {
            found.push_back({561002, "V2-PSE-07", Shown("Dq", c.Dq), "Dq is a multiple of 16", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH != "FAI") && c.TNDLIKE)) {
        if (!(!c.PSE)) {
            found.push_back({561002, "V2-PSE-12", Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("input_layout", c.input_layout), "PSE is false", "Use a padded layout."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "FAI" && c.PSE)) {
        if (!(c.inner_precise == 0 && !c.MASK && c.sparse_mode == 0)) {
            found.push_back({561002, "V2-PSE-15", Shown("inner_precise", c.inner_precise) + ", " + Shown("atten_mask.given", c.atten_mask.given) + ", " + Shown("sparse_mode", c.sparse_mode), "inner_precise is 0 and MASK is false and sparse_mode is 0", "Leave mask and mode out."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "NEW" && fia::In<std::string_view>(c.input_layout, {"NTD", "BSH_BNSD", "BSND_BNSD"}))) {
        if (!(!c.PSE)) {
            found.push_back({561002, "V2-PSE-17", Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("input_layout", c.input_layout), "PSE is false", "Use a plain layout."});
        }
    }
    if (!skipped && (c.authority == "document" && c.SINK)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"TND", "NTD_TND"}))) {
            found.push_back({561002, "V2-SINK-01", Shown("input_layout", c.input_layout), "input_layout is one of (TND, NTD_TND)", "Use TND."});
        }
    }
    if (!skipped && (c.authority == "document" && c.SINK)) {
        if (!(c.Dv <= 128)) {
            found.push_back({561002, "V2-SINK-02", Shown("Dv", c.Dv), "Dv is at most 128", "Use a smaller head dim."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.SINK)) {
        if (!(!c.ANTIQ && !c.FULLQ)) {
            found.push_back({561002, "V2-SINK-03", Shown("key.dtype", c.key.dtype), "ANTIQ is false and FULLQ is false", "Use a float cache."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.SINK)) {
        if (!(!c.PSE && !c.POSTQ)) {
            found.push_back({561002, "V2-SINK-04", Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("quant_scale_out.given", c.quant_scale_out.given), "PSE is false and POSTQ is false", "Leave them out."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "NEW") && c.SINK)) {
        if (!(c.learnable_sink.dtype == "bfloat16")) {
            found.push_back({161002, "V2-SINK-05", Shown("learnable_sink.dtype", c.learnable_sink.dtype), "the dtype of learnable_sink is bfloat16", "Convert them."});
        }
    }
    if (!skipped && (c.SINK)) {
        if (!(c.learnable_sink.shape == fia::Ints{c.Q_N})) {
            found.push_back({561002, "V2-SINK-06", Shown("learnable_sink.shape", c.learnable_sink.shape) + ", " + Shown("Q_N", c.Q_N), "the shape of learnable_sink is (Q_N)", "Reshape learnable_sink."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "FAI" && c.SINK)) {
        if (!(c.learnable_sink.dtype == c.query.dtype)) {
            found.push_back({161002, "V2-SINK-07", Shown("learnable_sink.dtype", c.learnable_sink.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of learnable_sink is the dtype of query", "Convert them."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "FAI" && c.SINK)) {
        if (!(c.inner_precise == 0)) {
            found.push_back({561002, "V2-SINK-08", Shown("inner_precise", c.inner_precise), "inner_precise is 0", "Leave inner_precise at 0."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.sparse_mode == 9)) {
        if (!(c.ROPE)) {
            found.push_back({561002, "V2-TREE-04", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("query_rope.given", c.query_rope.given), "ROPE", "Use mode 1 with a full mask."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.sparse_mode == 9 && c.MASK && !c.TNDLIKE))) {
        if (!(c.atten_mask.shape == fia::Ints{c.B, c.Q_S, c.Q_S})) {
            found.push_back({561002, "V2-TREE-02", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("B", c.B) + ", " + Shown("Q_S", c.Q_S), "the shape of atten_mask is (B, Q_S, Q_S)", "Reshape the mask."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.sparse_mode == 9 && c.MASK && c.TNDLIKE))) {
        if (!(c.atten_mask.shape == fia::Ints{fia::SumOfSquares(c.Lq)})) {
            found.push_back({561002, "V2-TREE-03", Shown("atten_mask.shape", c.atten_mask.shape) + ", " + Shown("Lq", c.Lq), "the shape of atten_mask is (the sum of the squares of Lq)", "Flatten and concatenate the masks."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.sparse_mode == 9)) {
        if (!(fia::EachAtMost(c.Lq, c.Lk) || (c.authority == "host" && fia::MinOf(c.Lk) == 0))) {
            found.push_back({561002, "V2-TREE-07", Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "every entry of Lq is at most that of Lk or (authority is host and the smallest of Lk is 0)", "Correct the lengths."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(fia::In<int64_t>(c.Dq, {512, 128}))) {
            found.push_back({561002, "V2-MLA-04", Shown("Dq", c.Dq), "Dq is one of (512, 128)", "Use one of them, or fold the rotary part into query and key."});
        }
    }
    if (!skipped && (c.ROPE && !c.FULLQ)) {
        if (!(c.query_rope.dtype == c.query.dtype)) {
            found.push_back({161002, "V2-MLA-02", Shown("query_rope.dtype", c.query_rope.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of query_rope is the dtype of query", "Convert query_rope."});
        }
    }
    if (!skipped && (c.ROPE && !c.FULLQ)) {
        if (!(c.key_rope.dtype == c.key.dtype)) {
            found.push_back({161002, "V2-MLA-03", Shown("key_rope.dtype", c.key_rope.dtype) + ", " + Shown("key.dtype", c.key.dtype), "the dtype of key_rope is the dtype of key", "Convert key_rope."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(fia::In<std::string_view>(c.query_rope.dtype, {"float16", "bfloat16"}) && fia::In<std::string_view>(c.key_rope.dtype, {"float16", "bfloat16"}))) {
            found.push_back({161002, "V2-MLA-07", Shown("query_rope.dtype", c.query_rope.dtype) + ", " + Shown("key_rope.dtype", c.key_rope.dtype), "the dtype of query_rope is one of (float16, bfloat16) and the dtype of key_rope is one of (float16, bfloat16)", "Convert the rotary parts."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(!c.PSE && !c.POSTQ)) {
            found.push_back({561002, "V2-MLA-08", Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("quant_scale_out.given", c.quant_scale_out.given), "PSE is false and POSTQ is false", "Leave them out."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.MLA512)) {
        if (!(fia::In<int64_t>(c.sparse_mode, {0, 3, 4, 9}))) {
            found.push_back({561002, "V2-MLA512-01", Shown("sparse_mode", c.sparse_mode), "sparse_mode is one of (0, 3, 4, 9)", "Use mode 3 for causal attention."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && !c.TNDLIKE && c.DECODE1))) {
        if (!((c.sparse_mode == 0 && !c.MASK) || (c.sparse_mode == 4 && c.MASK))) {
            found.push_back({561002, "V2-MLA512-02", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "(sparse_mode is 0 and MASK is false) or (sparse_mode is 4 and MASK is true)", "Leave mask and mode out."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && !c.TNDLIKE && c.PREFILL))) {
        if (!(fia::In<int64_t>(c.sparse_mode, {3, 4}) && c.MASK)) {
            found.push_back({561002, "V2-MLA512-03", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "sparse_mode is one of (3, 4) and MASK is true", "Use mode 3 with the 2048 x 2048 pattern."});
        }
    }
    if (!skipped && (c.MLA512)) {
        if (!(fia::In<int64_t>(c.Q_N, {1, 2, 4, 8, 16, 32, 64, 128}))) {
            found.push_back({561002, "V2-MLA512-04", Shown("Q_N", c.Q_N), "Q_N is one of (1, 2, 4, 8, 16, 32, 64, 128)", "Pad the heads."});
        }
    }
    if (!skipped && (c.MLA512)) {
        if (!(c.KV_N == 1)) {
            found.push_back({561002, "V2-MLA512-05", Shown("KV_N", c.KV_N), "KV_N is 1", "Pass num_key_value_heads=1."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && c.sparse_mode != 4 && !c.TNDLIKE))) {
        if (!(1 <= c.Q_S && c.Q_S <= ((c.authority == "document") ? int64_t(16) : int64_t(32)))) {
            found.push_back({561002, "V2-MLA512-09", Shown("Q_S", c.Q_S) + ", " + Shown("authority", c.authority), "1 is at most Q_S and Q_S is at most (16 if authority is document, else 32)", "Split the query."});
        }
    }
    if (!skipped && (c.MLA512)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD", "BNSD_NBSD", "BSND_NBSD", "BSH_NBSD", "TND", "TND_NTD"}))) {
            found.push_back({561002, "V2-MLA512-10", Shown("input_layout", c.input_layout), "input_layout is one of (BSH, BSND, BNSD, BNSD_NBSD, BSND_NBSD, BSH_NBSD, TND, TND_NTD)", "Use one of them."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && c.NZ))) {
        if (!(!fia::In<std::string_view>(c.input_layout, {"BNSD", "BNSD_NBSD"}))) {
            found.push_back({561002, "V2-MLA512-14", Shown("input_layout", c.input_layout) + ", " + Shown("key.shape", c.key.shape), "input_layout is none of (BNSD, BNSD_NBSD)", "Use BSND."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && c.sparse_mode != 4 && !c.TNDLIKE))) {
        if (!(c.PA)) {
            found.push_back({561002, "V2-MLA512-15", Shown("block_table.given", c.block_table.given), "PA", "Pass a cache with block_table."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && (c.authority == "document" || c.HOST_PATH == "NEW") && (c.MLA512 && c.PA))) {
        if (!(fia::FloorMod(c.block_size, 16) == 0 && c.block_size <= 1024)) {
            found.push_back({561002, "V2-MLA512-16", Shown("block_size", c.block_size), "block_size is a multiple of 16 and block_size is at most 1024", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && c.PA && c.sparse_mode != 4))) {
        if (!(fia::In<int64_t>(c.block_size, {16, 128}))) {
            found.push_back({561002, "V2-MLA512-17", Shown("block_size", c.block_size), "block_size is one of (16, 128)", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && (c.authority == "document" || c.HOST_PATH == "IFA") && (c.MLA512 && c.NZ))) {
        if (!(c.block_size != 16)) {
            found.push_back({561002, "V2-MLA512-18", Shown("block_size", c.block_size), "block_size is not 16", "Use 128."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && c.MLA512)) {
        if (!(!c.return_softmax_lse)) {
            found.push_back({561002, "V2-MLA512-20", Shown("return_softmax_lse", c.return_softmax_lse), "return_softmax_lse is false", "Leave return_softmax_lse off."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4))) {
        if (!(fia::EachAtMost(c.Lq, c.Lk))) {
            found.push_back({561002, "V2-MLA512-21", Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "every entry of Lq is at most that of Lk", "Shorten the query."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4))) {
        if (!(c.Q_N == 128)) {
            found.push_back({561002, "V2-MLA512-22", Shown("Q_N", c.Q_N), "Q_N is 128", "Use 128 heads."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4))) {
        if (!(c.KV_S <= 131088)) {
            found.push_back({561002, "V2-MLA512-23", Shown("KV_S", c.KV_S), "KV_S is at most 131088", "Split the keys."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4))) {
        if (!(!c.NZ)) {
            found.push_back({561002, "V2-MLA512-25", Shown("key.shape", c.key.shape), "NZ is false", "Use a plain cache."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4 && !c.TNDLIKE))) {
        if (!(c.input_layout == "BSND")) {
            found.push_back({561002, "V2-MLA512-26", Shown("input_layout", c.input_layout), "input_layout is BSND", "Use BSND."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && (c.MLA512 && c.sparse_mode == 4 && c.PA))) {
        if (!(fia::In<int64_t>(c.block_size, {64, 128}))) {
            found.push_back({561002, "V2-MLA512-27", Shown("block_size", c.block_size), "block_size is one of (64, 128)", "Use 128."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "IFA" && (c.MLA512 && c.MASK && fia::In<int64_t>(c.sparse_mode, {3, 4})))) {
        if (!(c.atten_mask.shape == fia::Ints{2048, 2048})) {
            found.push_back({561002, "V2-MLA512-30", Shown("atten_mask.shape", c.atten_mask.shape), "the shape of atten_mask is (2048, 2048)", "Drop the leading axes."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "current") && c.MLA128)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "TND", "BNSD", "NTD", "BSH_BNSD", "BSND_BNSD", "BNSD_BSND", "NTD_TND"}))) {
            found.push_back({561002, "V2-MLA128-01", Shown("input_layout", c.input_layout), "input_layout is one of (BSH, BSND, TND, BNSD, NTD, BSH_BNSD, BSND_BNSD, BNSD_BSND, NTD_TND)", "Use one of them."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && c.MLA128)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"TND", "NTD_TND"}))) {
            found.push_back({561002, "V2-MLA128-02", Shown("input_layout", c.input_layout), "input_layout is one of (TND, NTD_TND)", "Use TND."});
        }
    }
    if (!skipped && (c.MLA128 && !c.TNDLIKE)) {
        if (!(!c.ANTIQ && !c.FULLQ)) {
            found.push_back({561002, "V2-MLA128-05", Shown("query.dtype", c.query.dtype) + ", " + Shown("key.dtype", c.key.dtype), "ANTIQ is false and FULLQ is false", "Use a float key."});
        }
    }
    if (!skipped && ((c.authority == "host" || c.edition == "seed") && c.authority == "document" && c.MLA128)) {
        if (!(!c.PA)) {
            found.push_back({561002, "V2-MLA128-06", Shown("block_table.given", c.block_table.given), "PA is false", "Gather the keys first."});
        }
    }
    if (!skipped && (c.FULLQ && c.ROPE)) {
        if (!(c.query_rope.dtype == "bfloat16" && c.key_rope.dtype == "bfloat16")) {
            found.push_back({161002, "V2-FULLQ-02", Shown("query_rope.dtype", c.query_rope.dtype) + ", " + Shown("key_rope.dtype", c.key_rope.dtype), "the dtype of query_rope is bfloat16 and the dtype of key_rope is bfloat16", "Convert the rotary parts."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(c.dequant_scale_query.given && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
            found.push_back({561002, "V2-FULLQ-04", Shown("dequant_scale_query.given", c.dequant_scale_query.given) + ", " + Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "dequant_scale_query is given and dequant_scale_key is given and dequant_scale_value is given", "Pass all three."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!((!c.dequant_scale_query.given || c.dequant_scale_query.dtype == "float32") && (!c.dequant_scale_key.given || c.dequant_scale_key.dtype == "float32") && (!c.dequant_scale_value.given || c.dequant_scale_value.dtype == "float32"))) {
            found.push_back({161002, "V2-FULLQ-05", Shown("dequant_scale_query.given", c.dequant_scale_query.given) + ", " + Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "(dequant_scale_query is not given or the dtype of dequant_scale_query is float32) and (dequant_scale_key is not given or the dtype of dequant_scale_key is float32) and (dequant_scale_value is not given or the dtype of dequant_scale_value is float32)", "Convert the factors."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(!c.quant_scale_out.given && !c.quant_offset_out.given && !c.dequant_offset_key.given && !c.dequant_offset_value.given)) {
            found.push_back({561002, "V2-FULLQ-06", Shown("quant_scale_out.given", c.quant_scale_out.given) + ", " + Shown("quant_offset_out.given", c.quant_offset_out.given) + ", " + Shown("dequant_offset_key.given", c.dequant_offset_key.given) + ", " + Shown("dequant_offset_value.given", c.dequant_offset_value.given), "quant_scale_out is not given and quant_offset_out is not given and dequant_offset_key is not given and dequant_offset_value is not given", "Leave them out."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(c.key_quant_mode == 0 && c.value_quant_mode == 0)) {
            found.push_back({561002, "V2-FULLQ-08", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode), "key_quant_mode is 0 and value_quant_mode is 0", "Pass 0 for both modes."});
        }
    }
    if (!skipped && (c.FULLQ && c.dequant_scale_query.given)) {
        if (!(c.dequant_scale_query.shape == ((c.Q_LAYOUT == "BSH") ? fia::Ints{c.B, c.Q_S, c.Q_N} : fia::DropLast(c.query.shape)))) {
            found.push_back({561002, "V2-FULLQ-09", Shown("dequant_scale_query.shape", c.dequant_scale_query.shape) + ", " + Shown("query.shape", c.query.shape), "the shape of dequant_scale_query is ((B, Q_S, Q_N) if Q_LAYOUT is BSH, else the shape of query without its last axis)", "Reshape dequant_scale_query."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!((!c.dequant_scale_key.given || c.dequant_scale_key.shape == fia::Ints{1}) && (!c.dequant_scale_value.given || c.dequant_scale_value.shape == fia::Ints{1}))) {
            found.push_back({561002, "V2-FULLQ-10", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "(dequant_scale_key is not given or the shape of dequant_scale_key is (1)) and (dequant_scale_value is not given or the shape of dequant_scale_value is (1))", "Reshape them."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(c.NZ)) {
            found.push_back({561002, "V2-FULLQ-11", Shown("key.shape", c.key.shape) + ", " + Shown("block_table.given", c.block_table.given), "NZ", "Use (blocks, 1, 16, block_size, 32)."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(c.PA)) {
            found.push_back({561002, "V2-FULLQ-12", Shown("block_table.given", c.block_table.given), "PA", "Pass block_table."});
        }
    }
    if (!skipped && (c.FULLQ && c.PA)) {
        if (!(c.block_size == 128)) {
            found.push_back({561002, "V2-FULLQ-13", Shown("block_size", c.block_size), "block_size is 128", "Use 128."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(1 <= c.Q_S && c.Q_S <= 16)) {
            found.push_back({561002, "V2-FULLQ-14", Shown("Q_S", c.Q_S), "1 is at most Q_S and Q_S is at most 16", "Split the query."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(fia::In<std::string_view>(c.input_layout, {"BSH", "BSH_NBSD", "BSND", "BSND_NBSD", "TND", "TND_NTD"}))) {
            found.push_back({561002, "V2-FULLQ-15", Shown("input_layout", c.input_layout), "input_layout is one of (BSH, BSH_NBSD, BSND, BSND_NBSD, TND, TND_NTD)", "Use BSND."});
        }
    }
    if (!skipped && (c.FULLQ)) {
        if (!(fia::In<int64_t>(c.sparse_mode, {0, 3, 9}))) {
            found.push_back({561002, "V2-FULLQ-16", Shown("sparse_mode", c.sparse_mode), "sparse_mode is one of (0, 3, 9)", "Use mode 3."});
        }
    }
    if (!skipped && (c.FULLQ && c.DECODE1 && !c.TNDLIKE)) {
        if (!(c.sparse_mode == 0 && !c.MASK)) {
            found.push_back({561002, "V2-FULLQ-17", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "sparse_mode is 0 and MASK is false", "Leave mask and mode out."});
        }
    }
    if (!skipped && (c.FULLQ && c.PREFILL)) {
        if (!((c.sparse_mode == 3 && c.MASK && c.atten_mask.shape == fia::Ints{2048, 2048}) || c.sparse_mode == 9 || (c.TNDLIKE && c.sparse_mode == 0 && !c.MASK))) {
            found.push_back({561002, "V2-FULLQ-18", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "(sparse_mode is 3 and MASK is true and the shape of atten_mask is (2048, 2048)) or sparse_mode is 9 or (TNDLIKE is true and sparse_mode is 0 and MASK is false)", "Use mode 3."});
        }
    }
    if (!skipped && (c.authority == "document" && c.FULLQ)) {
        if (!(!c.TNDLIKE)) {
            found.push_back({561002, "V2-FULLQ-19", Shown("input_layout", c.input_layout), "TNDLIKE is false", "Use BSND."});
        }
    }
    if (!skipped && (c.authority == "document" && c.FULLQ)) {
        if (!(!c.return_softmax_lse)) {
            found.push_back({561002, "V2-FULLQ-20", Shown("return_softmax_lse", c.return_softmax_lse), "return_softmax_lse is false", "Leave return_softmax_lse off."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.key_quant_mode == c.value_quant_mode && fia::In<int64_t>(c.key_quant_mode, {0, 1}))) {
            found.push_back({561002, "V2-NZ-03", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode), "key_quant_mode is value_quant_mode and key_quant_mode is one of (0, 1)", "Use one of them."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.query.dtype == "bfloat16")) {
            found.push_back({561002, "V2-NZ-04", Shown("query.dtype", c.query.dtype), "the dtype of query is bfloat16", "Convert the query."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.key.dtype == "int8" && c.value.dtype == "int8")) {
            found.push_back({561002, "V2-NZ-05", Shown("key.dtype", c.key.dtype) + ", " + Shown("value.dtype", c.value.dtype), "the dtype of key is int8 and the dtype of value is int8", "Use int8."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.Dq == 128 && c.Dk == 128 && c.Dv == 128)) {
            found.push_back({561002, "V2-NZ-06", Shown("Dq", c.Dq) + ", " + Shown("Dk", c.Dk) + ", " + Shown("Dv", c.Dv), "Dq is 128 and Dk is 128 and Dv is 128", "Use head dim 128."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(1 <= c.Q_S && c.Q_S <= 16)) {
            found.push_back({561002, "V2-NZ-07", Shown("Q_S", c.Q_S), "1 is at most Q_S and Q_S is at most 16", "Split the query."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.BSX || (c.authority == "host" && c.input_layout == "TND"))) {
            found.push_back({561002, "V2-NZ-08", Shown("input_layout", c.input_layout), "BSX is true or (authority is host and input_layout is TND)", "Use BSND."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(fia::In<int64_t>(c.block_size, {128, 512}))) {
            found.push_back({561002, "V2-NZ-09", Shown("block_size", c.block_size), "block_size is one of (128, 512)", "Use 128."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 0)) {
        if (!((!c.dequant_scale_key.given || c.dequant_scale_key.dtype == "bfloat16") && (!c.dequant_scale_value.given || c.dequant_scale_value.dtype == "bfloat16"))) {
            found.push_back({561002, "V2-NZ-11", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "(dequant_scale_key is not given or the dtype of dequant_scale_key is bfloat16) and (dequant_scale_value is not given or the dtype of dequant_scale_value is bfloat16)", "Convert the factors."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 1)) {
        if (!((!c.dequant_scale_key.given || c.dequant_scale_key.dtype == "float32") && (!c.dequant_scale_value.given || c.dequant_scale_value.dtype == "float32"))) {
            found.push_back({561002, "V2-NZ-12", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "(dequant_scale_key is not given or the dtype of dequant_scale_key is float32) and (dequant_scale_value is not given or the dtype of dequant_scale_value is float32)", "Convert the factors."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 0 && c.Q_LAYOUT == "BSH" && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{fia::Mul(c.KV_N, 128)} && c.dequant_scale_value.shape == fia::Ints{fia::Mul(c.KV_N, 128)})) {
            found.push_back({561002, "V2-NZ-13", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape), "the shape of dequant_scale_key is (KV_N * 128) and the shape of dequant_scale_value is (KV_N * 128)", "Reshape the factors."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 0 && c.Q_LAYOUT == "BNSD" && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.KV_N, 1, 128} && c.dequant_scale_value.shape == fia::Ints{c.KV_N, 1, 128})) {
            found.push_back({561002, "V2-NZ-14", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape), "the shape of dequant_scale_key is (KV_N, 1, 128) and the shape of dequant_scale_value is (KV_N, 1, 128)", "Reshape the factors."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 0 && fia::In<std::string_view>(c.Q_LAYOUT, {"BSND", "TND"}) && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.KV_N, 128} && c.dequant_scale_value.shape == fia::Ints{c.KV_N, 128})) {
            found.push_back({561002, "V2-NZ-15", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape), "the shape of dequant_scale_key is (KV_N, 128) and the shape of dequant_scale_value is (KV_N, 128)", "Reshape the factors."});
        }
    }
    if (!skipped && (c.GQANZ && c.key_quant_mode == 1 && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.rank == 2 && c.dequant_scale_value.rank == 2 && fia::At(c.dequant_scale_key.shape, 0) == c.B && fia::At(c.dequant_scale_value.shape, 0) == c.B && fia::At(c.dequant_scale_key.shape, 1) >= fia::Mul(c.W, c.block_size) && fia::At(c.dequant_scale_value.shape, 1) >= fia::Mul(c.W, c.block_size))) {
            found.push_back({561002, "V2-NZ-16", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape) + ", " + Shown("B", c.B) + ", " + Shown("W", c.W) + ", " + Shown("block_size", c.block_size), "the rank of dequant_scale_key is 2 and the rank of dequant_scale_value is 2 and axis 0 of dequant_scale_key is B and axis 0 of dequant_scale_value is B and axis 1 of dequant_scale_key is at least W * block_size and axis 1 of dequant_scale_value is at least W * block_size", "Enlarge the factors."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(c.inner_precise == 1)) {
            found.push_back({561002, "V2-NZ-18", Shown("inner_precise", c.inner_precise), "inner_precise is 1", "Pass inner_precise=1."});
        }
    }
    if (!skipped && (c.GQANZ && c.DECODE1)) {
        if (!((c.sparse_mode == 0 && !c.MASK) || (c.authority == "host" && c.TNDLIKE && c.sparse_mode == 3))) {
            found.push_back({561002, "V2-NZ-19", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "(sparse_mode is 0 and MASK is false) or (authority is host and TNDLIKE is true and sparse_mode is 3)", "Leave mask and mode out."});
        }
    }
    if (!skipped && (c.GQANZ && c.PREFILL)) {
        if (!(c.sparse_mode == 3 && c.MASK && c.atten_mask.shape == fia::Ints{2048, 2048})) {
            found.push_back({561002, "V2-NZ-20", Shown("sparse_mode", c.sparse_mode) + ", " + Shown("atten_mask.given", c.atten_mask.given), "sparse_mode is 3 and MASK is true and the shape of atten_mask is (2048, 2048)", "Use mode 3."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(!c.dequant_offset_key.given && !c.dequant_offset_value.given)) {
            found.push_back({561002, "V2-NZ-21", Shown("dequant_offset_key.given", c.dequant_offset_key.given) + ", " + Shown("dequant_offset_value.given", c.dequant_offset_value.given), "dequant_offset_key is not given and dequant_offset_value is not given", "Leave them out."});
        }
    }
    if (!skipped && (c.GQANZ)) {
        if (!(!c.PSE && !c.POSTQ)) {
            found.push_back({561002, "V2-NZ-23", Shown("pse_shift.given", c.pse_shift.given) + ", " + Shown("quant_scale_out.given", c.quant_scale_out.given), "PSE is false and POSTQ is false", "Leave them out."});
        }
    }
    if (!skipped && (c.authority == "document" && c.GQANZ)) {
        if (!((c.num_query_heads == 10 && c.KV_N == 1) || (c.num_query_heads == 64 && c.KV_N == 8) || (c.num_query_heads == 80 && c.KV_N == 8) || (c.num_query_heads == 128 && c.KV_N == 16))) {
            found.push_back({561002, "V2-NZ-24", Shown("num_query_heads", c.num_query_heads) + ", " + Shown("KV_N", c.KV_N), "(num_query_heads is 10 and KV_N is 1) or (num_query_heads is 64 and KV_N is 8) or (num_query_heads is 80 and KV_N is 8) or (num_query_heads is 128 and KV_N is 16)", "Use a listed pair."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "IFA" && c.GQANZ)) {
        if (!(!c.return_softmax_lse)) {
            found.push_back({561002, "V2-NZ-25", Shown("return_softmax_lse", c.return_softmax_lse), "return_softmax_lse is false", "Leave return_softmax_lse off."});
        }
    }
    if (!skipped && (c.authority == "host" && (c.GQANZ && c.input_layout == "TND"))) {
        if (!(c.key_quant_mode == 0)) {
            found.push_back({561002, "V2-NZ-28", Shown("key_quant_mode", c.key_quant_mode), "key_quant_mode is 0", "Use mode 0."});
        }
    }
    if (!skipped && (c.authority == "host" && (c.NZ && c.NOQ && !c.ROPE))) {
        if (!(fia::In<int64_t>(c.Dq, {64, 128}) || c.HOST_PATH == "FAI")) {
            found.push_back({561002, "V2-NZ-29", Shown("Dq", c.Dq), "Dq is one of (64, 128) or HOST_PATH is FAI", "Use another cache form."});
        }
    }
    if (c.authority == "host" && c.HOST_PATH == "IFA" && c.GQANZ) {
        if (!(fia::Product(c.key.shape) > 0 && fia::Product(c.value.shape) > 0)) {
            found.push_back({561002, "V2-NZ-30", Shown("key.shape", c.key.shape) + ", " + Shown("value.shape", c.value.shape), "the product of the shape of key is more than 0 and the product of the shape of value is more than 0", "Skip the call."});
        }
    }
    if (!skipped) {
        if (!(c.dequant_scale_key.given == c.dequant_scale_value.given)) {
            found.push_back({561002, "V2-ANTIQ-01", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "dequant_scale_key is given is dequant_scale_value is given", "Pass both."});
        }
    }
    if (!skipped) {
        if (!(c.dequant_offset_key.given == c.dequant_offset_value.given)) {
            found.push_back({561002, "V2-ANTIQ-02", Shown("dequant_offset_key.given", c.dequant_offset_key.given) + ", " + Shown("dequant_offset_value.given", c.dequant_offset_value.given), "dequant_offset_key is given is dequant_offset_value is given", "Pass both."});
        }
    }
    if (!skipped && (c.ANTIQ)) {
        if (!(c.dequant_scale_key.given && c.dequant_scale_value.given)) {
            found.push_back({561002, "V2-ANTIQ-03", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given), "dequant_scale_key is given and dequant_scale_value is given", "Pass dequant_scale_key and dequant_scale_value."});
        }
    }
    if (!skipped && (c.ANTIQ)) {
        if (!((!c.dequant_offset_key.given || !c.dequant_scale_key.given || (c.dequant_offset_key.dtype == c.dequant_scale_key.dtype && c.dequant_offset_key.shape == c.dequant_scale_key.shape)) && (!c.dequant_offset_value.given || !c.dequant_scale_value.given || (c.dequant_offset_value.dtype == c.dequant_scale_value.dtype && c.dequant_offset_value.shape == c.dequant_scale_value.shape)))) {
            found.push_back({561002, "V2-ANTIQ-05", Shown("dequant_offset_key.given", c.dequant_offset_key.given) + ", " + Shown("dequant_offset_value.given", c.dequant_offset_value.given), "(dequant_offset_key is not given or dequant_scale_key is not given or (the dtype of dequant_offset_key is the dtype of dequant_scale_key and the shape of dequant_offset_key is the shape of dequant_scale_key)) and (dequant_offset_value is not given or dequant_scale_value is not given or (the dtype of dequant_offset_value is the dtype of dequant_scale_value and the shape of dequant_offset_value is the shape of dequant_scale_value))", "Reshape or convert the offset."});
        }
    }
    if (!skipped && ((c.authority == "document" || fia::In<std::string_view>(c.HOST_PATH, {"IFA", "PFA"})) && c.FLOATKV)) {
        if (!(!c.dequant_scale_key.given && !c.dequant_offset_key.given && !c.dequant_scale_value.given && !c.dequant_offset_value.given)) {
            found.push_back({561002, "V2-ANTIQ-37", Shown("dequant_scale_key.given", c.dequant_scale_key.given) + ", " + Shown("dequant_offset_key.given", c.dequant_offset_key.given) + ", " + Shown("dequant_scale_value.given", c.dequant_scale_value.given) + ", " + Shown("dequant_offset_value.given", c.dequant_offset_value.given), "dequant_scale_key is not given and dequant_offset_key is not given and dequant_scale_value is not given and dequant_offset_value is not given", "Leave them out."});
        }
    }
    if (!skipped && (c.ROPE)) {
        if (!(!c.ANTIQ)) {
            found.push_back({561002, "V2-ANTIQ-32", Shown("key.dtype", c.key.dtype), "ANTIQ is false", "Use a float cache."});
        }
    }
    if (!skipped && (c.ANTIQ && !c.GQANZ)) {
        if (!(c.key_quant_mode == c.value_quant_mode || (c.key_quant_mode == 0 && c.value_quant_mode == 1 && c.DECODE1))) {
            found.push_back({561002, "V2-ANTIQ-06", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode) + ", " + Shown("DECODE1", c.DECODE1), "key_quant_mode is value_quant_mode or (key_quant_mode is 0 and value_quant_mode is 1 and DECODE1 is true)", "Use equal modes."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && !c.GQANZ)) {
        if (!(fia::In<int64_t>(c.key_quant_mode, {0, 1}) && fia::In<int64_t>(c.value_quant_mode, {0, 1}))) {
            found.push_back({561002, "V2-ANTIQ-07", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode), "key_quant_mode is one of (0, 1) and value_quant_mode is one of (0, 1)", "Use 0 or 1."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ)) {
        if (!(0 <= c.key_quant_mode && c.key_quant_mode <= 5 && 0 <= c.value_quant_mode && c.value_quant_mode <= 5)) {
            found.push_back({561002, "V2-ANTIQ-08", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("value_quant_mode", c.value_quant_mode), "0 is at most key_quant_mode and key_quant_mode is at most 5 and 0 is at most value_quant_mode and value_quant_mode is at most 5", "Use a listed mode."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.shape == c.dequant_scale_value.shape)) {
            found.push_back({561002, "V2-ANTIQ-09", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape), "the shape of dequant_scale_key is the shape of dequant_scale_value", "Reshape one."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && c.dequant_offset_key.given && c.dequant_offset_value.given)) {
        if (!(c.dequant_offset_key.shape == c.dequant_offset_value.shape)) {
            found.push_back({561002, "V2-ANTIQ-10", Shown("dequant_offset_key.shape", c.dequant_offset_key.shape) + ", " + Shown("dequant_offset_value.shape", c.dequant_offset_value.shape), "the shape of dequant_offset_key is the shape of dequant_offset_value", "Reshape one."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && !c.GQANZ && c.key_quant_mode == 1 && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.B, c.KV_S} && c.dequant_scale_key.dtype == "float32")) {
            found.push_back({561002, "V2-ANTIQ-11", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("B", c.B) + ", " + Shown("KV_S", c.KV_S) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype), "the shape of dequant_scale_key is (B, KV_S) and the dtype of dequant_scale_key is float32", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && !c.GQANZ && c.key_quant_mode == 0 && c.dequant_scale_key.given)) {
        if (!(fia::In<fia::Ints>(c.dequant_scale_key.shape, {fia::Ints{c.KV_N, c.Dk}, fia::Ints{fia::Mul(c.KV_N, c.Dk)}, fia::Ints{c.KV_N, 1, c.Dk}}) || (c.authority == "document" && c.edition == "current" && fia::In<fia::Ints>(c.dequant_scale_key.shape, {fia::Ints{1, c.KV_N, 1, c.Dk}, fia::Ints{1, c.KV_N, c.Dk}, fia::Ints{1, fia::Mul(c.KV_N, c.Dk)}})))) {
            found.push_back({561002, "V2-ANTIQ-12", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("Dk", c.Dk), "the shape of dequant_scale_key is one of ((KV_N, Dk), (KV_N * Dk), (KV_N, 1, Dk)) or (authority is document and edition is current and the shape of dequant_scale_key is one of ((1, KV_N, 1, Dk), (1, KV_N, Dk), (1, KV_N * Dk)))", "Reshape the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && !c.GQANZ && c.key_quant_mode == 0 && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.dtype == "bfloat16")) {
            found.push_back({561002, "V2-ANTIQ-13", Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype), "the dtype of dequant_scale_key is bfloat16", "Convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL && !c.GQANZ)) {
        if (!(c.Q_S <= 16)) {
            found.push_back({561002, "V2-ANTIQ-14", Shown("Q_S", c.Q_S), "Q_S is at most 16", "Split the query, or use a float cache."});
        }
    }
    if (!skipped && (c.authority == "document" && (c.ANTIQ && c.PREFILL && !c.GQANZ))) {
        if (!(c.query.dtype == "bfloat16")) {
            found.push_back({561002, "V2-ANTIQ-15", Shown("query.dtype", c.query.dtype), "the dtype of query is bfloat16", "Convert the query."});
        }
    }
    if (!skipped && (c.ANTIQ && c.PREFILL)) {
        if (!(!c.INT4KV)) {
            found.push_back({561002, "V2-ANTIQ-17", Shown("key.dtype", c.key.dtype), "INT4KV is false", "Use int8."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && c.key_quant_mode == c.value_quant_mode && c.dequant_scale_key.given && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_key.shape == c.dequant_scale_value.shape)) {
            found.push_back({561002, "V2-ANTIQ-18", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_value.shape", c.dequant_scale_value.shape), "the shape of dequant_scale_key is the shape of dequant_scale_value", "Reshape one."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && c.key_quant_mode == c.value_quant_mode && c.dequant_offset_key.given && c.dequant_offset_value.given)) {
        if (!(c.dequant_offset_key.shape == c.dequant_offset_value.shape)) {
            found.push_back({561002, "V2-ANTIQ-19", Shown("dequant_offset_key.shape", c.dequant_offset_key.shape) + ", " + Shown("dequant_offset_value.shape", c.dequant_offset_value.shape), "the shape of dequant_offset_key is the shape of dequant_offset_value", "Reshape one."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 0 && c.dequant_scale_key.given && c.dequant_scale_key.shape != fia::Ints{1})) {
        if (!(c.dequant_scale_key.dtype == c.query.dtype && (fia::In<fia::Ints>(c.dequant_scale_key.shape, {fia::Ints{1, c.KV_N, 1, c.Dk}, fia::Ints{1, c.KV_N, c.Dk}, fia::Ints{1, fia::Mul(c.KV_N, c.Dk)}}) || (c.authority == "host" && c.dequant_scale_key.shape == fia::Ints{1, 1, c.KV_N, c.Dk})))) {
            found.push_back({561002, "V2-ANTIQ-20", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("query.dtype", c.query.dtype) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("Dk", c.Dk), "the dtype of dequant_scale_key is the dtype of query and (the shape of dequant_scale_key is one of ((1, KV_N, 1, Dk), (1, KV_N, Dk), (1, KV_N * Dk)) or (authority is host and the shape of dequant_scale_key is (1, 1, KV_N, Dk)))", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 0 && c.dequant_scale_key.given && c.dequant_scale_key.shape == fia::Ints{1})) {
        if (!(c.dequant_scale_key.dtype == c.query.dtype && c.key.dtype == "int8")) {
            found.push_back({561002, "V2-ANTIQ-21", Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("query.dtype", c.query.dtype) + ", " + Shown("key.dtype", c.key.dtype), "the dtype of dequant_scale_key is the dtype of query and the dtype of key is int8", "Convert the factor."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 1 && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.dtype == "float32" && ((c.dequant_scale_key.rank == 3 && fia::At(c.dequant_scale_key.shape, 0) == 1 && fia::At(c.dequant_scale_key.shape, 1) == c.B && (fia::At(c.dequant_scale_key.shape, 2) == c.KV_S || ((c.PA || c.authority == "host") && fia::At(c.dequant_scale_key.shape, 2) >= c.KV_S))) || (c.authority == "host" && c.dequant_scale_key.rank == 2 && fia::At(c.dequant_scale_key.shape, 0) == c.B && fia::At(c.dequant_scale_key.shape, 1) >= c.KV_S)))) {
            found.push_back({561002, "V2-ANTIQ-22", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("B", c.B) + ", " + Shown("KV_S", c.KV_S), "the dtype of dequant_scale_key is float32 and ((the rank of dequant_scale_key is 3 and axis 0 of dequant_scale_key is 1 and axis 1 of dequant_scale_key is B and (axis 2 of dequant_scale_key is KV_S or ((PA is true or authority is host) and axis 2 of dequant_scale_key is at least KV_S))) or (authority is host and the rank of dequant_scale_key is 2 and axis 0 of dequant_scale_key is B and axis 1 of dequant_scale_key is at least KV_S))", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 2 && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.KV_N} && c.dequant_scale_key.dtype == c.query.dtype && c.key.dtype == "int8")) {
            found.push_back({561002, "V2-ANTIQ-23", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("query.dtype", c.query.dtype) + ", " + Shown("key.dtype", c.key.dtype), "the shape of dequant_scale_key is (KV_N) and the dtype of dequant_scale_key is the dtype of query and the dtype of key is int8", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 3 && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.dtype == "float32" && c.dequant_scale_key.rank == 3 && fia::At(c.dequant_scale_key.shape, 0) == c.B && fia::At(c.dequant_scale_key.shape, 1) == c.KV_N && (fia::At(c.dequant_scale_key.shape, 2) == c.KV_S || ((c.PA || c.authority == "host") && fia::At(c.dequant_scale_key.shape, 2) >= c.KV_S)))) {
            found.push_back({561002, "V2-ANTIQ-24", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("B", c.B) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("KV_S", c.KV_S), "the dtype of dequant_scale_key is float32 and the rank of dequant_scale_key is 3 and axis 0 of dequant_scale_key is B and axis 1 of dequant_scale_key is KV_N and (axis 2 of dequant_scale_key is KV_S or ((PA is true or authority is host) and axis 2 of dequant_scale_key is at least KV_S))", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 4 && c.PA && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.NB, c.block_size} && c.dequant_scale_key.dtype == "float32" && c.key.dtype == "int8")) {
            found.push_back({561002, "V2-ANTIQ-25", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("NB", c.NB) + ", " + Shown("block_size", c.block_size) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("key.dtype", c.key.dtype), "the shape of dequant_scale_key is (NB, block_size) and the dtype of dequant_scale_key is float32 and the dtype of key is int8", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 5 && c.PA && c.dequant_scale_key.given)) {
        if (!(c.dequant_scale_key.shape == fia::Ints{c.NB, c.KV_N, c.block_size} && c.dequant_scale_key.dtype == "float32" && c.key.dtype == "int8")) {
            found.push_back({561002, "V2-ANTIQ-26", Shown("dequant_scale_key.shape", c.dequant_scale_key.shape) + ", " + Shown("NB", c.NB) + ", " + Shown("KV_N", c.KV_N) + ", " + Shown("block_size", c.block_size) + ", " + Shown("dequant_scale_key.dtype", c.dequant_scale_key.dtype) + ", " + Shown("key.dtype", c.key.dtype), "the shape of dequant_scale_key is (NB, KV_N, block_size) and the dtype of dequant_scale_key is float32 and the dtype of key is int8", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && fia::In<int64_t>(c.key_quant_mode, {4, 5}))) {
        if (!(c.PA)) {
            found.push_back({561002, "V2-ANTIQ-27", Shown("key_quant_mode", c.key_quant_mode) + ", " + Shown("block_table.given", c.block_table.given), "PA", "Use mode 1 or 3, or a paged cache."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 0 && c.value_quant_mode == 1 && c.dequant_scale_value.given)) {
        if (!(c.dequant_scale_value.dtype == "float32" && c.dequant_scale_value.rank == 3 && fia::At(c.dequant_scale_value.shape, 0) == 1 && fia::At(c.dequant_scale_value.shape, 1) == c.B && (fia::At(c.dequant_scale_value.shape, 2) == c.KV_S || ((c.PA || c.authority == "host") && fia::At(c.dequant_scale_value.shape, 2) >= c.KV_S)))) {
            found.push_back({561002, "V2-ANTIQ-28", Shown("dequant_scale_value.shape", c.dequant_scale_value.shape) + ", " + Shown("dequant_scale_value.dtype", c.dequant_scale_value.dtype) + ", " + Shown("B", c.B) + ", " + Shown("KV_S", c.KV_S), "the dtype of dequant_scale_value is float32 and the rank of dequant_scale_value is 3 and axis 0 of dequant_scale_value is 1 and axis 1 of dequant_scale_value is B and (axis 2 of dequant_scale_value is KV_S or ((PA is true or authority is host) and axis 2 of dequant_scale_value is at least KV_S))", "Reshape or convert the factors."});
        }
    }
    if (!skipped && (c.ANTIQ && c.DECODE1 && !c.GQANZ && c.key_quant_mode == 0 && c.value_quant_mode == 1 && c.key.dtype == "int8")) {
        if (!(c.query.dtype == "float16")) {
            found.push_back({561002, "V2-ANTIQ-29", Shown("query.dtype", c.query.dtype), "the dtype of query is float16", "Convert the query."});
        }
    }
    if (!skipped && (c.authority == "host" && c.ANTIQ)) {
        if (!(c.BSX || c.OUT_LAYOUT == "NBSD" || (c.input_layout == "BNSD_BSND" && c.PREFILL) || (c.input_layout == "TND" && c.GQANZ && c.key_quant_mode == 0))) {
            found.push_back({561002, "V2-ANTIQ-33", Shown("input_layout", c.input_layout) + ", " + Shown("key_quant_mode", c.key_quant_mode), "BSX is true or OUT_LAYOUT is NBSD or (input_layout is BNSD_BSND and PREFILL is true) or (input_layout is TND and GQANZ is true and key_quant_mode is 0)", "Use BSND."});
        }
    }
    if (!skipped && (c.quant_offset_out.given)) {
        if (!(c.quant_scale_out.given)) {
            found.push_back({561002, "V2-POSTQ-22", Shown("quant_scale_out.given", c.quant_scale_out.given), "quant_scale_out is given", "Pass quant_scale_out."});
        }
    }
    if (!skipped && (c.POSTQ)) {
        if (!(c.quant_scale_out.dtype == "float32" || (c.quant_scale_out.dtype == "bfloat16" && c.query.dtype == "bfloat16"))) {
            found.push_back({161002, "V2-POSTQ-05", Shown("quant_scale_out.dtype", c.quant_scale_out.dtype) + ", " + Shown("query.dtype", c.query.dtype), "the dtype of quant_scale_out is float32 or (the dtype of quant_scale_out is bfloat16 and the dtype of query is bfloat16)", "Convert it."});
        }
    }
    if (!skipped && (c.POSTQ && c.quant_offset_out.given)) {
        if (!(c.quant_offset_out.dtype == c.quant_scale_out.dtype && (c.quant_offset_out.shape == c.quant_scale_out.shape || (c.authority == "host" && c.HOST_PATH == "NEW" && c.quant_offset_out.rank == c.quant_scale_out.rank && c.quant_offset_out.numel == c.quant_scale_out.numel)))) {
            found.push_back({561002, "V2-POSTQ-06", Shown("quant_offset_out.dtype", c.quant_offset_out.dtype) + ", " + Shown("quant_scale_out.dtype", c.quant_scale_out.dtype) + ", " + Shown("quant_offset_out.shape", c.quant_offset_out.shape) + ", " + Shown("quant_scale_out.shape", c.quant_scale_out.shape), "the dtype of quant_offset_out is the dtype of quant_scale_out and (the shape of quant_offset_out is the shape of quant_scale_out or (authority is host and HOST_PATH is NEW and the rank of quant_offset_out is the rank of quant_scale_out and the number of elements of quant_offset_out is the number of elements of quant_scale_out))", "Reshape or convert it."});
        }
    }
    if (!skipped && (c.POSTQ)) {
        if (!(fia::In<int64_t>(c.quant_scale_out.numel, {1, fia::Mul(c.Q_N, c.Dv)}))) {
            found.push_back({561002, "V2-POSTQ-07", Shown("quant_scale_out.shape", c.quant_scale_out.shape) + ", " + Shown("Q_N", c.Q_N) + ", " + Shown("Dv", c.Dv), "the number of elements of quant_scale_out is one of (1, Q_N * Dv)", "Use 1 or Q_N * D factors."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "NEW") && (c.POSTQ && !fia::In<std::string_view>(c.input_layout, {"BSH", "BSND", "BNSD", "BNSD_BSND"})))) {
        if (!(c.quant_scale_out.shape == fia::Ints{1} || c.quant_scale_out.shape == fia::Ints{c.Q_N, c.Dv})) {
            found.push_back({561002, "V2-POSTQ-11", Shown("quant_scale_out.shape", c.quant_scale_out.shape) + ", " + Shown("input_layout", c.input_layout), "the shape of quant_scale_out is (1) or the shape of quant_scale_out is (Q_N, Dv)", "Reshape them."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "NEW") && (c.POSTQ && c.quant_scale_out.numel == 1 && fia::Mul(c.Q_N, c.Dv) != 1))) {
        if (!(c.quant_scale_out.shape == fia::Ints{1})) {
            found.push_back({561002, "V2-POSTQ-12", Shown("quant_scale_out.shape", c.quant_scale_out.shape), "the shape of quant_scale_out is (1)", "Reshape it."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.POSTQ && c.PREFILL && c.PER_CHANNEL_OUT))) {
        if (!(!c.return_softmax_lse)) {
            found.push_back({561002, "V2-POSTQ-13", Shown("return_softmax_lse", c.return_softmax_lse), "return_softmax_lse is false", "Use one factor, or quantise outside."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.POSTQ && c.PREFILL && c.PER_CHANNEL_OUT))) {
        if (!(fia::FloorMod(c.Dv, 32) == 0)) {
            found.push_back({561002, "V2-POSTQ-14", Shown("Dv", c.Dv), "Dv is a multiple of 32", "Pad the head dim."});
        }
    }
    if (!skipped && ((c.authority == "document" || c.HOST_PATH == "PFA") && (c.OUT_I8 && c.PREFILL && c.sparse_mode == 4))) {
        if (!(c.pre_tokens >= 0 && c.next_tokens >= 0)) {
            found.push_back({561002, "V2-POSTQ-16", Shown("pre_tokens", c.pre_tokens) + ", " + Shown("next_tokens", c.next_tokens), "pre_tokens is at least 0 and next_tokens is at least 0", "Quantise outside the operator."});
        }
    }
    if (!skipped && (c.OUT_I8 && c.PREFILL && c.quant_offset_out.given && c.sparse_mode == 0 && c.MASK)) {
        if (!(c.next_tokens >= 0 && fia::MaxOf(fia::Minus(c.Lq, c.Lk)) <= c.pre_tokens)) {
            found.push_back({561002, "V2-POSTQ-17", Shown("next_tokens", c.next_tokens) + ", " + Shown("pre_tokens", c.pre_tokens) + ", " + Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "next_tokens is at least 0 and the largest of Lq minus Lk, entry by entry is at most pre_tokens", "Quantise outside the operator."});
        }
    }
    if (!skipped && (c.OUT_I8 && c.PREFILL && c.quant_offset_out.given && c.sparse_mode == 3)) {
        if (!(fia::AllAtLeast(fia::Minus(c.Lk, c.Lq), 0))) {
            found.push_back({561002, "V2-POSTQ-19", Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "every entry of Lk minus Lq, entry by entry is at least 0", "Quantise outside the operator."});
        }
    }
    if (!skipped && (c.OUT_I8 && c.PREFILL && c.quant_offset_out.given && c.sparse_mode == 4)) {
        if (!(c.pre_tokens >= 0 && fia::Add(fia::MinOf(fia::Minus(c.Lk, c.Lq)), c.next_tokens) >= 0)) {
            found.push_back({561002, "V2-POSTQ-20", Shown("pre_tokens", c.pre_tokens) + ", " + Shown("next_tokens", c.next_tokens) + ", " + Shown("Lq", c.Lq) + ", " + Shown("Lk", c.Lk), "pre_tokens is at least 0 and the smallest of Lk minus Lq, entry by entry + next_tokens is at least 0", "Quantise outside the operator."});
        }
    }
    if (!skipped && (c.POSTQ)) {
        if (!(!c.INT4KV)) {
            found.push_back({561002, "V2-POSTQ-24", Shown("key.dtype", c.key.dtype), "INT4KV is false", "Quantise outside the operator."});
        }
    }
    if (!skipped && ((c.authority == "document" || (c.HOST_PATH == "NEW" && c.input_layout == "BNSD_BSND")) && (c.OUT_I8 && !(c.PREFILL && c.PER_CHANNEL_OUT)))) {
        if (!(fia::FloorMod(c.Dv, 32) == 0)) {
            found.push_back({561002, "V2-POSTQ-26", Shown("Dv", c.Dv), "Dv is a multiple of 32", "Pad the head dim."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "IFA" && (c.POSTQ && c.PER_CHANNEL_OUT))) {
        if (!(fia::In<fia::Ints>(c.quant_scale_out.shape, {fia::Ints{1, c.Q_N, 1, c.Dv}, fia::Ints{c.Q_N, 1, c.Dv}, fia::Ints{c.Q_N, c.Dv}, fia::Ints{1, 1, c.Q_N, c.Dv}, fia::Ints{1, c.Q_N, c.Dv}, fia::Ints{1, fia::Mul(c.Q_N, c.Dv)}, fia::Ints{1, 1, fia::Mul(c.Q_N, c.Dv)}, fia::Ints{fia::Mul(c.Q_N, c.Dv)}}))) {
            found.push_back({561002, "V2-POSTQ-27", Shown("quant_scale_out.shape", c.quant_scale_out.shape), "the shape of quant_scale_out is one of ((1, Q_N, 1, Dv), (Q_N, 1, Dv), (Q_N, Dv), (1, 1, Q_N, Dv), (1, Q_N, Dv), (1, Q_N * Dv), (1, 1, Q_N * Dv), (Q_N * Dv))", "Reshape them."});
        }
    }
    if (!skipped && (c.authority == "host" && c.HOST_PATH == "PFA" && c.input_layout == "TND")) {
        if (!(!c.OUT_I8)) {
            found.push_back({561002, "V2-POSTQ-29", Shown("quant_scale_out.given", c.quant_scale_out.given), "OUT_I8 is false", "Quantise outside the operator."});
        }
    }
}

} // namespace

// What the form of a call decides, the later stages build on: with a finding there, they are not asked.
std::vector<Violation> BrokenRules(const Call& c)
{
    std::vector<Violation> found;
    bool skipped = false;
    CheckForm(c, skipped, found);
    if (!found.empty()) {
        return found;
    }
    skipped = c.EMPTY_QUERY || c.EMPTY_KV;
    CheckShape(c, skipped, found);
    CheckValue(c, skipped, found);
    return found;
}

} // namespace fiagen_npu_fused_infer_attention_score_v2
