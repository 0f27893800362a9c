// One library for all twins. select[0]: 0 vector, 1 cube, 2 across cores, 3 global memory, 4 memory, 5 and 6 limits of
// vector and cube core; select[1]: which; select[2]: 1 for the faulty one.
#include "kernel_operator.h"
#include "twins_cube.h"
#include "twins_vector.h"
#include "twins_global.h"
#include "twins_memory.h"
#include "twins_limits.h"

extern "C" __global__ __aicore__ void twins_kernel(GM_ADDR in, GM_ADDR out, GM_ADDR work, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::GlobalTensor<int32_t> choice;
    choice.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select), 4);
    twins::Args g;
    g.in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(in));
    g.out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out));
    g.work.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(work));
    g.inCount = static_cast<uint64_t>(choice.GetValue(3));
    int32_t group = choice.GetValue(0), id = choice.GetValue(1);
    bool bad = choice.GetValue(2) != 0;
    if (group == 2) {
        twins::RunCross(id, bad, g);
        return;
    }
    bool known = true;
    if (group == 3) {
        known = twins::RunGlobal(id, bad, g);
    } else if (AscendC::GetBlockIdx() != 0) {
        return;
    } else if ASCEND_IS_AIC {
        known = group == 1 ? twins::RunCube(id, bad, g) : group != 6 || twins::RunCubeLimits(id, bad, g);
    } else if (group == 4) {
        known = twins::RunMemory(id, bad, g);
    } else {
        known = group == 0 ? twins::RunVector(id, bad, g) : group != 5 || twins::RunVectorLimits(id, bad, g);
    }
    if (!known) {
        AscendC::CrossCoreWaitFlag(0); // an unknown number must not pass: nobody sets this flag
    }
}
