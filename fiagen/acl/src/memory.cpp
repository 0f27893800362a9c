// Device memory: exact sizes, hostile first contents, a guard on each side.
//
// In: sizes and addresses. Out: allocations and answers about them. Must never hand out a byte it would not notice being overrun.
#include <algorithm>
#include <cstring>
#include <new>

#include "runtime_state.h"

namespace fiagen {
namespace {

constexpr uint64_t ALIGNMENT = 512;    // bytes; global memory moves in blocks of this size
constexpr uint64_t GUARD_BYTES = 512;  // on each side; keeps the payload aligned
constexpr uint8_t GUARD_BYTE = 0xA5;
constexpr uint8_t FRESH_BYTE = 0xCB;

uintptr_t Address(const void* pointer)
{
    return reinterpret_cast<uintptr_t>(pointer);
}

bool Intact(const uint8_t* guard)
{
    return std::all_of(guard, guard + GUARD_BYTES, [](uint8_t byte) { return byte == GUARD_BYTE; });
}

void FillGuards(const DeviceMemory::Allocation& allocation)
{
    std::memset(allocation.payload - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
    std::memset(allocation.payload + allocation.bytes, GUARD_BYTE, GUARD_BYTES);
}

}  // namespace

void* DeviceMemory::Allocate(uint64_t bytes)
{
    constexpr uint64_t overhead = 2 * GUARD_BYTES + ALIGNMENT;
    if (bytes > SIZE_MAX - overhead) {
        return nullptr;
    }
    Allocation made;
    made.storage.reset(new (std::nothrow) uint8_t[bytes + overhead]);
    if (made.storage == nullptr) {
        return nullptr;
    }
    const uintptr_t first = Address(made.storage.get()) + GUARD_BYTES;
    const uintptr_t aligned = (first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    made.payload = made.storage.get() + (aligned - Address(made.storage.get()));
    made.bytes = bytes;
    made.address = aligned;
    std::memset(made.payload, FRESH_BYTE, bytes);
    FillGuards(made);
    void* const result = made.payload;
    allocations_.emplace(aligned, std::move(made));
    return result;
}

bool DeviceMemory::Free(void* pointer, bool* guardsIntact)
{
    const auto found = allocations_.find(Address(pointer));
    if (found == allocations_.end()) {
        return false;
    }
    const Allocation& dying = found->second;
    *guardsIntact = Intact(dying.payload - GUARD_BYTES) && Intact(dying.payload + dying.bytes);
    allocations_.erase(found);
    return true;
}

const DeviceMemory::Allocation* DeviceMemory::Find(const void* pointer) const
{
    auto after = allocations_.upper_bound(Address(pointer));
    if (after == allocations_.begin()) {
        return nullptr;
    }
    const Allocation& candidate = std::prev(after)->second;
    return Address(pointer) - candidate.address < candidate.bytes ? &candidate : nullptr;
}

bool DeviceMemory::Holds(const void* pointer, uint64_t bytes) const
{
    const Allocation* const found = Find(pointer);
    return found != nullptr && bytes <= found->bytes - (Address(pointer) - found->address);
}

bool DeviceMemory::Touches(const void* pointer, uint64_t bytes) const
{
    if (bytes == 0) {
        return false;
    }
    const auto next = allocations_.lower_bound(Address(pointer));
    return Find(pointer) != nullptr || (next != allocations_.end() && next->first - Address(pointer) < bytes);
}

uint8_t* DeviceMemory::HostAddress(const void* pointer) const
{
    const Allocation* const found = Find(pointer);
    return found == nullptr ? nullptr : found->payload + (Address(pointer) - found->address);
}

std::vector<DeviceMemory::Overrun> DeviceMemory::RepairGuards()
{
    std::vector<Overrun> found;
    for (const auto& [address, allocation] : allocations_) {
        const bool before = !Intact(allocation.payload - GUARD_BYTES);
        const bool behind = !Intact(allocation.payload + allocation.bytes);
        if (before || behind) {
            found.push_back({address, allocation.bytes, before, behind});
            FillGuards(allocation);
        }
    }
    return found;
}

uint64_t DeviceMemory::BytesInUse() const
{
    uint64_t total = 0;
    for (const auto& [address, allocation] : allocations_) {
        total += allocation.bytes;
    }
    return total;
}

void DeviceMemory::Clear()
{
    allocations_.clear();
}

}  // namespace fiagen
