"""Turns plans into what one template needs, already spelled and sorted.

In: plans. Out: one frozen view per template. Must never decide a number.
"""
