"""What numba is asked for under bankrun, by the sitecustomize of its processes: lines, and what becomes of these where numba's own debug
information fails, or where nvJitLink does not link them. numba here is a package of a few lines that says what it was asked. Also what
JAX is told of the device."""

import os
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

DISPATCHER = """
import warnings
asked, failing, warning = [], False, None
def compile_cuda(function, result, args, debug=False, lineinfo=False, lto=False):
    asked.append((function, args, debug, lineinfo))
    if failing is True or (failing == "lines" and lineinfo):
        raise ZeroDivisionError(f"lineinfo={lineinfo}")
    if lineinfo:
        warnings.warn("Could not find source for function: f. Debug line information may be inaccurate.")
    if warning:
        warnings.warn(warning)
    return "code"
"""

DECORATORS = """
asked = []
def jit(function=None, device=False, debug=None, lineinfo=False, lto=None):
    asked.append(lto)
"""

NVVM = """
given = []
def compile_ir(code, **options):
    given.append(code)
    return b"code"
"""

# A library links where `links` says so: with intermediate code, and with lines in it.
CODEGEN = """
from numba.cuda.cudadrv import nvvm
IR = '''call void @"llvm.dbg.value"(metadata i32 1, metadata !3, metadata !4), !dbg !2
%".2" = add i32 1, 2, !dbg !2
define void @f() !dbg !1 {
!llvm.dbg.cu = !{ !0 }
!33 = !{ i32 2, !"Debug Info Version", i32 3 }'''
class CUDACodeLibrary:
    def __init__(self, lto, links):
        self._lto, self.links, self.tried, self._ltoir_cache = lto, links, [], {}
    def get_cubin(self, cc=None):
        if self._lto and cc not in self._ltoir_cache:
            nvvm.compile_ir([IR], **{"gen-lto": None})
            self._ltoir_cache[cc] = nvvm.given[-1][0]
        has_lines = not self._lto or "!dbg" in self._ltoir_cache[cc]
        self.tried.append((self._lto, has_lines))
        if (self._lto, has_lines) not in self.links:
            raise RuntimeError(f"does not link: {self.tried[-1]}")
        return "cubin"
    def get_lto_ptx(self, cc=None):
        if not self._lto or cc is None:
            raise RuntimeError("LTO is not enabled")
        return "ptx"
class JITCUDACodegen:
    def magic_tuple(self):
        return ((13, 0), (9, 0))
"""

# Of all that a script may use of it.
HEAD = """
import warnings
import numba.cuda.dispatcher as dispatcher, numba.cuda.codegen as codegen, numba.cuda.cudadrv.nvvm as nvvm
warnings.simplefilter("error")
def link(lto, *links):
    library = codegen.CUDACodeLibrary(lto, links)
    try:
        print(library.get_cubin(cc=90))
    except RuntimeError as error:
        print(error, error.__context__)
    print(library.tried, library._lto)
"""


class Numba(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(f"{self.folder}/numba/cuda/cudadrv")
        for name, text in (("__init__", ""), ("cuda/__init__", ""), ("cuda/cudadrv/__init__", ""), ("cuda/dispatcher", DISPATCHER),
                           ("cuda/decorators", DECORATORS), ("cuda/cudadrv/nvvm", NVVM), ("cuda/codegen", CODEGEN)):
            self.write(f"numba/{name}.py", text)

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        return f"{self.folder}/{name}"

    def said(self, script, *options):
        """The lines that a script says under bankrun."""
        done = subprocess.run([BANKRUN, sys.executable, *options, self.write("script.py", HEAD + script)], check=False,
                              capture_output=True, text=True, cwd=self.folder)
        self.assertNotIn("Traceback", done.stderr)
        self.told = [line for line in done.stderr.splitlines() if "a kernel has no lines" in line]
        return done.stdout.splitlines()

    def test_lines_are_asked_for(self):
        said = self.said("""
for options in ({}, {"debug": True}, {"lineinfo": True}):
    print(dispatcher.compile_cuda("f", None, (), **options) if "lineinfo" not in options else "")
print(dispatcher.asked)
""")
        self.assertEqual(said, ["code", "code", "", "[('f', (), False, True), ('f', (), True, False)]"])

    def test_without_sitecustomize_nothing_is_asked_for(self):
        said = self.said("print(dispatcher.compile_cuda('f', None, ()), dispatcher.asked)\n", "-E", "-c",
                         "import sys; sys.path.insert(0, '.'); exec(open(sys.argv[1]).read())")
        self.assertEqual(said, ["code [('f', (), False, False)]"])

    def test_lto_is_for_who_asks_for_it(self):
        said = self.said("""
import numba.cuda.decorators as decorators
for options in ({}, {"lto": None}, {"lto": True}, {"lto": False}):
    decorators.jit("f", **options)
decorators.jit("f", False, None, False, True)
print(decorators.asked)
""")
        self.assertEqual(said, ["[False, False, True, False, True]"])

    def test_what_lto_would_be_is_told(self):
        said = self.said("""
for lto in (False, True):
    library = codegen.CUDACodeLibrary(lto, [])
    print(library.get_lto_ptx(cc=90), library._lto)
    try:
        library.get_lto_ptx()
    except RuntimeError as error:
        print(error, library._lto)
""")
        self.assertEqual(said, ["ptx False", "LTO is not enabled False", "ptx True", "LTO is not enabled True"])

    def test_functions_without_lines_where_debug_information_fails(self):
        said = self.said("""
dispatcher.failing = "lines"
for _ in range(2):
    print(dispatcher.compile_cuda("f", None, ()))
print([lineinfo for *_, lineinfo in dispatcher.asked])
""")
        self.assertEqual(said, ["code", "code", "[True, False, True, False]"])
        self.assertEqual(self.told, ["bankrun: numba: a kernel has no lines, since these failed: ZeroDivisionError: lineinfo=True"])

    def test_warnings_of_the_program_stay(self):
        said = self.said("""
warnings.simplefilter("always")
dispatcher.warning = "mine"
with warnings.catch_warnings(record=True) as caught:
    dispatcher.compile_cuda("f", None, ())
print([str(warning.message) for warning in caught])
with warnings.catch_warnings(record=True) as caught:
    dispatcher.compile_cuda("f", None, (), lineinfo=True)
print([str(warning.message).partition(":")[0] for warning in caught])
""")
        self.assertEqual(said, ["['mine']", "['Could not find source for function', 'mine']"])

    def test_errors_of_the_program_are_its_own(self):
        said = self.said("""
dispatcher.failing = True
try:
    dispatcher.compile_cuda("f", None, ())
except ZeroDivisionError as error:
    print(error, error.__context__)
""")
        self.assertEqual(said, ["lineinfo=False None"])
        self.assertEqual(self.told, [])

    def test_intermediate_code_with_lines_can_be_linked_with_other(self):
        said = self.said("""
link(True, (True, True))
print(nvvm.given[-1][0])
nvvm.compile_ir(codegen.IR)
print(nvvm.given[-1] == codegen.IR)
""")
        self.assertEqual(said, ["cubin", "[(True, True)] True", '%".2" = add i32 1, 2, !dbg !2', "define void @f() !dbg !1 {",
                                "!llvm.dbg.cu = !{ !0 }", '!33 = !{ i32 4, !"Debug Info Version", i32 3 }', "True"])

    def test_what_does_not_link_as_intermediate_code_is_linked_as_ptx(self):
        self.assertEqual(self.said("link(True, (False, True))\n"), ["cubin", "[(True, True), (False, True)] True"])
        self.assertEqual(self.told, [])

    def test_what_links_with_no_lines_has_none(self):
        said = self.said("""
link(True, (True, False))
print(nvvm.given[-1][0].split())
link(True, (True, True))
""")
        self.assertEqual(said[:2], ["cubin", "[(True, True), (False, True), (True, False)] True"])
        self.assertFalse([word for word in said[2].split() if "dbg" in word])
        self.assertEqual(len(self.told), 1)
        self.assertEqual(said[3:], ["cubin", "[(True, True)] True"])  # the next one has its lines

    def test_what_does_not_link_at_all_fails_as_it_does_without_bankrun(self):
        self.assertEqual(self.said("link(True)\nlink(False)\n"),
                         ["does not link: (True, False) None", "[(True, True), (False, True), (True, False)] True",
                          "does not link: (False, True) None", "[(False, True)] False"])

    def test_what_is_cached_is_told_apart_from_what_a_driver_was_given(self):
        self.assertEqual(self.said("print(codegen.JITCUDACodegen().magic_tuple())\n"), ["((13, 0), (9, 0), 'bankrun')"])


GPU_INFO = """
import dataclasses
@dataclasses.dataclass(frozen=True, kw_only=True)
class GpuInfo:
    gpu_version: object
    arch_name: str
    compute_capability: int
registry = {}
"""


class Pallas(unittest.TestCase):
    """JAX looks devices up by their names; what is no registry (JAX 0.10 has none) is left alone."""

    def said(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/jax/_src/pallas/triton")
            for name, source in (("jax/__init__", ""), ("jax/_src/__init__", ""), ("jax/_src/pallas/__init__", ""),
                                 ("jax/_src/pallas/triton/__init__", ""), ("jax/_src/pallas/triton/gpu_info", text)):
                with open(f"{folder}/{name}.py", "w", encoding="utf-8") as file:
                    file.write(source)
            with open(f"{folder}/script.py", "w", encoding="utf-8") as file:
                file.write("import jax._src.pallas.triton.gpu_info as info\n"
                           "for name, made in getattr(info, 'registry', {}).items(): print(name, made().arch_name, made().compute_capability)\n")
            done = subprocess.run([BANKRUN, *options, sys.executable, f"{folder}/script.py"], check=False, capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout

    def test_the_simulated_device_is_known(self):
        self.assertEqual(self.said(GPU_INFO), "bankrun sm_90 (simulated) 9.0 90\n")
        self.assertEqual(self.said(GPU_INFO, "--arch", "sm_100a"), "bankrun sm_100 (simulated) 10.0 100\n")

    def test_what_has_no_registry_is_left_alone(self):
        self.assertEqual(self.said(""), "")


if __name__ == "__main__":
    unittest.main()
