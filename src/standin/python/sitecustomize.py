"""What bankrun asks of Python packages that no variable can ask of them. Python imports this as it starts, in processes under bankrun.

numba: line information. Without it the PTX of a kernel names no line; with it its code is the same. Intermediate code with lines
is made such that it can be linked with that of NVRTC (numba-cuda 0.30), where a kernel asks for LTO.

cuda.bindings: the functions that its other modules call through the table of cuda.bindings.cyruntime are those of bankrun's
CUDA runtime, in place of the static one in that module.

CuTe DSL: it is told to keep its PTX, and does not warn that nothing is taken from its cache then.

JAX: its Pallas kernels by Triton are compiled for devices whose names it knows, or that begin as NVIDIA's do.

ctypes: find_library asks ldconfig and compilers, which know nothing of bankrun's libraries; on a machine with a GPU they know of them.
"""

import ctypes
import functools
import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__))


_was_said = False


def _say_without_lines(error):
    """Once: what bankrun asked of numba failed, and what the program asked for did not."""
    global _was_said
    if not _was_said and os.environ.get("BANKRUN_QUIET") != "1":
        text = " ".join(str(error).split())
        text = text if len(text) <= 200 else text[:197] + "..."
        print(f"bankrun: numba: a kernel has no lines, since these failed: {type(error).__name__}: {text}", file=sys.stderr)
    _was_said = True


def _with_lines(compile_cuda):
    """numba's compiler with lines where the program asks for neither these nor debug information. What of numba's debug
    information fails or warns is nothing that the program asked for: the function is compiled without lines then."""
    signature = inspect.signature(compile_cuda)
    if not {"lineinfo", "debug"} <= set(signature.parameters):
        return compile_cuda

    @functools.wraps(compile_cuda)
    def with_lines(*args, **kwargs):
        asked = signature.bind(*args, **kwargs).arguments
        if asked.get("lineinfo") or asked.get("debug"):
            return compile_cuda(*args, **kwargs)
        more = inspect.BoundArguments(signature, dict(asked, lineinfo=True))
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Could not find source for function")
                return compile_cuda(*more.args, **more.kwargs)
        except Exception as error:
            failed = error
        compiled = compile_cuda(*args, **kwargs)  # of the program's own errors the traceback is this one
        _say_without_lines(failed)
        return compiled

    return with_lines


def _numba_decorators(module):
    """What is linked with a kernel is linked as PTX, whatever it is, unless the kernel asks for LTO."""
    jit = module.jit
    positions = list(inspect.signature(jit).parameters)
    if "lto" not in positions:
        return

    @functools.wraps(jit)
    def by_ptx(*args, **kwargs):
        if len(args) <= positions.index("lto") and kwargs.get("lto") is None:
            kwargs["lto"] = False
        return jit(*args, **kwargs)

    module.jit = by_ptx


def _numba_dispatcher(module):
    module.compile_cuda = _with_lines(module.compile_cuda)


_lines_are_left_out = False  # of intermediate code


def _linkable(text):
    """Intermediate code with lines says which version of debug information it has, and that another module may not say so in
    another way (2, a warning), which NVRTC's does; 4 is: whatever another says. Lines need no variables."""
    kept = "\n".join(line for line in text.splitlines() if not re.search(r"call void @\"?llvm\.dbg\.", line))
    if _lines_are_left_out:
        return re.sub(r",? !dbg !\d+|^!llvm\.dbg\.cu .*", "", kept, flags=re.MULTILINE)
    return kept.replace('i32 2, !"Debug Info Version"', 'i32 4, !"Debug Info Version"')


def _numba_nvvm(module):
    compile_ir = module.compile_ir

    @functools.wraps(compile_ir)
    def linkable(code, **options):
        if "gen-lto" in options or "gen_lto" in options:
            code = [_linkable(text) for text in ([code] if isinstance(code, str) else code)]
        return compile_ir(code, **options)

    module.compile_ir = linkable


def _with_lto(get_lto_ptx):
    """That a kernel is not linked as intermediate code is bankrun's wish; who asks what it would be is told."""

    @functools.wraps(get_lto_ptx)
    def with_lto(self, cc=None):
        was, self._lto = self._lto, True
        try:
            return get_lto_ptx(self, cc=cc)
        finally:
            self._lto = was

    return with_lto


def _numba_codegen(module):
    """What nvJitLink does not link as intermediate code with lines is linked as PTX, and without lines where that cannot be, either.
    What is cached is PTX: it is told apart from what a GPU's driver was given, in whichever folder."""
    get_cubin, magic_tuple = module.CUDACodeLibrary.get_cubin, module.JITCUDACodegen.magic_tuple

    @functools.wraps(get_cubin)
    def with_lines(self, cc=None):
        global _lines_are_left_out
        try:
            return get_cubin(self, cc=cc)
        except Exception:
            if not getattr(self, "_lto", False):
                raise
        self._lto = False
        try:
            return get_cubin(self, cc=cc)
        except Exception as error:
            failed = error  # this way is not the program's
        finally:
            self._lto = True
        self._ltoir_cache.clear()
        _lines_are_left_out = True
        try:
            linked = get_cubin(self, cc=cc)
        finally:
            _lines_are_left_out = False
        _say_without_lines(failed)
        return linked

    module.CUDACodeLibrary.get_cubin = with_lines
    if hasattr(module.CUDACodeLibrary, "get_lto_ptx"):
        module.CUDACodeLibrary.get_lto_ptx = _with_lto(module.CUDACodeLibrary.get_lto_ptx)
    module.JITCUDACodegen.magic_tuple = lambda self: (*magic_tuple(self), "bankrun")


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


def _pallas_devices(module):
    """JAX 0.12 looks a device up by its name; there is a registry for what is not in its own list."""
    arch = "".join(filter(str.isdigit, os.environ.get("BANKRUN_ARCH", "sm_90")))
    if hasattr(module, "registry") and hasattr(module, "GpuInfo"):
        module.registry[f"bankrun sm_{arch} (simulated)"] = lambda: module.GpuInfo(
            gpu_version=None, arch_name=f"{arch[:-1]}.{arch[-1]}", compute_capability=int(arch))


def _own_libraries(module):
    find, own = module.find_library, {"cuda": "libcuda.so.1", "cudart": "libcudart.so.13", "nvidia-ml": "libnvidia-ml.so.1"}

    @functools.wraps(find)
    def find_library(name):
        return own.get(name) or find(name)

    module.find_library = find_library


_CHANGES = {"numba.cuda.decorators": _numba_decorators, "numba_cuda.numba.cuda.decorators": _numba_decorators,
            "numba.cuda.dispatcher": _numba_dispatcher, "numba_cuda.numba.cuda.dispatcher": _numba_dispatcher,
            "numba.cuda.cudadrv.nvvm": _numba_nvvm, "numba_cuda.numba.cuda.cudadrv.nvvm": _numba_nvvm,
            "numba.cuda.codegen": _numba_codegen, "numba_cuda.numba.cuda.codegen": _numba_codegen,
            "cuda.bindings.cyruntime": _bindings_runtime, "cutlass.base_dsl.dsl": _cute_dsl, "ctypes.util": _own_libraries,
            "jax._src.pallas.triton.gpu_info": _pallas_devices}


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
