// What every PyTorch binding of a C entry point needs: tensors as aclnn objects that end with the call, errors as exceptions.
//
// In: at::Tensor and lists. Out: aclnn objects over the same device memory. Must never keep one longer than the call, and never
// drop a status.
#ifndef ACL_TORCH_H
#define ACL_TORCH_H

#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "fia_expr.h"

#if __has_include("torch_npu/csrc/core/npu/NPUStream.h")
#include "torch_npu/csrc/core/npu/NPUStream.h"
#define ACL_TORCH_STREAM c10_npu::getCurrentNPUStream().stream(false)
#else
#define ACL_TORCH_STREAM static_cast<aclrtStream>(nullptr)  // the current context's own
#endif

namespace acl_torch {

struct TypeRow {
    at::ScalarType torch;
    aclDataType acl;
    std::string_view name;
};

constexpr TypeRow TYPES[] = {
    {at::kFloat, ACL_FLOAT, "float32"},   {at::kHalf, ACL_FLOAT16, "float16"}, {at::kBFloat16, ACL_BF16, "bfloat16"},
    {at::kDouble, ACL_DOUBLE, "float64"}, {at::kChar, ACL_INT8, "int8"},       {at::kByte, ACL_UINT8, "uint8"},
    {at::kInt, ACL_INT32, "int32"},       {at::kLong, ACL_INT64, "int64"},     {at::kBool, ACL_BOOL, "bool"},
};

inline const TypeRow& RowOf(const at::Tensor& tensor)
{
    for (const TypeRow& row : TYPES) {
        if (row.torch == tensor.scalar_type()) {
            return row;
        }
    }
    TORCH_CHECK_TYPE(false, "no operator takes a tensor of ", tensor.scalar_type());
}

inline at::ScalarType TypeNamed(std::string_view name)
{
    for (const TypeRow& row : TYPES) {
        if (row.name == name) {
            return row.torch;
        }
    }
    TORCH_CHECK_TYPE(false, "PyTorch has no dtype ", std::string(name));
}

inline fia::TensorFact FactOf(const at::Tensor& tensor)
{
    fia::TensorFact fact;
    if (tensor.defined()) {
        fact.given = true;
        fact.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
        fact.dtype = RowOf(tensor).name;
        fact.format = "ND";
        fact.numel = tensor.numel();
        fact.rank = tensor.dim();
        fact.contiguous = tensor.is_contiguous();
    }
    return fact;
}

inline fia::TensorFact FactOf(const std::optional<at::Tensor>& tensor)
{
    return tensor.has_value() ? FactOf(*tensor) : fia::TensorFact{};
}

inline fia::IntsFact FactOf(at::OptionalIntArrayRef list)
{
    fia::IntsFact fact;
    if (list.has_value()) {
        fact.given = true;
        fact.value.assign(list->begin(), list->end());
    }
    return fact;
}

inline fia::IntFact FactOf(std::optional<int64_t> value)
{
    return value.has_value() ? fia::IntFact{true, *value} : fia::IntFact{};
}

inline void Require(aclnnStatus status, const char* call)
{
    if (status != 0) {
        const char* const why = aclGetRecentErrMsg();
        TORCH_CHECK(false, call, " returned ", status, ": ", why == nullptr ? "no error text" : why);
    }
}

// The aclnn objects of one call; all of them end with it.
class Objects {
public:
    Objects() = default;
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;

    ~Objects()
    {
        for (const aclTensor* const tensor : tensors_) {
            aclDestroyTensor(tensor);
        }
        for (const aclTensorList* const list : lists_) {
            aclDestroyTensorList(list);
        }
        for (const aclIntArray* const array : arrays_) {
            aclDestroyIntArray(array);
        }
    }

    const aclTensor* Tensor(const at::Tensor& tensor) { return tensors_.emplace_back(Describe(tensor)); }

    const aclTensor* Tensor(const std::optional<at::Tensor>& tensor)
    {
        return tensor.has_value() && tensor->defined() ? Tensor(*tensor) : nullptr;
    }

    const aclTensorList* List(const at::Tensor& tensor)
    {
        const aclTensor* const items[] = {Describe(tensor)};
        return lists_.emplace_back(aclCreateTensorList(items, 1));
    }

    const aclIntArray* Array(at::OptionalIntArrayRef list)
    {
        return list.has_value() ? arrays_.emplace_back(aclCreateIntArray(list->data(), list->size())) : nullptr;
    }

    char* Text(std::string_view text) { return texts_.emplace_back(text).data(); }

private:
    std::vector<const aclTensor*> tensors_;
    std::vector<const aclTensorList*> lists_;
    std::vector<const aclIntArray*> arrays_;
    std::vector<std::string> texts_;

    static const aclTensor* Describe(const at::Tensor& tensor)
    {
        const int64_t storage = static_cast<int64_t>(tensor.storage().nbytes()) / tensor.element_size();
        const aclTensor* const made =
            aclCreateTensor(tensor.sizes().data(), tensor.dim(), RowOf(tensor).acl, tensor.strides().data(), tensor.storage_offset(),
                            ACL_FORMAT_ND, &storage, 1, const_cast<void*>(tensor.storage().data()));
        TORCH_CHECK(made != nullptr, "aclCreateTensor refused a tensor of shape ", tensor.sizes());
        return made;
    }
};

} // namespace acl_torch

#endif
