"""The stand-in for ptxas: what it takes and refuses, and that a program can load what it writes. And what Python packages are
told by the environment."""

import os
import re
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
PTXAS = os.path.join(BUILD, "standin", "ptxas")
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
GOOD = HEAD + """
.visible .entry answer(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 42;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""

# Loads images as the driver's users do: from memory and from a file, alone and linked.
LOADER = r"""
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        print(name, status)
        sys.exit(3)
how, path = sys.argv[1:]
device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
image = open(path, "rb").read()
if how == "file":
    call("cuModuleLoad", ctypes.byref(module), path.encode())
elif how == "memory":
    call("cuModuleLoadData", ctypes.byref(module), image)
else:
    link, made, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
    call("cuLinkAddData_v2", link, 0, image, ctypes.c_size_t(len(image)), b"a", 0, None, None)
    call("cuLinkComplete", link, ctypes.byref(made), ctypes.byref(size))
    call("cuModuleLoadData", ctypes.byref(module), made)
function, out, value = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int()
call("cuModuleGetFunction", ctypes.byref(function), module, b"answer")
call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(4))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
call("cuMemcpyDtoH_v2", ctypes.byref(value), out, ctypes.c_size_t(4))
print("answer", value.value)
"""


class Case(FolderCase):
    def ptxas(self, text, *options, name="k.ptx"):
        self.out = os.path.join(self.folder, "k.cubin")
        return run(PTXAS, *options, self.write(name, text), "-o", self.out)


class Ptxas(Case):
    def test_options_as_compilers_give_them(self):
        for options in (("-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_90a"),
                        ("-O3", "-arch", "sm_80", "-m", "64", "--fmad=false", "--opt-level", "1"),
                        ("-arch=sm_80", "-c", "-g", "-Werror", "-maxrregcount", "32")):
            done = self.ptxas(GOOD, *options)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertTrue(os.path.exists(self.out))
            os.remove(self.out)

    def test_it_only_checks_for_an_architecture_of_ptx(self):
        self.assertEqual(self.ptxas(GOOD, "-arch=compute_80").returncode, 0)
        self.assertFalse(os.path.exists(self.out))

    def test_version_is_of_the_ptx_that_is_known(self):
        done = run(PTXAS, "--version")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(re.search(r"release (\d+)\.(\d+), V\d", done.stdout), done.stdout)

    def test_errors_have_file_and_line_and_leave_no_output(self):
        bad = GOOD.replace("mov.u32 %r1, 42", "mow.u32 %r1, 42")
        done = self.ptxas(bad, "-arch=sm_80")
        self.assertEqual(done.returncode, 255)
        line = bad[:bad.index("mow")].count("\n") + 1
        self.assertIn(f"k.ptx, line {line}; error   : unknown instruction 'mow'", done.stderr)
        self.assertIn("ptxas fatal   : Ptx assembly aborted due to errors", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_what_is_refused(self):
        for text, options, words in (
                (GOOD, ("-arch=sm_75",), "target \\(sm_80\\) is higher than sm_75"),
                (GOOD, ("-arch=gpu",), "'gpu' is not defined for option 'gpu-name'"),
                (GOOD, ("-ias", "x"), "no option 'input-as-string'"),
                (GOOD, ("other.ptx",), "takes one file"),
                (HEAD.replace("8.0", "99.0"), ("-arch=sm_80", "-Werror"), "newer than what bankrun knows"),
                ("no ptx", ("-arch=sm_80",), "this is not PTX")):
            done = self.ptxas(text, *options)
            self.assertEqual(done.returncode, 255, done.stderr)
            self.assertRegex(done.stderr, words)
            self.assertFalse(os.path.exists(self.out))
        done = run(PTXAS, "-arch=sm_80", os.path.join(self.folder, "none.ptx"))
        self.assertEqual(done.returncode, 255)
        self.assertIn("none.ptx' could not be opened", done.stderr)

    def test_full_disk(self):
        done = run(PTXAS, "-arch=sm_80", self.write("k.ptx", GOOD), "-o", "/nowhere/k.cubin")
        self.assertEqual(done.returncode, 255)
        self.assertIn("Could not open output file '/nowhere/k.cubin'", done.stderr)

    def test_functions_may_be_missing_where_it_only_compiles(self):
        call = GOOD.replace(".visible .entry", ".extern .func other();\n.visible .entry").replace(
            "    ret;", "    call.uni other, ();\n    ret;")
        done = self.ptxas(call, "-arch=sm_80", "-c")
        self.assertEqual(done.returncode, 0, done.stderr)


class Loading(Case):
    def load(self, how, path):
        return run(BANKRUN, "--no-cache", sys.executable, self.write("load.py", LOADER), how, path)

    def test_what_it_writes_runs(self):
        self.assertEqual(self.ptxas(GOOD, "-arch=sm_80").returncode, 0)
        for how in ("memory", "file", "linked"):
            done = self.load(how, self.out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("answer 42", done.stdout)
            self.assertIn("--- answer ---", done.stderr)

    def test_newer_ptx_is_noted_once(self):
        program = self.write("twice.py", LOADER + """
for _ in range(3):
    call("cuModuleLoadData", ctypes.byref(module), image)
call("cuModuleLoadData", ctypes.byref(module), image.replace(b"99.0", b"99.1"))
""")
        done = run(BANKRUN, sys.executable, program, "memory", self.write("k.ptx", GOOD.replace("8.0", "99.0", 1)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("PTX 99.0 is newer"), 1, done.stderr)
        self.assertEqual(done.stderr.count("PTX 99.1 is newer"), 1, done.stderr)

    def test_half_a_file_is_refused(self):
        self.assertEqual(self.ptxas(GOOD, "-arch=sm_80").returncode, 0)
        with open(self.out, "rb") as file:
            data = file.read()
        for length in (16, 200, len(data) - 1):
            with open(self.out, "wb") as file:
                file.write(data[:length])
            done = self.load("file", self.out)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn("cuModuleLoad 200", done.stdout)

    def test_a_refused_image_that_a_program_catches(self):
        """It goes on, and ends well; a gate fails."""
        program = self.write("catch.py", LOADER.replace("sys.exit(3)", "sys.exit(0)"))
        path = self.write("real.cubin", "\x7fELF" + "\x00" * 200)
        for options, status in (((), 0), (("--quiet",), 0), (("--fail-on", "fault"), 4), (("--fail-on", "excess"), 4)):
            done = run(BANKRUN, *options, sys.executable, program, "memory", path)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn("bankrun: not simulated: a module of the program was not loaded: an image in memory", done.stderr)

    def test_machine_code_is_refused(self):
        path = self.write("real.cubin", "\x7fELF" + "\x00" * 200)
        done = self.load("memory", path)
        self.assertEqual(done.returncode, 3)
        self.assertIn("machine code", done.stderr)


# A kernel with 40 values at a time, and what its registers are.
MANY = HEAD + ".visible .entry answer(.param .u64 out)%s\n{\n.reg .b32 %%r<41>;\n.reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [out];\n" \
    + "".join(f"ld.global.u32 %%r{i}, [%%rd1+{4 * i}];\n" for i in range(40)) \
    + "".join(f"st.global.u32 [%%rd1+{4 * i}], %%r{39 - i};\n" for i in range(40)) + "ret;\n}\n"
REGISTERS = LOADER[:LOADER.index("image = ")].replace("how, path = sys.argv[1:]", "how, path, limit = sys.argv[1:]") + """
image = open(path, "rb").read()
options, values = (ctypes.c_int * 1)(0), (ctypes.c_void_p * 1)(int(limit))
count = 1 if int(limit) else 0
if how == "memory":
    call("cuModuleLoadDataEx", ctypes.byref(module), image, count, options, values)
elif how == "library":
    library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuLibraryLoadData", ctypes.byref(library), image, options, values, count, None, None, 0)
    call("cuLibraryGetModule", ctypes.byref(module), library)
else:
    link, made, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    call("cuLinkCreate_v2", count, options, values, ctypes.byref(link))
    call("cuLinkAddData_v2", link, int(how), image, ctypes.c_size_t(len(image)), b"a", 0, None, None)
    call("cuLinkComplete", link, ctypes.byref(made), ctypes.byref(size))
    call("cuModuleLoadData", ctypes.byref(module), made)
function, registers = ctypes.c_void_p(), ctypes.c_int()
call("cuModuleGetFunction", ctypes.byref(function), module, b"answer")
call("cuFuncGetAttribute", ctypes.byref(registers), 4, function)
print("registers", registers.value)
"""


class Registers(Case):
    """A limit that a compiler or linker is given is one of the estimate, unless the kernel says something itself."""

    def registers(self, how, path, limit=0):
        done = run(BANKRUN, "--no-cache", "--quiet", sys.executable, self.write("load.py", REGISTERS), how, path, str(limit))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return int(done.stdout.split()[-1])

    def test_given_as_it_is_loaded_or_linked(self):
        path = self.write("many.ptx", MANY % "" + "\0")
        for how in ("memory", "library", "1"):
            free = self.registers(how, path)
            self.assertGreater(free, 40)
            self.assertEqual(self.registers(how, path, 32), 32)
            self.assertEqual(self.registers(how, path, 200), free)

    def test_what_the_kernel_says_counts(self):
        for directive, wanted in ((".maxnreg 38", 38), (".maxntid 128, 1, 1", None)):
            path = self.write("many.ptx", MANY % f"\n{directive}" + "\0")
            self.assertEqual(self.registers("memory", path, 32), wanted or self.registers("memory", path))

    def test_given_to_ptxas(self):
        for options, wanted in ((("-maxrregcount", "32"), 32), (("--maxrregcount=24",), 24), (("-maxrregcount=0",), None)):
            self.assertEqual(self.ptxas(MANY % "", "-arch=sm_80", *options).returncode, 0)
            made = self.registers("memory", self.out)
            self.assertEqual(made, wanted or made)
            self.assertEqual(made > 40, wanted is None)
        for value in ("many", "-1", "3x", ""):
            done = self.ptxas(MANY % "", "-arch=sm_80", f"-maxrregcount={value}")
            self.assertEqual(done.returncode, 255)
            self.assertIn(f"Value '{value}' is not defined for option 'maxrregcount'", done.stderr)


class Environment(Case):
    def told(self, *options, **variables):
        done = run(BANKRUN, *options, "env", env={**os.environ, **variables})
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def test_packages_are_told_where_ptxas_and_their_caches_are(self):
        told = self.told(XDG_CACHE_HOME=self.folder, TRITON_CACHE_DIR="/mine", TRITON_PTXAS_PATH="/other")
        self.assertTrue(os.path.samefile(told["TRITON_PTXAS_PATH"], PTXAS))
        self.assertTrue(os.path.samefile(told["TRITON_PTXAS_BLACKWELL_PATH"], PTXAS))
        for name, folder in (("TRITON_CACHE_DIR", "triton"), ("CUPY_CACHE_DIR", "cupy"), ("NUMBA_CACHE_DIR", "numba")):
            self.assertEqual(told[name], f"{self.folder}/bankrun/packages/{folder}")

    def test_a_folder_that_a_package_does_not_make_is_there(self):
        told = self.told(XDG_CACHE_HOME=self.folder)
        self.assertTrue(os.path.isdir(told["PYCUDA_CACHE_DIR"]))
        self.assertEqual(self.told(XDG_CACHE_HOME="/dev/null/none")["PYCUDA_CACHE_DIR"], "/dev/null/none/bankrun/packages/pycuda")

    def test_without_a_cache_what_they_keep_goes_with_the_run(self):
        script = self.write("keep.sh", 'mkdir -p "$TRITON_CACHE_DIR/a" && echo x >"$TRITON_CACHE_DIR/a/b" && echo "$TRITON_CACHE_DIR"')
        done = run(BANKRUN, "--no-cache", "sh", script, env={**os.environ, "TMPDIR": self.folder})
        kept = done.stdout.split()[0]
        self.assertTrue(kept.startswith(self.folder + "/"), kept)
        self.assertEqual(os.listdir(self.folder), ["keep.sh"])


if __name__ == "__main__":
    unittest.main()
