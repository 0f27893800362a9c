// In:    nothing.
// Out:   the AscendC programming model of c220 for the CPU, or with -D__NPU_ARCH__=3510 the one of Ascend 950.
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
#if __NPU_ARCH__ == 3510
#include "fiagen_sim/arch3510/cube.h"
#else
#include "fiagen_sim/cube.h"
#endif
#include "fiagen_sim/vector.h"
#include "fiagen_sim/reduce.h"
#include "fiagen_sim/rearrange.h"
#include "fiagen_sim/tiling.h"
#if __NPU_ARCH__ == 3510
#include "fiagen_sim/arch3510/copy.h"
#include "fiagen_sim/arch3510/reg_mask.h"
#include "fiagen_sim/arch3510/reg_move.h"
#include "fiagen_sim/arch3510/reg_shape.h"
#include "fiagen_sim/arch3510/sync.h"
#endif

namespace AscendC {
inline TPipe* GetTPipePtr()
{
    // The state is in the running core, so every TPipe answers the same; this one is never opened nor closed.
    alignas(TPipe) static unsigned char handle[sizeof(TPipe)];
    return reinterpret_cast<TPipe*>(handle);
}
} // namespace AscendC
#endif
