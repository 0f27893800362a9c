// In:    an address, a size and a position.
// Out:   GlobalTensor and LocalTensor.
// Never: a copy of data; tensors are views.
#ifndef FIAGEN_SIM_TENSOR_H
#define FIAGEN_SIM_TENSOR_H
#include "runtime.h"

namespace AscendC {
namespace sim {
// Where a memory begins for __ubuf__ pointers and the like. On 3510 UB does not begin at 0: see arch3510/runtime.h.
constexpr uint64_t Base(Mem mem) { return __NPU_ARCH__ == 3510 && mem == Mem::UB ? uint64_t{1} << 56 : 0; }
} // namespace sim

template <typename T> class GlobalTensor {
public:
    using PrimType = T;

    // The tensor reaches to the end of the kernel argument the address lies in.
    void SetGlobalBuffer(__gm__ T* buffer)
    {
        size_ = 0;
        sim::RegisterExtent(view_, reinterpret_cast<uint8_t*>(buffer), 0, false);
    }
    void SetGlobalBuffer(__gm__ T* buffer, uint64_t bufferSize)
    {
        size_ = bufferSize;
        sim::RegisterExtent(view_, reinterpret_cast<uint8_t*>(buffer), bufferSize * sizeof(T), true);
    }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor moved = *this;
        moved.view_.ptr += offset * sizeof(T);
        return moved;
    }
    T GetValue(uint64_t offset, sim::At at = sim::At::Here()) const
    {
        return *static_cast<const T*>(sim::GlobalScalar(view_, offset * sizeof(T), sizeof(T), false, at));
    }
    void SetValue(uint64_t offset, T value, sim::At at = sim::At::Here()) const
    {
        *static_cast<T*>(sim::GlobalScalar(view_, offset * sizeof(T), sizeof(T), true, at)) = value;
    }
    const __gm__ T* GetPhyAddr() const { return reinterpret_cast<const T*>(view_.ptr); }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T*>(view_.ptr) + offset; }
    uint64_t GetSize() const { return size_; }
    template <typename U> GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> cast;
        cast.Adopt(view_, size_ * sizeof(T) / sizeof(U));
        return cast;
    }
    template <CacheRwMode rwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode) {}

    void Adopt(sim::Global view, uint64_t size)
    {
        view_ = view;
        view_.dtype = sim::DTypeOf<T>::value;
        size_ = size;
    }
    const sim::Global& View() const { return view_; }

private:
    sim::Global view_ = {nullptr, nullptr, nullptr, sim::DTypeOf<T>::value, 0};
    uint64_t size_ = 0;
};

template <typename T> class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    // tileSize counts elements.
    LocalTensor(TPosition position, uint32_t addr, uint32_t tileSize, sim::At at = sim::At::Here())
        : view_{addr, addr + tileSize * static_cast<uint32_t>(sizeof(T)), sim::MemOf(position), sim::DTypeOf<T>::value},
          size_(tileSize), position_(position)
    {
        sim::CheckPlacement(view_, at);
    }
    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor moved = *this;
        moved.view_.addr += offset * static_cast<uint32_t>(sizeof(T));
        moved.size_ = offset < size_ ? size_ - offset : 0;
        return moved;
    }
    T GetValue(uint32_t index, sim::At at = sim::At::Here()) const
    {
        return *static_cast<const T*>(sim::LocalScalar(view_, uint64_t{index} * sizeof(T), sizeof(T), false, at));
    }
    template <typename S> void SetValue(uint32_t index, S value, sim::At at = sim::At::Here()) const
    {
        *static_cast<T*>(sim::LocalScalar(view_, uint64_t{index} * sizeof(T), sizeof(T), true, at)) =
            static_cast<T>(value);
    }
    T operator()(uint32_t index, sim::At at = sim::At::Here()) const { return GetValue(index, at); }
    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> cast;
        cast.Adopt(view_, static_cast<uint32_t>(uint64_t{size_} * sizeof(T) / sizeof(U)), position_, buffer_);
        return cast;
    }
    uint32_t GetSize() const { return size_; }
    void SetSize(uint32_t size) { size_ = size; }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    uint64_t GetPhyAddr() const { return sim::Base(view_.mem) + view_.addr; }
    uint64_t GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + uint64_t{offset} * sizeof(T); }

    void Adopt(sim::Local view, uint32_t size, TPosition position, int32_t buffer)
    {
        view_ = view;
        view_.dtype = sim::DTypeOf<T>::value;
        size_ = size;
        position_ = position;
        buffer_ = buffer;
    }
    const sim::Local& View() const { return view_; }
    int32_t Buffer() const { return buffer_; }

private:
    sim::Local view_ = {0, 0, sim::Mem::NONE, sim::DTypeOf<T>::value};
    uint32_t size_ = 0;
    TPosition position_ = TPosition::MAX;
    int32_t buffer_ = -1; // queue buffer it came from
};

} // namespace AscendC
#endif
