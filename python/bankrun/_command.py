"""The command `bankrun` of an installed package: the program takes the place of this process."""

from __future__ import annotations

import os
import sys

from bankrun._places import program


def main() -> int:
    path = program()
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        print(f"bankrun: {path}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
