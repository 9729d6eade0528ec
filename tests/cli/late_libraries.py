"""Libraries that exist only as machine code: a program gets a handle of them, and whatever it has them compute is refused by the
function's name, however it came by them. The libraries here are a few lines of C under the names of NVIDIA's. And what the environment
tells XLA."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# Each is a line of C: names of functions that are to be refused or replaced, which end the program, and functions that are to be called.
ABORTING = {
    "libcudnn.so.9": "cudnnCreate cudnnDestroy cudnnSetStream cudnnGetStream cudnnConvolutionForward cudnnAddTensor cudnnSetDropoutDescriptor"
                     " cudnnBackendCreateDescriptor",
    "libcudnn.so.8": "cudnnCreate cudnnConvolutionForward",
    "libcublas.so.13": "cublasCreate_v2 cublasDestroy_v2 cublasSetStream_v2 cublasGetStream_v2 cublasSetPointerMode_v2 cublasGetPointerMode_v2"
                       " cublasSetMathMode cublasSetWorkspace_v2 cublasSgemm_v2 cublasSgemm_v2_64",
    "libcublasLt.so.13": "cublasLtCreate cublasLtDestroy cublasLtMatmulDescCreate cublasLtMatmulDescDestroy",
    "libcusolver.so.12": "cusolverDnCreate cusolverSpCreate cusolverDnSetStream cusolverDnSgetrf cusolverSpDcsrlsvluHost",
    "libcusparse.so.12": "cusparseCreate cusparseDestroy cusparseSpMV cusparseCreateIdentityPermutation cusparseSgtsv2StridedBatch cusparseCreateCsrilu02Info",
    "libcufft.so.12": "cufftPlan1d cufftExecC2C",
    "libcurand.so.10": "curandCreateGenerator",
    "libcutensor.so.2": "cutensorCreate",
    "libnccl.so.2": "ncclCommInitAll pncclAllReduce",
    "libnvjpeg.so.13": "nvjpegCreateSimple",
    "libnppif.so.13": "nppiFilterBox_8u_C1R_Ctx nppiMalloc_8u_C1",
    "libcupti.so.13": "cuptiGetVersion cuptiGetResultString cuptiGetLastError cuptiSubscribe_v2 cuptiGetCallbackName",
}
WORKING = {
    "libcudnn.so.9": "cudnnGetVersion cudnnCreateTensorDescriptor cudnnSetTensor4dDescriptor cudnnGetErrorString other",
    "libcublas.so.13": "cublasGetVersion_v2 cublasGetStatusName other",
    "libcusolver.so.12": "cusolverDnCreateParams cusolverDnCreateSyevjInfo cusolverGetVersion",
    "libcusparse.so.12": "cusparseCreateCsr cusparseDestroySpMat cusparseCreateMatDescr cusparseSetMatType cusparseSpMatSetStridedBatch",
    "libcurand.so.10": "curandCreateGeneratorHost curandGenerateUniform",
    "libnccl.so.2": "ncclGetUniqueId ncclGroupStart ncclGetErrorString",
    "libnppif.so.13": "nppGetLibVersion",
}


def source_of(name):
    aborting = "".join(f"int {function}(void) {{ return *(volatile int *)8; }}\n" for function in ABORTING[name].split())
    working = "".join(f"int {function}(void) {{ return 7; }}\n" for function in WORKING.get(name, "").split())
    return f"{aborting}{working}int last(void) {{ return 0; }}\n"


START = """
import ctypes, sys
handle, stream, number = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
def by(what): return ctypes.byref(what)
def load(name): return ctypes.CDLL(sys.argv[1] + "/" + name)
ctypes.CDLL("libcudart.so.13").cudaFree(None)
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


def compile_c(source, path, *options):
    subprocess.run(["cc", "-fPIC", "-O1", "-falign-functions=32", "-x", "c", "-", "-x", "none", *options, "-o", path], input=source, text=True, check=True,
                   env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})


@unittest.skipIf(cannot_compile(), "no C compiler")
class Late(Case):
    def run_late(self, script, *names, options=(), **variables):
        for name in names:
            compile_c(source_of(name), os.path.join(self.folder, name), "-shared")
        return self.run_script(START + script, self.folder, options=options, **variables)

    def test_handles(self):
        """Nobody is refused who has a handle made, sets what it has, describes what he may compute, and asks for versions."""
        done, notes = self.run_late("""
dnn, old, blas, lt = load("libcudnn.so.9"), load("libcudnn.so.8"), load("libcublas.so.13"), load("libcublasLt.so.13")
print(dnn.cudnnCreate(by(handle)), bool(handle), dnn.cudnnSetStream(handle, 64), dnn.cudnnGetStream(handle, by(stream)), stream.value,
      dnn.cudnnDestroy(handle), dnn.cudnnGetVersion(), dnn.cudnnCreate(None), dnn.cudnnSetStream(None, 64), dnn.other())
print(dnn.cudnnCreateTensorDescriptor(by(stream)), dnn.cudnnSetTensor4dDescriptor(stream), dnn.cudnnGetErrorString(1), old.cudnnCreate(None))
print(blas.cublasCreate_v2(by(handle)), blas.cublasSetPointerMode_v2(handle, 1), blas.cublasSetMathMode(handle, 3),
      blas.cublasGetPointerMode_v2(handle, by(number)), number.value, blas.cublasSetWorkspace_v2(handle, None, 0),
      blas.cublasGetVersion_v2(None, by(number)), blas.cublasCreate_v2(None), blas.cublasSetPointerMode_v2(None, 1),
      blas.cublasGetPointerMode_v2(handle, None), blas.cublasDestroy_v2(None), blas.cublasDestroy_v2(handle), blas.other())
print(lt.cublasLtCreate(by(handle)), lt.cublasLtDestroy(handle), lt.cublasLtMatmulDescDestroy(None))
solver, sparse, rand = load("libcusolver.so.12"), load("libcusparse.so.12"), load("libcurand.so.10")
print(solver.cusolverDnCreate(by(handle)), solver.cusolverDnSetStream(handle, 64), solver.cusolverSpCreate(by(handle)),
      solver.cusolverDnCreateParams(by(stream)), solver.cusolverDnCreateSyevjInfo(by(stream)), solver.cusolverDnCreate(None))
print(sparse.cusparseCreate(by(handle)), sparse.cusparseCreateCsr(by(stream)), sparse.cusparseSpMatSetStridedBatch(stream),
      sparse.cusparseDestroySpMat(stream), sparse.cusparseCreateMatDescr(by(stream)), sparse.cusparseSetMatType(stream, 0),
      sparse.cusparseDestroy(handle), rand.curandCreateGeneratorHost(by(handle), 100), rand.curandGenerateUniform(handle))
print(load("libnccl.so.2").ncclGetUniqueId(by(stream)), load("libnccl.so.2").ncclGroupStart(), load("libnppif.so.13").nppGetLibVersion())
""", "libcudnn.so.9", "libcudnn.so.8", "libcublas.so.13", "libcublasLt.so.13", "libcusolver.so.12", "libcusparse.so.12", "libcurand.so.10",
                                    "libnccl.so.2", "libnppif.so.13")
        self.assertEqual(done.stdout.splitlines(), ["0 True 0 0 64 0 7 2000 2000 7", "7 7 7 3", "0 0 0 0 1 0 7 7 1 7 1 0 7", "0 0 15",
                                                    "0 0 0 7 7 3", "0 7 7 7 7 7 0 7 7", "7 7 7"], done.stderr)
        self.assertEqual(notes, "")
        self.assertNotIn("machine code", done.stderr)

    def test_refused(self):
        """Looking for a function is not calling it; a call is refused each time, and named once, as it comes and as the run ends."""
        done, notes = self.run_late("""
dnn = load("libcudnn.so.9")
dnn.cudnnAddTensor
dnn.cudnnCreate(by(handle))
print(dnn.cudnnConvolutionForward(handle), dnn.cudnnConvolutionForward(handle))
""", "libcudnn.so.9")
        self.assertEqual(done.stdout, "3000 3000\n", done.stderr)
        why = " (cuDNN is machine code only); compute this step on the host\n"
        self.assertEqual(done.stderr.count("bankrun: cudnnConvolutionForward: not simulated" + why), 1, done.stderr)
        self.assertEqual(done.stderr.count("bankrun: not simulated: cudnnConvolutionForward" + why), 1, done.stderr)
        self.assertIn("cudnnConvolutionForward", notes)
        self.assertNotIn("cudnnAddTensor", done.stderr + notes)
        self.assertEqual(done.returncode, 0)  # as nobody asked for more

    def test_statuses(self):
        """Each library's own, and what to do about it."""
        done, notes = self.run_late("""
for name, function in (
    ("libcudnn.so.8", "cudnnConvolutionForward"), ("libcudnn.so.9", "cudnnSetDropoutDescriptor"), ("libcublas.so.13", "cublasSgemm_v2_64"),
    ("libcublasLt.so.13", "cublasLtMatmulDescCreate"), ("libcusolver.so.12", "cusolverDnSgetrf"), ("libcusolver.so.12", "cusolverSpDcsrlsvluHost"),
    ("libcusparse.so.12", "cusparseSpMV"), ("libcusparse.so.12", "cusparseCreateIdentityPermutation"),
    ("libcusparse.so.12", "cusparseSgtsv2StridedBatch"), ("libcusparse.so.12", "cusparseCreateCsrilu02Info"), ("libcufft.so.12", "cufftPlan1d"), ("libcurand.so.10", "curandCreateGenerator"),
    ("libcutensor.so.2", "cutensorCreate"), ("libnccl.so.2", "ncclCommInitAll"), ("libnvjpeg.so.13", "nvjpegCreateSimple"),
    ("libnppif.so.13", "nppiFilterBox_8u_C1R_Ctx"), ("libnppif.so.13", "nppiMalloc_8u_C1"), ("libcupti.so.13", "cuptiSubscribe_v2"),
    ("libcupti.so.13", "cuptiGetCallbackName")):
    print(getattr(load(name), function)(), end=" ")
""", *ABORTING)
        self.assertEqual(done.stdout.split(), "9 3000 15 15 9 9 10 10 10 10 16 203 15 1 9 -9999 0 27 27".split(), done.stderr)
        for words in ("cublasSgemm_64: not simulated (cuBLAS is machine code only); bankrun --libraries cpu has it computed by OpenBLAS",
                      "cufftPlan1d: not simulated (cuFFT is machine code only); bankrun --libraries cpu has it computed by FFTW",
                      "cutensorCreate: not simulated (cuTENSOR is machine code only); compute this step on the host",
                      "nppiFilterBox_8u_C1R_Ctx: not simulated (NPP is machine code only)",
                      "cuptiSubscribe: not simulated (CUPTI measures a GPU); leave the profiler out"):
            self.assertIn(words, done.stderr)
        self.assertIn("nvjpegCreateSimple", notes)
        self.assertNotIn("cuptiGetCallbackName", notes)  # the profiler was named already

    def test_cupti_tells_its_version(self):
        """That of the headers that lie beside the library; a package that only asks for it, like JAX, goes on."""
        script = """
folder = sys.argv[2] if len(sys.argv) > 2 else sys.argv[1]
cupti, version, text = ctypes.CDLL(folder + "/libcupti.so.13"), ctypes.c_uint32(), ctypes.c_char_p()
print(cupti.cuptiGetVersion(by(version)), version.value, cupti.cuptiGetVersion(None), cupti.cuptiGetResultString(27, by(text)), text.value.decode(),
      cupti.cuptiGetLastError())
"""
        done, notes = self.run_late(script, "libcupti.so.13")
        self.assertEqual(done.stdout, "27 0 1 0 CUPTI_ERROR_NOT_SUPPORTED 0\n", done.stderr)
        self.assertIn("cuptiGetVersion: cupti_version.h does not lie beside the library", notes)
        for name in ("lib", "include"):
            os.makedirs(os.path.join(self.folder, name))
        with open(os.path.join(self.folder, "include", "cupti_version.h"), "w", encoding="utf-8") as file:
            file.write("// CUPTI_API_VERSION 1\n#define CUPTI_API_VERSION 130202\n")
        place = os.path.join(self.folder, "lib")
        compile_c(source_of("libcupti.so.13"), os.path.join(place, "libcupti.so.13"), "-shared")
        done, notes = self.run_script(START + script, self.folder, place)
        self.assertEqual(done.stdout, "0 130202 1 0 CUPTI_ERROR_NOT_SUPPORTED 0\n", done.stderr)
        self.assertEqual(notes, "")

    def test_who_calls(self):
        """Calls from a package's own libraries say which it is, and what to do there."""
        for folder, package, way_out in (("torch", "PyTorch", "tensor.cpu()"), ("cupy_backends", "CuPy", "cupy.asnumpy(array)"),
                                         ("jax_cuda12_plugin", "JAX", "jax.default_device")):
            place = os.path.join(self.folder, "site-packages", folder)
            os.makedirs(place)
            compile_c("int cudnnConvolutionForward(void); int call(void) { return cudnnConvolutionForward() + 1; }", f"{place}/its.so", "-shared")
            done, _ = self.run_late(f"ctypes.CDLL(sys.argv[1] + '/libcudnn.so.9', ctypes.RTLD_GLOBAL)\nprint(ctypes.CDLL({place!r} + '/its.so').call())",
                                    "libcudnn.so.9")
            self.assertEqual(done.stdout, "3001\n", done.stderr)
            self.assertIn(f"cudnnConvolutionForward, called by {package}: not simulated (cuDNN is machine code only); ", done.stderr)
            self.assertIn(way_out, done.stderr)

    def test_others_call(self):
        """A folder that has a package's name in it is none."""
        place = os.path.join(self.folder, "ajax", "torch")
        os.makedirs(place)
        compile_c("int cudnnConvolutionForward(void); int call(void) { return cudnnConvolutionForward() + 1; }", f"{place}/its.so", "-shared")
        done, _ = self.run_late(f"ctypes.CDLL(sys.argv[1] + '/libcudnn.so.9', ctypes.RTLD_GLOBAL)\nprint(ctypes.CDLL({place!r} + '/its.so').call())", "libcudnn.so.9")
        self.assertIn("bankrun: cudnnConvolutionForward: not simulated", done.stderr)

    def test_xla_has_another_way(self):
        """XLA asks for descriptions of cuBLASLt as one way of several; everybody else is refused."""
        place = os.path.join(self.folder, "xla_cuda_plugin.so")
        compile_c("int cublasLtMatmulDescCreate(void); int call(void) { return cublasLtMatmulDescCreate() + 1; }", place, "-shared")
        script = "lt = ctypes.CDLL(sys.argv[1] + '/libcublasLt.so.13', ctypes.RTLD_GLOBAL)\nprint({})"
        done, notes = self.run_late(script.format(f"ctypes.CDLL({place!r}).call()"), "libcublasLt.so.13")
        self.assertEqual((done.stdout, notes), ("16\n", ""), done.stderr)
        self.assertNotIn("not simulated", done.stderr)
        done, notes = self.run_late(script.format("lt.cublasLtMatmulDescCreate()"), "libcublasLt.so.13")
        self.assertIn("cublasLtMatmulDescCreate", notes)

    def test_older_than_what_is_computed(self):
        self.addCleanup(ABORTING.pop, "libcublas.so.11")
        ABORTING["libcublas.so.11"] = "cublasSgemm_v2"
        done, _ = self.run_late("print(load('libcublas.so.11').cublasSgemm_v2())", "libcublas.so.11", options=("--libraries", "cpu"))
        self.assertEqual(done.stdout, "15\n", done.stderr)
        self.assertIn("cublasSgemm: not simulated (cuBLAS is machine code only); --libraries cpu has cuBLAS of CUDA 12 and 13 alone", done.stderr)

    def test_linked(self):
        """A program that was linked with a library; a gate fails though the program does not look at the status."""
        compile_c(source_of("libcusolver.so.12"), os.path.join(self.folder, "libcusolver.so.12"), "-shared", "-Wl,-soname,libcusolver.so.12")
        program = os.path.join(self.folder, "program")
        compile_c("#include <stdio.h>\nint cusolverDnSgetrf(void), cusolverDnCreate(void **);\nint main(void) { void *handle;\n"
                  "printf(\"%d %d\\n\", cusolverDnCreate(&handle), cusolverDnSgetrf()); return 0; }", program,
                  os.path.join(self.folder, "libcusolver.so.12"), "-Wl,-rpath," + self.folder)
        command = [BANKRUN, "-q", "--fail-on", "excess=1000", sys.executable, "-c", f"import subprocess; subprocess.run([{program!r}], stderr=-3)"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (4, "0 9\n"), done.stderr)
        self.assertIn("bankrun: not simulated: cusolverDnSgetrf (cuSOLVER is machine code only)", done.stderr)

    def test_damaged(self):
        """A file of such a name that is no library is the linker's affair; one whose functions leave no room says so."""
        with open(os.path.join(self.folder, "libcudnn.so.9"), "wb") as file:
            file.write(b"\x7fELF" + b"\0" * 9)
        done, notes = self.run_late("try: load('libcudnn.so.9')\nexcept OSError as error: print('no')")
        self.assertEqual((done.stdout, notes), ("no\n", ""), done.stderr)
        short = ".text\n" + "".join(f".globl {name}\n.type {name}, @function\n{name}: ret\n" for name in ("cudnnA", "cudnnB"))
        subprocess.run(["cc", "-shared", "-x", "assembler", "-", "-z", "noexecstack", "-o", os.path.join(self.folder, "libcudnn.so.9")], input=short, text=True, check=True)
        done, notes = self.run_late("load('libcudnn.so.9')")
        self.assertIn("its functions cannot be refused by name", notes)

    def test_missing(self):
        """What the library does not have is not there."""
        done, _ = self.run_late("print(hasattr(load('libcudnn.so.9'), 'cudnnNever'), hasattr(load('libcudnn.so.9'), 'cudnnCreate'))", "libcudnn.so.9")
        self.assertEqual(done.stdout, "False True\n", done.stderr)


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
