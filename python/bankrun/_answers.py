"""What the server for coding assistants answers: typed, and never longer than an assistant can read.

Profiles may be of thousands of lines: the worst come first, `top` of them, and `left_out` says how many more there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Union

import bankrun
from bankrun.errors import CallError
from bankrun.records import Launch, Place, Program, Site

MOST_ROWS, MOST_TEXT, MOST_DIFF, MOST_SECONDS = 50, 2_000, 40_000, 600.0


def short(text: Optional[str], most: int = MOST_TEXT) -> Optional[str]:
    """The beginning; of what a program printed use `tail`."""
    return text if text is None or len(text) <= most else text[:most] + f"... ({len(text) - most} more characters)"


def tail(text: str, most: int = MOST_TEXT) -> str:
    return text if len(text) <= most else f"({len(text) - most} characters before) ..." + text[-most:]


def rows_of(top: int) -> int:
    if top < 1:
        raise CallError(f"top is {top}, and at least 1")
    return min(top, MOST_ROWS)


def seconds(timeout: float) -> float:
    if not timeout > 0:
        raise CallError(f"a timeout of {timeout:g} seconds")
    return min(timeout, MOST_SECONDS)


@dataclass
class Line:
    """An access of a source line, in one launch."""

    file: Optional[str]
    line: int
    kernel: str
    launches: int  # that counted just the same
    array: Optional[str]
    instruction: str
    requests: int
    wavefronts: int  # of shared memory; of global memory sectors of 32 bytes
    ideal: int
    excess: int
    degree: int
    certainty: str  # "exact" or "estimate"
    why: Optional[str]
    help: Optional[str]
    proof: Optional[str]


@dataclass
class Refusal:
    kernel: str
    reasons: List[str]
    cures: List[str]


@dataclass
class FindingPlace:
    role: str
    file: Optional[str]
    line: int
    instruction: Optional[str]
    block: Optional[List[int]]
    thread: Optional[List[int]]


@dataclass
class Defect:
    check: str
    kind: str
    message: str
    object: Optional[str]
    help: Optional[str]
    is_note: bool
    count: int
    kernel: str
    places: List[FindingPlace]


@dataclass
class RunAnswer:
    """What a run counted."""

    status: int  # exit status: the program's, or 128 + N of signal N
    excess: int  # wavefronts of shared memory beyond the ideal ones, in all launches; 0: no bank conflicts
    launches: int
    is_complete: bool  # no fault, nothing refused, nothing that could not be counted
    shared: List[Line]  # with excess, the worst first
    uncoalesced: List[Line]  # of global memory, likewise
    left_out: int  # lines with excess that are not shown
    faults: List[str]
    refused: List[Refusal]
    gaps: List[str]
    stdout: str  # the end of it
    stderr: str


@dataclass
class CheckAnswer:
    """What the checkers found."""

    status: int
    is_complete: bool
    defects: List[Defect]
    left_out: int
    faults: List[str]
    gaps: List[str]
    stdout: str
    stderr: str


@dataclass
class Row:
    """What the bank model says of one request."""

    arch: str
    let: Dict[str, int]
    warps: List[int]
    wavefronts: int
    ideal: int
    excess: int
    degree: int
    certainty: str
    offsets: str  # of 32 lanes, in bytes; -: inactive


@dataclass
class ExplainAnswer:
    rows: List[Row]
    left_out: int


@dataclass
class AccessAsked:
    """An access of the array whose layout is asked for."""

    expression: str  # "tile[ty][tx]"
    kind: str = "load"  # "load", "store" or "atomic"
    instruction: Optional[str] = None  # "ldmatrix.x4"; goes before kind
    condition: Optional[str] = None  # only lanes for which it holds
    width: Optional[int] = None  # bytes a lane; none: of the type


@dataclass
class LayoutRow:
    arch: str
    kind: str  # "as_is", "pad", "swizzle", "mirror"
    declaration: Optional[str]
    index: Optional[str]
    swizzle: Optional[str]  # as CuTe has it
    bytes: int
    operations: int
    wavefronts: int
    ideal: int
    excess: int


@dataclass
class LayoutAnswer:
    layouts: List[LayoutRow]
    left_out: int


@dataclass
class FixedArray:
    array: str
    kernel: str
    line: int
    outcome: str
    done: Optional[str]  # the edit, or why there is none
    wavefronts: int
    wavefronts_after: Optional[int]
    is_proved: bool


@dataclass
class FixAnswer:
    """Edits that were compiled, run and found to change nothing but wavefronts."""

    is_cured: bool
    diff: str  # unified; no file is changed
    arrays: List[FixedArray]


@dataclass
class ChangedLine:
    change: str  # "worse", "better", "new", "gone"
    space: str  # excess is wavefronts of "shared", sectors of "global"
    kernel: str
    file: Optional[str]
    line: int
    text: Optional[str]
    excess_before: int
    excess_after: int


@dataclass
class DiffAnswer:
    worse: int
    better: int
    new: int
    gone: int
    same: int
    lines: List[ChangedLine]  # that changed, those that changed most first
    left_out: int


def _line(launch: Launch, site: Site) -> Line:
    return Line(site.file, site.line, short(launch.kernel, 200) or "", launch.repeats, site.array, site.instruction,
                site.requests, site.units, site.ideal, site.excess, site.degree,
                "estimate" if site.is_estimate else "exact", site.why, short(site.help), short(site.proof))


def _faults(launches: Iterable[Launch], top: int) -> List[str]:
    return [f"{short(launch.kernel, 200)}: {short(launch.fault)}" for launch in launches if launch.fault][:top]


def _program(profile: bankrun.Profile) -> Program:
    return profile.program or Program(0, "", "")


def run(file: str, arguments: Sequence[str], launch: Optional[str], arch: Optional[str], options: Sequence[str],
        top: int, timeout: float, save: Optional[str]) -> RunAnswer:
    top = rows_of(top)
    profile = bankrun.run(file, *arguments, launch=launch, arch=arch, options=options, timeout=seconds(timeout))
    if save:
        profile.save(save)
    shared, uncoalesced = profile.worst(), profile.worst(space="global")
    program, launches = _program(profile), profile.launches
    return RunAnswer(
        status=program.status, excess=profile.excess, launches=sum(one.repeats for one in launches),
        is_complete=not profile.has_failed, shared=[_line(*row) for row in shared[:top]],
        uncoalesced=[_line(*row) for row in uncoalesced[:top]],
        left_out=max(0, len(shared) - top) + max(0, len(uncoalesced) - top), faults=_faults(launches, top),
        refused=[Refusal(short(one.kernel, 200) or "", [reason.text for reason in one.reasons],
                         [reason.cure for reason in one.reasons if reason.cure]) for one in profile.refused[:top]],
        gaps=[short(gap.text) or "" for gap in profile.gaps[:top]], stdout=tail(program.stdout),
        stderr=tail(program.stderr))


def _finding_place(place: Place) -> FindingPlace:
    return FindingPlace(place.role, place.file, place.line, place.instruction,
                        list(place.block) if place.block else None, list(place.thread) if place.thread else None)


def check(file: str, arguments: Sequence[str], launch: Optional[str], checks: Sequence[str], arch: Optional[str],
          options: Sequence[str], top: int, timeout: float) -> CheckAnswer:
    top = rows_of(top)
    profile = bankrun.check(file, *arguments, launch=launch, checks=checks, arch=arch, options=options,
                            timeout=seconds(timeout))
    program, launches = _program(profile), profile.launches
    found = [(one, finding) for one in launches for finding in one.findings]
    found.sort(key=lambda row: (row[1].is_note, -row[1].count))
    return CheckAnswer(
        status=program.status, is_complete=not profile.has_failed,
        defects=[Defect(finding.check, finding.kind, short(finding.message) or "", finding.object, short(finding.help),
                        finding.is_note, finding.count, short(one.kernel, 200) or "",
                        [_finding_place(place) for place in finding.places]) for one, finding in found[:top]],
        left_out=max(0, len(found) - top), faults=_faults(launches, top),
        gaps=[short(gap.text) or "" for gap in profile.gaps[:top]], stdout=tail(program.stdout),
        stderr=tail(program.stderr))


def _offsets(offsets: Sequence[Optional[int]]) -> str:
    return " ".join("-" if offset is None else str(offset) for offset in offsets)


def explain(expression: str, shared: str, block: str, access: str, let: Mapping[str, str], condition: Optional[str],
            arch: Optional[str], top: int) -> ExplainAnswer:
    top = rows_of(top)
    rows = bankrun.explain(expression, shared=shared, block=block, access=access, let=let, condition=condition,
                           arch=arch, timeout=MOST_SECONDS)
    return ExplainAnswer([Row(row.arch, dict(row.let), list(row.warps), row.wavefronts, row.ideal, row.excess,
                              row.degree, row.certainty, _offsets(row.offsets)) for row in rows[:top]],
                         max(0, len(rows) - top))


def layout(accesses: Sequence[AccessAsked], shared: str, block: str, let: Mapping[str, str], arch: Optional[str],
           top: int) -> LayoutAnswer:
    top = rows_of(top)
    asked: List[Union[bankrun.Access, str]] = [
        bankrun.Access(access.expression, access.kind, access.instruction, access.condition, access.width)
        for access in accesses]
    found = bankrun.layout(asked, shared=shared, block=block, let=let, arch=arch, timeout=MOST_SECONDS)
    return LayoutAnswer([LayoutRow(one.arch, one.kind, one.declaration, one.index, one.swizzle, one.bytes,
                                   one.operations, one.wavefronts, one.ideal, one.excess) for one in found[:top]],
                        max(0, len(found) - top))


def fix(file: str, arguments: Sequence[str], prefer: Optional[str], arch: Optional[str], options: Sequence[str],
        timeout: float) -> FixAnswer:
    done = bankrun.fix(file, *arguments, prefer=prefer, arch=arch, options=options, timeout=seconds(timeout))
    if len(done.diff) > MOST_DIFF:
        raise CallError(f"the diff has {len(done.diff)} characters: bankrun fix {file} in a shell writes it to a file")
    return FixAnswer(done.is_cured, done.diff, [
        FixedArray(row["array"], short(row["kernel"], 200) or "", row["line"], row["outcome"],
                   short(row.get("done") or row.get("reason")), row["wavefronts"], row.get("wavefronts_after"),
                   bool(row.get("is_proved"))) for row in done.arrays[:MOST_ROWS]])


def _excess(side: Optional[Mapping[str, int]]) -> int:
    return side["excess"] if side else 0


def diff(old: str, new: str, top: int) -> DiffAnswer:
    top = rows_of(top)
    done = bankrun.diff(old, new, timeout=MOST_SECONDS)
    lines = []
    for row in done.lines:
        place = row["new"] or row["old"]
        lines.append(ChangedLine(row["change"], row["space"], short(place["kernel"], 200) or "", place["file"],
                                 place["line"] or 0, short(place["text"], 200), _excess(row["old"]),
                                 _excess(row["new"])))
    lines.sort(key=lambda line: -abs(line.excess_after - line.excess_before))
    return DiffAnswer(done.worse, done.better, done.new, done.gone, done.same, lines[:top],
                      max(0, len(lines) - top))
