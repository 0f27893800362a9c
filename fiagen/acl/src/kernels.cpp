// Where kernels come from, and what else a thread chooses for its launches.
//
// In: names of kernels. Out: their entry points. Must never load the same library twice for one thread and resolver, nor hold the
// runtime's lock while somebody compiles.
#include <dlfcn.h>

#include <cstring>

#include "runtime_state.h"

namespace fiagen {
namespace {

Status Open(const std::string& kernel, const std::string& path, KernelEntry* entry)
{
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + " cannot be loaded: " + std::string(dlerror()));
    }
    void* const symbol = dlsym(library, "fiagen_sim_launch");
    if (symbol == nullptr) {
        dlclose(library);
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": " + path + " has no fiagen_sim_launch");
    }
    std::memcpy(entry, &symbol, sizeof symbol);  // the library stays loaded: a run may have left things of its in this process
    return STATUS_OK;
}

Status LoadFromHome(const std::string& kernel, KernelEntry* entry)
{
    static std::mutex asking;  // two threads that want the same kernel compile it once
    static auto* const known = new std::unordered_map<std::string, KernelEntry>;
    const std::lock_guard<std::mutex> held(asking);
    const auto found = known->find(kernel);
    if (found != known->end()) {
        *entry = found->second;
        return STATUS_OK;
    }
    std::string why;
    const std::string path = home::KernelPath(kernel, why);
    if (path.empty()) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": " + why);
    }
    const Status status = Open(kernel, path, entry);
    if (status == STATUS_OK) {
        known->emplace(kernel, *entry);
    }
    return status;
}

}  // namespace

Settings& ThreadSettings()
{
    static thread_local Settings settings;
    return settings;
}

const FiagenSimChip* ChosenChip()
{
    const Settings& settings = ThreadSettings();
    return settings.chip != nullptr ? settings.chip.get() : home::Chip();
}

Status LoadKernel(const std::string& kernel, KernelEntry* entry)
{
    Settings& settings = ThreadSettings();
    if (settings.resolver == nullptr) {
        return LoadFromHome(kernel, entry);
    }
    const auto known = settings.kernels.find(kernel);
    if (known != settings.kernels.end()) {
        *entry = known->second;
        return STATUS_OK;
    }
    settings.resolverError.clear();
    const char* const path = settings.resolver(kernel.c_str());
    if (path == nullptr) {
        return SetRecentError(ERR_RUNTIME, "kernel " + kernel + ": " +
                                               (settings.resolverError.empty() ? "the resolver knows no such kernel"
                                                                               : settings.resolverError));
    }
    const Status status = Open(kernel, path, entry);
    if (status == STATUS_OK) {
        settings.kernels.emplace(kernel, *entry);
    }
    return status;
}

std::string_view CallEdition(std::string_view otherwise)
{
    const std::string& chosen = ThreadSettings().edition;
    return chosen.empty() ? otherwise : std::string_view(chosen);
}

std::string_view CallAuthority()
{
    return ThreadSettings().authority;
}

uint32_t CubeCores()
{
    const FiagenSimChip* const chip = ChosenChip();
    return chip == nullptr ? 0 : chip->aic_count;
}

}  // namespace fiagen

extern "C" {

void fiagenSetKernelResolver(const char* (*resolver)(const char* kernelName))
{
    fiagen::Settings& settings = fiagen::ThreadSettings();
    settings.resolver = resolver;
    settings.kernels.clear();
}

void fiagenSetResolverError(const char* text)
{
    fiagen::ThreadSettings().resolverError = text == nullptr ? "" : text;
}

void fiagenSetSimOptions(uint64_t scheduleSeed, uint32_t schedulePolicy, uint64_t instructionBudget)
{
    fiagen::Settings& settings = fiagen::ThreadSettings();
    settings.scheduleSeed = scheduleSeed;
    settings.schedulePolicy = schedulePolicy;
    settings.instructionBudget = instructionBudget;
}

void fiagenSetSimTiming(uint32_t timeOnly, FiagenSimSpan* spans, uint64_t spanCapacity)
{
    fiagen::Settings& settings = fiagen::ThreadSettings();
    settings.timeOnly = timeOnly != 0;
    settings.spans = spans;
    settings.spanCapacity = spans == nullptr ? 0 : spanCapacity;
}

void fiagenSetCallPolicy(const char* edition, const char* authority)
{
    fiagen::ThreadSettings().edition = edition;
    fiagen::ThreadSettings().authority = authority;
}

void fiagenSetChip(const FiagenSimChip* chip)
{
    fiagen::ThreadSettings().chip.reset(chip == nullptr ? nullptr : new FiagenSimChip(*chip));
}
}
