"""What this process launches itself, under `bankrun python ...`: counts between two points of it, while it runs."""

from __future__ import annotations

import ctypes as c
import os
from typing import Any, Optional, Tuple

from bankrun import _library as lib
from bankrun.errors import NotCountedError
from bankrun.profile import Profile
from bankrun.records import Launch

_DRIVER = "libcuda.so.1"
_driver: Optional[c.CDLL] = None


def is_counted() -> bool:
    """Whether bankrun counts or checks what this process launches: started as `bankrun python ...`, for example."""
    return why_not_counted() is None


def why_not_counted() -> Optional[str]:
    """In words; None: it is counted."""
    if os.environ.get("BANKRUN_MEMORY"):
        return None
    if os.environ.get("BANKRUN_PRESENCE"):
        return "bankrun counts nothing (--no-count)"
    return "this process was not started by bankrun (bankrun python ..., bankrun pytest)"


def _of_this_process() -> c.CDLL:
    """The CUDA driver that the process uses, which is bankrun's. It need not have been loaded yet."""
    global _driver
    if _driver is None:
        try:
            driver = c.CDLL(_DRIVER)
            driver.bankrun_section_begin.restype = c.c_void_p
        except (OSError, AttributeError):
            raise NotCountedError(f"the {_DRIVER} of this process is not bankrun's") from None
        driver.bankrun_section_begin.argtypes = []
        driver.bankrun_section_profile.restype = c.c_void_p
        driver.bankrun_section_profile.argtypes = [c.c_void_p]
        driver.bankrun_section_end.restype = None
        driver.bankrun_section_end.argtypes = [c.c_void_p]
        _driver = driver
    return _driver


class Section:
    """What this process launches from here on, whichever library makes the launches.

        with bankrun.Section() as section:
            transpose(image)
        assert section.excess == 0

    NotCountedError: bankrun does not count it. What is launched behind the `with` does not belong to it any more.
    """

    def __init__(self) -> None:
        self._last: Optional[Profile] = None  # when it has ended
        self._pointer: Optional[int] = None
        problem = why_not_counted()
        if problem:
            raise NotCountedError(problem)
        self.restart()

    def restart(self) -> None:
        """Begins anew: what was launched so far is forgotten."""
        self._end()
        self._pointer = _of_this_process().bankrun_section_begin()
        self._last = None
        if not self._pointer:
            raise NotCountedError("a child of a process that used CUDA before its fork() is not counted")

    def __enter__(self) -> Section:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __del__(self) -> None:
        self._end()

    def _end(self) -> None:
        if self._pointer:
            _of_this_process().bankrun_section_end(self._pointer)
        self._pointer = None

    def end(self) -> None:
        """Keeps what was counted up to here."""
        if self._pointer:
            self._last = self.profile
        self._end()

    @property
    def profile(self) -> Profile:
        """Of the launches so far."""
        if self._last is not None:
            return self._last
        text = lib.Message()
        text.take_over(_of_this_process().bankrun_section_profile(self._pointer))
        return _profile_of(text.take())

    @property
    def launches(self) -> Tuple[Launch, ...]:
        return self.profile.launches

    @property
    def excess(self) -> int:
        return self.profile.excess

    @property
    def has_failed(self) -> bool:
        return self.profile.has_failed

    def worst(self, count: Optional[int] = None, space: str = "shared") -> Any:
        """As of a profile: pairs of launch and site, the worst first."""
        return self.profile.worst(count, space)


def _profile_of(text: str) -> Profile:
    if not text:  # no device was used
        return Profile()
    file = os.memfd_create("bankrun")
    try:
        with open(file, "w", encoding="utf-8", closefd=False) as out:
            out.write(text)
        return Profile.read(f"/proc/self/fd/{file}")
    finally:
        os.close(file)
