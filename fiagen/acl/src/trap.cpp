// The host touching device memory: told in words before the process dies of it.
//
// In: the range of device addresses. Out: a line on stderr. Must never change what happens to any other fault.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "runtime_state.h"

namespace fiagen::trap {
namespace {

std::atomic<uintptr_t> first{0};
std::atomic<uintptr_t> last{0};
struct sigaction before;

void Tell(int number, siginfo_t* info, void* context)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (address >= first.load() && address < last.load()) {
        static const char text[] =
            "fiagen: the host touched device memory; its bytes come and go only by aclrtMemcpy, aclrtMemset and kernels\n";
        const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        static_cast<void>(written);
    }
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        signal(number, SIG_DFL);  // the instruction runs again and ends the process as it would have
    }
}

}  // namespace

void Arm(uintptr_t begin, uintptr_t end)
{
    first = begin;
    last = end;
    struct sigaction mine;
    std::memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = Tell;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&mine.sa_mask);
    sigaction(SIGSEGV, &mine, &before);
}

}  // namespace fiagen::trap
