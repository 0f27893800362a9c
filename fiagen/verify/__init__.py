"""Random legal calls, tensors to fill them with, and the comparison of results with the truth.

In: variants and calls. Out: cases, arrays, verdicts. Must never decide what an operator computes: that is `oracle/`.
"""
