// In:    the byte ranges each instruction reads and writes, in issue order.
// Out:   bounds, alignment and order faults at the line of the call.
// Never: an effect on data.
#include "machine.h"
#include <cstdio>

namespace AscendC {
namespace sim {

void Core::Begin(int pipe, const char* name, At at, bool handshake, bool selfOrdered)
{
    curPipe = pipe;
    curName = name;
    curLine = at.line;
    curHandshake = handshake;
    curSelfOrdered = selfOrdered;
    ++seq[pipe];
}

void Core::CheckMem(const Local& tensor, Mem wanted, const char* what)
{
    if (tensor.mem != wanted) {
        Raise("sim.wrong_memory", curPipe, curName, curLine, 0, "%s of %s lies in %s, but has to lie in %s", what, curName,
            MEM_NAMES[static_cast<int>(tensor.mem)], MEM_NAMES[static_cast<int>(wanted)]);
    }
    if (memories[static_cast<int>(wanted)].size == 0) {
        Raise("sim.wrong_memory", curPipe, curName, curLine, 0, "%s of %s lies in %s, which an %s does not have", what,
            curName, MEM_NAMES[static_cast<int>(wanted)], Aic() ? "AIC" : "AIV");
    }
}

void Core::CheckLimit(uint64_t value, uint64_t low, uint64_t high, const char* what)
{
    if (value < low || value > high) {
        Raise("sim.limit", curPipe, curName, curLine, 0, "%s of %s is %llu; allowed is %llu to %llu", what, curName,
            static_cast<unsigned long long>(value), static_cast<unsigned long long>(low),
            static_cast<unsigned long long>(high));
    }
}

void Core::CheckAligned(uint64_t addr, uint64_t align, const char* what)
{
    if (addr % align != 0) {
        Raise("sim.misaligned", curPipe, curName, curLine, 0, "%s of %s starts at byte %llu, which is not a multiple of %llu",
            what, curName, static_cast<unsigned long long>(addr), static_cast<unsigned long long>(align));
    }
}

void Core::CheckBounds(const Local& tensor, uint64_t lo, uint64_t hi, const char* what)
{
    uint64_t size = memories[static_cast<int>(tensor.mem)].size;
    if (tensor.mem == Mem::UB && selectLine != 0 && hi > size - limits::SELECT_RESERVED_UB_BYTES) {
        Raise("sim.select_reserved_ub", curPipe, curName, curLine, selectLine,
            "%s of %s reaches byte %llu of UB: from byte %llu on UB belongs to the Select at line %d, whose mode needs it", what,
            curName, static_cast<unsigned long long>(hi),
            static_cast<unsigned long long>(size - limits::SELECT_RESERVED_UB_BYTES), selectLine);
    }
    if (hi > tensor.end || hi > size || lo > hi) {
        char id[48];
        std::snprintf(id, sizeof(id), "sim.%s_out_of_bounds", MEM_RULES[static_cast<int>(tensor.mem)]);
        Raise(id, curPipe, curName, curLine, 0,
            "%s of %s covers bytes %llu to %llu of %s, past the end of its %s at %llu", what, curName,
            static_cast<unsigned long long>(lo), static_cast<unsigned long long>(hi),
            MEM_NAMES[static_cast<int>(tensor.mem)], hi > size ? "memory" : "buffer",
            static_cast<unsigned long long>(hi > size ? size : tensor.end));
    }
}

void Core::CheckGlobal(const Global& tensor, int64_t lo, int64_t hi)
{
    if (tensor.begin == nullptr) {
        Raise("sim.gm_out_of_bounds", curPipe, curName, curLine, 0,
            "the global tensor of %s was given an address outside every kernel argument, or none at all", curName);
    }
    int64_t at = tensor.ptr - tensor.begin;
    int64_t size = tensor.end - tensor.begin;
    if (at + lo < 0 || at + hi > size) {
        Raise("sim.gm_out_of_bounds", curPipe, curName, curLine, 0,
            "%s touches bytes %lld to %lld of a global tensor that has %lld bytes", curName,
            static_cast<long long>(at + lo), static_cast<long long>(at + hi), static_cast<long long>(size));
    }
}

static bool Overlaps(const Access& access, uint32_t lo, uint32_t hi) { return access.lo < hi && lo < access.hi; }

// Tell the order checker that the current instruction reads or writes bytes [lo, hi) of a memory. Two accesses
// of which one writes have to be ordered: by a flag, a barrier, a queue or, inside most pipes, by the pipe itself.
void Core::TouchAt(Core& home, Mem mem, uint64_t lo, uint64_t hi, bool write)
{
    if (lo >= hi || !run.checks) {
        return;
    }
    if (!buffers.empty() && &home == this) {
        CheckOwner(mem, lo, hi);
    }
    Memory& memory = home.memories[static_cast<int>(mem)];
    const uint32_t granule = memory.granule;
    const uint32_t now = seq[curPipe];
    const Clock& sure = known[curPipe];
    // Vector calls of 3510 are functions that end before the next one begins.
    const bool selfRaces = (curPipe == PIPE_V && run.arch != 3510) || curPipe == PIPE_M || (curPipe == PIPE_MTE2 && write);
    auto unordered = [&](const Access& access) {
        if (access.seq == 0 || access.pipe == HANDSHAKE) {
            return false;
        }
        if (access.sub != sub) {
            return !Knows(home.block * 3 + access.sub, access.pipe, access.seq);
        }
        if (access.pipe == curPipe) {
            return selfRaces && !curSelfOrdered && access.seq != now && access.seq > sure.seq[curPipe];
        }
        return !curHandshake && access.seq > sure.seq[access.pipe];
    };
    auto complain = [&](const Access& access, bool otherWrites) {
        const char* mine = write ? "writes" : "reads";
        const char* theirs = otherWrites ? "writes" : "reads";
        if (access.sub != sub) {
            static const char* const cores[] = {"AIC", "AIV0", "AIV1"};
            Raise("sim.race_between_cores", curPipe, curName, curLine, access.line,
                "%s on pipe %s %s bytes of %s that pipe %s of the block's %s %s at line %d, and nothing orders the two: "
                "CrossCoreSetFlag/CrossCoreWaitFlag on these pipes is missing",
                curName, PIPE_NAMES[curPipe], mine, MEM_NAMES[static_cast<int>(mem)], PIPE_NAMES[access.pipe], cores[access.sub],
                theirs, access.line);
        }
        for (int e = 0; e < EVENTS && access.pipe != curPipe; ++e) {
            for (const EventState& event : events[e]) {
                if (event.balance < 0 && EventFrom(e) == access.pipe && EventTo(e) == curPipe) {
                    Raise("sim.wait_never_set", curPipe, "WaitFlag", event.waitLine, curLine,
                        "no SetFlag<HardEvent::%s> was issued before this WaitFlag, so nothing orders %s at line %d after what "
                        "pipe %s %s at line %d",
                        EVENT_NAMES[e], curName, curLine, PIPE_NAMES[access.pipe], theirs, access.line);
                }
            }
        }
        if (access.pipe == curPipe) {
            Raise("sim.missing_pipe_barrier", curPipe, curName, curLine, access.line,
                "%s %s bytes of %s that an earlier instruction of the same pipe (line %d) %s, without "
                "PipeBarrier<PIPE_%s>() between them",
                curName, mine, MEM_NAMES[static_cast<int>(mem)], access.line, theirs, PIPE_NAMES[curPipe]);
        }
        Raise("sim.race", curPipe, curName, curLine, access.line,
            "%s on pipe %s %s bytes of %s that pipe %s %s at line %d, and nothing orders the two: "
            "SetFlag/WaitFlag<HardEvent::%s_%s> is missing",
            curName, PIPE_NAMES[curPipe], mine, MEM_NAMES[static_cast<int>(mem)], PIPE_NAMES[access.pipe], theirs,
            access.line, PIPE_NAMES[access.pipe], PIPE_NAMES[curPipe]);
    };
    const uint8_t stamp = curHandshake ? HANDSHAKE : static_cast<uint8_t>(curPipe);
    const int slot = curPipe == PIPE_MTE3 || curPipe == PIPE_S || curPipe == PIPE_FIX ? 1 : 0;
    for (uint64_t cell = lo / granule; cell * granule < hi; ++cell) {
        Cell& entry = memory.cells[cell];
        uint64_t base = cell * granule;
        uint32_t from = lo > base ? static_cast<uint32_t>(lo - base) : 0;
        uint32_t to = hi - base < granule ? static_cast<uint32_t>(hi - base) : granule;
        const bool badWrite = unordered(entry.write) && Overlaps(entry.write, from, to);
        if (badWrite && (entry.write.pipe != curPipe || entry.write.sub != sub)) {
            complain(entry.write, true);
        }
        if (write) {
            for (const auto& reads : {entry.read, entry.earlier}) {
                for (int i = 0; i < 2; ++i) {
                    const Access& read = reads[i];
                    // A scalar read is over before the scalar unit issues anything later.
                    const bool matters = read.pipe != PIPE_S && !(badWrite && read.pipe == curPipe && read.sub == sub);
                    if (matters && unordered(read) && Overlaps(read, from, to)) {
                        complain(read, false);
                    }
                }
            }
        }
        if (badWrite) { // said last: another pipe's access names the worse mistake
            complain(entry.write, true);
        }
        Access& mark = write ? entry.write : entry.read[slot];
        if (!write && mark.seq != now) {
            entry.earlier[slot] = mark; // this one may be about to hide it
        }
        bool joins = mark.seq != 0 && mark.pipe == stamp && mark.sub == sub && mark.seq > sure.seq[curPipe] && mark.lo <= to && from <= mark.hi;
        mark.lo = static_cast<uint16_t>(joins && mark.lo < from ? mark.lo : from);
        mark.hi = static_cast<uint16_t>(joins && mark.hi > to ? mark.hi : to);
        mark.seq = now;
        mark.line = curLine;
        mark.pipe = stamp;
        mark.sub = static_cast<uint8_t>(sub);
    }
}

// The current instruction computes with bytes that nobody wrote. The run goes on: a missing order may be the reason, and
// that is found at the other place.
void Core::Uninitialised(const char* where, uint64_t byte)
{
    try {
        Raise("sim.uninitialized", curPipe, curName, curLine, 0,
            "%s needs byte %llu of %s, and nothing has written it: neither a copy, nor a computation, nor a fill", curName,
            static_cast<unsigned long long>(byte), where);
    } catch (const Fault& fault) {
        run.Defer(fault.data);
    }
}

void Core::Need(Mem mem, uint64_t lo, uint64_t hi)
{
    if (lo >= hi || !run.checks) {
        return;
    }
    uint8_t* written = Written(mem, lo);
    if (const void* hole = std::memchr(written, 0, hi - lo)) {
        Uninitialised(MEM_NAMES[static_cast<int>(mem)], lo + static_cast<uint64_t>(static_cast<const uint8_t*>(hole) - written));
        std::memset(written, 1, hi - lo);
    }
}

void Core::MarkWritten(Mem mem, uint64_t lo, uint64_t hi)
{
    if (lo < hi && run.checks) {
        std::memset(Written(mem, lo), 1, hi - lo);
    }
}

} // namespace sim
} // namespace AscendC
