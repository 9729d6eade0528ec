"""What goes wrong, as exceptions. Their text is the library's or the program's own message."""

from __future__ import annotations


class Error(Exception):
    """All errors of this package."""


class CallError(Error, ValueError):
    """An argument that cannot be: an unknown architecture, a misaligned offset, a wrong option."""


class FileError(Error, OSError):
    """A file cannot be read or written: no such file, disk full."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class PtxError(Error):
    """PTX that does not parse or breaks a rule; the text has each error with its place and a caret."""


class KernelError(Error):
    """The module has no kernel of that name, or several."""


class ArgumentsError(Error, TypeError):
    """Arguments that are not what the kernel's parameters are."""


class NotSimulatedError(Error, NotImplementedError):
    """The kernel holds an instruction that bankrun cannot do."""


class RefusedError(Error):
    """Beyond a limit of the device: block too large, too much shared memory."""


class DeviceMemoryError(Error, MemoryError):
    """The device is full."""


class FaultError(Error):
    """A launch ended early; `result` says where."""

    result: object = None


class StoppedError(Error):
    """A launch was interrupted, or came to its limit of instructions."""


class ProfileError(Error, ValueError):
    """No saved profile, or one that contradicts itself."""


class ProgramError(Error):
    """The command bankrun refused its input, or could not do its work; `status` is its exit status."""

    status: int = 2


class NotCountedError(Error):
    """Nobody counts what this process launches."""


class TimeoutError(Error):  # noqa: A001 - as subprocess and asyncio name theirs
    """What was started took longer than it was allowed to, and was ended."""


# By enum bankrun_error of bankrun/bankrun.h.
BY_CODE: dict[int, type[Error]] = {
    1: CallError,
    2: FileError,
    3: PtxError,
    4: KernelError,
    5: ArgumentsError,
    6: NotSimulatedError,
    7: RefusedError,
    8: DeviceMemoryError,
    9: FaultError,
    10: StoppedError,
    11: ProfileError,
}
