/*
 * fia_v2_c220_bf16_tnd_causal_d128_prefill
 * Fused attention. bfloat16. (T, N, D), batches one after the other, cumulative lengths. sparse_mode 2 and 3, a
 * diagonal anchored at the first or the last row. 128 elements. Any number; row blocks are spread over the cores. Key
 * and value are contiguous. Nothing is quantised.
 *
 * Generated from specs/variants/npu_fused_infer_attention_score_v2.yaml by templates/kernel/fused_attention.cpp.jinja.
 * Do not edit: change the spec, the plan or the template and run `fiagen build`.
 *
 * One block is a cube core and two vector cores. Scores, probabilities and context cross between them through the
 * workspace; all heads of a kv head's group are rows of one tile, so keys and values are read once for a group.
 * Row blocks are spread over the cores by cost; keys that no row of a block sees are skipped.
 */
#include "kernel_operator.h"

namespace fia_v2_c220_bf16_tnd_causal_d128_prefill_kernel {
using namespace AscendC;

using Element = bfloat16_t; // query, key, value and attention_out

// Shape of the variant
constexpr uint32_t HEAD_DIM = 128; // head dim of query, key and value

// Tiles
constexpr uint32_t PART_ROWS = 64; // rows of one vector core: their statistics fill exactly one repeat of floats
constexpr uint32_t MAX_ROWS = 128; // rows of a block: PART_ROWS for each of the two vector cores
constexpr uint32_t KV_TILE = 512; // keys of a step: long enough that four products of 128 hide a turn of the pipeline
constexpr uint32_t CHUNK = 128; // keys of one product: 128 x 128 elements fill half of L0A and of L0B
constexpr uint32_t SLICE_ROWS = 8; // rows of a slice in the unified buffer: the largest multiple of 8 whose buffers fit
constexpr uint32_t SLICE_ELEMENTS = 4096; // SLICE_ROWS x KV_TILE

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
// 2 x 32768 bytes: query tile; the next row block loads while this one is in use
constexpr uint32_t QUERY_L1_BYTES = 65536;
constexpr uint32_t QUERY_L1_ELEMENTS = 16384; // elements of one slot
constexpr uint32_t KEY_L1_BYTES = 65536; // 2 x 32768 bytes: one chunk of keys; the next loads during the product
constexpr uint32_t KEY_L1_ELEMENTS = 16384; // elements of one slot
constexpr uint32_t VALUE_L1_BYTES = 65536; // 2 x 32768 bytes: one chunk of values; the next loads during the product
constexpr uint32_t VALUE_L1_ELEMENTS = 16384; // elements of one slot
// 2 x 32768 bytes: probabilities of one chunk; the next load during the product
constexpr uint32_t PROBS_L1_BYTES = 65536;
constexpr uint32_t PROBS_L1_ELEMENTS = 16384; // elements of one slot
// 2 x 32768 bytes: left matrix of a product; the next loads during the product
constexpr uint32_t LEFT_L0_BYTES = 65536;
constexpr uint32_t LEFT_L0_ELEMENTS = 16384; // elements of one slot
// 2 x 32768 bytes: right matrix of a product; the next loads during the product
constexpr uint32_t RIGHT_L0_BYTES = 65536;
constexpr uint32_t RIGHT_L0_ELEMENTS = 16384; // elements of one slot
constexpr uint32_t ACC_L0_BYTES = 131072; // 2 x 65536 bytes: sums; one is copied out while the other fills
constexpr uint32_t ACC_L0_ELEMENTS = 16384; // elements of one slot

// Buffers of a vector core
// 2 x 16384 bytes: a slice of scores; the next loads while this one is in use
constexpr uint32_t SCORES_BUF_BYTES = 32768;
// 2 x 8192 bytes: its probabilities; the last slice's are still being stored
constexpr uint32_t PROBS_BUF_BYTES = 16384;
constexpr uint32_t CONTEXT_BUF_BYTES = 32768; // context of one step
constexpr uint32_t OUTPUT_BUF_BYTES = 32768; // running output of the row block
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
constexpr uint32_t MASK_BUF_BYTES = 4096; // mask bytes of a slice, one row a position
constexpr uint32_t MASK_WIDE_BUF_BYTES = 8192; // the same as float16, which can be compared
constexpr uint32_t MASK_BITS_BUF_BYTES = 512; // the same as one bit a score

// Share of one core in the workspace
constexpr uint32_t SCORES_OFFSET = 0; // two tiles of fp32 scores
constexpr uint32_t PROBS_OFFSET = 524288; // two tiles of probabilities
constexpr uint32_t CONTEXT_OFFSET = 786432; // two tiles of fp32 context
constexpr uint32_t CORE_WORKSPACE_BYTES = 917504; // the share of one core, whole 512-byte lines

// Mask
// where a window begins is rounded down to this, so that neighbouring blocks load the same chunks
constexpr uint32_t KV_ALIGN = 128;
constexpr uint32_t MASK_BITS_PITCH = 64; // one bit a key of a tile
constexpr uint32_t TRIANGLE_PITCH = 2048; // the compressed mask is 2048 x 2048

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
constexpr int32_t MASK_EVENT = 3; // mask bytes

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

    __aicore__ inline void Init(GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR attenMask,
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
        maskGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(attenMask));
        queryLengthsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(queryLengths));
        keyLengthsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(keyLengths));
        outGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(attentionOut));
        lseGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(softmaxLse));

        GM_ADDR own = workspace + static_cast<uint64_t>(core) * CORE_WORKSPACE_BYTES;
        scoresGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own + SCORES_OFFSET));
        probsGm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(own + PROBS_OFFSET));
        contextGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own + CONTEXT_OFFSET));
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
            pipe.InitBuffer(maskBuf, MASK_BUF_BYTES);
            pipe.InitBuffer(maskWideBuf, MASK_WIDE_BUF_BYTES);
            pipe.InitBuffer(maskBitsBuf, MASK_BITS_BUF_BYTES);
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
        }
    }

private:
    __aicore__ inline int64_t TokenBegin(const GlobalTensor<int64_t>& list, uint32_t batch)
    {
        return batch == 0 ? 0 : list.GetValue(batch - 1);
    }

    __aicore__ inline void ReadLengths(RowBlock& block, uint32_t batch)
    {
        block.batch = batch;
        block.queryToken = TokenBegin(queryLengthsGm, batch);
        block.keyToken = TokenBegin(keyLengthsGm, batch);
        block.queryLength = queryLengthsGm.GetValue(batch) - block.queryToken;
        block.keyLength = keyLengthsGm.GetValue(batch) - block.keyToken;
    }

    // Element offset of (position row, query head) in query and attention_out; a position's heads lie side by side.
    __aicore__ inline int64_t QueryOffset(const RowBlock& block, int64_t row, uint32_t head)
    {
        return ((block.queryToken + row) * tiling.numQueryHeads + head) * HEAD_DIM;
    }

    __aicore__ inline int64_t KeyOffset(const RowBlock& block, int64_t column)
    {
        return ((block.keyToken + column) * tiling.numKvHeads + block.kvHead) * HEAD_DIM;
    }

    // Elements between two key tokens of one head.
    __aicore__ inline uint32_t KeyPitch() { return tiling.numKvHeads * HEAD_DIM; }

    // Elements between two positions of one query head.
    __aicore__ inline uint32_t QueryPitch() { return tiling.numQueryHeads * HEAD_DIM; }

    // Row i sees the columns i + WindowLow .. i + WindowHigh; the window is anchored at the first or at the last row.
    __aicore__ inline int64_t WindowAnchor(const RowBlock& block)
    {
        return tiling.anchorRight != 0 ? block.keyLength - block.queryLength : 0;
    }
    __aicore__ inline int64_t WindowLow(const RowBlock& block) { return WindowAnchor(block) - tiling.windowBack; }
    __aicore__ inline int64_t WindowHigh(const RowBlock& block) { return WindowAnchor(block) + tiling.windowAhead; }

    // Only keys that some row of the block sees are loaded; an empty range means that no row sees any key.
    __aicore__ inline void SetKeyRange(RowBlock& block)
    {
        const int64_t lastRow = static_cast<int64_t>(block.rowBegin) + block.rowCount - 1;
        const int64_t low = Max(static_cast<int64_t>(0), block.rowBegin + WindowLow(block));
        block.kvEnd = Min(block.keyLength, lastRow + WindowHigh(block) + 1);
        block.kvBegin = low >= block.kvEnd ? block.kvEnd : low / KV_ALIGN * KV_ALIGN;
    }

    __aicore__ inline void StartWalk()
    {
        blocksLeft = tiling.coreWork[core].count;
        walk.kvHead = tiling.coreWork[core].kvHead;
        nextRowBlock = tiling.coreWork[core].unit;
        ReadLengths(walk, tiling.coreWork[core].batch);
        walk.kvBegin = 0;
        walk.kvEnd = 0;
        kvNext = 0;
        stepCount = 0;
        blockCount = 0;
    }

    // Moves walk to the next row block of this core that sees at least one key.
    __aicore__ inline bool NextRowBlock()
    {
        while (blocksLeft > 0) {
            --blocksLeft;
            if (nextRowBlock * tiling.rowsPerBlock >= walk.queryLength) {
                NextHead();
            }
            walk.rowBegin = nextRowBlock * tiling.rowsPerBlock;
            walk.rowCount = static_cast<uint32_t>(
                Min(static_cast<int64_t>(tiling.rowsPerBlock), walk.queryLength - walk.rowBegin));
            ++nextRowBlock;
            SetKeyRange(walk);
            if (walk.kvBegin < walk.kvEnd) {
                return true;
            }
        }
        return false;
    }

    // The next kv head, or the first one of the next batch that has query rows.
    __aicore__ inline void NextHead()
    {
        nextRowBlock = 0;
        ++walk.kvHead;
        if (walk.kvHead < tiling.numKvHeads) {
            return;
        }
        walk.kvHead = 0;
        do {
            ReadLengths(walk, walk.batch + 1);
        } while (walk.queryLength == 0);
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
        const uint32_t first = CeilDiv(block.rowCount, AIV_PER_AIC);
        Part part;
        part.positionBegin = GetSubBlockIdx() == 0 ? 0 : first;
        part.positions = GetSubBlockIdx() == 0 ? first : block.rowCount - first;
        part.headBegin = 0;
        part.heads = tiling.groupSize;
        part.rowBegin = part.positionBegin * tiling.groupSize;
        part.rows = part.positions * tiling.groupSize;
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
        ApplyMask(scores, step, part, row, rows, pitch);
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

    // Mask bytes of some positions (keptByte: the byte that keeps a score), widened and compared into one bit a score.
    __aicore__ inline void SelectByMask(const LocalTensor<float>& scores, int64_t maskOffset, uint32_t maskPitch,
                                        uint32_t positions, uint32_t columns, CMPMODE keeps, const Part& part, uint32_t row,
                                        uint32_t rows, uint32_t pitch)
    {
        LocalTensor<uint8_t> bytes = maskBuf.Get<uint8_t>();
        LocalTensor<half> wide = maskWideBuf.Get<half>();
        LocalTensor<uint8_t> bits = maskBitsBuf.Get<uint8_t>();
        DataCopyExtParams params;
        params.blockCount = positions;
        params.blockLen = columns;
        params.srcStride = maskPitch - columns;
        params.dstStride = (KV_TILE - AlignUp(columns, BLOCK_BYTES)) / BLOCK_BYTES;
        DataCopyPadExtParams<uint8_t> padding;
        WaitFlag<HardEvent::V_MTE2>(MASK_EVENT);
        DataCopyPad(bytes, maskGm[maskOffset], params, padding);
        SetFlag<HardEvent::MTE2_V>(MASK_EVENT);
        WaitFlag<HardEvent::MTE2_V>(MASK_EVENT);
        Cast(wide, bytes, RoundMode::CAST_NONE, positions * KV_TILE);
        SetFlag<HardEvent::V_MTE2>(MASK_EVENT);
        PipeBarrier<PIPE_V>();
        CompareScalar(bits, wide, static_cast<half>(0.0f), keeps, positions * KV_TILE);
        PipeBarrier<PIPE_V>();
        const uint32_t firstPosition = row / part.heads;
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t position = (row + r) / part.heads - firstPosition;
            Select(scores[r * pitch], bits[position * MASK_BITS_PITCH], scores[r * pitch], MASKED_SCORE,
                   SELMODE::VSEL_TENSOR_SCALAR_MODE, pitch);
        }
        PipeBarrier<PIPE_V>();
    }

    // Distinct positions among the rows row .. row + rows - 1 of a part.
    __aicore__ inline uint32_t PositionsOf(const Part& part, uint32_t row, uint32_t rows)
    {
        return (row + rows - 1) / part.heads - row / part.heads + 1;
    }

    // Row i of the slice keeps its columns 0 .. i + distance. The triangle is read from the place where its diagonal lies
    // as far from the corner as the slice's own does.
    __aicore__ inline void ApplyMask(const LocalTensor<float>& scores, const Step& step, const Part& part, uint32_t row,
                                     uint32_t rows, uint32_t pitch)
    {
        const int64_t position = static_cast<int64_t>(step.block.rowBegin) + part.positionBegin + row / part.heads;
        const uint32_t positions = PositionsOf(part, row, rows);
        const int64_t high = position + WindowHigh(step.block) - step.kvOffset;
        if (high < static_cast<int64_t>(step.kvCount) - 1) {
            SelectByMask(scores, TriangleOffset(high), TRIANGLE_PITCH, positions, step.kvCount, CMPMODE::EQ, part, row, rows,
                         pitch);
        }
    }

    // Offset of the tile of the triangle whose first row keeps the columns 0 .. distance.
    __aicore__ inline int64_t TriangleOffset(int64_t distance)
    {
        return distance >= 0 ? distance * TRIANGLE_PITCH : -distance;
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
        NormaliseRows(output, lse, step.blockSlot, part.rows, POSITIVE_INFINITY);
        WriteRows(step.block, part, output, lse);
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
        PipeBarrier<PIPE_V>(); // the next row block starts its output where this one is cast from
    }

    __aicore__ inline void CopyOutRows(const RowBlock& block, const Part& part)
    {
        DataCopyExtParams params;
        params.blockCount = part.positions;
        params.blockLen = part.heads * HEAD_DIM * sizeof(Element);
        params.srcStride = 0;
        params.dstStride = (QueryPitch() - part.heads * HEAD_DIM) * sizeof(Element);
        DataCopyPad(outGm[QueryOffset(block, block.rowBegin + part.positionBegin,
                                      block.kvHead * tiling.groupSize + part.headBegin)],
                    resultBuf.Get<Element>(), params);
    }

    __aicore__ inline void CopyOutLse(const RowBlock& block, const Part& part)
    {
        if (tiling.returnLse == 0) {
            return;
        }
        LocalTensor<float> lse = lseBlocksBuf.Get<float>();
        DataCopyExtParams params;
        params.blockCount = part.heads;
        params.blockLen = sizeof(float);
        params.srcStride = 0;
        params.dstStride = 0;
        for (uint32_t position = 0; position < part.positions; ++position) {
            const int64_t token = block.queryToken + block.rowBegin + part.positionBegin + position;
            DataCopyPad(lseGm[token * tiling.numQueryHeads + block.kvHead * tiling.groupSize + part.headBegin],
                        lse[position * part.heads * FLOATS_PER_BLOCK], params);
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
        Duplicate(maskBuf.Get<float>(), 0.0f, MASK_BUF_BYTES / sizeof(float));
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

    __aicore__ inline void FillHead(RowBlock& block) { FillEmptyBlocks(block); }

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
        SetFlag<HardEvent::V_MTE2>(MASK_EVENT);
    }

    __aicore__ inline void WaitVectorFlags()
    {
        WaitFlag<HardEvent::V_MTE2>(SCORES_EVENT);
        WaitFlag<HardEvent::V_MTE2>(SCORES_EVENT + 1);
        WaitFlag<HardEvent::V_MTE2>(CONTEXT_EVENT);
        WaitFlag<HardEvent::MTE3_V>(PROBS_EVENT);
        WaitFlag<HardEvent::MTE3_V>(PROBS_EVENT + 1);
        WaitFlag<HardEvent::MTE3_V>(OUT_EVENT);
        WaitFlag<HardEvent::V_MTE2>(MASK_EVENT);
    }

    FiaTiling tiling;
    TPipe pipe;
    GlobalTensor<Element> queryGm;
    GlobalTensor<Element> keyGm;
    GlobalTensor<Element> valueGm;
    GlobalTensor<uint8_t> maskGm;
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
    TBuf<TPosition::VECIN> maskBuf;
    TBuf<TPosition::VECCALC> maskWideBuf;
    TBuf<TPosition::VECCALC> maskBitsBuf;
    RowBlock walk; // the row block that is cut into steps
    int64_t kvNext = 0; // key of walk that comes next
    uint32_t core = 0; // index of the block
    uint32_t blocksLeft = 0; // row blocks this core still has to do
    uint32_t nextRowBlock = 0; // row block of walk's kv head that comes next
    uint32_t stepCount = 0; // steps so far
    uint32_t blockCount = 0; // row blocks so far
    uint32_t keyChunks = 0; // turns of the key slots
    uint32_t valueChunks = 0; // turns of the value slots
    uint32_t matmuls = 0; // turns of the L0A and L0B slots
    uint32_t accumulators = 0; // turns of the L0C slots
    uint32_t slices = 0; // turns of the score slots
};

} // namespace fia_v2_c220_bf16_tnd_causal_d128_prefill_kernel

extern "C" __global__ __aicore__ void fia_v2_c220_bf16_tnd_causal_d128_prefill(
    GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR attenMask, GM_ADDR queryLengths, GM_ADDR keyLengths,
    GM_ADDR attentionOut, GM_ADDR softmaxLse, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    fia_v2_c220_bf16_tnd_causal_d128_prefill_kernel::FiaTiling tilingData;
    fia_v2_c220_bf16_tnd_causal_d128_prefill_kernel::ReadTiling(tilingData, tiling);
    fia_v2_c220_bf16_tnd_causal_d128_prefill_kernel::FusedAttention kernel;
    kernel.Init(query, key, value, attenMask, queryLengths, keyLengths, attentionOut, softmaxLse,
                workspace, tilingData);
    kernel.Process();
}
