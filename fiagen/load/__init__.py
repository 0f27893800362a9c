"""Reads spec files and call files strictly.

In: paths and bytes. Out: validated model values, or a DiagnosticError holding every finding. Must never judge a call.
"""
