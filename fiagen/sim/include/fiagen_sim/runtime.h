// In:    calls of the API templates, already reduced to addresses, types and numbers.
// Out:   instructions in the queues of the running core, or a fault at the line of the call.
// Never: a template; everything here is compiled once into the runtime object.
#ifndef FIAGEN_SIM_RUNTIME_H
#define FIAGEN_SIM_RUNTIME_H
#include "params.h"

namespace AscendC {
namespace sim {

// A tensor on chip: bytes [addr, end) of one memory of the running core.
struct Local {
    uint32_t addr;
    uint32_t end;
    Mem mem;
    DType dtype;
};

// A tensor in global memory: the kernel may touch [begin, end) through it; ptr is where it starts now.
struct Global {
    uint8_t* ptr;
    uint8_t* begin;
    uint8_t* end;
    DType dtype;
    uint32_t arg; // which kernel argument it lies in
};

// What limits the lanes of a vector instruction.
struct Mask {
    enum Kind : uint8_t { TOTAL, COUNT, BITS, REGISTER };
    Kind kind;
    uint64_t low;
    uint64_t high;
    static Mask Total(uint64_t n) { return {TOTAL, n, 0}; }
    static Mask Of(uint64_t n, bool set) { return {set ? COUNT : REGISTER, n, 0}; }
    static Mask Of(const uint64_t* bits, bool set)
    {
        return set ? Mask{BITS, bits[0], bits[1]} : Mask{REGISTER, 0, 0};
    }
};

// Strides in 32-byte blocks; repeat is ignored where the mask is a total.
struct Steps {
    uint32_t repeat;
    uint16_t dstBlk, src0Blk, src1Blk;
    uint16_t dstRep, src0Rep, src1Rep;
};

enum class VecOp : uint8_t {
    ADD, SUB, MUL, DIV, MAX, MIN, AND, OR,                  // binary
    ADDS, MULS, MAXS, MINS, AXPY, LRELU, SHL, SHR,          // with a scalar
    MULADDDST,                                              // dst += src0 * src1
    EXP, LN, ABS, SQRT, RSQRT, RECIPROCAL, RELU, NOT, COPY, // unary
    DUPLICATE
};
enum class ReduceOp : uint8_t { MAX, MIN, SUM };

// Queries.
bool IsAic();
int64_t BlockIdx();
int64_t BlockNum();
int64_t SubBlockIdx();
int64_t SubBlockNum();
int64_t TaskRation();
bool SetTaskType(KernelMetaType type);
template <KernelMetaType type> struct TaskType { static inline const bool declared = SetTaskType(type); };

// Tensors.
void RegisterExtent(Global& tensor, uint8_t* ptr, uint64_t bytes, bool sized);
void* GlobalScalar(const Global& tensor, uint64_t offset, uint32_t bytes, bool write, At at);
void CleanDataCache(const Global& tensor, bool all, At at);
void* LocalScalar(const Local& tensor, uint64_t offset, uint32_t bytes, bool write, At at);
void CheckPlacement(const Local& tensor, At at);

// Pipe and queues.
struct QueueKind {
    TPosition position;
    HardEvent enqueue;
    HardEvent release;
    int32_t depth;
};
void PipeBegin(At at);
void PipeEnd(At at);
uint32_t PipeAllocate(TPosition position, uint32_t bytes, uint32_t& rounded, At at);
int32_t QueueInit(const QueueKind& kind, uint32_t count, uint32_t bytes, At at);
int32_t QueueAlloc(int32_t queue, Local& tensor, At at);
void QueueEnque(int32_t queue, int32_t buffer, At at);
int32_t QueueDeque(int32_t queue, Local& tensor, At at);
void QueueFree(int32_t queue, int32_t buffer, At at);
int32_t QueueCount(int32_t queue);
bool QueueHasIdle(int32_t queue);
int32_t EventAlloc(HardEvent event, At at);
int32_t EventFetch(HardEvent event, At at);
void EventRelease(HardEvent event, int32_t id, At at);

// Order.
void IssueSetFlag(HardEvent event, int32_t id, At at);
void IssueWaitFlag(HardEvent event, int32_t id, At at);
void IssueBarrier(pipe_t pipe, At at);
void IssueCrossSet(uint8_t mode, pipe_t pipe, uint16_t flag, At at);
void CrossWait(uint8_t mode, pipe_t pipe, uint16_t flag, At at); // pipe: the only one that waits; PIPE_S: all of them
void SyncAllCores(bool vectorOnly, At at);

// State.
enum class Atomic : uint8_t { NONE, ADD };
void SetAtomic(Atomic atomic, DType dtype);
void SetMaskRegister(uint64_t high, uint64_t low, At at);
void SetMaskMode(bool counter, At at);
void SetDequantScale(float scale, At at);
void SetCompareMask(const Local& src, At at);
void GetCompareMask(const Local& dst, At at);
void ScalarInstruction(At at);

// Copies.
void CopyIn(const Local& dst, const Global& src, const DataCopyParams& params, const char* name, At at);
void CopyOut(const Global& dst, const Local& src, const DataCopyParams& params, const char* name, At at);
void CopyLocal(const Local& dst, const Local& src, const DataCopyParams& params, const char* name, At at);
uint32_t WholeBlocks(uint64_t bytes, At at); // 32-byte blocks, refuses a remainder
// The parameters of copies whose public structures differ from one architecture to the other.
struct NdNz {
    uint32_t ndNum, nValue, dValue;
    uint64_t srcNdMatrixStride, srcDValue;
    uint32_t dstNzC0Stride, dstNzNStride, dstNzMatrixStride;
    bool columns; // DN: the source holds dValue rows of nValue elements
};
struct PadBursts {
    uint32_t blockCount, blockLen;
    int64_t srcStride, dstStride;
};
void CopyNd2Nz(const Local& dst, const Global& src, const NdNz& params, const char* name, At at);
void CopyPadIn(const Local& dst, const Global& src, const PadBursts& params, bool isPad, uint8_t left, uint8_t right,
    uint64_t value, At at);
void CopyPadOut(const Global& dst, const Local& src, const PadBursts& params, At at);
void FillConst(const Local& dst, uint32_t repeat, uint32_t blocks, uint32_t gap, uint32_t valueBits, At at);

// Cube.
void Load2D(const Local& dst, const Local& src, const LoadData2DParams& params, At at);
void LoadSquares(const Local& dst, const Local& src, const LoadData2dTransposeParams& params, At at);
struct Load3D {
    uint32_t rows, channels, mExtension, kExtension, mStart, kStart;
    bool transpose, plain;
};
void LoadImage(const Local& dst, const Local& src, const Load3D& params, At at);
void MatMul(const Local& c, const Local& a, const Local& b, const Local* bias, const MmadFields& params, bool gemv,
    At at); // gemv: m = 1 reads A as a plain vector
void SetFixpipeQuant(const Local& tensor, At at);
void FixOut(const Global* gm, const Local* l1, const Local& src, const FixpipeParamsV220& params, CO2Layout layout,
    DType dtype, At at);

// Vector.
void VecBinary(VecOp op, const char* name, const Local& dst, const Local& src0, const Local& src1, const Mask& mask,
    const Steps& steps, At at);
void VecUnary(VecOp op, const char* name, const Local& dst, const Local& src, double scalar, const Mask& mask,
    const Steps& steps, At at);
void VecFill(const Local& dst, uint32_t valueBits, const Mask& mask, const Steps& steps, At at);
void VecCast(const Local& dst, const Local& src, RoundMode mode, const Mask& mask, const Steps& steps, At at);
void VecCompare(const char* name, const Local& dst, const Local& src0, const Local* src1, double scalar, CMPMODE mode,
    const Mask& mask, const Steps& steps, At at);
void VecCompareToRegister(const Local& src0, const Local& src1, CMPMODE mode, const Mask& mask, const Steps& steps,
    At at);
void VecSelect(const Local& dst, const Local& bits, const Local& src0, const Local* src1, float scalar, SELMODE mode,
    const Mask& mask, const Steps& steps, At at);
void VecReduceRepeat(ReduceOp op, const char* name, const Local& dst, const Local& src, const Mask& mask,
    const Steps& steps, ReduceOrder order, At at);
void VecReduceBlock(ReduceOp op, const char* name, const Local& dst, const Local& src, const Mask& mask,
    const Steps& steps, At at);
void VecReducePair(const Local& dst, const Local& src, const Mask& mask, const Steps& steps, At at);
void VecReduceCount(ReduceOp op, const char* name, const Local& dst, const Local& src, const Local& work,
    uint32_t count, bool withIndex, At at);
void VecBrcb(const Local& dst, const Local& src, uint32_t repeat, const BrcbRepeatParams& params, At at);
void VecGather(const Local& dst, const Local& src, const Local& offsets, uint32_t base, const Mask& mask, uint32_t repeat,
    uint16_t dstRep, At at);
// `pattern` 1 to 7, or 0 and the bits in `bits`; gives back how many elements were kept.
uint64_t VecGatherMask(const Local& dst, const Local& src, const Local* bits, uint32_t pattern, bool counted, uint32_t count,
    const GatherMaskParams& params, At at);
void VecTranspose(const Local& dst, const Local& src, At at);
void VecTo5Hd(const uint32_t* dst, const uint32_t* src, DType dtype, const TransDataTo5HDParams& params, At at);
void VecIndex(const Local& dst, double first, const Mask& mask, const Steps& steps, At at);

} // namespace sim
} // namespace AscendC
#endif
