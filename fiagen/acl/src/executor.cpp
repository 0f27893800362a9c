// Executors: what the first phase of an aclnn call hands to the second.
//
// In: a run function and the workspace it needs. Out: one run, or any number when the executor is repeatable. Must never run with
// too little workspace, nor twice what is good for one run.
#include <algorithm>
#include <exception>

#include "runtime_state.h"

namespace fiagen {
namespace {

// The executor for one run, out of circulation unless it is repeatable; null when it is not alive.
std::shared_ptr<aclOpExecutor> Claim(aclOpExecutor* executor, bool forever)
{
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    const auto found = runtime.executors.find(executor);
    if (found == runtime.executors.end()) {
        return nullptr;
    }
    std::shared_ptr<aclOpExecutor> claimed = found->second;
    if (forever || !claimed->repeatable) {
        runtime.executors.erase(found);
    }
    return claimed;
}

// A claimed executor at the end of its run; its place stays taken, so that a second use is recognised.
class Ending {
public:
    explicit Ending(std::shared_ptr<aclOpExecutor> executor) : executor_(std::move(executor)) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;

    ~Ending()
    {
        if (!executor_->repeatable) {
            executor_->run = nullptr;
            objects::Retire(executor_);
        }
    }

private:
    std::shared_ptr<aclOpExecutor> executor_;
};

Status CheckWorkspace(const std::string& call, const void* workspace, uint64_t size, uint64_t needed)
{
    if (size < needed) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the workspace has " + std::to_string(size) + " bytes, " +
                                                     std::to_string(needed) + " are needed");
    }
    if (needed > 0 && workspace == nullptr) {
        return SetRecentError(ERR_PARAM_NULLPTR,
                              call + ": the workspace is null, " + std::to_string(needed) + " bytes are needed");
    }
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    if (workspace != nullptr && !runtime.memory.Find(workspace, std::max<uint64_t>(size, 1))) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the workspace's " + std::to_string(size) +
                                                     " bytes are not inside one device allocation");
    }
    return STATUS_OK;
}

}  // namespace

aclOpExecutor* CreateExecutor(std::string_view entry, uint64_t workspaceBytes, RunFunction run)
{
    auto made = std::make_shared<aclOpExecutor>();
    made->entry = entry;
    made->workspaceBytes = workspaceBytes;
    made->run = std::move(run);
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    runtime.executors.emplace(made.get(), made);
    return made.get();
}

Status RunExecutor(std::string_view entry, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                   aclrtStream stream)
{
    const std::string call(entry);
    if (executor == nullptr) {
        return SetRecentError(ERR_PARAM_NULLPTR, call + ": the executor is null");
    }
    const std::shared_ptr<aclOpExecutor> claimed = Claim(executor, false);
    if (claimed == nullptr) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the executor was already used or destroyed; it serves one call");
    }
    const Ending ending(claimed);
    if (claimed->entry != entry) {
        return SetRecentError(ERR_PARAM_INVALID, call + ": the executor was made for " + claimed->entry);
    }
    if (const Status status = CheckWorkspace(call, workspace, workspaceSize, claimed->workspaceBytes); status != STATUS_OK) {
        return status;
    }
    aclError error = ACL_SUCCESS;
    if (StreamOf(stream, entry.data(), &error) == nullptr) {
        return ERR_RUNTIME;
    }
    try {  // the kernel sees what it asked for: a byte beyond is a byte outside
        return claimed->run(workspace, claimed->workspaceBytes, stream);
    } catch (const std::exception& fault) {  // C callers cannot catch it
        return SetRecentError(ERR_RUNTIME, call + ": " + fault.what());
    }
}

}  // namespace fiagen

extern "C" {

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor)
{
    if (executor == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR, "aclDestroyAclOpExecutor: the executor is null");
    }
    const std::shared_ptr<aclOpExecutor> claimed = fiagen::Claim(executor, true);
    if (claimed == nullptr) {
        fiagen::Runtime& runtime = fiagen::Runtime::Get();
        const fiagen::Guard guard(runtime.lock);
        runtime.Complain("aclDestroyAclOpExecutor");
        return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID,
                                      "aclDestroyAclOpExecutor: the executor was already used or destroyed");
    }
    fiagen::objects::Retire(claimed);
    return fiagen::STATUS_OK;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor)
{
    if (executor == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR, "aclSetAclOpExecutorRepeatable: the executor is null");
    }
    fiagen::Runtime& runtime = fiagen::Runtime::Get();
    const fiagen::Guard guard(runtime.lock);
    const auto found = runtime.executors.find(executor);
    if (found == runtime.executors.end()) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID,
                                      "aclSetAclOpExecutorRepeatable: the executor was already used or destroyed");
    }
    found->second->repeatable = true;
    return fiagen::STATUS_OK;
}
}
