// The twins of 3510, and those of c220 that mean the same here. select[0]: as in twins.cpp, or 10 for vector functions and
// 11 for what the cores share; select[1]: which; select[2]: 1 for the faulty one.
#include "kernel_operator.h"
#include "arch3510_twins_share.h"

namespace AscendC {
// The twins of c220 write their products with its parameters.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& old, sim::At at = sim::At::Here())
{
    FixpipeParamsArch3510<config.format> params(old.nSize, old.mSize, old.srcStride, old.dstStride);
    params.quantPre = old.quantPre;
    params.unitFlag = old.unitFlag;
    params.reluEn = old.reluEn;
    Fixpipe<T, U, config>(dst, src, params, at);
}
} // namespace AscendC

#include "twins_cube.h"
#include "twins_vector.h" // the rest stands on it
#include "twins_global.h"
#include "twins_memory.h"
#include "twins_limits.h"

extern "C" __global__ __aicore__ void twins_3510(GM_ADDR in, GM_ADDR out, GM_ADDR work, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::GlobalTensor<int32_t> choice;
    choice.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select), 4);
    twins::Args g;
    g.in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(in));
    g.out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out));
    g.work.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(work));
    g.inCount = static_cast<uint64_t>(choice.GetValue(3));
    const int32_t group = choice.GetValue(0), id = choice.GetValue(1);
    const bool bad = choice.GetValue(2) != 0, first = AscendC::GetBlockIdx() == 0;
    bool known = true, aic = ASCEND_IS_AIC;
    switch (group) {
        case 10: known = aic || AscendC::GetBlockIdx() > 1 || twins3510::RunVf(id, bad, g); break;
        case 11: known = twins3510::RunShare(id, bad, g); break;
        case 0: known = aic || !first || twins::RunVector(id, bad, g); break;
        case 1: known = !aic || !first || twins::RunCube(id, bad, g); break;
        case 2: twins::RunCross(id, bad, g); return;
        case 3: known = twins::RunGlobal(id, bad, g); break;
        case 4: known = aic || !first || twins::RunMemory(id, bad, g); break;
        case 5: known = aic || !first || twins::RunVectorLimits(id, bad, g); break;
        case 6: known = !aic || !first || twins::RunCubeLimits(id, bad, g); break;
        default: known = false; break;
    }
    if (!known) {
        AscendC::CrossCoreWaitFlag(0); // an unknown number must not pass: nobody sets this flag
    }
}
