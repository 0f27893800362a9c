// Streams and events as the application sees them.
//
// In: the published calls. Out: their effect, in the order of each stream. Must never wait while it holds the runtime's lock.
#include <algorithm>

#include "runtime_state.h"

namespace fiagen {
namespace {

std::shared_ptr<Event> EventOf(aclrtEvent event, const char* call)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    const auto found = runtime.events.find(static_cast<Event*>(event));
    if (found == runtime.events.end()) {
        SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": not an event that is alive");
        return nullptr;
    }
    return found->second;
}

aclError CreateStream(aclrtStream* stream, const char* call)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (stream == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": the result pointer is null");
    }
    if (const aclError error = RequireContext(runtime, call); error != ACL_SUCCESS) {
        return error;
    }
    auto made = std::make_shared<Stream>(runtime.CurrentContext()->device);
    *stream = made.get();
    runtime.streams.emplace(made.get(), made);
    return ACL_SUCCESS;
}

aclError DestroyStream(aclrtStream stream, const char* call, bool force)
{
    Runtime& runtime = Runtime::Get();
    std::shared_ptr<Stream> dying;
    {
        const Guard guard(runtime.lock);
        const auto found = runtime.streams.find(static_cast<Stream*>(stream));
        if (found == runtime.streams.end()) {
            runtime.Complain(call);
            return SetRecentError(ACL_ERROR_RT_STREAM_CONTEXT, std::string(call) + ": not a stream of this device");
        }
        dying = found->second;
        runtime.streams.erase(found);
    }
    dying->Stop(force);
    return ACL_SUCCESS;
}

aclError Faults(Stream& stream, const char* call)
{
    const std::string faults = stream.TakeFaults();
    return faults.empty() ? ACL_SUCCESS : SetRecentError(ACL_ERROR_RT_AICORE_EXCEPTION, std::string(call) + ": " + faults);
}

aclError Synchronize(aclrtStream stream, int32_t timeout, const char* call)
{
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<Stream> known = StreamOf(stream, call, &error);
    if (known == nullptr) {
        return error;
    }
    if (timeout < -1) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": the timeout is below -1");
    }
    if (!known->Wait(timeout)) {
        return SetRecentError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                              std::string(call) + ": not done within " + std::to_string(timeout) + " ms");
    }
    return Faults(*known, call);
}

aclError SynchronizeDevice(int32_t timeout, const char* call)
{
    Runtime& runtime = Runtime::Get();
    std::vector<std::shared_ptr<Stream>> all;
    {
        const Guard guard(runtime.lock);
        if (const aclError error = RequireContext(runtime, call); error != ACL_SUCCESS) {
            return error;
        }
        all.push_back(runtime.CurrentContext()->defaultStream);
        for (const auto& [handle, stream] : runtime.streams) {
            all.push_back(stream);
        }
    }
    aclError worst = ACL_SUCCESS;
    for (const std::shared_ptr<Stream>& stream : all) {
        if (!stream->Wait(timeout)) {
            return SetRecentError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                                  std::string(call) + ": not done within " + std::to_string(timeout) + " ms");
        }
        const aclError error = Faults(*stream, call);
        worst = error != ACL_SUCCESS ? error : worst;
    }
    return worst;
}

aclError CreateEvent(aclrtEvent* event, const char* call)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (event == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, std::string(call) + ": the result pointer is null");
    }
    if (const aclError error = RequireContext(runtime, call); error != ACL_SUCCESS) {
        return error;
    }
    auto made = std::make_shared<Event>();
    *event = made.get();
    runtime.events.emplace(made.get(), made);
    return ACL_SUCCESS;
}

aclError SynchronizeEvent(aclrtEvent event, int32_t timeout, const char* call)
{
    const std::shared_ptr<Event> known = EventOf(event, call);
    if (known == nullptr) {
        return ACL_ERROR_INVALID_PARAM;
    }
    double simulated = 0;
    if (!known->Wait(known->Last(), timeout, &simulated)) {
        return SetRecentError(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                              std::string(call) + ": not reached within " + std::to_string(timeout) + " ms");
    }
    return ACL_SUCCESS;
}

}  // namespace

std::shared_ptr<Stream> StreamOf(aclrtStream stream, const char* call, aclError* error)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    std::shared_ptr<Stream> found = runtime.FindStream(stream);
    if (found == nullptr) {
        *error = stream == nullptr
                     ? RequireContext(runtime, call)
                     : SetRecentError(ACL_ERROR_RT_STREAM_CONTEXT, std::string(call) + ": not a stream of this device");
    }
    return found;
}

}  // namespace fiagen

using fiagen::SetRecentError;

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream)
{
    return fiagen::CreateStream(stream, "aclrtCreateStream");
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t)
{
    return fiagen::CreateStream(stream, "aclrtCreateStreamWithConfig");
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return fiagen::DestroyStream(stream, "aclrtDestroyStream", false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return fiagen::DestroyStream(stream, "aclrtDestroyStreamForce", true);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return fiagen::Synchronize(stream, -1, "aclrtSynchronizeStream");
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    return fiagen::Synchronize(stream, timeout, "aclrtSynchronizeStreamWithTimeout");
}

aclError aclrtSynchronizeDevice(void)
{
    return fiagen::SynchronizeDevice(-1, "aclrtSynchronizeDevice");
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    return fiagen::SynchronizeDevice(timeout, "aclrtSynchronizeDeviceWithTimeout");
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status)
{
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<fiagen::Stream> known = fiagen::StreamOf(stream, "aclrtStreamQuery", &error);
    if (known == nullptr) {
        return error;
    }
    if (status == nullptr) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery: the result pointer is null");
    }
    *status = known->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<fiagen::Stream> waiting = fiagen::StreamOf(stream, "aclrtStreamWaitEvent", &error);
    const std::shared_ptr<fiagen::Event> known = waiting == nullptr ? nullptr : fiagen::EventOf(event, "aclrtStreamWaitEvent");
    if (known == nullptr) {
        return waiting == nullptr ? error : ACL_ERROR_INVALID_PARAM;
    }
    fiagen::Stream* const own = waiting.get();  // a stream outlives its tasks
    own->Enqueue([own, known, moment = known->Last()] {
        double simulated = 0;
        known->Wait(moment, -1, &simulated);
        own->simulated = std::max(own->simulated, simulated);
    });
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent* event)
{
    return fiagen::CreateEvent(event, "aclrtCreateEvent");
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t)
{
    return fiagen::CreateEvent(event, "aclrtCreateEventWithFlag");
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t)
{
    return fiagen::CreateEvent(event, "aclrtCreateEventExWithFlag");
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    fiagen::Runtime& runtime = fiagen::Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    if (runtime.events.erase(static_cast<fiagen::Event*>(event)) == 0) {
        runtime.Complain("aclrtDestroyEvent");
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtDestroyEvent: not an event that is alive");
    }
    return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<fiagen::Event> known = fiagen::EventOf(event, "aclrtRecordEvent");
    const std::shared_ptr<fiagen::Stream> recorder =
        known == nullptr ? nullptr : fiagen::StreamOf(stream, "aclrtRecordEvent", &error);
    if (recorder == nullptr) {
        return known == nullptr ? static_cast<aclError>(ACL_ERROR_INVALID_PARAM) : error;
    }
    fiagen::Stream* const own = recorder.get();
    own->Enqueue([own, known, moment = known->Record()] { known->Reach(moment, own->simulated); });
    return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    aclError error = ACL_SUCCESS;
    const std::shared_ptr<fiagen::Event> known = fiagen::EventOf(event, "aclrtResetEvent");
    const std::shared_ptr<fiagen::Stream> own = known == nullptr ? nullptr : fiagen::StreamOf(stream, "aclrtResetEvent", &error);
    if (own == nullptr) {
        return known == nullptr ? static_cast<aclError>(ACL_ERROR_INVALID_PARAM) : error;
    }
    own->Enqueue([known] { known->Reset(); });
    return ACL_SUCCESS;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status)
{
    const std::shared_ptr<fiagen::Event> known = fiagen::EventOf(event, "aclrtQueryEvent");
    if (known == nullptr || status == nullptr) {
        return known == nullptr ? static_cast<aclError>(ACL_ERROR_INVALID_PARAM)
                                : SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtQueryEvent: the result pointer is null");
    }
    *status = known->Reached() ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status)
{
    const std::shared_ptr<fiagen::Event> known = fiagen::EventOf(event, "aclrtQueryEventStatus");
    if (known == nullptr || status == nullptr) {
        return known == nullptr ? static_cast<aclError>(ACL_ERROR_INVALID_PARAM)
                                : SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: the result pointer is null");
    }
    *status = known->Reached() ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return fiagen::SynchronizeEvent(event, -1, "aclrtSynchronizeEvent");
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return fiagen::SynchronizeEvent(event, timeout, "aclrtSynchronizeEventWithTimeout");
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    const std::shared_ptr<fiagen::Event> start = fiagen::EventOf(startEvent, "aclrtEventElapsedTime");
    const std::shared_ptr<fiagen::Event> end = start == nullptr ? nullptr : fiagen::EventOf(endEvent, "aclrtEventElapsedTime");
    double from = 0;
    double to = 0;
    if (end == nullptr) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (ms == nullptr || !start->Time(&from) || !end->Time(&to)) {
        return SetRecentError(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: the result pointer is null or an event was not reached");
    }
    *ms = static_cast<float>((to - from) / 1000.0);
    return ACL_SUCCESS;
}
}
