// Tensors, lists, arrays and scalars of the aclnn layer.
//
// In: shapes, strides, values. Out: objects that own copies, and the facts of them. Must never dereference device memory.
#include <algorithm>
#include <cstring>
#include <new>

#include "fiagen_runtime.h"

namespace fiagen {
namespace {

bool Countable(const int64_t* dims, uint64_t count)
{
    return count == 0 || (dims != nullptr && std::all_of(dims, dims + count, [](int64_t dim) { return dim >= 0; }));
}

uint64_t Product(const std::vector<int64_t>& dims)
{
    uint64_t product = 1;
    for (const int64_t dim : dims) {
        product *= static_cast<uint64_t>(dim);
    }
    return product;
}

std::vector<int64_t> RowMajor(const std::vector<int64_t>& shape)
{
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
    }
    return strides;
}

uint64_t BitsToBytes(uint64_t bits)
{
    return (bits + 7) / 8;
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

template <typename Array, typename T>
Array* MakeArray(const char* call, const T* values, uint64_t size)
{
    if (values == nullptr && size != 0) {
        return Refuse<Array>(call, "the values are null");
    }
    auto made = std::make_unique<Array>();
    if (size != 0) {
        made->values.assign(values, values + size);
    }
    return made.release();
}

template <typename T>
Status Destroy(const char* call, const T* object)
{
    if (object == nullptr) {
        return NullArgument(call);
    }
    delete object;
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

const std::vector<int64_t>& Shape(const aclTensor* tensor)
{
    return tensor->viewShape;
}

const std::vector<int64_t>& Strides(const aclTensor* tensor)
{
    return tensor->viewStrides;
}

const std::vector<int64_t>& StorageShape(const aclTensor* tensor)
{
    return tensor->storageShape;
}

std::string_view DtypeName(const aclTensor* tensor)
{
    return DtypeName(tensor->dataType);
}

std::string_view FormatName(const aclTensor* tensor)
{
    return FormatName(tensor->format);
}

uint64_t ElementCount(const aclTensor* tensor)
{
    return Product(tensor->viewShape);
}

uint64_t StorageBytes(const aclTensor* tensor)
{
    return BitsToBytes(Product(tensor->storageShape) * DtypeBits(tensor->dataType));
}

uint64_t ViewBytes(const aclTensor* tensor)
{
    const uint64_t before = static_cast<uint64_t>(tensor->viewOffset) * DtypeBits(tensor->dataType) / 8;
    const uint64_t all = StorageBytes(tensor);
    return tensor->data == nullptr || before > all ? 0 : all - before;
}

void* DataPointer(const aclTensor* tensor)
{
    if (tensor->data == nullptr) {
        return nullptr;
    }
    return static_cast<uint8_t*>(tensor->data) +
           static_cast<uint64_t>(tensor->viewOffset) * DtypeBits(tensor->dataType) / 8;
}

bool IsContiguous(const aclTensor* tensor)
{
    if (ElementCount(tensor) == 0) {
        return true;
    }
    const std::vector<int64_t> wanted = RowMajor(tensor->viewShape);
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
        // The stride of an axis with one element is never used.
        if (tensor->viewShape[axis] != 1 && tensor->viewStrides[axis] != wanted[axis]) {
            return false;
        }
    }
    return true;
}

std::string ShapeText(const std::vector<int64_t>& shape)
{
    std::string text = "[";
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    return text + "]";
}

uint64_t ListSize(const aclTensorList* list)
{
    return list->tensors.size();
}

const aclTensor* ListItem(const aclTensorList* list, uint64_t index)
{
    return list->tensors[index].get();
}

const std::vector<int64_t>& Values(const aclIntArray* array)
{
    return array->values;
}

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
    return made.release();
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
    return made.release();
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size)
{
    return fiagen::MakeArray<aclIntArray>("aclCreateIntArray", value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size)
{
    return fiagen::MakeArray<aclFloatArray>("aclCreateFloatArray", value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size)
{
    return fiagen::MakeArray<aclBoolArray>("aclCreateBoolArray", value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size)
{
    if (value == nullptr && size != 0) {
        return fiagen::Refuse<aclTensorList>("aclCreateTensorList", "the tensors are null");
    }
    auto made = std::make_unique<aclTensorList>();
    for (uint64_t index = 0; index < size; ++index) {
        made->tensors.emplace_back(const_cast<aclTensor*>(value[index]));
    }
    return made.release();
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
