// Tensors, lists, arrays and scalars of the aclnn layer.
//
// In: shapes, strides, values. Out: objects that own copies, and the facts of them. Must never dereference device memory.
#include <algorithm>
#include <cstring>
#include <new>

#include "runtime_state.h"

namespace fiagen {
namespace {

bool Countable(const int64_t* dims, uint64_t count)
{
    return count == 0 || (dims != nullptr && std::all_of(dims, dims + count, [](int64_t dim) { return dim >= 0; }));
}

// A copy the caller frees with delete[].
Status CopyOut(const std::vector<int64_t>& values, int64_t** result, uint64_t* count)
{
    *result = new int64_t[values.size()];
    std::copy(values.begin(), values.end(), *result);
    *count = values.size();
    return STATUS_OK;
}

Status NullArgument(const char* call)
{
    return SetRecentError(ERR_PARAM_NULLPTR, std::string(call) + ": an argument is null");
}

template <typename T>
T* Refuse(const char* call, const char* why)
{
    SetRecentError(ERR_PARAM_INVALID, std::string(call) + ": " + why);
    return nullptr;
}

template <typename T>
T* Known(std::unique_ptr<T> made, const char* type)
{
    objects::Created(made.get(), type);
    return made.release();
}

template <typename Array, typename T>
Array* MakeArray(const char* call, const T* values, uint64_t size, const char* type)
{
    if (values == nullptr && size != 0) {
        return Refuse<Array>(call, "the values are null");
    }
    auto made = std::make_unique<Array>();
    if (size != 0) {
        made->values.assign(values, values + size);
    }
    return Known(std::move(made), type);
}

template <typename T>
Status Destroy(const char* call, const T* object)
{
    if (object == nullptr) {
        return NullArgument(call);
    }
    if (!objects::Destroyed(object, call)) {
        return ERR_PARAM_INVALID;
    }
    objects::Retire(std::shared_ptr<const void>(object, [](const T* dead) { delete dead; }));
    return STATUS_OK;
}

template <typename T>
Status SizeOf(const char* call, const T* array, uint64_t* size)
{
    if (array == nullptr || size == nullptr) {
        return NullArgument(call);
    }
    *size = array->values.size();
    return STATUS_OK;
}

}  // namespace

}  // namespace fiagen

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData)
{
    const char* const call = "aclCreateTensor";
    if (!fiagen::Countable(viewDims, viewDimsNum) || !fiagen::Countable(storageDims, storageDimsNum)) {
        return fiagen::Refuse<aclTensor>(call, "a shape is missing or has a negative size");
    }
    if (fiagen::DtypeBits(dataType) == 0) {
        return fiagen::Refuse<aclTensor>(call, "the data type has no fixed element size");
    }
    if (offset < 0) {
        return fiagen::Refuse<aclTensor>(call, "the view offset is negative");
    }
    auto made = std::make_unique<aclTensor>();
    made->viewShape.assign(viewDims, viewDims + viewDimsNum);
    made->viewStrides = fiagen::RowMajor(made->viewShape);
    if (stride != nullptr) {
        made->viewStrides.assign(stride, stride + viewDimsNum);
    }
    made->storageShape.assign(storageDims, storageDims + storageDimsNum);
    made->viewOffset = offset;
    made->dataType = dataType;
    made->format = format;
    made->data = tensorData;
    return fiagen::Known(std::move(made), "aclTensor");
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType)
{
    const size_t bytes = aclDataTypeSize(dataType);
    if (value == nullptr || bytes == 0) {
        return fiagen::Refuse<aclScalar>("aclCreateScalar", "the value is null or its type has no whole bytes");
    }
    auto made = std::make_unique<aclScalar>();
    made->dataType = dataType;
    made->bytes.resize(bytes);
    std::memcpy(made->bytes.data(), value, bytes);
    return fiagen::Known(std::move(made), "aclScalar");
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size)
{
    return fiagen::MakeArray<aclIntArray>("aclCreateIntArray", value, size, "aclIntArray");
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size)
{
    return fiagen::MakeArray<aclFloatArray>("aclCreateFloatArray", value, size, "aclFloatArray");
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size)
{
    return fiagen::MakeArray<aclBoolArray>("aclCreateBoolArray", value, size, "aclBoolArray");
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size)
{
    const char* const call = "aclCreateTensorList";
    if (value == nullptr && size != 0) {
        return fiagen::Refuse<aclTensorList>(call, "the tensors are null");
    }
    auto made = std::make_unique<aclTensorList>();
    for (uint64_t index = 0; index < size; ++index) {
        if (value[index] != nullptr && !fiagen::objects::Destroyed(value[index], call)) {
            for (auto& taken : made->tensors) {  // what was taken over goes back: the caller still owns it
                if (taken != nullptr) {
                    fiagen::objects::Created(taken.get(), "aclTensor");
                    static_cast<void>(taken.release());
                }
            }
            return nullptr;
        }
        made->tensors.emplace_back(const_cast<aclTensor*>(value[index]));
    }
    return fiagen::Known(std::move(made), "aclTensorList");
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor)
{
    return fiagen::Destroy("aclDestroyTensor", tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar)
{
    return fiagen::Destroy("aclDestroyScalar", scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array)
{
    return fiagen::Destroy("aclDestroyIntArray", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array)
{
    return fiagen::Destroy("aclDestroyFloatArray", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array)
{
    return fiagen::Destroy("aclDestroyBoolArray", array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array)
{
    return fiagen::Destroy("aclDestroyTensorList", array);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum)
{
    if (tensor == nullptr || viewDims == nullptr || viewDimsNum == nullptr) {
        return fiagen::NullArgument("aclGetViewShape");
    }
    return fiagen::CopyOut(tensor->viewShape, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum)
{
    if (tensor == nullptr || storageDims == nullptr || storageDimsNum == nullptr) {
        return fiagen::NullArgument("aclGetStorageShape");
    }
    return fiagen::CopyOut(tensor->storageShape, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum)
{
    if (tensor == nullptr || stridesValue == nullptr || stridesNum == nullptr) {
        return fiagen::NullArgument("aclGetViewStrides");
    }
    return fiagen::CopyOut(tensor->viewStrides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset)
{
    if (tensor == nullptr || offset == nullptr) {
        return fiagen::NullArgument("aclGetViewOffset");
    }
    *offset = tensor->viewOffset;
    return fiagen::STATUS_OK;
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format)
{
    if (tensor == nullptr || format == nullptr) {
        return fiagen::NullArgument("aclGetFormat");
    }
    *format = tensor->format;
    return fiagen::STATUS_OK;
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType)
{
    if (tensor == nullptr || dataType == nullptr) {
        return fiagen::NullArgument("aclGetDataType");
    }
    *dataType = tensor->dataType;
    return fiagen::STATUS_OK;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr)
{
    if (tensor == nullptr || addr == nullptr) {
        return fiagen::NullArgument("aclGetRawTensorAddr");
    }
    *addr = tensor->data;
    return fiagen::STATUS_OK;
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr)
{
    if (tensor == nullptr) {
        return fiagen::NullArgument("aclSetRawTensorAddr");
    }
    tensor->data = addr;
    return fiagen::STATUS_OK;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size)
{
    return fiagen::SizeOf("aclGetIntArraySize", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size)
{
    return fiagen::SizeOf("aclGetFloatArraySize", array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size)
{
    return fiagen::SizeOf("aclGetBoolArraySize", array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size)
{
    if (tensorList == nullptr || size == nullptr) {
        return fiagen::NullArgument("aclGetTensorListSize");
    }
    *size = tensorList->tensors.size();
    return fiagen::STATUS_OK;
}
}
