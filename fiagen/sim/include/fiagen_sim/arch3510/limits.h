// In:    specs/api, the families of 3510; tests/sim/test_limits.py holds the two equal, name by name.
// Out:   the numeric limits that 3510 alone has.
// Never: a limit without a line in specs/api.
#ifndef FIAGEN_SIM_ARCH3510_LIMITS_H
#define FIAGEN_SIM_ARCH3510_LIMITS_H
#include <cstdint>

namespace AscendC {
namespace sim {
namespace limits {
// clang-format off
constexpr uint64_t LOAD_2D_STEP_MAX = 255;
constexpr uint64_t LOAD_REPEAT_MAX = 255;
constexpr uint64_t ND2NZ_COLUMNS_MAX = 2097151;
constexpr uint64_t FIXPIPE_SPLIT_ROWS_MULTIPLE = 2;
constexpr uint64_t FIXPIPE_SPLIT_COLUMNS_MULTIPLE = 32;
constexpr uint64_t MUTEX_ID_MAX = 27;
constexpr uint64_t REGISTER_BYTES = 256;
constexpr uint64_t VF_ARGUMENT_BYTES = 176;
// clang-format on
} // namespace limits
} // namespace sim
} // namespace AscendC
#endif
