"""Makes the virtual environment: the package in place, PyTorch, development tools and, without a compiler here, one
from the index.

In: the folder to make it in. Out: a ready environment. Must never touch anything outside that folder.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

COMPILERS = ("g++", "c++", "clang++")


def main() -> int:
    target = Path(sys.argv[1])
    if sys.version_info < (3, 10):  # noqa: UP036 - this is where an older one is told
        print(f"fiagen needs Python 3.10 or newer; this is {sys.version.split()[0]}. Try: make PYTHON=python3.12 run")
        return 2
    if not (target / "bin" / "python").exists():
        venv.create(target, with_pip=True)
    extras = "dev" if any(shutil.which(name) for name in COMPILERS) else "dev,compiler"
    pip = [str(target / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.call([*pip, "-e", f".[{extras}]"])


if __name__ == "__main__":
    sys.exit(main())
