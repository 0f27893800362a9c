// Executors: what the first phase of an aclnn call hands to the second.
//
// In: a run function and the workspace it needs. Out: one run. Must never run an executor twice or with too little workspace.
#include <algorithm>
#include <exception>

#include "runtime_state.h"

namespace fiagen {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

// Takes the executor out of circulation; null when it is not alive.
std::unique_ptr<aclOpExecutor> Claim(aclOpExecutor* executor)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    return std::unique_ptr<aclOpExecutor>(runtime.executors.erase(executor) == 0 ? nullptr : executor);
}

}  // namespace

aclOpExecutor* CreateExecutor(std::string_view entry, uint64_t workspaceBytes, RunFunction run)
{
    auto made = std::make_unique<aclOpExecutor>();
    made->entry = entry;
    made->workspaceBytes = workspaceBytes;
    made->run = std::move(run);
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    runtime.executors.insert(made.get());
    return made.release();
}

Status RunExecutor(std::string_view entry, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                   aclrtStream stream)
{
    const std::string call(entry);
    if (executor == nullptr) {
        return SetRecentError(ERR_PARAM_NULLPTR, call + ": the executor is null");
    }
    const std::unique_ptr<aclOpExecutor> claimed = Claim(executor);
    if (claimed == nullptr) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the executor was already used or destroyed; it serves one call");
    }
    if (claimed->entry != entry) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the executor was made for " + claimed->entry);
    }
    if (workspaceSize < claimed->workspaceBytes) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the workspace has " + std::to_string(workspaceSize) +
                                                     " bytes, " + std::to_string(claimed->workspaceBytes) + " are needed");
    }
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (claimed->workspaceBytes > 0 && workspace == nullptr) {
        return SetRecentError(ERR_PARAM_NULLPTR, call + ": the workspace is null, " +
                                                     std::to_string(claimed->workspaceBytes) + " bytes are needed");
    }
    if (workspace != nullptr && !runtime.memory.Holds(workspace, std::max<uint64_t>(workspaceSize, 1))) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the workspace's " + std::to_string(workspaceSize) +
                                                     " bytes are not inside one device allocation");
    }
    if (runtime.FindStream(stream) == nullptr) {
        return SetRecentError(ERR_RUNTIME, call + ": not a stream of this device");
    }
    try {
        return claimed->run(workspace, workspaceSize, stream);
    } catch (const std::exception& fault) {  // C callers cannot catch it
        return SetRecentError(ERR_RUNTIME, call + ": " + fault.what());
    }
}

}  // namespace fiagen

extern "C" aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor)
{
    if (executor == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR, "aclDestroyAclOpExecutor: the executor is null");
    }
    if (fiagen::Claim(executor) == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID,
                                      "aclDestroyAclOpExecutor: the executor was already used or destroyed");
    }
    return fiagen::STATUS_OK;
}
