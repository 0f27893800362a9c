// In:    vector functions and what their instructions load and store.
// Out:   one instruction of pipe V for a whole function, and faults of order inside it.
// Never: an effect on data before pipe V reaches the function.
#include "reg_vf.h"
#include "cost.h"
#include <algorithm>

namespace AscendC {
namespace sim {

State3510& StateOf(Core& core)
{
    if (!core.state3510) {
        core.state3510 = std::make_shared<State3510>();
    }
    return *core.state3510;
}

Vf& EnterVf(const char* name, At at)
{
    Core& core = Current();
    Vf* vf = core.state3510 ? core.state3510->vf : nullptr;
    if (vf == nullptr) {
        core.Raise("sim.register_outside_vf", PIPE_V, name, at.line, 0,
            "Reg::%s is only possible in a function that asc_vf_call runs", name);
    }
    if (vf->check) {
        core.curName = name;
        core.curLine = at.line;
        ++core.run.issued;
        if (core.run.launch.instruction_budget != 0 && core.run.issued > core.run.launch.instruction_budget) {
            core.Raise("sim.budget", PIPE_V, name, at.line, 0, "the run issued more than its budget of %llu instructions",
                static_cast<unsigned long long>(core.run.launch.instruction_budget));
        }
    }
    ++core.run.heartbeat;
    return *vf;
}

namespace {
// Marks the function that runs, also when a fault leaves it.
struct Running {
    State3510& state;
    Core& core;
    Running(Core& coreIn, Vf& vf) : state(StateOf(coreIn)), core(coreIn)
    {
        state.vf = &vf;
        core.inVf = true;
    }
    ~Running()
    {
        state.vf = nullptr;
        core.inVf = false;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

struct VfJob {
    void (*run)(const void* arguments);
    uint32_t number;
    alignas(8) unsigned char arguments[limits::VF_ARGUMENT_BYTES];
    void operator()(Core& core) const
    {
        Vf vf{core, false, number};
        const Running running(core, vf);
        run(arguments);
    }
};
} // namespace

void CallVf(const VfBody& body, At at)
{
    Core& core = Current();
    core.Begin(PIPE_V, "asc_vf_call", at);
    State3510& state = StateOf(core);
    if (state.vf != nullptr) {
        core.Raise("sim.not_in_vf", PIPE_V, "asc_vf_call", at.line, 0, "a vector function calls another one with asc_vf_call");
    }
    if (core.Aic()) {
        core.Raise("sim.wrong_memory", PIPE_V, "asc_vf_call", at.line, 0, "an AIC has no vector unit");
    }
    if (core.run.checks && !state.cells) {
        state.cells.reset(new VfCell[core.memories[static_cast<int>(Mem::UB)].size / 32 + 1]);
    }
    Vf vf{core, true, ++state.vfs};
    {
        const Running running(core, vf);
        body.run(body.arguments);
    }
    if (vf.pending != 0) {
        core.Raise("sim.unalign_not_stored", PIPE_V, "StoreUnAlign", vf.pendingLine, at.line,
            "the vector function ends while the last bytes of StoreUnAlign are still in the unalign register: "
            "StoreUnAlignPost is missing");
    }
    core.curName = "asc_vf_call";
    core.curLine = at.line;
    const FiagenSimChip& chip = core.run.chip;
    const double cycles = chip.vector_issue_cycles + vf.single + vf.dual / (chip.vector_dual_issue > 0 ? chip.vector_dual_issue : 1);
    VfJob job{body.run, vf.number, {}};
    std::memcpy(job.arguments, body.arguments, body.bytes);
    core.Issue(PIPE_V, "asc_vf_call", at, {cycles, chip.vector_latency_cycles}, job);
}

uint64_t Vf::UbAt(uint64_t address, uint64_t bytes, uint64_t align, const char* what) const
{
    const uint64_t at = address - UB_BASE, size = core.memories[static_cast<int>(Mem::UB)].size;
    if (address < UB_BASE || at + bytes > size) {
        core.Raise("sim.ub_out_of_bounds", PIPE_V, core.curName, core.curLine, 0,
            "%s of %s covers bytes %lld to %lld of UB, which has %llu", what, core.curName, static_cast<long long>(at),
            static_cast<long long>(at + bytes), static_cast<unsigned long long>(size));
    }
    if (at % align != 0) {
        core.Raise("sim.misaligned", PIPE_V, core.curName, core.curLine, 0,
            "%s of %s starts at byte %llu, which is not a multiple of %llu", what, core.curName,
            static_cast<unsigned long long>(at), static_cast<unsigned long long>(align));
    }
    return at;
}

static bool Meets(const VfAccess& access, uint32_t number, uint64_t from, uint64_t to)
{
    return access.vf == number && access.lo < to && from < access.hi;
}

// Only the last access of each kind is remembered: neighbours by the same register grow into one.
static void Note(VfAccess& place, uint32_t number, uint32_t index, uint32_t covered, int32_t line, uint64_t from, uint64_t to,
    const void* reg)
{
    const bool joins = place.vf == number && place.reg == reg && place.index > covered && place.lo <= to && from <= place.hi;
    place.lo = static_cast<uint16_t>(joins ? std::min<uint64_t>(place.lo, from) : from);
    place.hi = static_cast<uint16_t>(joins ? std::max<uint64_t>(place.hi, to) : to);
    place.vf = number;
    place.index = index;
    place.line = line;
    place.reg = reg;
}

static void MissingBar(Core& core, const VfAccess& other, const char* mine, const char* theirs, const char* bar)
{
    core.Raise("sim.missing_mem_bar", PIPE_V, core.curName, core.curLine, other.line,
        "%s %s bytes of UB that line %d of the same vector function %s through another register: "
        "LocalMemBar<MemType::%s>() is missing between them",
        core.curName, mine, other.line, theirs, bar);
}

void Vf::Load(uint64_t lo, uint64_t hi, Register& reg)
{
    if (!Tracks() || lo >= hi) {
        return;
    }
    core.Touch(Mem::UB, lo, hi, false);
    ++loads;
    for (uint64_t cell = lo / 32; cell * 32 < hi; ++cell) {
        VfCell& entry = core.state3510->cells[cell];
        const uint64_t from = std::max(lo, cell * 32) - cell * 32, to = std::min(hi - cell * 32, uint64_t{32});
        if (Meets(entry.store, number, from, to) && entry.store.index > storeLoad && entry.store.reg != &reg) {
            MissingBar(core, entry.store, "loads", "stores", "VEC_STORE, MemType::VEC_LOAD");
        }
        Note(entry.load, number, loads, loadStore, core.curLine, from, to, &reg);
    }
    reg.taint = uint64_t{1} << (loads % 64);
}

void Vf::Store(uint64_t lo, uint64_t hi, const void* reg, uint64_t taint)
{
    if (!Tracks() || lo >= hi) {
        return;
    }
    core.Touch(Mem::UB, lo, hi, true);
    ++stores;
    for (uint64_t cell = lo / 32; cell * 32 < hi; ++cell) {
        VfCell& entry = core.state3510->cells[cell];
        const uint64_t from = std::max(lo, cell * 32) - cell * 32, to = std::min(hi - cell * 32, uint64_t{32});
        if (Meets(entry.store, number, from, to) && entry.store.index > storeStore && entry.store.reg != reg) {
            MissingBar(core, entry.store, "stores", "stores", "VEC_STORE, MemType::VEC_STORE");
        }
        // What is computed from a load comes after it.
        const bool follows = (taint >> (entry.load.index % 64) & 1) != 0;
        if (Meets(entry.load, number, from, to) && entry.load.index > loadStore && entry.load.reg != reg && !follows) {
            MissingBar(core, entry.load, "stores", "loads", "VEC_LOAD, MemType::VEC_STORE");
        }
        Note(entry.store, number, stores, storeLoad, core.curLine, from, to, reg);
    }
}

void RegMemBar(MemBar kind, At at)
{
    Vf& vf = EnterVf("LocalMemBar", at);
    vf.Alone(1);
    if (kind == MemBar::STORE_LOAD || kind == MemBar::ALL) {
        vf.storeLoad = vf.stores;
    }
    if (kind == MemBar::STORE_STORE || kind == MemBar::ALL) {
        vf.storeStore = vf.stores;
    }
    if (kind == MemBar::LOAD_STORE || kind == MemBar::ALL) {
        vf.loadStore = vf.loads;
    }
}

bool Full(const MaskRegister& mask, uint32_t size)
{
    const uint64_t wanted = size == 4 ? 0x1111111111111111ull : size == 2 ? 0x5555555555555555ull : ~uint64_t{0};
    return (mask.bits[0] & mask.bits[1] & mask.bits[2] & mask.bits[3] & wanted) == wanted;
}

void CheckSet(Vf& vf, const MaskRegister& mask)
{
    if (vf.check && !mask.set) {
        vf.core.Raise("sim.mask_not_set", PIPE_V, vf.core.curName, vf.core.curLine, 0,
            "the mask of %s was never given a value: CreateMask, UpdateMask or a comparison has to come first", vf.core.curName);
    }
}

const uint8_t* MarksOf(const Register& reg, uint8_t* buffer)
{
    if (reg.state == Register::PART) {
        return reg.marks;
    }
    std::memset(buffer, reg.state == Register::WHOLE ? 1 : 0, REG);
    return buffer;
}

void SetMarks(Register& dst, const uint8_t* marks, uint64_t taint)
{
    dst.taint = taint;
    if (std::memchr(marks, 0, REG) == nullptr) {
        dst.state = Register::WHOLE;
        return;
    }
    std::memmove(dst.marks, marks, REG);
    dst.state = Register::PART;
}

void FlowLanes(Register& dst, uint32_t size, const Register* const* sources, uint32_t count, const MaskRegister* mask, bool merge)
{
    uint64_t taint = mask != nullptr ? mask->taint : 0;
    bool whole = !merge || dst.state == Register::WHOLE;
    for (uint32_t i = 0; i < count; ++i) {
        taint |= sources[i]->taint;
        whole = whole && sources[i]->state == Register::WHOLE;
    }
    taint |= merge ? dst.taint : 0;
    if (whole) {
        dst.state = Register::WHOLE;
        dst.taint = taint;
        return;
    }
    uint8_t buffers[4][REG], result[REG];
    const uint8_t* marks[4];
    for (uint32_t i = 0; i < count; ++i) {
        marks[i] = MarksOf(*sources[i], buffers[i]);
    }
    const uint8_t* before = merge ? MarksOf(dst, buffers[3]) : nullptr;
    for (uint32_t at = 0; at < REG; at += size) {
        bool good = true;
        if (mask == nullptr || Active(*mask, at)) {
            for (uint32_t i = 0; i < count; ++i) {
                good = good && std::memchr(marks[i] + at, 0, size) == nullptr;
            }
        }
        if (merge && (!Active(*mask, at) || !mask->exact)) {
            good = good && std::memchr(before + at, 0, size) == nullptr;
        }
        std::memset(result + at, good ? 1 : 0, size);
    }
    SetMarks(dst, result, taint);
}

} // namespace sim
} // namespace AscendC
