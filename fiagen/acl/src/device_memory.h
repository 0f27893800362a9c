// Device memory: addresses that are none of the host's, exact sizes, hostile first contents, a guard on each side.
//
// In: sizes and addresses. Out: blocks of memory that a task can hold on to. Must never hand out a byte it would not notice
// being overrun, nor an address at which the host finds anything.
#ifndef FIAGEN_ACL_DEVICE_MEMORY_H
#define FIAGEN_ACL_DEVICE_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>

namespace fiagen {

// One allocation. Whoever holds a pointer to it keeps its bytes alive; the address ends with aclrtFree.
class Block {
public:
    static std::shared_ptr<Block> Make(uint64_t bytes);  // null when the host has no memory left

    uintptr_t address = 0;  // as the application sees it; 0 for one that it does not see
    uint64_t bytes = 0;     // exactly what was asked for
    uint8_t* payload = nullptr;

    // Which guards were overwritten since the last time; they are whole again afterwards.
    struct Sides {
        bool before = false;
        bool behind = false;
    };
    Sides RepairGuards();

private:
    std::unique_ptr<uint8_t[]> storage_;
    void FillGuards();
};

// Bytes of a block from some address on; `block` is null when no live allocation holds them all.
struct Place {
    std::shared_ptr<Block> block;
    uint64_t offset = 0;

    explicit operator bool() const { return block != nullptr; }
    uint8_t* Host() const { return block->payload + offset; }
};

// Not locked; the runtime's lock guards it.
class DeviceMemory {
public:
    bool Insert(const std::shared_ptr<Block>& block);  // gives it an address; false when none is left
    std::shared_ptr<Block> Remove(const void* pointer);  // null: not the start of a live allocation
    Place Find(const void* pointer, uint64_t bytes) const;  // all of it inside one allocation
    bool Touches(const void* pointer, uint64_t bytes) const;  // any of it where device memory may be
    uint64_t BytesInUse() const { return inUse_; }
    uint64_t Count() const { return blocks_.size(); }
    const std::map<uintptr_t, std::shared_ptr<Block>>& Blocks() const { return blocks_; }
    uint64_t Capacity();
    void Clear();

private:
    std::map<uintptr_t, std::shared_ptr<Block>> blocks_;
    uintptr_t begin_ = 0;  // of the addresses that belong to the device; nothing is ever mapped there
    uintptr_t end_ = 0;
    uintptr_t next_ = 0;  // where the search for a free range begins, so that a freed one is not given out again soon
    uint64_t inUse_ = 0;

    bool Reserve();
    uintptr_t FreeRange(uintptr_t from, uintptr_t to, uint64_t bytes) const;
};

}  // namespace fiagen

#endif
