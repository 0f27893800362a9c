// In:    the tiling and workspace arguments of a kernel.
// Out:   the macros an operator build supplies: a checked copy of a tiling struct, and the markers around it.
// Never: a default of a tiling field.
#ifndef FIAGEN_SIM_TILING_H
#define FIAGEN_SIM_TILING_H
#include "tensor.h"

namespace AscendC {
namespace sim {
// The bytes of a tiling struct; all of them have to lie in one kernel argument.
inline const void* TilingBytes(GM_ADDR tiling, uint32_t bytes, At at = At::Here())
{
    Global view{};
    RegisterExtent(view, tiling, bytes, true);
    return GlobalScalar(view, 0, bytes, false, at);
}
} // namespace sim

// The simulator's workspace has no system part.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
} // namespace AscendC

#define REGISTER_TILING_DEFAULT(type) static_assert(std::is_trivially_copyable<type>::value, "tiling is plain data")
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling)                                                                \
    type name;                                                                                                         \
    std::memcpy(static_cast<void*>(&name), ::AscendC::sim::TilingBytes(tiling, sizeof(type)), sizeof(type))
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, tiling)                                                            \
    const type* name = static_cast<const type*>(::AscendC::sim::TilingBytes(tiling, sizeof(type)))
#endif
