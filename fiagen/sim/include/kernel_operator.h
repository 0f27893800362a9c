// In:    nothing.
// Out:   the c220 AscendC programming model for the CPU.
// Never: a call that is not simulated; such a call does not compile.
#ifndef FIAGEN_KERNEL_OPERATOR_H
#define FIAGEN_KERNEL_OPERATOR_H
#include "fiagen_sim/types.h"
#include "fiagen_sim/params.h"
#include "fiagen_sim/runtime.h"
#include "fiagen_sim/tensor.h"
#include "fiagen_sim/tpipe.h"
#include "fiagen_sim/sync.h"
#include "fiagen_sim/copy.h"
#include "fiagen_sim/cube.h"
#include "fiagen_sim/vector.h"
#include "fiagen_sim/reduce.h"
#include "fiagen_sim/tiling.h"

namespace AscendC {
inline TPipe* GetTPipePtr()
{
    // The state is in the running core, so every TPipe answers the same; this one is never opened nor closed.
    alignas(TPipe) static unsigned char handle[sizeof(TPipe)];
    return reinterpret_cast<TPipe*>(handle);
}
} // namespace AscendC
#endif
