"""From the structures of the C library to plain data."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Tuple

from bankrun import _library as lib
from bankrun.records import (Finding, Frame, Gap, Launch, Place, Reason, Refused, Shape, Site)

SPACES = ("shared", "global")
GAPS = ("unsupported", "module", "fault", "lost", "unseen", "library")


def _shape(dim: Any) -> Shape:
    return dim[0], dim[1], dim[2]


def _frame(frame: lib.Frame) -> Frame:
    return Frame(lib.text(frame.file), frame.line, lib.text(frame.function))


def _offsets(site: lib.RecordedSite) -> Optional[Tuple[Optional[int], ...]]:
    if not site.worst_degree or not site.worst_offsets:
        return None
    return tuple(site.worst_offsets[n] if site.worst_mask >> n & 1 else None for n in range(lib.LANES))


def _site(site: lib.RecordedSite) -> Site:
    has_worst = site.worst_degree > 0
    return Site(
        space=SPACES[site.space], operation=lib.told(site.operation),
        instruction=lib.told(site.instruction), file=lib.text(site.file), line=site.line,
        column=site.column, function=lib.text(site.function),
        inlined_at=tuple(_frame(site.inlined_at[n]) for n in range(site.inlined_count)),
        array=lib.text(site.array), width=site.width, requests=site.counts.requests,
        units=site.counts.units, ideal=site.counts.ideal, degree=site.worst_degree,
        is_estimate=site.is_estimate, why=lib.text(site.why), help=lib.text(site.help), proof=lib.text(site.proof),
        worst_block=_shape(site.worst_block) if has_worst else None,
        worst_warp=site.worst_warp if has_worst else None, worst_offsets=_offsets(site))


def _place(place: lib.Place) -> Place:
    return Place(
        role=lib.told(place.role), file=lib.text(place.file), line=place.line, column=place.column,
        function=lib.text(place.function), instruction=lib.text(place.instruction),
        block=_shape(place.block) if place.has_thread else None,
        thread=_shape(place.thread) if place.has_thread else None)


def _finding(finding: lib.Finding) -> Finding:
    return Finding(
        check=lib.told(finding.check), kind=lib.told(finding.kind), message=lib.told(finding.message),
        object=lib.text(finding.object), help=lib.text(finding.help), is_note=finding.is_note,
        count=finding.count,
        places=tuple(_place(finding.places[n]) for n in range(finding.place_count)))


def launch(profile: Any, n: int) -> Optional[Launch]:
    """The n-th launch of the profile; None: there are not so many."""
    library, row = lib.library(), lib.RecordedLaunch()
    if not library.bankrun_profile_launch(profile, n, c.byref(row)):
        return None
    sites, findings = [], []
    for m in range(row.sites):
        site = lib.RecordedSite()
        if library.bankrun_profile_site(profile, n, m, c.byref(site)):
            sites.append(_site(site))
    for m in range(row.findings):
        finding = lib.Finding()
        if library.bankrun_profile_finding(profile, n, m, c.byref(finding)):
            findings.append(_finding(finding))
    return Launch(
        index=row.index, repeats=row.repeats, kernel=lib.told(row.kernel), symbol=lib.told(row.symbol),
        grid=_shape(row.grid), block=_shape(row.block), shared_bytes=row.shared_bytes,
        blocks_run=row.blocks_run, instructions=row.instructions,
        thread_instructions=row.thread_instructions, fault=lib.text(row.fault),
        is_sample=row.is_sample, sites=tuple(sites), findings=tuple(findings))


def refused(profile: Any, n: int) -> Optional[Refused]:
    library, row = lib.library(), lib.RefusedLaunch()
    if not library.bankrun_profile_refused(profile, n, c.byref(row)):
        return None
    reasons = []
    for m in range(row.reasons):
        reason = lib.RefusalReason()
        if library.bankrun_profile_reason(profile, n, m, c.byref(reason)):
            reasons.append(Reason(lib.told(reason.limit), reason.asked, reason.most,
                                  lib.told(reason.text), lib.text(reason.cure)))
    return Refused(
        after=row.after, repeats=row.repeats, kernel=lib.told(row.kernel), grid=_shape(row.grid),
        block=_shape(row.block), shared_bytes=row.shared_bytes, error=lib.text(row.error),
        reasons=tuple(reasons))


def gap(profile: Any, n: int) -> Optional[Gap]:
    library, row = lib.library(), lib.Gap()
    if not library.bankrun_profile_gap(profile, n, c.byref(row)):
        return None
    return Gap(GAPS[row.kind] if row.kind < len(GAPS) else str(row.kind), lib.told(row.text), row.count)
