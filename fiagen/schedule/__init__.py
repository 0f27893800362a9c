"""The task table of sparse attention as something to look at: decoded, judged, drawn.

In: a table of 1024 words, and the call it is for. Out: intervals, findings, text and SVG. Must never change a table.
"""
