// Error text of the calling thread.
//
// In: SetRecentError. Out: aclGetRecentErrMsg. Must never lose a message that nobody has read, but for the oldest beyond a limit.
#include <deque>

#include "fiagen_runtime.h"

namespace {

constexpr size_t UNREAD_LIMIT = 64;  // an application that never asks must not grow without end

struct ThreadErrors {
    std::deque<std::string> unread;
    std::string handedOut;
};

ThreadErrors& Errors()
{
    static thread_local ThreadErrors errors;
    return errors;
}

}  // namespace

namespace fiagen {

Status SetRecentError(Status code, std::string_view text)
{
    std::deque<std::string>& unread = Errors().unread;
    unread.push_front("error " + std::to_string(code) + ": " + std::string(text));
    if (unread.size() > UNREAD_LIMIT) {
        unread.pop_back();
    }
    return code;
}

}  // namespace fiagen

extern "C" const char* aclGetRecentErrMsg(void)
{
    ThreadErrors& errors = Errors();
    if (errors.unread.empty()) {
        return nullptr;
    }
    errors.handedOut.clear();
    for (const std::string& message : errors.unread) {
        errors.handedOut += errors.handedOut.empty() ? message : "\n" + message;
    }
    errors.unread.clear();
    return errors.handedOut.c_str();
}
