// In:    the name of a kernel function.
// Out:   the C entry point fiagen_sim_launch of a kernel library.
// Never: a second kernel in one library.
#ifndef FIAGEN_SIM_ENTRY_H
#define FIAGEN_SIM_ENTRY_H
#include "../fiagen_sim_abi.h"
#include "types.h"
#include <cstddef>
#include <utility>

namespace AscendC {
namespace sim {
using KernelCall = void (*)(const void* kernel, void* const* args);
int Launch(const FiagenSimLaunch* launch, FiagenSimReport* report, const void* kernel, KernelCall call,
    uint32_t parameters, uint32_t arch);

template <typename... Args> struct KernelOf {
    using Function = void (*)(Args...);
    static constexpr uint32_t parameters = sizeof...(Args);
    template <std::size_t... index>
    static void Apply(Function function, void* const* args, std::index_sequence<index...>)
    {
        function(static_cast<Args>(args[index])...);
    }
    static void Call(const void* kernel, void* const* args)
    {
        Apply(*static_cast<const Function*>(kernel), args, std::index_sequence_for<Args...>{});
    }
};
template <typename... Args>
int LaunchKernel(const FiagenSimLaunch* launch, FiagenSimReport* report, void (*function)(Args...))
{
    static_assert((std::is_pointer<Args>::value && ...), "fiagen sim: every kernel argument is a GM_ADDR");
    using Kernel = KernelOf<Args...>;
    return Launch(launch, report, &function, &Kernel::Call, Kernel::parameters, __NPU_ARCH__);
}
} // namespace sim
} // namespace AscendC

#define FIAGEN_SIM_ENTRY(kernel)                                                                                       \
    extern "C" __attribute__((visibility("default"))) int fiagen_sim_launch(                                          \
        const FiagenSimLaunch* launch, FiagenSimReport* report)                                                        \
    {                                                                                                                  \
        return ::AscendC::sim::LaunchKernel(launch, report, &kernel);                                                  \
    }
#endif
