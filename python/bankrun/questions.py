"""Questions about index expressions: `explain` and `layout`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union, cast

from bankrun import _run
from bankrun.errors import CallError

Shape = Union[int, str, Sequence[int]]
T = TypeVar("T")

_KINDS = ("load", "store", "atomic")


def _from(kind: Type[T], data: Mapping[str, Any], **more: object) -> T:
    """A later bankrun adds keys, which are left out."""
    names = {field.name for field in fields(cast(Any, kind))}
    return kind(**{**{key: value for key, value in data.items() if key in names}, **more})


@dataclass(frozen=True)
class Explanation:
    """What the bank model says of one request: of those warps of the block that make the same one."""

    arch: str
    let: Dict[str, int]  # the values of swept names
    warps: Tuple[int, ...]
    active_mask: int
    width: int  # bytes a lane
    outside: int  # lanes, as bits, that leave the array
    offsets: Tuple[Optional[int], ...]  # of 32 lanes; None: inactive
    certainty: str  # "measured", "documented", "assumed", "unknown"; "misaligned": no such request
    wavefronts: int = 0
    min: int = 0
    max: int = 0
    ideal: int = 0
    degree: int = 0
    phases: int = 0
    cycles: int = 0
    bank_bytes: int = 4

    @property
    def excess(self) -> int:
        return self.wavefronts - self.ideal


@dataclass(frozen=True)
class Access:
    """An access of `layout`: an index expression and what is done there; `instruction` ("ldmatrix.x4") goes before
    `kind`."""

    expression: str
    kind: str = "load"  # "load", "store", "atomic"
    instruction: Optional[str] = None
    condition: Optional[str] = None
    width: Optional[int] = None


@dataclass(frozen=True)
class Layout:
    """A layout than which no other is better in wavefronts, bytes and work for the index at once."""

    arch: str
    kind: str  # "as_is", "pad", "swizzle", "mirror"
    declaration: Optional[str]
    index: Optional[str]
    swizzle: Optional[str]
    bytes: int
    operations: int  # more for each index
    requests: int
    wavefronts: int
    ideal: int
    degree: int
    accesses: Tuple[Dict[str, Any], ...]

    @property
    def excess(self) -> int:
        return self.wavefronts - self.ideal


def _kind_option(kind: str) -> str:
    if kind not in _KINDS:
        raise CallError(f"no access '{kind}': there are {', '.join(_KINDS)}")
    return f"--{kind}"


def _words(shared: str, block: Shape, let: Optional[Mapping[str, object]], arch: _run.Arch,
           options: Sequence[str]) -> List[str]:
    return ["--shared", shared, "--block", _run.shape(block), *_run.let_options(let), *_run.arch_options(arch),
            *options]


def explain(expression: str, *, shared: str, block: Shape = 32, access: str = "load",
            let: Optional[Mapping[str, object]] = None, condition: Optional[str] = None, arch: _run.Arch = None,
            options: Sequence[str] = (), timeout: _run.Seconds = None) -> List[Explanation]:
    """How an index expression meets the banks: `explain("tile[tid][0]", shared="float tile[32][33]")`. A row for each
    value of `let={"pad": "0..2"}`, each architecture of `arch="all"`, and all warps that ask the same."""
    words = ["explain", _kind_option(access), *_words(shared, block, let, arch, options)]
    words += ["--if", condition] if condition else []
    data, _ = _run.answer([*words, "--", expression], (0,), timeout)
    return [_from(Explanation, row, warps=tuple(row["warps"]), offsets=tuple(row["offsets"]))
            for row in data["requests"]]


def _access_words(access: Access) -> List[str]:
    words = ["--access", access.instruction] if access.instruction else [_kind_option(access.kind)]
    words += ["--width", str(access.width)] if access.width else []
    words += ["--if", access.condition or "1"]
    return [*words, access.expression]


def layout(accesses: Sequence[Union[Access, str]], *, shared: str, block: Shape = 32,
           let: Optional[Mapping[str, object]] = None, arch: _run.Arch = None, options: Sequence[str] = (),
           timeout: _run.Seconds = None) -> List[Layout]:
    """The layouts of a shared array in which its accesses conflict the least, the array as it is first."""
    if not accesses:
        raise CallError("no access")
    words = ["layout", *_words(shared, block, let, arch, options)]
    for access in accesses:
        words += _access_words(Access(access) if isinstance(access, str) else access)
    data, _ = _run.answer(words, (0, 1), timeout)
    none: Dict[str, None] = {"declaration": None, "index": None, "swizzle": None}
    return [_from(Layout, {**none, **row}, arch=result["arch"], accesses=tuple(row["accesses"]))
            for result in data["results"] for row in result["layouts"]]
