"""Libraries that exist only as machine code, and that a program loads while it runs: it gets a handle of them, and whatever goes
beyond is refused by name. The libraries here are a few lines of C under the names of cuDNN's and cuBLAS's functions. And what the
environment tells XLA."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# Every call of these would be wrong.
LIBRARY = """
#include <stdlib.h>
int cudnnCreate(void **h) { (void)h; return 1001; }
int cudnnDestroy(void *h) { (void)h; abort(); }
int cudnnSetStream(void *h, void *s) { (void)h, (void)s; abort(); }
int cudnnGetStream(void *h, void **s) { (void)h, (void)s; abort(); }
int cudnnConvolutionForward(void *h) { (void)h; abort(); }
int cudnnAddTensor(void *h) { (void)h; abort(); }
long cudnnGetVersion(void) { return 92800; }
int cublasCreate_v2(void **h) { (void)h; return 1; }
int cublasGetVersion_v2(void *h, int *v) { (void)h; *v = 120903; return 0; }
int cublasSgemm_v2(void *h) { (void)h; abort(); }
int cublasLtMatmulDescCreate(void **d) { (void)d; abort(); }
int cudaq(void) { return 7; }
"""

START = """
import ctypes, sys
late = ctypes.CDLL(sys.argv[1])
handle, stream, version = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
"""


def cannot_compile():
    return subprocess.run(["cc", "--version"], check=False, capture_output=True).returncode != 0


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_script(self, script, *arguments, options=(), **variables):
        out = os.path.join(self.folder, "run.json")
        done = subprocess.run([BANKRUN, "--no-cache", *options, "--format", "json", "-o", out, sys.executable, "-c", script, *arguments],
                              check=False, capture_output=True, text=True, env={**os.environ, **variables})
        notes = ""
        if os.path.exists(out):
            with open(out, encoding="utf-8") as file:
                notes = str(json.load(file).get("incomplete", ""))
        return done, notes


@unittest.skipIf(cannot_compile(), "no C compiler")
class Late(Case):
    def run_late(self, script):
        path = os.path.join(self.folder, "liblate.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=LIBRARY, text=True, check=True,
                       env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})
        return self.run_script(START + script, path)

    def test_handles(self):
        """Nobody is refused who only has a handle made, and asks for versions."""
        done, notes = self.run_late("print(late.cudnnCreate(ctypes.byref(handle)), bool(handle), late.cudnnSetStream(handle, 64),"
                                    " late.cudnnGetStream(handle, ctypes.byref(stream)), stream.value, late.cudnnDestroy(handle),"
                                    " late.cudnnGetVersion(), late.cudnnCreate(None), late.cudnnSetStream(None, 64))\n"
                                    "print(late.cublasCreate_v2(ctypes.byref(handle)), late.cublasGetVersion_v2(None, ctypes.byref(version)),"
                                    " version.value, late.cublasLtMatmulDescCreate(ctypes.byref(stream)), late.cudaq())")
        self.assertEqual(done.stdout, "0 True 0 0 64 0 92800 2000 2000\n0 0 120903 15 7\n", done.stderr)
        self.assertEqual(notes, "")
        self.assertNotIn("machine code", done.stderr)

    def test_refused(self):
        """Looking for a function is not calling it; a call is refused each time, and named once."""
        done, notes = self.run_late("late.cudnnAddTensor\nlate.cudnnCreate(ctypes.byref(handle))\n"
                                    "print(late.cudnnConvolutionForward(handle), late.cudnnConvolutionForward(handle), late.cublasSgemm_v2(handle))")
        self.assertEqual(done.stdout, "3000 3000 15\n", done.stderr)
        self.assertEqual(done.stderr.count("bankrun: cudnnConvolutionForward: cuDNN exists only as machine code"), 1, done.stderr)
        self.assertIn("cublasSgemm_v2: cuBLAS exists only as machine code, which bankrun does not run: the call fails "
                      "(bankrun --libraries cpu has it computed by OpenBLAS)", done.stderr)
        self.assertNotIn("cudnnAddTensor", done.stderr + notes)

    def test_missing(self):
        """What the library does not have is not there."""
        done, _ = self.run_late("print(hasattr(late, 'cudnnNever'), hasattr(late, 'cublasNever'), hasattr(late, 'cudnnCreate'))")
        self.assertEqual(done.stdout, "False False True\n", done.stderr)


class Flags(Case):
    def told(self, **variables):
        done, _ = self.run_script("import os; print(*os.environ['XLA_FLAGS'].split()); print(os.environ.get('JAX_COMPILATION_CACHE_DIR'))", **variables)
        flags, cache = done.stdout.splitlines()
        return flags.split(), cache

    def test_flags(self):
        """The user's own stay: those that he may set otherwise stand before his, those that are needed behind."""
        ours, needed = "--xla_gpu_autotune_level=0", "--xla_gpu_generate_line_info=true"
        self.assertEqual(self.told(XLA_FLAGS="")[0], [ours, needed])
        self.assertEqual(self.told(XLA_FLAGS=" --xla_dump_to=/x --xla_gpu_autotune_level=4")[0],
                         [ours, "--xla_dump_to=/x", "--xla_gpu_autotune_level=4", needed])
        path = os.path.join(self.folder, "flags")
        with open(path, "w", encoding="utf-8") as file:
            file.write("--xla_a=1\n--xla_b=2\n")
        self.assertEqual(self.told(XLA_FLAGS=path)[0], [ours, "--xla_a=1", "--xla_b=2", needed])
        self.assertEqual(self.told(XLA_FLAGS=path + "-none")[0], [path + "-none"])  # XLA says that it is not there

    def test_cache(self):
        """A cache that the user has set is not taken, and none is made where he has not."""
        self.assertEqual(self.told()[1], os.environ.get("JAX_COMPILATION_CACHE_DIR", "None"))
        self.assertRegex(self.told(JAX_COMPILATION_CACHE_DIR="/mine")[1], "^/.*/packages/jax$")


if __name__ == "__main__":
    unittest.main()
