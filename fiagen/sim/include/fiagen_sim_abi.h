// In:    what a launcher (C, C++ or ctypes) wants to run and the chip it should run on.
// Out:   the faults, cycles and counters of one run.
// Never: a C++ type, a pointer that outlives the call, or a default for a hardware number.
#ifndef FIAGEN_SIM_ABI_H
#define FIAGEN_SIM_ABI_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FIAGEN_SIM_ABI_VERSION 5u
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

// Why a pipe stood idle: for a flag of pipe 0 to 6, or one of these.
enum FiagenSimStall {
    FIAGEN_STALL_ISSUE = FIAGEN_PIPE_COUNT, // the scalar unit had not issued anything yet
    FIAGEN_STALL_CROSS_CORE,                // the scalar unit waited for a cross-core flag
    FIAGEN_STALL_SYNC_ALL,
    FIAGEN_STALL_BARRIER,                   // PipeBarrier: earlier results of the pipe, or of all pipes
    FIAGEN_STALL_QUEUE_FULL,                // the scalar unit could not issue: the queue of another pipe was full
    FIAGEN_STALL_IDLE,                      // nothing left to do
    FIAGEN_STALL_COUNT
};

// As the names say: bytes, counts, cycles, nanoseconds, bytes or elements per cycle; per core unless said otherwise.
typedef struct FiagenSimChip {
    uint64_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes, bt_bytes, fb_bytes;
    uint64_t l2_bytes;
    uint32_t npu_arch;            // 2201 or 3510; a kernel compiled for the other one is refused
    uint32_t aic_count, aiv_count;
    uint32_t queue_depth, gm_line_bytes, gm_sector_bytes, ub_bank_groups, ub_bank_bytes;
    double clock_mhz;
    double hbm_bytes, l2_bytes_per_cycle, l2_write_bytes_per_cycle; // of the whole chip
    double hbm_to_l1_bytes, hbm_to_ub_bytes, l2_to_l1_bytes, l2_to_ub_bytes, ub_to_gm_bytes, l0c_to_gm_bytes;
    double l1_to_l0a_bytes, l1_to_l0b_bytes, l1_to_bt_bytes, fixpipe_elements;
    double l0c_to_ub_bytes, ub_to_l1_bytes, l1_to_ub_bytes; // 0 where there is no such path
    double hbm_latency_cycles, l2_latency_cycles, gm_write_latency_cycles;
    double mte1_issue_cycles, mte1_latency_cycles, mte1_3d_latency_cycles;
    double mte2_hit_cycles, mte2_miss_cycles, mte3_issue_cycles, fix_issue_cycles;
    double vector_issue_cycles, vector_latency_cycles, vector_repeat_cycles;
    double vector_exp_elements, vector_div_elements, vector_max_cycles, vector_sum_cycles;
    double vector_dual_issue;     // register instructions a cycle, of those that may go in pairs; 0 without registers
    double cube_issue_cycles, cube_latency_cycles, cube_fractal_cycles, cube_f32_fractal_cycles;
    double scalar_issue_cycles, scalar_gm_cycles, flag_cycles, cross_flag_cycles, sync_all_cycles;
    double launch_vector_ns, launch_vector_block_ns, launch_cube_ns, launch_cube_block_ns, launch_mix_ns;
} FiagenSimChip;

// One instruction in time, in cycles since the first block began.
typedef struct FiagenSimSpan {
    int32_t block;
    int32_t sub_core;
    int32_t pipe;
    int32_t line;
    double start;
    double end;
    char name[24];
} FiagenSimSpan;

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
    uint32_t time_only;          // 1: instructions take their time and have no effect; a clean run is assumed
    FiagenSimSpan* spans;        // null: no trace
    uint64_t span_capacity;
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
    double cycles;               // from the first block's begin to the last one's end; 0 when there are faults
    double microseconds;         // launch and cycles
    uint64_t instructions;
    double pipe_busy_cycles[2][FIAGEN_PIPE_COUNT]; // [0] busiest AIC, [1] busiest AIV, per pipe
    double pipe_mean_cycles[2][FIAGEN_PIPE_COUNT]; // busy, mean over the cores
    double stall_cycles[2][FIAGEN_PIPE_COUNT][FIAGEN_STALL_COUNT]; // idle, mean over the cores
    uint32_t cores[2];           // that ran: AIC, AIV
    double launch_microseconds;
    double hbm_read_bytes, hbm_write_bytes, l2_read_bytes, l2_write_bytes;
    double cube_macs, vector_elements;
    uint64_t num_spans;          // wanted; at most span_capacity were written
} FiagenSimReport;

#ifdef __cplusplus
}
#endif
#endif
