"""The ACL runtime shim: C++ under the published names, its build, and a ctypes session that drives an operator.

In: generated host code and compiled kernels. Out: runs of the operator's C entry points. Must never know its rules.
"""
