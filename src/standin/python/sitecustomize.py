"""What bankrun asks of Python packages that no variable can ask of them. Python imports this as it starts, in processes under bankrun.

numba: line information. Without it the PTX of a kernel names no line; with it its code is the same. What is linked with a
kernel is linked as PTX then: numba's intermediate code with lines cannot be linked with that of NVRTC (numba-cuda 0.30).

cuda.bindings: the functions that its other modules call through the table of cuda.bindings.cyruntime are those of bankrun's
CUDA runtime, in place of the static one in that module.

CuTe DSL: it is told to keep its PTX, and does not warn that nothing is taken from its cache then.

ctypes: find_library asks ldconfig and compilers, which know nothing of bankrun's libraries; on a machine with a GPU they know of them.
"""

import ctypes
import functools
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__))


def _with_lines(jit):
    """numba.cuda.jit with lineinfo=True, where the program says nothing else."""
    positions = list(inspect.signature(jit).parameters)
    if "lineinfo" not in positions or "debug" not in positions:
        return jit
    place = positions.index("lineinfo")

    @functools.wraps(jit)
    def with_lines(*args, **kwargs):
        debug = kwargs.get("debug", args[positions.index("debug")] if len(args) > positions.index("debug") else None)
        is_debug = debug or os.environ.get("NUMBA_CUDA_DEBUGINFO", "0").strip("0 ")
        if len(args) <= place and not is_debug and not kwargs.get("lto"):
            if kwargs.setdefault("lineinfo", True) and "lto" in positions:
                kwargs["lto"] = False
        return jit(*args, **kwargs)

    return with_lines


def _numba_decorators(module):
    module.jit = _with_lines(module.jit)


def _bindings_runtime(module):
    """Cython modules find each other's functions in such tables: capsules, each named by its function's type."""
    major = getattr(sys.modules.get("cuda.bindings"), "__version__", "13").partition(".")[0]
    try:
        runtime = ctypes.CDLL(f"libcudart.so.{major}")
    except OSError:
        return
    api = ctypes.pythonapi
    name_of, put = api.PyCapsule_GetName, api.PyCapsule_SetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    put.restype, put.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_void_p]
    for name, capsule in getattr(module, "__pyx_capi__", {}).items():
        if name.startswith("cuda") and hasattr(runtime, name) and b"(" in (name_of(capsule) or b""):
            put(capsule, ctypes.cast(getattr(runtime, name), ctypes.c_void_p))


def _cute_dsl(_module):
    warnings.filterwarnings("ignore", message="Cache is disabled as user wants to generate PTX")


def _own_libraries(module):
    find, own = module.find_library, {"cuda": "libcuda.so.1", "cudart": "libcudart.so.13", "nvidia-ml": "libnvidia-ml.so.1"}

    @functools.wraps(find)
    def find_library(name):
        return own.get(name) or find(name)

    module.find_library = find_library


_CHANGES = {"numba.cuda.decorators": _numba_decorators, "numba_cuda.numba.cuda.decorators": _numba_decorators,
            "cuda.bindings.cyruntime": _bindings_runtime, "cutlass.base_dsl.dsl": _cute_dsl, "ctypes.util": _own_libraries}


class _Finder:
    """Changes some modules once they are imported. All others, and how these are found, are left alone."""

    def __init__(self):
        self.busy = set()

    def find_spec(self, name, path=None, target=None):
        if name not in _CHANGES or name in self.busy:
            return None
        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec and hasattr(spec.loader, "exec_module"):
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                _CHANGES[name](module)

            spec.loader.exec_module = exec_module
        return spec


def _run_the_next():
    """The sitecustomize that would have been imported without this one."""
    paths = [path for path in sys.path if os.path.abspath(path or os.getcwd()) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.meta_path.insert(0, _Finder())
_run_the_next()
