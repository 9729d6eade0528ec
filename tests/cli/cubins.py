"""Machine code that carries its PTX, as compilers make it that are asked for line information, and PTX that they keep beside. The
cubins here are made by hand; a program of Python loads them as packages do. And the library that CuTe DSL calls as its runtime."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

PTX = """// made by hand
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 room[];
.visible .entry store(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .loc 1 7 0
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;\t// the lane
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, room;
    add.u32 %r2, %r2, %r3;
    .loc 1 9 4
    st.shared.u32 [%r2], %r1;
    st.global.u32 [%rd1], VALUE;
    ret;
}
"""

# Loads the file by its bytes, or by its name; launches; prints what came of it.
PROGRAM = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
cuda.cuInit(0); cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device); cuda.cuCtxSetCurrent(context)
module, function, out, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int()
path = sys.argv[2]
status = (cuda.cuModuleLoadData(ctypes.byref(module), open(path, "rb").read()) if sys.argv[1] == "data" else
          cuda.cuModuleLoad(ctypes.byref(module), path.encode()))
if status: sys.exit(f"load {status}")
status = cuda.cuModuleGetFunction(ctypes.byref(function), module, b"store")
if status: sys.exit(f"function {status}")
cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
status = cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 4096, None, arguments, None)
cuda.cuMemcpyDtoH_v2(ctypes.byref(value), out, ctypes.c_size_t(4))
print("launch", status, "value", value.value)
"""

NO_KERNEL_IMAGE, INVALID_IMAGE = 209, 200


def ptx(value=5, file='/somewhere/kernels.py'):
    return PTX.replace("VALUE", str(value)) + (f'    .file 1 "{file}"\n' if file else "")


def carried(text):
    """What a compiler puts into the cubin: no comments, no lines, no blanks in front, a NUL behind each line."""
    lines = [line.partition("//")[0].strip() for line in text.splitlines()]
    return b"".join((b"" if line.startswith((".loc", ".file")) else line.encode()) + b"\0" for line in lines)


def cubin(*sections):
    """An ELF file for a CUDA device with these sections: (name, flags, bytes)."""
    names, body, headers = b"\0", b"", [b"\0" * 64]
    for name, flags, data in (*sections, (".shstrtab", 0, None)):
        at = len(names)
        names += name.encode() + b"\0"
        data = names if data is None else data
        headers.append(struct.pack("<IIQQQQIIQQ", at, 3 if name == ".shstrtab" else 1, flags, 0, 64 + len(body), len(data), 0, 0, 1, 0))
        body += data
    body += b"\0" * (-len(body) % 8)
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1\x33\7", 2, 190, 1, 0, 0, 64 + len(body), 0x50055A, 64, 0, 0, 64,
                       len(headers), len(headers) - 1)
    return head + body + b"".join(headers)


CARRIED = (".nv_debug_ptx_txt", 0, carried(ptx()))
OWN_LINE = [("store.ptx", 17)]


class Cubins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def run_script(self, script, *arguments, **variables):
        out = os.path.join(self.folder, "run.json")
        done = subprocess.run([BANKRUN, "--no-cache", "--as", "written", "--format", "json", "-o", out, sys.executable, "-c", script,
                               *arguments], check=False, capture_output=True, text=True, env={**os.environ, **variables})
        profile = {}
        if os.path.exists(out):
            with open(out, encoding="utf-8") as file:
                profile = json.load(file)
        return done, profile

    def load(self, image, way="data", **variables):
        return self.run_script(PROGRAM, way, self.write("image.cubin", image), **variables)

    def expect_run(self, loaded, value, lines):
        done, profile = loaded
        self.assertEqual(done.stdout, f"launch 0 value {value}\n", done.stderr)
        sites = [site for site in profile["launches"][0]["sites"] if site["space"] == "shared"]
        self.assertEqual([(site["file"].replace(os.path.dirname(site["file"]) + "/store.ptx", "store.ptx"), site["line"]) for site in sites], lines)
        self.assertEqual([site["wavefronts"] for site in sites], [32])

    def test_carried(self):
        """The text that the cubin has is what runs; it names no source, and is the source itself."""
        for way in ("data", "file"):
            self.expect_run(self.load(cubin(CARRIED), way), 5, OWN_LINE)

    def test_own_lines_of_faults_and_findings(self):
        """They are those of the text, too; of text that names a source, none but its."""
        bad = ptx().replace("[%r2], %r1", "[%r2+8192], %r1")
        for text, said in ((carried(bad), "store.ptx:17: write"), (bad.replace(".loc 1 9 4", "").encode() + b"\0", "kernels.py:7: write")):
            done, profile = self.load(cubin((".nv_debug_ptx_txt", 0, text)))
            self.assertIn(said, done.stderr)
            where = profile["launches"][0]["fault"]
            self.assertTrue(str(where).count(said.partition(":")[0]), where)

    def test_own_lines_are_kept(self):
        """The report shows the line, also where the program has gone; without a place for it there is none."""
        image = self.write("image.cubin", cubin(CARRIED))
        for variables, expected in (({}, "17 | st.shared.u32 [%r2], %r1;"), ({"XDG_CACHE_HOME": "/proc/none"}, "no known line: 32-way bank conflict")):
            done = subprocess.run([BANKRUN, "--as", "written", sys.executable, "-c", PROGRAM, "data", image], check=False, capture_output=True,
                                  text=True, env={**os.environ, **variables})
            self.assertIn(expected, done.stderr)

    def test_kept(self):
        """Where the compiler kept the same code, its lines are known; of two that did, by the later."""
        for name, file in (("a.ptx", "/old/kernels.py"), ("b.ptx", "/somewhere/kernels.py")):
            os.utime(self.write(name, ptx(file=file)), (1, 1) if name == "a.ptx" else None)
        self.write("c.txt", ptx(file="/other/kernels.py"))
        os.mkdir(os.path.join(self.folder, "d.ptx"))
        self.expect_run(self.load(cubin(CARRIED), CUTE_DSL_DUMP_DIR=self.folder), 5, [("/somewhere/kernels.py", 9)])

    def test_kept_is_other_code(self):
        """Of the same name, and not the same code: it is not believed."""
        self.write("a.ptx", ptx(value=6))
        self.write("b.ptx", ptx() + ".visible .entry more() { ret; }\n")
        self.expect_run(self.load(cubin(CARRIED), CUTE_DSL_DUMP_DIR=self.folder), 5, OWN_LINE)

    def test_no_folder(self):
        self.expect_run(self.load(cubin(CARRIED), CUTE_DSL_DUMP_DIR=self.folder + "/none"), 5, OWN_LINE)

    def test_refused(self):
        """Without the text, with that of two modules, or packed."""
        name, _, data = CARRIED
        for image in (cubin((".text.store", 6, b"\0" * 16)), cubin((name, 0, data + data)), cubin((name, 0x800, data)), cubin((name, 0, b""))):
            done, profile = self.load(image)
            self.assertIn(f"load {NO_KERNEL_IMAGE}", done.stderr)
            self.assertIn("machine code (a cubin) without line information", done.stderr)
            self.assertIn("compile with -lineinfo", done.stderr)
            self.assertTrue(profile["incomplete"])

    def test_cut_off(self):
        whole = cubin(CARRIED)
        for length in (4, 17, 64, 200, len(whole) - 1):
            done, profile = self.load(whole[:length], "file")
            self.assertIn(f"load {INVALID_IMAGE}", done.stderr)
            self.assertIn("it is too short", str(profile["incomplete"]))

    def test_damaged_text(self):
        """Text that is no PTX is an error with its place, as it is of PTX itself."""
        done, _ = self.load(cubin((".nv_debug_ptx_txt", 0, carried(ptx().replace("shl.b32", "shl.b33")))))
        self.assertIn("load 218", done.stderr)

    def test_runtime_of_cute_dsl(self):
        """Wherever it is asked for, bankrun's is what is loaded; its functions are those of the CUDA runtime."""
        done, _ = self.run_script("import ctypes\nn = ctypes.c_int()\n"
                                  "cute = ctypes.CDLL('/nowhere/cu12/lib/libcute_dsl_runtime.so')\n"
                                  "print(cute._cudaGetDeviceCount(ctypes.byref(n)), n.value, cute._cudaSetDevice(7), cute._cuDeviceGet(ctypes.byref(n), 0))")
        self.assertEqual(done.stdout, "0 1 101 3\n", done.stderr)

    def test_tvm_ffi_of_cute_dsl(self):
        """A library is loaded once, into each device; what fails is raised as the package's exception, and tried again."""
        done, _ = self.run_script("""
import ctypes
n, p = ctypes.c_int32, ctypes.c_void_p
cute = ctypes.CDLL("libcute_dsl_runtime.so")
loads, said, answer = [], [], {"load": 0, "device": 0}
def load(library):
    loads.append("load")
    library[0] = 0 if answer["load"] else 4096
    return answer["load"]
def load_to_device(library, device):
    loads.append(device)
    return answer["device"]
load_type, device_type = ctypes.CFUNCTYPE(n, ctypes.POINTER(p)), ctypes.CFUNCTYPE(n, ctypes.POINTER(p), n)
text_type, parts_type = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p), ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), n)
library = p()
given = load_type(load), device_type(load_to_device), text_type(lambda kind, text: said.append(kind + b"|" + text))
def begin():
    return cute.cuda_dialect_init_library_once(ctypes.byref(library), *given)
answer["load"] = 209
print(begin(), library.value, loads, said)
answer.update(load=0, device=719)
print(begin(), library.value, loads, said[1:])
answer["device"] = 0
print(begin(), begin(), library.value, loads[3:])
cute.CuteDSLRT_TVMFFISetRaisedCudaError(parts_type(lambda kind, parts, count: print(kind + b"|" + b"".join(parts[:count]))), n(-7))
cute.cuda_dialect_unload_library_once(ctypes.byref(library))
print(library.value)
""")
        self.assertEqual(done.stdout, "-1 None ['load'] [b'CUDADialectError|CUDA Error Code: 209']\n"
                                      "-1 None ['load', 'load', 0] [b'CUDADialectError|CUDA Error Code: 719']\n"
                                      "0 0 4096 ['load', 0]\nb'CUDADialectError|CUDA Error Code: -7'\nNone\n", done.stderr)

    def test_told(self):
        """What a user asks of the package stays."""
        show = "import os; print(*(os.environ[f'CUTE_DSL_{name}'] for name in ('KEEP', 'LINEINFO', 'DUMP_DIR')))"
        done, _ = self.run_script(show, CUTE_DSL_KEEP="ir,cubin", CUTE_DSL_DUMP_DIR="/mine", CUTE_DSL_LINEINFO="0")
        self.assertEqual(done.stdout, "ir,cubin,ptx 1 /mine\n")
        done, _ = self.run_script(show + "; print(os.path.isdir(os.environ['CUTE_DSL_DUMP_DIR']))")
        self.assertRegex(done.stdout, r"^ptx 1 /.*/cute_dsl\nTrue\n$")
        self.assertFalse(os.path.exists(done.stdout.split()[2]))  # gone with the run

    def test_no_place_to_keep(self):
        """Without a folder for it the package is not told to keep anything, which would lie in the current one."""
        show = "import os; print(os.environ.get('CUTE_DSL_KEEP'), os.environ.get('CUTE_DSL_DUMP_DIR'), os.environ['CUTE_DSL_LINEINFO'])"
        done, _ = self.run_script(show, TMPDIR=self.folder + "/none")
        self.assertEqual(done.stdout, "None None 1\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
