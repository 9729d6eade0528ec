"""Where the program and its libraries lie."""

from __future__ import annotations

import os

PROGRAM = "bankrun"


def native_folder() -> str:
    """The folder with the program and its libraries: in this package, or BANKRUN_NATIVE, a build folder."""
    named = os.environ.get("BANKRUN_NATIVE")
    return named or os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")


def program() -> str:
    """The command `bankrun` itself."""
    return os.path.join(native_folder(), PROGRAM)
