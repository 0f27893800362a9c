// What the programs of this folder share; only the published API, as its sample programs use it.
#ifndef COMMON_H
#define COMMON_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"

#define CHECK_RET(condition, ...)                                                                            \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            const char* const why = aclGetRecentErrMsg();                                                    \
            std::printf("line %d: %s\n%s\n", __LINE__, #condition, why == nullptr ? "no error text" : why); \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (false)

// Element i of the operand number `salt`, a multiple of 1/32 in [-1, 1): every 16-bit float type holds it.
inline float Drawn(uint64_t i, uint64_t salt)
{
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ULL + salt * 0xD1B54A32D192ED03ULL;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 32;
    return static_cast<float>(static_cast<int64_t>(x % 64) - 32) / 32.0F;
}

inline uint16_t Bfloat16(float value)  // exact for what Drawn gives
{
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

inline int64_t GetShapeSize(const std::vector<int64_t>& shape)
{
    int64_t size = 1;
    for (const int64_t dim : shape) {
        size *= dim;
    }
    return size;
}

inline std::vector<uint16_t> DrawnTensor(const std::vector<int64_t>& shape, aclDataType type, uint64_t salt)
{
    std::vector<uint16_t> data(static_cast<size_t>(GetShapeSize(shape)));
    for (size_t i = 0; i < data.size(); ++i) {
        data[i] = type == ACL_BF16 ? Bfloat16(Drawn(i, salt)) : aclFloatToFloat16(Drawn(i, salt));
    }
    return data;
}

template <typename T>
aclTensor* CreateAclTensor(const std::vector<T>& host, const std::vector<int64_t>& shape, aclDataType type, void** deviceAddr)
{
    const size_t size = host.size() * sizeof(T);
    CHECK_RET(aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK_RET(aclrtMemcpy(*deviceAddr, size, host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
    std::vector<int64_t> strides(shape.size(), 1);
    for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; i--) {
        strides[static_cast<size_t>(i)] = shape[static_cast<size_t>(i) + 1] * strides[static_cast<size_t>(i) + 1];
    }
    aclTensor* const tensor = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                                              shape.size(), *deviceAddr);
    CHECK_RET(tensor != nullptr);
    return tensor;
}

inline void WriteResult(const char* path, const void* data, size_t bytes)
{
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

// One attention call of this folder's programs: its tensors on the device, and the two phases.
struct Attention {
    std::vector<int64_t> queryShape, keyShape, outShape, lseShape;
    std::string layout = "BNSD";
    aclDataType type = ACL_FLOAT16;
    int64_t numHeads = 1, numKeyValueHeads = 1, sparseMode = 0;
    double scale = 0.125;
    bool lse = false;
    std::vector<int64_t> queryLengths, keyLengths;
    std::vector<uint8_t> maskData;
    std::vector<int64_t> maskShape;

    aclTensor *query = nullptr, *out = nullptr, *softmaxLse = nullptr, *mask = nullptr;
    aclTensorList *key = nullptr, *value = nullptr;
    aclIntArray *actualQ = nullptr, *actualKv = nullptr;
    void *queryAddr = nullptr, *keyAddr = nullptr, *valueAddr = nullptr, *outAddr = nullptr, *lseAddr = nullptr, *maskAddr = nullptr;

    void Create()
    {
        query = CreateAclTensor(DrawnTensor(queryShape, type, 1), queryShape, type, &queryAddr);
        const aclTensor* keys[] = {CreateAclTensor(DrawnTensor(keyShape, type, 2), keyShape, type, &keyAddr)};
        const aclTensor* values[] = {CreateAclTensor(DrawnTensor(keyShape, type, 3), keyShape, type, &valueAddr)};
        key = aclCreateTensorList(keys, 1);
        value = aclCreateTensorList(values, 1);
        out = CreateAclTensor(std::vector<uint16_t>(static_cast<size_t>(GetShapeSize(outShape)), 0x7FC1), outShape, type, &outAddr);
        if (lse) {
            softmaxLse = CreateAclTensor(std::vector<float>(static_cast<size_t>(GetShapeSize(lseShape)), -7.0F), lseShape, ACL_FLOAT,
                                         &lseAddr);
        }
        if (!maskData.empty()) {
            mask = CreateAclTensor(maskData, maskShape, ACL_BOOL, &maskAddr);
        }
        actualQ = queryLengths.empty() ? nullptr : aclCreateIntArray(queryLengths.data(), queryLengths.size());
        actualKv = keyLengths.empty() ? nullptr : aclCreateIntArray(keyLengths.data(), keyLengths.size());
    }

    aclnnStatus Plan(uint64_t* workspaceSize, aclOpExecutor** executor) const
    {
        std::vector<char> layoutText(layout.begin(), layout.end());
        layoutText.push_back('\0');
        return aclnnFusedInferAttentionScoreV4GetWorkspaceSize(
            query, key, value, nullptr, mask, actualQ, actualKv, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
            nullptr, nullptr, numHeads, scale, 2147483647, sparseMode == 3 ? 0 : 2147483647, layoutText.data(), numKeyValueHeads,
            sparseMode, 0, 0, 0, lse, 0, 0, 0, out, softmaxLse, workspaceSize, executor);
    }

    std::vector<uint16_t> ReadBack() const
    {
        std::vector<uint16_t> host(static_cast<size_t>(GetShapeSize(outShape)));
        const size_t size = host.size() * sizeof(uint16_t);
        CHECK_RET(aclrtMemcpy(host.data(), size, outAddr, size, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
        return host;
    }

    void Destroy() const
    {
        aclDestroyTensor(query);
        aclDestroyTensorList(key);
        aclDestroyTensorList(value);
        aclDestroyTensor(out);
        for (aclTensor* const tensor : {softmaxLse, mask}) {
            if (tensor != nullptr) {
                aclDestroyTensor(tensor);
            }
        }
        for (aclIntArray* const array : {actualQ, actualKv}) {
            if (array != nullptr) {
                aclDestroyIntArray(array);
            }
        }
        for (void* const addr : {queryAddr, keyAddr, valueAddr, outAddr, lseAddr, maskAddr}) {
            if (addr != nullptr) {
                CHECK_RET(aclrtFree(addr) == ACL_SUCCESS);
            }
        }
    }
};

inline Attention Prefill()
{
    Attention call;
    call.queryShape = call.outShape = {2, 4, 19, 64};
    call.keyShape = {2, 2, 37, 64};
    call.numHeads = 4;
    call.numKeyValueHeads = 2;
    return call;
}

#endif
