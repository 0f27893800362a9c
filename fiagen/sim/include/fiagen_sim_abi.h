// In:    what a launcher (C, C++ or ctypes) wants to run and the chip it should run on.
// Out:   the faults, cycles and counters of one run.
// Never: a C++ type, a pointer that outlives the call, or a default for a hardware number.
#ifndef FIAGEN_SIM_ABI_H
#define FIAGEN_SIM_ABI_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FIAGEN_SIM_ABI_VERSION 2u
#define FIAGEN_SIM_MAX_FAULTS 16u

enum FiagenSimPolicy { FIAGEN_SIM_LATE = 0, FIAGEN_SIM_EARLY = 1, FIAGEN_SIM_RANDOM = 2 };
// What a kernel may do with an argument, and what it holds when the kernel starts.
enum FiagenSimRole {
    FIAGEN_SIM_INOUT = 0,     // holds data and may be written
    FIAGEN_SIM_INPUT = 1,     // holds data and must not be written
    FIAGEN_SIM_OUTPUT = 2,    // holds nothing yet
    FIAGEN_SIM_WORKSPACE = 3  // holds nothing yet and nobody reads it afterwards
};
enum FiagenSimPipe {
    FIAGEN_PIPE_S = 0, FIAGEN_PIPE_V, FIAGEN_PIPE_M, FIAGEN_PIPE_MTE1,
    FIAGEN_PIPE_MTE2, FIAGEN_PIPE_MTE3, FIAGEN_PIPE_FIX, FIAGEN_PIPE_COUNT
};

// Bytes per cycle of one core, cycles of start-up, or elements per cycle, as the names say.
typedef struct FiagenSimChip {
    uint64_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes, bt_bytes, fb_bytes;
    uint32_t aic_count, aiv_count;
    double clock_mhz;
    double gm_to_l1_bytes, gm_to_ub_bytes, ub_to_gm_bytes, l1_to_l0a_bytes, l1_to_l0b_bytes, l1_to_bt_bytes;
    double l0c_to_gm_bytes, l0c_to_l1_bytes;
    double mte1_startup_cycles, mte2_startup_cycles, mte3_startup_cycles, fix_startup_cycles;
    double vector_startup_cycles, vector_repeat_cycles, vector_slow_repeat_cycles, vector_reduce_repeat_cycles;
    double cube_startup_cycles, cube_fractal_cycles;
    double scalar_issue_cycles, flag_cycles, cross_flag_cycles, sync_all_cycles;
} FiagenSimChip;

typedef struct FiagenSimLaunch {
    uint32_t abi_version;
    uint32_t block_dim;
    uint32_t num_args;
    void* const* args;
    const uint64_t* arg_bytes;   // readable and writable extent of each argument
    uint64_t schedule_seed;
    uint32_t schedule_policy;    // FiagenSimPolicy
    uint64_t instruction_budget; // 0: no limit
    const FiagenSimChip* chip;
    const uint8_t* arg_roles;    // FiagenSimRole of each argument; null: every one is INOUT
    uint32_t checks_off;         // 1: no order, memory or overlap checks; faults that need none of them stay
} FiagenSimLaunch;

typedef struct FiagenSimFault {
    char id[48];
    int32_t block;
    int32_t sub_core;            // 0: AIC, 1 and 2: AIV
    char pipe[8];
    char instruction[48];
    int32_t line;
    int32_t other_line;          // 0: no second place
    char message[512];
} FiagenSimFault;

typedef struct FiagenSimReport {
    int32_t status;              // 0 clean, 1 faults
    uint32_t num_faults;
    FiagenSimFault faults[FIAGEN_SIM_MAX_FAULTS];
    double cycles;
    double microseconds;
    uint64_t instructions;
    double pipe_busy_cycles[2][FIAGEN_PIPE_COUNT]; // [0] busiest AIC, [1] busiest AIV, per pipe
} FiagenSimReport;

#ifdef __cplusplus
}
#endif
#endif
