"""The expression language of the spec files: one parser, three printers (Python value, C++, English).

In: text and the types of the names it may use. Out: an Expr. Must never execute anything but the functions listed here.
"""

from fiagen.expr.functions import FUNCTIONS
from fiagen.expr.language import Closure, EvalError, Expr, ListedFact, ListFact, TensorFact, parse
from fiagen.expr.nodes import Type

__all__ = ["FUNCTIONS", "Closure", "EvalError", "Expr", "ListFact", "ListedFact", "TensorFact", "Type", "parse"]
