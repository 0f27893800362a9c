// One library for the cube calls: C = A B (+ A B again, + bias), out by Fixpipe.
// select: {dtype, m, n, k, load form, transposed B, repeats, output form, relu}; see tests/sim/test_cube_api.py.
#include "kernel_operator.h"
using namespace AscendC;

struct Shape {
    uint32_t m, n, k;
    int32_t load, transposed, repeats, output, relu;
};
inline uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

template <typename T> Nd2NzParams WholeMatrix(uint32_t rows, uint32_t columns)
{
    return Nd2NzParams(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(columns), 0, static_cast<uint16_t>(columns),
        static_cast<uint16_t>(Ceil(rows, 16) * 16), 1, 0);
}

template <typename T, typename C> void Run(const Shape& s, GM_ADDR aGm, GM_ADDR bGm, GM_ADDR biasGm, GM_ADDR outGm)
{
    constexpr uint32_t c0 = 32 / sizeof(T), fractal = 512 / sizeof(T);
    const uint32_t mf = Ceil(s.m, 16), nf = Ceil(s.n, 16), kf = Ceil(s.k, c0);
    LocalTensor<T> a1(TPosition::A1, 0, 65536 / sizeof(T)), b1(TPosition::B1, 65536, 131072 / sizeof(T));
    LocalTensor<C> bias1(TPosition::C1, 196608, 256), bias2(TPosition::C2, 0, 256);
    LocalTensor<T> a2(TPosition::A2, 0, 65536 / sizeof(T)), b2(TPosition::B2, 0, 65536 / sizeof(T));
    LocalTensor<C> c(TPosition::CO1, 0, 32768);
    GlobalTensor<T> a, b;
    a.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(aGm));
    b.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bGm));
    if (s.m == 1) {
        DataCopy(a1, a, Ceil(s.k * static_cast<uint32_t>(sizeof(T)), 32) * c0);
    } else {
        DataCopy(a1, a, WholeMatrix<T>(s.m, s.k));
    }
    if (s.load == 2) { // B comes square by square
        DataCopy(b1, b, s.k * s.n);
    } else {
        DataCopy(b1, b, s.transposed ? WholeMatrix<T>(s.n, s.k) : WholeMatrix<T>(s.k, s.n));
    }
    if (s.repeats == 3) {
        GlobalTensor<C> bias;
        bias.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(biasGm));
        DataCopy(bias1, bias, 256);
    }
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    if (s.repeats == 3) {
        DataCopy(bias2, bias1, 256);
    }
    LoadData2DParams p;
    bool loaded = false;
    if constexpr (sizeof(T) == 2) {
        if (s.load == 1 && s.m > 1) { // the 3D form as a block loader
            LoadData3DParamsV2<T> image;
            image.l1H = 1;
            image.l1W = static_cast<uint16_t>(mf * 16);
            image.channelSize = static_cast<uint16_t>(kf * 16);
            image.mExtension = static_cast<uint16_t>(mf * 16);
            image.kExtension = static_cast<uint16_t>(kf * 16);
            LoadData(a2, a1, image);
            image.l1W = static_cast<uint16_t>(kf * 16);
            image.channelSize = static_cast<uint16_t>(nf * 16);
            image.mExtension = static_cast<uint16_t>(kf * 16);
            image.kExtension = static_cast<uint16_t>(nf * 16);
            LoadData(b2, b1, image);
            loaded = true;
        }
    }
    if (!loaded) {
        if (s.m == 1) {
            p.repeatTimes = static_cast<uint8_t>(Ceil(s.k, fractal));
            p.srcStride = 1;
            LoadData(a2, a1, p);
        } else {
            for (uint32_t i = 0; i < mf; ++i) {
                p.startIndex = static_cast<uint16_t>(i);
                p.repeatTimes = static_cast<uint8_t>(kf);
                p.srcStride = static_cast<uint16_t>(mf);
                LoadData(a2[i * kf * fractal], a1, p);
            }
        }
        for (uint32_t i = 0; i < kf && s.load == 2; ++i) { // squares of k x n, transposed on the way
            constexpr uint32_t side = sizeof(T) == 1 ? 32 : 16;
            LoadData2dTransposeParams square;
            square.startIndex = 0;
            square.repeatTimes = 1;
            for (uint32_t j = 0; j < nf; ++j) {
                if (i % (side / c0) == 0 && j % (side / 16) == 0) {
                    // B is zZ in L1 here: the fractals of one square lie side by side.
                    square.dstFracGap = static_cast<uint16_t>(sizeof(T) == 4 ? nf - 1 : 0);
                    LoadDataWithTranspose(b2[(i * nf + j) * fractal], b1[(i / (side / c0) * (nf / (side / 16)) + j / (side / 16)) * side * side], square);
                }
            }
        }
        for (uint32_t i = 0; i < kf && s.load != 2; ++i) {
            p.startIndex = static_cast<uint16_t>(s.transposed ? i * nf : i);
            p.repeatTimes = static_cast<uint8_t>(nf);
            p.srcStride = static_cast<uint16_t>(s.transposed ? 1 : kf);
            p.ifTranspose = s.transposed == 0;
            LoadData(b2[i * nf * fractal], b1, p);
        }
    }
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams mm;
    mm.m = static_cast<uint16_t>(s.m);
    mm.n = static_cast<uint16_t>(s.n);
    mm.k = static_cast<uint16_t>(s.k);
    const bool handshake = s.output == 4;
    mm.unitFlag = handshake && s.repeats == 1 ? 3 : handshake ? 2 : 0;
    if (s.repeats == 3) {
        mm.cmatrixInitVal = false;
        mm.cmatrixSource = true;
        Mmad(c, a2, b2, bias2, mm);
    } else {
        Mmad(c, a2, b2, mm);
    }
    if (s.repeats == 2) {
        PipeBarrier<PIPE_M>();
        mm.cmatrixInitVal = false;
        mm.unitFlag = handshake ? 3 : 0;
        Mmad(c, a2, b2, mm);
    }
    if (!handshake) {
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }
    FixpipeParamsV220 f;
    f.nSize = static_cast<uint16_t>(s.n);
    f.mSize = static_cast<uint16_t>(s.m);
    f.srcStride = static_cast<uint16_t>(mf * 16);
    f.dstStride = s.n + 3;
    f.reluEn = s.relu != 0;
    f.unitFlag = handshake ? 3 : 0;
    if constexpr (std::is_same<C, float>::value) {
        GlobalTensor<float> out;
        GlobalTensor<half> outHalf;
        GlobalTensor<bfloat16_t> outBrain;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(outGm));
        outHalf.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(outGm));
        outBrain.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(outGm));
        switch (s.output) {
            case 1:
                f.quantPre = QuantMode_t::F322F16;
                Fixpipe<half, float, CFG_ROW_MAJOR>(outHalf, c, f);
                break;
            case 2:
                f.quantPre = QuantMode_t::F322BF16;
                Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(outBrain, c, f);
                break;
            case 3: // NZ, half: a column group of 16 is 32 bytes wide
                f.quantPre = QuantMode_t::F322F16;
                f.dstStride = s.m;
                Fixpipe<half, float, CFG_NZ>(outHalf, c, f);
                break;
            case 5:
                SetAtomicAdd<float>();
                Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, f);
                Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, f);
                SetAtomicNone();
                break;
            default: Fixpipe<float, float>(out, c, f); break;
        }
    } else {
        GlobalTensor<C> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(outGm));
        Fixpipe<C, C>(out, c, f);
    }
}

extern "C" __global__ __aicore__ void cube_api(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR out, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<int32_t> v;
    v.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(select));
    Shape s{static_cast<uint32_t>(v.GetValue(1)), static_cast<uint32_t>(v.GetValue(2)), static_cast<uint32_t>(v.GetValue(3)),
        v.GetValue(4), v.GetValue(5), v.GetValue(6), v.GetValue(7), v.GetValue(8)};
    switch (v.GetValue(0)) {
        case 0: Run<half, float>(s, a, b, bias, out); return;
        case 1: Run<bfloat16_t, float>(s, a, b, bias, out); return;
        case 2: Run<float, float>(s, a, b, bias, out); return;
        default: Run<int8_t, int32_t>(s, a, b, bias, out); return;
    }
}
