/*
 * fia_v2_c220_bf16_bnsd_nomask_d128_decode
 * Fused attention. bfloat16. (B, N, S, D). Every key of the batch. 128 elements. At most one; keys are spread over the
 * cores and the parts combined. Key and value are contiguous. Nothing is quantised.
 *
 * Generated from specs/variants/npu_fused_infer_attention_score_v2.yaml by templates/kernel/fused_attention.cpp.jinja.
 * Do not edit: change the spec, the plan or the template and run `fiagen build`.
 *
 * One block is a cube core and two vector cores. Scores, probabilities and context cross between them through the
 * workspace; all heads of a kv head's group are rows of one tile, so keys and values are read once for a group.
 * Key tiles are spread over the cores; the parts of a row that was cut are combined at the end.
 */
#include "kernel_operator.h"

namespace fia_v2_c220_bf16_bnsd_nomask_d128_decode_kernel {
using namespace AscendC;

using Element = bfloat16_t; // query, key, value and attention_out

// Shape of the variant
constexpr uint32_t HEAD_DIM = 128; // head dim of query, key and value

// Tiles
constexpr uint32_t PART_ROWS = 64; // rows of one vector core: their statistics fill exactly one repeat of floats
constexpr uint32_t MAX_ROWS = 64; // rows of a block: one position of the largest group of heads
constexpr uint32_t KV_TILE = 1024; // keys of a step: few rows, so long tiles keep the turns of the pipeline few
constexpr uint32_t CHUNK = 128; // keys of one product: 128 x 128 elements fill half of L0A and of L0B
constexpr uint32_t SLICE_ROWS = 8; // rows of a slice in the unified buffer: the largest multiple of 8 whose buffers fit
constexpr uint32_t SLICE_ELEMENTS = 8192; // SLICE_ROWS x KV_TILE

// Units of the hardware
constexpr uint32_t AIV_PER_AIC = 2; // vector cores beside each cube core
constexpr uint32_t BLOCK_BYTES = 32; // unit of an aligned copy
constexpr uint32_t FRACTAL = 16; // a fractal of 16-bit elements is 16 x 16
constexpr uint32_t FLOATS_PER_BLOCK = 8; // 32 bytes
constexpr uint32_t ELEMENTS_PER_BLOCK = 16; // 32 bytes
constexpr uint32_t FLOATS_PER_REPEAT = 64; // 256 bytes, what one vector repeat handles
constexpr uint32_t BLOCKS_PER_REPEAT = 8; // 256 bytes / 32 bytes
// products of fewer fractals need a barrier before the next one adds to them
constexpr uint32_t SMALL_MMAD_FRACTALS = 10;

// Buffers of the cube core
// 2 x 16384 bytes: query tile; the next row block loads while this one is in use
constexpr uint32_t QUERY_L1_BYTES = 32768;
constexpr uint32_t QUERY_L1_ELEMENTS = 8192; // elements of one slot
constexpr uint32_t KEY_L1_BYTES = 65536; // 2 x 32768 bytes: one chunk of keys; the next loads during the product
constexpr uint32_t KEY_L1_ELEMENTS = 16384; // elements of one slot
constexpr uint32_t VALUE_L1_BYTES = 65536; // 2 x 32768 bytes: one chunk of values; the next loads during the product
constexpr uint32_t VALUE_L1_ELEMENTS = 16384; // elements of one slot
// 2 x 16384 bytes: probabilities of one chunk; the next load during the product
constexpr uint32_t PROBS_L1_BYTES = 32768;
constexpr uint32_t PROBS_L1_ELEMENTS = 8192; // elements of one slot
// 2 x 32768 bytes: left matrix of a product; the next loads during the product
constexpr uint32_t LEFT_L0_BYTES = 65536;
constexpr uint32_t LEFT_L0_ELEMENTS = 16384; // elements of one slot
// 2 x 32768 bytes: right matrix of a product; the next loads during the product
constexpr uint32_t RIGHT_L0_BYTES = 65536;
constexpr uint32_t RIGHT_L0_ELEMENTS = 16384; // elements of one slot
constexpr uint32_t ACC_L0_BYTES = 131072; // 2 x 65536 bytes: sums; one is copied out while the other fills
constexpr uint32_t ACC_L0_ELEMENTS = 16384; // elements of one slot

// Buffers of a vector core
// 2 x 32768 bytes: a slice of scores; the next loads while this one is in use
constexpr uint32_t SCORES_BUF_BYTES = 65536;
// 2 x 16384 bytes: its probabilities; the last slice's are still being stored
constexpr uint32_t PROBS_BUF_BYTES = 32768;
constexpr uint32_t CONTEXT_BUF_BYTES = 16384; // context of one step
constexpr uint32_t OUTPUT_BUF_BYTES = 16384; // running output of the row block
constexpr uint32_t RESULT_BUF_BYTES = 16384; // finished rows in the element type
constexpr uint32_t FOLD_BUF_BYTES = 2048; // row maxima, folded to one repeat a row
constexpr uint32_t BROADCAST_BUF_BYTES = 2048; // one value a row, spread over a block
constexpr uint32_t LSE_BLOCKS_BUF_BYTES = 2048; // log-sum-exp, spread so that every row can be copied alone
constexpr uint32_t ROW_BUF_BYTES = 256; // one value a row
constexpr uint32_t LSE_BUF_BYTES = 256; // log-sum-exp of the rows
constexpr uint32_t MAX_BUF_BYTES = 512; // 2 x 256 bytes: running row maxima of the two row blocks in flight
constexpr uint32_t SUM_BUF_BYTES = 512; // 2 x 256 bytes: running row sums of the two row blocks in flight
constexpr uint32_t RESCALE_BUF_BYTES = 512; // 2 x 256 bytes: exp(old - new maximum) of the two steps in flight
constexpr uint32_t ROW_BITS_BUF_BYTES = 32; // one bit a row: it saw a key
constexpr uint32_t WEIGHTS_BUF_BYTES = 6144; // log-sum-exp, then weight, of every part of a cut row

// Share of one core in the workspace
constexpr uint32_t SCORES_OFFSET = 0; // two tiles of fp32 scores
constexpr uint32_t PROBS_OFFSET = 524288; // two tiles of probabilities
constexpr uint32_t CONTEXT_OFFSET = 786432; // two tiles of fp32 context
constexpr uint32_t CORE_WORKSPACE_BYTES = 851968; // the share of one core, whole 512-byte lines

// Cut rows
constexpr uint32_t PARTS_PER_CORE = 2; // a core's first and last row may be cut, none between
constexpr uint32_t COMBINE_ROWS = 8; // heads a vector core combines at a time: their weights fill one repeat

// Signals between the cores of a block
constexpr uint32_t BLOCK_SYNC = 2; // cube core and both vector cores of a block
constexpr uint32_t SCORES_READY = 0; // cube to vector: scores of a step are in the workspace
constexpr uint32_t PROBS_READY = 1; // vector to cube: probabilities of a step are in the workspace
constexpr uint32_t CONTEXT_READY = 2; // cube to vector: context of a step is in the workspace

// Event ids inside a core: the first of as many as there are slots
constexpr int32_t QUERY_EVENT = 0; // slots of the query tile
constexpr int32_t KEY_EVENT = 2; // slots of the key chunk
constexpr int32_t VALUE_EVENT = 4; // slots of the value and probability chunks, loaded together
constexpr int32_t L0_EVENT = 3; // slots of L0A and L0B; the pipe object uses 0 to 2 of this event
constexpr int32_t L0_READY_EVENT = 0; // slots of L0A and L0B, filled
constexpr int32_t ACC_EVENT = 0; // slots of L0C
constexpr int32_t SCORES_EVENT = 0; // slots of the score slice
constexpr int32_t CONTEXT_EVENT = 2; // context of a step
constexpr int32_t PROBS_EVENT = 0; // slots of the probability slice
constexpr int32_t OUT_EVENT = 2; // finished rows and their log-sum-exp
constexpr int32_t PART_EVENT = 3; // running output, while a part of a row is stored

// Numbers
constexpr float MASKED_SCORE = -3.0e38f; // stands for a score that does not count; exp of it less any other is 0
constexpr float MASKED_SCORE_LIMIT = -2.9e38f; // a maximum that is not above this saw no key
constexpr float POSITIVE_INFINITY = __builtin_inff(); // log-sum-exp of a row without keys

// Tiling data, written by the host and copied from global memory by every core.
struct CoreWork {
    uint32_t batch; // batch of the first unit of work
    uint32_t kvHead; // its kv head
    uint32_t unit; // its row block (prefill) or key tile (decode)
    uint32_t count; // units of this core, in the order batch, kv head, unit
};
static_assert(sizeof(CoreWork) == 16, "the host and the kernel disagree about CoreWork");

struct CutRow {
    uint32_t batch; // batch of a row that several cores share
    uint32_t kvHead; // its kv head
    uint32_t firstCore; // core that has its first part
    uint32_t firstSlot; // where that core leaves its part; the others use their first slot
    uint32_t parts; // cores that share the row
};
static_assert(sizeof(CutRow) == 20, "the host and the kernel disagree about CutRow");

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

// Query rows that are handled together: every head of one kv head's group at rowCount consecutive positions.
// Row r of the block is position rowBegin + r / groupSize, head r % groupSize of the group.
struct RowBlock {
    uint32_t batch;
    uint32_t kvHead;
    uint32_t rowBegin;
    uint32_t rowCount;
    int64_t queryToken;  // first query token of the batch
    int64_t keyToken;    // first key token of the batch
    int64_t queryLength; // effective lengths of the batch
    int64_t keyLength;
    int64_t kvBegin; // key columns that at least one row may see
    int64_t kvEnd;
    bool isCut; // other cores have the rest of this row
    uint32_t partSlot; // where this core leaves its part
};

// One turn of the pipeline: a row block against KV_TILE keys.
struct Step {
    RowBlock block;
    int64_t kvOffset;
    uint32_t kvCount;
    uint32_t slot;      // which of the two workspace tiles holds this step
    uint32_t blockSlot; // alternates with every row block: two of them are in flight
    bool isFirst;
    bool isLast;
};

__aicore__ inline void ReadTiling(FiaTiling& tiling, GM_ADDR source)
{
    const __gm__ uint32_t* from = reinterpret_cast<const __gm__ uint32_t*>(source);
    uint32_t* to = reinterpret_cast<uint32_t*>(&tiling);
    for (uint32_t word = 0; word < sizeof(FiaTiling) / sizeof(uint32_t); ++word) {
        to[word] = from[word];
    }
}

__aicore__ inline uint32_t Min(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }
__aicore__ inline int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }
__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a, uint32_t b) { return CeilDiv(a, b) * b; }

class FusedAttention {
public:
    __aicore__ inline FusedAttention() {}

    __aicore__ inline void Init(GM_ADDR query, GM_ADDR key, GM_ADDR value,
                                GM_ADDR queryLengths, GM_ADDR keyLengths, GM_ADDR attentionOut, GM_ADDR softmaxLse,
                                GM_ADDR workspace, const FiaTiling& tilingData)
    {
        tiling = tilingData;
        core = GetBlockIdx();
        if ASCEND_IS_AIV {
            core = GetBlockIdx() / AIV_PER_AIC;
        }
        queryGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(query));
        keyGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(key));
        valueGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(value));
        queryLengthsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(queryLengths));
        keyLengthsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(keyLengths));
        outGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(attentionOut));
        lseGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(softmaxLse));

        GM_ADDR own = workspace + static_cast<uint64_t>(core) * CORE_WORKSPACE_BYTES;
        scoresGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own + SCORES_OFFSET));
        probsGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(own + PROBS_OFFSET));
        contextGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own + CONTEXT_OFFSET));
        GM_ADDR parts = workspace + static_cast<uint64_t>(GetBlockNum()) * CORE_WORKSPACE_BYTES;
        const uint64_t partRows = static_cast<uint64_t>(GetBlockNum()) * PARTS_PER_CORE * MAX_ROWS;
        partOutputGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(parts));
        partLseGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(parts + partRows * HEAD_DIM * sizeof(float)));
        if ASCEND_IS_AIC {
            pipe.InitBuffer(queryL1, QUERY_L1_BYTES);
            pipe.InitBuffer(keyL1, KEY_L1_BYTES);
            pipe.InitBuffer(valueL1, VALUE_L1_BYTES);
            pipe.InitBuffer(probsL1, PROBS_L1_BYTES);
            pipe.InitBuffer(leftL0, LEFT_L0_BYTES);
            pipe.InitBuffer(rightL0, RIGHT_L0_BYTES);
            pipe.InitBuffer(accL0, ACC_L0_BYTES);
        }
        if ASCEND_IS_AIV {
            pipe.InitBuffer(scoresBuf, SCORES_BUF_BYTES);
            pipe.InitBuffer(probsBuf, PROBS_BUF_BYTES);
            pipe.InitBuffer(contextBuf, CONTEXT_BUF_BYTES);
            pipe.InitBuffer(outputBuf, OUTPUT_BUF_BYTES);
            pipe.InitBuffer(resultBuf, RESULT_BUF_BYTES);
            pipe.InitBuffer(foldBuf, FOLD_BUF_BYTES);
            pipe.InitBuffer(broadcastBuf, BROADCAST_BUF_BYTES);
            pipe.InitBuffer(lseBlocksBuf, LSE_BLOCKS_BUF_BYTES);
            pipe.InitBuffer(rowBuf, ROW_BUF_BYTES);
            pipe.InitBuffer(lseBuf, LSE_BUF_BYTES);
            pipe.InitBuffer(maxBuf, MAX_BUF_BYTES);
            pipe.InitBuffer(sumBuf, SUM_BUF_BYTES);
            pipe.InitBuffer(rescaleBuf, RESCALE_BUF_BYTES);
            pipe.InitBuffer(rowBitsBuf, ROW_BITS_BUF_BYTES);
            pipe.InitBuffer(weightsBuf, WEIGHTS_BUF_BYTES);
        }
    }

    // Cube:   scores(i), context(i - 1)        Vector:   softmax(i), update(i - 1)
    // softmax(i) runs while the cube computes context(i - 1) and scores(i + 1). Three flags order the four stages; a slot
    // of the workspace is free again by the time its turn comes, because every stage waits for the one before it.
    __aicore__ inline void Process()
    {
        if ASCEND_IS_AIC {
            ClearCubeBuffers();
            SetCubeFlags();
        }
        if ASCEND_IS_AIV {
            ClearVectorBuffers();
            SetVectorFlags();
            FillUnattendedRows();
        }
        StartWalk();
        Step current;
        Step previous;
        bool hasPrevious = false;
        bool hasCurrent = NextStep(current);
        while (hasCurrent || hasPrevious) {
            if ASCEND_IS_AIC {
                if (hasCurrent) {
                    ComputeScores(current);
                }
                if (hasPrevious) {
                    ComputeContext(previous);
                }
            }
            if ASCEND_IS_AIV {
                if (hasCurrent) {
                    Softmax(current);
                }
                if (hasPrevious) {
                    UpdateOutput(previous);
                }
            }
            previous = current;
            hasPrevious = hasCurrent;
            hasCurrent = hasCurrent && NextStep(current);
        }
        if ASCEND_IS_AIC {
            WaitCubeFlags();
        }
        if ASCEND_IS_AIV {
            WaitVectorFlags();
            SyncAll(); // the parts of a cut row come from several cores
            CombineParts();
        }
    }

private:
    // A list of one entry serves every batch; no list means that the whole S axis counts.
    __aicore__ inline int64_t LengthOf(const GlobalTensor<int64_t>& list, uint32_t entries, uint32_t batch, int64_t axis)
    {
        if (entries == 0) {
            return axis;
        }
        return list.GetValue(entries == 1 ? 0 : batch);
    }

    __aicore__ inline void ReadLengths(RowBlock& block, uint32_t batch)
    {
        block.batch = batch;
        block.queryToken = static_cast<int64_t>(batch) * tiling.querySeqAxis;
        block.keyToken = static_cast<int64_t>(batch) * tiling.keySeqAxis;
        block.queryLength = LengthOf(queryLengthsGm, tiling.queryLengthEntries, batch, tiling.querySeqAxis);
        block.keyLength = LengthOf(keyLengthsGm, tiling.keyLengthEntries, batch, tiling.keySeqAxis);
    }

    // Element offset of (position row, query head) in query and attention_out; a head's positions lie side by side.
    __aicore__ inline int64_t QueryOffset(const RowBlock& block, int64_t row, uint32_t head)
    {
        return ((static_cast<int64_t>(block.batch) * tiling.numQueryHeads + head) * tiling.querySeqAxis + row) * HEAD_DIM;
    }

    __aicore__ inline int64_t KeyOffset(const RowBlock& block, int64_t column)
    {
        return ((static_cast<int64_t>(block.batch) * tiling.numKvHeads + block.kvHead) * tiling.keySeqAxis + column) *
               HEAD_DIM;
    }

    // Elements between two key tokens of one head.
    __aicore__ inline uint32_t KeyPitch() { return HEAD_DIM; }

    // Elements between two positions of one query head.
    __aicore__ inline uint32_t QueryPitch() { return HEAD_DIM; }

    // Without a mask every row sees every key of its batch.
    __aicore__ inline void SetKeyRange(RowBlock& block)
    {
        block.kvBegin = 0;
        block.kvEnd = block.keyLength;
    }

    __aicore__ inline void StartWalk()
    {
        tilesLeft = tiling.coreWork[core].count;
        nextTile = tiling.coreWork[core].unit;
        walk.kvHead = tiling.coreWork[core].kvHead;
        ReadLengths(walk, tiling.coreWork[core].batch);
        walk.kvBegin = 0;
        walk.kvEnd = 0;
        kvNext = 0;
        stepCount = 0;
        blockCount = 0;
    }

    // Moves walk to the next row of this core: all of its key tiles, or those that fell to this core.
    __aicore__ inline bool NextRowBlock()
    {
        if (tilesLeft == 0) {
            return false;
        }
        while (walk.queryLength == 0 || static_cast<int64_t>(nextTile) * KV_TILE >= walk.keyLength) {
            NextHead();
        }
        SetKeyRange(walk);
        const uint32_t rowTiles = CeilDiv(static_cast<uint32_t>(walk.kvEnd), KV_TILE);
        const uint32_t ownTiles = Min(rowTiles - nextTile, tilesLeft);
        walk.rowBegin = 0;
        walk.rowCount = 1;
        walk.isCut = ownTiles < rowTiles;
        walk.partSlot = core * PARTS_PER_CORE + (blockCount == 0 ? 0 : 1);
        walk.kvBegin = static_cast<int64_t>(nextTile) * KV_TILE;
        walk.kvEnd = Min(walk.kvEnd, static_cast<int64_t>(nextTile + ownTiles) * KV_TILE);
        tilesLeft -= ownTiles;
        nextTile += ownTiles;
        return true;
    }

    // The next kv head, or the first one of the next batch.
    __aicore__ inline void NextHead()
    {
        nextTile = 0;
        ++walk.kvHead;
        if (walk.kvHead == tiling.numKvHeads) {
            walk.kvHead = 0;
            ReadLengths(walk, walk.batch + 1);
        }
    }

    // Both sides of a block call this in the same order, so that they agree on every step without talking.
    __aicore__ inline bool NextStep(Step& step)
    {
        if (kvNext >= walk.kvEnd) {
            if (!NextRowBlock()) {
                return false;
            }
            kvNext = walk.kvBegin;
            ++blockCount;
        }
        step.block = walk;
        step.kvOffset = kvNext;
        step.kvCount = static_cast<uint32_t>(Min(static_cast<int64_t>(KV_TILE), walk.kvEnd - kvNext));
        step.isFirst = kvNext == walk.kvBegin;
        step.isLast = kvNext + step.kvCount == walk.kvEnd;
        step.slot = stepCount % 2;
        step.blockSlot = blockCount % 2;
        ++stepCount;
        kvNext += step.kvCount;
        return true;
    }

    // Stale rows right of a tail are multiplied too (their results are never stored), so they must hold numbers.
    __aicore__ inline void ClearCubeBuffers()
    {
        InitConstValueParams<Element> zero;
        zero.repeatTimes = 1;
        zero.blockNum = QUERY_L1_BYTES / BLOCK_BYTES;
        Fill(queryL1.Get<Element>(), zero);
        zero.blockNum = PROBS_L1_BYTES / BLOCK_BYTES;
        Fill(probsL1.Get<Element>(), zero);
        zero.blockNum = KEY_L1_BYTES / BLOCK_BYTES;
        Fill(keyL1.Get<Element>(), zero);
        PipeBarrier<PIPE_MTE2>();
    }

    __aicore__ inline void LoadQuery(const LocalTensor<Element>& dst, const RowBlock& block)
    {
        Nd2NzParams params;
        params.ndNum = block.rowCount;
        params.nValue = tiling.groupSize;
        params.dValue = HEAD_DIM;
        params.srcNdMatrixStride = QueryPitch();
        params.srcDValue = HEAD_DIM;
        params.dstNzC0Stride = MAX_ROWS;
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = tiling.groupSize * FRACTAL;
        DataCopy(dst, queryGm[QueryOffset(block, block.rowBegin, block.kvHead * tiling.groupSize)], params);
    }

    // Row-major rows in global memory become one NZ matrix in L1 whose column groups are pitchRows rows long.
    __aicore__ inline void LoadRows(const LocalTensor<Element>& dst, const GlobalTensor<Element>& src, uint32_t rows,
                                    uint32_t columns, uint32_t pitch, uint32_t pitchRows)
    {
        Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = rows;
        params.dValue = columns;
        params.srcNdMatrixStride = 0;
        params.srcDValue = pitch;
        params.dstNzC0Stride = pitchRows;
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = 0;
        DataCopy(dst, src, params);
    }

    // NZ in L1 (column groups of MAX_ROWS rows) becomes zZ in L0A: one instruction for each row of fractals.
    __aicore__ inline void LoadLeft(const LocalTensor<Element>& dst, const LocalTensor<Element>& src, uint32_t rows,
                                    uint32_t columns)
    {
        LoadData2DParams params;
        params.repeatTimes = columns / FRACTAL;
        params.srcStride = MAX_ROWS / FRACTAL;
        for (uint32_t row = 0; row < rows / FRACTAL; ++row) {
            params.startIndex = row;
            LoadData(dst[row * columns * FRACTAL], src, params);
        }
    }

    __aicore__ inline void ComputeScores(const Step& step)
    {
        const uint32_t blockSlot = step.blockSlot;
        LocalTensor<Element> query = queryL1.Get<Element>()[blockSlot * QUERY_L1_ELEMENTS];
        if (step.isFirst) {
            WaitFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT + blockSlot);
            LoadQuery(query, step.block);
            SetFlag<HardEvent::MTE2_MTE1>(QUERY_EVENT + blockSlot);
            WaitFlag<HardEvent::MTE2_MTE1>(QUERY_EVENT + blockSlot);
        }
        for (uint32_t column = 0; column < step.kvCount; column += CHUNK) {
            ScoreChunk(step, query, column, Min(CHUNK, step.kvCount - column));
        }
        if (step.isLast) {
            SetFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT + blockSlot);
        }
        CrossCoreSetFlag<BLOCK_SYNC, PIPE_FIX>(SCORES_READY);
    }

    __aicore__ inline void ScoreChunk(const Step& step, const LocalTensor<Element>& query, uint32_t column, uint32_t keys)
    {
        const uint32_t rows = step.block.rowCount * tiling.groupSize;
        const uint32_t alignedRows = AlignUp(rows, FRACTAL);
        const uint32_t alignedKeys = AlignUp(keys, FRACTAL);
        const uint32_t slot = keyChunks++ % 2;
        LocalTensor<Element> key = keyL1.Get<Element>()[slot * KEY_L1_ELEMENTS];
        WaitFlag<HardEvent::MTE1_MTE2>(KEY_EVENT + slot);
        LoadRows(key, keyGm[KeyOffset(step.block, step.kvOffset + column)], keys, HEAD_DIM, KeyPitch(), alignedKeys);
        SetFlag<HardEvent::MTE2_MTE1>(KEY_EVENT + slot);

        const uint32_t l0 = matmuls++ % 2;
        LocalTensor<Element> left = leftL0.Get<Element>()[l0 * LEFT_L0_ELEMENTS];
        LocalTensor<Element> right = rightL0.Get<Element>()[l0 * RIGHT_L0_ELEMENTS];
        WaitFlag<HardEvent::M_MTE1>(L0_EVENT + l0);
        LoadLeft(left, query, alignedRows, HEAD_DIM);
        WaitFlag<HardEvent::MTE2_MTE1>(KEY_EVENT + slot);
        // The NZ fractals of a key chunk already are the transposed fractals that L0B wants, in the same order.
        LoadData2DParams params;
        params.repeatTimes = alignedKeys / FRACTAL * (HEAD_DIM / FRACTAL);
        params.srcStride = 1;
        LoadData(right, key, params);
        SetFlag<HardEvent::MTE1_MTE2>(KEY_EVENT + slot);
        SetFlag<HardEvent::MTE1_M>(L0_READY_EVENT + l0);
        WaitFlag<HardEvent::MTE1_M>(L0_READY_EVENT + l0);

        const uint32_t acc = accumulators++ % 2;
        LocalTensor<float> scores = accL0.Get<float>()[acc * ACC_L0_ELEMENTS];
        WaitFlag<HardEvent::FIX_M>(ACC_EVENT + acc);
        Multiply(scores, left, right, alignedRows, alignedKeys, HEAD_DIM, true);
        SetFlag<HardEvent::M_MTE1>(L0_EVENT + l0);
        StoreAccumulator(scoresGm[step.slot * MAX_ROWS * KV_TILE + column], scores, acc, rows, alignedKeys, KV_TILE);
    }

    __aicore__ inline void Multiply(const LocalTensor<float>& dst, const LocalTensor<Element>& left,
                                    const LocalTensor<Element>& right, uint32_t m, uint32_t n, uint32_t k, bool fromZero)
    {
        MmadParams params;
        params.m = m; // a multiple of 16: m = 1 would read the left matrix as a vector
        params.n = n;
        params.k = k;
        params.cmatrixInitVal = fromZero;
        Mmad(dst, left, right, params);
    }

    // Copies the accumulator out as soon as the cube is done with it and hands it back.
    __aicore__ inline void StoreAccumulator(const GlobalTensor<float>& dst, const LocalTensor<float>& src, uint32_t acc,
                                            uint32_t rows, uint32_t columns, uint32_t pitch)
    {
        SetFlag<HardEvent::M_FIX>(ACC_EVENT + acc);
        WaitFlag<HardEvent::M_FIX>(ACC_EVENT + acc);
        FixpipeParamsV220 params;
        params.nSize = columns;
        params.mSize = rows;
        params.srcStride = AlignUp(rows, FRACTAL);
        params.dstStride = pitch;
        params.ndNum = 1;
        Fixpipe<float, float, CFG_ROW_MAJOR>(dst, src, params);
        SetFlag<HardEvent::FIX_M>(ACC_EVENT + acc);
    }

    __aicore__ inline void ComputeContext(const Step& step)
    {
        const uint32_t rows = step.block.rowCount * tiling.groupSize;
        const uint32_t acc = accumulators++ % 2;
        LocalTensor<float> context = accL0.Get<float>()[acc * ACC_L0_ELEMENTS];
        CrossCoreWaitFlag(PROBS_READY);
        WaitFlag<HardEvent::FIX_M>(ACC_EVENT + acc);
        for (uint32_t column = 0; column < step.kvCount; column += CHUNK) {
            ContextChunk(step, context, column, Min(CHUNK, step.kvCount - column));
        }
        StoreAccumulator(contextGm[step.slot * MAX_ROWS * HEAD_DIM], context, acc, rows, HEAD_DIM, HEAD_DIM);
        CrossCoreSetFlag<BLOCK_SYNC, PIPE_FIX>(CONTEXT_READY);
    }

    __aicore__ inline void ContextChunk(const Step& step, const LocalTensor<float>& context, uint32_t column, uint32_t keys)
    {
        const uint32_t rows = step.block.rowCount * tiling.groupSize;
        const uint32_t alignedRows = AlignUp(rows, FRACTAL);
        const uint32_t alignedKeys = AlignUp(keys, FRACTAL);
        const uint32_t slot = valueChunks++ % 2;
        LocalTensor<Element> value = valueL1.Get<Element>()[slot * VALUE_L1_ELEMENTS];
        LocalTensor<Element> probs = probsL1.Get<Element>()[slot * PROBS_L1_ELEMENTS];
        WaitFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT + slot);
        LoadValue(value, step, column, keys, alignedKeys);
        LoadRows(probs, probsGm[step.slot * MAX_ROWS * KV_TILE + column], rows, alignedKeys, KV_TILE, MAX_ROWS);
        SetFlag<HardEvent::MTE2_MTE1>(VALUE_EVENT + slot);

        const uint32_t l0 = matmuls++ % 2;
        LocalTensor<Element> left = leftL0.Get<Element>()[l0 * LEFT_L0_ELEMENTS];
        LocalTensor<Element> right = rightL0.Get<Element>()[l0 * RIGHT_L0_ELEMENTS];
        WaitFlag<HardEvent::M_MTE1>(L0_EVENT + l0);
        WaitFlag<HardEvent::MTE2_MTE1>(VALUE_EVENT + slot);
        LoadLeft(left, probs, alignedRows, alignedKeys);
        LoadValueToL0(right, value, alignedKeys);
        SetFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT + slot);
        SetFlag<HardEvent::MTE1_M>(L0_READY_EVENT + l0);
        WaitFlag<HardEvent::MTE1_M>(L0_READY_EVENT + l0);
        if (column > 0 && alignedRows / FRACTAL * (HEAD_DIM / FRACTAL) < SMALL_MMAD_FRACTALS) {
            PipeBarrier<PIPE_M>(); // a small product could overtake the sum it adds to
        }
        Multiply(context, left, right, alignedRows, HEAD_DIM, alignedKeys, column == 0);
        SetFlag<HardEvent::M_MTE1>(L0_EVENT + l0);
    }

    // The rows that pad the last fractal are multiplied with probabilities of zero: they must be zero, not stale, because
    // zero times infinity is not a number.
    __aicore__ inline void LoadValue(const LocalTensor<Element>& dst, const Step& step, uint32_t column, uint32_t keys,
                                     uint32_t alignedKeys)
    {
        if (keys != alignedKeys) {
            InitConstValueParams<Element> zero;
            zero.repeatTimes = HEAD_DIM / FRACTAL;
            zero.blockNum = FRACTAL;
            zero.dstGap = alignedKeys - FRACTAL;
            Fill(dst[(alignedKeys - FRACTAL) * FRACTAL], zero);
            PipeBarrier<PIPE_MTE2>();
        }
        LoadRows(dst, valueGm[KeyOffset(step.block, step.kvOffset + column)], keys, HEAD_DIM, KeyPitch(), alignedKeys);
    }

    // NZ in L1 becomes the right matrix: each row of fractals is gathered and every fractal transposed on the way.
    __aicore__ inline void LoadValueToL0(const LocalTensor<Element>& dst, const LocalTensor<Element>& src, uint32_t keys)
    {
        LoadData2DParams params;
        params.repeatTimes = HEAD_DIM / FRACTAL;
        params.srcStride = keys / FRACTAL;
        params.ifTranspose = true;
        for (uint32_t row = 0; row < keys / FRACTAL; ++row) {
            params.startIndex = row;
            LoadData(dst[row * HEAD_DIM * FRACTAL], src, params);
        }
    }

    // The rows of one vector core: positions positionBegin .. and heads headBegin .. of the block, rows in a row.
    struct Part {
        uint32_t positionBegin;
        uint32_t positions;
        uint32_t headBegin;
        uint32_t heads;
        uint32_t rowBegin;
        uint32_t rows;
    };

    __aicore__ inline Part OwnPart(const RowBlock& block)
    {
        const uint32_t first = CeilDiv(tiling.groupSize, AIV_PER_AIC);
        Part part;
        part.positionBegin = 0;
        part.positions = block.rowCount;
        part.headBegin = GetSubBlockIdx() == 0 ? 0 : first;
        part.heads = GetSubBlockIdx() == 0 ? first : tiling.groupSize - first;
        part.rowBegin = part.headBegin;
        part.rows = part.heads;
        return part;
    }

    __aicore__ inline void Softmax(const Step& step)
    {
        const Part part = OwnPart(step.block);
        CrossCoreWaitFlag(SCORES_READY);
        if (part.rows == 0) {
            // After this core's last load of context, and on the pipe of the other sets: a set of another pipe could overtake
            // the one that stands for probabilities still on their way.
            SetFlag<HardEvent::MTE2_MTE3>(PROBS_EVENT + step.slot);
            WaitFlag<HardEvent::MTE2_MTE3>(PROBS_EVENT + step.slot);
            CrossCoreSetFlag<BLOCK_SYNC, PIPE_MTE3>(PROBS_READY);
            return;
        }
        if (step.isFirst) {
            ResetStatistics(step.blockSlot);
        }
        for (uint32_t row = 0; row < part.rows; row += SLICE_ROWS) {
            SoftmaxSlice(step, part, row, Min(SLICE_ROWS, part.rows - row));
        }
        CrossCoreSetFlag<BLOCK_SYNC, PIPE_MTE3>(PROBS_READY);
    }

    __aicore__ inline void ResetStatistics(uint32_t blockSlot)
    {
        Duplicate(maxBuf.Get<float>()[blockSlot * PART_ROWS], MASKED_SCORE, PART_ROWS);
        Duplicate(sumBuf.Get<float>()[blockSlot * PART_ROWS], 0.0f, PART_ROWS);
    }

    __aicore__ inline void SoftmaxSlice(const Step& step, const Part& part, uint32_t row, uint32_t rows)
    {
        const uint32_t slot = slices++ % 2;
        const uint32_t pitch = AlignUp(step.kvCount, FLOATS_PER_REPEAT);
        LocalTensor<float> scores = scoresBuf.Get<float>()[slot * SLICE_ELEMENTS];
        LoadScores(scores, step, part.rowBegin + row, rows, pitch, slot);
        Muls(scores, scores, tiling.softmaxScale, rows * pitch);
        PipeBarrier<PIPE_V>();
        MaskTail(scores, step.kvCount, rows, pitch);
        UpdateMaximum(scores, step, row, rows, pitch);
        Exponentiate(scores, rows, pitch);
        StoreProbs(scores, step, part.rowBegin + row, rows, pitch, slot);
        UpdateSum(scores, step, row, rows, pitch);
        SetFlag<HardEvent::V_MTE2>(SCORES_EVENT + slot);
    }

    __aicore__ inline void LoadScores(const LocalTensor<float>& dst, const Step& step, uint32_t row, uint32_t rows,
                                      uint32_t pitch, uint32_t slot)
    {
        const uint32_t columns = AlignUp(step.kvCount, FRACTAL); // as many as the cube stores
        DataCopyParams params;
        params.blockCount = rows;
        params.blockLen = columns / FLOATS_PER_BLOCK;
        params.srcStride = (KV_TILE - columns) / FLOATS_PER_BLOCK;
        params.dstStride = (pitch - columns) / FLOATS_PER_BLOCK;
        WaitFlag<HardEvent::V_MTE2>(SCORES_EVENT + slot);
        DataCopy(dst, scoresGm[(step.slot * MAX_ROWS + row) * KV_TILE], params);
        SetFlag<HardEvent::MTE2_V>(SCORES_EVENT + slot);
        WaitFlag<HardEvent::MTE2_V>(SCORES_EVENT + slot);
    }

    // Columns right of the last key, up to a whole repeat, take part in every instruction below: they must not count.
    __aicore__ inline void MaskTail(const LocalTensor<float>& scores, uint32_t columns, uint32_t rows, uint32_t pitch)
    {
        const uint32_t tail = columns % FLOATS_PER_REPEAT;
        if (tail == 0) {
            return;
        }
        uint64_t lanes[2] = {~0ULL << tail, 0};
        Duplicate(scores[pitch - FLOATS_PER_REPEAT], MASKED_SCORE, lanes, rows, 1, pitch / FLOATS_PER_BLOCK);
        PipeBarrier<PIPE_V>();
    }

    // New row maxima, and the factor exp(old maximum - new maximum) that rescales what was summed up so far.
    __aicore__ inline void UpdateMaximum(const LocalTensor<float>& scores, const Step& step, uint32_t row, uint32_t rows,
                                         uint32_t pitch)
    {
        const uint8_t repeatPitch = pitch / FLOATS_PER_BLOCK;
        LocalTensor<float> folded = foldBuf.Get<float>();
        LocalTensor<float> rowMax = rowBuf.Get<float>();
        LocalTensor<float> runningMax = maxBuf.Get<float>()[step.blockSlot * PART_ROWS + row];
        LocalTensor<float> rescale = rescaleBuf.Get<float>()[step.slot * PART_ROWS + row];
        Max(folded, scores, scores[pitch - FLOATS_PER_REPEAT], FLOATS_PER_REPEAT, rows,
            {1, 1, 1, BLOCKS_PER_REPEAT, repeatPitch, repeatPitch});
        PipeBarrier<PIPE_V>();
        for (uint32_t column = FLOATS_PER_REPEAT; column + FLOATS_PER_REPEAT < pitch; column += FLOATS_PER_REPEAT) {
            Max(folded, folded, scores[column], FLOATS_PER_REPEAT, rows,
                {1, 1, 1, BLOCKS_PER_REPEAT, BLOCKS_PER_REPEAT, repeatPitch});
            PipeBarrier<PIPE_V>();
        }
        WholeReduceMax(rowMax, folded, FLOATS_PER_REPEAT, rows, 1, 1, BLOCKS_PER_REPEAT, ReduceOrder::ORDER_ONLY_VALUE);
        PipeBarrier<PIPE_V>();
        Max(rowMax, rowMax, runningMax, rows);
        PipeBarrier<PIPE_V>();
        Sub(rescale, runningMax, rowMax, rows);
        PipeBarrier<PIPE_V>();
        Exp(rescale, rescale, rows);
        Adds(runningMax, rowMax, 0.0f, rows);
        Brcb(broadcastBuf.Get<float>(), rowMax, CeilDiv(rows, FLOATS_PER_BLOCK), {1, BLOCKS_PER_REPEAT});
        PipeBarrier<PIPE_V>();
    }

    // exp(score - row maximum); the broadcast maximum is one block a row, re-read for every block of the row.
    __aicore__ inline void Exponentiate(const LocalTensor<float>& scores, uint32_t rows, uint32_t pitch)
    {
        const uint8_t repeatPitch = pitch / FLOATS_PER_BLOCK;
        LocalTensor<float> rowMax = broadcastBuf.Get<float>();
        for (uint32_t column = 0; column < pitch; column += FLOATS_PER_REPEAT) {
            Sub(scores[column], scores[column], rowMax, FLOATS_PER_REPEAT, rows, {1, 1, 0, repeatPitch, repeatPitch, 1});
        }
        PipeBarrier<PIPE_V>();
        Exp(scores, scores, rows * pitch);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void StoreProbs(const LocalTensor<float>& scores, const Step& step, uint32_t row, uint32_t rows,
                                      uint32_t pitch, uint32_t slot)
    {
        const uint32_t columns = AlignUp(step.kvCount, FRACTAL);
        LocalTensor<Element> probs = probsBuf.Get<Element>()[slot * SLICE_ELEMENTS];
        DataCopyParams params;
        params.blockCount = rows;
        params.blockLen = columns / ELEMENTS_PER_BLOCK;
        params.srcStride = (pitch - columns) / ELEMENTS_PER_BLOCK;
        params.dstStride = (KV_TILE - columns) / ELEMENTS_PER_BLOCK;
        WaitFlag<HardEvent::MTE3_V>(PROBS_EVENT + slot);
        Cast(probs, scores, RoundMode::CAST_RINT, rows * pitch);
        SetFlag<HardEvent::V_MTE3>(PROBS_EVENT + slot);
        WaitFlag<HardEvent::V_MTE3>(PROBS_EVENT + slot);
        DataCopy(probsGm[(step.slot * MAX_ROWS + row) * KV_TILE], probs, params);
        SetFlag<HardEvent::MTE3_V>(PROBS_EVENT + slot);
    }

    // sum = sum * rescale + row sum; folding destroys the probabilities, which are already cast.
    __aicore__ inline void UpdateSum(const LocalTensor<float>& scores, const Step& step, uint32_t row, uint32_t rows,
                                     uint32_t pitch)
    {
        const uint8_t repeatPitch = pitch / FLOATS_PER_BLOCK;
        LocalTensor<float> rowSum = rowBuf.Get<float>();
        LocalTensor<float> runningSum = sumBuf.Get<float>()[step.blockSlot * PART_ROWS + row];
        LocalTensor<float> rescale = rescaleBuf.Get<float>()[step.slot * PART_ROWS + row];
        Mul(runningSum, runningSum, rescale, rows);
        PipeBarrier<PIPE_V>();
        for (uint32_t column = FLOATS_PER_REPEAT; column < pitch; column += FLOATS_PER_REPEAT) {
            Add(scores, scores, scores[column], FLOATS_PER_REPEAT, rows,
                {1, 1, 1, repeatPitch, repeatPitch, repeatPitch});
            PipeBarrier<PIPE_V>();
        }
        WholeReduceSum(rowSum, scores, FLOATS_PER_REPEAT, rows, 1, 1, repeatPitch);
        PipeBarrier<PIPE_V>();
        Add(runningSum, runningSum, rowSum, rows);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void UpdateOutput(const Step& step)
    {
        const Part part = OwnPart(step.block);
        CrossCoreWaitFlag(CONTEXT_READY);
        if (part.rows == 0) {
            return;
        }
        LocalTensor<float> output = outputBuf.Get<float>();
        LocalTensor<float> context = contextBuf.Get<float>();
        WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        DataCopy(context, contextGm[(step.slot * MAX_ROWS + part.rowBegin) * HEAD_DIM], part.rows * HEAD_DIM);
        SetFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
        WaitFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
        if (step.isFirst) {
            StartOutput(output, context, part.rows);
        } else {
            ScaleRows(output, rescaleBuf.Get<float>()[step.slot * PART_ROWS], part.rows);
            Add(output, output, context, part.rows * HEAD_DIM);
        }
        SetFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        if (step.isLast) {
            FinishRows(step, part);
        }
    }

    __aicore__ inline void StartOutput(const LocalTensor<float>& output, const LocalTensor<float>& context, uint32_t rows)
    {
        WaitFlag<HardEvent::MTE3_V>(PART_EVENT);
        Adds(output, context, 0.0f, rows * HEAD_DIM);
    }

    // Multiplies row r of data with factors[r].
    __aicore__ inline void ScaleRows(const LocalTensor<float>& data, const LocalTensor<float>& factors, uint32_t rows)
    {
        LocalTensor<float> spread = broadcastBuf.Get<float>();
        Brcb(spread, factors, CeilDiv(rows, FLOATS_PER_BLOCK), {1, BLOCKS_PER_REPEAT});
        PipeBarrier<PIPE_V>();
        for (uint32_t column = 0; column < HEAD_DIM; column += FLOATS_PER_REPEAT) {
            Mul(data[column], data[column], spread, FLOATS_PER_REPEAT, rows,
                {1, 1, 0, HEAD_DIM / FLOATS_PER_BLOCK, HEAD_DIM / FLOATS_PER_BLOCK, 1});
        }
        PipeBarrier<PIPE_V>();
    }

    // Divides by the row sums and forms the log-sum-exp. A row whose maximum never left MASKED_SCORE saw no key.
    __aicore__ inline void NormaliseRows(const LocalTensor<float>& output, const LocalTensor<float>& lse, uint32_t blockSlot,
                                         uint32_t rows, float emptyLse)
    {
        LocalTensor<float> rowMax = maxBuf.Get<float>()[blockSlot * PART_ROWS];
        LocalTensor<float> rowSum = sumBuf.Get<float>()[blockSlot * PART_ROWS];
        LocalTensor<float> factor = rowBuf.Get<float>();
        LocalTensor<uint8_t> sawKey = rowBitsBuf.Get<uint8_t>();
        CompareScalar(sawKey, rowMax, MASKED_SCORE_LIMIT, CMPMODE::GT, PART_ROWS);
        Duplicate(factor, 1.0f, PART_ROWS);
        Ln(lse, rowSum, rows);
        PipeBarrier<PIPE_V>();
        Div(factor, factor, rowSum, rows);
        Add(lse, lse, rowMax, rows);
        PipeBarrier<PIPE_V>();
        Select(factor, sawKey, factor, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, PART_ROWS);
        Select(lse, sawKey, lse, emptyLse, SELMODE::VSEL_TENSOR_SCALAR_MODE, PART_ROWS);
        PipeBarrier<PIPE_V>();
        ScaleRows(output, factor, rows);
    }

    __aicore__ inline void FinishRows(const Step& step, const Part& part)
    {
        LocalTensor<float> output = outputBuf.Get<float>();
        LocalTensor<float> lse = lseBuf.Get<float>();
        if (step.block.isCut) {
            NormaliseRows(output, lse, step.blockSlot, part.rows, MASKED_SCORE);
            StorePart(step.block, part, output, lse);
        } else {
            NormaliseRows(output, lse, step.blockSlot, part.rows, POSITIVE_INFINITY);
            WriteRows(step.block, part, output, lse);
        }
        SetFlag<HardEvent::MTE3_V>(PART_EVENT); // a part is stored from the running output: the next row waits for it
    }

    // A part of a cut row: its output, normalised by its own sum, and its log-sum-exp, one block a row.
    __aicore__ inline void StorePart(const RowBlock& block, const Part& part, const LocalTensor<float>& output,
                                     const LocalTensor<float>& lse)
    {
        const uint32_t row = block.partSlot * MAX_ROWS + part.rowBegin;
        LocalTensor<float> spread = lseBlocksBuf.Get<float>();
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        Brcb(spread, lse, CeilDiv(part.rows, FLOATS_PER_BLOCK), {1, BLOCKS_PER_REPEAT});
        SetFlag<HardEvent::V_MTE3>(OUT_EVENT);
        WaitFlag<HardEvent::V_MTE3>(OUT_EVENT);
        DataCopy(partOutputGm[row * HEAD_DIM], output, part.rows * HEAD_DIM);
        DataCopy(partLseGm[row * FLOATS_PER_BLOCK], spread, part.rows * FLOATS_PER_BLOCK);
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
    }

    // Parts are weighted with w = exp(lse - largest lse): output = sum(w * part) / sum(w), lse = largest lse + ln(sum(w)).
    // The vector cores of all blocks share the cut rows in units of COMBINE_ROWS heads.
    __aicore__ inline void CombineParts()
    {
        const uint32_t units = CeilDiv(tiling.groupSize, COMBINE_ROWS);
        const uint32_t vectorCores = GetBlockNum() * AIV_PER_AIC;
        SetFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
        for (uint32_t unit = GetBlockIdx(); unit < tiling.cutRowCount * units; unit += vectorCores) {
            const CutRow& cutRow = tiling.cutRows[unit / units];
            const uint32_t head = unit % units * COMBINE_ROWS;
            CombineHeads(cutRow, head, Min(COMBINE_ROWS, tiling.groupSize - head));
        }
        WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
    }

    __aicore__ inline uint32_t PartRow(const CutRow& cutRow, uint32_t index, uint32_t head)
    {
        const uint32_t slot = index == 0 ? cutRow.firstSlot : (cutRow.firstCore + index) * PARTS_PER_CORE;
        return slot * MAX_ROWS + head;
    }

    __aicore__ inline void CombineHeads(const CutRow& cutRow, uint32_t head, uint32_t heads)
    {
        const uint32_t lanes = heads * FLOATS_PER_BLOCK;
        LocalTensor<float> weights = weightsBuf.Get<float>();
        LocalTensor<float> largest = broadcastBuf.Get<float>();
        LocalTensor<float> total = broadcastBuf.Get<float>()[FLOATS_PER_REPEAT];
        WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        for (uint32_t index = 0; index < cutRow.parts; ++index) {
            DataCopy(weights[index * FLOATS_PER_REPEAT], partLseGm[PartRow(cutRow, index, head) * FLOATS_PER_BLOCK], lanes);
        }
        SetFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
        WaitFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
        Duplicate(largest, MASKED_SCORE, FLOATS_PER_REPEAT);
        Duplicate(total, 0.0f, FLOATS_PER_REPEAT);
        PipeBarrier<PIPE_V>();
        for (uint32_t index = 0; index < cutRow.parts; ++index) {
            Max(largest, largest, weights[index * FLOATS_PER_REPEAT], lanes);
            PipeBarrier<PIPE_V>();
        }
        for (uint32_t index = 0; index < cutRow.parts; ++index) {
            LocalTensor<float> weight = weights[index * FLOATS_PER_REPEAT];
            Sub(weight, weight, largest, lanes);
            PipeBarrier<PIPE_V>();
            Exp(weight, weight, lanes);
            PipeBarrier<PIPE_V>();
            Add(total, total, weight, lanes);
        }
        SetFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        SumParts(cutRow, head, heads);
        WriteCombined(cutRow, head, heads);
    }

    __aicore__ inline void SumParts(const CutRow& cutRow, uint32_t head, uint32_t heads)
    {
        LocalTensor<float> weights = weightsBuf.Get<float>();
        LocalTensor<float> output = outputBuf.Get<float>();
        LocalTensor<float> part = contextBuf.Get<float>();
        const uint8_t rowBlocks = HEAD_DIM / FLOATS_PER_BLOCK;
        Duplicate(output, 0.0f, heads * HEAD_DIM);
        for (uint32_t index = 0; index < cutRow.parts; ++index) {
            WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
            DataCopy(part, partOutputGm[PartRow(cutRow, index, head) * HEAD_DIM], heads * HEAD_DIM);
            SetFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
            WaitFlag<HardEvent::MTE2_V>(CONTEXT_EVENT);
            for (uint32_t column = 0; column < HEAD_DIM; column += FLOATS_PER_REPEAT) {
                Mul(part[column], part[column], weights[index * FLOATS_PER_REPEAT], FLOATS_PER_REPEAT, heads,
                    {1, 1, 0, rowBlocks, rowBlocks, 1});
            }
            PipeBarrier<PIPE_V>();
            Add(output, output, part, heads * HEAD_DIM);
            SetFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        }
    }

    __aicore__ inline void WriteCombined(const CutRow& cutRow, uint32_t head, uint32_t heads)
    {
        const uint8_t rowBlocks = HEAD_DIM / FLOATS_PER_BLOCK;
        LocalTensor<float> output = outputBuf.Get<float>();
        LocalTensor<float> largest = broadcastBuf.Get<float>();
        LocalTensor<float> total = broadcastBuf.Get<float>()[FLOATS_PER_REPEAT];
        LocalTensor<float> factor = broadcastBuf.Get<float>()[2 * FLOATS_PER_REPEAT];
        LocalTensor<float> lse = lseBlocksBuf.Get<float>();
        LocalTensor<uint8_t> sawKey = rowBitsBuf.Get<uint8_t>();
        CompareScalar(sawKey, largest, MASKED_SCORE_LIMIT, CMPMODE::GT, FLOATS_PER_REPEAT);
        Duplicate(factor, 1.0f, FLOATS_PER_REPEAT);
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        Ln(lse, total, heads * FLOATS_PER_BLOCK);
        PipeBarrier<PIPE_V>();
        Div(factor, factor, total, heads * FLOATS_PER_BLOCK);
        Add(lse, lse, largest, heads * FLOATS_PER_BLOCK);
        PipeBarrier<PIPE_V>();
        Select(factor, sawKey, factor, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, FLOATS_PER_REPEAT);
        Select(lse, sawKey, lse, POSITIVE_INFINITY, SELMODE::VSEL_TENSOR_SCALAR_MODE, FLOATS_PER_REPEAT);
        PipeBarrier<PIPE_V>();
        for (uint32_t column = 0; column < HEAD_DIM; column += FLOATS_PER_REPEAT) {
            Mul(output[column], output[column], factor, FLOATS_PER_REPEAT, heads, {1, 1, 0, rowBlocks, rowBlocks, 1});
        }
        PipeBarrier<PIPE_V>();
        Cast(resultBuf.Get<Element>(), output, RoundMode::CAST_RINT, heads * HEAD_DIM);
        SetFlag<HardEvent::V_MTE3>(OUT_EVENT);
        WaitFlag<HardEvent::V_MTE3>(OUT_EVENT);
        RowBlock block;
        ReadLengths(block, cutRow.batch);
        block.kvHead = cutRow.kvHead;
        block.rowBegin = 0;
        block.rowCount = 1;
        const Part part = {0, 1, head, heads, head, heads};
        CopyOutRows(block, part);
        CopyOutLse(block, part);
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
    }

    __aicore__ inline void WriteRows(const RowBlock& block, const Part& part, const LocalTensor<float>& output,
                                     const LocalTensor<float>& lse)
    {
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        Cast(resultBuf.Get<Element>(), output, RoundMode::CAST_RINT, part.rows * HEAD_DIM);
        Brcb(lseBlocksBuf.Get<float>(), lse, CeilDiv(part.rows, FLOATS_PER_BLOCK), {1, BLOCKS_PER_REPEAT});
        SetFlag<HardEvent::V_MTE3>(OUT_EVENT);
        WaitFlag<HardEvent::V_MTE3>(OUT_EVENT);
        CopyOutRows(block, part);
        CopyOutLse(block, part);
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
    }

    __aicore__ inline void CopyOutRows(const RowBlock& block, const Part& part)
    {
        DataCopyExtParams params;
        params.blockCount = 1;
        params.blockLen = part.heads * HEAD_DIM * sizeof(Element);
        params.srcStride = 0;
        params.dstStride = 0;
        DataCopyPad(outGm[QueryOffset(block, block.rowBegin, block.kvHead * tiling.groupSize + part.headBegin)],
                    resultBuf.Get<Element>(), params);
    }

    __aicore__ inline void CopyOutLse(const RowBlock& block, const Part& part)
    {
        if (tiling.returnLse == 0) {
            return;
        }
        LocalTensor<float> lse = lseBlocksBuf.Get<float>();
        DataCopyExtParams params;
        params.blockCount = part.positions;
        params.blockLen = sizeof(float);
        params.srcStride = part.heads - 1;
        params.dstStride = 0;
        for (uint32_t head = 0; head < part.heads; ++head) {
            const int64_t line = static_cast<int64_t>(block.batch) * tiling.numQueryHeads +
                                 block.kvHead * tiling.groupSize + part.headBegin + head;
            DataCopyPad(lseGm[line * tiling.querySeqAxis + block.rowBegin + part.positionBegin],
                        lse[head * FLOATS_PER_BLOCK], params);
        }
    }

    // Stale lanes right of a tail take part in vector instructions (their results are never stored): let them be numbers.
    __aicore__ inline void ClearVectorBuffers()
    {
        Duplicate(scoresBuf.Get<float>(), 0.0f, 2 * SLICE_ELEMENTS);
        Duplicate(broadcastBuf.Get<float>(), 0.0f, PART_ROWS * FLOATS_PER_BLOCK);
        Duplicate(rowBuf.Get<float>(), 1.0f, PART_ROWS);
        Duplicate(lseBuf.Get<float>(), 0.0f, PART_ROWS);
        Duplicate(rescaleBuf.Get<float>(), 0.0f, 2 * PART_ROWS);
    }

    // Each vector core takes its turn among the kv heads of all batches.
    __aicore__ inline void FillUnattendedRows()
    {
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        Duplicate(resultBuf.Get<float>(), 0.0f, RESULT_BUF_BYTES / sizeof(float));
        Duplicate(lseBlocksBuf.Get<float>(), POSITIVE_INFINITY, PART_ROWS * FLOATS_PER_BLOCK);
        SetFlag<HardEvent::V_MTE3>(OUT_EVENT);
        WaitFlag<HardEvent::V_MTE3>(OUT_EVENT);
        const uint32_t vectorCores = GetBlockNum() * AIV_PER_AIC;
        for (uint32_t unit = GetBlockIdx(); unit < tiling.batch * tiling.numKvHeads; unit += vectorCores) {
            RowBlock block;
            ReadLengths(block, unit / tiling.numKvHeads);
            block.kvHead = unit % tiling.numKvHeads;
            FillHead(block);
        }
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
    }

    __aicore__ inline void FillHead(RowBlock& block)
    {
        FillRows(block, block.queryLength, tiling.querySeqAxis);
        FillEmptyBlocks(block);
    }

    __aicore__ inline void FillEmptyBlocks(RowBlock& block)
    {
        for (int64_t row = 0; row < block.queryLength; row += tiling.rowsPerBlock) {
            const int64_t end = Min(row + tiling.rowsPerBlock, block.queryLength);
            block.rowBegin = static_cast<uint32_t>(row);
            block.rowCount = static_cast<uint32_t>(end - row);
            SetKeyRange(block);
            if (block.kvBegin >= block.kvEnd) {
                FillRows(block, row, end);
            }
        }
    }

    __aicore__ inline void FillRows(RowBlock& block, int64_t begin, int64_t end)
    {
        const uint32_t most = PART_ROWS / tiling.groupSize;
        for (int64_t row = begin; row < end; row += most) {
            const uint32_t positions = static_cast<uint32_t>(Min(static_cast<int64_t>(most), end - row));
            const Part part = {0, positions, 0, tiling.groupSize, 0, positions * tiling.groupSize};
            block.rowBegin = static_cast<uint32_t>(row);
            CopyOutRows(block, part);
            CopyOutLse(block, part);
        }
    }

    // Every buffer starts free: the flags that say so are set once here and taken back at the end.
    __aicore__ inline void SetCubeFlags()
    {
        SetFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT);
        SetFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT + 1);
        SetFlag<HardEvent::MTE1_MTE2>(KEY_EVENT);
        SetFlag<HardEvent::MTE1_MTE2>(KEY_EVENT + 1);
        SetFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT);
        SetFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT + 1);
        SetFlag<HardEvent::M_MTE1>(L0_EVENT);
        SetFlag<HardEvent::M_MTE1>(L0_EVENT + 1);
        SetFlag<HardEvent::FIX_M>(ACC_EVENT);
        SetFlag<HardEvent::FIX_M>(ACC_EVENT + 1);
    }

    __aicore__ inline void WaitCubeFlags()
    {
        WaitFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT);
        WaitFlag<HardEvent::MTE1_MTE2>(QUERY_EVENT + 1);
        WaitFlag<HardEvent::MTE1_MTE2>(KEY_EVENT);
        WaitFlag<HardEvent::MTE1_MTE2>(KEY_EVENT + 1);
        WaitFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT);
        WaitFlag<HardEvent::MTE1_MTE2>(VALUE_EVENT + 1);
        WaitFlag<HardEvent::M_MTE1>(L0_EVENT);
        WaitFlag<HardEvent::M_MTE1>(L0_EVENT + 1);
        WaitFlag<HardEvent::FIX_M>(ACC_EVENT);
        WaitFlag<HardEvent::FIX_M>(ACC_EVENT + 1);
    }

    __aicore__ inline void SetVectorFlags()
    {
        SetFlag<HardEvent::V_MTE2>(SCORES_EVENT);
        SetFlag<HardEvent::V_MTE2>(SCORES_EVENT + 1);
        SetFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        SetFlag<HardEvent::MTE3_V>(PROBS_EVENT);
        SetFlag<HardEvent::MTE3_V>(PROBS_EVENT + 1);
        SetFlag<HardEvent::MTE3_V>(OUT_EVENT);
        SetFlag<HardEvent::MTE3_V>(PART_EVENT);
    }

    __aicore__ inline void WaitVectorFlags()
    {
        WaitFlag<HardEvent::V_MTE2>(SCORES_EVENT);
        WaitFlag<HardEvent::V_MTE2>(SCORES_EVENT + 1);
        WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        WaitFlag<HardEvent::MTE3_V>(PROBS_EVENT);
        WaitFlag<HardEvent::MTE3_V>(PROBS_EVENT + 1);
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        WaitFlag<HardEvent::MTE3_V>(PART_EVENT);
    }

    FiaTiling tiling;
    TPipe pipe;
    GlobalTensor<Element> queryGm;
    GlobalTensor<Element> keyGm;
    GlobalTensor<Element> valueGm;
    GlobalTensor<int64_t> queryLengthsGm;
    GlobalTensor<int64_t> keyLengthsGm;
    GlobalTensor<Element> outGm;
    GlobalTensor<float> lseGm;
    GlobalTensor<float> scoresGm;
    GlobalTensor<Element> probsGm;
    GlobalTensor<float> contextGm;
    TBuf<TPosition::A1> queryL1;
    TBuf<TPosition::B1> keyL1;
    TBuf<TPosition::B1> valueL1;
    TBuf<TPosition::A1> probsL1;
    TBuf<TPosition::A2> leftL0;
    TBuf<TPosition::B2> rightL0;
    TBuf<TPosition::CO1> accL0;
    TBuf<TPosition::VECIN> scoresBuf;
    TBuf<TPosition::VECOUT> probsBuf;
    TBuf<TPosition::VECIN> contextBuf;
    TBuf<TPosition::VECCALC> outputBuf;
    TBuf<TPosition::VECOUT> resultBuf;
    TBuf<TPosition::VECCALC> foldBuf;
    TBuf<TPosition::VECCALC> broadcastBuf;
    TBuf<TPosition::VECOUT> lseBlocksBuf;
    TBuf<TPosition::VECCALC> rowBuf;
    TBuf<TPosition::VECCALC> lseBuf;
    TBuf<TPosition::VECCALC> maxBuf;
    TBuf<TPosition::VECCALC> sumBuf;
    TBuf<TPosition::VECCALC> rescaleBuf;
    TBuf<TPosition::VECCALC> rowBitsBuf;
    TBuf<TPosition::VECCALC> weightsBuf;
    GlobalTensor<float> partOutputGm;
    GlobalTensor<float> partLseGm;
    RowBlock walk; // the row block that is cut into steps
    int64_t kvNext = 0; // key of walk that comes next
    uint32_t core = 0; // index of the block
    uint32_t tilesLeft = 0; // key tiles this core still has to do
    uint32_t nextTile = 0; // key tile of walk that comes next
    uint32_t stepCount = 0; // steps so far
    uint32_t blockCount = 0; // row blocks so far
    uint32_t keyChunks = 0; // turns of the key slots
    uint32_t valueChunks = 0; // turns of the value slots
    uint32_t matmuls = 0; // turns of the L0A and L0B slots
    uint32_t accumulators = 0; // turns of the L0C slots
    uint32_t slices = 0; // turns of the score slots
};

} // namespace fia_v2_c220_bf16_bnsd_nomask_d128_decode_kernel

extern "C" __global__ __aicore__ void fia_v2_c220_bf16_bnsd_nomask_d128_decode(
    GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR, GM_ADDR queryLengths, GM_ADDR keyLengths,
    GM_ADDR attentionOut, GM_ADDR softmaxLse, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    fia_v2_c220_bf16_bnsd_nomask_d128_decode_kernel::FiaTiling tilingData;
    fia_v2_c220_bf16_bnsd_nomask_d128_decode_kernel::ReadTiling(tilingData, tiling);
    fia_v2_c220_bf16_bnsd_nomask_d128_decode_kernel::FusedAttention kernel;
    kernel.Init(query, key, value, queryLengths, keyLengths, attentionOut, softmaxLse,
                workspace, tilingData);
    kernel.Process();
}
