// In:    what a vector function does with masks.
// Out:   calls of the runtime.
// Never: a lane that no mask names.
#ifndef FIAGEN_SIM_ARCH3510_REG_MASK_H
#define FIAGEN_SIM_ARCH3510_REG_MASK_H
#include "reg.h"

namespace AscendC {
namespace Reg {

template <typename T, MaskPattern mode = MaskPattern::ALL, const RegTrait& regTrait = RegTraitNumOne>
MaskReg CreateMask(sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) <= 4, "fiagen sim: masks are simulated for 1, 2 and 4 byte types");
    MaskReg mask;
    sim::MaskCreate(mask, sizeof(T), static_cast<int>(mode), at);
    return mask;
}
// The first scalarValue lanes, at most a register full, which it then counts off.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
MaskReg UpdateMask(uint32_t& scalarValue, sim::At at = sim::At::Here())
{
    static_assert(sizeof(T) <= 4, "fiagen sim: masks are simulated for 1, 2 and 4 byte types");
    MaskReg mask;
    sim::MaskUpdate(mask, sizeof(T), scalarValue, at);
    return mask;
}

inline void Not(MaskReg& dst, const MaskReg& src, const MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::NOT, dst, src, src, mask, at);
}
inline void And(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask,
    sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::AND, dst, src0, src1, mask, at);
}
inline void Or(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask,
    sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::OR, dst, src0, src1, mask, at);
}
inline void Xor(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask,
    sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::XOR, dst, src0, src1, mask, at);
}
inline void Move(MaskReg& dst, const MaskReg& src, const MaskReg& mask, sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::MOVE, dst, src, src, mask, at);
}
inline void Move(MaskReg& dst, const MaskReg& src) { dst = src; }
inline void Select(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask,
    sim::At at = sim::At::Here())
{
    sim::MaskLogic(sim::MaskOp::SELECT, dst, src0, src1, mask, at);
}
template <typename T>
void Interleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1, sim::At at = sim::At::Here())
{
    sim::MaskInterleave(dst0, dst1, src0, src1, sizeof(T), false, at);
}
template <typename T>
void DeInterleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1, sim::At at = sim::At::Here())
{
    sim::MaskInterleave(dst0, dst1, src0, src1, sizeof(T), true, at);
}
template <HighLowPart part = HighLowPart::LOWEST>
void Pack(MaskReg& dst, const MaskReg& src, sim::At at = sim::At::Here())
{
    sim::MaskPack(dst, src, part == HighLowPart::HIGHEST, false, at);
}
template <HighLowPart part = HighLowPart::LOWEST>
void UnPack(MaskReg& dst, const MaskReg& src, sim::At at = sim::At::Here())
{
    sim::MaskPack(dst, src, part == HighLowPart::HIGHEST, true, at);
}

} // namespace Reg
} // namespace AscendC
#endif
