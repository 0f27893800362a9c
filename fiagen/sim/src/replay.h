// In:    see replay.cpp.
// Out:   the state of a replay: clocks of cores and pipes, flags, transfers under way.
// Never: anything of the run that computes data.
#ifndef FIAGEN_SIM_REPLAY_H
#define FIAGEN_SIM_REPLAY_H
#include "bandwidth.h"
#include "machine.h"

namespace AscendC {
namespace sim {
namespace replay {

constexpr int RING = 256;
constexpr uint64_t PAUSES = 16;

template <typename T> class Fifo {
public:
    bool Empty() const { return head_ == items_.size(); }
    const T& Front() const { return items_[head_]; }
    void Push(const T& item)
    {
        if (head_ == items_.size()) {
            items_.clear();
            head_ = 0;
        }
        items_.push_back(item);
    }
    T Pop() { return items_[head_++]; }

private:
    std::vector<T> items_;
    size_t head_ = 0;
};

struct Waiting {
    size_t step;
    double issued;
};
struct PipeTime {
    Fifo<Waiting> queue;
    double free = 0;     // the next instruction may start
    double done = 0;     // all results are there
    double busy = 0;
    uint64_t issued = 0, started = 0, ended = 0;
    double starts[RING] = {}, ends[RING] = {};
    double stall[FIAGEN_STALL_COUNT] = {};
    // The transfer under way.
    bool moving = false;
    double start = 0, overhead = 0, restBytes = 0, latency = 0;
    const Step* step = nullptr;
};
struct Pause { // of the scalar unit
    double from, to;
    int cause;
};
struct CoreTime {
    Core* core = nullptr;
    const Timeline* line = nullptr;
    size_t next = 0;
    double clock = 0, begin = 0, end = -1;
    PipeTime pipes[PIPES];
    Fifo<double> flags[EVENTS][8];
    Fifo<double> tokens[CROSS_FLAGS], halves[CROSS_FLAGS][2], own[CROSS_FLAGS];
    Pause pauses[PAUSES]; // the last ones, as a ring
    uint64_t pauseCount = 0;
    bool arrived = false;
    uint64_t syncs[2] = {0, 0};
    bool scalarPaid = false; // the scalar cycles of the next step are in the clock
};

class Player {
public:
    Player(Run& run, FiagenSimReport& report)
        : run_(run), chip_(run.chip), report_(report), bandwidth_(run.chip), cache_(run.launch), cores_(run.cores.size())
    {
    }
    void Play();

private:
    struct Start {
        double time;
        uint32_t owner;
        bool operator<(const Start& other) const { return time != other.time ? time > other.time : owner > other.owner; }
    };
    void StartBlock(uint32_t block, double time);
    void Walk(uint32_t index);
    bool Issue(CoreTime& c);
    bool RunPipe(uint32_t index, int pipe);
    void BeginTransfer(uint32_t owner, double now);
    void EndTransfer(uint32_t owner, double now);
    void Finish(CoreTime& c);
    void CrossSet(CoreTime& c, const Step& step, double time);
    void Token(CoreTime& c, int flag, double time);
    bool Sync(CoreTime& c, bool vectorOnly);
    void Hold(CoreTime& c, double until, int cause);
    void Gap(CoreTime& c, PipeTime& pipe, double from, double issued);
    void Span(const CoreTime& c, int pipe, const Step& step, double from, double to);
    void Stuck(const CoreTime& c);
    void Totals();
    CoreTime* Of(uint32_t block, uint32_t sub)
    {
        CoreTime& c = cores_[block * 3 + sub];
        return c.core != nullptr ? &c : nullptr;
    }

    Run& run_;
    const FiagenSimChip& chip_;
    FiagenSimReport& report_;
    Bandwidth bandwidth_;
    Cache cache_;
    std::vector<CoreTime> cores_;
    std::priority_queue<Start> starts_;
    std::vector<uint32_t> woken_;
    uint32_t blocksStarted_ = 0;
    struct Meeting {
        std::vector<double> arrivals;
        uint64_t done = 0;
        double time = 0;
    } meetings_[2];
};

} // namespace replay
} // namespace sim
} // namespace AscendC
#endif
