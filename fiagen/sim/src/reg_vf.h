// In:    register instructions of a vector function.
// Out:   the state they share: which of the two runs this is, what the function has loaded and stored, what it costs.
// Never: the meaning of an instruction.
#ifndef FIAGEN_SIM_REG_VF_H
#define FIAGEN_SIM_REG_VF_H
#include "../include/fiagen_sim/arch3510/limits.h"
#include "../include/fiagen_sim/arch3510/runtime.h"
#include "machine.h"

namespace AscendC {
namespace sim {

constexpr uint32_t REG = static_cast<uint32_t>(limits::REGISTER_BYTES);

// The last store to, or load from, a 32-byte block of UB in one vector function.
struct VfAccess {
    uint32_t vf = 0, index = 0;
    int32_t line = 0;
    uint16_t lo = 0, hi = 0;
    const void* reg = nullptr;
};
struct VfCell {
    VfAccess store, load;
};

struct Vf {
    Core& core;
    bool check;                 // first run: checks and cost; second run: data
    uint32_t number;
    uint32_t stores = 0, loads = 0;
    uint32_t storeLoad = 0, storeStore = 0, loadStore = 0; // what LocalMemBar has put in order
    double single = 0, dual = 0; // cycles of instructions that go alone, and of those that may go in pairs
    uint32_t pending = 0;       // unalign registers with bytes that are not stored yet
    int32_t pendingLine = 0;    // of the last StoreUnAlign

    bool Tracks() const { return check && core.run.checks; }
    void Alone(double cycles) { single += cycles; }
    void Paired(double cycles, double lanes = 0)
    {
        dual += cycles;
        core.timeline.vectorElements += check ? lanes : 0;
    }
    // Offset in UB of `bytes` bytes at a pointer.
    uint64_t UbAt(uint64_t address, uint64_t bytes, uint64_t align, const char* what) const;
    // Bytes [lo, hi) of UB go into a register, or come out of one that depends on the loads in `taint`.
    void Load(uint64_t lo, uint64_t hi, Register& reg);
    void Store(uint64_t lo, uint64_t hi, const void* reg, uint64_t taint);
    const uint8_t* Ub(uint64_t at) const { return core.At8(Mem::UB, at); }
};

struct State3510 {
    Vf* vf = nullptr; // the vector function that runs
    uint32_t vfs = 0;
    std::unique_ptr<VfCell[]> cells;
    struct {
        bool set = false;
        uint32_t stride = 0, time = 1, mode = 0, dstStride = 0;
    } loadRepeat;
};
State3510& StateOf(Core& core);

// Every register instruction begins with this.
Vf& EnterVf(const char* name, At at);

// Lanes: is the element at byte `at` of a register one that the mask names?
inline bool Active(const MaskRegister& mask, uint32_t at) { return (mask.bits[at / 64] >> (at % 64) & 1) != 0; }
bool Full(const MaskRegister& mask, uint32_t size); // every element of that size
void CheckSet(Vf& vf, const MaskRegister& mask);

// Which bytes of a register are data, as one array; `buffer` has room for them.
const uint8_t* MarksOf(const Register& reg, uint8_t* buffer);
void SetMarks(Register& dst, const uint8_t* marks, uint64_t taint);
// An element of dst is data when that element of every source is, or when the mask leaves it out: then it is 0, or with
// `merge` what it was.
void FlowLanes(Register& dst, uint32_t size, const Register* const* sources, uint32_t count, const MaskRegister* mask,
    bool merge);

} // namespace sim
} // namespace AscendC
#endif
