"""What a profile holds, as plain data. All counts are those of one launch; `repeats` says how many launches counted
just the same and are kept once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

Shape = Tuple[int, int, int]


@dataclass(frozen=True)
class Frame:
    """Where an inlined access was called from."""

    file: Optional[str]
    line: int
    function: Optional[str]


@dataclass(frozen=True)
class Site:
    """One instruction that accesses shared or global memory, in one launch."""

    space: str  # "shared" or "global"
    operation: str  # "load", "store", "atomic", ...
    instruction: str  # "ld.shared.f32"
    file: Optional[str]
    line: int  # 0: unknown
    column: int
    function: Optional[str]
    inlined_at: Tuple[Frame, ...]  # the innermost call first
    array: Optional[str]  # the shared array
    width: int  # bytes a lane
    requests: int
    units: int  # wavefronts of shared memory, 32-byte sectors of global memory
    ideal: int  # of the same unit
    degree: int  # the worst request's; 0: none, or global memory
    is_estimate: bool  # no exact rule is known for it
    why: Optional[str]  # it conflicts, in words
    help: Optional[str]  # what takes the excess away, in lines
    proof: Optional[str]  # what holds for every block
    worst_block: Optional[Shape]  # of such a request
    worst_warp: Optional[int]
    worst_offsets: Optional[Tuple[Optional[int], ...]]  # of its 32 lanes, in bytes; None: inactive

    @property
    def excess(self) -> int:
        """Units beyond the ideal ones: bank conflicts, or sectors in vain."""
        return self.units - self.ideal


@dataclass(frozen=True)
class Place:
    """One side of a finding."""

    role: str  # "writes", "waits"
    file: Optional[str]
    line: int
    column: int
    function: Optional[str]
    instruction: Optional[str]
    block: Optional[Shape]
    thread: Optional[Shape]


@dataclass(frozen=True)
class Finding:
    """A defect that a checker found."""

    check: str  # "race"
    kind: str  # "write-write": docs/checks has a page for each
    message: str
    object: Optional[str]  # the memory that it is about, "bins[5]"
    help: Optional[str]
    is_note: bool  # worth knowing, and no defect
    count: int
    places: Tuple[Place, ...]


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel, with its sites (shared memory first, then by file and line) and findings."""

    index: int
    repeats: int
    kernel: str
    symbol: str
    grid: Shape
    block: Shape
    shared_bytes: int
    blocks_run: int
    instructions: int
    thread_instructions: int
    fault: Optional[str]  # how it ended
    is_sample: bool  # scaled from the blocks that ran
    sites: Tuple[Site, ...]
    findings: Tuple[Finding, ...]

    @property
    def excess(self) -> int:
        """Wavefronts of shared memory beyond the ideal ones."""
        return sum(site.excess for site in self.sites if site.space == "shared")


@dataclass(frozen=True)
class Reason:
    """Why a launch was refused, and the cure."""

    limit: str
    asked: int
    most: int
    text: str
    cure: Optional[str]


@dataclass(frozen=True)
class Refused:
    """A launch that did not begin."""

    after: int  # so many launches had begun before it
    repeats: int
    kernel: str
    grid: Shape
    block: Shape
    shared_bytes: int
    error: Optional[str]
    reasons: Tuple[Reason, ...]


@dataclass(frozen=True)
class Gap:
    """Why a profile is not of all that its program did."""

    kind: str  # "unsupported", "module", "fault", "lost", "unseen", "library"
    text: str
    count: int


@dataclass(frozen=True)
class Program:
    """How the program ended whose run the profile is of."""

    status: int  # the exit status of bankrun: the program's, or what bankrun(1) says
    stdout: str
    stderr: str  # the program's, and bankrun's report
