// In:    calls of the API templates of 3510, already reduced to addresses, types and numbers.
// Out:   instructions in the queues of the running core, or a fault at the line of the call.
// Never: a template; everything here is compiled once into the runtime object.
#ifndef FIAGEN_SIM_ARCH3510_RUNTIME_H
#define FIAGEN_SIM_ARCH3510_RUNTIME_H
#include "../runtime.h"

namespace AscendC {
namespace sim {

// Copies and the cube.
void CopyUbToL1(const Local& dst, const Local& src, const DataCopyParams& params, At at);
void CopyL1ToUb(const Local& dst, const Local& src, const DataCopyParams& params, uint32_t aiv, At at);
struct Load2DV2 {
    uint32_t mStart, kStart, mStep, kStep, srcStride, dstStride;
    bool transpose;
};
void LoadMatrix(const Local& dst, const Local& src, const Load2DV2& params, At at);
void SetLoadRepeat(uint32_t stride, uint32_t time, uint32_t mode, uint32_t dstStride, At at);
void LoadImageNz(const Local& dst, const Local& src, const Load3D& params, At at);
struct FixJob3510 {
    uint32_t columns, rows, srcStride;  // srcStride in rows of 16 elements
    uint64_t dstStride;                 // elements
    uint32_t count, srcMatrix;          // matrices, and rows of 16 elements between them
    uint64_t dstMatrix;                 // elements
    uint32_t srcRow;                    // rows of 16 elements from one row to the next
    QuantMode_t quant;
    uint8_t unitFlag, dual, aiv;
    bool relu, split;
    CO2Layout layout;
    DType dtype;
};
void FixOut3510(const Global* gm, const Local* local, bool toUb, const Local& src, const FixJob3510& job, At at);

// Mutual exclusion of pipes.
void MutexLock(pipe_t pipe, uint32_t id, At at);
void MutexUnlock(pipe_t pipe, uint32_t id, At at);
uint8_t MutexAlloc(At at);
void MutexRelease(uint32_t id, At at);

// Registers. In the first run of a vector function, when it is issued, they hold which bytes are data (`marks`) and which
// loads they depend on (`taint`); in the second one, when pipe V reaches it, they hold the data.
struct alignas(64) Register {
    enum State : uint8_t { EMPTY, PART, WHOLE }; // no mark, see marks, every mark
    uint8_t bytes[256];
    uint8_t marks[256];
    uint64_t taint;
    State state;
    Register() : taint(0), state(EMPTY) {}
};
struct MaskRegister { // a bit for every byte of a register; the first bit of an element counts
    uint64_t bits[4] = {0, 0, 0, 0};
    uint64_t taint = 0;
    bool set = false;
    bool exact = true; // false in the first run: data decides, these are the lanes it may choose
};
struct UnalignRegister {
    uint64_t address = 0; // of the bytes it holds; 0: none
    uint32_t count = 0;   // to be stored
    uint8_t bytes[32];
    uint8_t marks[32];
    uint64_t taint = 0;
    int32_t line = 0;
};
struct AddressRegister {
    uint64_t bytes = 0;
};

struct VfBody { // what asc_vf_call runs
    void (*run)(const void* arguments);
    const void* arguments;
    uint32_t bytes;
};
void CallVf(const VfBody& body, At at);

enum class RegLoad : uint8_t {
    NORM, BRC, US, DS, UNPACK, UNPACK4, BLK, E2B, DINTLV
};
enum class RegStore : uint8_t { NORM, FIRST, PACK, PACK4, INTLV };
// `size`: bytes of an element as the distribution counts them.
void RegLoadAlign(Register& dst, Register* dst1, uint64_t address, RegLoad dist, uint32_t size, At at);
void RegStoreAlign(uint64_t address, const Register& src, const Register* src1, RegStore dist, uint32_t size,
    const MaskRegister& mask, At at);
void RegLoadBlocks(Register& dst, uint64_t address, uint32_t stride, const MaskRegister& mask, At at);
void RegStoreBlocks(uint64_t address, const Register& src, uint32_t stride, uint32_t size, const MaskRegister& mask,
    At at);
void RegLoadUnalignPre(UnalignRegister& ureg, uint64_t address, At at);
void RegLoadUnalign(Register& dst, UnalignRegister& ureg, uint64_t address, At at);
void RegStoreUnalign(uint64_t address, const Register& src, UnalignRegister& ureg, uint32_t bytes, At at);
void RegStoreUnalignPost(UnalignRegister& ureg, At at);
void RegLoadMask(MaskRegister& mask, uint64_t address, int dist, At at);
void RegStoreMask(uint64_t address, const MaskRegister& mask, int dist, At at);
enum class MemBar : uint8_t { NONE, STORE_LOAD, LOAD_STORE, STORE_STORE, ALL };
void RegMemBar(MemBar kind, At at);

// Masks.
enum class MaskOp : uint8_t { NOT, AND, OR, XOR, MOVE, SELECT };
void MaskCreate(MaskRegister& dst, uint32_t size, int pattern, At at);
void MaskUpdate(MaskRegister& dst, uint32_t size, uint32_t& count, At at);
void MaskLogic(MaskOp op, MaskRegister& dst, const MaskRegister& a, const MaskRegister& b, const MaskRegister& mask,
    At at);
void MaskInterleave(MaskRegister& dst0, MaskRegister& dst1, const MaskRegister& src0, const MaskRegister& src1,
    uint32_t size, bool apart, At at);
void MaskPack(MaskRegister& dst, const MaskRegister& src, bool high, bool unpack, At at);

// Arithmetic. `merge`: lanes that the mask leaves out keep their value; else they become 0.
enum class RegOp : uint8_t {
    ADD, SUB, MUL, DIV, MAX, MIN, AND, OR, XOR, SHL, SHR, ABSSUB, PRELU, MULADDDST, MULDSTADD,
    ADDS, MULS, MAXS, MINS, SHLS, SHRS, LRELU, AXPY,
    ABS, RELU, EXP, SQRT, LN, LOG2, LOG10, NEG, NOT
};
void RegBinary(RegOp op, const char* name, DType dtype, Register& dst, const Register& a, const Register& b,
    const MaskRegister& mask, bool merge, At at);
void RegScalar(RegOp op, const char* name, DType dtype, Register& dst, const Register& a, double scalar,
    const MaskRegister& mask, At at); // unary operations have no use for the scalar
void RegExpSub(DType from, Register& dst, const Register& a, const Register& b, uint32_t layout,
    const MaskRegister& mask, At at);
void RegCompare(const char* name, DType dtype, MaskRegister& dst, const Register& a, const Register* b, double scalar,
    CMPMODE mode, const MaskRegister& mask, At at);
void RegSelect(uint32_t size, Register& dst, const Register& a, const Register& b, const MaskRegister& mask, At at);
void RegFill(uint32_t size, Register& dst, uint64_t bits, const MaskRegister* mask, bool merge, At at);
void RegFillLowest(uint32_t size, Register& dst, const Register& src, const MaskRegister& mask, bool merge, At at);
void RegMove(uint32_t size, Register& dst, const Register& src, const MaskRegister* mask, At at);
void RegArange(DType dtype, Register& dst, double first, bool down, At at);
void RegInterleave(uint32_t size, Register& dst0, Register& dst1, const Register& src0, const Register& src1,
    bool apart, At at);
void RegPack(uint32_t size, Register& dst, const Register& src, bool high, At at);             // size: of src
void RegUnpack(uint32_t size, Register& dst, const Register& src, bool high, bool sign, At at); // size: of src
void RegReduce(ReduceOp type, DType from, DType to, Register& dst, const Register& src, const MaskRegister& mask,
    At at);
void RegReduceBlock(ReduceOp type, DType from, DType to, Register& dst, const Register& src, const MaskRegister& mask,
    At at);
void RegReducePair(DType dtype, Register& dst, const Register& src, const MaskRegister& mask, At at);
struct RegConversion {
    DType to, from;
    RoundMode round;
    bool saturate;
    uint32_t layout;
    float scale; // multiplied first; 1 for Cast
};
void RegCast(const char* name, const RegConversion& how, Register& dst, const Register& src, const MaskRegister& mask,
    At at);

// UB addresses as __ubuf__ pointers see them, as in tensor.h: the first byte is not 0, and no processor could read it.
constexpr uint64_t UB_BASE = uint64_t{1} << 56;

} // namespace sim
} // namespace AscendC
#endif
