"""Whether a call is legal, and if not, why; and whether the specs agree with themselves.

In: calls and the catalogue. Out: verdicts and findings. Must never stop at the first finding.
"""

from fiagen.check.facts import Facts
from fiagen.check.outputs import output_specs
from fiagen.check.verdict import Verdict, check_call

__all__ = ["Facts", "Verdict", "check_call", "output_specs"]
