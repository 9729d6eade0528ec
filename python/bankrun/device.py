"""Simulated GPUs: PTX is loaded, memory made, kernels launched, in this process."""

from __future__ import annotations

import ctypes as c
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, List, Optional, Sequence, Tuple, Type, Union

from bankrun import _library as lib
from bankrun.errors import CallError, DeviceMemoryError, FaultError
from bankrun.profile import Path, Profile
from bankrun.records import Shape

Extent = Union[int, Sequence[int]]

# Kinds of enum bankrun_argument_kind, by the field of the value.
_KINDS = {"memory": 0, "s32": 1, "u32": 2, "s64": 3, "u64": 4, "f32": 5, "f64": 6, "bytes": 7}


@dataclass(frozen=True)
class Result:
    """How a launch went."""

    blocks_run: int
    instructions: int
    thread_instructions: int
    block: Shape  # where it faulted
    thread: Shape
    address: int
    file: Optional[str]
    line: int


class Memory:
    """Memory of a device, which the host uses, too, between launches. All zeros at first."""

    def __init__(self, device: "Device", address: int, size: int) -> None:
        self._device, self.address, self.size = device, address, size

    def view(self, format: str = "B") -> memoryview:
        """The bytes, or with "f", "i", ... numbers: `memory.view("f")[3] = 1.5`. Not after the device is closed."""
        self._device._check_open()
        array: Any = (c.c_ubyte * self.size).from_address(self.address)
        array.owner = self._device  # which lives as long as the view
        view: Any = memoryview(array).cast("B")
        numbers: memoryview = view if format == "B" else view.cast(format)
        return numbers

    def __len__(self) -> int:
        return self.size


class Value:
    """An argument of a kernel with its type: `s32(3)`, `f32(0.5)`, `struct(b"...")`."""

    def __init__(self, kind: str, value: Union[int, float, bytes]) -> None:
        self.kind, self.value = kind, value


def s32(value: int) -> Value:
    return Value("s32", value)


def u32(value: int) -> Value:
    return Value("u32", value)


def s64(value: int) -> Value:
    return Value("s64", value)


def u64(value: int) -> Value:
    return Value("u64", value)


def f32(value: float) -> Value:
    return Value("f32", value)


def f64(value: float) -> Value:
    return Value("f64", value)


def struct(value: bytes) -> Value:
    return Value("bytes", value)


Argument = Union[Memory, Value, int, float]

_RANGES = {"s32": (-1 << 31, 1 << 31), "u32": (0, 1 << 32), "s64": (-1 << 63, 1 << 63), "u64": (0, 1 << 64)}


def _number(kind: str, value: Any) -> Any:
    if kind in _RANGES:
        low, high = _RANGES[kind]
        if not low <= value < high:
            raise CallError(f"{value} is no {kind}")
    return value


def _argument(given: Argument, kept: List[Any]) -> lib.Argument:
    """`kept`: what the structure points to."""
    argument = lib.Argument()
    if isinstance(given, Memory):
        given = Value("memory", given.address)
    elif isinstance(given, (int, float)):
        given = Value("s32" if isinstance(given, int) else "f32", given)
    argument.kind = _KINDS[given.kind]
    if isinstance(given.value, bytes):
        kept.append(c.create_string_buffer(given.value, len(given.value)))
        argument.value.bytes.data, argument.value.bytes.count = c.addressof(kept[-1]), len(given.value)
    else:
        setattr(argument.value, given.kind, _number(given.kind, given.value))
    return argument


def _dim(extent: Extent, least: int) -> Any:
    numbers = [extent] if isinstance(extent, int) else list(extent)
    if not 1 <= len(numbers) <= 3 or any(not least <= n < 1 << 32 for n in numbers):
        raise CallError(f"no shape: {extent}")
    return lib.Dim(*numbers)


class Module:
    """PTX on a device."""

    def __init__(self, device: "Device", pointer: int) -> None:
        self._device, self._pointer = device, pointer

    @property
    def kernels(self) -> Tuple[str, ...]:
        """Their symbols, in the order of the text."""
        self._device._check_open()
        names: List[str] = []
        kernel = lib.Kernel()
        while lib.library().bankrun_kernel(self._pointer, len(names), c.byref(kernel)):
            names.append(lib.told(kernel.symbol))
        return tuple(names)

    def launch(self, kernel: str, grid: Extent, block: Extent, *arguments: Argument, shared_bytes: int = 0,
               cluster: Optional[Extent] = None, is_cooperative: bool = False,
               profile: Optional[Profile] = None) -> Result:
        """Runs a kernel to its end and adds it to the profile. An int is an s32, a float an f32; `u64(3)` and its like
        say otherwise. Each is held against the parameter's type: ArgumentsError. FaultError has its `result`."""
        self._device._check_open()
        kept: List[Any] = []
        made = [_argument(argument, kept) for argument in arguments]
        launch = lib.Launch(kernel=kernel.encode(), grid=_dim(grid, 1), block=_dim(block, 1),
                            cluster=_dim(cluster or (0, 0, 0), 0), shared_bytes=_number("u32", shared_bytes),
                            is_cooperative=is_cooperative, arguments=(lib.Argument * len(made))(*made),
                            argument_count=len(made), profile=profile._pointer if profile else None)
        row, message = lib.Result(), lib.Message()
        code = lib.library().bankrun_launch(self._pointer, c.byref(launch), c.byref(row), message.slot)
        result = Result(row.blocks_run, row.instructions, row.thread_instructions,
                        (row.block[0], row.block[1], row.block[2]), (row.thread[0], row.thread[1], row.thread[2]),
                        row.address, lib.text(row.file), row.line)
        if code:
            error = lib.error_of(code, message)
            if isinstance(error, FaultError):
                error.result = result
            raise error
        return result


class Device:
    """A simulated GPU. Not for two threads at the same time; different devices are independent."""

    def __init__(self, arch: int = 90, *, threads: int = 0, max_instructions: int = 0, memory_bytes: int = 0,
                 sample_blocks: int = 0, tracks_undefined: bool = False) -> None:
        message = lib.Message()
        config = lib.Config(arch=_number("u32", arch), threads=_number("u32", threads),
                            max_instructions=_number("u64", max_instructions),
                            memory_bytes=_number("u64", memory_bytes),
                            sample_blocks=_number("u64", sample_blocks), tracks_undefined=tracks_undefined)
        self._pointer: Optional[int] = lib.library().bankrun_open(c.byref(config), message.slot)
        if not self._pointer:
            raise lib.error_of(1, message)

    def close(self) -> None:
        """With its modules and memory; again: nothing. Views of its memory must not be used any more."""
        if self._pointer:
            lib.library().bankrun_close(self._pointer)
            self._pointer = None

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()

    def _check_open(self) -> None:
        if not self._pointer:
            raise CallError("the device is closed")

    def load(self, ptx: Union[str, bytes], name: str = "module.ptx") -> Module:
        """A module of a PTX text. PtxError has every error with its place."""
        self._check_open()
        text, message, module = ptx.encode() if isinstance(ptx, str) else ptx, lib.Message(), c.c_void_p()
        lib.check(lib.library().bankrun_load(self._pointer, name.encode(), text, len(text), c.byref(module),
                                             message.slot), message)
        assert module.value
        return Module(self, module.value)

    def load_file(self, path: Path) -> Module:
        with open(path, "rb") as file:
            return self.load(file.read(), os.fsdecode(path))

    def alloc(self, size: int) -> Memory:
        """So many bytes."""
        self._check_open()
        if size <= 0:
            raise CallError(f"{size} bytes")
        address = lib.library().bankrun_alloc(self._pointer, size)
        if not address:
            raise DeviceMemoryError(f"the device has no room for {size} bytes")
        return Memory(self, address, size)

    def upload(self, data: Any) -> Memory:
        """Memory with a copy of anything that has bytes: bytes, an array, a numpy array."""
        bytes_view = memoryview(data).cast("B")
        memory = self.alloc(len(bytes_view))
        memory.view()[:] = bytes_view
        return memory

    def free(self, memory: Memory) -> None:
        self._check_open()
        if memory._device is not self or not lib.library().bankrun_free(self._pointer, memory.address):
            raise CallError("no memory of this device, or it is free already")
