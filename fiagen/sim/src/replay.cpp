// In:    the timelines of all cores of a clean run.
// Out:   when every instruction starts and ends, what its pipe waited for, and the totals of the report.
// Never: an order that depends on the schedule policy: only program order, flags and bandwidth decide.
//
// Each core walks its timeline alone as far as it can; what it cannot know alone is when a transfer through global memory
// ends and when another core sets a flag. Transfers begin and end in the order of their times, over all cores, so the
// share of HBM and L2 that each gets is known at every moment. A core that learns of an end walks on; everything it then
// does is later than that end, so nothing ever has to be taken back.
#include "replay.h"

namespace AscendC {
namespace sim {
namespace replay {

void Player::Hold(CoreTime& c, double until, int cause)
{
    if (until > c.clock) {
        c.pipes[PIPE_S].stall[cause] += until - c.clock;
        c.pauses[c.pauseCount++ % PAUSES] = {c.clock, until, cause};
        c.clock = until;
    }
}

// The pipe stood idle from `from` until the scalar unit handed it an instruction: why did that take so long?
void Player::Gap(CoreTime& c, PipeTime& pipe, double from, double issued)
{
    double rest = issued - from;
    if (rest <= 0) {
        return;
    }
    for (uint64_t back = 1; back <= std::min(c.pauseCount, PAUSES); ++back) {
        const Pause& pause = c.pauses[(c.pauseCount - back) % PAUSES];
        const double part = std::min(pause.to, issued) - std::max(pause.from, from);
        if (pause.to <= from) {
            break;
        }
        if (part > 0) {
            pipe.stall[pause.cause] += part;
            rest -= part;
        }
    }
    pipe.stall[FIAGEN_STALL_ISSUE] += std::max(rest, 0.0);
}

// Hand the next step to its pipe, or let the scalar unit do it; false when that has to wait.
bool Player::Issue(CoreTime& c)
{
    if (c.next >= c.line->steps.size()) {
        return false;
    }
    const Step& step = c.line->steps[c.next];
    PipeTime& scalar = c.pipes[PIPE_S];
    if (!c.scalarPaid) {
        c.clock += step.scalar;
        scalar.busy += step.scalar;
        c.scalarPaid = true;
    }
    switch (step.pipe != PIPE_S && step.kind == Step::CROSS_WAIT ? Step::WAIT : step.kind) {
        case Step::CROSS_WAIT: {
            if (c.tokens[step.id].Empty()) {
                return false;
            }
            const double from = c.clock;
            Hold(c, c.tokens[step.id].Pop(), FIAGEN_STALL_CROSS_CORE);
            Span(c, PIPE_S, step, from, c.clock);
            break;
        }
        case Step::SYNC: {
            const double from = c.clock;
            if (!Sync(c, step.what != 0)) {
                return false;
            }
            Span(c, PIPE_S, step, from, c.clock);
            break;
        }
        case Step::DRAIN: {
            double latest = c.clock;
            for (int p = 1; p < PIPES; ++p) {
                if (!c.pipes[p].queue.Empty() || c.pipes[p].moving) {
                    return false;
                }
                latest = std::max({latest, c.pipes[p].free, c.pipes[p].done});
            }
            Hold(c, latest, FIAGEN_STALL_BARRIER);
            break;
        }
        default:
            if (step.pipe == PIPE_S && step.kind == Step::CROSS_SET) {
                CrossSet(c, step, c.clock);
                break;
            }
            if (step.pipe == PIPE_S) {
                Fifo<double>& flag = c.flags[step.what][step.id];
                if (step.kind == Step::SET) {
                    flag.Push(c.clock);
                    break;
                }
                if (flag.Empty()) {
                    return false;
                }
                Hold(c, flag.Pop() + chip_.flag_cycles, EventFrom(step.what));
                break;
            }
            PipeTime& pipe = c.pipes[step.pipe];
            if (pipe.issued >= pipe.started + chip_.queue_depth) {
                return false;
            }
            if (pipe.issued >= chip_.queue_depth) {
                Hold(c, pipe.starts[(pipe.issued - chip_.queue_depth) % RING], FIAGEN_STALL_QUEUE_FULL);
            }
            pipe.queue.Push({c.next, c.clock});
            ++pipe.issued;
            break;
    }
    ++c.next;
    c.scalarPaid = false;
    return true;
}

// Start the next instruction of a pipe; false when there is none or it cannot be told yet when it starts.
bool Player::RunPipe(uint32_t index, int number)
{
    CoreTime& c = cores_[index];
    PipeTime& pipe = c.pipes[number];
    if (pipe.queue.Empty() || pipe.moving) {
        return false;
    }
    const Waiting waiting = pipe.queue.Front();
    const Step& step = c.line->steps[waiting.step];
    double start = std::max(pipe.free, waiting.issued);
    double set = 0;
    if (step.kind == Step::WAIT) {
        if (c.flags[step.what][step.id].Empty()) {
            return false;
        }
        set = c.flags[step.what][step.id].Pop() + chip_.flag_cycles;
    } else if (step.kind == Step::CROSS_WAIT) {
        if (c.tokens[step.id].Empty()) {
            return false;
        }
        set = c.tokens[step.id].Pop();
    } else if (step.needsPipe != PIPES) {
        const PipeTime& other = c.pipes[step.needsPipe];
        if (other.ended < step.needs) {
            return false;
        }
        set = step.needs == 0 ? 0 : other.ends[(step.needs - 1) % RING];
    }
    pipe.queue.Pop();
    Gap(c, pipe, pipe.free, waiting.issued);
    if (set > start) {
        pipe.stall[step.kind == Step::WAIT           ? EventFrom(step.what)
                : step.kind == Step::CROSS_WAIT ? static_cast<int>(FIAGEN_STALL_CROSS_CORE)
                                                : static_cast<int>(step.needsPipe)] += set - start;
        start = set;
    }
    pipe.starts[pipe.started++ % RING] = start;
    switch (step.kind) {
        case Step::SET:
            c.flags[step.what][step.id].Push(std::max(start, pipe.done));
            pipe.free = start;
            break;
        case Step::BARRIER:
            pipe.stall[FIAGEN_STALL_BARRIER] += std::max(0.0, pipe.done - start);
            pipe.free = std::max(start, pipe.done);
            break;
        case Step::CROSS_SET:
            pipe.free = start;
            CrossSet(c, step, std::max(start, pipe.done));
            break;
        case Step::DATA:
            if (step.traffic != 0) {
                pipe.moving = true;
                pipe.start = start;
                pipe.step = &step;
                starts_.push({start, index * PIPES + static_cast<uint32_t>(number)});
                return true;
            }
            pipe.free = start + step.cycles;
            pipe.done = std::max(pipe.done, pipe.free + step.latency);
            pipe.busy += step.cycles;
            Span(c, number, step, start, pipe.free);
            break;
        default: pipe.free = start; break;
    }
    pipe.ends[pipe.ended++ % RING] = pipe.free;
    return true;
}

void Player::Walk(uint32_t index)
{
    CoreTime& c = cores_[index];
    bool moved = true;
    while (moved) {
        moved = false;
        while (Issue(c)) {
            moved = true;
        }
        for (int p = 1; p < PIPES; ++p) {
            while (RunPipe(index, p)) {
                moved = true;
            }
        }
    }
    if (c.end < 0 && c.next == c.line->steps.size()) {
        for (int p = 1; p < PIPES; ++p) {
            if (!c.pipes[p].queue.Empty() || c.pipes[p].moving) {
                return;
            }
        }
        Finish(c);
    }
}

void Player::Finish(CoreTime& c)
{
    c.clock += c.line->tail;
    c.pipes[PIPE_S].busy += c.line->tail;
    c.end = c.clock;
    for (const PipeTime& pipe : c.pipes) {
        c.end = std::max({c.end, pipe.free, pipe.done});
    }
    double blockEnd = 0;
    for (uint32_t sub = 0; sub < 3; ++sub) {
        const CoreTime* other = Of(c.core->block, sub);
        if (other != nullptr && other->end < 0) {
            return;
        }
        blockEnd = other == nullptr ? blockEnd : std::max(blockEnd, other->end);
    }
    if (blocksStarted_ < run_.BlocksOf()) { // more blocks than cores: the next one takes this place
        StartBlock(blocksStarted_++, blockEnd);
    }
}

void Player::StartBlock(uint32_t block, double time)
{
    for (uint32_t sub = 0; sub < 3; ++sub) {
        const uint32_t index = block * 3 + sub;
        if (run_.cores[index]) {
            CoreTime& c = cores_[index];
            c.core = run_.cores[index].get();
            c.line = &c.core->timeline;
            c.clock = c.begin = time;
            for (PipeTime& pipe : c.pipes) {
                pipe.free = pipe.done = time;
            }
            woken_.push_back(index);
        }
    }
}

void Player::BeginTransfer(uint32_t owner, double now)
{
    CoreTime& c = cores_[owner / PIPES];
    PipeTime& pipe = c.pipes[owner % PIPES];
    const Traffic& traffic = c.line->traffic[pipe.step->traffic - 1];
    const Cache::Found found = cache_.Touch(traffic);
    const bool reads = traffic.path == Path::TO_L1 || traffic.path == Path::TO_UB;
    (reads ? report_.l2_read_bytes : report_.l2_write_bytes) += found.hit;
    (reads ? report_.hbm_read_bytes : report_.hbm_write_bytes) += found.missed;
    pipe.overhead = !reads ? 0 : found.missed > 0 ? chip_.mte2_miss_cycles : chip_.mte2_hit_cycles;
    pipe.latency = !reads ? pipe.step->latency : found.missed > 0 ? chip_.hbm_latency_cycles : chip_.l2_latency_cycles;
    pipe.restBytes = found.missed > 0 ? found.hit : 0;
    const bool fromHbm = found.missed > 0;
    bandwidth_.Begin(now, fromHbm, traffic.path, fromHbm ? found.missed : found.hit, owner);
}

void Player::EndTransfer(uint32_t owner, double now)
{
    CoreTime& c = cores_[owner / PIPES];
    PipeTime& pipe = c.pipes[owner % PIPES];
    if (pipe.restBytes > 0) {
        const double bytes = pipe.restBytes;
        pipe.restBytes = 0;
        bandwidth_.Begin(now, false, c.line->traffic[pipe.step->traffic - 1].path, bytes, owner);
        return;
    }
    pipe.moving = false;
    pipe.free = std::max(now + pipe.overhead, pipe.start + pipe.step->cycles);
    pipe.done = std::max(pipe.done, pipe.free + pipe.latency);
    pipe.busy += pipe.free - pipe.start;
    pipe.ends[pipe.ended++ % RING] = pipe.free;
    Span(c, static_cast<int>(owner % PIPES), *pipe.step, pipe.start, pipe.free);
    woken_.push_back(owner / PIPES);
}

void Player::Play()
{
    const uint32_t places = run_.kind == KERNEL_TYPE_AIV_ONLY || run_.kind == KERNEL_TYPE_MIX_AIV_1_0 ? chip_.aiv_count
                                                                                                      : chip_.aic_count;
    while (blocksStarted_ < std::min(run_.BlocksOf(), places)) {
        StartBlock(blocksStarted_++, 0);
    }
    std::vector<uint32_t> ended;
    for (;;) {
        while (!woken_.empty()) {
            const uint32_t index = woken_.back();
            woken_.pop_back();
            Walk(index);
        }
        const double next = bandwidth_.Next();
        if (!starts_.empty() && starts_.top().time <= next) {
            const Start start = starts_.top();
            starts_.pop();
            BeginTransfer(start.owner, start.time);
        } else if (next < std::numeric_limits<double>::infinity()) {
            ended.clear();
            bandwidth_.End(next, ended);
            for (uint32_t owner : ended) {
                EndTransfer(owner, next);
            }
        } else {
            break;
        }
    }
    for (const CoreTime& c : cores_) {
        if (c.core != nullptr && c.end < 0) {
            Stuck(c);
            return;
        }
    }
    Totals();
}

} // namespace replay

void Replay(Run& run, FiagenSimReport& report) { replay::Player(run, report).Play(); }

} // namespace sim
} // namespace AscendC
