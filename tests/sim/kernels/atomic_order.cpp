// Every vector core adds one number to the same place. The cores agree on nothing but that the place is zero before.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void atomic_order(GM_ADDR numbers, GM_ADDR sum)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    using namespace AscendC;
    if ASCEND_IS_AIC {
        return;
    }
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(numbers));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sum));
    LocalTensor<float> x(TPosition::VECIN, 0, 8);
    DataCopy(x, from[GetBlockIdx() * 8], 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopy(to, x, 8);
    SetAtomicNone();
}
