// What printed expressions need: facts of arguments, total integer arithmetic, functions over lists.
//
// In: values of a call. Out: the same values that the expression language has in Python. Must never overflow, divide by zero
// or read beyond a list: integers stop at the 64-bit limits, a division by zero gives 0, an axis that is not there is 0.
#ifndef FIA_EXPR_H
#define FIA_EXPR_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace fia {

using Ints = std::vector<int64_t>;

struct TensorFact {
    bool given = false;
    Ints shape;
    std::string_view dtype;
    std::string_view format;
    int64_t numel = 0;
    int64_t rank = 0;
    bool contiguous = true;
};

struct IntFact {
    bool given = false;
    int64_t value = 0;
};

struct FloatFact {
    bool given = false;
    double value = 0;
};

struct TextFact {
    bool given = false;
    std::string_view value;
};

struct IntsFact {
    bool given = false;
    Ints value;
};

// One more than the largest legal batch: enough to see that a list is too long.
constexpr int64_t FILL_LIMIT = 65537;

inline int64_t Clamp(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : static_cast<int64_t>(value);
}

inline int64_t Add(int64_t a, int64_t b) { return Clamp(static_cast<__int128>(a) + b); }
inline int64_t Sub(int64_t a, int64_t b) { return Clamp(static_cast<__int128>(a) - b); }
inline int64_t Mul(int64_t a, int64_t b) { return Clamp(static_cast<__int128>(a) * b); }
inline int64_t Neg(int64_t a) { return Clamp(-static_cast<__int128>(a)); }
inline int64_t Abs(int64_t a) { return a < 0 ? Neg(a) : a; }
inline double Abs(double a) { return a < 0 ? -a : a; }

inline int64_t FloorDiv(int64_t a, int64_t b)
{
    if (b == 0) {
        return 0;
    }
    const __int128 quotient = static_cast<__int128>(a) / b;
    const bool down = static_cast<__int128>(a) % b != 0 && (a < 0) != (b < 0);
    return Clamp(down ? quotient - 1 : quotient);
}

inline int64_t FloorMod(int64_t a, int64_t b)
{
    if (b == 0) {
        return 0;
    }
    const __int128 rest = static_cast<__int128>(a) % b;
    return static_cast<int64_t>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

inline int64_t CeilDiv(int64_t a, int64_t b)
{
    if (b == 0) {
        return 0;
    }
    const __int128 quotient = static_cast<__int128>(a) / b;
    const bool up = static_cast<__int128>(a) % b != 0 && (a < 0) == (b < 0);
    return Clamp(up ? quotient + 1 : quotient);
}

inline int64_t AlignUp(int64_t a, int64_t b) { return Mul(CeilDiv(a, b), b); }

inline int64_t At(const Ints& list, int64_t index)
{
    const int64_t size = static_cast<int64_t>(list.size());
    const int64_t place = index < 0 ? index + size : index;
    return place >= 0 && place < size ? list[static_cast<size_t>(place)] : 0;
}

template <class T>
bool In(const T& value, std::initializer_list<T> items)
{
    return std::find(items.begin(), items.end(), value) != items.end();
}

// -1, 0 or 1; exact for every integer, not only for those a double holds.
inline int Compare(int64_t a, double b)
{
    if (b >= 9223372036854775808.0) {
        return -1;
    }
    if (b < -9223372036854775808.0) {
        return 1;
    }
    const int64_t whole = static_cast<int64_t>(b);
    if (a != whole) {
        return a < whole ? -1 : 1;
    }
    const double rest = b - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

inline int Compare(double a, int64_t b) { return -Compare(b, a); }

inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t Min(int64_t a, int64_t b, int64_t c) { return Min(Min(a, b), c); }
inline int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t Max(int64_t a, int64_t b, int64_t c) { return Max(Max(a, b), c); }
inline int64_t MinOf(const Ints& v) { return v.empty() ? 0 : *std::min_element(v.begin(), v.end()); }
inline int64_t MaxOf(const Ints& v) { return v.empty() ? 0 : *std::max_element(v.begin(), v.end()); }
inline int64_t Len(const Ints& v) { return static_cast<int64_t>(v.size()); }
inline int64_t First(const Ints& v) { return v.empty() ? 0 : v.front(); }
inline int64_t Last(const Ints& v) { return v.empty() ? 0 : v.back(); }

inline int64_t Sum(const Ints& v)
{
    int64_t result = 0;
    for (const int64_t x : v) {
        result = Add(result, x);
    }
    return result;
}

inline int64_t Product(const Ints& v)
{
    int64_t result = 1;
    for (const int64_t x : v) {
        result = Mul(result, x);
    }
    return result;
}

inline int64_t SumOfSquares(const Ints& v)
{
    int64_t result = 0;
    for (const int64_t x : v) {
        result = Add(result, Mul(x, x));
    }
    return result;
}

inline Ints Take(const Ints& v, int64_t count)
{
    const int64_t kept = Min(Max(count, 0), Len(v));
    return Ints(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(kept));
}

inline Ints DropLast(const Ints& v) { return v.empty() ? Ints{} : Ints(v.begin(), v.end() - 1); }

inline Ints WithLast(const Ints& v, int64_t last)
{
    if (v.empty()) {
        return {};
    }
    Ints result = DropLast(v);
    result.push_back(last);
    return result;
}

inline Ints Fill(int64_t value, int64_t count)
{
    return Ints(static_cast<size_t>(Min(Max(count, 0), FILL_LIMIT)), value);
}

inline Ints Expand(const Ints& v, int64_t count) { return v.size() == 1 ? Fill(v[0], count) : Take(v, count); }

inline Ints Diff(const Ints& v)
{
    Ints result;
    int64_t before = 0;
    for (const int64_t x : v) {
        result.push_back(Sub(x, before));
        before = x;
    }
    return result;
}

inline Ints Minus(const Ints& a, const Ints& b)
{
    Ints result;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        result.push_back(Sub(a[i], b[i]));
    }
    return result;
}

inline Ints CeilDivEach(const Ints& v, int64_t by)
{
    Ints result;
    for (const int64_t x : v) {
        result.push_back(CeilDiv(x, by));
    }
    return result;
}

inline bool NonDecreasing(const Ints& v) { return std::is_sorted(v.begin(), v.end()); }

inline bool AllBetween(const Ints& v, int64_t low, int64_t high)
{
    return std::all_of(v.begin(), v.end(), [=](int64_t x) { return low <= x && x <= high; });
}

inline bool AllAtLeast(const Ints& v, int64_t low)
{
    return std::all_of(v.begin(), v.end(), [=](int64_t x) { return low <= x; });
}

inline bool AllAtMost(const Ints& v, int64_t high)
{
    return std::all_of(v.begin(), v.end(), [=](int64_t x) { return x <= high; });
}

inline bool EachLess(const Ints& a, const Ints& b)
{
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] >= b[i]) {
            return false;
        }
    }
    return true;
}

inline bool EachAtMost(const Ints& a, const Ints& b)
{
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] > b[i]) {
            return false;
        }
    }
    return true;
}

} // namespace fia

#endif
