"""Typed mirrors of the spec files and of calls.

In: validated data. Out: frozen values. Must never open a file or judge a call.
"""
