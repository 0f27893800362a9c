// In:    flags, barriers and queries as a kernel writes them.
// Out:   calls of the runtime.
// Never: a synchronisation that does nothing.
#ifndef FIAGEN_SIM_SYNC_H
#define FIAGEN_SIM_SYNC_H
#include "tensor.h"

#define ASCEND_IS_AIC (::AscendC::sim::IsAic())
#define ASCEND_IS_AIV (!::AscendC::sim::IsAic())
#define KERNEL_TASK_TYPE_DEFAULT(type) (void)&::AscendC::sim::TaskType<type>::declared

namespace AscendC {
namespace sim {
constexpr bool IsCrossMode(uint8_t mode) { return mode <= 2 || (mode == 4 && __NPU_ARCH__ == 3510); }
} // namespace sim

template <HardEvent event> void SetFlag(int32_t eventID, sim::At at = sim::At::Here())
{
    sim::IssueSetFlag(event, eventID, at);
}
template <HardEvent event> void WaitFlag(int32_t eventID, sim::At at = sim::At::Here())
{
    sim::IssueWaitFlag(event, eventID, at);
}
template <pipe_t pipe> void PipeBarrier(sim::At at = sim::At::Here())
{
    static_assert(pipe != PIPE_S, "fiagen sim: PipeBarrier is not defined for PIPE_S");
    sim::IssueBarrier(pipe, at);
}
template <uint8_t modeId, pipe_t pipe> void CrossCoreSetFlag(uint16_t flagId, sim::At at = sim::At::Here())
{
    static_assert(sim::IsCrossMode(modeId), "fiagen sim: c220 knows the modes 0, 1 and 2, 3510 also mode 4");
    static_assert(pipe != PIPE_ALL && (pipe != PIPE_S || modeId == 4),
        "fiagen sim: CrossCoreSetFlag needs one pipe, and PIPE_S only in mode 4");
    sim::IssueCrossSet(modeId, pipe, flagId, at);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, sim::At at = sim::At::Here())
{
    static_assert(sim::IsCrossMode(modeId), "fiagen sim: c220 knows the modes 0, 1 and 2, 3510 also mode 4");
    static_assert(pipe != PIPE_ALL, "fiagen sim: CrossCoreWaitFlag waits on one pipe");
#if __NPU_ARCH__ == 3510
    sim::CrossWait(modeId, pipe, flagId, at);
#else
    sim::CrossWait(modeId, PIPE_S, flagId, at); // whatever the arguments say, everything waits
#endif
}
template <bool isAIVOnly = true> void SyncAll(sim::At at = sim::At::Here()) { sim::SyncAllCores(isAIVOnly, at); }

inline int64_t GetBlockIdx() { return sim::BlockIdx(); }
inline int64_t GetBlockNum() { return sim::BlockNum(); }
inline int64_t GetSubBlockIdx() { return sim::SubBlockIdx(); }
inline int64_t GetSubBlockNum() { return sim::SubBlockNum(); }
inline int64_t GetTaskRation() { return sim::TaskRation(); }
inline int64_t GetTaskRatio() { return sim::TaskRation(); }

template <typename T> void SetAtomicAdd()
{
    static_assert(sim::IsOneOf<T, float, half, bfloat16_t, int16_t, int32_t, int8_t>(),
        "fiagen sim: SetAtomicAdd is simulated for float, half, bfloat16_t, int8_t, int16_t and int32_t");
    sim::SetAtomic(sim::Atomic::ADD, sim::DTypeOf<T>::value);
}
inline void SetAtomicNone() { sim::SetAtomic(sim::Atomic::NONE, sim::DType::F32); }
inline void DisableDmaAtomic() { SetAtomicNone(); }

// Scalar reads and writes of global memory go through a cache of this core: others see a write after this call, and
// this core sees the writes of others after it.
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, sim::At at = sim::At::Here())
{
    static_assert(dcciDst == DcciDst::CACHELINE_OUT || dcciDst == DcciDst::CACHELINE_ALL,
        "fiagen sim: DataCacheCleanAndInvalid is simulated for global memory");
    sim::CleanDataCache(dst.View(), entireType == CacheLine::ENTIRE_DATA_CACHE, at);
}

inline void SetMaskCount(sim::At at = sim::At::Here()) { sim::SetMaskMode(true, at); }
inline void SetMaskNorm(sim::At at = sim::At::Here()) { sim::SetMaskMode(false, at); }
inline void ResetMask(sim::At at = sim::At::Here()) { sim::SetMaskRegister(~uint64_t{0}, ~uint64_t{0}, at); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t maskHigh, uint64_t maskLow, sim::At at = sim::At::Here())
{
    sim::SetMaskRegister(maskHigh, maskLow, at);
}
// In counter mode len is the total of elements, in normal mode the leading lanes of a repeat.
template <typename T, MaskMode mode = MaskMode::NORMAL> void SetVectorMask(int32_t len, sim::At at = sim::At::Here())
{
    uint64_t n = static_cast<uint64_t>(len);
    if constexpr (mode == MaskMode::COUNTER) {
        sim::SetMaskRegister(0, n, at);
    } else {
        uint64_t low = n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
        uint64_t high = n <= 64 ? 0 : n >= 128 ? ~uint64_t{0} : (uint64_t{1} << (n - 64)) - 1;
        sim::SetMaskRegister(high, low, at);
    }
}

} // namespace AscendC
#endif
