// Streams and events: tasks in order on a thread of their own.
//
// In: tasks. Out: their effects, one after the other, and what went wrong. Must never run a task before an earlier one ended, nor
// hold a lock while a task runs.
#ifndef FIAGEN_ACL_STREAM_H
#define FIAGEN_ACL_STREAM_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace fiagen {

class Stream {
public:
    explicit Stream(int32_t onDevice) : device(onDevice) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream();

    const int32_t device;

    void Enqueue(std::function<void()> task);
    bool Wait(int32_t milliseconds);  // for what was enqueued before; -1: without end. False: not done in time.
    bool Idle();
    void Stop(bool dropWaiting);  // ends the thread after its tasks, or after the one that runs

    void AddFault(const std::string& text);
    std::string TakeFaults();  // the texts since the last time; "" when there are none

    // Simulated microseconds of all kernels so far; only the stream's own tasks touch it.
    double simulated = 0;

private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::thread worker_;
    uint64_t enqueued_ = 0;
    uint64_t done_ = 0;
    bool stopping_ = false;
    std::string faults_;

    void Work();
};

class Event {
public:
    uint64_t Record();                    // a new moment to come
    void Reach(uint64_t moment, double simulated);
    void Reset();
    uint64_t Last();                      // the moment recorded last; 0: never
    bool Reached();                       // the moment recorded last has come
    bool Wait(uint64_t moment, int32_t milliseconds, double* simulated);
    bool Time(double* simulated);         // of the moment recorded last; false: it has not come

private:
    std::mutex lock_;
    std::condition_variable changed_;
    uint64_t recorded_ = 0;
    uint64_t reached_ = 0;
    double simulated_ = 0;
};

}  // namespace fiagen

#endif
