// In:    copies of 3510 between the memories of an AIC and of its AIVs.
// Out:   checked and queued copies.
// Never: a byte of another core without the order checker's knowledge.
#include "share3510.h"
#include "cost.h"
#include <cstdio>

namespace AscendC {
namespace sim {

Core& HomeOf(Core& core, Mem mem, uint32_t aiv, const char* what)
{
    const uint32_t sub = mem == Mem::UB ? aiv + 1 : 0;
    const auto& home = core.run.cores[core.block * 3 + sub];
    if (!home) {
        core.Raise("sim.wrong_memory", core.curPipe, core.curName, core.curLine, 0,
            "%s of %s lies in %s of the block's %s, and this kernel type has none", what, core.curName,
            MEM_NAMES[static_cast<int>(mem)], sub == 0 ? "AIC" : sub == 1 ? "AIV0" : "AIV1");
    }
    return *home;
}

void CheckShared(Core& core, const Local& tensor, Mem wanted, const char* what)
{
    if (tensor.mem != wanted) {
        core.Raise("sim.wrong_memory", core.curPipe, core.curName, core.curLine, 0, "%s of %s lies in %s, but has to lie in %s",
            what, core.curName, MEM_NAMES[static_cast<int>(tensor.mem)], MEM_NAMES[static_cast<int>(wanted)]);
    }
    core.CheckAligned(tensor.addr, limits::UB_ALIGN_BYTES, what);
}

void TouchShared(Core& core, Core& home, const Local& tensor, uint64_t lo, uint64_t hi, bool write, const char* what)
{
    const uint64_t size = home.memories[static_cast<int>(tensor.mem)].size;
    if (hi > tensor.end || hi > size) {
        char id[48];
        std::snprintf(id, sizeof(id), "sim.%s_out_of_bounds", MEM_RULES[static_cast<int>(tensor.mem)]);
        core.Raise(id, core.curPipe, core.curName, core.curLine, 0,
            "%s of %s covers bytes %llu to %llu of %s, past the end of its %s at %llu", what, core.curName,
            static_cast<unsigned long long>(lo), static_cast<unsigned long long>(hi), MEM_NAMES[static_cast<int>(tensor.mem)],
            hi > size ? "memory" : "buffer", static_cast<unsigned long long>(hi > size ? size : tensor.end));
    }
    core.TouchAt(home, tensor.mem, lo, hi, write);
}

namespace {
struct Blocks {
    uint8_t* to;
    const uint8_t* from;
    uint32_t count, bytes;
    uint64_t toStep, fromStep;
    void operator()(Core&) const
    {
        for (uint32_t i = 0; i < count; ++i) {
            std::memcpy(to + i * toStep, from + i * fromStep, bytes);
        }
    }
};

void CopyShared(int pipe, const char* name, Core& dstHome, const Local& dst, Core& srcHome, const Local& src,
    const DataCopyParams& p, double rate, double latency, At at)
{
    Core& core = Current();
    core.CheckLimit(p.blockCount, 1, limits::COPY_BLOCK_COUNT_MAX, "blockCount");
    const uint32_t bytes = p.blockLen * 32u;
    const uint64_t fromStep = bytes + p.srcGap * 32ull, toStep = bytes + p.dstGap * 32ull;
    for (uint32_t i = 0; i < p.blockCount; ++i) {
        const uint64_t from = src.addr + i * fromStep, to = dst.addr + i * toStep;
        TouchShared(core, srcHome, src, from, from + bytes, false, "source");
        TouchShared(core, dstHome, dst, to, to + bytes, true, "destination");
    }
    if (core.run.checks) {
        Blocks{dstHome.Written(dst.mem, dst.addr), srcHome.Written(src.mem, src.addr), p.blockCount, bytes, toStep, fromStep}(core);
    }
    core.Issue(pipe, name, at, {core.run.chip.mte3_issue_cycles + double(bytes) * p.blockCount / rate, latency},
        Blocks{dstHome.At8(dst.mem, dst.addr), srcHome.At8(src.mem, src.addr), p.blockCount, bytes, toStep, fromStep});
}
} // namespace

void CopyUbToL1(const Local& dst, const Local& src, const DataCopyParams& p, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE3, "DataCopy", at);
    if (p.blockLen == 0) {
        return;
    }
    Core& home = HomeOf(core, Mem::L1, 0, "destination");
    CheckShared(core, src, Mem::UB, "source");
    CheckShared(core, dst, Mem::L1, "destination");
    CopyShared(PIPE_MTE3, "DataCopy", home, dst, core, src, p, core.run.chip.ub_to_l1_bytes, core.run.chip.mte1_latency_cycles, at);
}

void CopyL1ToUb(const Local& dst, const Local& src, const DataCopyParams& p, uint32_t aiv, At at)
{
    Core& core = Current();
    core.Begin(PIPE_MTE1, "DataCopyL1ToUB", at);
    if (p.blockLen == 0) {
        return;
    }
    if (!core.Aic()) {
        core.Raise("sim.wrong_memory", PIPE_MTE1, core.curName, at.line, 0, "DataCopyL1ToUB is for the AIC: an AIV has no L1");
    }
    Core& home = HomeOf(core, Mem::UB, aiv, "destination");
    CheckShared(core, src, Mem::L1, "source");
    CheckShared(core, dst, Mem::UB, "destination");
    CopyShared(PIPE_MTE1, "DataCopyL1ToUB", home, dst, core, src, p, core.run.chip.l1_to_ub_bytes, core.run.chip.mte1_latency_cycles,
        at);
}

} // namespace sim
} // namespace AscendC
