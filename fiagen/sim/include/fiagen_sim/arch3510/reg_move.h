// In:    loads and stores between UB and registers as a vector function writes them.
// Out:   calls of the runtime with plain addresses.
// Never: a distribution that 3510 does not have; those stop the compiler.
#ifndef FIAGEN_SIM_ARCH3510_REG_MOVE_H
#define FIAGEN_SIM_ARCH3510_REG_MOVE_H
#include "reg.h"

namespace AscendC {
namespace sim {
template <typename T> uint64_t AddressOf(const T* pointer) { return reinterpret_cast<uint64_t>(pointer); }

struct LoadForm {
    RegLoad dist;
    uint32_t size;
    bool dual;
};
constexpr LoadForm FormOf(Reg::LoadDist dist, uint32_t size)
{
    using D = Reg::LoadDist;
    switch (dist) {
        case D::DIST_NORM: return {RegLoad::NORM, size, false};
        case D::DIST_BRC_B8: return {RegLoad::BRC, 1, false};
        case D::DIST_BRC_B16: return {RegLoad::BRC, 2, false};
        case D::DIST_BRC_B32: return {RegLoad::BRC, 4, false};
        case D::DIST_US_B8: return {RegLoad::US, 1, false};
        case D::DIST_US_B16: return {RegLoad::US, 2, false};
        case D::DIST_DS_B8: return {RegLoad::DS, 1, false};
        case D::DIST_DS_B16: return {RegLoad::DS, 2, false};
        case D::DIST_UNPACK_B8: return {RegLoad::UNPACK, 1, false};
        case D::DIST_UNPACK_B16: return {RegLoad::UNPACK, 2, false};
        case D::DIST_UNPACK_B32: return {RegLoad::UNPACK, 4, false};
        case D::DIST_UNPACK4_B8: return {RegLoad::UNPACK4, 1, false};
        case D::DIST_BLK: return {RegLoad::BLK, size, false};
        case D::DIST_E2B_B16: return {RegLoad::E2B, 2, false};
        case D::DIST_E2B_B32: return {RegLoad::E2B, 4, false};
        case D::DIST_DINTLV_B8: return {RegLoad::DINTLV, 1, true};
        case D::DIST_DINTLV_B16: return {RegLoad::DINTLV, 2, true};
        case D::DIST_DINTLV_B32: return {RegLoad::DINTLV, 4, true};
        default: return {RegLoad::NORM, 0, false};
    }
}
struct StoreForm {
    RegStore dist;
    uint32_t size;
    bool dual;
};
constexpr StoreForm FormOf(Reg::StoreDist dist, uint32_t size)
{
    using D = Reg::StoreDist;
    switch (dist) {
        case D::DIST_NORM: return {RegStore::NORM, size, false};
        case D::DIST_NORM_B8: return {RegStore::NORM, 1, false};
        case D::DIST_NORM_B16: return {RegStore::NORM, 2, false};
        case D::DIST_NORM_B32: return {RegStore::NORM, 4, false};
        case D::DIST_FIRST_ELEMENT_B8: return {RegStore::FIRST, 1, false};
        case D::DIST_FIRST_ELEMENT_B16: return {RegStore::FIRST, 2, false};
        case D::DIST_FIRST_ELEMENT_B32: return {RegStore::FIRST, 4, false};
        case D::DIST_PACK_B16: return {RegStore::PACK, 2, false};
        case D::DIST_PACK_B32: return {RegStore::PACK, 4, false};
        case D::DIST_PACK4_B32: return {RegStore::PACK4, 4, false};
        case D::DIST_INTLV_B8: return {RegStore::INTLV, 1, true};
        case D::DIST_INTLV_B16: return {RegStore::INTLV, 2, true};
        case D::DIST_INTLV_B32: return {RegStore::INTLV, 4, true};
        default: return {RegStore::NORM, 0, false};
    }
}
template <Reg::LoadDist dist, typename T> constexpr LoadForm SingleLoad()
{
    constexpr LoadForm form = FormOf(dist, sizeof(T));
    static_assert(form.size != 0, "fiagen sim: 3510 does not have this LoadDist, or it is not simulated");
    static_assert(!form.dual, "fiagen sim: this LoadDist fills two registers");
    return form;
}
template <Reg::LoadDist dist, typename T> constexpr LoadForm DualLoad()
{
    constexpr LoadForm form = FormOf(dist, sizeof(T));
    static_assert(form.size != 0 && form.dual, "fiagen sim: a load of two registers takes DIST_DINTLV_B8, _B16 or _B32");
    return form;
}
template <Reg::StoreDist dist, typename T> constexpr StoreForm SingleStore()
{
    constexpr StoreForm form = FormOf(dist, sizeof(T));
    static_assert(form.size != 0, "fiagen sim: 3510 does not have this StoreDist, or it is not simulated");
    static_assert(!form.dual, "fiagen sim: this StoreDist takes two registers");
    return form;
}
template <Reg::StoreDist dist, typename T> constexpr StoreForm DualStore()
{
    constexpr StoreForm form = FormOf(dist, sizeof(T));
    static_assert(form.size != 0 && form.dual, "fiagen sim: a store of two registers takes DIST_INTLV_B8, _B16 or _B32");
    return form;
}
template <Reg::PostLiteral mode> constexpr void CheckUpdate()
{
    static_assert(mode == Reg::PostLiteral::POST_MODE_UPDATE, "fiagen sim: this call takes POST_MODE_UPDATE only");
}
template <Reg::MemType src, Reg::MemType dst> constexpr MemBar MemBarOf()
{
    using M = Reg::MemType;
    constexpr bool scalar = src == M::SCALAR_STORE || src == M::SCALAR_LOAD || src == M::SCALAR_ALL ||
        dst == M::SCALAR_STORE || dst == M::SCALAR_LOAD || dst == M::SCALAR_ALL;
    constexpr bool all = (src == M::VEC_ALL) == (dst == M::VEC_ALL || dst == M::SCALAR_ALL) || src == M::SCALAR_ALL;
    static_assert(all && !(src == M::VEC_LOAD && dst == M::VEC_LOAD), "fiagen sim: LocalMemBar has no such pair");
    return scalar                                   ? MemBar::NONE // no scalar access of UB is simulated in a vector function
        : src == M::VEC_ALL                         ? MemBar::ALL
        : src == M::VEC_LOAD                        ? MemBar::LOAD_STORE
        : dst == M::VEC_LOAD                        ? MemBar::STORE_LOAD
                                                    : MemBar::STORE_STORE;
}
} // namespace sim

namespace Reg {

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg, __ubuf__ T* srcAddr, sim::At at = sim::At::Here())
{
    constexpr sim::LoadForm form = sim::SingleLoad<dist, T>();
    sim::RegLoadAlign(dstReg, nullptr, sim::AddressOf(srcAddr), form.dist, form.size, at);
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U,
    typename = sim::IfReg<U>>
void LoadAlign(U& dstReg, __ubuf__ T*& srcAddr, int32_t postUpdateStride, sim::At at = sim::At::Here())
{
    sim::CheckUpdate<postMode>();
    constexpr sim::LoadForm form = sim::SingleLoad<dist, T>();
    sim::RegLoadAlign(dstReg, nullptr, sim::AddressOf(srcAddr), form.dist, form.size, at);
    srcAddr += postUpdateStride;
}
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg, __ubuf__ T* srcAddr, AddrReg offset, sim::At at = sim::At::Here())
{
    constexpr sim::LoadForm form = sim::SingleLoad<dist, T>();
    sim::RegLoadAlign(dstReg, nullptr, sim::AddressOf(srcAddr) + offset.bytes, form.dist, form.size, at);
}
template <typename T = DefaultType, LoadDist dist, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T* srcAddr, sim::At at = sim::At::Here())
{
    constexpr sim::LoadForm form = sim::DualLoad<dist, T>();
    sim::RegLoadAlign(dstReg0, &dstReg1, sim::AddressOf(srcAddr), form.dist, form.size, at);
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T*& srcAddr, int32_t postUpdateStride, sim::At at = sim::At::Here())
{
    sim::CheckUpdate<postMode>();
    constexpr sim::LoadForm form = sim::DualLoad<dist, T>();
    sim::RegLoadAlign(dstReg0, &dstReg1, sim::AddressOf(srcAddr), form.dist, form.size, at);
    srcAddr += postUpdateStride;
}
template <typename T = DefaultType, LoadDist dist, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T* srcAddr, AddrReg offset, sim::At at = sim::At::Here())
{
    constexpr sim::LoadForm form = sim::DualLoad<dist, T>();
    sim::RegLoadAlign(dstReg0, &dstReg1, sim::AddressOf(srcAddr) + offset.bytes, form.dist, form.size, at);
}

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, MaskReg& mask, sim::At at = sim::At::Here())
{
    constexpr sim::StoreForm form = sim::SingleStore<dist, T>();
    sim::RegStoreAlign(sim::AddressOf(dstAddr), srcReg, nullptr, form.dist, form.size, mask, at);
}
template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM, typename U,
    typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T*& dstAddr, U& srcReg, int32_t postUpdateStride, MaskReg& mask,
    sim::At at = sim::At::Here())
{
    sim::CheckUpdate<postMode>();
    constexpr sim::StoreForm form = sim::SingleStore<dist, T>();
    sim::RegStoreAlign(sim::AddressOf(dstAddr), srcReg, nullptr, form.dist, form.size, mask, at);
    dstAddr += postUpdateStride;
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, AddrReg offset, MaskReg& mask, sim::At at = sim::At::Here())
{
    constexpr sim::StoreForm form = sim::SingleStore<dist, T>();
    sim::RegStoreAlign(sim::AddressOf(dstAddr) + offset.bytes, srcReg, nullptr, form.dist, form.size, mask, at);
}
template <typename T = DefaultType, StoreDist dist, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T* dstAddr, U& srcReg0, U& srcReg1, MaskReg& mask, sim::At at = sim::At::Here())
{
    constexpr sim::StoreForm form = sim::DualStore<dist, T>();
    sim::RegStoreAlign(sim::AddressOf(dstAddr), srcReg0, &srcReg1, form.dist, form.size, mask, at);
}
template <typename T = DefaultType, StoreDist dist, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T* dstAddr, U& srcReg0, U& srcReg1, AddrReg offset, MaskReg& mask,
    sim::At at = sim::At::Here())
{
    constexpr sim::StoreForm form = sim::DualStore<dist, T>();
    sim::RegStoreAlign(sim::AddressOf(dstAddr) + offset.bytes, srcReg0, &srcReg1, form.dist, form.size, mask, at);
}

// Eight blocks of 32 bytes, dataBlockStride blocks apart; repeatStride counts blocks too.
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg, __ubuf__ T* srcAddr, uint32_t dataBlockStride, MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::RegLoadBlocks(dstReg, sim::AddressOf(srcAddr), dataBlockStride, mask, at);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename = sim::IfReg<U>>
void LoadAlign(U& dstReg, __ubuf__ T*& srcAddr, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg& mask,
    sim::At at = sim::At::Here())
{
    constexpr bool update = postMode == PostLiteral::POST_MODE_UPDATE;
    sim::RegLoadBlocks(dstReg, sim::AddressOf(srcAddr) + (update ? 0 : uint64_t{repeatStride} * 32), dataBlockStride, mask,
        at);
    srcAddr += update ? repeatStride * (32 / sizeof(T)) : 0;
}
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, uint32_t dataBlockStride, MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::RegStoreBlocks(sim::AddressOf(dstAddr), srcReg, dataBlockStride, sizeof(T), mask, at);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename = sim::IfReg<U>>
void StoreAlign(__ubuf__ T*& dstAddr, U& srcReg, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg& mask,
    sim::At at = sim::At::Here())
{
    constexpr bool update = postMode == PostLiteral::POST_MODE_UPDATE;
    sim::RegStoreBlocks(sim::AddressOf(dstAddr) + (update ? 0 : uint64_t{repeatStride} * 32), srcReg, dataBlockStride,
        sizeof(T), mask, at);
    dstAddr += update ? repeatStride * (32 / sizeof(T)) : 0;
}

template <typename T> void LoadUnAlignPre(UnalignRegForLoad& ureg, __ubuf__ T* srcAddr, sim::At at = sim::At::Here())
{
    sim::RegLoadUnalignPre(ureg, sim::AddressOf(srcAddr), at);
}
template <typename T>
void LoadUnAlignPre(UnalignRegForLoad& ureg, __ubuf__ T* srcAddr, AddrReg& areg, sim::At at = sim::At::Here())
{
    sim::RegLoadUnalignPre(ureg, sim::AddressOf(srcAddr) + areg.bytes, at);
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T* srcAddr, sim::At at = sim::At::Here())
{
    sim::RegLoadUnalign(dstReg, ureg, sim::AddressOf(srcAddr), at);
}
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U,
    typename = sim::IfReg<U>>
void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T*& srcAddr, uint32_t postUpdateStride,
    sim::At at = sim::At::Here())
{
    sim::CheckUpdate<postMode>();
    sim::RegLoadUnalign(dstReg, ureg, sim::AddressOf(srcAddr), at);
    srcAddr += postUpdateStride;
}
template <typename T = DefaultType, typename U, typename = sim::IfReg<U>>
void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T*& srcAddr, AddrReg& areg, uint32_t,
    sim::At at = sim::At::Here())
{
    sim::RegLoadUnalign(dstReg, ureg, sim::AddressOf(srcAddr) + areg.bytes, at);
}
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U,
    typename = sim::IfReg<U>>
void StoreUnAlign(__ubuf__ T*& dstAddr, U& srcReg, UnalignRegForStore& ureg, uint32_t postUpdateStride,
    sim::At at = sim::At::Here())
{
    sim::CheckUpdate<postMode>();
    sim::RegStoreUnalign(sim::AddressOf(dstAddr), srcReg, ureg, postUpdateStride * static_cast<uint32_t>(sizeof(T)), at);
    dstAddr += postUpdateStride;
}
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U,
    typename = sim::IfReg<U>>
void StoreUnAlign(__ubuf__ T*& dstAddr, U& srcReg, UnalignRegForStore& ureg, AddrReg& areg,
    sim::At at = sim::At::Here())
{
    sim::RegStoreUnalign(sim::AddressOf(dstAddr) + areg.bytes, srcReg, ureg, 256, at);
}
template <typename T, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE>
void StoreUnAlignPost(__ubuf__ T*& dstAddr, UnalignRegForStore& ureg, int32_t postUpdateStride,
    sim::At at = sim::At::Here())
{
    sim::RegStoreUnalignPost(ureg, at);
    dstAddr += postUpdateStride;
}
template <typename T>
void StoreUnAlignPost(__ubuf__ T*&, UnalignRegForStore& ureg, AddrReg&, sim::At at = sim::At::Here())
{
    sim::RegStoreUnalignPost(ureg, at);
}

template <typename T, MaskDist dist = MaskDist::DIST_NORM>
void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr, sim::At at = sim::At::Here())
{
    sim::RegLoadMask(mask, sim::AddressOf(srcAddr), static_cast<int>(dist), at);
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr, AddrReg offset, sim::At at = sim::At::Here())
{
    sim::RegLoadMask(mask, sim::AddressOf(srcAddr) + offset.bytes, static_cast<int>(dist), at);
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
void StoreAlign(__ubuf__ T* dstAddr, MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::RegStoreMask(sim::AddressOf(dstAddr), mask, static_cast<int>(dist), at);
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
void StoreAlign(__ubuf__ T* dstAddr, MaskReg& mask, AddrReg offset, sim::At at = sim::At::Here())
{
    sim::RegStoreMask(sim::AddressOf(dstAddr) + offset.bytes, mask, static_cast<int>(dist), at);
}

template <MemType src, MemType dst> void LocalMemBar(sim::At at = sim::At::Here())
{
    sim::RegMemBar(sim::MemBarOf<src, dst>(), at);
}

} // namespace Reg
} // namespace AscendC
#endif
