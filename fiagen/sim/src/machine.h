// In:    validated instructions of the API calls.
// Out:   the state of one run: cores, memories, pipes, flags, clocks and faults.
// Never: state that outlives a run, apart from the task kind a kernel library declares when it is loaded.
#ifndef FIAGEN_SIM_MACHINE_H
#define FIAGEN_SIM_MACHINE_H
#include "../include/fiagen_sim/entry.h"
#include "../include/fiagen_sim/limits.h"
#include "../include/fiagen_sim/runtime.h"
#include "fiber.h"
#include "global.h"
#include "timing.h"
#include <cstdlib>
#include <memory>
#include <string>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

namespace AscendC {
namespace sim {

constexpr int PIPES = FIAGEN_PIPE_COUNT; // S, V, M, MTE1, MTE2, MTE3, FIX in the order of pipe_t
constexpr int EVENTS = static_cast<int>(HardEvent::MAX);
extern const char* const PIPE_NAMES[PIPES];
extern const char* const EVENT_NAMES[EVENTS];
extern const char* const MEM_NAMES[];
extern const char* const MEM_RULES[]; // the part of a fault id that names a memory

struct Fault {
    FiagenSimFault data;
};
struct Unwind {}; // thrown in a fiber that has to end because another one faulted

// How far the instructions of each pipe are known to be complete.
struct Clock {
    uint32_t seq[PIPES] = {};
    void Merge(const Clock& other)
    {
        for (int p = 0; p < PIPES; ++p) {
            seq[p] = other.seq[p] > seq[p] ? other.seq[p] : seq[p];
        }
    }
};

using Snapshot = std::shared_ptr<const std::vector<Clock>>; // what one core knows about every core

// What a wait for another core taught the pipe that waited (3510: only that pipe stands still).
struct Lesson {
    uint32_t seq; // of the wait
    Snapshot known;
};

struct State3510;
class Core;
struct Op {
    enum Kind : uint8_t { DATA, SET, WAIT, BARRIER, CROSS_SET };
    void (*exec)(Core& core, const void* payload);
    const char* name;
    uint64_t issued;     // how many instructions the run had issued
    uint64_t needs;      // instructions of needsPipe that must be done before this one may start
    int32_t line;
    uint8_t needsPipe;   // PIPES: none
    Kind kind;
    uint8_t what;        // event, or mode of a cross-core flag
    uint8_t id;
    alignas(8) unsigned char payload[200];
};

struct PipeQueue {
    std::vector<Op> ops;
    size_t head = 0;
    uint64_t done = 0; // instructions executed since the start
    bool forcing = false;
    uint32_t crossSets = 0; // pending CrossCoreSetFlag instructions
    bool Empty() const { return head == ops.size(); }
    size_t Pending() const { return ops.size() - head; }
    const Op& Head() const { return ops[head]; }
};

struct EventState {
    bool set = false;
    int32_t line = 0;     // of the last executed SetFlag
    int32_t balance = 0;  // issued sets minus issued waits
    int32_t setLine = 0;  // of the last issued SetFlag
    int32_t waitLine = 0; // of the last issued WaitFlag
    Clock clock;
    bool reserved = false;
    bool internal = false; // taken by TPipe or by a queue
};

struct Tokens {
    std::vector<Snapshot> ready; // what each set covers
    int32_t line = 0;
    std::vector<Snapshot> half[2]; // sets of each AIV that wait for the other one
    std::vector<Snapshot> own;     // own sets of mode 0 or 1 that wait for the rest of the group
};

// Flags 0 to 15 of the modes 0, 1 and 2, then 0 to 31 of mode 4, which are others.
constexpr uint32_t CROSS_FLAGS = 48, CROSS_FLAG_MODE4 = 16;

struct MutexState { // 3510
    int32_t line = 0;        // of the last Lock or Unlock
    uint8_t holder = PIPES;  // pipe between Lock and Unlock
    uint8_t last = PIPES;    // pipe of the last Unlock
    uint64_t done = 0;       // instructions of that pipe that are over then
    bool reserved = false;
    Clock clock;
};

struct Access {
    uint32_t seq;
    int32_t line;
    uint16_t lo, hi;
    uint8_t pipe;
    uint8_t sub; // core of the block: on 3510 an AIC writes to UB and an AIV to L1
};
struct Cell {
    Access write;
    Access read[2];
    Access earlier[2]; // the reads before those
};
constexpr uint8_t HANDSHAKE = 0xFF; // ordered by the unit flag, not by events

struct Memory {
    std::unique_ptr<uint8_t[]> bytes;
    uint64_t size = 0;
    uint32_t granule = 32;
    Cell* cells = nullptr;
    uint64_t allocated = 0; // by TPipe
    uint8_t* written = nullptr; // a byte for every byte: 0 until something wrote it
    ~Memory()
    {
        std::free(cells);
        std::free(written);
    }
};

struct QueueBuffer {
    enum State : uint8_t { IDLE, HELD, QUEUED, TAKEN };
    uint32_t addr, bytes;
    int32_t queue;
    State state;
    int32_t freeEvent; // event id a later AllocTensor waits for, -1: none
    int32_t fullEvent; // event id a DeQue waits for
    int32_t line;      // of the last AllocTensor
    int32_t givenLine; // of the last EnQue or FreeTensor
};
struct QueueState {
    QueueKind kind;
    std::vector<int32_t> buffers;
    std::vector<int32_t> fifo;
    uint32_t cursor = 0;
};

class Run;

class Core {
public:
    Core(Run& run, uint32_t block, uint32_t sub);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    // Queue an instruction; callable is copied into the queue and runs when its pipe reaches it.
    template <typename F> void Issue(int pipe, const char* name, At at, const Cost& cost, F callable)
    {
        IssueAfter(pipe, name, at, cost, PIPES, 0, callable);
    }
    // The same, but not before pipe needsPipe has executed `needs` instructions.
    template <typename F>
    void IssueAfter(int pipe, const char* name, At at, const Cost& cost, int needsPipe, uint64_t needs, F callable)
    {
        static_assert(sizeof(F) <= sizeof(Op::payload) && std::is_trivially_copyable<F>::value, "payload too large");
        Op& op = Push(pipe, Op::DATA, name, at, cost);
        op.needsPipe = static_cast<uint8_t>(needsPipe);
        op.needs = needs;
        timeline.steps.back().needsPipe = op.needsPipe;
        timeline.steps.back().needs = static_cast<uint32_t>(needs);
        std::memcpy(op.payload, static_cast<const void*>(&callable), sizeof(F));
        op.exec = [](Core& core, const void* payload) {
            F copy(*static_cast<const F*>(payload));
            copy(core);
        };
        AfterIssue(pipe);
    }
    Op& Push(int pipe, Op::Kind kind, const char* name, At at, const Cost& cost = {});
    // The same for a flag: event or mode, and id.
    Op& PushFlag(int pipe, Op::Kind kind, const char* name, At at, uint8_t what, uint8_t id);
    void AfterIssue(int pipe);
    void ScalarStep(At at);

    bool Runnable(int pipe) const;
    void StepOne(int pipe);
    bool Force(int pipe, uint64_t until);
    bool ForceFlag(int event, int id);
    bool ForceConsumer(int event, int id);
    bool RunEverything(); // whatever can run; true when all pipes are empty
    void Drain(At at);
    void ForceCrossSets();
    void Finish();

    // A fault at this call; Raise throws.
    [[noreturn]] void Raise(const char* id, int pipe, const char* instruction, int32_t line, int32_t other,
        const char* format, ...) __attribute__((format(printf, 7, 8)));

    // Start a new instruction for the order checker, then tell which bytes it reads and writes.
    void Begin(int pipe, const char* name, At at, bool handshake = false, bool selfOrdered = false);
    void Touch(Mem mem, uint64_t lo, uint64_t hi, bool write) { TouchAt(*this, mem, lo, hi, write); }
    void TouchAt(Core& home, Mem mem, uint64_t lo, uint64_t hi, bool write); // a memory of another core of the block
    void CheckOwner(Mem mem, uint64_t lo, uint64_t hi);
    void CheckBounds(const Local& tensor, uint64_t lo, uint64_t hi, const char* what);
    void CheckGlobal(const Global& tensor, int64_t lo, int64_t hi);
    void CheckAligned(uint64_t addr, uint64_t align, const char* what);
    void CheckMem(const Local& tensor, Mem wanted, const char* what);
    void CheckLimit(uint64_t value, uint64_t low, uint64_t high, const char* what);
    // A copy moves bytes whether they hold data or not; what it moved is told by a copy of Written().
    void ReadCopy(const Local& tensor, uint64_t lo, uint64_t hi) { CheckBounds(tensor, lo, hi, "source"); Touch(tensor.mem, lo, hi, false); }
    void WriteCopy(const Local& tensor, uint64_t lo, uint64_t hi) { CheckBounds(tensor, lo, hi, "destination"); Touch(tensor.mem, lo, hi, true); }
    // Everything else needs bytes that hold data, and leaves such.
    void Read(const Local& tensor, uint64_t lo, uint64_t hi) { ReadCopy(tensor, lo, hi); Need(tensor.mem, lo, hi); }
    void Write(const Local& tensor, uint64_t lo, uint64_t hi) { WriteCopy(tensor, lo, hi); MarkWritten(tensor.mem, lo, hi); }
    void Need(Mem mem, uint64_t lo, uint64_t hi);
    void MarkWritten(Mem mem, uint64_t lo, uint64_t hi);
    uint8_t* Written(Mem mem, uint64_t addr) { return memories[static_cast<int>(mem)].written + addr; }
    bool AllWritten(Mem mem, uint64_t lo, uint64_t hi) { return std::memchr(Written(mem, lo), 0, hi - lo) == nullptr; }

    // Bytes [lo, hi) of global memory from where the tensor starts.
    void ReadGlobal(const Global& tensor, int64_t lo, int64_t hi) { TouchGlobal(tensor, lo, hi, {false, false, false}); }
    // adds: atomically; exact: an instruction that may write any bytes, also parts of a block.
    void WriteGlobal(const Global& tensor, int64_t lo, int64_t hi, bool adds, bool exact) { TouchGlobal(tensor, lo, hi, {true, adds, exact}); }
    struct Use {
        bool write, adds, exact;
    };
    void TouchGlobal(const Global& tensor, int64_t lo, int64_t hi, Use use);
    void NeedGlobal(const Global& tensor, int64_t lo, int64_t hi);
    bool Tracks(const Global& tensor) const;            // false: an input, or no checks
    uint8_t* WrittenGlobal(const Global& tensor) const; // null: every byte holds data
    bool HoldsNoData(const Global& tensor) const;       // a workspace: it may hold bytes that nobody wrote
    void* CachedScalar(const Global& tensor, uint64_t offset, uint32_t bytes, bool write);
    void CleanCache(const Global& tensor, bool all);
    void CheckCaches(const GlobalArg& arg, uint64_t lo, uint64_t hi, bool write);
    void Uninitialised(const char* where, uint64_t byte);

    // What is complete when an instruction of `pipe` is, and what a wait for somebody else's release teaches: every pipe
    // when the scalar unit waited (PIPE_S), else that pipe and whatever is ordered behind it.
    Snapshot Release(int pipe);
    void Acquire(const Snapshot& other, int pipe = PIPE_S);
    void Learn(int pipe);
    bool Knows(uint32_t core, int pipe, uint32_t sequence); // does the current pipe know that it is complete?
    uint32_t Index() const { return block * 3 + sub; }

    uint8_t* At8(Mem mem, uint64_t addr) { return memories[static_cast<int>(mem)].bytes.get() + addr; }

    Run& run;
    uint32_t block, sub; // sub 0: AIC, 1 and 2: AIV
    bool Aic() const { return sub == 0; }
    bool selected = true;
    Memory memories[static_cast<int>(Mem::COUNT)];
    PipeQueue pipes[PIPES];
    Timeline timeline;
    EventState events[EVENTS][8];
    Tokens tokens[CROSS_FLAGS];
    MutexState mutexes[32];
    std::shared_ptr<State3510> state3510; // registers and the like; made when first needed
    bool inVf = false;                    // a vector function runs: nothing but register instructions

    uint32_t seq[PIPES] = {};
    Clock known[PIPES];
    std::vector<Clock> remote; // of every core, by index; empty before the first wait
    std::vector<Lesson> lessons[PIPES];
    std::vector<Clock> remoteOf[PIPES]; // beside `remote`, what this pipe knows
    size_t learned[PIPES][PIPES] = {};  // [pipe][teacher]: lessons that are in remoteOf[pipe]
    std::vector<CachedLine> cache;

    // The instruction being checked.
    int curPipe = 0;
    const char* curName = "";
    int32_t curLine = 0;
    bool curHandshake = false, curSelfOrdered = false;

    // Registers.
    uint64_t maskLow = ~uint64_t{0}, maskHigh = ~uint64_t{0};
    bool counterMode = false;
    Atomic atomic = Atomic::NONE;
    DType atomicType = DType::F32;
    uint64_t compareMask[2] = {0, 0};
    Local fixpipeQuant{}; // quantisation parameters by column, of SetFixPipeConfig
    bool fixpipeSet = false;
    float dequantScale = 0;
    bool dequantScaleSet = false;
    int32_t selectLine = 0; // last Select that keeps the end of UB for itself

    // Queues.
    bool pipeOpen = false;
    int32_t pipeLine = 0;
    uint32_t buffersInUse = 0;
    std::vector<QueueBuffer> buffers;
    std::vector<QueueState> queues;

    // Fiber.
    enum Wait : uint8_t { READY, CROSS, SYNC, DONE };
    Wait wait = READY;
    bool started = false;
    bool unwinding = false;
    uint32_t waitFlag = 0; // index into tokens
    int32_t waitLine = 0;
    uint64_t waitGeneration = 0;
    bool waitVectorOnly = true;
    ucontext_t context;
    uint8_t* stack = nullptr;
    FiberMemory fiber, scheduler;
    void Block(Wait why);
};

struct Barrier {
    uint32_t arrived = 0;
    uint64_t generation = 0;
    std::vector<Clock> gathered; // of those who have arrived
    Snapshot passed;             // of the last barrier that ended
};

class Run {
public:
    Run(const FiagenSimLaunch& launch, const void* kernel, KernelCall call);
    ~Run();
    void Go(FiagenSimReport& report);
    void Record(const FiagenSimFault& fault);
    void Defer(const FiagenSimFault& fault); // told at the end, unless a missing order explains it
    void CrossSet(Core& core, uint8_t mode, uint8_t flag, const Snapshot& token, int32_t line);
    uint32_t Random(uint32_t below);
    Core& Of(uint32_t block, uint32_t sub) { return *cores[block * 3 + sub]; }
    uint32_t BlocksOf() const { return launch.block_dim; }

    const FiagenSimLaunch& launch;
    const FiagenSimChip& chip;
    const uint32_t arch; // 2201 or 3510
    const void* kernel;
    KernelCall call;
    std::vector<std::unique_ptr<Core>> cores;
    std::vector<FiagenSimFault> faults, deferred;
    Barrier barriers[2]; // AIV only, everybody
    uint64_t issued = 0;
    uint64_t heartbeat = 0; // anything that shows that the run goes on
    uint64_t rng;
    bool aborting = false;
    ucontext_t main;
    KernelMetaType kind;
    const bool checks;
    GlobalMemory global;

private:
    void Deadlock();
    void GiveToken(Core& core, uint8_t flag, Snapshot token, int32_t line);
    void FinishReport(FiagenSimReport& report);
};

// Turns signals of the kernel's own code into faults for as long as it lives.
class CrashGuard {
public:
    CrashGuard();
    ~CrashGuard();
    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;

private:
    struct State;
    State* state_;
};

Core& Current();
Core* CurrentOrNull();
void SetCurrent(Core* core);
uint32_t SizeOf(DType dtype);
const char* NameOf(DType dtype);
int EventFrom(int event); // pipe that sets
int EventTo(int event);   // pipe that waits

// A checked event id; `internal`: TPipe or a queue asks, and may use ids it has taken.
EventState& EventAt(Core& core, HardEvent event, int32_t id, bool internal);
void SetEvent(HardEvent event, int32_t id, bool internal, At at);
void WaitEvent(HardEvent event, int32_t id, bool internal, At at);

// Number arrays.
void ToFloats(const void* src, DType dtype, float* dst, size_t n);   // F32, F16, BF16
void FromFloats(const float* src, void* dst, DType dtype, size_t n); // nearest, ties to even
void AddInto(uint8_t* dst, const uint8_t* src, size_t bytes, DType dtype);

} // namespace sim
} // namespace AscendC
#endif
