"""Programs: CUDA sources, executables and PTX, run and checked, and edited so that their conflicts go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from bankrun import _run
from bankrun.profile import Path, Profile, check_bits

# bankrun's own; else it ends with the program's.
_NOT_RUN = 2


def _start(command: str, file: Path, arguments: Sequence[object], options: Sequence[str], launch: Optional[str],
           arch: _run.Arch, timeout: _run.Seconds, cwd: Optional[Path],
           env: Optional[Mapping[str, str]]) -> Profile:
    with _run.Folder() as saved:
        words = [command, "--format", "json", "-o", saved, *_run.arch_options(arch), *options]
        if launch is not None:
            words += ["--launch", launch]
        words += ["--", os.fspath(file), *(str(argument) for argument in arguments)]
        done = _run.ended(words, timeout, None if cwd is None else os.fspath(cwd), env)
        # Where it could not be run there is no profile, or an empty file.
        if not os.path.exists(saved) or not os.path.getsize(saved):
            raise _run.failed(_run.words_of(done.stderr) or f"status {done.status}, and no profile", done.status)
        profile = Profile.read(saved)
    profile.program = done
    return profile


def run(file: Path, *arguments: object, options: Sequence[str] = (), launch: Optional[str] = None,
        arch: _run.Arch = None, timeout: _run.Seconds = None, cwd: Optional[Path] = None,
        env: Optional[Mapping[str, str]] = None) -> Profile:
    """Runs a .cu file, an executable, or with `launch` a kernel of a .cu or .ptx file, and counts.

    `options` are those of `bankrun run`: ("--blocks", "auto"), ("-Iinclude", "-DN=64"). The program's output and exit
    status are in the profile's `program`. ProgramError: it could not be compiled or run; TimeoutError.
    """
    return _start("run", file, arguments, options, launch, arch, timeout, cwd, env)


def check(file: Path, *arguments: object, checks: Sequence[str] = (), options: Sequence[str] = (),
          launch: Optional[str] = None, arch: _run.Arch = None, timeout: _run.Seconds = None,
          cwd: Optional[Path] = None, env: Optional[Mapping[str, str]] = None) -> Profile:
    """Runs it and looks for defects that its results do not show: `findings` of the profile, which has no counts.

    `checks`: some of "race", "init", "sync", "memory"; none: all of them.
    """
    check_bits(checks)
    chosen = ["--check", ",".join(checks)] if checks else []
    return _start("check", file, arguments, [*chosen, *options], launch, arch, timeout, cwd, env)


@dataclass(frozen=True)
class Fix:
    """What `bankrun fix` did. `data` is all that it says (docs/fix.md)."""

    diff: str  # of the edits that were tried and hold; "": there are none
    is_cured: bool  # no conflict is left that a layout cures
    arrays: Tuple[Dict[str, Any], ...]
    edits: Tuple[Dict[str, Any], ...]
    data: Dict[str, Any]


def fix(file: Path, *arguments: object, write: bool = False, prefer: Optional[str] = None, checks: bool = True,
        options: Sequence[str] = (), arch: _run.Arch = None, timeout: _run.Seconds = None,
        cwd: Optional[Path] = None) -> Fix:
    """Edits a .cu file so that its bank conflicts go, and tries the edits on these arguments. With `write` the file is
    changed; else the diff alone is made."""
    words: List[str] = ["fix", *_run.arch_options(arch), *options]
    words += ["--write"] if write else []
    words += ["--prefer", prefer] if prefer else []
    words += [] if checks else ["--no-check"]
    words += ["--", os.fspath(file), *(str(argument) for argument in arguments)]
    data, done = _run.answer(words, (0, 1), timeout, None if cwd is None else os.fspath(cwd))
    return Fix(data.get("diff") or "", done.status == 0, tuple(data.get("arrays", ())),
               tuple(data.get("edits", ())), data)


@dataclass(frozen=True)
class Diff:
    """What changed between two profiles (docs/diff.md). `data` is the schema bankrun-diff/1."""

    worse: int  # lines
    better: int
    new: int
    gone: int
    same: int
    lines: Tuple[Dict[str, Any], ...]
    data: Dict[str, Any]


def diff(old: Union[Path, Profile], new: Union[Path, Profile], timeout: _run.Seconds = None) -> Diff:
    """What became worse between two profiles, and what better, line by line."""
    with _run.Folder() as first, _run.Folder() as second:
        words = ["diff", _saved(old, first), _saved(new, second)]
        data, _ = _run.answer(words, (0,), timeout)
    counts = data["counts"]
    return Diff(counts["worse"], counts["better"], counts["new"], counts["gone"], counts["same"],
                tuple(data["lines"]), data)


def _saved(profile: Union[Path, Profile], path: str) -> str:
    if not isinstance(profile, Profile):
        return os.path.abspath(os.fspath(profile))
    profile.save(path)
    return path
