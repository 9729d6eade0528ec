"""The command `bankrun` as a subprocess."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from bankrun._places import program
from bankrun.errors import ProgramError, TimeoutError
from bankrun.records import Program

Arch = Union[int, str, None]
Seconds = Optional[float]


def arch_options(arch: Arch) -> List[str]:
    return [] if arch is None else ["--arch", f"sm_{arch}" if isinstance(arch, int) else arch]


def shape(value: Union[int, str, Sequence[int]]) -> str:
    """256, (32, 8) and "32x8" as the command line has them."""
    if isinstance(value, (int, str)):
        return str(value)
    return "x".join(str(extent) for extent in value)


def let_options(let: Optional[Mapping[str, object]]) -> List[str]:
    words: List[str] = []
    for name, value in (let or {}).items():
        words += ["--let", f"{name}={value}"]
    return words


def ended(words: Sequence[str], timeout: Seconds = None, cwd: Optional[str] = None,
          env: Optional[Mapping[str, str]] = None) -> Program:
    """Runs it to its end, with no standard input. What takes longer than `timeout` seconds is ended, with all that it
    started: TimeoutError."""
    try:
        process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=cwd, env=None if env is None else dict(env),
                                   start_new_session=True)
    except OSError as error:
        raise failed(f"{program()} cannot be started: {error.strerror}", 127) from None
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"bankrun {words[0]} took longer than {timeout:g} seconds") from None
    finally:
        if process.poll() is None:
            _end(process)
    return Program(process.returncode if process.returncode >= 0 else 128 - process.returncode,
                   stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The process leads a group of its own, in which all that it started is."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def failed(message: str, status: int) -> ProgramError:
    error = ProgramError(message)
    error.status = status
    return error


def answer(words: Sequence[str], statuses: Iterable[int] = (0,), timeout: Seconds = None,
           cwd: Optional[str] = None) -> Tuple[Dict[str, Any], Program]:
    """The JSON that a subcommand prints. Another status than those is an error, with what stderr says."""
    done = ended([words[0], "--format", "json", *words[1:]], timeout, cwd)
    if done.status not in statuses:
        raise failed(words_of(done.stderr) or f"bankrun {words[0]}: status {done.status}", done.status)
    try:
        data = json.loads(done.stdout)
    except ValueError:
        raise failed(words_of(done.stderr) or f"bankrun {words[0]} gave no JSON", done.status) from None
    return data, done


def words_of(stderr: str) -> str:
    """Messages without the name of the command before each."""
    return "\n".join(line[9:] if line.startswith("bankrun: ") else line
                     for line in stderr.strip().splitlines())


class Folder:
    """A private folder, for the profile of one run."""

    def __enter__(self) -> str:
        self._folder = tempfile.TemporaryDirectory(prefix="bankrun-")
        return os.path.join(self._folder.name, "profile.json")

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()
