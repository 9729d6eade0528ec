"""The Python module (python/bankrun) against the build: its structures are the C compiler's, docs/python.md holds, and
what goes wrong is an exception with the library's own words."""

import sys

sys.path.pop(0)  # this folder, whose html.py is not Python's

import contextlib
import ctypes
import io
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
import unittest

ROOT = os.getcwd()
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
    print("a sanitizer's library is to be loaded first")
    sys.exit(77)
os.environ["BANKRUN_NATIVE"] = BUILD
sys.path.insert(0, os.path.join(ROOT, "python"))

import bankrun  # noqa: E402
from bankrun import _library, errors, model, profile as profiles  # noqa: E402

HAS_NVCC = shutil.which("nvcc") is not None
TRANSPOSE = os.path.join(ROOT, "examples", "transpose.ptx")
FAULT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .f32 x, .param .align 4 .b8 s[8])
{
    .reg .b64 %d; .reg .f32 %f;
    ld.param.u64 %d, [out];
    ld.param.f32 %f, [x];
    st.global.f32 [%d + 64], %f;
    ret;
}
.visible .entry forever() { L: bra L; }
"""


def column_launch(profile, device):
    module = device.load_file(TRANSPOSE)
    given, made = device.upload(bytes(4096)), device.alloc(4096)
    return module.launch("columns", 1, 32, made, given, profile=profile)


class Structures(unittest.TestCase):
    def compiled(self, lines):
        """What a C program prints that is made of these statements."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <stdio.h>\n#include <stddef.h>\n#include <bankrun/bankrun.h>\nint main(void) {\n"
                           + "\n".join(lines) + "\nreturn 0; }\n")
            subprocess.run(["cc", "-I", os.path.join(ROOT, "include"), source, "-o", program], check=True)
            return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()

    def test_layout(self):
        lines, wanted = [], []
        for name, kind in _library.STRUCTS.items():
            lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
            wanted.append(str(ctypes.sizeof(kind)))
            for field, *_ in kind._fields_:
                lines.append(f'printf("%zu\\n", offsetof(struct {name}, {field.rstrip("_")}));')
                wanted.append(str(getattr(kind, field).offset))
        self.assertEqual(self.compiled(lines), wanted)

    def test_numbers(self):
        names = {"BAD_CALL": 1, "BAD_FILE": 2, "BAD_PTX": 3, "NO_KERNEL": 4, "BAD_ARGUMENTS": 5, "NOT_SIMULATED": 6,
                 "REFUSED": 7, "NO_MEMORY": 8, "FAULTED": 9, "STOPPED": 10, "BAD_PROFILE": 11,
                 "CHECK_RACE": profiles.CHECKS["race"], "CHECK_INIT": profiles.CHECKS["init"],
                 "CHECK_SYNC": profiles.CHECKS["sync"], "CHECK_MEMORY": profiles.CHECKS["memory"],
                 "LANES": _library.LANES, "DEGREES": _library.DEGREES, "PLACES": _library.PLACES,
                 "SHARED": 0, "GLOBAL": 1, "GAP_UNSUPPORTED": 0, "GAP_MODULE": 1, "GAP_FAULT": 2, "GAP_LOST": 3,
                 "GAP_UNSEEN": 4, "ARGUMENT_MEMORY": 0, "ARGUMENT_S32": 1, "ARGUMENT_F64": 6, "ARGUMENT_BYTES": 7}
        self.assertEqual(self.compiled([f'printf("%d\\n", BANKRUN_{name});' for name in names]),
                         [str(number) for number in names.values()])
        self.assertEqual(set(errors.BY_CODE), set(range(1, 12)))

    def test_accesses(self):
        text = _library.library().bankrun_access_text
        self.assertEqual(tuple(text(n).decode() for n in range(len(model.ACCESSES))), model.ACCESSES)

    def test_functions(self):
        with open(os.path.join(ROOT, "include/bankrun/bankrun.h"), encoding="utf-8") as file:
            header = file.read()
        with open(os.path.join(ROOT, "include/bankrun/banks.h"), encoding="utf-8") as file:
            header += file.read()
        for name, (_, arguments) in _library._FUNCTIONS.items():
            declared = re.search(rf"^\w[\w *]*\b{name}\(([^;]*)\);", header, re.MULTILINE)
            self.assertIsNotNone(declared, name)
            text = declared.group(1).strip()
            self.assertEqual(len(arguments), 0 if text == "void" else text.count(",") + 1, name)


class Types(unittest.TestCase):
    def test_hints(self):
        if not shutil.which("mypy"):
            self.skipTest("mypy is not there")
        done = subprocess.run(["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", os.devnull, "bankrun", "bankrun_start.py"],
                              cwd=os.path.join(ROOT, "python"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class Lists(unittest.TestCase):
    """What is named twice."""

    def read(self, path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()

    def test_files(self):
        installed = re.findall(r"'bankrun/([^']+)'", self.read("python/meson.build"))
        there = [name for name in os.listdir(os.path.join(ROOT, "python", "bankrun")) if name != "__pycache__"]
        self.assertEqual(sorted(installed), sorted(there))

    def test_plan(self):
        """What meson would install of the package: all of it lies in one folder, and nothing else has its tag."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run(["meson", "setup", folder, "-Dpython=true", "-Dtests=false"], check=True, capture_output=True)
        plan = json.loads(subprocess.run(["meson", "introspect", "--install-plan", folder], check=True,
                                         capture_output=True, text=True).stdout)
        places = {entry["destination"] for group in plan.values() for entry in group.values()
                  if entry["tag"] == "python"}
        places.remove("{py_platlib}/bankrun_start.py")
        self.assertTrue(all(place.startswith("{py_platlib}/bankrun/") for place in places), places)
        native = {os.path.basename(place) for place in places if "/native/" in place}
        native.discard("libbankrun-compile.so")  # where LLVM is found
        native.discard("libbankrun-ranks.so")  # and MPI
        self.assertEqual(native, {"bankrun", "ptxas", "nvcc", "nvlink", "fatbinary", "nvidia-smi", "sitecustomize.py", "libbankrun.so.0", "libbankrun-inject.so", "libcuda.so.1",
                                  "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libbankrun-audit.so", "libbankrun-cute.so",
                                  "libnvidia-ml.so.1", "libbankrun-cublas.so.12", "libbankrun-cublas.so.13",
                                  "libbankrun-cublasLt.so.12", "libbankrun-cublasLt.so.13",
                                  "libbankrun-cusolver.so.11", "libbankrun-cusolver.so.12", "libbankrun-cufft.so.11", "libbankrun-cufft.so.12", "libbankrun-curand.so.10"})

    def test_versions(self):
        """The compiler of the extra is that of tools/get-nvcc.sh."""
        script, project = self.read("tools/get-nvcc.sh"), self.read("pyproject.toml")
        version = re.search(r'^version="(.*)"', script, re.MULTILINE).group(1)
        for package in re.search(r'^packages="(.*)"', script, re.MULTILINE).group(1).split():
            self.assertIn(f'"{package}=={version}"', project)

    def test_commands(self):
        """The functions that the package's commands are."""
        for module, function in re.findall(r'^bankrun[\w-]* = "([\w.]+):(\w+)"$', self.read("pyproject.toml"),
                                           re.MULTILINE):
            self.assertIn(f"def {function}() -> int:", self.read(f"python/{module.replace('.', '/')}.py"))


class Documentation(unittest.TestCase):
    def test_examples(self):
        """Blocks of Python, in order, and what they print."""
        if not HAS_NVCC:
            self.skipTest("nvcc is not there")
        with open("docs/python.md", encoding="utf-8") as file:
            blocks = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
        names, printed = {}, ""
        for kind, text in blocks:
            if kind == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile(text, "docs/python.md", "exec"), names)  # noqa: S102
                printed = output.getvalue()
            else:
                self.assertEqual(printed, text)


class Model(unittest.TestCase):
    def test_counts(self):
        cost = bankrun.count(range(0, 128, 4))
        self.assertEqual((cost.wavefronts, cost.degree, cost.excess, cost.certainty), (1, 1, 0, "measured"))
        self.assertEqual(bankrun.count([None, 0, None, 128]).wavefronts, 2)
        self.assertEqual(bankrun.count(range(0, 512, 16), width=16).ideal, 4)
        self.assertIn(90, bankrun.architectures())

    def test_refused(self):
        for offsets, more, words in (([2], {}, "multiple of the width"), ([], {}, "active"), ([0], {"arch": 999}, "arch"),
                                     ([0], {"access": "loaf"}, "no access 'loaf'"), ([0] * 33, {}, "32 lanes"),
                                     ([-4], {}, "-4")):
            with self.assertRaisesRegex(errors.CallError, words):
                bankrun.count(offsets, **more)


class Questions(unittest.TestCase):
    def test_explain(self):
        rows = bankrun.explain("tile[tid][0]", shared="float tile[32][32]", arch="all")
        self.assertGreater(len({row.arch for row in rows}), 5)
        row, = bankrun.explain("s[tid]", shared="double s[64]", condition="tid < 3", access="store", arch=80)
        self.assertEqual((row.arch, row.active_mask, row.width, row.offsets[:4]), ("sm_80", 7, 8, (0, 8, 16, None)))

    def test_layout(self):
        found = bankrun.layout([bankrun.Access("a[laneid % 16][8 * (laneid / 16)]", instruction="ldmatrix.x4")],
                               shared="half a[16][64]")
        self.assertEqual(found[0].kind, "as_is")
        self.assertGreater(found[0].excess, min(layout.excess for layout in found))
        found = bankrun.layout([bankrun.Access("s[2 * tid]", condition="tid < 4"), "s[tid]"], shared="float s[64]")
        self.assertEqual([access["wavefronts"] for access in found[0].accesses], [1, 1])

    def test_refused(self):
        with self.assertRaisesRegex(errors.ProgramError, "tile"):
            bankrun.explain("tile[tid", shared="float tile[32]")
        with self.assertRaisesRegex(errors.ProgramError, r"s\["):
            bankrun.layout(["s[tid"], shared="float s[32]")
        with self.assertRaisesRegex(errors.CallError, "no access 'get'"):
            bankrun.explain("s[tid]", shared="float s[32]", access="get")
        with self.assertRaises(errors.CallError):
            bankrun.layout([], shared="float s[32]")
        # What begins with a dash is an expression, and no option.
        with self.assertRaises(errors.ProgramError) as caught:
            bankrun.explain("--help", shared="float s[32]")
        self.assertEqual(caught.exception.status, 2)


class Devices(unittest.TestCase):
    def test_launch(self):
        counted = bankrun.Profile(title="a title")
        with bankrun.Device(threads=1) as device:
            module = device.load_file(TRANSPOSE)
            self.assertEqual(module.kernels, ("columns", "padded"))
            self.assertEqual(column_launch(counted, device).thread_instructions, 461 * 32)
        launch, = counted.launches
        self.assertEqual((launch.kernel, launch.grid, launch.block), ("columns", (1, 1, 1), (32, 1, 1)))
        (_, worst), = counted.worst()
        self.assertEqual((worst.line, worst.degree, worst.excess, worst.array), (9, 32, 992, "tile"))
        self.assertEqual(worst.worst_offsets[:3], (0, 128, 256))
        self.assertIn("pad rows of 32 elements to 33", worst.help)
        self.assertEqual(sum(row["excess"] for row in counted.rows() if row["space"] == "shared"), counted.excess)

    def test_errors(self):
        with bankrun.Device(max_instructions=1000) as device:
            with self.assertRaisesRegex(errors.PtxError, r"w.ptx:1:1: error: .*\n.*\n *\^"):
                device.load("nonsense", "w.ptx")
            module = device.load(FAULT)
            memory, eight = device.alloc(32), bankrun.struct(bytes(8))
            with self.assertRaisesRegex(errors.KernelError, "none"):
                module.launch("none", 1, 1)
            for arguments in ((memory,), (memory, 1, eight), (memory, 1.5, bankrun.struct(b"123"))):
                with self.assertRaises(errors.ArgumentsError):
                    module.launch("k", 1, 1, *arguments)
            with self.assertRaises(errors.FaultError) as caught:
                module.launch("k", 1, 2, memory, 1.5, eight)
            self.assertEqual(caught.exception.result.address, memory.address + 64)
            with self.assertRaises(errors.StoppedError):
                module.launch("forever", 1, 1)
            refusing = bankrun.Profile()
            with self.assertRaisesRegex(errors.RefusedError, "1,?024"):
                module.launch("forever", 1, 2048, profile=refusing)
            self.assertEqual(refusing.refused[0].reasons[0].asked, 2048)
            self.assertTrue(refusing.has_failed)
            for call in (lambda: module.launch("k", 0, 1), lambda: module.launch("k", (1, 1, 1, 1), 1),
                         lambda: module.launch("k", 1, 1, 1 << 40), lambda: device.alloc(-1),
                         lambda: bankrun.Device(arch=33), lambda: bankrun.Device(threads=-1),
                         lambda: bankrun.Profile(checks=["rice"])):
                with self.assertRaises(errors.CallError):
                    call()
            with self.assertRaises(errors.DeviceMemoryError):
                device.alloc(1 << 50)
            device.free(memory)
            with self.assertRaisesRegex(errors.CallError, "free already"):
                device.free(memory)
        for call in (lambda: device.alloc(4), lambda: module.kernels, memory.view, lambda: module.launch("k", 1, 1)):
            with self.assertRaisesRegex(errors.CallError, "closed"):
                call()

    def test_checks(self):
        ptx = FAULT.replace("st.global.f32 [%d + 64], %f;", """
            .shared .align 4 .b8 a[4];
            .reg .b32 %r, %t; mov.u32 %r, a; mov.u32 %t, %tid.x; st.shared.u32 [%r], %t;
            ld.shared.f32 %f, [%r]; st.global.f32 [%d], %f;""")
        found = bankrun.Profile(checks=["race"], counts=False)
        with bankrun.Device() as device:
            device.load(ptx).launch("k", 1, 64, device.alloc(4), 1.0, bankrun.struct(bytes(8)), profile=found)
        self.assertIn("race", {finding.check for finding in found.findings})
        self.assertEqual(found.launches[0].sites, ())

    def test_views_keep_devices(self):
        view = bankrun.Device().upload(b"abcd").view()
        self.assertEqual(bytes(view), b"abcd")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "ü.json")
        self.counted = bankrun.Profile(title="saved")
        with bankrun.Device() as device:
            column_launch(self.counted, device)

    def test_saved(self):
        self.counted.save(self.path)
        again = bankrun.read(self.path)
        self.assertEqual(again.launches, self.counted.launches)
        self.assertEqual(again.excess, 992)
        self.assertEqual(bankrun.diff(again, self.path).worse, 0)

    def test_refused(self):
        with self.assertRaises(errors.FileError) as caught:
            bankrun.read(os.path.join(self.folder, "none"))
        self.assertIn("none", str(caught.exception))
        self.assertIsInstance(caught.exception, OSError)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("{}")
        with self.assertRaises(errors.ProfileError):
            bankrun.read(self.path)
        with self.assertRaisesRegex(errors.FileError, "No space left"):
            self.counted.save("/dev/full")
        with self.assertRaises(errors.ProgramError):
            bankrun.diff(self.counted, os.path.join(self.folder, "none"))

    def test_frames(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(bankrun.Error, "pip install"):
                self.counted.sites_frame()
            return
        frame = self.counted.sites_frame()
        self.assertEqual(frame[frame.space == "shared"].excess.sum(), 992)
        self.assertEqual(list(self.counted.launches_frame().excess), [992])
        self.assertEqual(list(bankrun.Profile().sites_frame().columns), list(frame.columns))


class Programs(unittest.TestCase):
    def write(self, name, text, executable=False):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if executable:
            os.chmod(path, 0o755)
        return path

    def test_launch(self):
        spec = "columns<<<1, 32>>>(out:u32[1024], in:u32[1024])"
        profile = bankrun.run(TRANSPOSE, launch=spec)
        self.assertEqual((profile.excess, profile.program.status), (992, 0))
        (_, worst), = profile.worst()
        self.assertIn("pad", worst.help)
        self.assertIn("32-way", worst.proof)
        self.assertEqual(bankrun.check(TRANSPOSE, launch=spec, checks=["race"]).findings, ())

    def test_refused(self):
        for call, words in ((lambda: bankrun.run("/none.cu"), "none.cu"),
                            (lambda: bankrun.run(TRANSPOSE, launch="none<<<1, 1>>>()"), "none"),
                            (lambda: bankrun.run(TRANSPOSE, options=["--no-such"]), "no-such")):
            with self.assertRaisesRegex(errors.ProgramError, words) as caught:
                call()
            self.assertEqual(caught.exception.status, 2)
        with self.assertRaisesRegex(errors.CallError, "no check 'rice'"):
            bankrun.check("a.cu", checks=["rice"])

    def test_no_compiler(self):
        source = self.write("a.cu", "int main() {}")
        with self.assertRaisesRegex(errors.ProgramError, r"pip install 'bankrun\[nvcc\]'") as caught:
            bankrun.run(source, options=("--nvcc", "/none/nvcc", "--no-cache"))
        self.assertEqual(caught.exception.status, 2)

    def test_timeout(self):
        script = self.write("slow.sh", "#!/bin/sh\nsleep 61 & sleep 62\n", True)
        start = time.monotonic()
        with self.assertRaisesRegex(errors.TimeoutError, "0.5 seconds"):
            bankrun.run(script, timeout=0.5)
        self.assertLess(time.monotonic() - start, 30)

    def test_status(self):
        if not HAS_NVCC:
            self.skipTest("nvcc is not there")
        source = self.write("ends.cu", '#include <cstdio>\n__global__ void k() {}\n'
                            'int main(int n, char **v) { k<<<1, 1>>>(); printf("%s\\n", v[1]); return 7; }')
        program = bankrun.run(source, "--help").program
        self.assertEqual((program.status, program.stdout), (7, "--help\n"))
        idle = self.write("idle.cu", "int main() {}")
        with self.assertRaisesRegex(errors.ProgramError, "left no profile"):
            bankrun.run(idle)
        broken = self.write("broken.cu", "int main() { return x; }")
        with self.assertRaisesRegex(errors.ProgramError, "was not compiled"):
            bankrun.run(broken)


class Package(unittest.TestCase):
    """An installed package: bankrun/native beside nvidia/cu13, where pip puts NVIDIA's compiler."""

    def setUp(self):
        self.site = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.site)
        package = os.path.join(self.site, "bankrun")
        shutil.copytree(os.path.join(ROOT, "python", "bankrun"), package,
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(os.path.join(ROOT, "python", "bankrun_start.py"), self.site)
        native = os.path.join(package, "native")
        os.mkdir(native)
        for name in ("bankrun", "libbankrun.so.0", "libcuda.so.1", "libcudart.so.13", "libbankrun-inject.so"):
            shutil.copy(os.path.join(BUILD, name), os.path.join(native, name))
        self.environment = {name: value for name, value in os.environ.items() if name != "BANKRUN_NATIVE"}
        self.environment["PYTHONPATH"] = self.site

    def command(self, *words, **more):
        return subprocess.run([sys.executable, "-m", "bankrun_start", *words], capture_output=True, text=True,
                              env={**self.environment, **more}, check=False, cwd=self.site)

    def test_command(self):
        done = self.command("--version")
        self.assertRegex(done.stdout, r"^bankrun \d")
        again = subprocess.run([sys.executable, "-m", "bankrun", "--version"], capture_output=True, text=True,
                               env=self.environment, check=True, cwd=self.site)
        self.assertEqual(again.stdout, done.stdout)
        done = self.command(TRANSPOSE, "--launch", "columns<<<1, 32>>>(out:u32[1024], in:u32[1024])")
        self.assertEqual(self.command("explain", "x").returncode, 2)
        os.remove(os.path.join(self.site, "bankrun", "native", "bankrun"))
        done = self.command("--version")
        self.assertEqual((done.returncode, "No such file" in done.stderr), (2, True))

    def test_server_without_sdk(self):
        """bankrun-mcp says what it needs, and the module itself does not need it."""
        with open(os.path.join(self.site, "anyio.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('not here')\n")
        done = subprocess.run([sys.executable, "-m", "bankrun.mcp"], capture_output=True, text=True,
                              env=self.environment, check=False, cwd=self.site, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("pip install 'bankrun[mcp]'", done.stderr)

    def test_packaged_compiler(self):
        """nvcc of the newest package, behind PATH; it is told where the runtime lies that programs are linked with."""
        if not HAS_NVCC:
            self.skipTest("nvcc is not there")
        for version in ("cu9", "cu13"):
            home = os.path.join(self.site, "nvidia", version)
            os.makedirs(os.path.join(home, "bin"))
            os.makedirs(os.path.join(home, "lib"))
            open(os.path.join(home, "lib", "libcudadevrt.a"), "w", encoding="utf-8").close()
            with open(os.path.join(home, "lib", "libcudart.so.13"), "w", encoding="utf-8") as file:  # for the linker
                file.write(f"INPUT({BUILD}/libcudart.so.13 {BUILD}/libcuda.so.1)\n")
            nvcc = os.path.join(home, "bin", "nvcc")
            with open(nvcc, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "$0 $*" >>"{self.site}/log"\n'
                           'for w; do [ -L "$w/libcudart.so" ] && readlink "$w/libcudart.so" >>"' + self.site + '/log"; done\n'
                           f'exec "{shutil.which("nvcc")}" "$@"\n')
            os.chmod(nvcc, os.stat(nvcc).st_mode | stat.S_IXUSR)
        source = os.path.join(self.site, "a.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
        nowhere = os.path.join(self.site, "path")
        os.mkdir(nowhere)
        for tool in ("gcc", "g++", "cc1plus", "as", "ld", "sh", "readlink", "cat", "python3"):
            if shutil.which(tool):
                os.symlink(shutil.which(tool), os.path.join(nowhere, tool))
        done = self.command("--no-cache", source, PATH=nowhere, NVCC_APPEND_FLAGS="")
        with open(os.path.join(self.site, "log"), encoding="utf-8") as file:
            log = file.read()
        self.assertEqual(done.returncode, 0, done.stderr + log)
        self.assertIn("/cu13/bin/nvcc", log)
        self.assertNotIn("/cu9/", log)
        self.assertIn(f"-L {os.path.realpath(self.site)}/nvidia/cu13/lib", log)
        self.assertIn("/nvidia/cu13/lib/libcudart.so.13\n", log)
        # A build of its own is told where they are.
        done = self.command("nvcc-flags", PATH=nowhere)
        self.assertEqual(done.stdout, f"-lineinfo -L{os.path.realpath(self.site)}/nvidia/cu13/lib "
                                      "-gencode arch=compute_90,code=compute_90\n")
        # One of PATH comes first.
        os.remove(os.path.join(self.site, "log"))
        self.assertEqual(self.command("--no-cache", source).returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.site, "log")))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=1).result.wasSuccessful() else 1)
