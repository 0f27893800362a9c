// Host code on its own: tensor facts, executors and launches, right and wrong. The argument is the path of a kernel library.
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "fiagen_runtime.h"

#define EXPECT(condition)                                                          \
    do {                                                                           \
        if (!(condition)) {                                                        \
            std::printf("line %d: %s\n", __LINE__, #condition);                    \
            return 1;                                                              \
        }                                                                          \
    } while (false)

namespace {

const char* kernelPath = nullptr;
int asked = 0;

const char* Resolve(const char*)
{
    ++asked;
    return kernelPath;
}

const char* KnowNothing(const char*)
{
    fiagenSetResolverError("there is no such variant");
    return nullptr;
}

bool Said(const char* part)
{
    const char* const text = aclGetRecentErrMsg();
    return text != nullptr && std::strstr(text, part) != nullptr;
}

aclTensor* Tensor(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset,
                  const std::vector<int64_t>& storage, aclDataType type, void* data)
{
    return aclCreateTensor(shape.data(), shape.size(), type, strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                           storage.data(), storage.size(), data);
}

bool Contiguous(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides)
{
    aclTensor* const tensor = Tensor(shape, strides, 0, {64}, ACL_FLOAT, nullptr);
    const bool result = fiagen::IsContiguous(tensor);
    aclDestroyTensor(tensor);
    return result;
}

int Facts()
{
    uint8_t memory[64] = {};
    aclTensor* const half = Tensor({2, 3}, {}, 4, {5, 2}, ACL_FLOAT16, memory);
    EXPECT(fiagen::StorageBytes(half) == 20 && fiagen::ViewBytes(half) == 12 && fiagen::ElementCount(half) == 6);
    EXPECT(fiagen::DataPointer(half) == memory + 8 && fiagen::DtypeName(half) == "float16");
    EXPECT(fiagen::FormatName(half) == "ND" && fiagen::StorageShape(half) == (std::vector<int64_t>{5, 2}));
    EXPECT(fiagen::Strides(half) == (std::vector<int64_t>{3, 1}));
    const fiagen::KernelArg arg = fiagen::TensorArg(half);
    EXPECT(arg.ptr == memory + 8 && arg.bytes == 12 && !arg.onHost);
    EXPECT(fiagen::TensorArg(nullptr).ptr == nullptr && fiagen::TensorArg(nullptr).bytes == 0);
    aclDestroyTensor(half);
    aclTensor* const packed = Tensor({3}, {}, 2, {5}, ACL_INT4, memory);
    EXPECT(fiagen::StorageBytes(packed) == 3 && fiagen::DataPointer(packed) == memory + 1 && fiagen::ViewBytes(packed) == 2);
    aclDestroyTensor(packed);
    aclTensor* const scalar = Tensor({}, {}, 0, {}, ACL_INT64, nullptr);
    EXPECT(fiagen::ElementCount(scalar) == 1 && fiagen::StorageBytes(scalar) == 8 && fiagen::ViewBytes(scalar) == 0);
    EXPECT(fiagen::DataPointer(scalar) == nullptr && fiagen::IsContiguous(scalar));
    EXPECT(fiagen::ShapeText(fiagen::Shape(scalar)) == "[]" && fiagen::ShapeText({2, -1}) == "[2, -1]");
    aclDestroyTensor(scalar);

    EXPECT(Contiguous({2, 3}, {3, 1}) && !Contiguous({2, 3}, {4, 1}) && !Contiguous({2, 3}, {1, 2}));
    EXPECT(Contiguous({2, 1, 3}, {3, 99, 1}));  // the stride of one element is never used
    EXPECT(Contiguous({2, 0, 3}, {7, 7, 7}));   // nor is any stride of an empty view
    EXPECT(fiagen::DtypeFromName("bfloat16") == ACL_BF16 && fiagen::DtypeFromName("half") == ACL_DT_UNDEFINED);
    EXPECT(fiagen::FormatFromName("FRACTAL_NZ") == ACL_FORMAT_FRACTAL_NZ && fiagen::DtypeBits(ACL_INT4) == 4);
    EXPECT(fiagen::DtypeName(ACL_STRING) == "undefined" && fiagen::FormatName(ACL_FORMAT_UNDEFINED) == "UNDEFINED");
    return 0;
}

int Launches(void* device)
{
    const std::vector<fiagen::KernelArg> good = {fiagen::DeviceArg(device, 24)};
    const auto launch = [](const std::vector<fiagen::KernelArg>& args) { return fiagen::LaunchKernel("k", 7, args, nullptr); };
    EXPECT(launch(good) == 361001 && Said("no chip is chosen"));
    EXPECT(fiagen::CubeCores() == 0);
    FiagenSimChip chip = {};
    chip.aic_count = 24;
    fiagenSetChip(&chip);
    chip.aic_count = 0;
    EXPECT(fiagen::CubeCores() == 24);
    EXPECT(launch(good) == 361001 && Said("no kernel resolver is set"));
    fiagenSetKernelResolver(KnowNothing);
    EXPECT(launch(good) == 361001 && Said("kernel k: there is no such variant"));
    fiagenSetKernelResolver(Resolve);
    int onHost = 0;
    EXPECT(launch({{&onHost, sizeof onHost}}) == 361001 && Said("argument 0: its 4 bytes are not inside one device allocation"));
    EXPECT(launch({good[0], {device, 97}}) == 361001 && Said("argument 1: its 97 bytes"));
    EXPECT(launch({{nullptr, 8}}) == 361001 && Said("argument 0: null, but said to have 8 bytes"));
    EXPECT(fiagen::LaunchKernel("k", 0, good, nullptr) == 361001 && Said("0 blocks"));
    EXPECT(fiagen::LaunchKernel("", 7, good, nullptr) == 361001 && Said("no name"));
    EXPECT(fiagen::LaunchKernel("k", 7, good, &onHost) == 361001 && Said("not a stream"));
    FiagenSimReport report = {};
    EXPECT(fiagenGetLastReport(&report) == ACL_ERROR_INVALID_PARAM && fiagenGetLastKernelName()[0] == '\0');
    EXPECT(fiagenGetLastBlockDim() == 0 && asked == 1);

    const int64_t tiling[5] = {};  // no element, so the kernel touches only its workspace
    EXPECT(aclrtMemset(device, 96, 0xFF, 96) == ACL_SUCCESS);
    const uint64_t before = fiagenDeviceBytesInUse();
    const std::vector<fiagen::KernelArg> all = {{}, {}, {device, 0}, fiagen::DeviceArg(device, 96), fiagen::HostArg(tiling)};
    EXPECT(launch(all) == 0 && std::strcmp(fiagenGetLastKernelName(), "k") == 0 && fiagenGetLastBlockDim() == 7);
    EXPECT(fiagenGetLastReport(&report) == ACL_SUCCESS || Said("synchronise"));
    EXPECT(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS && fiagenDeviceBytesInUse() == before && asked == 1);
    EXPECT(fiagenGetLastReport(&report) == ACL_SUCCESS && report.status == 0);
    return 0;
}

int Executors(void* device)
{
    aclOpExecutor* const thrower =
        fiagen::CreateExecutor("aclnnX", 0, [](void*, uint64_t, aclrtStream) -> fiagen::Status { throw std::runtime_error("oh"); });
    EXPECT(fiagen::RunExecutor("aclnnX", nullptr, 0, thrower, nullptr) == 361001 && Said("aclnnX: oh"));
    int runs = 0;
    const auto count = [&runs](void*, uint64_t, aclrtStream) { return ++runs; };
    aclOpExecutor* const unused = fiagen::CreateExecutor("aclnnX", 0, count);
    EXPECT(aclDestroyAclOpExecutor(unused) == 0);
    EXPECT(fiagen::RunExecutor("aclnnX", nullptr, 0, unused, nullptr) == 161002 && runs == 0);
    aclOpExecutor* const other = fiagen::CreateExecutor("aclnnX", 8, count);
    EXPECT(fiagen::RunExecutor("aclnnX", device, 8, other, device) == 361001 && runs == 0 && Said("not a stream"));
    aclOpExecutor* const good = fiagen::CreateExecutor("aclnnX", 8, count);
    EXPECT(fiagen::RunExecutor("aclnnX", device, 8, good, nullptr) == 1 && runs == 1);
    return 0;
}

}  // namespace

int main(int, char** argv)
{
    kernelPath = argv[1];
    void* device = nullptr;
    EXPECT(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtMalloc(&device, 96, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    if (Facts() != 0 || Executors(device) != 0) {
        return 1;
    }
    EXPECT(reinterpret_cast<uintptr_t>(device) % 512 == 0);
    if (Launches(device) != 0) {
        return 1;
    }
    std::printf("all as designed\n");
    return 0;
}
