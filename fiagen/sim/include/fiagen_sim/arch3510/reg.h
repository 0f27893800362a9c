// In:    vector functions and the registers they declare.
// Out:   RegTensor, MaskReg and their relatives, and asc_vf_call.
// Never: a register outside a vector function; using one there is a fault.
#ifndef FIAGEN_SIM_ARCH3510_REG_H
#define FIAGEN_SIM_ARCH3510_REG_H
#include "../tensor.h"
#include "limits.h"
#include "params.h"
#include "runtime.h"

namespace AscendC {
namespace Reg {

struct RegTrait {
    int REG_NUM = 1;
};
constexpr RegTrait RegTraitNumOne = {1};
constexpr RegTrait RegTraitNumTwo = {2};

template <typename T, const RegTrait& regTrait = RegTraitNumOne> struct RegTensor : sim::Register {
    static_assert(sizeof(T) <= 4 && regTrait.REG_NUM == 1,
        "fiagen sim: RegTensor is simulated for 1, 2 and 4 byte types in one register");
    using ActualT = T;
    static constexpr RegTrait trait = regTrait;
};
using MaskReg = sim::MaskRegister;
using UnalignReg = sim::UnalignRegister;
using UnalignRegForLoad = sim::UnalignRegister;
using UnalignRegForStore = sim::UnalignRegister;
using AddrReg = sim::AddressRegister;

enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
enum class IndexOrder { INCREASE_ORDER, DECREASE_ORDER };
enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };
enum class HighLowPart { LOWEST, HIGHEST };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };
enum class LoadDist {
    DIST_NORM, DIST_BRC_B8, DIST_BRC_B16, DIST_BRC_B32, DIST_US_B8 = 6, DIST_US_B16, DIST_DS_B8, DIST_DS_B16,
    DIST_BDINTLV, DIST_DINTLV_B8, DIST_DINTLV_B16, DIST_UNPACK_B8, DIST_UNPACK_B16, DIST_BLK, DIST_E2B_B16, DIST_E2B_B32,
    DIST_UNPACK_B32, DIST_DINTLV_B32, DIST_UNPACK4_B8, DIST_SPLT4CHN_B8, DIST_SPLT2CHN_B8, DIST_SPLT2CHN_B16
};
enum class StoreDist {
    DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_FIRST_ELEMENT_B8, DIST_FIRST_ELEMENT_B16, DIST_FIRST_ELEMENT_B32,
    DIST_PACK_B16, DIST_PACK_B32, DIST_INTLV_B8, DIST_INTLV_B16, DIST_PACK_B64, DIST_INTLV_B32, DIST_PACK4_B32,
    DIST_MRG4CHN_B8, DIST_MRG2CHN_B8, DIST_MRG2CHN_B16, DIST_NORM
};
enum class MaskDist { DIST_NORM, DIST_US = 1, DIST_DS = 2, DIST_PACK = 1 };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class DataCopyMode { DATA_BLOCK_COPY };
enum class PairReduce { SUM = 0 };
using ReduceType = AscendC::ReduceType;

struct DefaultType {};
struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};
constexpr CastTrait castTrait = {
    RegLayout::UNKNOWN, SatMode::UNKNOWN, MaskMergeMode::UNKNOWN, RoundMode::UNKNOWN};

template <typename T> AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0)
{
    return {uint64_t{index0} * stride0 * sizeof(T)};
}
template <typename T> AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1)
{
    return {(uint64_t{index0} * stride0 + uint64_t{index1} * stride1) * sizeof(T)};
}
template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
    uint32_t stride2)
{
    return {CreateAddrReg<T>(index0, stride0, index1, stride1).bytes + uint64_t{index2} * stride2 * sizeof(T)};
}
template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
    uint32_t stride2, uint16_t index3, uint32_t stride3)
{
    return {CreateAddrReg<T>(index0, stride0, index1, stride1).bytes +
        CreateAddrReg<T>(index2, stride2, index3, stride3).bytes};
}

} // namespace Reg
namespace MicroAPI = Reg;

namespace sim {
template <typename U> using IfReg = typename std::enable_if<std::is_base_of<Register, U>::value>::type;
// The element type of a call: the one it names, else the one of the register.
template <typename T, typename U>
using Named = typename std::conditional<std::is_same<T, Reg::DefaultType>::value, U, T>::type;
template <typename T, typename U> constexpr void CheckNamed()
{
    static_assert(std::is_same<T, Reg::DefaultType>::value || sizeof(T) == sizeof(typename U::ActualT),
        "fiagen sim: the type a register call names is not as wide as the register's own");
}

// The arguments of a vector function, kept until pipe V reaches it.
template <typename... P> struct VfArguments;
template <> struct VfArguments<> {};
template <typename P, typename... Rest> struct VfArguments<P, Rest...> {
    P first;
    VfArguments<Rest...> rest;
};
inline VfArguments<> KeepArguments() { return {}; }
template <typename P, typename... Rest> VfArguments<P, Rest...> KeepArguments(P first, Rest... rest)
{
    static_assert(std::is_pointer<P>::value || std::is_arithmetic<P>::value || IsOneOf<P, half, bfloat16_t>(),
        "fiagen sim: asc_vf_call passes pointers and numbers, neither structures nor arrays");
    return {first, KeepArguments(rest...)};
}
template <auto function, typename... Done> void CallKept(const VfArguments<>&, Done... done) { function(done...); }
template <auto function, typename P, typename... Rest, typename... Done>
void CallKept(const VfArguments<P, Rest...>& kept, Done... done)
{
    CallKept<function>(kept.rest, done..., kept.first);
}

struct VfCall {
    At at;
    template <auto function, typename... Args> void Call(Args&&... args) const
    {
        const auto kept = KeepAs(function, static_cast<Args&&>(args)...);
        using Kept = typename std::remove_const<decltype(kept)>::type;
        static_assert(sizeof(Kept) <= limits::VF_ARGUMENT_BYTES, "fiagen sim: too many arguments for asc_vf_call");
        CallVf({[](const void* arguments) { CallKept<function>(*static_cast<const Kept*>(arguments)); }, &kept,
                   sizeof(Kept)},
            at);
    }

private:
    template <typename... P, typename... Args> static VfArguments<P...> KeepAs(void (*)(P...), Args&&... args)
    {
        static_assert(sizeof...(P) == sizeof...(Args), "fiagen sim: wrong number of arguments for this vector function");
        return KeepArguments<P...>(static_cast<P>(args)...);
    }
};
} // namespace sim
} // namespace AscendC

inline AscendC::sim::VfCall fiagen_sim_vf(int line) { return {AscendC::sim::At{line}}; }
// asc_vf_call<function>(arguments...); a macro, because nothing else could tell the line behind so many arguments.
#define asc_vf_call fiagen_sim_vf(__LINE__).template Call
#endif
