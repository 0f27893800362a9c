// The arguments every twin gets.
#pragma once
#include "kernel_operator.h"

namespace twins {
struct Args {
    AscendC::GlobalTensor<float> in, out, work;
    uint64_t inCount;
};
} // namespace twins
