// Facts of tensors, lists and arrays for host code.
//
// In: objects of the aclnn layer. Out: plain values. Must never dereference device memory, nor let a product of sizes overflow.
#include <algorithm>

#include "runtime_state.h"

namespace fiagen {
namespace {

// Of sizes that are not negative; stops at the largest number a size can be.
uint64_t Product(const std::vector<int64_t>& dims)
{
    __extension__ using Wide = unsigned __int128;
    constexpr uint64_t most = INT64_MAX;
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
        return 0;
    }
    uint64_t product = 1;
    for (const int64_t dim : dims) {
        const Wide wide = static_cast<Wide>(product) * static_cast<uint64_t>(dim);
        product = wide > most ? most : static_cast<uint64_t>(wide);
    }
    return product;
}

// Bits to whole bytes; more than can be addressed stays more than can be addressed.
uint64_t BytesOf(uint64_t elements, uint64_t bits)
{
    __extension__ using Wide = unsigned __int128;
    const Wide bytes = (static_cast<Wide>(elements) * bits + 7) / 8;
    return bytes > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

uint64_t OffsetBytes(const aclTensor* tensor)
{
    __extension__ using Wide = unsigned __int128;
    const Wide bytes = static_cast<Wide>(static_cast<uint64_t>(tensor->viewOffset)) * DtypeBits(tensor->dataType) / 8;
    return bytes > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

}  // namespace

std::vector<int64_t> RowMajor(const std::vector<int64_t>& shape)
{
    __extension__ using Wide = __int128;
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) {
        const Wide wide = static_cast<Wide>(strides[axis]) * std::max<int64_t>(shape[axis], 1);
        strides[axis - 1] = wide > INT64_MAX ? INT64_MAX : static_cast<int64_t>(wide);
    }
    return strides;
}

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
    return BytesOf(Product(tensor->storageShape), DtypeBits(tensor->dataType));
}

uint64_t ViewBytes(const aclTensor* tensor)
{
    const uint64_t before = OffsetBytes(tensor);
    const uint64_t all = StorageBytes(tensor);
    return tensor->data == nullptr || before > all ? 0 : all - before;
}

void* DataPointer(const aclTensor* tensor)
{
    if (tensor->data == nullptr) {
        return nullptr;
    }
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor->data) + OffsetBytes(tensor));
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
