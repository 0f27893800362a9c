// In:    what every core reads and writes of the kernel's arguments, in issue order.
// Out:   faults of order between cores and between pipes, of the scalar cache, and of bytes that nobody wrote.
// Never: a change of data, except what the scalar cache holds back.
#include "machine.h"
#include <algorithm>
#include <cstdio>
#include <sys/mman.h>

namespace AscendC {
namespace sim {

constexpr uint64_t BLOCK = 32, LINE = 64;

static const char* CoreName(uint32_t index)
{
    static const char* const names[] = {"AIC", "AIV0", "AIV1"};
    return names[index % 3];
}

// Zero pages that cost nothing until somebody touches them.
static void* ZeroPages(uint64_t bytes)
{
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

static uint64_t CellBytes(const GlobalArg& arg) { return (arg.bytes / BLOCK + 1) * sizeof(GlobalCell); }

GlobalMemory::GlobalMemory(const FiagenSimLaunch& launch, bool checks)
{
    for (uint32_t i = 0; i < launch.num_args; ++i) {
        GlobalArg arg;
        arg.base = static_cast<uint8_t*>(launch.args[i]);
        arg.bytes = arg.base == nullptr ? 0 : launch.arg_bytes[i];
        arg.role = launch.arg_roles == nullptr ? static_cast<uint8_t>(FIAGEN_SIM_INOUT) : launch.arg_roles[i];
        args.push_back(arg);
    }
    for (GlobalArg& arg : args) {
        for (GlobalArg& other : args) { // memory under two names: what holds for one need not hold for the other
            if (&arg != &other && arg.base < other.base + other.bytes && other.base < arg.base + arg.bytes) {
                arg.role = other.role = FIAGEN_SIM_INOUT;
            }
        }
    }
    for (GlobalArg& arg : args) {
        if (checks && arg.bytes > 0 && arg.role != FIAGEN_SIM_INPUT) {
            arg.cells = static_cast<GlobalCell*>(ZeroPages(CellBytes(arg)));
            if (arg.role != FIAGEN_SIM_INOUT) {
                arg.written = static_cast<uint8_t*>(ZeroPages(arg.bytes));
            }
        }
    }
}

GlobalMemory::~GlobalMemory()
{
    for (GlobalArg& arg : args) {
        if (arg.cells != nullptr) {
            munmap(arg.cells, CellBytes(arg));
        }
        if (arg.written != nullptr) {
            munmap(arg.written, arg.bytes);
        }
    }
}

bool Core::Tracks(const Global& tensor) const { return run.global.args[tensor.arg].cells != nullptr; }
bool Core::HoldsNoData(const Global& tensor) const { return run.global.args[tensor.arg].role == FIAGEN_SIM_WORKSPACE; }
uint8_t* Core::WrittenGlobal(const Global& tensor) const
{
    const GlobalArg& arg = run.global.args[tensor.arg];
    return arg.written == nullptr ? nullptr : arg.written + (tensor.ptr - arg.base);
}

void Core::NeedGlobal(const Global& tensor, int64_t lo, int64_t hi)
{
    uint8_t* written = WrittenGlobal(tensor);
    if (written == nullptr || lo >= hi) {
        return;
    }
    if (const void* hole = std::memchr(written + lo, 0, static_cast<size_t>(hi - lo))) {
        char where[48];
        std::snprintf(where, sizeof(where), "kernel argument %u", tensor.arg);
        Uninitialised(where, static_cast<uint64_t>(static_cast<const uint8_t*>(hole) - run.global.args[tensor.arg].written));
        std::memset(written + lo, 1, static_cast<size_t>(hi - lo));
    }
}

namespace {
struct Touching {
    Core& core;
    const GlobalArg& arg;
    uint32_t index; // of the argument
    Core::Use use;
    uint32_t mask = 0;

    bool Ordered(const GlobalAccess& other) const
    {
        const uint32_t pipe = other.pipe;
        if (other.core != core.Index()) {
            return core.Knows(other.core, static_cast<int>(pipe), other.seq);
        }
        if (static_cast<int>(pipe) == core.curPipe) {
            const bool overtakes = (pipe == PIPE_MTE3 || pipe == PIPE_FIX) && use.write && other.write;
            return !overtakes || other.seq == core.seq[pipe] || other.seq <= core.known[pipe].seq[pipe];
        }
        const bool over = pipe == PIPE_S && !other.write; // a scalar read is over before anything later is issued
        return over || other.seq <= core.known[core.curPipe].seq[pipe];
    }

    [[noreturn]] void Complain(const GlobalAccess& other) const
    {
        const char* mine = use.write ? "writes" : "reads";
        const char* theirs = other.write ? "writes" : "reads";
        const char* pipe = PIPE_NAMES[other.pipe];
        const auto line = static_cast<int32_t>(other.line);
        if (other.core != core.Index()) {
            core.Raise("sim.race_between_cores", core.curPipe, core.curName, core.curLine, line,
                "%s %s bytes of kernel argument %u that pipe %s of block %u %s %s at line %d, and nothing orders the two: "
                "CrossCoreSetFlag/CrossCoreWaitFlag or SyncAll is missing",
                core.curName, mine, index, pipe, other.core / 3u, CoreName(other.core), theirs, line);
        }
        if (static_cast<int>(other.pipe) == core.curPipe) {
            core.Raise("sim.missing_pipe_barrier", core.curPipe, core.curName, core.curLine, line,
                "%s writes bytes of kernel argument %u that an earlier instruction of the same pipe (line %d) writes, without "
                "PipeBarrier<PIPE_%s>() between them",
                core.curName, index, line, pipe);
        }
        core.Raise("sim.race", core.curPipe, core.curName, core.curLine, line,
            "%s on pipe %s %s bytes of kernel argument %u that pipe %s %s at line %d, and nothing orders the two: "
            "SetFlag/WaitFlag<HardEvent::%s_%s> is missing",
            core.curName, PIPE_NAMES[core.curPipe], mine, index, pipe, theirs, line, pipe, PIPE_NAMES[core.curPipe]);
    }

    void See(GlobalAccess& other) const
    {
        if (other.mask == 0) {
            return;
        }
        const bool shares = (other.mask & mask) != 0;
        if (shares && (use.write || other.write) && !(use.adds && other.adds) && !Ordered(other)) {
            Complain(other);
        }
        if (!shares && use.write && other.write && other.core != core.Index() && !(use.exact && other.exact)) {
            core.Raise("sim.shared_block", core.curPipe, core.curName, core.curLine, static_cast<int32_t>(other.line),
                "%s writes part of a 32-byte block of kernel argument %u of which block %u %s writes another part at line %d: "
                "give each core whole blocks, or write with DataCopyPad",
                core.curName, index, other.core / 3u, CoreName(other.core), static_cast<int32_t>(other.line));
        }
        const bool again = !use.write && !other.write && other.core == core.Index() &&
            static_cast<int>(other.pipe) == core.curPipe;
        if (again || (use.write && !use.adds)) { // whoever is ordered after this one is ordered after that one
            other.mask &= ~mask;
        }
    }

    void Cell(GlobalCell& cell) const
    {
        GlobalMemory& memory = core.run.global;
        for (GlobalAccess& other : cell.entries) {
            See(other);
        }
        std::vector<GlobalAccess>* more = nullptr;
        if (cell.entries[0].more) {
            more = &memory.more[&cell];
            for (GlobalAccess& other : *more) {
                See(other);
            }
        }
        GlobalAccess* place = nullptr;
        for (GlobalAccess& other : cell.entries) {
            place = other.mask == 0 ? &other : place;
        }
        if (place == nullptr) {
            if (more == nullptr) {
                more = &memory.more[&cell];
                cell.entries[0].more = 1;
            }
            auto free = std::find_if(more->begin(), more->end(), [](const GlobalAccess& other) { return other.mask == 0; });
            place = free == more->end() ? &*more->insert(free, GlobalAccess{}) : &*free;
        }
        const bool keep = place->more;
        *place = {core.seq[core.curPipe], mask, static_cast<uint32_t>(core.curLine) & 0xFFFFFF,
            static_cast<uint32_t>(core.curPipe) & 0xF, use.write, use.adds, use.exact, keep,
            static_cast<uint16_t>(core.Index())};
    }
};
} // namespace

void Core::TouchGlobal(const Global& tensor, int64_t lo, int64_t hi, Use use)
{
    const GlobalArg& arg = run.global.args[tensor.arg];
    if (use.write && arg.role == FIAGEN_SIM_INPUT) {
        Raise("sim.input_written", curPipe, curName, curLine, 0, "%s writes to kernel argument %u, which is an input", curName,
            tensor.arg);
    }
    if (arg.cells == nullptr || lo >= hi) {
        return;
    }
    const auto from = static_cast<uint64_t>(tensor.ptr - arg.base + lo), to = from + static_cast<uint64_t>(hi - lo);
    if (run.global.dirtyLines > 0) {
        CheckCaches(arg, from, to, use.write);
    }
    Touching touching{*this, arg, tensor.arg, use};
    for (uint64_t cell = from / BLOCK; cell * BLOCK < to; ++cell) {
        const uint64_t base = cell * BLOCK;
        const uint64_t first = from > base ? from - base : 0, last = std::min(BLOCK, to - base);
        touching.mask = static_cast<uint32_t>(((uint64_t{1} << last) - 1) & ~((uint64_t{1} << first) - 1));
        touching.Cell(arg.cells[cell]);
    }
}

// Bytes that a scalar cache still holds back are neither to be read nor to be written by anybody else.
void Core::CheckCaches(const GlobalArg& arg, uint64_t lo, uint64_t hi, bool write)
{
    for (const auto& other : run.cores) {
        if (!other || (other.get() == this && curPipe == PIPE_S)) {
            continue;
        }
        for (const CachedLine& line : other->cache) {
            const uint64_t base = line.line * LINE;
            if (line.dirty == 0 || &run.global.args[line.arg] != &arg || hi <= base || base + LINE <= lo) {
                continue;
            }
            uint64_t bits = 0;
            for (uint64_t byte = std::max(lo, base); byte < std::min(hi, base + LINE); ++byte) {
                bits |= uint64_t{1} << (byte - base);
            }
            if ((bits & line.dirty) != 0) {
                Raise("sim.cache_not_cleaned", curPipe, curName, curLine, line.dirtyLine,
                    "%s %s bytes that SetValue of block %u %s changed at line %d, and they still are in its cache: "
                    "DataCacheCleanAndInvalid is missing",
                    curName, write ? "writes" : "reads", other->block, CoreName(other->sub), line.dirtyLine);
            }
        }
    }
}

// Where a scalar access of global memory finds its bytes: in the cache, which loads whole lines and does not notice what
// others write.
void* Core::CachedScalar(const Global& tensor, uint64_t offset, uint32_t bytes, bool write)
{
    const GlobalArg& arg = run.global.args[tensor.arg];
    uint8_t* direct = tensor.ptr + offset;
    const auto lo = static_cast<int64_t>(offset), hi = lo + bytes;
    const auto at = static_cast<uint64_t>(direct - arg.base);
    if (write && arg.role == FIAGEN_SIM_INPUT) {
        WriteGlobal(tensor, lo, hi, false, false);
    }
    if (arg.cells == nullptr || at % LINE + bytes > LINE) { // nothing to hold back, or a struct that is copied as a whole
        ReadGlobal(tensor, lo, hi);
        return direct;
    }
    const uint64_t number = at / LINE;
    auto found = std::find_if(cache.begin(), cache.end(),
        [&](const CachedLine& line) { return line.arg == tensor.arg && line.line == number; });
    if (found == cache.end()) {
        CachedLine line{tensor.arg, number, 0, 0, {}, {}};
        std::memcpy(line.loaded, arg.base + number * LINE, std::min(LINE, arg.bytes - number * LINE));
        std::memcpy(line.bytes, line.loaded, LINE);
        found = cache.insert(found, line);
    }
    const uint64_t bits = ((bytes == 64 ? 0 : uint64_t{1} << bytes) - 1) << at % LINE;
    if (write) {
        for (const auto& other : run.cores) {
            if (!other || other.get() == this) {
                continue;
            }
            for (const CachedLine& line : other->cache) {
                if (line.arg == tensor.arg && line.line == number && line.dirty != 0) {
                    Raise("sim.shared_line", curPipe, curName, curLine, line.dirtyLine,
                        "SetValue changes a 64-byte line that block %u %s also changes (line %d): whichever cache is written "
                        "back last wins; keep the cores 64 bytes apart",
                        other->block, CoreName(other->sub), line.dirtyLine);
                }
            }
        }
        run.global.dirtyLines += found->dirty == 0 ? 1 : 0;
        found->dirty |= bits;
        found->dirtyLine = curLine;
        return found->bytes + at % LINE;
    }
    if ((found->dirty & bits) != bits) { // own changes are known without a look at memory
        ReadGlobal(tensor, lo, hi);
        NeedGlobal(tensor, lo, hi);
        if (std::memcmp(direct, found->loaded + at % LINE, bytes) != 0) {
            Raise("sim.stale_read", curPipe, curName, curLine, 0,
                "GetValue reads from a cached line that somebody has changed in memory since: DataCacheCleanAndInvalid has to "
                "come first");
        }
    }
    return found->bytes + at % LINE;
}

void Core::CleanCache(const Global& tensor, bool all)
{
    if (cache.empty()) {
        return;
    }
    const GlobalArg& here = run.global.args[tensor.arg];
    const auto at = static_cast<uint64_t>(tensor.ptr - here.base);
    std::vector<CachedLine> taken;
    auto leaves = [&](const CachedLine& line) { return all || (line.arg == tensor.arg && line.line == at / LINE); };
    std::copy_if(cache.begin(), cache.end(), std::back_inserter(taken), leaves);
    cache.erase(std::remove_if(cache.begin(), cache.end(), leaves), cache.end());
    for (CachedLine& line : taken) {
        const GlobalArg& arg = run.global.args[line.arg];
        const uint64_t base = line.line * LINE, from = all ? base : at; // a single line is cleaned from the address on
        run.global.dirtyLines -= line.dirty != 0 ? 1 : 0;
        Global whole{arg.base, arg.base, arg.base + arg.bytes, DType::U8, line.arg};
        for (uint64_t byte = base; line.dirty != 0 && byte < std::min(base + LINE, arg.bytes); ++byte) {
            if ((line.dirty >> (byte - base) & 1) == 0 && arg.base[byte] != line.loaded[byte - base]) {
                Raise("sim.shared_line", curPipe, curName, curLine, line.dirtyLine,
                    "the cache writes back whole 64-byte lines, and somebody else has changed another part of this one since it "
                    "was loaded; keep what SetValue changes (line %d) 64 bytes apart from the rest",
                    line.dirtyLine);
            }
        }
        for (uint64_t byte = from; byte < base + LINE; ++byte) {
            const uint64_t bit = uint64_t{1} << (byte - base);
            if ((line.dirty & bit) != 0) {
                line.dirty &= ~bit;
                WriteGlobal(whole, static_cast<int64_t>(byte), static_cast<int64_t>(byte) + 1, false, false);
                arg.base[byte] = line.bytes[byte - base];
                if (arg.written != nullptr) {
                    arg.written[byte] = 1;
                }
            }
        }
        if (line.dirty != 0) { // in front of the address: still held back
            run.global.dirtyLines += 1;
            cache.push_back(line);
        }
    }
}

} // namespace sim
} // namespace AscendC
