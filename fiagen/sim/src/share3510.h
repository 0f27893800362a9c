// In:    tensors in a memory of another core of the block.
// Out:   the core that has it, and the checks of bounds and order there.
// Never: a memory of another block.
#ifndef FIAGEN_SIM_SHARE3510_H
#define FIAGEN_SIM_SHARE3510_H
#include "../include/fiagen_sim/arch3510/runtime.h"
#include "machine.h"

namespace AscendC {
namespace sim {

Core& HomeOf(Core& core, Mem mem, uint32_t aiv, const char* what); // the AIC's L1, or the UB of AIV `aiv`
void CheckShared(Core& core, const Local& tensor, Mem wanted, const char* what);
void TouchShared(Core& core, Core& home, const Local& tensor, uint64_t lo, uint64_t hi, bool write, const char* what);

} // namespace sim
} // namespace AscendC
#endif
