"""Profiles: what was counted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, Tuple, TypeVar, Union

from bankrun import _library as lib
from bankrun import _records, frames
from bankrun.errors import CallError
from bankrun.records import Finding, Gap, Launch, Program, Refused, Site

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]
T = TypeVar("T")

CHECKS = {"race": 1, "init": 2, "sync": 4, "memory": 8}


def check_bits(checks: Iterable[str]) -> int:
    bits = 0
    for name in checks:
        if name not in CHECKS:
            raise CallError(f"no check '{name}': there are {', '.join(CHECKS)}")
        bits |= CHECKS[name]
    return bits


def _all(read: Callable[[Any, int], Optional[T]], profile: Any) -> Tuple[T, ...]:
    rows: List[T] = []
    while (row := read(profile, len(rows))) is not None:
        rows.append(row)
    return tuple(rows)


class Profile:
    """What one run counted: made by `run` and `check`, read by `read`, or empty, for launches of a `Device`.

    Not for two threads at the same time.
    """

    program: Optional[Program] = None  # how the program of `run` or `check` ended

    def __init__(self, arch: int = 90, title: str = "python", *, checks: Iterable[str] = (),
                 counts: bool = True) -> None:
        self._open(lib.library().bankrun_profile_create(arch, os.fsencode(title)),
                   CallError(f"no architecture {arch}"))
        bits = check_bits(checks)
        if bits:
            lib.library().bankrun_profile_check(self._pointer, bits, counts)

    @classmethod
    def read(cls, path: Path) -> "Profile":
        """A saved profile: of `Profile.save`, or of `bankrun --format json -o PATH`."""
        message = lib.Message()
        profile = cls.__new__(cls)
        pointer = lib.library().bankrun_profile_load(os.fsencode(path), message.slot)
        profile._open(pointer, None if pointer else _why_not_read(path, message))
        return profile

    def _open(self, pointer: Optional[int], error: Optional[Exception]) -> None:
        self._pointer: Optional[int] = pointer
        if not pointer:
            raise error or CallError("no profile")

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer:
            lib.library().bankrun_profile_free(pointer)
            self._pointer = None

    def save(self, path: Path) -> None:
        """Writes it as JSON (docs/profile.md). The file is there whole, or as it was before."""
        message = lib.Message()
        lib.check(lib.library().bankrun_profile_save(self._pointer, os.fsencode(path), message.slot),
                  message)

    @property
    def excess(self) -> int:
        """Wavefronts of shared memory beyond the ideal ones, in all launches. 0: no bank conflicts."""
        return int(lib.library().bankrun_profile_excess(self._pointer))

    @property
    def has_failed(self) -> bool:
        """Whether a launch faulted, was cut short or refused, or the profile lacks something."""
        return bool(lib.library().bankrun_profile_has_failed(self._pointer))

    @property
    def launches(self) -> Tuple[Launch, ...]:
        return _all(_records.launch, self._pointer)

    @property
    def refused(self) -> Tuple[Refused, ...]:
        """Launches that did not begin."""
        return _all(_records.refused, self._pointer)

    @property
    def gaps(self) -> Tuple[Gap, ...]:
        """Why it is not of all that its program did."""
        return _all(_records.gap, self._pointer)

    @property
    def findings(self) -> Tuple[Finding, ...]:
        return tuple(finding for launch in self.launches for finding in launch.findings)

    def worst(self, count: Optional[int] = None, space: str = "shared") -> List[Tuple[Launch, Site]]:
        """The sites with excess, the worst first, each with its launch; at most `count`."""
        rows = [(launch, site) for launch in self.launches for site in launch.sites
                if site.space == space and site.excess > 0]
        rows.sort(key=lambda row: -row[1].excess * row[0].repeats)
        return rows[:count]

    def rows(self) -> "List[frames.Row]":
        """A row for each site of each launch, as a dictionary: what `sites` makes a data frame of."""
        return frames.site_rows(self.launches)

    def sites_frame(self) -> "pandas.DataFrame":
        """A row for each site of each launch. Needs pandas."""
        return frames.frame(self.rows(), frames.SITE_COLUMNS)

    def launches_frame(self) -> "pandas.DataFrame":
        """A row for each launch. Needs pandas."""
        return frames.frame(frames.launch_rows(self.launches), frames.LAUNCH_COLUMNS)


def _why_not_read(path: Path, message: lib.Message) -> Exception:
    # The library says which in words alone: a file that can be read holds no profile.
    code = 11
    try:
        with open(path, "rb"):
            pass
    except OSError:
        code = 2
    return lib.error_of(code, message)


def read(path: Path) -> Profile:
    """A saved profile: of `Profile.save`, or of `bankrun --format json -o PATH`."""
    return Profile.read(path)
