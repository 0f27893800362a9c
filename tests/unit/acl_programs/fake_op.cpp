// Host code of a pretended operator: out = scale * x + sum of lengths, by a kernel named for `mode`.
#include "fiagen_runtime.h"

namespace {

struct Tiling {
    uint64_t elements;
    double scale;
    int64_t total;
    int64_t count;
    uint32_t flag;
};

}  // namespace

extern "C" aclnnStatus aclnnFakeGetWorkspaceSize(const aclTensor* x, const aclTensorList* others, const aclIntArray* lengths,
                                                 int64_t count, double scale, char* mode, bool flag,
                                                 const aclTensor* fakeOut, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    if (x == nullptr || fakeOut == nullptr) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_NULLPTR, "FAKE-01: x and the output must be given");
    }
    if (fiagen::DtypeName(x) != "float32" || fiagen::FormatName(x) != "ND") {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID, "FAKE-02: x is " + std::string(fiagen::DtypeName(x)) + " " +
                                                                     std::string(fiagen::FormatName(x)) + " " +
                                                                     fiagen::ShapeText(fiagen::Shape(x)));
    }
    if (!fiagen::IsContiguous(x)) {
        return fiagen::SetRecentError(fiagen::ERR_PARAM_INVALID, "FAKE-03: x has strides " +
                                                                     fiagen::ShapeText(fiagen::Strides(x)) + " in a storage of " +
                                                                     std::to_string(fiagen::StorageBytes(x)) + " bytes");
    }
    Tiling tiling = {};
    tiling.elements = fiagen::ElementCount(x);
    tiling.scale = scale;
    tiling.count = count;
    tiling.flag = flag ? 1 : 0;
    if (lengths != nullptr) {
        for (const int64_t length : fiagen::Values(lengths)) {
            tiling.total += length;
        }
    }
    const aclTensor* const other = others == nullptr ? nullptr : fiagen::ListItem(others, 0);
    const std::vector<fiagen::KernelArg> tensors = {fiagen::TensorArg(x), fiagen::TensorArg(other), fiagen::TensorArg(fakeOut)};
    const std::string kernel = std::string("fake_") + mode;
    const uint64_t workspaceBytes = 96;
    *workspaceSize = workspaceBytes;
    *executor = fiagen::CreateExecutor("aclnnFake", workspaceBytes,
                                       [=](void* workspace, uint64_t, aclrtStream stream) {
                                           std::vector<fiagen::KernelArg> args = tensors;
                                           args.push_back(fiagen::DeviceArg(workspace, workspaceBytes));
                                           args.push_back(fiagen::HostArg(tiling));
                                           return fiagen::LaunchKernel(kernel.c_str(), 7, args, stream);
                                       });
    return fiagen::STATUS_OK;
}

extern "C" aclnnStatus aclnnFake(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    return fiagen::RunExecutor("aclnnFake", workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnOther(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    return fiagen::RunExecutor("aclnnOther", workspace, workspaceSize, executor, stream);
}
