// An application written as the vendor's samples are: device, memory, tensors, and back. Exits with the line of the first surprise.
#include <cstdio>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

#define EXPECT(condition)                                                          \
    do {                                                                           \
        if (!(condition)) {                                                        \
            std::printf("line %d: %s\n", __LINE__, #condition);                    \
            return 1;                                                              \
        }                                                                          \
    } while (false)

namespace {

bool Said(const char* part)
{
    const char* const text = aclGetRecentErrMsg();
    return text != nullptr && std::strstr(text, part) != nullptr;
}

int LifeCycle()
{
    void* memory = nullptr;
    EXPECT(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT(aclrtSetDevice(0) == ACL_ERROR_UNINITIALIZE);
    EXPECT(Said("aclInit"));
    EXPECT(aclInit(nullptr) == ACL_SUCCESS);
    EXPECT(aclnnInit(nullptr) == ACL_ERROR_REPEAT_INITIALIZE);
    EXPECT(aclrtSetDevice(1) == ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    EXPECT(Said("device 1 does not exist"));
    EXPECT(aclGetRecentErrMsg() == nullptr);
    return 0;
}

int Memory()
{
    std::vector<float> host{1.0F, 2.0F, 3.0F, 4.0F};
    const size_t bytes = host.size() * sizeof(float);
    void* device = nullptr;
    EXPECT(aclrtMalloc(&device, 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMalloc(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    uint8_t fresh = 0;
    EXPECT(aclrtMemcpy(&fresh, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(fresh == 0xCB);
    EXPECT(aclrtMemcpy(device, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
    std::vector<float> back(host.size(), 0.0F);
    EXPECT(aclrtMemcpy(back.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(back == host);

    void* const third = static_cast<float*>(device) + 2;
    EXPECT(aclrtMemcpy(back.data(), 8, third, 8, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(back[0] == 3.0F && back[1] == 4.0F);
    EXPECT(aclrtMemcpy(back.data(), 12, third, 12, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_ERROR_INVALID_PARAM);
    EXPECT(Said("12 bytes are not inside one device allocation"));
    EXPECT(aclrtMemcpy(device, 8, host.data(), 12, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMemcpy(device, 20, host.data(), 4, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMemcpy(device, 8, device, 8, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMemcpy(back.data(), 8, host.data(), 8, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMemset(device, bytes, 0xFF, 4) == ACL_SUCCESS);
    EXPECT(aclrtMemcpy(back.data(), 8, device, 8, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    EXPECT(back[0] != back[0] && back[1] == 2.0F);
    EXPECT(aclrtMemset(device, bytes + 1, 0, 1) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtFree(third) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtFree(device) == ACL_SUCCESS);
    EXPECT(aclrtFree(device) == ACL_ERROR_INVALID_PARAM);
    EXPECT(Said("not the start of a live allocation"));

    void* again = nullptr;
    EXPECT(aclrtMalloc(&again, bytes, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS && again != device);  // no address comes back soon
    EXPECT(aclrtMemcpy(again, bytes, device, 1, ACL_MEMCPY_DEVICE_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    EXPECT(aclrtMemcpy(again, bytes, host.data(), bytes, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS);
    EXPECT(aclrtMemcpy(back.data(), bytes, again, bytes, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS && back == host);
    size_t free = 0;
    size_t total = 0;
    EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS && total >= (1U << 30) && total - free == bytes);
    EXPECT(aclrtFree(again) == ACL_SUCCESS);
    void* hostMemory = nullptr;
    EXPECT(aclrtMallocHost(&hostMemory, 8) == ACL_SUCCESS && aclrtFreeHost(hostMemory) == ACL_SUCCESS);
    EXPECT(aclrtFreeHost(hostMemory) == ACL_ERROR_INVALID_PARAM);
    return 0;
}

int Tensors()
{
    const int64_t view[] = {2, 3};
    const int64_t strides[] = {1, 2};
    const int64_t storage[] = {8};
    int anywhere = 0;
    aclTensor* const tensor =
        aclCreateTensor(view, 2, ACL_FLOAT16, strides, 1, ACL_FORMAT_FRACTAL_NZ, storage, 1, &anywhere);
    EXPECT(tensor != nullptr);
    int64_t* dims = nullptr;
    uint64_t count = 0;
    EXPECT(aclGetViewShape(tensor, &dims, &count) == 0 && count == 2 && dims[0] == 2 && dims[1] == 3);
    delete[] dims;
    EXPECT(aclGetViewStrides(tensor, &dims, &count) == 0 && count == 2 && dims[0] == 1 && dims[1] == 2);
    delete[] dims;
    EXPECT(aclGetStorageShape(tensor, &dims, &count) == 0 && count == 1 && dims[0] == 8);
    delete[] dims;
    aclDataType dataType = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    int64_t offset = 0;
    void* address = nullptr;
    EXPECT(aclGetDataType(tensor, &dataType) == 0 && dataType == ACL_FLOAT16);
    EXPECT(aclGetFormat(tensor, &format) == 0 && format == ACL_FORMAT_FRACTAL_NZ);
    EXPECT(aclGetViewOffset(tensor, &offset) == 0 && offset == 1);
    EXPECT(aclGetRawTensorAddr(tensor, &address) == 0 && address == &anywhere);
    EXPECT(aclSetRawTensorAddr(tensor, nullptr) == 0);
    EXPECT(aclGetRawTensorAddr(tensor, &address) == 0 && address == nullptr);
    EXPECT(aclGetViewShape(nullptr, &dims, &count) == 161001);
    EXPECT(aclGetDataType(tensor, nullptr) == 161001);
    const int64_t negative[] = {-1, 3};
    EXPECT(aclCreateTensor(negative, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, nullptr) == nullptr);
    EXPECT(aclCreateTensor(view, 2, ACL_STRING, nullptr, 0, ACL_FORMAT_ND, storage, 1, nullptr) == nullptr);
    EXPECT(aclCreateTensor(view, 2, ACL_FLOAT, nullptr, -1, ACL_FORMAT_ND, storage, 1, nullptr) == nullptr);

    const aclTensor* const items[] = {tensor};
    aclTensorList* const list = aclCreateTensorList(items, 1);
    EXPECT(aclGetTensorListSize(list, &count) == 0 && count == 1);
    EXPECT(aclDestroyTensorList(list) == 0);  // and the tensor with it
    const int64_t numbers[] = {5, 6, 7};
    aclIntArray* const array = aclCreateIntArray(numbers, 3);
    EXPECT(aclGetIntArraySize(array, &count) == 0 && count == 3);
    EXPECT(aclDestroyIntArray(array) == 0 && aclDestroyIntArray(nullptr) == 161001);
    EXPECT(aclCreateIntArray(nullptr, 1) == nullptr);
    const float floats[] = {0.5F};
    aclFloatArray* const floatArray = aclCreateFloatArray(floats, 1);
    EXPECT(aclGetFloatArraySize(floatArray, &count) == 0 && count == 1 && aclDestroyFloatArray(floatArray) == 0);
    const bool flags[] = {true, false};
    aclBoolArray* const boolArray = aclCreateBoolArray(flags, 2);
    EXPECT(aclGetBoolArraySize(boolArray, &count) == 0 && count == 2 && aclDestroyBoolArray(boolArray) == 0);
    float value = 2.0F;
    EXPECT(aclDestroyScalar(aclCreateScalar(&value, ACL_FLOAT)) == 0);
    EXPECT(aclCreateScalar(&value, ACL_INT4) == nullptr);
    EXPECT(aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_INT4) == 0 && aclDataTypeSize(ACL_STRING) == 0);
    return 0;
}

int Streams()
{
    aclrtStream stream = nullptr;
    EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS && stream != nullptr);
    EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS && aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
    EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT(aclrtDestroyStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT(aclDestroyAclOpExecutor(nullptr) == 161001);
    int32_t version[3] = {};
    EXPECT(aclrtGetVersion(&version[0], &version[1], &version[2]) == ACL_SUCCESS && version[0] == 1);
    EXPECT(aclrtGetSocName() == nullptr);  // this library was built for no chip
    aclrtContext first = nullptr;
    aclrtContext second = nullptr;
    aclrtContext now = nullptr;
    EXPECT(aclrtGetCurrentContext(&first) == ACL_SUCCESS && aclrtCreateContext(&second, 0) == ACL_SUCCESS);
    EXPECT(aclrtGetCurrentContext(&now) == ACL_SUCCESS && now == second && second != first);
    EXPECT(aclrtSetCurrentContext(first) == ACL_SUCCESS && aclrtDestroyContext(second) == ACL_SUCCESS);
    EXPECT(aclrtSetCurrentContext(second) == ACL_ERROR_INVALID_PARAM && aclrtDestroyContext(second) == ACL_ERROR_INVALID_PARAM);
    return 0;
}

int Ending()
{
    aclGetRecentErrMsg();
    void* device = nullptr;
    EXPECT(aclrtMalloc(&device, 16, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    EXPECT(aclrtResetDevice(1) == ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT(aclrtResetDevice(0) == ACL_SUCCESS);
    EXPECT(aclrtFree(device) == ACL_ERROR_INVALID_PARAM);  // gone with the device
    const char* const text = aclGetRecentErrMsg();
    EXPECT(text != nullptr && std::strstr(text, "aclrtFree") < std::strstr(text, "aclrtResetDevice"));  // newest on top
    EXPECT(aclFinalize() == ACL_SUCCESS && aclFinalize() == ACL_ERROR_UNINITIALIZE);
    return 0;
}

}  // namespace

int main()
{
    if (LifeCycle() != 0 || Memory() != 0 || Tensors() != 0 || Streams() != 0 || Ending() != 0) {
        return 1;
    }
    std::printf("all as documented\n");
    return 0;
}
