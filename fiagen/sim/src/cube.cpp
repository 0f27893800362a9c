// In:    matrix products, already reduced to addresses.
// Out:   checked and queued cube instructions; sums run along k in order, in fp32 (int32 for int8).
// Never: a result that depends on the schedule.
#include "cost.h"
#include <algorithm>
#include <vector>

namespace AscendC {
namespace sim {

static uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

// One column group of 16: c[m][16] += a[m][k] * b[k][16], six rows at a time.
typedef float Lane16 __attribute__((vector_size(64), aligned(4)));

template <int ROWS> static void Block(const float* a, uint32_t lda, const float* b, float* c, uint32_t k)
{
    Lane16 sum[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        sum[r] = *reinterpret_cast<const Lane16*>(c + r * 16);
    }
    for (uint32_t i = 0; i < k; ++i) {
        Lane16 column = *reinterpret_cast<const Lane16*>(b + size_t{i} * 16);
        for (int r = 0; r < ROWS; ++r) {
            sum[r] += a[size_t{lda} * static_cast<size_t>(r) + i] * column;
        }
    }
    for (int r = 0; r < ROWS; ++r) {
        *reinterpret_cast<Lane16*>(c + r * 16) = sum[r];
    }
}

struct Product {
    const uint8_t *a, *b, *bias;
    uint8_t* c;
    uint32_t m, n, k;
    bool accumulate, gemv, nzA; // nzA: L0A holds NZ, as on 3510, and not zZ
    DType dtype, dtypeB;
    // Of A, in fractals: row block mf, k block kf.
    size_t FractalA(uint32_t mf, uint32_t kf, uint32_t mCount, uint32_t kCount) const
    {
        return nzA ? size_t{kf} * mCount + mf : size_t{mf} * kCount + kf;
    }
};

static void FloatProduct(const Product& p)
{
    static thread_local std::vector<float> scratch;
    const uint32_t c0 = 32 / SizeOf(p.dtype), kf = CeilDiv(p.k, c0), nf = CeilDiv(p.n, 16), kPad = kf * c0;
    const uint32_t rows16 = CeilDiv(p.m, 16) * 16;
    scratch.resize(size_t{rows16} * kPad + size_t{kPad} * 16 + 512);
    float* a = scratch.data();
    float* b = a + size_t{rows16} * kPad;
    float* fractal = b + size_t{kPad} * 16;
    const uint32_t bytes = SizeOf(p.dtype);
    if (p.gemv) { // A is a plain vector of k elements
        ToFloats(p.a, p.dtype, a, kPad);
    } else {
        for (uint32_t mf = 0; mf < rows16 / 16; ++mf) {
            for (uint32_t f = 0; f < kf; ++f) {
                const uint8_t* from = p.a + p.FractalA(mf, f, rows16 / 16, kf) * 512;
                for (uint32_t i = 0; i < 16; ++i) {
                    ToFloats(from + size_t{i} * 32, p.dtype, a + (size_t{mf} * 16 + i) * kPad + f * c0, 32 / bytes);
                }
            }
        }
    }
    for (uint32_t g = 0; g < nf; ++g) {
        for (uint32_t f = 0; f < kf; ++f) {
            ToFloats(p.b + size_t{f * nf + g} * 512, p.dtypeB, fractal, 16 * c0);
            for (uint32_t j = 0; j < 16; ++j) {
                for (uint32_t i = 0; i < c0; ++i) {
                    b[(size_t{f} * c0 + i) * 16 + j] = fractal[j * c0 + i];
                }
            }
        }
        float* c = reinterpret_cast<float*>(p.c) + size_t{g} * rows16 * 16;
        if (!p.accumulate) {
            for (uint32_t m = 0; m < p.m; ++m) {
                for (uint32_t j = 0; j < 16; ++j) {
                    c[size_t{m} * 16 + j] = p.bias == nullptr ? 0.0f : reinterpret_cast<const float*>(p.bias)[g * 16 + j];
                }
            }
        }
        uint32_t m = 0;
        for (; m + 6 <= p.m; m += 6) {
            Block<6>(a + size_t{m} * kPad, kPad, b, c + size_t{m} * 16, p.k);
        }
        for (; m < p.m; ++m) {
            Block<1>(a + size_t{m} * kPad, kPad, b, c + size_t{m} * 16, p.k);
        }
    }
}

static void IntProduct(const Product& p)
{
    const uint32_t kf = CeilDiv(p.k, 32), nf = CeilDiv(p.n, 16), rows16 = CeilDiv(p.m, 16) * 16;
    const int8_t* a = reinterpret_cast<const int8_t*>(p.a);
    const int8_t* b = reinterpret_cast<const int8_t*>(p.b);
    int32_t* c = reinterpret_cast<int32_t*>(p.c);
    for (uint32_t m = 0; m < p.m; ++m) {
        for (uint32_t n = 0; n < nf * 16; ++n) {
            int32_t& out = c[(size_t{n / 16} * rows16 + m) * 16 + n % 16];
            int32_t sum = p.accumulate ? out : p.bias == nullptr ? 0 : reinterpret_cast<const int32_t*>(p.bias)[n];
            for (uint32_t k = 0; k < p.k; ++k) {
                size_t at = p.gemv ? k : (p.FractalA(m / 16, k / 32, rows16 / 16, kf) * 16 + m % 16) * 32 + k % 32;
                sum += a[at] * b[(size_t{k / 32 * nf + n / 16} * 16 + n % 16) * 32 + k % 32];
            }
            out = sum;
        }
    }
}

// An element of C holds data when its whole row of A, its whole column of B and what it starts from do.
static void MarkProduct(Core& core, const Local& c, const Local& a, const Local& b, const Local* bias, const MmadFields& p,
    bool accumulate, bool vector)
{
    const uint32_t size = SizeOf(a.dtype), c0 = 32 / size, mf = CeilDiv(p.m, 16), nf = CeilDiv(p.n, 16), kf = CeilDiv(p.k, c0);
    // Row or column r of 16 in each of kf fractals, `step` fractals apart: 32 bytes each, fewer in the last one.
    auto whole = [&](const uint8_t* first, uint32_t step) {
        for (uint32_t f = 0; f < kf; ++f) {
            const uint32_t bytes = std::min(c0, p.k - f * c0) * size;
            if (std::memchr(first + size_t{f} * step * 512, 0, bytes) != nullptr) {
                return false;
            }
        }
        return true;
    };
    const bool nzA = core.run.arch == 3510;
    const bool cleanA = core.AllWritten(a.mem, a.addr, a.addr + (vector ? p.k * size : uint64_t{mf} * kf * 512));
    const bool cleanB = core.AllWritten(b.mem, b.addr, b.addr + uint64_t{nf} * kf * 512);
    const bool cleanBias = bias == nullptr || core.AllWritten(bias->mem, bias->addr, bias->addr + uint64_t{nf} * 64);
    for (uint32_t g = 0; g < nf; ++g) {
        uint8_t* out = core.Written(Mem::L0C, c.addr + uint64_t{g} * mf * 1024);
        if (cleanA && cleanB && cleanBias) {
            if (!accumulate) {
                std::memset(out, 1, size_t{p.m} * 64);
            }
            continue;
        }
        uint8_t columns[64];
        for (uint32_t j = 0; j < 16; ++j) {
            bool good = cleanB || whole(core.Written(b.mem, b.addr + uint64_t{g} * 512 + j * 32), nf);
            good = good && (cleanBias || std::memchr(core.Written(bias->mem, bias->addr + uint64_t{g} * 64 + j * 4), 0, 4) == nullptr);
            std::memset(columns + j * 4, good ? 1 : 0, 4);
        }
        for (uint32_t m = 0; m < p.m; ++m, out += 64) {
            const bool row = cleanA || (!vector && whole(core.Written(a.mem, a.addr + uint64_t{m / 16} * (nzA ? 1 : kf) * 512 + m % 16 * 32), nzA ? mf : 1));
            for (uint32_t i = 0; i < 64; ++i) {
                out[i] = row && columns[i] != 0 && (!accumulate || out[i] != 0) ? 1 : 0;
            }
        }
    }
}

void MatMul(const Local& c, const Local& a, const Local& b, const Local* bias, const MmadFields& p, bool gemv, At at)
{
    Core& core = Current();
    const uint32_t size = SizeOf(a.dtype), c0 = 32 / size;
    const uint32_t mf = CeilDiv(p.m, 16), nf = CeilDiv(p.n, 16), kf = CeilDiv(p.k, c0);
    const bool big = mf * nf >= limits::MMAD_BARRIER_FRACTALS;
    core.Begin(PIPE_M, "Mmad", at, p.unitFlag != 0, big);
    if (p.m == 0 || p.n == 0 || p.k == 0) {
        return;
    }
    core.CheckMem(c, Mem::L0C, "C");
    core.CheckMem(a, Mem::L0A, "A");
    core.CheckMem(b, Mem::L0B, "B");
    core.CheckAligned(c.addr, limits::MMAD_C_ALIGN_BYTES, "C");
    core.CheckAligned(a.addr, limits::L0AB_ALIGN_BYTES, "A");
    core.CheckAligned(b.addr, limits::L0AB_ALIGN_BYTES, "B");
    core.CheckLimit(p.m, 1, limits::MMAD_EXTENT_MAX, "m");
    core.CheckLimit(p.n, 1, limits::MMAD_EXTENT_MAX, "n");
    core.CheckLimit(p.k, 1, limits::MMAD_EXTENT_MAX, "k");
    if (p.unitFlag == 1 || p.unitFlag > 3) {
        core.Raise("sim.limit", PIPE_M, "Mmad", at.line, 0, "unitFlag of Mmad is %u; allowed is 0, 2 and 3", p.unitFlag);
    }
    const bool fromBias = bias != nullptr || (!p.cmatrixInitVal && p.cmatrixSource);
    if (fromBias && bias == nullptr) {
        core.Raise("sim.unsupported", PIPE_M, "Mmad", at.line, 0, "cmatrixSource = true is simulated with a bias tensor only");
    }
    const bool accumulate = !p.cmatrixInitVal && !fromBias;
    // The order checker treats operands and result of a handshake differently: L0A and L0B always need their flags.
    core.curHandshake = false;
    core.ReadCopy(a, a.addr, a.addr + (gemv ? uint64_t{CeilDiv(p.k * size, 512)} * 512 : uint64_t{mf} * kf * 512));
    core.ReadCopy(b, b.addr, b.addr + uint64_t{nf} * kf * 512);
    if (fromBias) {
        core.CheckMem(*bias, Mem::BT, "bias");
        core.CheckAligned(bias->addr, limits::BT_ALIGN_BYTES, "bias");
        core.ReadCopy(*bias, bias->addr, bias->addr + uint64_t{nf} * 64);
    }
    core.curHandshake = p.unitFlag != 0;
    for (uint32_t g = 0; g < nf; ++g) {
        uint64_t lo = c.addr + uint64_t{g} * mf * 1024;
        if (accumulate) {
            core.ReadCopy(c, lo, lo + uint64_t{p.m} * 64);
        }
        core.WriteCopy(c, lo, lo + uint64_t{p.m} * 64);
    }
    if (core.run.checks) {
        MarkProduct(core, c, a, b, fromBias ? bias : nullptr, p, accumulate, gemv);
    }
    Product product{core.At8(Mem::L0A, a.addr), core.At8(Mem::L0B, b.addr),
        fromBias ? core.At8(Mem::BT, bias->addr) : nullptr, core.At8(Mem::L0C, c.addr), p.m, p.n, p.k, accumulate, gemv,
        core.run.arch == 3510, a.dtype, b.dtype};
    const FiagenSimChip& chip = core.run.chip;
    const double rate = a.dtype == DType::F32 ? chip.cube_f32_fractal_cycles / chip.cube_fractal_cycles : 1.0;
    core.timeline.macs += double(p.m) * p.n * p.k;
    uint64_t needs = p.unitFlag != 0 ? core.pipes[PIPE_FIX].done + core.pipes[PIPE_FIX].Pending() : 0;
    core.IssueAfter(PIPE_M, "Mmad", at, CubeCost(core, rate * mf * nf * kf), p.unitFlag != 0 ? PIPE_FIX : PIPES, needs, [product](Core&) {
        if (product.dtype == DType::I8) {
            IntProduct(product);
        } else {
            FloatProduct(product);
        }
    });
}

} // namespace sim
} // namespace AscendC
