"""What bankrun asks of Python packages that no variable can ask of them. Python imports this as it starts, in processes under bankrun.

numba: line information. Without it the PTX of a kernel names no line; with it its code is the same. What is linked with a
kernel is linked as PTX then: numba's intermediate code with lines cannot be linked with that of NVRTC (numba-cuda 0.30).
"""

import functools
import importlib.machinery
import importlib.util
import inspect
import os
import sys

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


_CHANGES = {"numba.cuda.decorators": _numba_decorators, "numba_cuda.numba.cuda.decorators": _numba_decorators}


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
