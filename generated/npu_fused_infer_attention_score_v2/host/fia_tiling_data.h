// Tiling data of npu_fused_infer_attention_score_v2: the kernels hold the same structs, word for word.
//
// Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/host/tiling_data.h.jinja. Do not edit: run `fiagen build`.
#ifndef FIA_TILING_DATA_H
#define FIA_TILING_DATA_H

#include <cstddef>
#include <cstdint>

namespace fiagen_npu_fused_infer_attention_score_v2 {

// Tiling data, written by the host and copied from global memory by every core.
struct CoreWork {
    uint32_t batch; // batch of the first unit of work
    uint32_t kvHead; // its kv head
    uint32_t unit; // its row block (prefill) or key tile (decode)
    uint32_t count; // units of this core, in the order batch, kv head, unit
};
static_assert(sizeof(CoreWork) == 16, "the host and the kernel disagree about CoreWork");
static_assert(offsetof(CoreWork, batch) == 0, "CoreWork.batch moved");
static_assert(offsetof(CoreWork, kvHead) == 4, "CoreWork.kvHead moved");
static_assert(offsetof(CoreWork, unit) == 8, "CoreWork.unit moved");
static_assert(offsetof(CoreWork, count) == 12, "CoreWork.count moved");

struct CutRow {
    uint32_t batch; // batch of a row that several cores share
    uint32_t kvHead; // its kv head
    uint32_t firstCore; // core that has its first part
    uint32_t firstSlot; // where that core leaves its part; the others use their first slot
    uint32_t parts; // cores that share the row
};
static_assert(sizeof(CutRow) == 20, "the host and the kernel disagree about CutRow");
static_assert(offsetof(CutRow, batch) == 0, "CutRow.batch moved");
static_assert(offsetof(CutRow, kvHead) == 4, "CutRow.kvHead moved");
static_assert(offsetof(CutRow, firstCore) == 8, "CutRow.firstCore moved");
static_assert(offsetof(CutRow, firstSlot) == 12, "CutRow.firstSlot moved");
static_assert(offsetof(CutRow, parts) == 16, "CutRow.parts moved");

struct FiaTiling {
    int64_t maskBatchPitch; // mask elements from batch to batch; 0 when all batches share one mask
    int64_t windowBack; // a row sees this many columns left of its anchor column
    int64_t windowAhead; // and this many right of it
    uint32_t batch; // batches
    uint32_t numQueryHeads; // query heads
    uint32_t numKvHeads; // key and value heads
    uint32_t groupSize; // query heads that share one kv head
    uint32_t querySeqAxis; // S axis of query; unused when all batches share one token axis
    uint32_t keySeqAxis; // S axis of key and value, likewise
    uint32_t queryLengthEntries; // entries of the query length list; 0 without one
    uint32_t keyLengthEntries; // entries of the key length list; 0 without one
    uint32_t rowsPerBlock; // query positions of a row block
    uint32_t maskRowPitch; // mask elements from row to row
    uint32_t anchorRight; // 1 when the last row is anchored at the last column, 0 for first at first
    uint32_t returnLse; // 1 when softmax_lse is wanted
    float softmaxScale; // factor of query x key^T
    uint32_t cutRowCount; // rows in cutRows
    CoreWork coreWork[24]; // what each core does
    CutRow cutRows[24]; // rows that the combine step has to put together
};
static_assert(sizeof(FiaTiling) == 944, "the host and the kernel disagree about FiaTiling");
static_assert(offsetof(FiaTiling, maskBatchPitch) == 0, "FiaTiling.maskBatchPitch moved");
static_assert(offsetof(FiaTiling, windowBack) == 8, "FiaTiling.windowBack moved");
static_assert(offsetof(FiaTiling, windowAhead) == 16, "FiaTiling.windowAhead moved");
static_assert(offsetof(FiaTiling, batch) == 24, "FiaTiling.batch moved");
static_assert(offsetof(FiaTiling, numQueryHeads) == 28, "FiaTiling.numQueryHeads moved");
static_assert(offsetof(FiaTiling, numKvHeads) == 32, "FiaTiling.numKvHeads moved");
static_assert(offsetof(FiaTiling, groupSize) == 36, "FiaTiling.groupSize moved");
static_assert(offsetof(FiaTiling, querySeqAxis) == 40, "FiaTiling.querySeqAxis moved");
static_assert(offsetof(FiaTiling, keySeqAxis) == 44, "FiaTiling.keySeqAxis moved");
static_assert(offsetof(FiaTiling, queryLengthEntries) == 48, "FiaTiling.queryLengthEntries moved");
static_assert(offsetof(FiaTiling, keyLengthEntries) == 52, "FiaTiling.keyLengthEntries moved");
static_assert(offsetof(FiaTiling, rowsPerBlock) == 56, "FiaTiling.rowsPerBlock moved");
static_assert(offsetof(FiaTiling, maskRowPitch) == 60, "FiaTiling.maskRowPitch moved");
static_assert(offsetof(FiaTiling, anchorRight) == 64, "FiaTiling.anchorRight moved");
static_assert(offsetof(FiaTiling, returnLse) == 68, "FiaTiling.returnLse moved");
static_assert(offsetof(FiaTiling, softmaxScale) == 72, "FiaTiling.softmaxScale moved");
static_assert(offsetof(FiaTiling, cutRowCount) == 76, "FiaTiling.cutRowCount moved");
static_assert(offsetof(FiaTiling, coreWork) == 80, "FiaTiling.coreWork moved");
static_assert(offsetof(FiaTiling, cutRows) == 464, "FiaTiling.cutRows moved");

} // namespace fiagen_npu_fused_infer_attention_score_v2

#endif
