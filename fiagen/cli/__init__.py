"""The command line: parses, calls one function, prints.

In: arguments. Out: text or JSON, and an exit status: 0 all well, 1 findings, 2 misuse or unreadable input. Must never compute.
"""
