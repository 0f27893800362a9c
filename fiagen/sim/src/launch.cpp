// In:    a launch: kernel, arguments, chip, schedule.
// Out:   every core of every block run to its end or to the first fault, and the report.
// Never: a crash, an exit or a leak because a kernel is wrong.
#include "machine.h"
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <sys/mman.h>

namespace AscendC {
namespace sim {

static KernelMetaType g_taskType = KERNEL_TYPE_MIX_AIC_1_2; // declared by the kernel while its library is loaded
bool SetTaskType(KernelMetaType type)
{
    g_taskType = type;
    return true;
}

constexpr size_t STACK_BYTES = 1 << 20;
constexpr size_t GUARD_BYTES = 4096;

static bool Selected(KernelMetaType kind, uint32_t sub)
{
    switch (kind) {
        case KERNEL_TYPE_AIV_ONLY:
        case KERNEL_TYPE_MIX_AIV_1_0: return sub == 1;
        case KERNEL_TYPE_AIC_ONLY:
        case KERNEL_TYPE_MIX_AIC_1_0: return sub == 0;
        case KERNEL_TYPE_MIX_AIC_1_1: return sub <= 1;
        default: return true;
    }
}

Run::Run(const FiagenSimLaunch& launchIn, const void* kernelIn, KernelCall callIn)
    : launch(launchIn), chip(*launchIn.chip), arch(launchIn.chip->npu_arch), kernel(kernelIn), call(callIn),
      rng(launchIn.schedule_seed * 0x9E3779B97F4A7C15ull + 0x2545F4914F6CDD1Dull), kind(g_taskType), checks(launchIn.checks_off == 0 && launchIn.time_only == 0), global(launchIn, checks)
{
    for (uint32_t block = 0; block < launch.block_dim; ++block) {
        for (uint32_t sub = 0; sub < 3; ++sub) {
            cores.emplace_back(Selected(kind, sub) ? new Core(*this, block, sub) : nullptr);
        }
    }
}

Run::~Run()
{
    for (auto& core : cores) {
        if (core && core->stack != nullptr) {
            munmap(core->stack, STACK_BYTES + GUARD_BYTES);
        }
    }
}

uint32_t Run::Random(uint32_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return static_cast<uint32_t>((rng >> 33) % below);
}

void Run::Record(const FiagenSimFault& fault)
{
    if (faults.size() < FIAGEN_SIM_MAX_FAULTS) {
        faults.push_back(fault);
    }
    aborting = true;
}

void Run::Defer(const FiagenSimFault& fault)
{
    if (deferred.empty()) { // the rest is what comes of it
        deferred.push_back(fault);
    }
}

static void FiberMain()
{
    Core& core = Current();
    EnterStack(core.fiber);
    try {
        core.run.call(core.run.kernel, core.run.launch.args);
        core.Finish();
    } catch (const Unwind&) {
    } catch (const Fault& fault) {
        core.run.Record(fault.data);
    } catch (...) {
        FiagenSimFault data{};
        std::snprintf(data.id, sizeof(data.id), "sim.kernel_exception");
        std::snprintf(data.message, sizeof(data.message), "the kernel threw a C++ exception");
        data.block = static_cast<int32_t>(core.block);
        data.sub_core = static_cast<int32_t>(core.sub);
        std::snprintf(data.pipe, sizeof(data.pipe), "S");
        std::snprintf(data.instruction, sizeof(data.instruction), "%s", core.curName);
        data.line = core.curLine;
        core.run.Record(data);
    }
    core.wait = Core::DONE;
    LeaveStack(nullptr, core.fiber.bottom, core.fiber.bytes);
    swapcontext(&core.context, &core.run.main);
}

static void Resume(Core& core)
{
    SetCurrent(&core);
    core.wait = Core::READY;
    if (!core.started) {
        core.started = true;
        void* stack = mmap(nullptr, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED) {
            FiagenSimFault data{};
            std::snprintf(data.id, sizeof(data.id), "sim.out_of_memory");
            std::snprintf(data.message, sizeof(data.message), "no memory for the stack of one more core");
            core.wait = Core::DONE;
            core.run.Record(data);
            SetCurrent(nullptr);
            return;
        }
        core.stack = static_cast<uint8_t*>(stack);
        mprotect(stack, GUARD_BYTES, PROT_NONE);
        getcontext(&core.context);
        core.context.uc_stack.ss_sp = core.stack + GUARD_BYTES;
        core.context.uc_stack.ss_size = STACK_BYTES;
        core.context.uc_link = nullptr;
        makecontext(&core.context, FiberMain, 0);
    }
    LeaveStack(&core.scheduler, core.stack + GUARD_BYTES, STACK_BYTES);
    swapcontext(&core.run.main, &core.context);
    EnterStack(core.scheduler);
    SetCurrent(nullptr);
}

static bool CanGo(const Run& run, const Core& core)
{
    switch (core.wait) {
        case Core::READY: return true;
        case Core::CROSS: return !core.tokens[core.waitFlag].ready.empty();
        case Core::SYNC: return run.barriers[core.waitVectorOnly ? 0 : 1].generation != core.waitGeneration;
        default: return false;
    }
}

void Run::Deadlock()
{
    std::string who;
    const Core* first = nullptr;
    int others = 0;
    for (const auto& core : cores) {
        if (!core || core->wait == Core::DONE) {
            continue;
        }
        first = first == nullptr ? core.get() : first;
        if (who.size() > 380) {
            ++others;
            continue;
        }
        char text[96];
        if (core->wait == Core::CROSS) {
            std::snprintf(text, sizeof(text), "; block %u %s waits at line %d for cross-core flag %u%s", core->block,
                core->sub == 0 ? "AIC" : core->sub == 1 ? "AIV0" : "AIV1", core->waitLine,
                core->waitFlag < CROSS_FLAG_MODE4 ? core->waitFlag : core->waitFlag - CROSS_FLAG_MODE4,
                core->waitFlag < CROSS_FLAG_MODE4 ? "" : " of mode 4");
        } else {
            std::snprintf(text, sizeof(text), "; block %u %s waits at line %d in SyncAll", core->block,
                core->sub == 0 ? "AIC" : core->sub == 1 ? "AIV0" : "AIV1", core->waitLine);
        }
        who += text;
    }
    FiagenSimFault data{};
    std::snprintf(data.id, sizeof(data.id), "sim.deadlock");
    data.block = static_cast<int32_t>(first->block);
    data.sub_core = static_cast<int32_t>(first->sub);
    std::snprintf(data.pipe, sizeof(data.pipe), "S");
    std::snprintf(data.instruction, sizeof(data.instruction), "%s",
        first->wait == Core::CROSS ? "CrossCoreWaitFlag" : "SyncAll");
    data.line = first->waitLine;
    std::snprintf(data.message, sizeof(data.message), "no core can go on%s%s", who.c_str(),
        others > 0 ? "; and more cores" : "");
    Record(data);
}

void Run::Go(FiagenSimReport& report)
{
    std::vector<Core*> order;
    for (auto& core : cores) {
        if (core) {
            order.push_back(core.get());
        }
    }
    bool alive = true;
    while (alive && !aborting) {
        alive = false;
        for (size_t i = order.size(); launch.schedule_policy == FIAGEN_SIM_RANDOM && i > 1; --i) {
            std::swap(order[i - 1], order[Random(static_cast<uint32_t>(i))]);
        }
        bool moved = false;
        for (Core* core : order) {
            if (core->wait != Core::DONE && !aborting) {
                alive = true;
                if (CanGo(*this, *core)) {
                    moved = true;
                    Resume(*core);
                }
            }
        }
        if (alive && !moved) {
            Deadlock();
        }
    }
    for (Core* core : order) { // let every started fiber run its destructors
        if (core->started && core->wait != Core::DONE) {
            core->unwinding = true;
            Resume(*core);
        }
    }
    if (faults.empty()) {
        for (const Core* core : order) {
            for (uint32_t id = 0; id < CROSS_FLAGS; ++id) {
                const Tokens& tokens = core->tokens[id];
                bool mine = !tokens.half[0].empty() || !tokens.half[1].empty() || !tokens.own.empty();
                if (!tokens.ready.empty() || mine) {
                    FiagenSimFault data{};
                    std::snprintf(data.id, sizeof(data.id), "sim.cross_flag_left_set");
                    data.block = static_cast<int32_t>(core->block);
                    data.sub_core = static_cast<int32_t>(core->sub);
                    std::snprintf(data.pipe, sizeof(data.pipe), "S");
                    std::snprintf(data.instruction, sizeof(data.instruction), "CrossCoreSetFlag");
                    data.line = tokens.line;
                    std::snprintf(data.message, sizeof(data.message),
                        "cross-core flag %u%s of this core still holds %zu unconsumed sets at the end of the kernel%s",
                        id < CROSS_FLAG_MODE4 ? id : id - CROSS_FLAG_MODE4, id < CROSS_FLAG_MODE4 ? "" : " of mode 4",
                        tokens.ready.size(), mine ? ", and sets that wait for the rest of their group" : "");
                    Record(data);
                }
            }
        }
    }
    if (faults.empty()) {
        Replay(*this, report);
    }
    report.instructions = issued;
    FinishReport(report);
}

// What a missing order explains is no news; anything else that went wrong after a read of nobody's bytes is their doing.
void Run::FinishReport(FiagenSimReport& report)
{
    const bool explained = !faults.empty() && std::strstr(faults[0].id, "race") != nullptr;
    if (!explained) {
        faults.insert(faults.begin(), deferred.begin(), deferred.end());
        faults.resize(std::min<size_t>(faults.size(), FIAGEN_SIM_MAX_FAULTS));
    }
    report.num_faults = static_cast<uint32_t>(faults.size());
    std::copy(faults.begin(), faults.end(), report.faults);
    report.status = faults.empty() ? 0 : 1;
}

int Launch(const FiagenSimLaunch* launch, FiagenSimReport* report, const void* kernel, KernelCall call,
    uint32_t parameters, uint32_t arch)
{
    static std::mutex lock; // one run at a time in one library: Current() is a plain pointer
    std::lock_guard<std::mutex> guard(lock);
    std::memset(report, 0, sizeof(*report));
    const char* wrong = nullptr;
    if (launch->abi_version != FIAGEN_SIM_ABI_VERSION) {
        wrong = "the launcher speaks another version of the simulator interface";
    } else if (launch->num_args != parameters) {
        wrong = "the number of arguments is not the number of kernel parameters";
    } else if (launch->block_dim == 0 || launch->schedule_policy > FIAGEN_SIM_RANDOM || launch->chip == nullptr) {
        wrong = "block_dim is 0, the schedule policy is unknown or there is no chip";
    } else if (launch->chip->npu_arch != arch) {
        wrong = "the kernel is compiled for another core architecture than the chip has";
    }
    if (wrong != nullptr) {
        report->status = 1;
        report->num_faults = 1;
        std::snprintf(report->faults[0].id, sizeof(report->faults[0].id), "sim.bad_launch");
        std::snprintf(report->faults[0].message, sizeof(report->faults[0].message), "%s", wrong);
        return 1;
    }
    Run run(*launch, kernel, call);
    const CrashGuard guardSignals;
    run.Go(*report);
    return report->status;
}

} // namespace sim
} // namespace AscendC
