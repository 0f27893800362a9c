// In:    transfers between cores and global memory, with the moment each begins.
// Out:   the moment each ends, HBM and L2 shared fairly among those under way.
// Never: a rate above that of one core's path or of the whole chip.
#ifndef FIAGEN_SIM_BANDWIDTH_H
#define FIAGEN_SIM_BANDWIDTH_H
#include "timing.h"
#include <algorithm>
#include <limits>
#include <queue>

namespace AscendC {
namespace sim {

// A fluid: at every moment each transfer moves at one rate, the largest that is fair. Transfers of one class (a path, from
// HBM or from L2) are equal, so a class needs one running sum of bytes; a transfer ends when the sum reaches its mark.
class Bandwidth {
public:
    static constexpr int CLASSES = 2 * PATHS; // those of HBM first
    explicit Bandwidth(const FiagenSimChip& chip) : hbm_(chip.hbm_bytes), l2Read_(chip.l2_bytes_per_cycle), l2Write_(chip.l2_write_bytes_per_cycle)
    {
        const double caps[CLASSES] = {chip.hbm_to_l1_bytes, chip.hbm_to_ub_bytes, chip.ub_to_gm_bytes, chip.l0c_to_gm_bytes,
            chip.l2_to_l1_bytes, chip.l2_to_ub_bytes, chip.ub_to_gm_bytes, chip.l0c_to_gm_bytes};
        for (int c = 0; c < CLASSES; ++c) {
            classes_[c].cap = caps[c];
        }
    }
    void Begin(double now, bool fromHbm, Path path, double bytes, uint32_t owner)
    {
        Move(now);
        Class& c = classes_[(fromHbm ? 0 : PATHS) + static_cast<int>(path) - 1];
        c.marks.push({c.sum + bytes, count_++, owner});
        Share();
    }
    // When the next transfer ends; infinity when none is under way.
    double Next() const
    {
        double next = std::numeric_limits<double>::infinity();
        for (const Class& c : classes_) {
            if (!c.marks.empty()) {
                next = std::min(next, now_ + std::max(0.0, c.marks.top().at - c.sum) / c.rate);
            }
        }
        return next;
    }
    // Owners of the transfers that end at `now`, first come first.
    void End(double now, std::vector<uint32_t>& owners)
    {
        Move(now);
        std::vector<Mark> ended;
        for (Class& c : classes_) {
            while (!c.marks.empty() && c.marks.top().at - c.sum <= CLOSE_BYTES) {
                ended.push_back(c.marks.top());
                c.marks.pop();
            }
        }
        std::sort(ended.begin(), ended.end(), [](const Mark& a, const Mark& b) { return a.order < b.order; });
        for (const Mark& mark : ended) {
            owners.push_back(mark.owner);
        }
        Share();
    }

private:
    static constexpr double CLOSE_BYTES = 1e-3; // rounding of the running sums
    struct Mark {
        double at;
        uint64_t order;
        uint32_t owner;
        bool operator<(const Mark& other) const { return at != other.at ? at > other.at : order > other.order; }
    };
    struct Class {
        double cap = 0, rate = 0, sum = 0;
        std::priority_queue<Mark> marks;
    };
    void Move(double now)
    {
        for (Class& c : classes_) {
            c.sum += c.rate * (now - now_);
        }
        now_ = now;
    }
    // Give each transfer of `count` classes from `first` on the same share, or its cap where that is less.
    void Fill(int first, int count, double capacity)
    {
        int order[PATHS];
        double waiting = 0;
        for (int i = 0; i < count; ++i) {
            order[i] = first + i;
            waiting += static_cast<double>(classes_[first + i].marks.size());
        }
        std::sort(order, order + count, [this](int a, int b) { return classes_[a].cap < classes_[b].cap; });
        double left = capacity;
        for (int i = 0; i < count; ++i) {
            Class& c = classes_[order[i]];
            const double n = static_cast<double>(c.marks.size());
            c.rate = n == 0 ? 0 : std::min(c.cap, left / waiting);
            left -= n * c.rate;
            waiting -= n;
        }
    }
    double Taken(int first) const
    {
        return classes_[first].rate * double(classes_[first].marks.size()) +
            classes_[first + 1].rate * double(classes_[first + 1].marks.size());
    }
    // HBM serves reads and writes together; L2 serves them side by side, and what comes from HBM or goes there passes through.
    void Share()
    {
        constexpr int READS = 2; // the paths into the cores come first
        Fill(0, PATHS, hbm_);
        Fill(PATHS, READS, std::max(l2Read_ - Taken(0), l2Read_ / 8));
        Fill(PATHS + READS, PATHS - READS, std::max(l2Write_ - Taken(READS), l2Write_ / 8));
    }
    Class classes_[CLASSES];
    double hbm_, l2Read_, l2Write_, now_ = 0;
    uint64_t count_ = 0;
};

// Which bytes of the kernel's arguments L2 holds: lines that age with what came in after them, cut into sectors.
class Cache {
public:
    struct Found {
        double hit = 0, missed = 0; // bytes
    };
    Cache(const FiagenSimLaunch& launch)
        : launch_(launch), sector_(launch.chip->gm_sector_bytes), perLine_(launch.chip->gm_line_bytes / sector_),
          capacity_(launch.chip->l2_bytes / launch.chip->gm_line_bytes)
    {
        for (uint32_t i = 0; i < launch.num_args; ++i) {
            lines_.emplace_back();
        }
    }
    Found Touch(const Traffic& t)
    {
        Found found;
        uint32_t arg = 0;
        while (arg < launch_.num_args && !Inside(arg, t.start)) {
            ++arg;
        }
        if (arg == launch_.num_args) {
            found.missed = double(t.bursts) * t.outer * t.bytes;
            return found;
        }
        std::vector<Line>& lines = lines_[arg];
        const uint64_t lineBytes = uint64_t{sector_} * perLine_;
        if (lines.empty()) {
            lines.resize(launch_.arg_bytes[arg] / lineBytes + 1);
        }
        const int64_t base = t.start - static_cast<const uint8_t*>(launch_.args[arg]);
        uint64_t hits = 0, misses = 0;
        for (uint32_t o = 0; o < t.outer; ++o) {
            for (uint32_t b = 0; b < t.bursts; ++b) {
                const uint64_t from = static_cast<uint64_t>(base + o * t.outerStep + b * t.step);
                const uint64_t first = from / sector_, last = (from + t.bytes - 1) / sector_;
                for (uint64_t line = first / perLine_; line <= last / perLine_ && line < lines.size(); ++line) {
                    const uint64_t lo = std::max(first, line * perLine_) - line * perLine_;
                    const uint64_t hi = std::min(last, (line + 1) * perLine_ - 1) - line * perLine_;
                    const uint32_t wanted = ((1u << (hi - lo + 1)) - 1u) << lo;
                    Line& entry = lines[line];
                    if (entry.held == 0 || clock_ - entry.stamp >= capacity_) { // never came in, or went out again
                        entry.held = 0;
                        ++clock_;
                    }
                    entry.stamp = clock_;
                    hits += static_cast<uint64_t>(__builtin_popcount(wanted & entry.held));
                    misses += static_cast<uint64_t>(__builtin_popcount(wanted & ~entry.held));
                    entry.held |= wanted;
                }
            }
        }
        found.hit = double(hits) * sector_;
        found.missed = double(misses) * sector_;
        return found;
    }

private:
    struct Line {
        uint32_t stamp = 0, held = 0;
    };
    bool Inside(uint32_t arg, const uint8_t* at) const
    {
        const uint8_t* begin = static_cast<const uint8_t*>(launch_.args[arg]);
        return begin != nullptr && at >= begin && at < begin + launch_.arg_bytes[arg];
    }
    const FiagenSimLaunch& launch_;
    uint32_t sector_, perLine_;
    uint64_t capacity_;
    uint32_t clock_ = 0;
    std::vector<std::vector<Line>> lines_;
};

} // namespace sim
} // namespace AscendC
#endif
