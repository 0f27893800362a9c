// Blocks and addresses of device memory.
//
// In: sizes and addresses. Out: blocks and answers about them. Must never map anything at a device address.
#include <sys/mman.h>

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
constexpr uint64_t GAP = 4096;                       // unmapped addresses between two allocations
constexpr uint64_t DEVICE_BYTES = 1ULL << 36;        // 64 GiB of addresses, the memory of the largest chip
constexpr uint64_t LEAST_DEVICE_BYTES = 1ULL << 30;  // where the system limits addresses

uintptr_t Address(const void* pointer)
{
    return reinterpret_cast<uintptr_t>(pointer);
}

bool Intact(const uint8_t* guard)
{
    return std::all_of(guard, guard + GUARD_BYTES, [](uint8_t byte) { return byte == GUARD_BYTE; });
}

uint64_t Span(uint64_t bytes)
{
    return (bytes + GAP - 1) / GAP * GAP + GAP;
}

}  // namespace

std::shared_ptr<Block> Block::Make(uint64_t bytes)
{
    constexpr uint64_t overhead = 2 * GUARD_BYTES + ALIGNMENT;
    if (bytes > DEVICE_BYTES) {
        return nullptr;
    }
    auto made = std::make_shared<Block>();
    made->storage_.reset(new (std::nothrow) uint8_t[bytes + overhead]);
    if (made->storage_ == nullptr) {
        return nullptr;
    }
    const uintptr_t first = Address(made->storage_.get()) + GUARD_BYTES;
    const uintptr_t aligned = (first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    made->payload = made->storage_.get() + (aligned - Address(made->storage_.get()));
    made->bytes = bytes;
    std::memset(made->payload, FRESH_BYTE, bytes);
    made->FillGuards();
    return made;
}

void Block::FillGuards()
{
    std::memset(payload - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
    std::memset(payload + bytes, GUARD_BYTE, GUARD_BYTES);
}

Block::Sides Block::RepairGuards()
{
    const Sides found{!Intact(payload - GUARD_BYTES), !Intact(payload + bytes)};
    if (found.before || found.behind) {
        FillGuards();
    }
    return found;
}

bool DeviceMemory::Reserve()
{
    for (uint64_t bytes = DEVICE_BYTES; begin_ == 0 && bytes >= LEAST_DEVICE_BYTES; bytes /= 2) {
        void* const range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) {
            begin_ = (Address(range) + GAP - 1) / GAP * GAP;
            end_ = Address(range) + bytes;
            next_ = begin_;
            trap::Arm(begin_, end_);
        }
    }
    return begin_ != 0;
}

uintptr_t DeviceMemory::FreeRange(uintptr_t from, uintptr_t to, uint64_t bytes) const
{
    uintptr_t start = from;
    auto after = blocks_.lower_bound(from);
    if (after != blocks_.begin()) {
        const Block& before = *std::prev(after)->second;
        start = std::max(start, before.address + Span(before.bytes));
    }
    for (;; ++after) {
        const uintptr_t limit = after == blocks_.end() ? to : std::min(to, after->first);
        if (start <= limit && limit - start >= bytes) {
            return start;
        }
        if (after == blocks_.end() || after->first >= to) {
            return 0;
        }
        start = after->first + Span(after->second->bytes);
    }
}

bool DeviceMemory::Insert(const std::shared_ptr<Block>& block)
{
    if (!Reserve()) {
        return false;
    }
    const uint64_t span = Span(block->bytes);
    uintptr_t address = FreeRange(next_, end_, span);
    if (address == 0) {
        address = FreeRange(begin_, end_, span);
    }
    if (address == 0) {
        return false;
    }
    next_ = address + span;
    block->address = address;
    inUse_ += block->bytes;
    blocks_.emplace(address, block);
    return true;
}

std::shared_ptr<Block> DeviceMemory::Remove(const void* pointer)
{
    const auto found = blocks_.find(Address(pointer));
    if (found == blocks_.end()) {
        return nullptr;
    }
    std::shared_ptr<Block> dying = found->second;
    inUse_ -= dying->bytes;
    blocks_.erase(found);
    return dying;
}

Place DeviceMemory::Find(const void* pointer, uint64_t bytes) const
{
    const uintptr_t address = Address(pointer);
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) {
        return {};
    }
    const std::shared_ptr<Block>& candidate = std::prev(after)->second;
    const uint64_t offset = address - candidate->address;
    if (offset >= candidate->bytes || bytes > candidate->bytes - offset) {
        return {};
    }
    return {candidate, offset};
}

bool DeviceMemory::Touches(const void* pointer, uint64_t bytes) const
{
    const uintptr_t address = Address(pointer);
    return bytes != 0 && begin_ != 0 && address < end_ && (address >= begin_ || begin_ - address < bytes);
}

uint64_t DeviceMemory::Capacity()
{
    return Reserve() ? end_ - begin_ : 0;
}

void DeviceMemory::Clear()
{
    blocks_.clear();
    inUse_ = 0;
}

}  // namespace fiagen
