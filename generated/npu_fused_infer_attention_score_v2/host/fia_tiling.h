// Host tiling of npu_fused_infer_attention_score_v2: which kernel, how many blocks, what each core does, how much workspace.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/host/tiling.h.jinja. Do not edit: run `fiagen build`.
#ifndef FIA_TILING_H
#define FIA_TILING_H

#include <string>

#include "call_facts.h"
#include "fia_tiling_data.h"

namespace fiagen_npu_fused_infer_attention_score_v2 {

// One generated kernel: its place on every axis, and the sizes of its plan.
struct Variant {
    const char* name;
    uint64_t tilingKey;
    std::string_view dtype; // Element type of query, key, value and attention_out.
    std::string_view layout; // How tokens and heads lie in memory.
    std::string_view mask; // Which scores count.
    int64_t head_dim; // Head dim of query, key and value.
    std::string_view phase; // How many query tokens a batch has.
    bool pa; // Paged attention.
    std::string_view quant; // Quantisation.
    uint32_t maxRows;
    uint32_t partRows;
    uint32_t kvTile;
    uint64_t coreWorkspaceBytes;
};

struct Launch {
    const Variant* variant = nullptr; // null: nothing to compute, the outputs are empty
    uint32_t blockDim = 0;
    uint64_t workspaceBytes = 0;
    fia::Ints queryLengths; // what the kernel reads; empty when the S axis says it all
    fia::Ints keyLengths;
    bool passMask = false;
    FiaTiling tiling = {};
};

// Plans a legal call for a device of `cubeCores` cube cores. False, with the reason in `why`, when no kernel serves it.
bool PlanLaunch(const Call& c, uint32_t cubeCores, Launch& launch, std::string& why);

} // namespace fiagen_npu_fused_infer_attention_score_v2

#endif
