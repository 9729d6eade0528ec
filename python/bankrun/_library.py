"""The C library by ctypes: bankrun/bankrun.h and bankrun/banks.h, as far as this package uses them.

The structures are those of the headers, field by field; tests/python/structs.py holds them to a C compiler's.
"""

from __future__ import annotations

import ctypes as c
import os
from typing import Any

from bankrun._places import native_folder
from bankrun.errors import BY_CODE, Error

FILE_NAME = "libbankrun.so.0"
LANES, DEGREES, PLACES = 32, 65, 3
Dim = c.c_uint32 * 3


class Request(c.Structure):
    _fields_ = [("access", c.c_int), ("width", c.c_uint), ("matrices", c.c_uint),
                ("mask", c.c_uint32), ("offsets", c.POINTER(c.c_uint32))]


class Cost(c.Structure):
    _fields_ = [("wavefronts", c.c_uint32), ("min", c.c_uint32), ("max", c.c_uint32),
                ("ideal", c.c_uint32), ("degree", c.c_uint32), ("phases", c.c_uint32),
                ("certainty", c.c_int)]


class Config(c.Structure):
    _fields_ = [("arch", c.c_uint), ("threads", c.c_uint), ("max_instructions", c.c_uint64),
                ("memory_bytes", c.c_uint64), ("sample_blocks", c.c_uint64), ("output", c.c_void_p),
                ("lets_pass", c.c_bool), ("tracks_undefined", c.c_bool)]


class Kernel(c.Structure):
    _fields_ = [("symbol", c.c_char_p), ("parameters", c.c_size_t), ("max_threads", c.c_uint32)]


class Bytes(c.Structure):
    _fields_ = [("data", c.c_void_p), ("count", c.c_size_t)]


class Value(c.Union):
    _fields_ = [("memory", c.c_void_p), ("s32", c.c_int32), ("u32", c.c_uint32), ("s64", c.c_int64),
                ("u64", c.c_uint64), ("f32", c.c_float), ("f64", c.c_double), ("bytes", Bytes)]


class Argument(c.Structure):
    _fields_ = [("kind", c.c_int), ("value", Value)]


class Launch(c.Structure):
    _fields_ = [("kernel", c.c_char_p), ("grid", Dim), ("block", Dim), ("cluster", Dim),
                ("shared_bytes", c.c_uint32), ("is_cooperative", c.c_bool),
                ("stack_bytes", c.c_uint64), ("arguments", c.POINTER(Argument)),
                ("argument_count", c.c_size_t), ("observers", c.c_void_p),
                ("observer_count", c.c_size_t), ("profile", c.c_void_p)]


class Result(c.Structure):
    _fields_ = [("blocks_run", c.c_uint64), ("instructions", c.c_uint64),
                ("thread_instructions", c.c_uint64), ("fault", c.c_int), ("block", Dim),
                ("thread", Dim), ("address", c.c_uint64), ("file", c.c_char_p),
                ("line", c.c_uint32), ("passed", c.c_uint64)]


class Counts(c.Structure):
    _fields_ = [("requests", c.c_uint64), ("units", c.c_uint64), ("ideal", c.c_uint64)]


class RecordedLaunch(c.Structure):
    _fields_ = [("index", c.c_uint32), ("repeats", c.c_uint64), ("kernel", c.c_char_p),
                ("symbol", c.c_char_p), ("grid", Dim), ("block", Dim), ("shared_bytes", c.c_uint64),
                ("blocks_run", c.c_uint64), ("instructions", c.c_uint64),
                ("thread_instructions", c.c_uint64), ("fault", c.c_char_p), ("is_sample", c.c_bool),
                ("shared", Counts), ("global_", Counts), ("sites", c.c_size_t),
                ("findings", c.c_size_t)]


class Frame(c.Structure):
    _fields_ = [("file", c.c_char_p), ("line", c.c_uint32), ("function", c.c_char_p)]


class RecordedSite(c.Structure):
    _fields_ = [("space", c.c_int), ("operation", c.c_char_p), ("instruction", c.c_char_p),
                ("file", c.c_char_p), ("line", c.c_uint32), ("column", c.c_uint32),
                ("function", c.c_char_p), ("inlined_at", c.POINTER(Frame)),
                ("inlined_count", c.c_size_t), ("array", c.c_char_p), ("width", c.c_uint),
                ("counts", Counts), ("is_estimate", c.c_bool), ("degrees", c.POINTER(c.c_uint64)),
                ("worst_degree", c.c_uint32), ("worst_block", Dim), ("worst_warp", c.c_uint32),
                ("worst_mask", c.c_uint32), ("worst_offsets", c.POINTER(c.c_uint32)),
                ("why", c.c_char_p), ("help", c.c_char_p), ("proof", c.c_char_p)]


class RefusedLaunch(c.Structure):
    _fields_ = [("after", c.c_uint64), ("repeats", c.c_uint64), ("kernel", c.c_char_p),
                ("symbol", c.c_char_p), ("grid", Dim), ("block", Dim), ("cluster", Dim),
                ("shared_bytes", c.c_uint64), ("error", c.c_char_p), ("reasons", c.c_size_t)]


class RefusalReason(c.Structure):
    _fields_ = [("limit", c.c_char_p), ("asked", c.c_uint64), ("most", c.c_uint64),
                ("text", c.c_char_p), ("cure", c.c_char_p)]


class Gap(c.Structure):
    _fields_ = [("kind", c.c_int), ("text", c.c_char_p), ("count", c.c_uint64)]


class Place(c.Structure):
    _fields_ = [("role", c.c_char_p), ("file", c.c_char_p), ("line", c.c_uint32),
                ("column", c.c_uint32), ("function", c.c_char_p), ("instruction", c.c_char_p),
                ("has_thread", c.c_bool), ("block", Dim), ("thread", Dim)]


class Finding(c.Structure):
    _fields_ = [("check", c.c_char_p), ("kind", c.c_char_p), ("message", c.c_char_p),
                ("object", c.c_char_p), ("help", c.c_char_p), ("is_note", c.c_bool),
                ("count", c.c_uint64), ("places", Place * PLACES), ("place_count", c.c_size_t)]


# The structures by their names in the headers.
STRUCTS: dict[str, type[c.Structure]] = {
    "bankrun_request": Request, "bankrun_cost": Cost, "bankrun_config": Config,
    "bankrun_kernel": Kernel, "bankrun_argument": Argument, "bankrun_launch": Launch,
    "bankrun_result": Result, "bankrun_counts": Counts, "bankrun_recorded_launch": RecordedLaunch,
    "bankrun_frame": Frame, "bankrun_recorded_site": RecordedSite,
    "bankrun_refused_launch": RefusedLaunch, "bankrun_refusal_reason": RefusalReason,
    "bankrun_gap": Gap, "bankrun_place": Place, "bankrun_finding": Finding,
}

_P, _S, _N = c.c_void_p, c.c_char_p, c.c_size_t
_MESSAGE = c.POINTER(c.c_void_p)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "bankrun_version": (_S, []),
    "bankrun_error_text": (_S, [c.c_int]),
    "bankrun_count": (c.c_int, [c.c_uint, c.POINTER(Request), c.POINTER(Cost)]),
    "bankrun_status_text": (_S, [c.c_int]),
    "bankrun_certainty_text": (_S, [c.c_int]),
    "bankrun_access_text": (_S, [c.c_int]),
    "bankrun_architectures": (c.POINTER(c.c_uint), []),
    "bankrun_open": (_P, [c.POINTER(Config), _MESSAGE]),
    "bankrun_close": (None, [_P]),
    "bankrun_interrupt": (None, [_P]),
    "bankrun_alloc": (_P, [_P, _N]),
    "bankrun_free": (c.c_bool, [_P, _P]),
    "bankrun_load": (c.c_int, [_P, _S, _S, _N, c.POINTER(_P), _MESSAGE]),
    "bankrun_kernel": (c.c_bool, [_P, _N, c.POINTER(Kernel)]),
    "bankrun_launch": (c.c_int, [_P, c.POINTER(Launch), c.POINTER(Result), _MESSAGE]),
    "bankrun_profile_create": (_P, [c.c_uint, _S]),
    "bankrun_profile_load": (_P, [_S, _MESSAGE]),
    "bankrun_profile_free": (None, [_P]),
    "bankrun_profile_excess": (c.c_uint64, [_P]),
    "bankrun_profile_has_failed": (c.c_bool, [_P]),
    "bankrun_profile_check": (c.c_bool, [_P, c.c_uint, c.c_bool]),
    "bankrun_profile_launch": (c.c_bool, [_P, _N, c.POINTER(RecordedLaunch)]),
    "bankrun_profile_site": (c.c_bool, [_P, _N, _N, c.POINTER(RecordedSite)]),
    "bankrun_profile_refused": (c.c_bool, [_P, _N, c.POINTER(RefusedLaunch)]),
    "bankrun_profile_reason": (c.c_bool, [_P, _N, _N, c.POINTER(RefusalReason)]),
    "bankrun_profile_gap": (c.c_bool, [_P, _N, c.POINTER(Gap)]),
    "bankrun_profile_finding": (c.c_bool, [_P, _N, _N, c.POINTER(Finding)]),
    "bankrun_profile_save": (c.c_int, [_P, _S, _MESSAGE]),
}

_c_library: c.CDLL | None = None


def library() -> c.CDLL:
    """The library, loaded at its first use."""
    global _c_library
    if _c_library is None:
        path = os.path.join(native_folder(), FILE_NAME)
        try:
            loaded = c.CDLL(path)
        except OSError as error:
            raise Error(f"bankrun's library cannot be loaded: {error}") from None
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        _c_library = loaded
    return _c_library


def text(value: bytes | None) -> str | None:
    """A string of the library. What a program or a path gave may be no UTF-8."""
    return None if value is None else value.decode("utf-8", "replace")


def told(value: bytes | None) -> str:
    return text(value) or ""


class Message:
    """Where a function puts its message, which is ours to free."""

    def __init__(self) -> None:
        self._pointer = c.c_void_p()

    @property
    def slot(self) -> Any:
        return c.byref(self._pointer)

    def take_over(self, pointer: int | None) -> None:
        """What another library's function returned, to be freed likewise."""
        self._pointer = c.c_void_p(pointer)

    def take(self) -> str:
        if not self._pointer.value:
            return ""
        words = told(c.cast(self._pointer, c.c_char_p).value)
        free = c.CDLL(None).free
        free.argtypes, free.restype = [c.c_void_p], None
        free(self._pointer)
        self._pointer = c.c_void_p()
        return words


def error_of(code: int, message: Message) -> Error:
    return BY_CODE.get(code, Error)(message.take() or told(library().bankrun_error_text(code)))


def check(code: int, message: Message) -> None:
    if code:
        raise error_of(code, message)
