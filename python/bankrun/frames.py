"""Profiles as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterable, List, Tuple, Union

from bankrun.errors import Error
from bankrun.records import Launch, Shape

if TYPE_CHECKING:
    import pandas

Row = Dict[str, Union[str, int, bool, Shape, None]]

# Of a launch, in both tables; then of a site, and what a site's row has beside that.
_OF_LAUNCH = ("repeats", "kernel", "symbol", "grid", "block", "is_sample")
_OF_SITE = ("space", "operation", "instruction", "file", "line", "column", "function", "array", "width",
            "requests", "units", "ideal", "excess", "degree", "is_estimate", "why", "help", "proof")
_OF_LAUNCH_ALONE = ("shared_bytes", "blocks_run", "instructions", "thread_instructions", "fault", "excess")
SITE_COLUMNS = ("launch", *_OF_LAUNCH, *_OF_SITE)
LAUNCH_COLUMNS = ("launch", *_OF_LAUNCH, *_OF_LAUNCH_ALONE, "findings")


def site_rows(launches: Iterable[Launch]) -> List[Row]:
    rows: List[Row] = []
    for launch in launches:
        head: Row = {"launch": launch.index, **{name: getattr(launch, name) for name in _OF_LAUNCH}}
        rows.extend({**head, **{name: getattr(site, name) for name in _OF_SITE}} for site in launch.sites)
    return rows


def launch_rows(launches: Iterable[Launch]) -> List[Row]:
    return [{"launch": launch.index,
             **{name: getattr(launch, name) for name in _OF_LAUNCH + _OF_LAUNCH_ALONE},
             "findings": len(launch.findings)} for launch in launches]


def frame(rows: List[Row], columns: Tuple[str, ...]) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError:
        raise Error("data frames need pandas: pip install 'bankrun[pandas]'") from None
    return pandas.DataFrame(rows, columns=list(columns))
