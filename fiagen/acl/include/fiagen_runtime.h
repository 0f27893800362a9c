// What generated host code may use of the runtime: tensor facts, error text, executors, kernel launches.
//
// In: aclnn objects and the device memory behind them. Out: plain C++ values, and one LaunchKernel. Must never be included by an
// application; applications see acl/acl.h and the header of the operator.
#ifndef FIAGEN_RUNTIME_H
#define FIAGEN_RUNTIME_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "fiagen_sim_abi.h"

namespace fiagen {

using Status = aclnnStatus;

constexpr Status STATUS_OK = 0;
constexpr Status ERR_PARAM_NULLPTR = 161001;
constexpr Status ERR_PARAM_INVALID = 161002;
constexpr Status ERR_RUNTIME = 361001;
constexpr Status ERR_INNER_TILING = 561002;

// (workspace, workspace bytes, stream) -> status: the second phase of one call, with everything it needs inside.
using RunFunction = std::function<Status(void*, uint64_t, aclrtStream)>;

}  // namespace fiagen

struct aclTensor {
    std::vector<int64_t> viewShape;
    std::vector<int64_t> viewStrides;  // elements
    std::vector<int64_t> storageShape;
    int64_t viewOffset = 0;  // elements
    aclDataType dataType = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    void* data = nullptr;  // device address of the storage
};

struct aclTensorList {
    std::vector<std::unique_ptr<aclTensor>> tensors;  // an entry may be null
};

struct aclIntArray {
    std::vector<int64_t> values;
};

struct aclFloatArray {
    std::vector<float> values;
};

struct aclBoolArray {
    std::vector<bool> values;
};

struct aclScalar {
    aclDataType dataType = ACL_DT_UNDEFINED;
    std::vector<uint8_t> bytes;
};

struct aclOpExecutor {
    std::string entry;  // the second-phase function this executor is for
    uint64_t workspaceBytes = 0;
    fiagen::RunFunction run;
    bool repeatable = false;
};

namespace fiagen {

// ---- facts of types and formats, under the names the specs use
std::string_view DtypeName(aclDataType dataType);     // "float16", "bfloat16", ...; "undefined" for an unknown one
aclDataType DtypeFromName(std::string_view name);     // ACL_DT_UNDEFINED for an unknown name
uint32_t DtypeBits(aclDataType dataType);             // of one element; 0 for an unknown one
std::string_view FormatName(aclFormat format);        // "ND", "FRACTAL_NZ", ...; "UNDEFINED" for an unknown one
aclFormat FormatFromName(std::string_view name);      // ACL_FORMAT_UNDEFINED for an unknown name

// ---- facts of one tensor; the tensor must not be null
const std::vector<int64_t>& Shape(const aclTensor* tensor);
const std::vector<int64_t>& Strides(const aclTensor* tensor);  // elements
const std::vector<int64_t>& StorageShape(const aclTensor* tensor);
std::string_view DtypeName(const aclTensor* tensor);
std::string_view FormatName(const aclTensor* tensor);
uint64_t ElementCount(const aclTensor* tensor);  // of the view
uint64_t StorageBytes(const aclTensor* tensor);  // of the storage shape, rounded up to whole bytes
uint64_t ViewBytes(const aclTensor* tensor);     // from DataPointer to the end of the storage: what a kernel may touch
void* DataPointer(const aclTensor* tensor);      // device address of the first element of the view; null without memory
bool IsContiguous(const aclTensor* tensor);      // row-major without gaps; true for an empty view
std::string ShapeText(const std::vector<int64_t>& shape);  // "[2, 16, 128]"

// ---- lists and arrays; none may be null
uint64_t ListSize(const aclTensorList* list);
const aclTensor* ListItem(const aclTensorList* list, uint64_t index);  // null for a null entry; `index` < ListSize
const std::vector<int64_t>& Values(const aclIntArray* array);

// ---- errors
// Remembers the text for aclGetRecentErrMsg of this thread and gives the code back: `return SetRecentError(code, text);`
Status SetRecentError(Status code, std::string_view text);

// ---- by whose word the calls of this thread are judged; see fiagenSetCallPolicy
std::string_view CallEdition(std::string_view otherwise);  // `otherwise` when the thread chose none
std::string_view CallAuthority();                          // "document" unless the thread chose "host"

// ---- executors
// First phase: the caller of the operator receives this. `entry` names the second-phase function.
aclOpExecutor* CreateExecutor(std::string_view entry, uint64_t workspaceBytes, RunFunction run);
// Second phase, whole body: checks executor, workspace and stream, runs, and ends the executor whatever happened, unless it is
// repeatable. `run` gets exactly the workspace bytes that the first phase asked for.
Status RunExecutor(std::string_view entry, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                   aclrtStream stream);

// ---- launches
struct KernelArg {
    void* ptr = nullptr;
    uint64_t bytes = 0;
    bool onHost = false;  // host data (a tiling struct): copied to device memory when the kernel is launched
    uint8_t role = FIAGEN_SIM_INOUT;  // what the kernel may do with it, and what it holds when the kernel starts
};

inline KernelArg TensorArg(const aclTensor* tensor)
{
    return tensor == nullptr ? KernelArg{} : KernelArg{DataPointer(tensor), ViewBytes(tensor), false, FIAGEN_SIM_INPUT};
}

inline KernelArg OutputArg(const aclTensor* tensor)
{
    KernelArg made = TensorArg(tensor);
    made.role = FIAGEN_SIM_OUTPUT;
    return made;
}

inline KernelArg DeviceArg(void* pointer, uint64_t bytes)
{
    return KernelArg{pointer, bytes, false, FIAGEN_SIM_INOUT};
}

inline KernelArg WorkspaceArg(void* pointer, uint64_t bytes)
{
    return KernelArg{pointer, bytes, false, FIAGEN_SIM_WORKSPACE};
}

template <typename T>
KernelArg HostArg(const T& object)
{
    static_assert(std::is_trivially_copyable<T>::value, "a kernel reads the bytes of this object");
    return KernelArg{const_cast<T*>(&object), sizeof(T), true, FIAGEN_SIM_INPUT};
}

inline KernelArg HostArg(const void* pointer, uint64_t bytes)
{
    return KernelArg{const_cast<void*>(pointer), bytes, true, FIAGEN_SIM_INPUT};
}

uint32_t CubeCores();  // AIC count of the chip that this thread chose, else of the one the library was built for; 0 without

// Puts the kernel on the stream. A device argument must lie inside one live allocation; null needs 0 bytes. ERR_RUNTIME when the
// kernel is not to be had; what it does wrong when it runs is told by the synchronisation of the stream.
Status LaunchKernel(const char* kernelName, uint32_t blockDim, const std::vector<KernelArg>& args, aclrtStream stream);

}  // namespace fiagen

// ---- controls for whoever drives the runtime (fiagen/acl/session.py); each counts for the calling thread alone. A thread that
// sets nothing has the chip and the kernels of the folder that `fiagen build --library` made.
extern "C" {

// The resolver gives the path of the compiled kernel, or null. It is asked once for a name, again after it was replaced.
void fiagenSetKernelResolver(const char* (*resolver)(const char* kernelName));
// Before a null result, the resolver says why; the text becomes part of the launch's error.
void fiagenSetResolverError(const char* text);
void fiagenSetSimOptions(uint64_t scheduleSeed, uint32_t schedulePolicy, uint64_t instructionBudget);
// With timeOnly, instructions take their time and do nothing. `spans` (may be null) receives the instructions of the next launches
// in time; it must outlive them.
void fiagenSetSimTiming(uint32_t timeOnly, FiagenSimSpan* spans, uint64_t spanCapacity);
// The document's edition ("seed", "current"), and whether all of it counts or only what the shipped checks enforce ("document",
// "host").
void fiagenSetCallPolicy(const char* edition, const char* authority);
void fiagenSetChip(const FiagenSimChip* chip);  // copied; null forgets it
// Outcome of this thread's last launch; ACL_ERROR_INVALID_PARAM when it still runs or there was none since the last
// fiagenForgetLaunch.
aclError fiagenGetLastReport(FiagenSimReport* report);
const char* fiagenGetLastKernelName(void);  // "" when there was none
uint32_t fiagenGetLastBlockDim(void);       // 0 when there was none
void fiagenForgetLaunch(void);
uint64_t fiagenDeviceBytesInUse(void);
// Numbers of the enums for names of the specs; ACL_DT_UNDEFINED and ACL_FORMAT_UNDEFINED for unknown ones.
int fiagenDataTypeFromName(const char* name);
int fiagenFormatFromName(const char* name);
}

#endif
