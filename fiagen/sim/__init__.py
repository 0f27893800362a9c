"""The CPU simulator of the AscendC programming model.

In: kernel sources. Out: kernel libraries and the reports of their runs. Must never import another floor than
`diagnostics` and `paths`.
"""
