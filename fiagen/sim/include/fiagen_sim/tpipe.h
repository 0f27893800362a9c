// In:    buffer requests of a kernel.
// Out:   TPipe, TQue, TQueBind, TBuf and event ids; the state lives in the running core.
// Never: a flag of its own; queues set and wait for flags through the runtime.
#ifndef FIAGEN_SIM_TPIPE_H
#define FIAGEN_SIM_TPIPE_H
#include "tensor.h"

namespace AscendC {
namespace sim {
constexpr bool IsMatrixIn(TPosition p) { return p == TPosition::A1 || p == TPosition::B1 || p == TPosition::C1; }
constexpr bool IsMatrixNear(TPosition p) { return p == TPosition::A2 || p == TPosition::B2; }

template <TPosition src, TPosition dst> constexpr HardEvent EnqueueEvent()
{
    if constexpr (src == TPosition::VECIN && dst == TPosition::VECOUT) {
        return HardEvent::MTE2_MTE3;
    } else if constexpr (dst == TPosition::VECIN || src == TPosition::VECIN) {
        return HardEvent::MTE2_V;
    } else if constexpr (src == TPosition::VECOUT || dst == TPosition::VECOUT) {
        return HardEvent::V_MTE3;
    } else if constexpr (IsMatrixIn(src) || IsMatrixIn(dst)) {
        return HardEvent::MTE2_MTE1;
    } else if constexpr (IsMatrixNear(src) || IsMatrixNear(dst)) {
        return HardEvent::MTE1_M;
    } else {
        static_assert(src == TPosition::CO1 || dst == TPosition::CO1,
            "fiagen sim: a queue is simulated at VECIN, VECOUT, A1, B1, C1, A2, B2 and CO1 only");
        return HardEvent::M_FIX;
    }
}
constexpr HardEvent ReleaseEvent(HardEvent enqueue)
{
    switch (enqueue) {
        case HardEvent::MTE2_MTE3: return HardEvent::MTE3_MTE2;
        case HardEvent::MTE2_V: return HardEvent::V_MTE2;
        case HardEvent::V_MTE3: return HardEvent::MTE3_V;
        case HardEvent::MTE2_MTE1: return HardEvent::MTE1_MTE2;
        case HardEvent::MTE1_M: return HardEvent::M_MTE1;
        default: return HardEvent::FIX_M;
    }
}
} // namespace sim

template <TPosition src, TPosition dst, int32_t depth, int32_t mask = 0> class TQueBind {
public:
    template <typename T> LocalTensor<T> AllocTensor(sim::At at = sim::At::Here())
    {
        sim::Local view{};
        int32_t buffer = sim::QueueAlloc(queue_, view, at);
        return Make<T>(view, buffer);
    }
    template <typename T> bool EnQue(const LocalTensor<T>& tensor, sim::At at = sim::At::Here())
    {
        sim::QueueEnque(queue_, tensor.Buffer(), at);
        return true;
    }
    template <typename T> LocalTensor<T> DeQue(sim::At at = sim::At::Here())
    {
        sim::Local view{};
        int32_t buffer = sim::QueueDeque(queue_, view, at);
        return Make<T>(view, buffer);
    }
    template <typename T> void FreeTensor(const LocalTensor<T>& tensor, sim::At at = sim::At::Here())
    {
        sim::QueueFree(queue_, tensor.Buffer(), at);
    }
    bool VacantInQue() const { return sim::QueueCount(queue_) < depth; }
    bool HasTensorInQue() const { return sim::QueueCount(queue_) > 0; }
    int32_t GetTensorCountInQue() const { return sim::QueueCount(queue_); }
    bool HasIdleBuffer() const { return sim::QueueHasIdle(queue_); }

    void Open(uint32_t count, uint32_t bytes, sim::At at)
    {
        constexpr HardEvent enqueue = sim::EnqueueEvent<src, dst>();
        queue_ = sim::QueueInit({src, enqueue, sim::ReleaseEvent(enqueue), depth}, count, bytes, at);
    }

private:
    template <typename T> static LocalTensor<T> Make(const sim::Local& view, int32_t buffer)
    {
        LocalTensor<T> tensor;
        tensor.Adopt(view, (view.end - view.addr) / static_cast<uint32_t>(sizeof(T)), src, buffer);
        return tensor;
    }
    int32_t queue_ = -1;
};

template <TPosition position, int32_t depth, int32_t mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

template <TPosition position = TPosition::LCM> class TBuf {
public:
    template <typename T> LocalTensor<T> Get() { return Make<T>(bytes_ / static_cast<uint32_t>(sizeof(T)), 0); }
    template <typename T> LocalTensor<T> Get(uint32_t len) { return Make<T>(len, 0); }
    // size counts elements, bufOffset bytes.
    template <typename T> LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset)
    {
        return Make<T>(size, bufOffset);
    }
    void Open(uint32_t bytes, sim::At at) { addr_ = sim::PipeAllocate(position, bytes, bytes_, at); }

private:
    template <typename T> LocalTensor<T> Make(uint32_t size, uint32_t offset) const
    {
        LocalTensor<T> tensor;
        sim::Local view{addr_ + offset, addr_ + bytes_, sim::MemOf(position), sim::DTypeOf<T>::value};
        tensor.Adopt(view, size, position, -1);
        return tensor;
    }
    uint32_t addr_ = 0;
    uint32_t bytes_ = 0;
};

class TPipe {
public:
    explicit TPipe(sim::At at = sim::At::Here()) : at_(at) { sim::PipeBegin(at); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;
    ~TPipe() noexcept(false) { Destroy(at_); }

    template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t num, uint32_t len, sim::At at = sim::At::Here())
    {
        queue.Open(num, len, at);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t len, sim::At at = sim::At::Here())
    {
        buffer.Open(len, at);
        return true;
    }
    template <HardEvent event> TEventID AllocEventID(sim::At at = sim::At::Here())
    {
        return static_cast<TEventID>(sim::EventAlloc(event, at));
    }
    template <HardEvent event> void ReleaseEventID(TEventID id, sim::At at = sim::At::Here())
    {
        sim::EventRelease(event, id, at);
    }
    template <HardEvent event> TEventID FetchEventID(sim::At at = sim::At::Here())
    {
        return static_cast<TEventID>(sim::EventFetch(event, at));
    }
    TEventID FetchEventID(HardEvent event, sim::At at = sim::At::Here())
    {
        return static_cast<TEventID>(sim::EventFetch(event, at));
    }
    void Destroy(sim::At at = sim::At::Here())
    {
        if (open_) {
            open_ = false;
            sim::PipeEnd(at);
        }
    }

private:
    bool open_ = true;
    sim::At at_;
};

} // namespace AscendC
#endif
