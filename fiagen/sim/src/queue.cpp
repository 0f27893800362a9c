// In:    TPipe, TQue and event id calls of the running core.
// Out:   buffers handed out and taken back, with the flags that belong to them, or a fault.
// Never: a buffer that two owners hold.
#include "machine.h"
#include <exception>

namespace AscendC {
namespace sim {

void PipeBegin(At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "TPipe", at);
    if (core.pipeOpen) {
        core.Raise("sim.two_pipes", PIPE_S, "TPipe", at.line, core.pipeLine, "a second TPipe while the first one lives");
    }
    core.pipeOpen = true;
    core.pipeLine = at.line;
    if (core.Aic()) { // the real TPipe keeps three ids so that a first Mmad may wait for L0 space
        for (int id = 0; id < 3; ++id) {
            EventState& event = core.events[static_cast<int>(HardEvent::M_MTE1)][id];
            event.reserved = true;
            event.internal = true;
            SetEvent(HardEvent::M_MTE1, id, true, at);
        }
    }
}

static void ReleaseFreeEvent(Core& core, QueueBuffer& buffer, At at)
{
    if (buffer.freeEvent >= 0) {
        HardEvent event = core.queues[static_cast<size_t>(buffer.queue)].kind.release;
        WaitEvent(event, buffer.freeEvent, true, at);
        EventState& state = core.events[static_cast<int>(event)][buffer.freeEvent];
        state.reserved = false;
        state.internal = false;
        buffer.freeEvent = -1;
    }
}

void PipeEnd(At at)
{
    Core& core = Current();
    if (core.unwinding || core.run.aborting || std::uncaught_exceptions() > 0) {
        return;
    }
    for (QueueBuffer& buffer : core.buffers) {
        if (buffer.state != QueueBuffer::IDLE) {
            core.Raise("sim.tensor_not_freed", PIPE_S, "AllocTensor", buffer.line, at.line,
                "a queue tensor was not given back with FreeTensor before its TPipe ended");
        }
        ReleaseFreeEvent(core, buffer, at);
    }
    if (core.Aic()) {
        for (int id = 0; id < 3; ++id) {
            WaitEvent(HardEvent::M_MTE1, id, true, at);
            EventState& event = core.events[static_cast<int>(HardEvent::M_MTE1)][id];
            event.reserved = false;
            event.internal = false;
        }
    }
    core.pipeOpen = false;
    core.buffersInUse = 0;
    core.buffers.clear();
    core.queues.clear();
    for (Memory& memory : core.memories) {
        memory.allocated = 0;
    }
}

uint32_t PipeAllocate(TPosition position, uint32_t bytes, uint32_t& rounded, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "InitBuffer", at);
    core.ScalarStep(at);
    Mem mem = MemOf(position);
    Memory* memory = mem == Mem::NONE ? nullptr : &core.memories[static_cast<int>(mem)];
    rounded = (bytes + 31) / 32 * 32;
    if (memory == nullptr || memory->size == 0) {
        // A kernel may declare the buffers of both kinds of core in one place: on the other kind they take no room.
        return 0;
    }
    if (++core.buffersInUse > limits::PIPE_BUFFERS_MAX) {
        core.Raise("sim.too_many_buffers", PIPE_S, "InitBuffer", at.line, 0, "a TPipe holds at most %llu buffers",
            static_cast<unsigned long long>(limits::PIPE_BUFFERS_MAX));
    }
    uint64_t addr = memory->allocated;
    if (addr + rounded > memory->size) {
        core.Raise("sim.buffer_over_size", PIPE_S, "InitBuffer", at.line, 0,
            "this buffer of %u bytes ends at byte %llu of %s, which has %llu", rounded,
            static_cast<unsigned long long>(addr + rounded), MEM_NAMES[static_cast<int>(mem)],
            static_cast<unsigned long long>(memory->size));
    }
    memory->allocated += rounded;
    return static_cast<uint32_t>(addr);
}

int32_t QueueInit(const QueueKind& kind, uint32_t count, uint32_t bytes, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "InitBuffer", at);
    core.CheckLimit(count, 1, limits::QUEUE_BUFFERS_MAX, "number of queue buffers");
    auto queue = static_cast<int32_t>(core.queues.size());
    core.queues.push_back({kind, {}, {}, 0});
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t rounded = 0;
        uint32_t addr = PipeAllocate(kind.position, bytes, rounded, at);
        core.queues.back().buffers.push_back(static_cast<int32_t>(core.buffers.size()));
        core.buffers.push_back({addr, rounded, queue, QueueBuffer::IDLE, -1, -1, 0, 0});
    }
    return queue;
}

static QueueState& Queue(Core& core, int32_t queue)
{
    if (queue < 0 || static_cast<size_t>(queue) >= core.queues.size()) {
        core.Raise("sim.queue_not_initialised", PIPE_S, core.curName, core.curLine, 0,
            "the queue has no buffers: TPipe::InitBuffer was not called for it");
    }
    return core.queues[static_cast<size_t>(queue)];
}

static Local ViewOf(const QueueState& queue, const QueueBuffer& buffer)
{
    return {buffer.addr, buffer.addr + buffer.bytes, MemOf(queue.kind.position), DType::U8};
}

int32_t QueueAlloc(int32_t queueId, Local& tensor, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "AllocTensor", at);
    QueueState& queue = Queue(core, queueId);
    for (size_t i = 0; i < queue.buffers.size(); ++i) {
        size_t slot = (queue.cursor + i) % queue.buffers.size();
        QueueBuffer& buffer = core.buffers[static_cast<size_t>(queue.buffers[slot])];
        if (buffer.state == QueueBuffer::IDLE) {
            queue.cursor = static_cast<uint32_t>(slot + 1) % static_cast<uint32_t>(queue.buffers.size());
            ReleaseFreeEvent(core, buffer, at);
            buffer.state = QueueBuffer::HELD;
            buffer.line = at.line;
            if (core.run.checks) { // what the last owner left there is nobody's
                std::memset(core.Written(MemOf(queue.kind.position), buffer.addr), 0, buffer.bytes);
            }
            tensor = ViewOf(queue, buffer);
            return queue.buffers[slot];
        }
    }
    core.Raise("sim.queue_depth", PIPE_S, "AllocTensor", at.line, core.buffers[static_cast<size_t>(queue.buffers[0])].line,
        "all %zu buffers of the queue are in use; FreeTensor has to come first", queue.buffers.size());
}

static QueueBuffer& BufferOf(Core& core, int32_t queue, int32_t buffer, const char* what)
{
    if (buffer < 0 || static_cast<size_t>(buffer) >= core.buffers.size() ||
        core.buffers[static_cast<size_t>(buffer)].queue != queue) {
        core.Raise("sim.tensor_of_another_queue", PIPE_S, core.curName, core.curLine, 0,
            "%s is given a tensor that does not come from this queue", what);
    }
    return core.buffers[static_cast<size_t>(buffer)];
}

void QueueEnque(int32_t queueId, int32_t bufferId, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "EnQue", at);
    QueueState& queue = Queue(core, queueId);
    QueueBuffer& buffer = BufferOf(core, queueId, bufferId, "EnQue");
    if (buffer.state == QueueBuffer::QUEUED) {
        core.Raise("sim.tensor_enqueued_twice", PIPE_S, "EnQue", at.line, buffer.line, "this tensor is in the queue already");
    }
    if (queue.fifo.size() >= static_cast<size_t>(queue.kind.depth)) {
        core.Raise("sim.queue_depth", PIPE_S, "EnQue", at.line, 0, "the queue is %d deep and holds %zu tensors already",
            queue.kind.depth, queue.fifo.size());
    }
    buffer.fullEvent = EventAlloc(queue.kind.enqueue, at);
    core.events[static_cast<int>(queue.kind.enqueue)][buffer.fullEvent].internal = true;
    SetEvent(queue.kind.enqueue, buffer.fullEvent, true, at);
    buffer.state = QueueBuffer::QUEUED;
    buffer.givenLine = at.line;
    queue.fifo.push_back(bufferId);
}

int32_t QueueDeque(int32_t queueId, Local& tensor, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "DeQue", at);
    QueueState& queue = Queue(core, queueId);
    if (queue.fifo.empty()) {
        core.Raise("sim.tensor_not_enqueued", PIPE_S, "DeQue", at.line, 0, "the queue is empty: EnQue has to come first");
    }
    int32_t bufferId = queue.fifo.front();
    queue.fifo.erase(queue.fifo.begin());
    QueueBuffer& buffer = core.buffers[static_cast<size_t>(bufferId)];
    WaitEvent(queue.kind.enqueue, buffer.fullEvent, true, at);
    EventState& state = core.events[static_cast<int>(queue.kind.enqueue)][buffer.fullEvent];
    state.reserved = false;
    state.internal = false;
    buffer.fullEvent = -1;
    buffer.state = QueueBuffer::TAKEN;
    tensor = ViewOf(queue, buffer);
    return bufferId;
}

void QueueFree(int32_t queueId, int32_t bufferId, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "FreeTensor", at);
    QueueState& queue = Queue(core, queueId);
    QueueBuffer& buffer = BufferOf(core, queueId, bufferId, "FreeTensor");
    if (buffer.state == QueueBuffer::IDLE || buffer.state == QueueBuffer::QUEUED) {
        core.Raise(buffer.state == QueueBuffer::IDLE ? "sim.tensor_freed_twice" : "sim.tensor_not_dequeued", PIPE_S,
            "FreeTensor", at.line, buffer.line,
            buffer.state == QueueBuffer::IDLE ? "this tensor is free already" : "this tensor still is in the queue: DeQue first");
    }
    buffer.freeEvent = EventAlloc(queue.kind.release, at);
    core.events[static_cast<int>(queue.kind.release)][buffer.freeEvent].internal = true;
    SetEvent(queue.kind.release, buffer.freeEvent, true, at);
    buffer.state = QueueBuffer::IDLE;
    buffer.givenLine = at.line;
}

// Bytes [lo, hi) are touched: none of them may belong to a queue buffer that nobody holds.
void Core::CheckOwner(Mem mem, uint64_t lo, uint64_t hi)
{
    for (const QueueBuffer& buffer : buffers) {
        if (buffer.state == QueueBuffer::HELD || buffer.state == QueueBuffer::TAKEN || hi <= buffer.addr ||
            lo >= uint64_t{buffer.addr} + buffer.bytes || MemOf(queues[static_cast<size_t>(buffer.queue)].kind.position) != mem) {
            continue;
        }
        if (buffer.state == QueueBuffer::QUEUED) {
            Raise("sim.tensor_in_queue", curPipe, curName, curLine, buffer.givenLine,
                "%s uses a tensor that EnQue has given to its queue; DeQue has to come first", curName);
        }
        Raise("sim.tensor_freed", curPipe, curName, curLine, buffer.givenLine,
            buffer.givenLine == 0 ? "%s uses a queue buffer that AllocTensor has not handed out"
                             : "%s uses a tensor after FreeTensor has given it back",
            curName);
    }
}

int32_t QueueCount(int32_t queue) { return static_cast<int32_t>(Queue(Current(), queue).fifo.size()); }
bool QueueHasIdle(int32_t queueId)
{
    Core& core = Current();
    for (int32_t buffer : Queue(core, queueId).buffers) {
        if (core.buffers[static_cast<size_t>(buffer)].state == QueueBuffer::IDLE) {
            return true;
        }
    }
    return false;
}

int32_t EventFetch(HardEvent event, At at)
{
    Core& core = Current();
    for (int32_t id = 0; id <= static_cast<int32_t>(limits::EVENT_ID_MAX); ++id) {
        if (!core.events[static_cast<int>(event)][id].reserved) {
            return id;
        }
    }
    core.Raise("sim.event_ids_exhausted", PIPE_S, "AllocEventID", at.line, 0, "all event ids of HardEvent::%s are taken",
        EVENT_NAMES[static_cast<int>(event)]);
}

int32_t EventAlloc(HardEvent event, At at)
{
    int32_t id = EventFetch(event, at);
    Current().events[static_cast<int>(event)][id].reserved = true;
    return id;
}

void EventRelease(HardEvent event, int32_t id, At at)
{
    Core& core = Current();
    core.Begin(PIPE_S, "ReleaseEventID", at);
    EventAt(core, event, id, false).reserved = false;
}

} // namespace sim
} // namespace AscendC
