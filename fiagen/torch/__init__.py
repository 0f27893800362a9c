"""The operators in PyTorch: `import fiagen.torch` adds `torch.ops.fiagen.*`, which run on the CPU simulator.

In: the catalogue. Out: registered operators with their fake functions; `settings`, `as_torch_npu`. Must never state a
parameter, a default or a shape of its own: all of them come from the specs.
"""

from fiagen.torch.errors import OperatorError, missing_torch

try:
    import torch as _torch
except ImportError as _error:
    raise missing_torch(str(_error)) from None

from fiagen.torch.npu import as_torch_npu
from fiagen.torch.register import register_all
from fiagen.torch.settings import settings

if not hasattr(_torch.library, "register_fake"):
    raise missing_torch(f"PyTorch {_torch.__version__}")
register_all("fiagen")

__all__ = ["OperatorError", "as_torch_npu", "settings"]
