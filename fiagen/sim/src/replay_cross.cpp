// In:    cross-core flags and SyncAll of a replay.
// Out:   when each core may go on.
// Never: a token before every member of its group has set.
#include "replay.h"

namespace AscendC {
namespace sim {
namespace replay {

void Player::Token(CoreTime& c, int flag, double time)
{
    c.tokens[flag].Push(time + chip_.cross_flag_cycles);
    woken_.push_back(c.core->block * 3 + c.core->sub);
}

void Player::CrossSet(CoreTime& c, const Step& step, double time)
{
    const uint32_t block = c.core->block;
    if (step.what == 4) {
        const uint32_t id = step.id - CROSS_FLAG_MODE4, sub = c.core->sub;
        if (CoreTime* target = Of(block, c.core->Aic() ? id / 16 + 1 : 0)) {
            Token(*target, static_cast<int>(CROSS_FLAG_MODE4 + id % 16 + (sub == 2 ? 16 : 0)), time);
        }
    } else if (step.what == 2 && c.core->Aic()) {
        for (uint32_t sub = 1; sub <= 2; ++sub) {
            if (CoreTime* target = Of(block, sub)) {
                Token(*target, step.id, time);
            }
        }
    } else if (step.what == 2) {
        CoreTime& target = *Of(block, 0);
        auto& halves = target.halves[step.id];
        halves[c.core->sub - 1].Push(time);
        const bool alone = Of(block, 3 - c.core->sub) == nullptr;
        if (alone || (!halves[0].Empty() && !halves[1].Empty())) {
            double latest = 0;
            for (auto& half : halves) {
                if (!half.Empty()) {
                    latest = std::max(latest, half.Pop());
                }
            }
            Token(target, step.id, latest);
        }
    } else {
        c.own[step.id].Push(time);
        double latest = 0;
        std::vector<CoreTime*> group;
        for (uint32_t i = 0; i < cores_.size(); ++i) {
            if (run_.cores[i] && run_.cores[i]->Aic() == c.core->Aic() && (step.what == 0 || i / 3 == block)) {
                if (cores_[i].own[step.id].Empty()) {
                    return;
                }
                latest = std::max(latest, cores_[i].own[step.id].Front());
                group.push_back(&cores_[i]);
            }
        }
        for (CoreTime* member : group) {
            member->own[step.id].Pop();
            Token(*member, step.id, latest);
        }
    }
}

bool Player::Sync(CoreTime& c, bool vectorOnly)
{
    const int which = vectorOnly ? 0 : 1;
    Meeting& meeting = meetings_[which];
    if (!c.arrived) {
        c.arrived = true;
        meeting.arrivals.push_back(c.clock);
        size_t members = 0;
        for (const auto& core : run_.cores) {
            members += core && (!vectorOnly || !core->Aic()) ? 1u : 0u;
        }
        if (meeting.arrivals.size() == members) {
            meeting.time = *std::max_element(meeting.arrivals.begin(), meeting.arrivals.end()) + chip_.sync_all_cycles;
            meeting.arrivals.clear();
            ++meeting.done;
            for (uint32_t i = 0; i < cores_.size(); ++i) {
                if (cores_[i].core != nullptr && cores_[i].arrived) {
                    woken_.push_back(i);
                }
            }
        }
    }
    if (meeting.done == c.syncs[which]) {
        return false;
    }
    ++c.syncs[which];
    c.arrived = false;
    Hold(c, meeting.time, FIAGEN_STALL_SYNC_ALL);
    return true;
}

} // namespace replay
} // namespace sim
} // namespace AscendC
