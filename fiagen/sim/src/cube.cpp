// In:    L1 -> L0 loads, matrix products and fixpipe writes, already reduced to addresses.
// Out:   checked and queued cube instructions; sums run along k in order, in fp32 (int32 for int8).
// Never: a result that depends on the schedule.
#include "cost.h"
#include <algorithm>
#include <vector>

namespace AscendC {
namespace sim {

static uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static void CheckNear(Core& core, const Local& dst)
{
    if (dst.mem != Mem::L0B) {
        core.CheckMem(dst, Mem::L0A, "destination");
    }
    core.CheckMem(dst, dst.mem, "destination");
    core.CheckAligned(dst.addr, limits::L0AB_ALIGN_BYTES, "destination");
}

void Load2D(const Local& dst, const Local& src, const LoadData2DParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData", at);
    if (p.repeatTimes == 0) {
        return;
    }
    CheckNear(core, dst);
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
    core.CheckLimit(p.addrMode, 0, 0, "addrMode");
    if (p.ifTranspose && SizeOf(dst.dtype) != 2) {
        core.Raise("sim.limit", PIPE_MTE1, "LoadData", at.line, 0, "ifTranspose is for 2-byte types, not for %s",
            NameOf(dst.dtype));
    }
    const uint32_t srcStep = p.srcStride * 512u, dstStep = (p.dstGap + 1u) * 512u;
    const uint64_t from = src.addr + p.startIndex * 512ull;
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        core.Read(src, from + uint64_t{r} * srcStep, from + uint64_t{r} * srcStep + 512);
        core.Write(dst, dst.addr + uint64_t{r} * dstStep, dst.addr + uint64_t{r} * dstStep + 512);
    }
    const uint8_t* source = core.At8(Mem::L1, from);
    uint8_t* to = core.At8(dst.mem, dst.addr);
    const uint32_t repeat = p.repeatTimes;
    const bool transpose = p.ifTranspose;
    core.Issue(PIPE_MTE1, "LoadData", at, NearCost(core, dst, 512.0 * repeat),
        [source, to, srcStep, dstStep, repeat, transpose](Core&) {
            for (uint32_t r = 0; r < repeat; ++r) {
                const uint8_t* a = source + size_t{r} * srcStep;
                uint8_t* b = to + size_t{r} * dstStep;
                if (!transpose) {
                    std::memcpy(b, a, 512);
                    continue;
                }
                const uint16_t* in = reinterpret_cast<const uint16_t*>(a);
                uint16_t* out = reinterpret_cast<uint16_t*>(b);
                for (int i = 0; i < 16; ++i) {
                    for (int j = 0; j < 16; ++j) {
                        out[j * 16 + i] = in[i * 16 + j];
                    }
                }
            }
        });
}

// A block of mExtension x kExtension from a matrix of `rows` rows in NZ order: element (m, k) of the block goes to the
// L0A fractal (m / 16, k / c0), or to the L0B fractal (m / c0, k / 16) of the matrix seen as k x n, transposed.
void LoadImage(const Local& dst, const Local& src, const Load3D& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "LoadData(3D)", at);
    if (p.rows == 0 || p.channels == 0 || p.mExtension == 0 || p.kExtension == 0) {
        return;
    }
    const uint32_t size = SizeOf(dst.dtype), c0 = 32 / size;
    CheckNear(core, dst);
    core.CheckMem(src, Mem::L1, "source");
    core.CheckAligned(src.addr, limits::L1_ALIGN_BYTES, "source");
    if (!p.plain) {
        core.Raise("sim.unsupported", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData3DParamsV2 is simulated with a 1x1 filter, strides and dilations of 1 and no padding");
    }
    if (size != 2 || (p.transpose && dst.mem == Mem::L0A)) {
        core.Raise("sim.unsupported", PIPE_MTE1, core.curName, at.line, 0,
            "LoadData3DParamsV2 is simulated for 2-byte types without enTranspose");
    }
    if (p.channels % c0 != 0 || p.kStart % c0 != 0 || p.mStart + p.mExtension > CeilDiv(p.rows, 16) * 16 ||
        p.kStart + p.kExtension > p.channels) {
        core.Raise("sim.limit", PIPE_MTE1, core.curName, at.line, 0,
            "the block (%u+%u, %u+%u) is not inside a matrix of %u rows and %u channels, or not in whole fractals", p.mStart,
            p.mExtension, p.kStart, p.kExtension, p.rows, p.channels);
    }
    const uint32_t mFractals = CeilDiv(p.mExtension, 16), kFractals = CeilDiv(p.kExtension, c0);
    for (uint32_t k = 0; k < kFractals; ++k) {
        uint32_t valid = std::min(mFractals * 16, p.rows - std::min(p.rows, p.mStart));
        uint64_t lo = src.addr + (uint64_t{p.kStart / c0 + k} * p.rows + p.mStart) * 32;
        core.Read(src, lo, lo + uint64_t{valid} * 32);
    }
    core.Write(dst, dst.addr, dst.addr + uint64_t{mFractals} * kFractals * 512);
    const uint16_t* source = reinterpret_cast<const uint16_t*>(core.At8(Mem::L1, src.addr));
    uint16_t* to = reinterpret_cast<uint16_t*>(core.At8(dst.mem, dst.addr));
    const bool toB = dst.mem == Mem::L0B;
    core.Issue(PIPE_MTE1, core.curName, at, NearCost(core, dst, 512.0 * mFractals * kFractals, true),
        [source, to, p, mFractals, kFractals, toB](Core&) {
            for (uint32_t mf = 0; mf < mFractals; ++mf) {
                for (uint32_t kf = 0; kf < kFractals; ++kf) {
                    uint16_t* out = to + size_t{mf * kFractals + kf} * 256;
                    for (uint32_t i = 0; i < 16; ++i) {
                        uint32_t m = p.mStart + mf * 16 + i;
                        const uint16_t* row = source + (size_t{p.kStart / 16 + kf} * p.rows + m) * 16;
                        for (uint32_t j = 0; j < 16; ++j) {
                            uint16_t value = m < p.rows ? row[j] : uint16_t{0};
                            out[toB ? j * 16 + i : i * 16 + j] = value;
                        }
                    }
                }
            }
        });
}

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
    bool accumulate;
    DType dtype;
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
    if (p.m == 1) { // GEMV reading: A is a plain vector of k elements
        ToFloats(p.a, p.dtype, a, kPad);
    } else {
        for (uint32_t mf = 0; mf < rows16 / 16; ++mf) {
            for (uint32_t f = 0; f < kf; ++f) {
                const uint8_t* from = p.a + size_t{mf * kf + f} * 512;
                for (uint32_t i = 0; i < 16; ++i) {
                    ToFloats(from + size_t{i} * 32, p.dtype, a + (size_t{mf} * 16 + i) * kPad + f * c0, 32 / bytes);
                }
            }
        }
    }
    for (uint32_t g = 0; g < nf; ++g) {
        for (uint32_t f = 0; f < kf; ++f) {
            ToFloats(p.b + size_t{f * nf + g} * 512, p.dtype, fractal, 16 * c0);
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
                size_t at = p.m == 1 ? k : (size_t{m / 16 * kf + k / 32} * 16 + m % 16) * 32 + k % 32;
                sum += a[at] * b[(size_t{k / 32 * nf + n / 16} * 16 + n % 16) * 32 + k % 32];
            }
            out = sum;
        }
    }
}

void MatMul(const Local& c, const Local& a, const Local& b, const Local* bias, const MmadParams& p, At at)
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
    core.Read(a, a.addr, a.addr + (p.m == 1 ? uint64_t{CeilDiv(p.k * size, 512)} * 512 : uint64_t{mf} * kf * 512));
    core.Read(b, b.addr, b.addr + uint64_t{nf} * kf * 512);
    if (fromBias) {
        core.CheckMem(*bias, Mem::BT, "bias");
        core.CheckAligned(bias->addr, limits::BT_ALIGN_BYTES, "bias");
        core.Read(*bias, bias->addr, bias->addr + uint64_t{nf} * 64);
    }
    core.curHandshake = p.unitFlag != 0;
    for (uint32_t g = 0; g < nf; ++g) {
        uint64_t lo = c.addr + uint64_t{g} * mf * 1024;
        if (accumulate) {
            core.Read(c, lo, lo + uint64_t{p.m} * 64);
        }
        core.Write(c, lo, lo + uint64_t{p.m} * 64);
    }
    Product product{core.At8(Mem::L0A, a.addr), core.At8(Mem::L0B, b.addr),
        fromBias ? core.At8(Mem::BT, bias->addr) : nullptr, core.At8(Mem::L0C, c.addr), p.m, p.n, p.k, accumulate, a.dtype};
    const double rate = a.dtype == DType::F32 ? 2.0 : 1.0; // fp32: a fractal of k 8 takes two cycles, a quarter of the half rate
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

struct FixJob {
    const uint8_t* src;
    uint8_t* dst;
    uint32_t rows, columns, srcGroup, count, srcMatrix;
    uint64_t dstPitch, dstMatrix;
    DType from, to;
    bool relu, rowMajor;
    Atomic atomic;
};

static void RunFix(const FixJob& j)
{
    const uint32_t size = SizeOf(j.to);
    for (uint32_t nd = 0; nd < j.count; ++nd) {
        const uint8_t* matrix = j.src + size_t{nd} * j.srcMatrix;
        uint8_t* base = j.dst + nd * j.dstMatrix;
        for (uint32_t n = 0; n < j.columns; n += 16) {
            const uint32_t width = std::min<uint32_t>(16, j.columns - n);
            for (uint32_t m = 0; m < j.rows; ++m) {
                alignas(64) uint8_t row[64], out[64];
                std::memcpy(row, matrix + (size_t{n / 16} * j.srcGroup + m) * 64, 64);
                if (j.from == DType::I32) {
                    int32_t values[16];
                    std::memcpy(values, row, 64);
                    for (int32_t& value : values) {
                        value = j.relu && value < 0 ? 0 : value;
                    }
                    std::memcpy(out, values, 64);
                } else {
                    float values[16];
                    std::memcpy(values, row, 64);
                    if (j.relu) {
                        for (float& value : values) {
                            value = value < 0.0f ? 0.0f : value;
                        }
                    }
                    FromFloats(values, out, j.to, 16);
                }
                uint8_t* to = j.rowMajor ? base + m * j.dstPitch + size_t{n} * size
                                         : base + size_t{n / 16} * j.dstPitch + size_t{m} * 16 * size;
                if (j.atomic == Atomic::ADD) {
                    AddInto(to, out, size_t{width} * size, j.to);
                } else {
                    std::memcpy(to, out, size_t{width} * size);
                }
            }
        }
    }
}

void FixOut(const Global* gm, const Local* l1, const Local& src, const FixpipeParamsV220& p, CO2Layout layout, DType dtype,
    At at)
{
    Core& core = Current();
    core.Begin(PIPE_FIX, "Fixpipe", at, p.unitFlag != 0);
    if (p.nSize == 0 || p.mSize == 0) {
        return;
    }
    const bool rowMajor = layout == CO2Layout::ROW_MAJOR;
    const uint32_t size = SizeOf(dtype), groups = CeilDiv(p.nSize, 16), count = rowMajor ? p.ndNum : 1;
    core.CheckMem(src, Mem::L0C, "source");
    core.CheckAligned(src.addr, limits::L0C_ALIGN_BYTES, "source");
    core.CheckLimit(p.nSize, 1, limits::FIXPIPE_COLUMNS_MAX, "nSize");
    core.CheckLimit(p.mSize, 1, rowMajor ? limits::FIXPIPE_ND_ROWS_MAX : 65535, "mSize");
    core.CheckLimit(p.srcStride, p.mSize, 65535, "srcStride");
    core.CheckLimit(count, 1, 65535, "ndNum");
    QuantMode_t wanted = dtype == DType::F16 ? F322F16 : dtype == DType::BF16 ? F322BF16 : NoQuant;
    if (p.quantPre != wanted || (src.dtype == DType::I32) != (dtype == DType::I32)) {
        core.Raise(p.quantPre > F322BF16 ? "sim.unsupported" : "sim.limit", PIPE_FIX, "Fixpipe", at.line, 0,
            "quantPre %d does not turn %s into %s: float to half is F322F16, float to bfloat16_t F322BF16, the same type "
            "NoQuant; other modes are not simulated",
            static_cast<int>(p.quantPre), NameOf(src.dtype), NameOf(dtype));
    }
    if (!rowMajor && p.nSize % 16 != 0) {
        core.Raise("sim.limit", PIPE_FIX, "Fixpipe", at.line, 0, "nSize is %u; CFG_NZ needs a multiple of 16", p.nSize);
    }
    if (p.isChannelSplit || (p.unitFlag != 0 && p.unitFlag != 3)) {
        core.Raise("sim.unsupported", PIPE_FIX, "Fixpipe", at.line, 0,
            "isChannelSplit is not simulated, and unitFlag has to be 0 or 3");
    }
    FixJob job{core.At8(Mem::L0C, src.addr), nullptr, p.mSize, p.nSize, p.srcStride, count, p.srcNdStride * 1024u,
        rowMajor ? uint64_t{p.dstStride} * size : uint64_t{p.dstStride} * 32, uint64_t{p.dstNdStride} * size, src.dtype, dtype,
        p.reluEn, rowMajor, gm != nullptr ? core.atomic : Atomic::NONE};
    if (rowMajor && p.mSize > 1) {
        core.CheckLimit(p.dstStride, p.nSize, 0xFFFFFFFFu, "dstStride");
    }
    for (uint32_t nd = 0; nd < count; ++nd) {
        for (uint32_t g = 0; g < groups; ++g) {
            uint64_t lo = src.addr + uint64_t{nd} * job.srcMatrix + uint64_t{g} * p.srcStride * 64;
            core.Read(src, lo, lo + uint64_t{p.mSize} * 64);
        }
    }
    const uint64_t extent = (count - 1) * job.dstMatrix +
        (rowMajor ? (p.mSize - 1) * job.dstPitch + uint64_t{p.nSize} * size
                  : (groups - 1) * job.dstPitch + uint64_t{p.mSize} * 16 * size);
    if (gm != nullptr) {
        core.CheckAligned(reinterpret_cast<uintptr_t>(gm->ptr), size, "destination");
        core.CheckGlobal(*gm, 0, static_cast<int64_t>(extent));
        job.dst = gm->ptr;
    } else {
        core.CheckMem(*l1, Mem::L1, "destination");
        core.CheckAligned(l1->addr, limits::L1_ALIGN_BYTES, "destination");
        core.curHandshake = false;
        core.Write(*l1, l1->addr, l1->addr + extent);
        job.dst = core.At8(Mem::L1, l1->addr);
    }
    const Cost cost = FixCost(core, double(p.mSize) * p.nSize * count, gm != nullptr ? gm->ptr : nullptr,
        rowMajor ? p.mSize : groups, static_cast<int64_t>(job.dstPitch), rowMajor ? p.nSize * size : p.mSize * 16 * size, count,
        static_cast<int64_t>(job.dstMatrix));
    uint64_t needs = p.unitFlag != 0 ? core.pipes[PIPE_M].done + core.pipes[PIPE_M].Pending() : 0;
    core.IssueAfter(PIPE_FIX, "Fixpipe", at, cost, p.unitFlag != 0 ? PIPE_M : PIPES, needs, [job](Core&) { RunFix(job); });
}

} // namespace sim
} // namespace AscendC
