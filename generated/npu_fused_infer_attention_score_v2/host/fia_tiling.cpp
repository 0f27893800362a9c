// Host tiling of npu_fused_infer_attention_score_v2.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/host/tiling.cpp.jinja. Do not edit: run `fiagen build`.
#include "fia_tiling.h"

#include <algorithm>

namespace fiagen_npu_fused_infer_attention_score_v2 {
namespace {

constexpr uint32_t MAX_CORES = 24; // cube cores the tiling data has room for
constexpr int64_t FRACTAL = 16; // a fractal of 16-bit elements is 16 x 16
constexpr uint64_t FLOATS_PER_BLOCK = 8; // 32 bytes
constexpr uint32_t PARTS_PER_CORE = 2; // a core's first and last row may be cut, none between
constexpr int64_t NO_LIMIT = 2147483647; // a window without an edge: the documents' largest token count
constexpr int64_t COST_ROWS = 6; // cost of 16 rows in a step; production kernels of this family weigh 6 to 10
constexpr int64_t COST_KEYS = 10; // cost of 64 keys of a row block, likewise
constexpr int64_t COST_KEY_UNIT = 64; // keys that COST_KEYS pays for
constexpr uint64_t COST_EMPTY = 1; // a row block without keys is only looked at
// rows are cut only when whole rows would leave the slowest core an eighth more to do: the combine step costs
constexpr uint64_t CUT_GAIN_NUMERATOR = 9;
constexpr uint64_t CUT_GAIN_DENOMINATOR = 8; // see CUT_GAIN_NUMERATOR

constexpr Variant VARIANTS[] = {
    {"fia_v2_c220_f16_bsnd_nomask_d64_prefill", 0, "float16", "BSND", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bsnd_nomask_d64_decode", 1, "float16", "BSND", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_f16_bsnd_nomask_d128_prefill", 2, "float16", "BSND", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bsnd_nomask_d128_decode", 3, "float16", "BSND", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_f16_bsnd_full_d64_prefill", 4, "float16", "BSND", "full", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bsnd_full_d64_decode", 5, "float16", "BSND", "full", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_f16_bsnd_full_d128_prefill", 6, "float16", "BSND", "full", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bsnd_full_d128_decode", 7, "float16", "BSND", "full", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_f16_bsnd_causal_d64_prefill", 8, "float16", "BSND", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bsnd_causal_d128_prefill", 9, "float16", "BSND", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bsnd_band_d64_prefill", 10, "float16", "BSND", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bsnd_band_d128_prefill", 11, "float16", "BSND", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bnsd_nomask_d64_prefill", 12, "float16", "BNSD", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bnsd_nomask_d64_decode", 13, "float16", "BNSD", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_f16_bnsd_nomask_d128_prefill", 14, "float16", "BNSD", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bnsd_nomask_d128_decode", 15, "float16", "BNSD", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_f16_bnsd_full_d64_prefill", 16, "float16", "BNSD", "full", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bnsd_full_d64_decode", 17, "float16", "BNSD", "full", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_f16_bnsd_full_d128_prefill", 18, "float16", "BNSD", "full", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bnsd_full_d128_decode", 19, "float16", "BNSD", "full", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_f16_bnsd_causal_d64_prefill", 20, "float16", "BNSD", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bnsd_causal_d128_prefill", 21, "float16", "BNSD", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_bnsd_band_d64_prefill", 22, "float16", "BNSD", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_bnsd_band_d128_prefill", 23, "float16", "BNSD", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_tnd_nomask_d64_prefill", 24, "float16", "TND", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_tnd_nomask_d64_decode", 25, "float16", "TND", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_f16_tnd_nomask_d128_prefill", 26, "float16", "TND", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_tnd_nomask_d128_decode", 27, "float16", "TND", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_f16_tnd_causal_d64_prefill", 28, "float16", "TND", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_tnd_causal_d128_prefill", 29, "float16", "TND", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_f16_tnd_band_d64_prefill", 30, "float16", "TND", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_f16_tnd_band_d128_prefill", 31, "float16", "TND", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bsnd_nomask_d64_prefill", 32, "bfloat16", "BSND", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bsnd_nomask_d64_decode", 33, "bfloat16", "BSND", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_bf16_bsnd_nomask_d128_prefill", 34, "bfloat16", "BSND", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bsnd_nomask_d128_decode", 35, "bfloat16", "BSND", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_bf16_bsnd_full_d64_prefill", 36, "bfloat16", "BSND", "full", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bsnd_full_d64_decode", 37, "bfloat16", "BSND", "full", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_bf16_bsnd_full_d128_prefill", 38, "bfloat16", "BSND", "full", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bsnd_full_d128_decode", 39, "bfloat16", "BSND", "full", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_bf16_bsnd_causal_d64_prefill", 40, "bfloat16", "BSND", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bsnd_causal_d128_prefill", 41, "bfloat16", "BSND", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bsnd_band_d64_prefill", 42, "bfloat16", "BSND", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bsnd_band_d128_prefill", 43, "bfloat16", "BSND", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bnsd_nomask_d64_prefill", 44, "bfloat16", "BNSD", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bnsd_nomask_d64_decode", 45, "bfloat16", "BNSD", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_bf16_bnsd_nomask_d128_prefill", 46, "bfloat16", "BNSD", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bnsd_nomask_d128_decode", 47, "bfloat16", "BNSD", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_bf16_bnsd_full_d64_prefill", 48, "bfloat16", "BNSD", "full", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bnsd_full_d64_decode", 49, "bfloat16", "BNSD", "full", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_bf16_bnsd_full_d128_prefill", 50, "bfloat16", "BNSD", "full", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bnsd_full_d128_decode", 51, "bfloat16", "BNSD", "full", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_bf16_bnsd_causal_d64_prefill", 52, "bfloat16", "BNSD", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bnsd_causal_d128_prefill", 53, "bfloat16", "BNSD", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_bnsd_band_d64_prefill", 54, "bfloat16", "BNSD", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_bnsd_band_d128_prefill", 55, "bfloat16", "BNSD", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_tnd_nomask_d64_prefill", 56, "bfloat16", "TND", "none", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_tnd_nomask_d64_decode", 57, "bfloat16", "TND", "none", 64, "decode", false, "none", 64, 64, 1024, 819200},
    {"fia_v2_c220_bf16_tnd_nomask_d128_prefill", 58, "bfloat16", "TND", "none", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_tnd_nomask_d128_decode", 59, "bfloat16", "TND", "none", 128, "decode", false, "none", 64, 64, 1024, 851968},
    {"fia_v2_c220_bf16_tnd_causal_d64_prefill", 60, "bfloat16", "TND", "causal", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_tnd_causal_d128_prefill", 61, "bfloat16", "TND", "causal", 128, "prefill", false, "none", 128, 64, 512, 917504},
    {"fia_v2_c220_bf16_tnd_band_d64_prefill", 62, "bfloat16", "TND", "band", 64, "prefill", false, "none", 128, 64, 512, 851968},
    {"fia_v2_c220_bf16_tnd_band_d128_prefill", 63, "bfloat16", "TND", "band", 128, "prefill", false, "none", 128, 64, 512, 917504},
};

// The first feature of the call that no kernel of this build has, or nothing.
std::string MissingFeature(const Call& c)
{
    if (c.ROPE) {
        return "rotary parts (query_rope and key_rope)";
    }
    if (c.PSE) {
        return "pse_shift";
    }
    if (c.SINK) {
        return "learnable_sink";
    }
    if (c.POSTQ) {
        return "an int8 output (quant_scale_out)";
    }
    if (c.MASK && c.sparse_mode == 9) {
        return "sparse_mode 9";
    }
    if (c.Dq != c.Dv) {
        return "different head dims of query and value";
    }
    if (c.Q_N > fia::Mul(64, c.KV_N)) {
        return "more than 64 query heads for a kv head";
    }
    if (fia::Mul(c.Q_N, c.Dq) > 65535 || fia::Mul(c.KV_N, c.Dk) > 65535) {
        return "tokens of more than 65535 elements";
    }
    return "";
}

// The kernel whose place on every axis is the call's; null when there is none.
const Variant* FindVariant(const Call& c)
{
    for (const Variant& variant : VARIANTS) {
        bool serves = true;
        serves = serves && variant.dtype == (c.query.dtype);
        serves = serves && (variant.layout == (c.input_layout) || (variant.layout == "BSND" && (c.input_layout) == "BSH"));
        serves = serves && variant.mask == (c.MASK_KIND);
        serves = serves && variant.head_dim == (c.Dq);
        serves = serves && variant.phase == (c.DECODE ? std::string_view("decode") : std::string_view("prefill"));
        serves = serves && variant.pa == (c.PA);
        serves = serves && variant.quant == (c.NOQ ? std::string_view("none") : std::string_view("some"));
        if (serves) {
            return &variant;
        }
    }
    return nullptr;
}

std::string PlaceOnAxes(const Call& c)
{
    std::string place;
    place += "dtype " + std::string(c.query.dtype) + " ";
    place += "layout " + std::string(c.input_layout) + " ";
    place += "mask " + std::string(c.MASK_KIND) + " ";
    place += "head_dim " + std::to_string(c.Dq) + " ";
    place += "phase " + std::string(c.DECODE ? std::string_view("decode") : std::string_view("prefill")) + " ";
    place += "pa " + std::string((c.PA) ? "true" : "false") + " ";
    place += "quant " + std::string(c.NOQ ? std::string_view("none") : std::string_view("some")) + " ";
    return place;
}

// Row i sees the columns anchor + i - windowBack .. anchor + i + windowAhead; the anchor is 0 or keys - queries.
void SetWindow(const Call& c, std::string_view mask, FiaTiling& tiling)
{
    tiling.windowBack = NO_LIMIT;
    tiling.windowAhead = NO_LIMIT;
    if (mask == "full" && c.sparse_mode == 0 && !c.SPARSE_FREE) {
        tiling.windowBack = std::clamp(c.pre_tokens, -NO_LIMIT, NO_LIMIT);
        tiling.windowAhead = std::clamp(c.next_tokens, -NO_LIMIT, NO_LIMIT);
    } else if (mask == "causal") {
        tiling.windowAhead = 0;
        tiling.anchorRight = c.sparse_mode == 3 ? 1 : 0;
    } else if (mask == "band") {
        tiling.windowBack = std::clamp(c.pre_tokens, -NO_LIMIT, NO_LIMIT);
        tiling.windowAhead = std::clamp(c.next_tokens, -NO_LIMIT, NO_LIMIT);
        tiling.anchorRight = 1;
    }
}

// A full mask is (rows, columns), with the batch as another leading axis or, for a single row, in place of the rows.
void SetMaskPitches(const Call& c, FiaTiling& tiling)
{
    const fia::Ints& shape = c.atten_mask.shape;
    const int64_t columns = fia::At(shape, -1);
    const int64_t rows = c.atten_mask.rank == 2 && c.SPARSE_FREE ? 1 : fia::At(shape, -2);
    const bool perBatch = c.atten_mask.rank > 2 || c.SPARSE_FREE ? fia::First(shape) > 1 : false;
    tiling.maskRowPitch = static_cast<uint32_t>(columns);
    tiling.maskBatchPitch = perBatch ? rows * columns : 0;
}

// Packed layouts pass their running totals. Elsewhere one entry serves every batch, and no list means the whole axis.
void SetLengths(const Call& c, Launch& launch)
{
    if (c.TNDLIKE) {
        launch.queryLengths = c.actual_seq_qlen.value;
        launch.keyLengths = c.actual_seq_kvlen.value;
    } else {
        if (c.actual_seq_qlen.given && !c.SPARSE_FREE) {
            launch.queryLengths = c.actual_seq_qlen.value.size() == 1 ? c.actual_seq_qlen.value
                                                                      : fia::Take(c.actual_seq_qlen.value, c.B);
        }
        if (c.actual_seq_kvlen.given) {
            launch.keyLengths = c.actual_seq_kvlen.value.size() == 1 ? c.actual_seq_kvlen.value
                                                                     : fia::Take(c.actual_seq_kvlen.value, c.B);
        }
    }
    launch.tiling.queryLengthEntries = static_cast<uint32_t>(launch.queryLengths.size());
    launch.tiling.keyLengthEntries = static_cast<uint32_t>(launch.keyLengths.size());
}

struct RowBlockCost {
    uint32_t batch;
    uint32_t kvHead;
    uint32_t unit;
    uint64_t cost;
};

// What a row block costs: its keys within the window, in units of what cube and vector pay for 16 rows or 64 keys.
uint64_t CostOf(const FiaTiling& tiling, uint32_t kvTile, int64_t row, int64_t rows, int64_t queries, int64_t keys)
{
    const int64_t anchor = tiling.anchorRight != 0 ? keys - queries : 0;
    const int64_t low = std::max<int64_t>(0, row + anchor - tiling.windowBack);
    const int64_t high = std::min(keys, row + rows + anchor + tiling.windowAhead);
    if (low >= high) {
        return COST_EMPTY;
    }
    const int64_t columns = high - low;
    const int64_t steps = fia::CeilDiv(columns, kvTile);
    const int64_t fractals = fia::CeilDiv(rows * tiling.groupSize, FRACTAL);
    return static_cast<uint64_t>(steps * COST_ROWS * fractals + COST_KEYS * fia::CeilDiv(columns, COST_KEY_UNIT));
}

std::vector<RowBlockCost> ListRowBlocks(const Call& c, const Variant& variant, const FiaTiling& tiling)
{
    std::vector<RowBlockCost> blocks;
    for (uint32_t batch = 0; batch < tiling.batch; ++batch) {
        const int64_t queries = c.Lq[batch];
        for (uint32_t head = 0; head < tiling.numKvHeads; ++head) {
            for (int64_t row = 0; row < queries; row += tiling.rowsPerBlock) {
                const int64_t rows = std::min<int64_t>(tiling.rowsPerBlock, queries - row);
                blocks.push_back({batch, head, static_cast<uint32_t>(row / tiling.rowsPerBlock),
                                  CostOf(tiling, variant.kvTile, row, rows, queries, c.Lk[batch])});
            }
        }
    }
    return blocks;
}

// Cores needed when no core may take more than `limit`.
uint64_t CoresNeeded(const std::vector<RowBlockCost>& blocks, uint64_t limit)
{
    uint64_t cores = 1;
    uint64_t load = 0;
    for (const RowBlockCost& block : blocks) {
        if (load + block.cost > limit && load > 0) {
            ++cores;
            load = 0;
        }
        load += block.cost;
    }
    return cores;
}

// The smallest load of the busiest core when consecutive blocks stay together, by bisection.
uint64_t SmallestLimit(const std::vector<RowBlockCost>& blocks, uint32_t cores)
{
    uint64_t low = 1;
    uint64_t high = 1;
    for (const RowBlockCost& block : blocks) {
        low = std::max(low, block.cost);
        high += block.cost;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (CoresNeeded(blocks, middle) <= cores) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

uint32_t SplitRowBlocks(const Call& c, const Variant& variant, uint32_t cores, FiaTiling& tiling)
{
    const std::vector<RowBlockCost> blocks = ListRowBlocks(c, variant, tiling);
    const uint64_t limit = SmallestLimit(blocks, cores);
    uint32_t core = 0;
    uint64_t load = 0;
    for (const RowBlockCost& block : blocks) {
        if (load + block.cost > limit && load > 0) {
            ++core;
            load = 0;
        }
        if (load == 0) {
            tiling.coreWork[core] = {block.batch, block.kvHead, block.unit, 0};
        }
        ++tiling.coreWork[core].count;
        load += block.cost;
    }
    return core + 1;
}

struct Row {
    uint32_t batch;
    uint32_t kvHead;
    uint64_t tiles;
};

std::vector<Row> ListRows(const Call& c, const Variant& variant, const FiaTiling& tiling)
{
    std::vector<Row> rows;
    for (uint32_t batch = 0; batch < tiling.batch; ++batch) {
        const int64_t tiles = c.Lq[batch] == 0 ? 0 : fia::CeilDiv(c.Lk[batch], variant.kvTile);
        for (uint32_t head = 0; head < tiling.numKvHeads && tiles > 0; ++head) {
            rows.push_back({batch, head, static_cast<uint64_t>(tiles)});
        }
    }
    return rows;
}

// Tiles of the busiest core when rows stay whole.
uint64_t WholeRowLimit(const std::vector<Row>& rows, uint32_t cores)
{
    std::vector<RowBlockCost> blocks;
    for (const Row& row : rows) {
        blocks.push_back({row.batch, row.kvHead, 0, row.tiles});
    }
    return SmallestLimit(blocks, cores);
}

// Walks the rows and hands out at most `share(core)` tiles a core; rows that end up on several cores are noted.
uint32_t SplitKvTiles(const Call& c, const Variant& variant, uint32_t cores, FiaTiling& tiling)
{
    const std::vector<Row> rows = ListRows(c, variant, tiling);
    uint64_t total = 0;
    for (const Row& row : rows) {
        total += row.tiles;
    }
    if (total == 0) {
        return 1;
    }
    const uint64_t even = (total + cores - 1) / cores;
    const uint64_t whole = WholeRowLimit(rows, cores);
    const bool cut = whole * CUT_GAIN_DENOMINATOR > even * CUT_GAIN_NUMERATOR;
    const uint64_t limit = cut ? even : whole;
    uint32_t core = 0;
    uint64_t load = 0;
    for (const Row& row : rows) {
        if (!cut && load + row.tiles > limit && load > 0) {
            ++core;
            load = 0;
        }
        uint64_t tile = 0;
        const uint32_t firstCore = load == limit ? core + 1 : core;
        const uint32_t firstSlot = firstCore * PARTS_PER_CORE + (load == 0 || load == limit ? 0 : 1);
        while (tile < row.tiles) {
            if (load == limit) {
                ++core;
                load = 0;
            }
            if (load == 0) {
                tiling.coreWork[core] = {row.batch, row.kvHead, static_cast<uint32_t>(tile), 0};
            }
            const uint64_t taken = std::min(row.tiles - tile, limit - load);
            tiling.coreWork[core].count += static_cast<uint32_t>(taken);
            tile += taken;
            load += taken;
        }
        if (core > firstCore) {
            tiling.cutRows[tiling.cutRowCount++] = {row.batch, row.kvHead, firstCore, firstSlot, core - firstCore + 1};
        }
    }
    return core + 1;
}

} // namespace

bool PlanLaunch(const Call& c, uint32_t cubeCores, Launch& launch, std::string& why)
{
    if (c.EMPTY_QUERY) {
        return true;
    }
    why = MissingFeature(c);
    if (!why.empty()) {
        return false;
    }
    const Variant* variant = FindVariant(c);
    if (variant == nullptr) {
        why = PlaceOnAxes(c);
        return false;
    }
    launch.variant = variant;
    FiaTiling& tiling = launch.tiling;
    tiling.batch = static_cast<uint32_t>(c.B);
    tiling.numQueryHeads = static_cast<uint32_t>(c.Q_N);
    tiling.numKvHeads = static_cast<uint32_t>(c.KV_N);
    tiling.groupSize = static_cast<uint32_t>(c.Q_N / c.KV_N);
    tiling.querySeqAxis = c.TNDLIKE ? 0 : static_cast<uint32_t>(c.Q_S);
    tiling.keySeqAxis = c.TNDLIKE ? 0 : static_cast<uint32_t>(c.KV_AXIS);
    tiling.returnLse = c.return_softmax_lse ? 1 : 0;
    tiling.softmaxScale = static_cast<float>(c.softmax_scale);
    // Both vector cores of a block take whole positions, so a block holds an even number of them where it can.
    tiling.rowsPerBlock = c.DECODE ? 1 : variant->maxRows / variant->partRows * (variant->partRows / tiling.groupSize);
    launch.passMask = variant->mask != "none";
    SetWindow(c, variant->mask, tiling);
    if (variant->mask == "full") {
        SetMaskPitches(c, tiling);
    }
    SetLengths(c, launch);
    const uint32_t cores = std::min(cubeCores, MAX_CORES);
    launch.blockDim = c.DECODE ? SplitKvTiles(c, *variant, cores, tiling) : SplitRowBlocks(c, *variant, cores, tiling);
    launch.workspaceBytes = launch.blockDim * variant->coreWorkspaceBytes;
    if (c.DECODE) {
        const uint64_t partRows = static_cast<uint64_t>(launch.blockDim) * PARTS_PER_CORE * variant->maxRows;
        launch.workspaceBytes += partRows * (static_cast<uint64_t>(variant->head_dim) + FLOATS_PER_BLOCK) * sizeof(float);
    }
    return true;
}

} // namespace fiagen_npu_fused_infer_attention_score_v2
