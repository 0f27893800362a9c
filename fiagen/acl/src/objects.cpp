// Which objects of the aclnn layer are alive.
//
// In: their addresses when they are made and destroyed. Out: whether a destruction is the first one, and what is left. Must never
// take an address for alive because a new object has the place of a dead one: the dead stay unfreed for a while.
#include <deque>

#include "runtime_state.h"

namespace fiagen::objects {
namespace {

constexpr size_t RETIRED = 256;  // dead objects whose place is not yet given to new ones

struct Registry {
    std::mutex lock;
    std::unordered_map<const void*, const char*> alive;
    std::unordered_map<const void*, const char*> told;  // alive, and reported at an aclFinalize
    std::deque<std::shared_ptr<const void>> retired;
};

Registry& Known()
{
    static Registry* const registry = new Registry;
    return *registry;
}

}  // namespace

void Created(const void* object, const char* type)
{
    Registry& known = Known();
    const std::lock_guard<std::mutex> held(known.lock);
    known.alive[object] = type;
}

bool Destroyed(const void* object, const char* call)
{
    Registry& known = Known();
    {
        const std::lock_guard<std::mutex> held(known.lock);
        if (known.alive.erase(object) + known.told.erase(object) != 0) {
            return true;
        }
    }
    Runtime& runtime = Runtime::Get();
    const Guard guard(runtime.lock);
    runtime.Complain(call);
    SetRecentError(ERR_PARAM_INVALID, std::string(call) + ": the object was already destroyed or never made");
    return false;
}

void Forget()
{
    Registry& known = Known();
    const std::lock_guard<std::mutex> held(known.lock);
    known.told.insert(known.alive.begin(), known.alive.end());
    known.alive.clear();
}

void Retire(std::shared_ptr<const void> object)
{
    Registry& known = Known();
    const std::lock_guard<std::mutex> held(known.lock);
    known.retired.push_back(std::move(object));
    if (known.retired.size() > RETIRED) {
        known.retired.pop_front();
    }
}

std::map<std::string, uint64_t> Alive()
{
    Registry& known = Known();
    const std::lock_guard<std::mutex> held(known.lock);
    std::map<std::string, uint64_t> count;
    for (const auto& [object, type] : known.alive) {
        ++count[type];
    }
    return count;
}

}  // namespace fiagen::objects
