"""Where the program and its libraries lie."""

from __future__ import annotations

import os

import bankrun_start


def native_folder() -> str:
    """The folder with the program and its libraries: in this package, or BANKRUN_NATIVE, a build folder."""
    return os.environ.get("BANKRUN_NATIVE") or bankrun_start.NATIVE


def program() -> str:
    """The command `bankrun` itself."""
    return os.path.join(native_folder(), "bankrun")


def cmake_folder() -> str:
    """The folder for CMake's bankrun_DIR: -Dbankrun_DIR=$(python -c "import bankrun; print(bankrun.cmake_folder())")."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "cmake")
