// In:    signals that a kernel's own code raises: a bad address, a division by zero, a loop without an instruction.
// Out:   a fault, and the scheduler goes on as if the core had ended.
// Never: a handler that stays behind after a run, or a signal of somebody else taken for a kernel's.
#include "machine.h"
#include <csignal>
#include <cstdio>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace AscendC {
namespace sim {

namespace {
constexpr int CAUGHT[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int TICK = SIGVTALRM;
constexpr time_t TICK_SECONDS = 1;       // of processor time of the thread that runs the kernel
constexpr int QUIET_TICKS = 2;           // without any instruction: the kernel hangs in its own code
constexpr size_t SIGNAL_STACK_BYTES = 64 * 1024;

uint64_t g_seen = 0;
int g_quiet = 0;

[[noreturn]] void End(Core& core, const char* id, const char* what)
{
    FiagenSimFault data{};
    std::snprintf(data.id, sizeof(data.id), "%s", id);
    data.block = static_cast<int32_t>(core.block);
    data.sub_core = static_cast<int32_t>(core.sub);
    std::snprintf(data.pipe, sizeof(data.pipe), "S");
    std::snprintf(data.instruction, sizeof(data.instruction), "%s", core.curName);
    data.line = core.curLine;
    std::snprintf(data.message, sizeof(data.message), "%s, in code of the kernel after the call at line %d", what, core.curLine);
    core.wait = Core::DONE;
    core.run.Record(data);
    LeaveStack(nullptr, core.fiber.bottom, core.fiber.bytes);
    setcontext(&core.run.main);
    std::abort(); // not reached
}

void OnCrash(int signal, siginfo_t* info, void*)
{
    Core* core = CurrentOrNull();
    if (core == nullptr) { // not ours: the next occurrence finds the default action
        std::signal(signal, SIG_DFL);
        return;
    }
    const auto* at = static_cast<const uint8_t*>(info->si_addr);
    const bool overflow = signal == SIGSEGV && at >= core->stack - 4096 && at < core->stack + 2 * 4096;
    End(*core, "sim.crash",
        overflow                ? "the kernel's stack is used up"
            : signal == SIGFPE  ? "a division by zero or an overflow"
            : signal == SIGSEGV ? "an address that is not the kernel's"
                                : "a broken address or instruction");
}

void OnTick(int, siginfo_t*, void*)
{
    Core* core = CurrentOrNull();
    if (core == nullptr) {
        return;
    }
    g_quiet = core->run.heartbeat == g_seen ? g_quiet + 1 : 0;
    g_seen = core->run.heartbeat;
    if (g_quiet >= QUIET_TICKS) {
        End(*core, "sim.budget", "a loop that issues no instruction does not end");
    }
}
} // namespace

struct CrashGuard::State {
    struct sigaction before[sizeof(CAUGHT) / sizeof(CAUGHT[0])], tickBefore;
    stack_t stackBefore;
    std::unique_ptr<uint8_t[]> stack{new uint8_t[SIGNAL_STACK_BYTES]};
    timer_t timer;
    bool ticking = false;
};

CrashGuard::CrashGuard() : state_(new State)
{
    g_seen = 0;
    g_quiet = 0;
    stack_t stack{};
    stack.ss_sp = state_->stack.get();
    stack.ss_size = SIGNAL_STACK_BYTES;
    sigaltstack(&stack, &state_->stackBefore);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    action.sa_sigaction = OnCrash;
    for (size_t i = 0; i < sizeof(CAUGHT) / sizeof(CAUGHT[0]); ++i) {
        sigaction(CAUGHT[i], &action, &state_->before[i]);
    }
    action.sa_flags |= SA_RESTART;
    action.sa_sigaction = OnTick;
    sigaction(TICK, &action, &state_->tickBefore);
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = TICK;
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &state_->timer) == 0) {
        struct itimerspec every {};
        every.it_interval.tv_sec = every.it_value.tv_sec = TICK_SECONDS;
        state_->ticking = timer_settime(state_->timer, 0, &every, nullptr) == 0;
    }
}

CrashGuard::~CrashGuard()
{
    if (state_->ticking) {
        timer_delete(state_->timer);
    }
    sigaction(TICK, &state_->tickBefore, nullptr);
    for (size_t i = 0; i < sizeof(CAUGHT) / sizeof(CAUGHT[0]); ++i) {
        sigaction(CAUGHT[i], &state_->before[i], nullptr);
    }
    sigaltstack(&state_->stackBefore, nullptr);
    delete state_;
}

} // namespace sim
} // namespace AscendC
