"""What changed between two sets of specs, in the words of operators.

In: two spec folders or git revisions. Out: Changes. Must never compare lines of text where a meaning can be compared.
"""
