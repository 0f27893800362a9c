"""All decisions about a kernel, each a frozen value with its reason.

In: a variant and the architecture it is built for. Out: a KernelPlan. Must never spell C++ or read a file.
"""

from fiagen.plan.attention import KernelPlan, plan_kernel
from fiagen.plan.decision import Buffer, Decision, Flag
from fiagen.plan.tiling import TilingField, TilingPlan, TilingStruct, plan_tiling

__all__ = [
    "Buffer", "Decision", "Flag", "KernelPlan", "TilingField", "TilingPlan", "TilingStruct", "plan_kernel", "plan_tiling",
]
