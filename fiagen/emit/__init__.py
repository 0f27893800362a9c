"""Renders views and writes files.

In: views. Out: text, and files that change only when their bytes do. Must never decide what a file says.
"""
