"""The command `bankrun` of an installed package: the program takes the place of this process.

It lies beside the package, since Python would load all of that first: a third of a second before anything is done.
"""

from __future__ import annotations

import os
import sys

# With the program and its libraries.
NATIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bankrun", "native")


def main() -> int:
    path = os.path.join(NATIVE, "bankrun")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        print(f"bankrun: {path}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
