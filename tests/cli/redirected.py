"""Who asks for a CUDA library gets bankrun's, however it is asked for; and the library that tells of GPUs."""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# A runtime as packages bring one. The real ones' names have a version; without it is as good here.
FOREIGN = """
int cudaRuntimeGetVersion(int *version) { *version = 7; return 0; }
int cuDriverGetVersion(int *version) { *version = 7; return 0; }
"""
PROGRAM = """
#include <stdio.h>
int cudaRuntimeGetVersion(int *version);
int main(void) { int version = 0; cudaRuntimeGetVersion(&version); printf("%d\\n", version); return 0; }
"""
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        int (*ask)(int *), version = 0;
        void *library = dlopen(argv[i], RTLD_NOW);
        if (!library || !(*(void **)&ask = dlsym(library, argv[1])))
            puts("none");
        else
            ask(&version), printf("%d\n", version);
    }
}
"""


class Case(FolderCase):
    def compile(self, name, text, *options):
        path = os.path.join(self.folder, name)
        subprocess.run(["gcc", "-o", path, self.write(name + ".c", text), *options], check=True)
        return path


def drivers():
    return [os.path.join(os.path.abspath(os.environ.get("BANKRUN_BUILD", "build")), "libcuda.so.1"), "-Wl,--allow-shlib-undefined"]


class Asked(Case):
    """By paths, bare names and folders that programs carry with them."""

    def foreign(self, name):
        return self.compile(name, FOREIGN, "-shared", "-fPIC", "-Wl,-soname," + name)

    def versions(self, *command):
        done = run(BANKRUN, *command, cwd=self.folder)
        self.assertNotIn("not simulated", done.stderr)
        return done.stdout.split()

    def test_folder_of_the_program(self):
        """DT_RPATH comes before LD_LIBRARY_PATH."""
        library = self.foreign("libcudart.so.12")
        program = self.compile("program", PROGRAM, library, "-Wl,--disable-new-dtags,-rpath," + self.folder)
        self.assertEqual(run(program).stdout, "7\n")
        self.assertEqual(self.versions(program), ["12090"])

    def test_paths_and_bare_names(self):
        names = ("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcudart.so")
        paths = [self.foreign(name) for name in names]
        loader = self.compile("loader", LOADER, "-ldl")
        self.assertEqual(self.versions(loader, "cudaRuntimeGetVersion", *paths), ["11080", "12090", "13000", "13000"])
        self.assertEqual(self.versions(loader, "cudaRuntimeGetVersion", *names), ["11080", "12090", "13000", "13000"])
        drivers = [self.foreign(name) for name in ("libcuda.so", "libcuda.so.1")]
        self.assertEqual(self.versions(loader, "cuDriverGetVersion", *drivers, "libcuda.so"), ["13000"] * 3)

    def test_others_stay_what_they_are(self):
        names = ("libcudart.so.9.9", "libcudart.so.130", "libcudart_of_somebody.so", "mylibcuda.so.1")
        loader = self.compile("loader", LOADER, "-ldl")
        paths = [self.foreign(name) for name in names]
        self.assertEqual(self.versions(loader, "cudaRuntimeGetVersion", *paths, "libcuda.so.2"), ["7"] * 4 + ["none"])

    def test_two_runtimes_tell_their_own_version(self):
        loader = self.compile("loader", LOADER, "-ldl")
        names = ("libcudart.so.12", "libcudart.so.13", "libcudart.so.12")
        self.assertEqual(self.versions(loader, "cudaRuntimeGetVersion", *names), ["12090", "13000", "12090"])

    def test_who_cannot_build_it_anew_is_not_told_to(self):
        """A static runtime without symbols, in a library of the user's and in a Python package."""
        asks = "int cuGetExportTable(const void **, const void *); int ask(int *v) { const void *t; return *v = cuGetExportTable(&t, 0); }"
        loader = self.compile("loader", LOADER, "-ldl")
        for name, said in (("own.so", "build it with nvcc -cudart shared"), ("site-packages/some/its.so", "by the driver API alone works"),
                           ("site-packages/warp/bin/warp.so", "--use-dynamic-cuda"),
                           ("site-packages/cuda/bindings/_internal/runtime.so", "use cuda.bindings.driver")):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            path = self.compile(name, asks, "-shared", "-fPIC", "-Wl,--no-as-needed", *drivers())
            done = run(BANKRUN, loader, "ask", path)
            self.assertIn("801", done.stdout, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual("nvcc" in done.stderr, name == "own.so")

    def test_a_package_is_not_refused_for_what_it_does_not_use(self):
        """Of a static runtime without symbols nothing is said as it is loaded, if it lies in a Python package."""
        kernels = "__attribute__((section(\".nv_fatbin\"))) char a[8] = \"a\"; __attribute__((section(\".nvFatBinSegment\"))) char b[8] = \"b\";"
        loader = self.compile("loader", LOADER, "-ldl")
        os.makedirs(os.path.join(self.folder, "site-packages", "some"))
        for name, is_refused in (("own.so", True), ("site-packages/some/its.so", False)):
            path = self.compile(name, kernels + "int ask(int *v) { return *v = 5; }", "-shared", "-fPIC", "-s")
            done = run(BANKRUN, loader, "ask", path)
            self.assertEqual(done.stdout, "5\n")
            self.assertEqual("nvcc -cudart shared" in done.stderr, is_refused, done.stderr)

    def test_a_library_by_itself_has_its_own_compiler(self):
        """Linked with an NVRTC and loaded as Python loads libraries: nobody else sees that NVRTC."""
        folder = os.path.join(self.folder, "own")
        os.mkdir(folder)
        nvrtc = self.compile("own/libnvrtc.so.13", """
int nvrtcCreateProgram(void **handle, const char *s, const char *n, int c, const char *const *h, const char *const *i) {
    *handle = (void *)64; return (s && n && !c && !h && !i) ? 0 : 5; }
int nvrtcDestroyProgram(void **handle) { *handle = 0; return 0; }
""", "-shared", "-fPIC", "-Wl,-soname,libnvrtc.so.13")
        user = self.compile("own/user.so", """
int nvrtcCreateProgram(void **handle, const char *, const char *, int, const char *const *, const char *const *);
int ask(int *v) { void *handle = 0; *v = nvrtcCreateProgram(&handle, "text", "name", 0, 0, 0); return *v += handle == (void *)64; }
""", "-shared", "-fPIC", nvrtc, "-Wl,-rpath," + folder)
        done = run(BANKRUN, self.compile("loader", LOADER, "-ldl"), "ask", user)
        self.assertEqual(done.stdout, "1\n", done.stderr)

    def test_a_folder_does_not_hide_a_command(self):
        os.mkdir(os.path.join(self.folder, "echo"))
        self.assertEqual(run(BANKRUN, "echo", "hello", cwd=self.folder).stdout, "hello\n")
        os.mkdir(os.path.join(self.folder, "nothing"))
        done = run(BANKRUN, "nothing", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing: Is a directory", done.stderr)


NVML = r"""
import ctypes, os, sys
nvml, driver = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.CDLL("libcuda.so.1")
def ask(name, *arguments):
    return getattr(nvml, name)(*arguments)
def good(name, *arguments):
    status = ask(name, *arguments)
    assert status == 0, (name, status)
class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]
class MemoryV2(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint)] + [(n, ctypes.c_ulonglong) for n in ("total", "reserved", "free", "used")]
class Pci(ctypes.Structure):
    _fields_ = [("old", ctypes.c_char * 16)] + [(n, ctypes.c_uint) for n in "dbvps"] + [("id", ctypes.c_char * 32)]
number, handle = ctypes.c_uint(), ctypes.c_void_p()
def device(index):
    good("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle))
    return ctypes.c_void_p(handle.value)
def text(name, *arguments):
    buffer = ctypes.create_string_buffer(96)
    good(name, *arguments, buffer, 96)
    return buffer.value.decode()
"""


# Who only asks is told that nothing used CUDA, with a status of its own.
USE = """
assert ctypes.CDLL("libcudart.so.13").cudaFree(None) == 0
"""


class Nvml(Case):
    def ask(self, script, *options):
        done = run(BANKRUN, *options, sys.executable, self.write("ask.py", NVML + script + USE))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_it_has_to_be_initialised(self):
        self.ask("""
assert ask("nvmlDeviceGetCount_v2", ctypes.byref(number)) == 1
assert ask("nvmlDeviceGetTemperature", None, 0, None) == 1
assert ask("nvmlShutdown") == 1
good("nvmlInit_v2"); good("nvmlInitWithFlags", 0); assert ask("nvmlInitWithFlags", 8) == 2
good("nvmlShutdown"); good("nvmlDeviceGetCount_v2", ctypes.byref(number)); good("nvmlShutdown")
assert ask("nvmlDeviceGetCount_v2", ctypes.byref(number)) == 1
nvml.nvmlErrorString.restype = ctypes.c_char_p
assert nvml.nvmlErrorString(1) == b"Uninitialized" and nvml.nvmlErrorString(12345) == b"Unknown Error"
""")

    def test_devices_are_those_of_cuda(self):
        self.ask("""
good("nvmlInit_v2"); good("nvmlDeviceGetCount_v2", ctypes.byref(number))
assert number.value == 3, number
assert driver.cuInit(0) == 0
seen = set()
for index in range(3):
    one = device(index)
    name, uuid = ctypes.create_string_buffer(96), ctypes.create_string_buffer(16)
    driver.cuDeviceGetName(name, 96, index); driver.cuDeviceGetUuid(uuid, index)
    assert text("nvmlDeviceGetName", one) == name.value.decode()
    raw = uuid.raw.hex()
    own = text("nvmlDeviceGetUUID", one)
    assert own == "GPU-" + "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:])), own
    pci, bus = Pci(), ctypes.create_string_buffer(32)
    good("nvmlDeviceGetPciInfo_v3", one, ctypes.byref(pci)); driver.cuDeviceGetPCIBusId(bus, 32, index)
    assert pci.id.decode().lower() == "0000" + bus.value.decode() and pci.old.lower() == bus.value and pci.b == index
    for wanted in (pci.id, bus.value, bus.value[5:]):
        good("nvmlDeviceGetHandleByPciBusId_v2", wanted, ctypes.byref(handle)); assert handle.value == one.value
    good("nvmlDeviceGetHandleByUUID", own.encode(), ctypes.byref(handle)); assert handle.value == one.value
    good("nvmlDeviceGetIndex", one, ctypes.byref(number)); assert number.value == index
    major, minor, mine = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int(), ctypes.c_int())
    good("nvmlDeviceGetCudaComputeCapability", one, ctypes.byref(major), ctypes.byref(minor))
    driver.cuDeviceComputeCapability(ctypes.byref(mine[0]), ctypes.byref(mine[1]), index)
    assert (major.value, minor.value) == (8, 0) == (mine[0].value, mine[1].value)
    clock = ctypes.c_int()
    driver.cuDeviceGetAttribute(ctypes.byref(clock), 13, index); good("nvmlDeviceGetMaxClockInfo", one, 1, ctypes.byref(number))
    assert number.value * 1000 == clock.value
    good("nvmlDeviceGetArchitecture", one, ctypes.byref(number)); assert number.value == 7
    seen.add(own)
assert len(seen) == 3
assert ask("nvmlDeviceGetHandleByIndex_v2", 3, ctypes.byref(handle)) == 2
assert ask("nvmlDeviceGetHandleByUUID", b"GPU-0", ctypes.byref(handle)) == 6
assert ask("nvmlDeviceGetHandleByPciBusId_v2", b"0000:77:00.0", ctypes.byref(handle)) == 6
""", "--devices", "3", "--arch", "sm_80")

    def test_memory_is_what_is_allocated(self):
        self.ask("""
good("nvmlInit_v2"); one = device(0); memory, second = Memory(), MemoryV2()
good("nvmlDeviceGetMemoryInfo", one, ctypes.byref(memory)); assert memory.used == 0 and memory.total == 16 << 30
runtime = ctypes.CDLL("libcudart.so.13"); pointer = ctypes.c_void_p(); left, total = ctypes.c_size_t(), ctypes.c_size_t()
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(5 << 20)) == 0
good("nvmlDeviceGetMemoryInfo", one, ctypes.byref(memory)); assert memory.used == 5 << 20
runtime.cudaMemGetInfo(ctypes.byref(left), ctypes.byref(total)); assert (left.value, total.value) == (memory.free, memory.total)
second.version = 2 << 24 | ctypes.sizeof(second)
good("nvmlDeviceGetMemoryInfo_v2", one, ctypes.byref(second)); assert (second.used, second.free) == (memory.used, memory.free)
second.version = 1
assert ask("nvmlDeviceGetMemoryInfo_v2", one, ctypes.byref(second)) == 25
runtime.cudaFree(pointer)
good("nvmlDeviceGetMemoryInfo", one, ctypes.byref(memory)); assert memory.used == 0
""")

    def test_what_it_refuses(self):
        self.ask("""
good("nvmlInit_v2"); one = device(0); short = ctypes.create_string_buffer(4)
assert ask("nvmlDeviceGetName", one, short, 4) == 7 and short.raw == bytes(4)
assert ask("nvmlDeviceGetName", ctypes.c_void_p(one.value + 8), short, 4) == 2
assert ask("nvmlDeviceGetName", None, short, 4) == 2
assert ask("nvmlDeviceGetUtilizationRates", one, ctypes.byref(number)) == 3
assert ask("nvmlDeviceGetClockInfo", one, 3, ctypes.byref(number)) == 3
assert not hasattr(nvml, "nvmlNoSuchFunction")
assert text("nvmlSystemGetDriverVersion") == "580.00"
""")

    def test_the_bus_is_of_the_product(self):
        for arch, generation in ((75, 3), (80, 4), (89, 4), (90, 5), (100, 5), (120, 5)):
            self.ask(f"""
good("nvmlInit_v2"); one = device(0)
for name, wanted in (("MaxPcieLinkGeneration", {generation}), ("GpuMaxPcieLinkGeneration", {generation}), ("CurrPcieLinkGeneration", {generation}),
                     ("MaxPcieLinkWidth", 16), ("CurrPcieLinkWidth", 16), ("PcieLinkMaxSpeed", {generation}), ("PcieSpeed", 1000 << {generation})):
    good("nvmlDeviceGet" + name, one, ctypes.byref(number)); assert number.value == wanted, (name, number.value)
assert ask("nvmlDeviceGetMaxPcieLinkWidth", one, None) == 2
assert ask("nvmlDeviceGetPcieThroughput", one, 0, ctypes.byref(number)) == 3
""", "--arch", str(arch))

    def test_who_only_asked_may_fork(self):
        self.ask("""
good("nvmlInit_v2"); one = device(0); memory = Memory(); good("nvmlDeviceGetMemoryInfo", one, ctypes.byref(memory))
child = os.fork()
if not child:
    pointer = ctypes.c_void_p()
    os._exit(ctypes.CDLL("libcudart.so.13").cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)))
assert os.waitpid(child, 0)[1] == 0
""")


if __name__ == "__main__":
    unittest.main()
