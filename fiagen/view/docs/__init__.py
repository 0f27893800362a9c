"""Views of the documentation: every cell of a page is ready Markdown here, so that templates only place it.

In: loaded specs, parsed expressions, plans. Out: one frozen dataclass a template. Must never judge a call or
decide a number.
"""
