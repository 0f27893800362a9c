// Streams and events: the thread, and the waiting.
//
// In: tasks. Out: their effects in order. Must never throw into a caller that is C.
#include "stream.h"

#include <chrono>
#include <exception>

namespace fiagen {
namespace {

template <typename Condition>
bool WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& held, int32_t milliseconds, Condition condition)
{
    if (milliseconds < 0) {
        changed.wait(held, condition);
        return true;
    }
    // A moment of the system's clock: the only kind of timed wait that every thread checker follows.
    return changed.wait_until(held, std::chrono::system_clock::now() + std::chrono::milliseconds(milliseconds), condition);
}

}  // namespace

Stream::~Stream()
{
    Stop(false);
}

void Stream::Enqueue(std::function<void()> task)
{
    const std::lock_guard<std::mutex> held(lock_);
    if (!worker_.joinable() && !stopping_) {
        worker_ = std::thread([this] { Work(); });
    }
    tasks_.push_back(std::move(task));
    ++enqueued_;
    changed_.notify_all();
}

void Stream::Work()
{
    std::unique_lock<std::mutex> held(lock_);
    for (;;) {
        changed_.wait(held, [this] { return !tasks_.empty() || stopping_; });
        if (tasks_.empty()) {
            return;
        }
        std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        held.unlock();
        std::string escaped;
        try {
            task();
        } catch (const std::exception& fault) {
            escaped = fault.what();
        }
        task = nullptr;  // what it held is free before anybody learns that it is done
        held.lock();
        if (!escaped.empty()) {
            faults_ += (faults_.empty() ? "" : "\n") + escaped;
        }
        ++done_;
        changed_.notify_all();
    }
}

bool Stream::Wait(int32_t milliseconds)
{
    std::unique_lock<std::mutex> held(lock_);
    const uint64_t wanted = enqueued_;
    return WaitUntil(changed_, held, milliseconds, [&] { return done_ >= wanted; });
}

bool Stream::Idle()
{
    const std::lock_guard<std::mutex> held(lock_);
    return done_ == enqueued_;
}

void Stream::Stop(bool dropWaiting)
{
    std::thread ending;
    {
        const std::lock_guard<std::mutex> held(lock_);
        stopping_ = true;
        if (dropWaiting) {
            done_ += tasks_.size();
            tasks_.clear();
        }
        ending.swap(worker_);
        changed_.notify_all();
    }
    if (ending.joinable()) {
        ending.join();
    }
}

void Stream::AddFault(const std::string& text)
{
    const std::lock_guard<std::mutex> held(lock_);
    faults_ += (faults_.empty() ? "" : "\n") + text;
}

std::string Stream::TakeFaults()
{
    const std::lock_guard<std::mutex> held(lock_);
    std::string taken;
    taken.swap(faults_);
    return taken;
}

uint64_t Event::Record()
{
    const std::lock_guard<std::mutex> held(lock_);
    return ++recorded_;
}

void Event::Reach(uint64_t moment, double simulated)
{
    const std::lock_guard<std::mutex> held(lock_);
    if (moment > reached_) {
        reached_ = moment;
        simulated_ = simulated;
    }
    changed_.notify_all();
}

void Event::Reset()
{
    const std::lock_guard<std::mutex> held(lock_);
    recorded_ = reached_ = 0;
    changed_.notify_all();
}

uint64_t Event::Last()
{
    const std::lock_guard<std::mutex> held(lock_);
    return recorded_;
}

bool Event::Reached()
{
    const std::lock_guard<std::mutex> held(lock_);
    return recorded_ != 0 && reached_ >= recorded_;
}

bool Event::Wait(uint64_t moment, int32_t milliseconds, double* simulated)
{
    std::unique_lock<std::mutex> held(lock_);
    const bool come = WaitUntil(changed_, held, milliseconds, [&] { return reached_ >= moment || recorded_ < moment; });
    *simulated = simulated_;
    return come;
}

bool Event::Time(double* simulated)
{
    const std::lock_guard<std::mutex> held(lock_);
    *simulated = simulated_;
    return recorded_ != 0 && reached_ >= recorded_;
}

}  // namespace fiagen
