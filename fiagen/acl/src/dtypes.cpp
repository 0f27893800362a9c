// Names and sizes of the element types and formats.
//
// In: an enum value or a name of the specs. Out: its counterpart. Must never guess: the unknown has a value of its own.
#include <cmath>
#include <cstring>

#include "fiagen_runtime.h"

namespace fiagen {
namespace {

struct TypeRow {
    aclDataType value;
    std::string_view name;
    uint32_t bits;
};

constexpr TypeRow TYPES[] = {
    {ACL_FLOAT, "float32", 32},
    {ACL_FLOAT16, "float16", 16},
    {ACL_INT8, "int8", 8},
    {ACL_INT32, "int32", 32},
    {ACL_UINT8, "uint8", 8},
    {ACL_INT16, "int16", 16},
    {ACL_UINT16, "uint16", 16},
    {ACL_UINT32, "uint32", 32},
    {ACL_INT64, "int64", 64},
    {ACL_UINT64, "uint64", 64},
    {ACL_DOUBLE, "float64", 64},
    {ACL_BOOL, "bool", 8},
    {ACL_COMPLEX64, "complex64", 64},
    {ACL_COMPLEX128, "complex128", 128},
    {ACL_BF16, "bfloat16", 16},
    {ACL_INT4, "int4", 4},
    {ACL_UINT1, "uint1", 1},
    {ACL_COMPLEX32, "complex32", 32},
    {ACL_HIFLOAT8, "hifloat8", 8},
    {ACL_FLOAT8_E5M2, "float8_e5m2", 8},
    {ACL_FLOAT8_E4M3FN, "float8_e4m3fn", 8},
    {ACL_FLOAT8_E8M0, "float8_e8m0", 8},
    {ACL_FLOAT6_E3M2, "float6_e3m2", 6},
    {ACL_FLOAT6_E2M3, "float6_e2m3", 6},
    {ACL_FLOAT4_E2M1, "float4_e2m1", 4},
    {ACL_FLOAT4_E1M2, "float4_e1m2", 4},
};

struct FormatRow {
    aclFormat value;
    std::string_view name;
};

constexpr FormatRow FORMATS[] = {
    {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NHWC, "NHWC"},
    {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NCL, "NCL"},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16"},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32"},
    {ACL_FORMAT_FRACTAL_NZ_C0_2, "FRACTAL_NZ_C0_2"},
    {ACL_FORMAT_FRACTAL_NZ_C0_4, "FRACTAL_NZ_C0_4"},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, "FRACTAL_NZ_C0_8"},
};

}  // namespace

std::string_view DtypeName(aclDataType dataType)
{
    for (const TypeRow& row : TYPES) {
        if (row.value == dataType) {
            return row.name;
        }
    }
    return "undefined";
}

aclDataType DtypeFromName(std::string_view name)
{
    for (const TypeRow& row : TYPES) {
        if (row.name == name) {
            return row.value;
        }
    }
    return ACL_DT_UNDEFINED;
}

uint32_t DtypeBits(aclDataType dataType)
{
    for (const TypeRow& row : TYPES) {
        if (row.value == dataType) {
            return row.bits;
        }
    }
    return 0;
}

std::string_view FormatName(aclFormat format)
{
    for (const FormatRow& row : FORMATS) {
        if (row.value == format) {
            return row.name;
        }
    }
    return "UNDEFINED";
}

aclFormat FormatFromName(std::string_view name)
{
    for (const FormatRow& row : FORMATS) {
        if (row.name == name) {
            return row.value;
        }
    }
    return ACL_FORMAT_UNDEFINED;
}

}  // namespace fiagen

extern "C" {

size_t aclDataTypeSize(aclDataType dataType)
{
    const uint32_t bits = fiagen::DtypeBits(dataType);
    return bits % 8 == 0 ? bits / 8 : 0;
}

float aclFloat16ToFloat(aclFloat16 value)
{
    const uint32_t sign = static_cast<uint32_t>(value & 0x8000U) << 16;
    const uint32_t exponent = (value >> 10) & 0x1FU;
    const uint32_t fraction = value & 0x3FFU;
    if (exponent == 0) {
        const float size = std::ldexp(static_cast<float>(fraction), -24);
        return sign == 0 ? size : -size;
    }
    const uint32_t bits = sign | (exponent == 0x1F ? 0x7F800000U : (exponent + 112) << 23) | (fraction << 13);
    float result = 0;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
    if (std::isnan(value)) {
        return static_cast<aclFloat16>(sign | 0x7E00U);
    }
    const float size = std::fabs(value);
    if (size >= 65520.0F) {
        return static_cast<aclFloat16>(sign | 0x7C00U);
    }
    int exponent = 0;
    std::frexp(size, &exponent);
    const bool normal = size > 0 && exponent > -14;
    const int shift = normal ? 11 - exponent : 24;  // scales the kept bits to an integer
    const float whole = std::nearbyint(std::ldexp(size, shift));
    const uint32_t kept = static_cast<uint32_t>(whole);
    const uint32_t half = normal ? (static_cast<uint32_t>(exponent + 14) << 10) + kept - 1024 : kept;
    return static_cast<aclFloat16>(sign | half);
}

int fiagenDataTypeFromName(const char* name)
{
    return name == nullptr ? ACL_DT_UNDEFINED : fiagen::DtypeFromName(name);
}

int fiagenFormatFromName(const char* name)
{
    return name == nullptr ? ACL_FORMAT_UNDEFINED : fiagen::FormatFromName(name);
}
}
