"""The folder's modules see each other, whatever pytest's import mode.

In: nothing. Out: the path. Must never do more.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
