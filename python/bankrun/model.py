"""The bank model alone: what one request of 32 lanes costs."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence

from bankrun import _library as lib
from bankrun.errors import CallError

ACCESSES = ("load", "store", "atomic", "atomic_constant", "atomic_cas", "atomic_loop", "matrix_load", "matrix_store",
            "async_copy", "atomic_early_loop", "generic_load", "generic_loop", "generic_early_loop")


@dataclass(frozen=True)
class Cost:
    """What shared memory does for a request."""

    wavefronts: int  # exact, or the most likely value where min < max
    min: int
    max: int
    ideal: int  # with the best addresses for the same lanes
    degree: int  # most wavefronts of one phase
    phases: int
    certainty: str  # "measured", "documented", "assumed", "unknown"

    @property
    def excess(self) -> int:
        return self.wavefronts - self.ideal


def architectures() -> List[int]:
    """All that have a model: 90 for 9.0."""
    found: List[int] = []
    numbers = lib.library().bankrun_architectures()
    while numbers[len(found)]:
        found.append(numbers[len(found)])
    return found


def _lanes(offsets: Iterable[Optional[int]]) -> Sequence[Optional[int]]:
    lanes = list(offsets)
    if len(lanes) > lib.LANES:
        raise CallError(f"{len(lanes)} offsets, and a warp has {lib.LANES} lanes")
    for offset in lanes:
        if offset is not None and not 0 <= offset < 1 << 32:
            raise CallError(f"an offset into shared memory is not {offset}")
    return lanes


def count(offsets: Iterable[Optional[int]], *, width: int = 4, access: str = "load", matrices: int = 0,
          arch: int = 90) -> Cost:
    """The cost of one request: byte offsets of lanes 0 to 31; None, or a missing one: the lane takes no part.

    >>> count(range(0, 4096, 128)).wavefronts
    32
    """
    if access not in ACCESSES:
        raise CallError(f"no access '{access}': there are {', '.join(ACCESSES)}")
    lanes = _lanes(offsets)
    mask = sum(1 << lane for lane, offset in enumerate(lanes) if offset is not None)
    request = lib.Request(ACCESSES.index(access), width, matrices, mask,
                          (c.c_uint32 * lib.LANES)(*(offset or 0 for offset in lanes)))
    cost = lib.Cost()
    status = lib.library().bankrun_count(arch, c.byref(request), c.byref(cost))
    if status:
        raise CallError(lib.told(lib.library().bankrun_status_text(status)))
    return Cost(cost.wavefronts, cost.min, cost.max, cost.ideal, cost.degree, cost.phases,
                lib.told(lib.library().bankrun_certainty_text(cost.certainty)))
