// In:    a float.
// Out:   e to its power, the same on every machine.
// Never: a call of a library.
#ifndef FIAGEN_SIM_EXP_H
#define FIAGEN_SIM_EXP_H
#include <cstdint>
#include <cstring>

namespace AscendC {
namespace sim {

// exp with an error below 2 units in the last place; -inf, NaN, overflow and subnormal results as IEEE wants them.
inline float ExpOne(float x)
{
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float shifted = x * 1.44269504f + 12582912.0f; // the integer nearest to x / ln 2 is in the low bits
    int32_t n;
    std::memcpy(&n, &shifted, sizeof(n));
    n -= 0x4B400000;
    float whole = shifted - 12582912.0f;
    float r = (x - whole * 0.693145752f) - whole * 1.42860677e-6f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    float y = (p * r * r + r) + 1.0f;
    int32_t half = n >> 1;
    int32_t one = static_cast<int32_t>(static_cast<uint32_t>(half + 127) << 23);
    int32_t two = static_cast<int32_t>(static_cast<uint32_t>(n - half + 127) << 23);
    float scale1, scale2;
    std::memcpy(&scale1, &one, sizeof(one));
    std::memcpy(&scale2, &two, sizeof(two));
    return (y * scale1) * scale2;
}

} // namespace sim
} // namespace AscendC
#endif
