// One library for the cube calls of 3510: C = A B, out to global memory, L1 or the UB of the AIVs, which copy it on.
// select: {types, m, n, k, load form, transposed A, transposed B, twice, output form, relu}; see tests/sim/test_cube_3510.py.
#include "kernel_operator.h"
using namespace AscendC;

constexpr FixpipeConfig ROWS_TO_UB = {CO2Layout::ROW_MAJOR, true}, NZ_TO_UB = {CO2Layout::NZ, true},
                        COLUMNS_TO_UB = {CO2Layout::COLUMN_MAJOR, true};

struct Shape {
    uint32_t m, n, k;
    int32_t load, transA, transB, twice, output, relu;
};
enum Load { V2, IMAGE, V1, COLUMNS };
enum Output { GM_ROWS, GM_NZ, GM_COLUMNS, VIA_L1, UB_ROWS, UB_SPLIT_ROWS, UB_SPLIT_COLUMNS, UB_NZ, UB_COLUMNS, UB_SECOND, GM_HALF, HANDSHAKE, BIAS };
inline uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

template <typename T> void ToL1(const LocalTensor<T>& l1, const GlobalTensor<T>& gm, uint32_t rows, uint32_t columns, bool dn)
{
    if (dn) { // the matrix lies in memory by columns
        DataCopy(l1, gm,
            Dn2NzParams(1, static_cast<uint16_t>(rows), columns, 0, rows, static_cast<uint16_t>(Ceil(rows, 16) * 16), 1, 0));
        return;
    }
    DataCopy(l1, gm,
        Nd2NzParams(1, static_cast<uint16_t>(rows), columns, 0, columns, static_cast<uint16_t>(Ceil(rows, 16) * 16), 1, 0));
}

// rows x columns in L1, as NZ; `turn`: the cube wants it transposed; `stride`: fractals along its own first axis there.
template <typename T>
void ToL0(const LocalTensor<T>& l0, const LocalTensor<T>& l1, uint32_t rows, uint32_t columns, bool turn, uint32_t stride, int32_t load)
{
    const uint32_t c0 = 32 / sizeof(T), down = Ceil(rows, 16), across = Ceil(columns, c0);
    if constexpr (sizeof(T) == 2) {
        if (load == IMAGE && (turn || l0.GetPosition() == static_cast<int32_t>(TPosition::A2))) {
            SetLoadDataRepeat(LoadDataRepeatParam(0, 1, 0, static_cast<uint16_t>(stride)));
            LoadData3DParamsV2<T> image;
            image.l1H = 1;
            image.l1W = static_cast<uint16_t>(down * 16);
            image.channelSize = static_cast<uint16_t>(across * 16);
            image.mExtension = static_cast<uint16_t>(down * 16);
            image.kExtension = static_cast<uint16_t>(across * 16);
            LoadData(l0, l1, image);
            return;
        }
    }
    if (load == V1 && !turn) { // fractals in the order they have
        LoadData2DParams p;
        p.repeatTimes = static_cast<uint8_t>(down * across);
        p.srcStride = 1;
        p.dstGap = 3; // without effect
        LoadData(l0, l1, p);
        return;
    }
    LoadData2DParamsV2 p(0, 0, static_cast<uint16_t>(down), static_cast<uint16_t>(across), static_cast<int32_t>(down),
        static_cast<uint16_t>(stride), turn, 0);
    LoadData(l0, l1, p);
}

template <typename C, typename D, CO2Layout layout> FixpipeParamsArch3510<layout> Params(const Shape& s, uint32_t dstStride)
{
    FixpipeParamsArch3510<layout> f(static_cast<uint16_t>(s.n), static_cast<uint16_t>(s.m), static_cast<uint16_t>(Ceil(s.m, 16) * 16),
        dstStride);
    f.reluEn = s.relu != 0;
    f.unitFlag = s.output == HANDSHAKE ? 3 : 0;
    f.quantPre = std::is_same<D, half>::value ? QuantMode_t::F322F16 : QuantMode_t::NoQuant;
    if constexpr (layout == CO2Layout::COLUMN_MAJOR) {
        f.params.srcNzC0Stride = 1;
    }
    return f;
}

template <typename A, typename B, typename C> void Cube(const Shape& s, GM_ADDR aGm, GM_ADDR bGm, GM_ADDR biasGm, GM_ADDR outGm)
{
    const uint32_t mf = Ceil(s.m, 16), nf = Ceil(s.n, 16);
    LocalTensor<A> a1(TPosition::A1, 0, 65536 / sizeof(A)), a2(TPosition::A2, 0, 65536 / sizeof(A));
    LocalTensor<B> b1(TPosition::B1, 65536, 131072 / sizeof(B)), b2(TPosition::B2, 0, 65536 / sizeof(B));
    LocalTensor<C> c(TPosition::CO1, 0, 65536), bias1(TPosition::C1, 196608, 1024), bias2(TPosition::C2, 0, 1024);
    GlobalTensor<A> a;
    GlobalTensor<B> b;
    a.SetGlobalBuffer((__gm__ A*)aGm);
    b.SetGlobalBuffer((__gm__ B*)bGm);
    const bool dn = s.load == COLUMNS;
    if (s.m == 1) {
        DataCopy(a1, a, Ceil(s.k * static_cast<uint32_t>(sizeof(A)), 32) * (32 / sizeof(A)));
    } else {
        s.transA != 0 && !dn ? ToL1(a1, a, s.k, s.m, false) : ToL1(a1, a, s.m, s.k, dn && s.transA != 0);
    }
    s.transB != 0 ? ToL1(b1, b, s.n, s.k, false) : dn ? ToL1(b1, b, s.n, s.k, true) : ToL1(b1, b, s.k, s.n, false);
    if (s.output == BIAS) {
        GlobalTensor<C> bias;
        bias.SetGlobalBuffer((__gm__ C*)biasGm);
        DataCopy(bias1, bias, 1024);
    }
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    if (s.output == BIAS) {
        DataCopy(bias2, bias1, 1024);
    }
    if (s.m == 1) {
        LoadData2DParams p;
        p.repeatTimes = static_cast<uint8_t>(Ceil(s.k * static_cast<uint32_t>(sizeof(A)), 512));
        p.srcStride = 1;
        LoadData(a2, a1, p);
    } else if (s.transA != 0 && !dn) {
        ToL0(a2, a1, s.k, s.m, true, mf, V2);
    } else {
        ToL0(a2, a1, s.m, s.k, false, mf, s.load);
    }
    s.transB != 0 || dn ? ToL0(b2, b1, s.n, s.k, false, nf, s.load) : ToL0(b2, b1, s.k, s.n, true, nf, s.load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams mm(static_cast<uint16_t>(s.m), static_cast<uint16_t>(s.n), static_cast<uint16_t>(s.k), 0, false, true);
    const bool handshake = s.output == HANDSHAKE;
    mm.unitFlag = !handshake ? 0 : s.twice != 0 ? 2 : 3;
    if (s.output == BIAS) {
        mm.cmatrixInitVal = false;
        mm.cmatrixSource = true;
        Mmad(c, a2, b2, bias2, mm);
        mm.cmatrixSource = false;
    } else {
        Mmad(c, a2, b2, mm);
    }
    if (s.twice != 0) {
        PipeBarrier<PIPE_M>();
        mm.cmatrixInitVal = false;
        mm.unitFlag = handshake ? 3 : 0;
        Mmad(c, a2, b2, mm);
    }
    if (!handshake) {
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }
    GlobalTensor<C> out;
    out.SetGlobalBuffer((__gm__ C*)outGm);
    LocalTensor<C> ub(TPosition::VECIN, 0, 32768), l1(TPosition::C1, 262144, 32768);
    switch (s.output) {
        case GM_NZ: Fixpipe<C, C, CFG_NZ>(out, c, Params<C, C, CO2Layout::NZ>(s, s.m * 16)); return;
        case GM_COLUMNS: Fixpipe<C, C, CFG_COLUMN_MAJOR>(out, c, Params<C, C, CO2Layout::COLUMN_MAJOR>(s, s.m)); return;
        case GM_HALF:
            if constexpr (std::is_same<C, float>::value) {
                GlobalTensor<half> narrow;
                narrow.SetGlobalBuffer((__gm__ half*)outGm);
                FixpipeParamsC310<CO2Layout::ROW_MAJOR> f(static_cast<uint16_t>(s.n), static_cast<uint16_t>(s.m),
                    static_cast<uint16_t>(mf * 16), s.n + 3);
                f.quantPre = QuantMode_t::F322F16;
                f.reluEn = s.relu != 0;
                Fixpipe<half, float, CFG_ROW_MAJOR>(narrow, c, f);
            }
            return;
        case VIA_L1: { // and from there to AIV1
            Fixpipe<C, C, CFG_ROW_MAJOR>(l1, c, Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n));
            SetFlag<HardEvent::FIX_MTE1>(EVENT_ID1);
            WaitFlag<HardEvent::FIX_MTE1>(EVENT_ID1);
            DataCopyL1ToUB<C, 1>(ub, l1, s.m * s.n);
            CrossCoreSetFlag<4, PIPE_MTE1>(16);
            return;
        }
        case UB_ROWS: Fixpipe<C, C, ROWS_TO_UB>(ub, c, Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n)); break;
        case UB_SPLIT_ROWS: {
            auto f = Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n);
            f.dualDstCtl = 1;
            Fixpipe<C, C, ROWS_TO_UB>(ub, c, f);
            CrossCoreSetFlag<4, PIPE_FIX>(16);
            break;
        }
        case UB_SPLIT_COLUMNS: {
            auto f = Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n / 2);
            f.dualDstCtl = 2;
            Fixpipe<C, C, ROWS_TO_UB>(ub, c, f);
            CrossCoreSetFlag<4, PIPE_FIX>(16);
            break;
        }
        case UB_NZ: Fixpipe<C, C, NZ_TO_UB>(ub, c, Params<C, C, CO2Layout::NZ>(s, s.m * 16)); break;
        case UB_COLUMNS: Fixpipe<C, C, COLUMNS_TO_UB>(ub, c, Params<C, C, CO2Layout::COLUMN_MAJOR>(s, s.m)); break;
        case UB_SECOND: {
            auto f = Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n);
            f.subBlockId = true;
            Fixpipe<C, C, ROWS_TO_UB>(ub, c, f);
            CrossCoreSetFlag<4, PIPE_FIX>(16);
            return;
        }
        default: Fixpipe<C, C>(out, c, Params<C, C, CO2Layout::ROW_MAJOR>(s, s.n + 3)); return;
    }
    CrossCoreSetFlag<4, PIPE_FIX>(0);
}

// What came to the UB of this AIV goes on to global memory.
template <typename C> void Vector(const Shape& s, GM_ADDR outGm)
{
    const bool second = GetSubBlockIdx() == 1;
    const bool split = s.output == UB_SPLIT_ROWS || s.output == UB_SPLIT_COLUMNS;
    const bool first = s.output == UB_ROWS || s.output == UB_NZ || s.output == UB_COLUMNS;
    const bool other = s.output == UB_SECOND || s.output == VIA_L1;
    if (!(split || (second ? other : first))) {
        return;
    }
    GlobalTensor<C> out;
    out.SetGlobalBuffer((__gm__ C*)outGm);
    LocalTensor<C> ub(TPosition::VECIN, 0, 32768);
    CrossCoreWaitFlag<4, PIPE_MTE3>(0);
    const uint32_t count = s.m * s.n / (split ? 2 : 1);
    DataCopy(out[second && split ? count : 0], ub, count);
}

template <typename A, typename B, typename C> void Run(const Shape& s, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR out)
{
    if ASCEND_IS_AIC {
        Cube<A, B, C>(s, a, b, bias, out);
    } else {
        Vector<C>(s, out);
    }
}

extern "C" __global__ __aicore__ void cube_3510(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<int32_t> v;
    v.SetGlobalBuffer((__gm__ int32_t*)select);
    Shape s{static_cast<uint32_t>(v.GetValue(1)), static_cast<uint32_t>(v.GetValue(2)), static_cast<uint32_t>(v.GetValue(3)),
        v.GetValue(4), v.GetValue(5), v.GetValue(6), v.GetValue(7), v.GetValue(8), v.GetValue(9)};
    switch (v.GetValue(0)) {
        case 0: Run<half, half, float>(s, a, b, bias, out); return;
        case 1: Run<bfloat16_t, bfloat16_t, float>(s, a, b, bias, out); return;
        case 2: Run<float, float, float>(s, a, b, bias, out); return;
        case 3: Run<int8_t, int8_t, int32_t>(s, a, b, bias, out); return;
        case 4: Run<fp8_e4m3fn_t, fp8_e4m3fn_t, float>(s, a, b, bias, out); return;
        case 5: Run<fp8_e5m2_t, fp8_e4m3fn_t, float>(s, a, b, bias, out); return;
        default: Run<hifloat8_t, hifloat8_t, float>(s, a, b, bias, out); return;
    }
}
