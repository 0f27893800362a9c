// A pretended kernel that ends when a second one runs at the same time: both count on the first word of their first argument.
#include <chrono>
#include <thread>

#include "fiagen_sim_abi.h"

extern "C" int fiagen_sim_launch(const FiagenSimLaunch* launch, FiagenSimReport* report)
{
    uint32_t* const counter = static_cast<uint32_t*>(launch->args[0]);
    __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
    for (int tries = 0; tries < 20000 && __atomic_load_n(counter, __ATOMIC_SEQ_CST) < 2; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    report->microseconds = 5;
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST) < 2 ? 1 : 0;
}
