// In:    specs/api; tests/sim/test_limits.py holds the two equal, name by name.
// Out:   the numeric limits and alignments the argument checks use.
// Never: a limit without a line in specs/api.
#ifndef FIAGEN_SIM_LIMITS_H
#define FIAGEN_SIM_LIMITS_H
#include <cstdint>

namespace AscendC {
namespace sim {
namespace limits {
// clang-format off
constexpr uint64_t UB_ALIGN_BYTES = 32;
constexpr uint64_t L1_ALIGN_BYTES = 32;
constexpr uint64_t L0AB_ALIGN_BYTES = 512;
constexpr uint64_t L0C_ALIGN_BYTES = 64;
constexpr uint64_t BT_ALIGN_BYTES = 64;
constexpr uint64_t FB_ALIGN_BYTES = 64;
constexpr uint64_t MMAD_C_ALIGN_BYTES = 1024;
constexpr uint64_t COPY_BLOCK_COUNT_MAX = 4095;
constexpr uint64_t COPY_PAD_BLOCK_BYTES_MAX = 2097151;
constexpr uint64_t COPY_PAD_PADDING_BYTES_MAX = 32;
constexpr uint64_t ND2NZ_COUNT_MAX = 4095;
constexpr uint64_t ND2NZ_ROWS_MAX = 16384;
constexpr uint64_t ND2NZ_DST_STRIDE_MAX = 16384;
constexpr uint64_t FILL_REPEAT_MAX = 32767;
constexpr uint64_t FILL_BLOCKS_MAX = 32767;
constexpr uint64_t FILL_GAP_MAX = 32767;
constexpr uint64_t MMAD_EXTENT_MAX = 4095;
constexpr uint64_t MMAD_BARRIER_FRACTALS = 10;
constexpr uint64_t FIXPIPE_ND_ROWS_MAX = 8192;
constexpr uint64_t FIXPIPE_COLUMNS_MAX = 4095;
constexpr uint64_t VECTOR_REPEAT_MAX = 255;
constexpr uint64_t COMPARE_COUNT_BYTES = 256;
constexpr uint64_t SELECT_RESERVED_UB_BYTES = 8192;
constexpr uint64_t EVENT_ID_MAX = 7;
constexpr uint64_t CROSS_FLAG_MAX = 15;
constexpr uint64_t CROSS_FLAG_RESERVED_FIRST = 11;
constexpr uint64_t CROSS_FLAG_RESERVED_LAST = 14;
constexpr uint64_t CROSS_FLAG_COUNTER_MAX = 15;
constexpr uint64_t CROSS_FLAG_MODE4_MAX = 10;
constexpr uint64_t CROSS_FLAG_AIV1_OFFSET = 16;
constexpr uint64_t PIPE_BUFFERS_MAX = 64;
constexpr uint64_t QUEUE_BUFFERS_MAX = 8;
// clang-format on
} // namespace limits
} // namespace sim
} // namespace AscendC
#endif
