"""Legal calls of aclnnFusedInferAttentionScoreV5 for the tests of its rules; tensors are written `f16[2,8,16,128]`.

In: nothing. Out: BASES by name, and `arguments`, which turns them into arguments. Must never hold an illegal call.
"""

from __future__ import annotations

import re

from fiagen.model.call import TensorArg

DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "i8": "int8", "u8": "uint8", "i32": "int32",
          "i64": "int64", "u64": "uint64", "b8": "bool", "i4": "int4", "hif8": "hifloat8", "e4m3": "float8_e4m3fn",
          "e8m0": "float8_e8m0", "e2m1": "float4_e2m1"}
_TENSOR = re.compile(r"(\w+)\[([\d,]*)\](?:@([A-Z_]+))?(?:/([\d,]+))?\Z")


def _sizes(text):
    return tuple(int(size) for size in text.split(",") if size)


def tensor(text):
    """`f16[2,3]`, with a format `f16[2,3]@NCHW`, with strides `f16[2,3]/4,1`."""
    dtype, shape, layout, strides = _TENSOR.match(text).groups()
    return TensorArg(_sizes(shape), DTYPES[dtype], layout or "ND", _sizes(strides) if strides else None)


def _value(value):
    if isinstance(value, str) and _TENSOR.match(value):
        return tensor(value)
    return tuple(_value(item) for item in value) if isinstance(value, list) else value


def arguments(described):
    """Arguments of a Call; key and value become lists of one, None takes an argument out."""
    found = {name: _value(value) for name, value in described.items() if value is not None}
    return {name: (value,) if name in ("key", "value") and isinstance(value, TensorArg) else value
            for name, value in found.items()}


def _with(base, **changes):
    return {**base, **changes}


GQA = {"query": "f16[2,8,16,128]", "key": "f16[2,2,64,128]", "value": "f16[2,2,64,128]", "numHeads": 8,
       "numKeyValueHeads": 2, "inputLayout": "BNSD", "innerPrecise": 0}
BF16 = _with(GQA, query="bf16[2,8,16,128]", key="bf16[2,2,64,128]", value="bf16[2,2,64,128]")
BSND = _with(GQA, query="f16[2,16,8,128]", key="f16[2,64,2,128]", value="f16[2,64,2,128]", inputLayout="BSND")
BSH = _with(GQA, query="f16[2,16,1024]", key="f16[2,64,256]", value="f16[2,64,256]", inputLayout="BSH")
TND = _with(GQA, query="f16[20,8,128]", key="f16[100,2,128]", value="f16[100,2,128]", inputLayout="TND",
            actualSeqLengths=[4, 20], actualSeqLengthsKv=[40, 100])
NTD = _with(TND, query="f16[8,20,128]", key="f16[2,100,128]", value="f16[2,100,128]", inputLayout="NTD")
ODD = _with(GQA, query="f16[2,8,16,80]", key="f16[2,2,64,80]", value="f16[2,2,64,80]")
SWAPPED = _with(ODD, inputLayout="BNSD_BSND")
UNEQUAL = _with(GQA, value="f16[2,2,64,64]")
LIST = _with(GQA, key=["f16[1,2,64,128]", "f16[1,2,32,128]"], value=["f16[1,2,64,128]", "f16[1,2,32,128]"])
LIST_BSND = _with(BSND, key=["f16[1,64,2,128]", "f16[1,32,2,128]"], value=["f16[1,64,2,128]", "f16[1,32,2,128]"])
LIST_BSH = _with(BSH, key=["f16[1,64,256]", "f16[1,32,256]"], value=["f16[1,64,256]", "f16[1,32,256]"])
FULL_MASK = _with(GQA, attenMask="b8[2,16,64]", innerPrecise=2)
CAUSAL = _with(GQA, attenMask="b8[2048,2048]", sparseMode=3)
BAND = _with(CAUSAL, sparseMode=4, preTokens=16, nextTokens=0)
BIAS = _with(GQA, pseShift="f16[2,8,16,64]")
PREFIX = _with(GQA, keySharedPrefix="f16[1,2,32,128]", valueSharedPrefix="f16[1,2,32,128]", actualSharedPrefixLen=[16])
PREFIX_BSH = _with(BSH, keySharedPrefix="f16[1,32,256]", valueSharedPrefix="f16[1,32,256]")
PREFIX_BSND = _with(BSND, keySharedPrefix="f16[1,32,2,128]", valueSharedPrefix="f16[1,32,2,128]")
PADDED = _with(GQA, queryPaddingSize="i64[1]", actualSeqLengths=[8, 9], kvPaddingSize="i64[1]",
               actualSeqLengthsKv=[30, 60])
SINK = _with(GQA, learnableSink="f16[8]")
SINK_BF16 = _with(BF16, learnableSink="bf16[8]")
INT8_OUT = _with(GQA, quantScale2="f32[1]", attentionOut="i8[2,8,16,128]")
INT8_OUT_NTD = _with(NTD, quantScale2="f32[8,128]", attentionOut="i8[8,20,128]")
LSE = _with(GQA, softmaxLseFlag=True, attentionOut="f16[2,8,16,128]", softmaxLse="f32[2,8,16,1]")
LSE_TND = _with(TND, softmaxLseFlag=True, attentionOut="f16[20,8,128]", softmaxLse="f32[20,8,1]")
EMPTY = _with(GQA, query="f16[2,8,0,128]", attentionOut="f16[2,8,0,128]")

PAGED = _with(GQA, key="f16[8,2,128,128]", value="f16[8,2,128,128]", blockTable="i32[2,4]", blockSize=128,
              actualSeqLengthsKv=[512, 100])
PAGED3 = _with(PAGED, key="f16[8,128,256]", value="f16[8,128,256]")
PAGED5 = _with(PAGED, key="f16[8,2,8,128,16]", value="f16[8,2,8,128,16]")
PAGED_ODD = _with(PAGED, query="f16[2,8,16,80]", key="f16[8,2,128,80]", value="f16[8,2,128,80]")
PAGED_ODD_ONE = _with(PAGED_ODD, query="f16[2,8,1,80]")
PAGED_TND = _with(PAGED, query="f16[20,8,128]", inputLayout="TND", actualSeqLengths=[4, 20])

MLA = {"query": "f16[2,32,4,512]", "key": "f16[2,1,256,512]", "value": "f16[2,1,256,512]", "numHeads": 32,
       "numKeyValueHeads": 1, "inputLayout": "BNSD", "queryRope": "f16[2,32,4,64]", "keyRope": "f16[2,1,256,64]"}
MLA_TND_NTD = _with(MLA, query="f16[8,32,512]", key="f16[500,1,512]", value="f16[500,1,512]", inputLayout="TND_NTD",
                    queryRope="f16[8,32,64]", keyRope="f16[500,1,64]", actualSeqLengths=[4, 8],
                    actualSeqLengthsKv=[200, 500])
MLA_PAGED = _with(MLA, key="f16[8,1,128,512]", value="f16[8,1,128,512]", keyRope="f16[8,1,128,64]", blockSize=128,
                  blockTable="i32[2,4]", actualSeqLengthsKv=[512, 100])
ROPE = _with(GQA, queryRope="f16[2,8,16,64]", keyRope="f16[2,2,64,64]")
ROPE_LIST = _with(ROPE, key=["f16[1,2,64,128]", "f16[1,2,64,128]"], value=["f16[1,2,64,128]", "f16[1,2,64,128]"])
MERGED = _with(GQA, query="f16[2,8,16,192]", key="f16[2,2,64,192]")

CHANNEL = {"query": "bf16[2,8,1,128]", "key": "i8[2,2,512,128]", "value": "i8[2,2,512,128]", "numHeads": 8,
           "numKeyValueHeads": 2, "inputLayout": "BNSD", "keyAntiquantScale": "bf16[1,2,1,128]",
           "valueAntiquantScale": "bf16[1,2,1,128]"}
TENSOR = _with(CHANNEL, keyAntiquantScale="bf16[1]", valueAntiquantScale="bf16[1]")
OFFSETS = _with(CHANNEL, keyAntiquantOffset="bf16[1,2,1,128]", valueAntiquantOffset="bf16[1,2,1,128]")
CHANNEL_HIF8 = _with(CHANNEL, key="hif8[2,2,512,128]", value="hif8[2,2,512,128]")
CHANNEL_INT4 = _with(CHANNEL, key="i4[2,2,512,128]", value="i4[2,2,512,128]")
CHANNEL_E4M3 = _with(CHANNEL, key="e4m3[2,2,512,128]", value="e4m3[2,2,512,128]")
TOKEN = _with(CHANNEL, keyAntiquantMode=1, valueAntiquantMode=1, keyAntiquantScale="f32[1,2,512]",
              valueAntiquantScale="f32[1,2,512]")
TOKEN_E4M3 = _with(TOKEN, key="e4m3[2,2,512,128]", value="e4m3[2,2,512,128]")
HEAD = _with(CHANNEL, keyAntiquantMode=2, valueAntiquantMode=2, keyAntiquantScale="bf16[2]",
             valueAntiquantScale="bf16[2]")
TOKEN_HEAD = _with(CHANNEL, keyAntiquantMode=3, valueAntiquantMode=3, keyAntiquantScale="f32[2,2,512]",
                   valueAntiquantScale="f32[2,2,512]")
CHANNEL_PAGED = _with(CHANNEL, key="i8[8,2,128,128]", value="i8[8,2,128,128]", blockTable="i32[2,4]", blockSize=128,
                      actualSeqLengthsKv=[512, 100])
CHANNEL_PAGED5 = _with(CHANNEL_PAGED, key="i8[8,2,8,128,16]", value="i8[8,2,8,128,16]")
CHANNEL_PAGED_INT4 = _with(CHANNEL_PAGED, key="i4[8,2,128,128]", value="i4[8,2,128,128]")
TOKEN_PAGED = _with(CHANNEL_PAGED, keyAntiquantMode=4, valueAntiquantMode=4, keyAntiquantScale="f32[8,128]",
                    valueAntiquantScale="f32[8,128]")
TOKEN_HEAD_PAGED = _with(CHANNEL_PAGED, keyAntiquantMode=5, valueAntiquantMode=5, keyAntiquantScale="f32[8,2,128]",
                         valueAntiquantScale="f32[8,2,128]")
GROUP = _with(CHANNEL, key="e2m1[2,2,512,128]", value="e2m1[2,2,512,128]", keyAntiquantMode=6, valueAntiquantMode=6,
              keyAntiquantScale="e8m0[1,2,2,512,4]", valueAntiquantScale="e8m0[1,2,2,512,4]")
MIXED = _with(CHANNEL, query="f16[2,8,1,128]", valueAntiquantMode=1, keyAntiquantScale="f16[1,2,1,128]",
              valueAntiquantScale="f32[1,2,512]")
MIXED_INT4 = _with(MIXED, key="i4[2,2,512,128]", value="i4[2,2,512,128]")
SPECULATIVE = _with(CHANNEL, query="bf16[2,8,16,128]")
SPECULATIVE_HIF8 = _with(SPECULATIVE, key="hif8[2,2,512,128]", value="hif8[2,2,512,128]")
SPECULATIVE_TOKEN = _with(TOKEN, query="bf16[2,8,16,128]")
SPECULATIVE_PAGED_HIF8 = _with(CHANNEL_PAGED, query="bf16[2,8,16,128]", key="hif8[8,2,128,128]",
                               value="hif8[8,2,128,128]")
CHANNEL_TND = _with(CHANNEL_HIF8, query="bf16[2,8,128]", key="hif8[600,2,128]", value="hif8[600,2,128]",
                    inputLayout="TND", actualSeqLengths=[1, 2], actualSeqLengthsKv=[200, 600])
PREFIX_INT8 = _with(CHANNEL, keySharedPrefix="i8[1,2,32,128]", valueSharedPrefix="i8[1,2,32,128]")
PREFIX_TENSOR = _with(TENSOR, keySharedPrefix="i8[1,2,32,128]", valueSharedPrefix="i8[1,2,32,128]")
PREFIX_INT8_MANY = _with(PREFIX_INT8, query="bf16[2,8,16,128]")

MLA_E4M3 = {"query": "e4m3[2,32,4,512]", "key": "e4m3[2,1,256,512]", "value": "e4m3[2,1,256,512]", "numHeads": 32,
            "numKeyValueHeads": 1, "inputLayout": "BNSD", "queryRope": "bf16[2,32,4,64]",
            "keyRope": "bf16[2,1,256,64]", "queryQuantMode": 3, "dequantScaleQuery": "f32[2,32,4]",
            "keyAntiquantScale": "f32[1]", "valueAntiquantScale": "f32[1]", "attentionOut": "bf16[2,32,4,512]"}
MLA_E4M3_BSH = _with(MLA_E4M3, query="e4m3[2,4,16384]", key="e4m3[2,256,512]", value="e4m3[2,256,512]",
                     inputLayout="BSH", queryRope="bf16[2,4,2048]", keyRope="bf16[2,256,64]",
                     dequantScaleQuery="f32[2,4,32]", attentionOut="bf16[2,4,16384]")
MLA_E4M3_ONE = _with(MLA_E4M3, query="e4m3[2,32,1,512]", queryRope="bf16[2,32,1,64]", dequantScaleQuery="f32[2,32,1]",
                     attentionOut="bf16[2,32,1,512]")
MLA_E4M3_PAGED = _with(MLA_E4M3, key="e4m3[8,1,16,128,32]", value="e4m3[8,1,16,128,32]",
                       keyRope="bf16[8,1,4,128,16]", blockTable="i32[2,4]", blockSize=128,
                       actualSeqLengthsKv=[512, 100])
MLA_E4M3_BSH_PAGED = _with(MLA_E4M3_BSH, key="e4m3[8,128,512]", value="e4m3[8,128,512]", keyRope="bf16[8,128,64]",
                           blockTable="i32[2,4]", blockSize=128, actualSeqLengthsKv=[512, 100])
MLA_INT8 = _with(MLA_E4M3_PAGED, query="i8[2,4,32,512]", key="i8[8,1,16,128,32]", value="i8[8,1,16,128,32]",
                 inputLayout="BSND", queryRope="bf16[2,4,32,64]", dequantScaleQuery="f32[2,4,32]",
                 attentionOut="bf16[2,4,32,512]", sparseMode=3, attenMask="b8[2048,2048]")
MLA_INT8_ONE = _with(MLA_INT8, query="i8[2,1,32,512]", queryRope="bf16[2,1,32,64]", dequantScaleQuery="f32[2,1,32]",
                     attentionOut="bf16[2,1,32,512]", sparseMode=0, attenMask=None)
MLA_INT8_TND = _with(MLA_INT8, query="i8[8,32,512]", inputLayout="TND", queryRope="bf16[8,32,64]",
                     dequantScaleQuery="f32[8,32]", attentionOut="bf16[8,32,512]", actualSeqLengths=[4, 8],
                     sparseMode=0, attenMask=None)
MX = {"query": "e4m3[4,64,128]", "key": "e4m3[1000,8,128]", "value": "e4m3[1000,8,128]", "numHeads": 64,
      "numKeyValueHeads": 8, "inputLayout": "TND", "actualSeqLengths": [1, 4], "actualSeqLengthsKv": [100, 1000],
      "queryQuantMode": 6, "keyAntiquantMode": 6, "valueAntiquantMode": 8, "dequantScaleQuery": "e8m0[8,4,8,2,2]",
      "keyAntiquantScale": "e8m0[1000,8,2,2]", "valueAntiquantScale": "e8m0[17,8,128,2]",
      "attentionOut": "bf16[4,64,128]"}
MX_PAGED = _with(MX, key="e4m3[8,8,512,128]", value="e4m3[8,8,512,128]", blockTable="i32[2,2]", blockSize=512,
                 keyAntiquantScale="e8m0[8,8,512,2,2]", valueAntiquantScale="e8m0[8,8,8,128,2]")
MX_PAGED5 = _with(MX_PAGED, key="e4m3[8,8,4,512,32]", value="e4m3[8,8,4,512,32]",
                  keyAntiquantScale="e8m0[8,8,32,2,16,2]", valueAntiquantScale="e8m0[8,8,8,8,16,2]")
MX_ROPE = _with(MX, queryRope="bf16[4,64,64]", keyRope="bf16[1000,8,64]")
FP8 = {"query": "e4m3[8,20,128]", "key": "e4m3[8,2,128,128]", "value": "e4m3[8,2,128,128]", "numHeads": 8,
       "numKeyValueHeads": 2, "inputLayout": "NTD_TND", "actualSeqLengths": [4, 20], "actualSeqLengthsKv": [512, 100],
       "blockTable": "i32[2,4]", "blockSize": 128, "queryQuantMode": 3, "keyAntiquantMode": 3,
       "valueAntiquantMode": 2, "dequantScaleQuery": "f32[8,20]", "keyAntiquantScale": "f32[8,2,128]",
       "valueAntiquantScale": "f32[2]", "quantScale1": "f32[1]", "attentionOut": "bf16[20,8,128]"}

BLOCK = {"query": "e4m3[2,8,300,128]", "key": "e4m3[2,2,600,128]", "value": "e4m3[2,2,600,128]", "numHeads": 8,
         "numKeyValueHeads": 2, "inputLayout": "BNSD", "queryQuantMode": 7, "keyAntiquantMode": 7,
         "valueAntiquantMode": 7, "dequantScaleQuery": "f32[2,8,3,1]", "keyAntiquantScale": "f32[2,2,3,1]",
         "valueAntiquantScale": "f32[2,2,3,1]", "attentionOut": "f16[2,8,300,128]"}
BLOCK_NTD = _with(BLOCK, query="e4m3[8,300,128]", key="e4m3[2,600,128]", value="e4m3[2,600,128]", inputLayout="NTD_TND",
                  actualSeqLengths=[100, 300], actualSeqLengthsKv=[100, 600], dequantScaleQuery="f32[8,4,1]",
                  keyAntiquantScale="f32[2,4,1]", valueAntiquantScale="f32[2,4,1]", attentionOut="f16[300,8,128]")
INT8 = {"query": "i8[2,8,16,128]", "key": "i8[2,2,64,128]", "value": "i8[2,2,64,128]", "numHeads": 8,
        "numKeyValueHeads": 2, "inputLayout": "BNSD", "deqScale1": "f32[1]", "quantScale1": "f32[1]",
        "deqScale2": "f32[1]"}
SLOPES = _with(GQA, query="f16[2,8,64,128]", pseType=2, pseShift="f32[8]", actualSeqLengths=[30],
               actualSeqLengthsKv=[30])

BASES = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, dict)
         and name not in ("DTYPES", "BASES")}
