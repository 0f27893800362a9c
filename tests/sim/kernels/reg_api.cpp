// One library for the register calls: x, y and z come to UB, one vector function reads them and writes out, which goes back.
// select: {what, type, n, mode}; see tests/sim/test_reg_api.py. Every array has 4096 bytes in UB.
#include "kernel_operator.h"
using namespace AscendC;
using namespace AscendC::Reg;

enum What {
    BINARY, SCALAR, UNARY, ACCUMULATE, COMPARE, REDUCE, REDUCE_BLOCK, PAIR, LOAD, STORE, BLOCKS, UNALIGNED, INTERLEAVE, PACK, FILL,
    MASKS, EXPSUB, MASK_MEMORY, MERGE
};


template <typename T> __simd_vf__ inline void BinaryVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y, uint32_t n, uint16_t times, int32_t mode)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, b, c;
    MaskReg mask;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<T>(n);
        LoadAlign(a, x + i * lanes);
        LoadAlign(b, y + i * lanes);
        switch (mode) {
            case 0: Add(c, a, b, mask); break;
            case 1: Sub(c, a, b, mask); break;
            case 2: Max(c, a, b, mask); break;
            case 3: Min(c, a, b, mask); break;
            case 4:
                if constexpr (sizeof(T) > 1) {
                    Mul(c, a, b, mask);
                }
                break;
            case 5:
                if constexpr (sim::IsReal<T>()) {
                    Div(c, a, b, mask);
                }
                break;
            case 6:
                if constexpr (sim::IsReal<T>()) {
                    AbsSub(c, a, b, mask);
                }
                break;
            case 7:
                if constexpr (sim::IsReal<T>()) {
                    Prelu(c, a, b, mask);
                }
                break;
            case 8:
                if constexpr (std::is_integral<T>::value) {
                    And(c, a, b, mask);
                }
                break;
            case 9:
                if constexpr (std::is_integral<T>::value) {
                    Or(c, a, b, mask);
                }
                break;
            case 10:
                if constexpr (std::is_integral<T>::value) {
                    Xor(c, a, b, mask);
                }
                break;
            case 11:
                if constexpr (std::is_integral<T>::value) {
                    ShiftLeft(c, a, b, mask);
                }
                break;
            default:
                if constexpr (std::is_integral<T>::value) {
                    ShiftRight(c, a, b, mask);
                }
                break;
        }
        StoreAlign(out + i * lanes, c, mask);
    }
}

template <typename T> __simd_vf__ inline void ScalarVf(__ubuf__ T* out, __ubuf__ T* x, T s, uint32_t n, uint16_t times, int32_t mode)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, c;
    MaskReg mask;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<T>(n);
        LoadAlign<T, PostLiteral::POST_MODE_UPDATE>(a, x, lanes);
        switch (mode) {
            case 0: Adds(c, a, s, mask); break;
            case 1: Maxs(c, a, s, mask); break;
            case 2: Mins(c, a, s, mask); break;
            case 3:
                if constexpr (sizeof(T) > 1) {
                    Muls(c, a, s, mask);
                }
                break;
            case 4:
                if constexpr (sim::IsReal<T>()) {
                    LeakyRelu(c, a, s, mask);
                }
                break;
            case 5:
                if constexpr (std::is_integral<T>::value) {
                    ShiftLefts(c, a, s, mask);
                }
                break;
            default:
                if constexpr (std::is_integral<T>::value) {
                    ShiftRights(c, a, s, mask);
                }
                break;
        }
        StoreAlign<T, PostLiteral::POST_MODE_UPDATE>(out, c, lanes, mask);
    }
}

template <typename T> __simd_vf__ inline void UnaryVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t n, uint16_t times, int32_t mode)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    constexpr bool real = sim::IsReal<T>();
    RegTensor<T> a, c;
    MaskReg mask;
    AddrReg offset;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<T>(n);
        offset = CreateAddrReg<T>(i, lanes);
        LoadAlign(a, x, offset);
        if constexpr (real) {
            switch (mode) {
                case 0: Abs(c, a, mask); break;
                case 1: Neg(c, a, mask); break;
                case 2: Relu(c, a, mask); break;
                case 3: Exp(c, a, mask); break;
                case 4: Sqrt(c, a, mask); break;
                case 5: Ln(c, a, mask); break;
                case 6: Log(c, a, mask); break;
                case 7: Log2(c, a, mask); break;
                default: Log10(c, a, mask); break;
            }
        } else if constexpr (std::is_integral<T>::value) {
            if constexpr (std::is_signed<T>::value) {
                if (mode == 0) {
                    Abs(c, a, mask);
                } else if (mode == 1) {
                    Neg(c, a, mask);
                }
            }
            if (mode > 1) {
                Not(c, a, mask);
            }
        }
        StoreAlign(out, c, offset, mask);
    }
}

template <typename T>
__simd_vf__ inline void AccumulateVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y, __ubuf__ T* z, T s, uint32_t n, uint16_t times, int32_t mode)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, b, c;
    MaskReg mask;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<T>(n);
        LoadAlign(a, x + i * lanes);
        LoadAlign(b, y + i * lanes);
        LoadAlign(c, z + i * lanes);
        if (mode == 0) {
            MulAddDst(c, a, b, mask);
        } else if constexpr (sim::IsReal<T>()) {
            if (mode == 1) {
                MulDstAdd(c, a, b, mask);
            } else {
                Axpy(c, a, s, mask);
            }
        }
        StoreAlign(out + i * lanes, c, mask);
    }
}

template <typename T, CMPMODE mode, bool scalar>
__simd_vf__ inline void CompareVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y, T s, uint32_t n, uint16_t times)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, b, c;
    MaskReg mask, chosen;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<T>(n);
        LoadAlign(a, x + i * lanes);
        LoadAlign(b, y + i * lanes);
        if constexpr (scalar) {
            Compares<T, mode>(chosen, a, s, mask);
        } else {
            Compare<T, mode>(chosen, a, b, mask);
        }
        Select(c, a, b, chosen);
        StoreAlign(out + i * lanes, c, mask);
    }
}

template <typename To, typename T, ReduceType type>
__simd_vf__ inline void ReduceVf(__ubuf__ To* out, __ubuf__ T* x, uint32_t n, int32_t blocks)
{
    RegTensor<T> a;
    RegTensor<To> c;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<To>();
    LoadAlign(a, x);
    if (blocks != 0) {
        ReduceDataBlock<type>(c, a, mask);
    } else {
        Reduce<type>(c, a, mask);
    }
    StoreAlign(out, c, whole);
}
template <typename T> __simd_vf__ inline void PairVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t n)
{
    RegTensor<T> a, c;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<T>();
    LoadAlign(a, x);
    PairReduceElem(c, a, mask);
    StoreAlign(out, c, whole);
}

template <typename T, LoadDist dist> __simd_vf__ inline void LoadVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t offset)
{
    RegTensor<T> a;
    MaskReg whole = CreateMask<T>();
    LoadAlign<T, dist>(a, x + offset);
    StoreAlign(out, a, whole);
}
template <typename T, LoadDist dist> __simd_vf__ inline void LoadTwoVf(__ubuf__ T* out, __ubuf__ T* x)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, b;
    MaskReg whole = CreateMask<T>();
    LoadAlign<T, dist>(a, b, x);
    StoreAlign(out, a, whole);
    StoreAlign(out + lanes, b, whole);
}
template <typename T, StoreDist dist> __simd_vf__ inline void StoreVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t n)
{
    RegTensor<T> a;
    MaskReg mask = UpdateMask<T>(n);
    LoadAlign(a, x);
    StoreAlign<T, dist>(out, a, mask);
}
template <typename T, StoreDist dist> __simd_vf__ inline void StoreTwoVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y)
{
    RegTensor<T> a, b;
    MaskReg whole = CreateMask<T>();
    LoadAlign(a, x);
    LoadAlign(b, y);
    StoreAlign<T, dist>(out, a, b, whole);
}
template <typename T> __simd_vf__ inline void BlocksVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t n, uint32_t stride, int32_t post)
{
    RegTensor<T> a;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<T>();
    if (post != 0) {
        for (uint16_t i = 0; i < 2; ++i) {
            LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(a, x, stride, 1, whole);
            StoreAlign<T, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(out, a, stride, 1, whole);
        }
        return;
    }
    LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY>(a, x, stride, mask);
    StoreAlign<T, DataCopyMode::DATA_BLOCK_COPY>(out, a, stride, whole);
}
template <typename T> __simd_vf__ inline void UnalignedVf(__ubuf__ T* out, __ubuf__ T* x, uint32_t from, uint32_t to, uint32_t step, uint16_t times)
{
    RegTensor<T> a;
    UnalignRegForLoad in;
    UnalignRegForStore back;
    x += from;
    out += to;
    for (uint16_t i = 0; i < times; ++i) {
        LoadUnAlignPre(in, x);
        LoadUnAlign(a, in, x, step);
        StoreUnAlign(out, a, back, step);
    }
    StoreUnAlignPost(out, back, 0);
}
template <typename T> __simd_vf__ inline void InterleaveVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y, int32_t apart)
{
    constexpr uint16_t lanes = GetVecLen() / sizeof(T);
    RegTensor<T> a, b;
    MaskReg whole = CreateMask<T>();
    LoadAlign(a, x);
    LoadAlign(b, y);
    if (apart != 0) {
        DeInterleave(a, b, a, b);
    } else {
        Interleave(a, b, a, b);
    }
    StoreAlign(out, a, whole);
    StoreAlign(out + lanes, b, whole);
}
template <typename T, typename W> __simd_vf__ inline void PackVf(__ubuf__ T* out, __ubuf__ W* x, int32_t high)
{
    RegTensor<W> a;
    RegTensor<T> c;
    MaskReg whole = CreateMask<T>();
    LoadAlign(a, x);
    if (high != 0) {
        Pack<T, W, HighLowPart::HIGHEST>(c, a);
    } else {
        Pack<T, W>(c, a);
    }
    StoreAlign(out, c, whole);
}
template <typename W, typename T> __simd_vf__ inline void UnpackVf(__ubuf__ W* out, __ubuf__ T* x, int32_t high)
{
    RegTensor<T> a;
    RegTensor<W> c;
    MaskReg whole = CreateMask<W>();
    LoadAlign(a, x);
    if (high != 0) {
        UnPack<W, T, HighLowPart::HIGHEST>(c, a);
    } else {
        UnPack<W, T>(c, a);
    }
    StoreAlign(out, c, whole);
}
template <typename T> __simd_vf__ inline void FillVf(__ubuf__ T* out, __ubuf__ T* x, T s, uint32_t n, int32_t mode)
{
    RegTensor<T> a, c;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<T>();
    LoadAlign(a, x);
    LoadAlign(c, x);
    switch (mode) {
        case 0: Duplicate(c, s); break;
        case 1: Duplicate(c, s, mask); break;
        case 2: Duplicate<T, MaskMergeMode::MERGING>(c, s, mask); break;
        case 3: Duplicate(c, a, mask); break;
        case 4: Move(c, a); break;
        default:
            if constexpr (sim::IsReal<T>() || sim::IsOneOf<T, int16_t, int32_t>()) {
                if (mode == 5) {
                    Arange(c, s);
                } else {
                    Arange<T, IndexOrder::DECREASE_ORDER>(c, s);
                }
            }
            break;
    }
    StoreAlign(out, c, whole);
}
template <MaskPattern pattern> __simd_vf__ inline void PatternVf(__ubuf__ float* out, __ubuf__ float* x)
{
    RegTensor<float> a, c;
    MaskReg mask = CreateMask<float, pattern>(), whole = CreateMask<float>();
    LoadAlign(a, x);
    Adds(c, a, 1.0f, mask);
    StoreAlign(out, c, whole);
}
__simd_vf__ inline void MaskLogicVf(__ubuf__ half* out, __ubuf__ half* x, uint32_t n, int32_t mode)
{
    RegTensor<half> a, c;
    MaskReg first = UpdateMask<half>(n), third = CreateMask<half, MaskPattern::M3>(), whole = CreateMask<half>(), mask, other;
    LoadAlign(a, x);
    switch (mode) {
        case 0: And(mask, first, third, whole); break;
        case 1: Or(mask, first, third, whole); break;
        case 2: Xor(mask, first, third, whole); break;
        case 3: Not(mask, first, whole); break;
        case 4: Move(mask, third, first); break;
        case 5: Select(mask, third, first, first); break;
        case 6: Interleave<half>(mask, other, first, third); break;
        case 7: DeInterleave<half>(other, mask, first, third); break;
        case 8: {
            MaskReg wide = CreateMask<float, MaskPattern::M3>();
            Pack(mask, wide);
            break;
        }
        default: {
            MaskReg narrow = CreateMask<uint8_t, MaskPattern::M3>();
            UnPack<HighLowPart::HIGHEST>(mask, narrow);
            break;
        }
    }
    Adds(c, a, static_cast<half>(1.0f), mask);
    StoreAlign(out, c, whole);
}
template <typename T, RegLayout layout> __simd_vf__ inline void ExpSubVf(__ubuf__ float* out, __ubuf__ T* x, __ubuf__ T* y, uint32_t n)
{
    RegTensor<T> a, b;
    RegTensor<float> c;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<float>();
    LoadAlign(a, x);
    LoadAlign(b, y);
    ExpSub<float, T, layout>(c, a, b, mask);
    StoreAlign(out, c, whole);
}
__simd_vf__ inline void MaskMemoryVf(__ubuf__ float* out, __ubuf__ float* x, __ubuf__ uint8_t* bits, __ubuf__ uint8_t* copy, int32_t mode)
{
    RegTensor<float> a, c;
    MaskReg mask, whole = CreateMask<float>();
    if (mode == 1) {
        LoadAlign<uint8_t, MaskDist::DIST_US>(mask, bits);
    } else if (mode == 2) {
        LoadAlign<uint8_t, MaskDist::DIST_DS>(mask, bits);
    } else {
        LoadAlign(mask, bits);
    }
    LoadAlign(a, x);
    Adds(c, a, 1.0f, mask);
    StoreAlign(out, c, whole);
    if (mode == 3) {
        StoreAlign<uint8_t, MaskDist::DIST_PACK>(copy, mask);
    } else {
        StoreAlign(copy, mask);
    }
}
template <typename T> __simd_vf__ inline void MergeVf(__ubuf__ T* out, __ubuf__ T* x, __ubuf__ T* y, __ubuf__ T* z, uint32_t n, int32_t mode)
{
    RegTensor<T> a, b, c;
    MaskReg mask = UpdateMask<T>(n), whole = CreateMask<T>();
    LoadAlign(a, x);
    LoadAlign(b, y);
    LoadAlign(c, z);
    switch (mode) {
        case 0: Add<T, MaskMergeMode::MERGING>(c, a, b, mask); break;
        case 1: Max<T, MaskMergeMode::MERGING>(c, a, b, mask); break;
        case 2: Min<T, MaskMergeMode::MERGING>(c, a, b, mask); break;
        default: Move(c, a, mask); break;
    }
    StoreAlign(out, c, whole);
}

constexpr uint32_t BYTES = 4096;

template <typename T> struct Ub {
    LocalTensor<T> x{TPosition::VECIN, 0, BYTES / sizeof(T)}, y{TPosition::VECIN, BYTES, BYTES / sizeof(T)},
        z{TPosition::VECIN, 2 * BYTES, BYTES / sizeof(T)}, out{TPosition::VECOUT, 3 * BYTES, BYTES / sizeof(T)};
    template <typename U> static __ubuf__ U* At(const LocalTensor<T>& tensor) { return (__ubuf__ U*)tensor.GetPhyAddr(); }
};

template <typename T> void Call(const Ub<T>& ub, int32_t what, uint32_t n, int32_t mode, T scalar)
{
    constexpr uint32_t lanes = GetVecLen() / sizeof(T);
    __ubuf__ T* x = (__ubuf__ T*)ub.x.GetPhyAddr();
    __ubuf__ T* y = (__ubuf__ T*)ub.y.GetPhyAddr();
    __ubuf__ T* z = (__ubuf__ T*)ub.z.GetPhyAddr();
    __ubuf__ T* out = (__ubuf__ T*)ub.out.GetPhyAddr();
    const uint16_t times = static_cast<uint16_t>(CeilDivision(n, lanes));
    switch (what) {
        case BINARY: asc_vf_call<BinaryVf<T>>(out, x, y, n, times, mode); return;
        case SCALAR: asc_vf_call<ScalarVf<T>>(out, x, scalar, n, times, mode); return;
        case UNARY: asc_vf_call<UnaryVf<T>>(out, x, n, times, mode); return;
        case ACCUMULATE:
            if constexpr (sizeof(T) > 1) {
                asc_vf_call<AccumulateVf<T>>(out, x, y, z, scalar, n, times, mode);
            }
            return;
        case COMPARE:
            switch (mode) {
                case 0: asc_vf_call<CompareVf<T, CMPMODE::LT, false>>(out, x, y, scalar, n, times); return;
                case 1: asc_vf_call<CompareVf<T, CMPMODE::GT, false>>(out, x, y, scalar, n, times); return;
                case 2: asc_vf_call<CompareVf<T, CMPMODE::EQ, false>>(out, x, y, scalar, n, times); return;
                case 3: asc_vf_call<CompareVf<T, CMPMODE::LE, false>>(out, x, y, scalar, n, times); return;
                case 4: asc_vf_call<CompareVf<T, CMPMODE::GE, true>>(out, x, y, scalar, n, times); return;
                default: asc_vf_call<CompareVf<T, CMPMODE::NE, true>>(out, x, y, scalar, n, times); return;
            }
        case REDUCE:
        case REDUCE_BLOCK: {
            const int32_t blocks = what == REDUCE_BLOCK;
            if constexpr (sim::IsReal<T>() || sizeof(T) == 4) {
                if (mode == 0) {
                    asc_vf_call<ReduceVf<T, T, AscendC::ReduceType::SUM>>(out, x, n, blocks);
                }
            } else if constexpr (std::is_same<T, int16_t>::value) {
                if (mode == 0) {
                    asc_vf_call<ReduceVf<int32_t, T, AscendC::ReduceType::SUM>>(Ub<T>::template At<int32_t>(ub.out), x, n, blocks);
                }
            }
            if constexpr (!std::is_same<T, bfloat16_t>::value && sizeof(T) > 1) {
                if (mode == 1) {
                    asc_vf_call<ReduceVf<T, T, AscendC::ReduceType::MAX>>(out, x, n, blocks);
                } else if (mode == 2) {
                    asc_vf_call<ReduceVf<T, T, AscendC::ReduceType::MIN>>(out, x, n, blocks);
                }
            }
            return;
        }
        case PAIR:
            if constexpr (sim::IsReal<T>()) {
                asc_vf_call<PairVf<T>>(out, x, n);
            }
            return;
        case LOAD:
            switch (mode) {
                case 0: asc_vf_call<LoadVf<T, LoadDist::DIST_NORM>>(out, x, n); return;
                case 1: asc_vf_call<LoadVf<T, LoadDist::DIST_BLK>>(out, x, n); return;
                default: break;
            }
            if constexpr (sizeof(T) == 1) {
                switch (mode) {
                    case 2: asc_vf_call<LoadVf<T, LoadDist::DIST_BRC_B8>>(out, x, n); return;
                    case 3: asc_vf_call<LoadVf<T, LoadDist::DIST_US_B8>>(out, x, n); return;
                    case 4: asc_vf_call<LoadVf<T, LoadDist::DIST_DS_B8>>(out, x, n); return;
                    case 5: asc_vf_call<LoadVf<T, LoadDist::DIST_UNPACK_B8>>(out, x, n); return;
                    case 6: asc_vf_call<LoadVf<T, LoadDist::DIST_UNPACK4_B8>>(out, x, n); return;
                    default: asc_vf_call<LoadTwoVf<T, LoadDist::DIST_DINTLV_B8>>(out, x); return;
                }
            } else if constexpr (sizeof(T) == 2) {
                switch (mode) {
                    case 2: asc_vf_call<LoadVf<T, LoadDist::DIST_BRC_B16>>(out, x, n); return;
                    case 3: asc_vf_call<LoadVf<T, LoadDist::DIST_US_B16>>(out, x, n); return;
                    case 4: asc_vf_call<LoadVf<T, LoadDist::DIST_DS_B16>>(out, x, n); return;
                    case 5: asc_vf_call<LoadVf<T, LoadDist::DIST_UNPACK_B16>>(out, x, n); return;
                    case 6: asc_vf_call<LoadVf<T, LoadDist::DIST_E2B_B16>>(out, x, n); return;
                    default: asc_vf_call<LoadTwoVf<T, LoadDist::DIST_DINTLV_B16>>(out, x); return;
                }
            } else {
                switch (mode) {
                    case 2: asc_vf_call<LoadVf<T, LoadDist::DIST_BRC_B32>>(out, x, n); return;
                    case 5: asc_vf_call<LoadVf<T, LoadDist::DIST_UNPACK_B32>>(out, x, n); return;
                    case 6: asc_vf_call<LoadVf<T, LoadDist::DIST_E2B_B32>>(out, x, n); return;
                    default: asc_vf_call<LoadTwoVf<T, LoadDist::DIST_DINTLV_B32>>(out, x); return;
                }
            }
            return;
        case STORE:
            if (mode == 0) {
                asc_vf_call<StoreVf<T, StoreDist::DIST_NORM>>(out, x, n);
                return;
            }
            if constexpr (sizeof(T) == 1) {
                switch (mode) {
                    case 1: asc_vf_call<StoreVf<T, StoreDist::DIST_FIRST_ELEMENT_B8>>(out, x, n); return;
                    default: asc_vf_call<StoreTwoVf<T, StoreDist::DIST_INTLV_B8>>(out, x, y); return;
                }
            } else if constexpr (sizeof(T) == 2) {
                switch (mode) {
                    case 1: asc_vf_call<StoreVf<T, StoreDist::DIST_FIRST_ELEMENT_B16>>(out, x, n); return;
                    case 2: asc_vf_call<StoreVf<T, StoreDist::DIST_PACK_B16>>(out, x, n); return;
                    default: asc_vf_call<StoreTwoVf<T, StoreDist::DIST_INTLV_B16>>(out, x, y); return;
                }
            } else {
                switch (mode) {
                    case 1: asc_vf_call<StoreVf<T, StoreDist::DIST_FIRST_ELEMENT_B32>>(out, x, n); return;
                    case 2: asc_vf_call<StoreVf<T, StoreDist::DIST_PACK_B32>>(out, x, n); return;
                    case 3: asc_vf_call<StoreVf<T, StoreDist::DIST_PACK4_B32>>(out, x, n); return;
                    default: asc_vf_call<StoreTwoVf<T, StoreDist::DIST_INTLV_B32>>(out, x, y); return;
                }
            }
            return;
        case BLOCKS: asc_vf_call<BlocksVf<T>>(out, x, n, 3u, mode); return;
        case UNALIGNED:
            asc_vf_call<UnalignedVf<T>>(out, x, 3u, n, mode == 0 ? lanes : lanes - 5, static_cast<uint16_t>(3));
            return;
        case INTERLEAVE: asc_vf_call<InterleaveVf<T>>(out, x, y, mode); return;
        case PACK:
            if constexpr (sizeof(T) == 1 && std::is_unsigned<T>::value) {
                if (mode < 2) {
                    asc_vf_call<PackVf<uint8_t, uint16_t>>(Ub<T>::template At<uint8_t>(ub.out), Ub<T>::template At<uint16_t>(ub.x), mode);
                } else {
                    asc_vf_call<UnpackVf<uint16_t, uint8_t>>(Ub<T>::template At<uint16_t>(ub.out), Ub<T>::template At<uint8_t>(ub.x), mode - 2);
                }
            } else if constexpr (std::is_same<T, int16_t>::value) {
                if (mode < 2) {
                    asc_vf_call<PackVf<uint16_t, int32_t>>(Ub<T>::template At<uint16_t>(ub.out), Ub<T>::template At<int32_t>(ub.x), mode);
                } else {
                    asc_vf_call<UnpackVf<int32_t, int16_t>>(Ub<T>::template At<int32_t>(ub.out), x, mode - 2);
                }
            }
            return;
        case FILL: asc_vf_call<FillVf<T>>(out, x, scalar, n, mode); return;
        case EXPSUB:
            if constexpr (sim::IsReal<T>()) {
                if (mode == 0) {
                    asc_vf_call<ExpSubVf<T, RegLayout::ZERO>>(Ub<T>::template At<float>(ub.out), x, y, n);
                } else {
                    asc_vf_call<ExpSubVf<T, RegLayout::ONE>>(Ub<T>::template At<float>(ub.out), x, y, n);
                }
            }
            return;
        case MERGE: asc_vf_call<MergeVf<T>>(out, x, y, z, n, mode); return;
        case MASK_MEMORY:
            if constexpr (std::is_same<T, float>::value) {
                asc_vf_call<MaskMemoryVf>(out, x, Ub<T>::template At<uint8_t>(ub.y), Ub<T>::template At<uint8_t>(ub.out) + 2048, mode);
            }
            return;
        case MASKS:
            if constexpr (std::is_same<T, half>::value) {
                asc_vf_call<MaskLogicVf>(out, x, n, mode);
            } else if constexpr (std::is_same<T, float>::value) {
                switch (mode) {
                    case 0: asc_vf_call<PatternVf<MaskPattern::ALL>>(out, x); return;
                    case 1: asc_vf_call<PatternVf<MaskPattern::VL3>>(out, x); return;
                    case 2: asc_vf_call<PatternVf<MaskPattern::VL32>>(out, x); return;
                    case 3: asc_vf_call<PatternVf<MaskPattern::VL128>>(out, x); return;
                    case 4: asc_vf_call<PatternVf<MaskPattern::M3>>(out, x); return;
                    case 5: asc_vf_call<PatternVf<MaskPattern::M4>>(out, x); return;
                    case 6: asc_vf_call<PatternVf<MaskPattern::H>>(out, x); return;
                    case 7: asc_vf_call<PatternVf<MaskPattern::Q>>(out, x); return;
                    default: asc_vf_call<PatternVf<MaskPattern::ALLF>>(out, x); return;
                }
            }
            return;
        default: return;
    }
}

template <typename T> void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR zGm, GM_ADDR outGm, GM_ADDR scalarGm, const GlobalTensor<int32_t>& v)
{
    Ub<T> ub;
    GlobalTensor<T> x, y, z, out, scalar;
    x.SetGlobalBuffer((__gm__ T*)xGm);
    y.SetGlobalBuffer((__gm__ T*)yGm);
    z.SetGlobalBuffer((__gm__ T*)zGm);
    out.SetGlobalBuffer((__gm__ T*)outGm);
    scalar.SetGlobalBuffer((__gm__ T*)scalarGm);
    DataCopy(ub.x, x, BYTES / sizeof(T));
    DataCopy(ub.y, y, BYTES / sizeof(T));
    DataCopy(ub.z, z, BYTES / sizeof(T));
    DataCopy(ub.out, out, BYTES / sizeof(T));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Call<T>(ub, v.GetValue(0), static_cast<uint32_t>(v.GetValue(2)), v.GetValue(3), scalar.GetValue(0));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, ub.out, BYTES / sizeof(T));
}

extern "C" __global__ __aicore__ void reg_api(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, GM_ADDR scalar, GM_ADDR select)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<int32_t> v;
    v.SetGlobalBuffer((__gm__ int32_t*)select);
    switch (v.GetValue(1)) {
        case 0: Run<float>(x, y, z, out, scalar, v); return;
        case 1: Run<half>(x, y, z, out, scalar, v); return;
        case 2: Run<bfloat16_t>(x, y, z, out, scalar, v); return;
        case 3: Run<int8_t>(x, y, z, out, scalar, v); return;
        case 4: Run<uint8_t>(x, y, z, out, scalar, v); return;
        case 5: Run<int16_t>(x, y, z, out, scalar, v); return;
        case 6: Run<uint16_t>(x, y, z, out, scalar, v); return;
        case 7: Run<int32_t>(x, y, z, out, scalar, v); return;
        default: Run<uint32_t>(x, y, z, out, scalar, v); return;
    }
}
