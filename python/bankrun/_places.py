"""Where the program and its libraries lie."""

from __future__ import annotations

import os

import bankrun_start
from bankrun.errors import Error


def native_folder() -> str:
    """The folder with the program and its libraries: in this package, or BANKRUN_NATIVE, a build folder."""
    return os.environ.get("BANKRUN_NATIVE") or bankrun_start.NATIVE


def program() -> str:
    """The command `bankrun` itself."""
    return os.path.join(native_folder(), "bankrun")


def cmake_folder() -> str:
    """The folder for CMake's bankrun_DIR: -Dbankrun_DIR=$(python -c "import bankrun; print(bankrun.cmake_folder())")."""
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(program())))
    for folder in (os.path.join(here, "cmake"), os.path.join(prefix, "share", "cmake", "bankrun"),
                   os.path.join(here, "..", "..", "cmake")):
        if os.path.exists(os.path.join(folder, "bankrun-config.cmake")):
            return os.path.normpath(folder)
    raise Error("bankrun-config.cmake is not there: the package is not whole")
