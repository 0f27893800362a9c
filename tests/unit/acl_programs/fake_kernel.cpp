// A pretended kernel library; FAULT, OVERRUN_OUT, OVERRUN_WORKSPACE, SILENT choose how it misbehaves.
#include <cstring>

#include "fiagen_sim_abi.h"

struct Tiling {
    uint64_t elements;
    double scale;
    int64_t total;
    int64_t count;
    uint32_t flag;
};

extern "C" int fiagen_sim_launch(const FiagenSimLaunch* launch, FiagenSimReport* report)
{
    if (launch->abi_version != FIAGEN_SIM_ABI_VERSION || launch->num_args != 5 || launch->block_dim != 7) {
        return 1;
    }
    const float* x = static_cast<const float*>(launch->args[0]);
    const float* other = static_cast<const float*>(launch->args[1]);
    float* out = static_cast<float*>(launch->args[2]);
    unsigned char* workspace = static_cast<unsigned char*>(launch->args[3]);
    const Tiling* tiling = static_cast<const Tiling*>(launch->args[4]);
    if (launch->arg_bytes[4] != sizeof *tiling || launch->arg_bytes[3] != 96 || workspace[0] != 0xFF) {
        return 1;
    }
    for (uint64_t i = 0; i < tiling->elements; ++i) {
        out[i] = static_cast<float>(tiling->scale * x[i] + static_cast<double>(tiling->total)) + (other ? other[i] : 0.0F);
    }
    std::memset(workspace, 1, 96);
    report->cycles = static_cast<double>(launch->schedule_seed);
    report->microseconds = static_cast<double>(launch->instruction_budget);
    report->instructions = launch->schedule_policy;
    report->pipe_busy_cycles[0][FIAGEN_PIPE_MTE2] = launch->chip->clock_mhz;
    report->pipe_busy_cycles[1][FIAGEN_PIPE_V] = static_cast<double>(tiling->count * 10 + tiling->flag);
#ifdef OVERRUN_OUT
    reinterpret_cast<unsigned char*>(out)[launch->arg_bytes[2]] = 7;
#endif
#ifdef OVERRUN_WORKSPACE
    workspace[-1] = 7;
    workspace[96] = 7;
#endif
#ifdef SILENT
    return 1;
#endif
#ifdef FAULT
    report->status = 1;
    report->num_faults = 1;
    FiagenSimFault* fault = &report->faults[0];
    std::strcpy(fault->id, "sim.read_before_wait");
    std::strcpy(fault->pipe, "MTE2");
    std::strcpy(fault->instruction, "DataCopy");
    std::strcpy(fault->message, "the copy had not landed");
    fault->block = 3;
    fault->sub_core = 2;
    fault->line = 120;
    fault->other_line = 88;
    return 1;
#else
    return report->status;
#endif
}
