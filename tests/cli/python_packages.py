"""The examples of examples/python run with the packages that they are of, as PyPI has them, and are counted by Python file and line,
or by that of the text that they compile.

BANKRUN_PYTHON is the interpreter that has the packages (`make python-examples`). What it lacks is skipped."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
PYTHON = os.environ.get("BANKRUN_PYTHON") or sys.executable
EXAMPLES = os.path.abspath("examples/python")


def has(*modules):
    """Whether they are installed: one that cannot be imported is no reason to skip."""
    words = f"import sys\nfrom importlib.util import find_spec\nsys.exit(not all(find_spec(name) for name in {modules}))"
    return subprocess.run([PYTHON, "-c", words], check=False, capture_output=True).returncode == 0


def has_nvcc():
    return shutil.which("nvcc") or os.access("/usr/local/cuda/bin/nvcc", os.X_OK)


def run(name, **variables):
    """The launches of an example: kernel, and its accesses of shared memory as (file, line, wavefronts, excess)."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        arch = ["--arch", "sm_90a"] if name.endswith("tma") else []
        done = subprocess.run([BANKRUN, "--no-cache", *arch, "--format", "json", "-o", out, PYTHON, f"{EXAMPLES}/{name}_kernels.py"],
                              check=False, capture_output=True, text=True, env={**os.environ, **variables})
        if done.returncode or "all right" not in done.stdout:
            raise AssertionError(f"status {done.returncode}\n{done.stdout}{done.stderr}")
        with open(out, encoding="utf-8") as file:
            profile = json.load(file)
    assert not profile.get("incomplete"), profile["incomplete"]
    return [(launch["kernel"], [(os.path.basename(site.get("file") or ""), site.get("line"), site["wavefronts"], site["excess"])
                                for site in launch["sites"] if site["space"] == "shared"])
            for launch in profile["launches"]]


def marked(name):
    """The line of the example that says of itself that it is 32-way; in the text that it compiles, where it does."""
    with open(f"{EXAMPLES}/{name}_kernels.py", encoding="utf-8") as file:
        before = file.read().partition("32-way")[0]
    return before.rpartition('"""')[2].count("\n") + 1 if "SOURCE" in before else before.count("\n") + 1


class Examples(unittest.TestCase):
    def expect_transposes(self, launches, file, line, blocks=16):
        """The first has 31 wavefronts too many for each request of the line, and the second none."""
        (_, naive), (_, padded) = launches[:2]
        self.assertEqual([site[:2] for site in naive if site[3]], [(file, line)])
        self.assertEqual(sum(site[3] for site in naive), 31 * 32 * blocks)
        self.assertEqual(sum(site[3] for site in padded), 0)
        self.assertEqual(sum(site[2] for site in padded), 2 * 32 * blocks)

    @unittest.skipUnless(has("numba_cuda", "numba.cuda"), "numba-cuda is not there")
    def test_numba(self):
        launches = run("numba")
        self.assertEqual([kernel.partition("(")[0] for kernel, _ in launches],
                         [f"__main__::{name}" for name in ("transpose", "transpose_padded", "softmax", "matmul")])
        self.expect_transposes(launches, "numba_kernels.py", marked("numba"))
        self.assertEqual({site[0] for _, sites in launches for site in sites}, {"numba_kernels.py"})

    @unittest.skipUnless(has("triton", "numpy"), "triton is not there")
    def test_triton(self):
        launches = run("triton")
        self.assertEqual([kernel for kernel, _ in launches], ["transpose", "softmax", "matmul"])
        self.assertLessEqual({site[0] for _, sites in launches for site in sites}, {"triton_kernels.py", "standard.py"})  # its library
        self.assertTrue(all(site[1] for _, sites in launches for site in sites))
        self.assertTrue(all(sites for _, sites in launches))

    @unittest.skipUnless(has("triton.tools.tensor_descriptor", "numpy"), "triton is not there")
    def test_triton_descriptors(self):
        launches = run("triton_descriptor")
        self.assertEqual([kernel for kernel, _ in launches], ["transpose_made", "transpose_given", "matmul"])
        self.assertTrue(all(sites for _, sites in launches))

    @unittest.skipUnless(has("triton", "torch"), "triton or torch is not there")
    def test_triton_on_tensors_of_torch(self):
        """The last kernel is launched by a thread of PyTorch's autograd."""
        launches = run("triton_torch")
        self.assertEqual([kernel for kernel, _ in launches], ["matmul", "softmax", "softmax_backward"])
        self.assertTrue(all(sites for _, sites in launches))
        self.assertLessEqual({site[0] for _, sites in launches for site in sites}, {"triton_torch_kernels.py", "standard.py"})

    @unittest.skipUnless(has("cuda.core", "cuda.bindings", "numpy"), "cuda.core is not there")
    def test_cuda_core(self):
        launches = run("cuda_core")
        self.expect_transposes(launches, "kernels.cu", marked("cuda_core"))
        self.assertEqual({site[0] for _, sites in launches for site in sites}, {"kernels.cu"})

    @unittest.skipUnless(has("cuda.bindings.runtime"), "cuda.bindings is not there")
    def test_bindings_runtime(self):
        """The static runtime in it is not called."""
        words = ("from cuda.bindings import runtime as r\nprint(int(r.cudaMalloc(1 << 20)[0]), r.cudaGetDeviceCount()[1], "
                 "r.cudaGetDeviceProperties(0)[1].warpSize, r.cudaGetErrorName(r.cudaError_t(209))[1], int(r.cudaSetDevice(7)[0]))")
        done = subprocess.run([BANKRUN, "--no-cache", PYTHON, "-c", words], check=False, capture_output=True, text=True)
        self.assertEqual(done.stdout, "0 1 32 b'cudaErrorNoKernelImageForDevice' 101\n", done.stderr)
        self.assertNotIn("undocumented", done.stderr)

    @unittest.skipUnless(has("tinygrad", "numpy"), "tinygrad is not there")
    def test_tinygrad(self):
        self.assertGreaterEqual(len(run("tinygrad", DEV="CUDA")), 3)

    @unittest.skipUnless(has("taichi", "numpy"), "taichi is not there")
    def test_taichi(self):
        launches = [launch for launch in run("taichi") if launch[0].startswith(("transpose", "softmax", "matmul"))]
        self.assertEqual([kernel.partition("_c")[0] for kernel, _ in launches], ["transpose", "transpose_padded", "softmax", "matmul"])
        file, line = next(site[:2] for site in launches[0][1] if site[3])  # those of its PTX, which has none itself
        self.assertRegex(file, r"^transpose_c\d+_0_kernel_0_range_for\.ptx$")
        self.expect_transposes(launches, file, line)

    @unittest.skipUnless(has("warp", "numpy"), "warp is not there")
    def test_warp(self):
        """The wheel of PyPI is refused, by its name and with a way out; one that loads the runtime as a library runs."""
        script = f"{EXAMPLES}/warp_kernels.py"
        where = [PYTHON, "-c", "import importlib.util as u; print(u.find_spec('warp').submodule_search_locations[0])"]
        folder = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
        with open(f"{folder}/bin/warp.so", "rb") as file:
            is_shared = b"\0libcudart.so." in file.read()
        if not is_shared:
            done = subprocess.run([BANKRUN, "--no-cache", PYTHON, script], check=False, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("bin/warp.so has the static CUDA runtime in it, without symbols", done.stderr)
            self.assertIn("build_lib.py --use-dynamic-cuda", done.stderr)
            return
        launches = run("warp")
        self.assertEqual([sum(site[3] for site in sites) for _, sites in launches[:2]], [31 * 32 * 16, 0])
        self.assertEqual([kernel.partition("_")[0] for kernel, _ in launches], ["transpose", "transpose", "softmax", "matmul"])

    @unittest.skipUnless(has("cupy", "numpy"), "cupy is not there")
    def test_cupy(self):
        launches = [launch for launch in run("cupy") if launch[0] == "transpose"]
        file = launches[0][1][0][0]  # CuPy names texts by their hash
        self.assertTrue(file.endswith(".cu"), file)
        self.expect_transposes(launches, file, marked("cupy"))

    @unittest.skipUnless(has("cutlass.cute", "numpy"), "nvidia-cutlass-dsl is not there")
    def test_cute_dsl(self):
        launches = run("cute_dsl")
        self.assertEqual([kernel.split("_")[2] for kernel, _ in launches], ["transpose", "transpose", "softmax", "matmul"])
        self.expect_transposes(launches, "cute_dsl_kernels.py", marked("cute_dsl"))
        self.assertEqual({site[0] for _, sites in launches for site in sites}, {"cute_dsl_kernels.py"})

    @unittest.skipUnless(has("cutlass.cute", "numpy"), "nvidia-cutlass-dsl is not there")
    def test_cute_dsl_tma(self):
        """32-way as tiles come, 4-way where they are swizzled; the product's tiles are read by wgmma alone."""
        launches = run("cute_dsl_tma")
        self.assertEqual([kernel.split("_")[2] for kernel, _ in launches], ["transpose", "transpose", "matmul"])
        file, line = "cute_dsl_tma_kernels.py", marked("cute_dsl_tma")
        for (_, sites), excess in zip(launches, (31, 3, 0)):
            self.assertEqual(sum(site[3] for site in sites), excess * 32 * 16)
            self.assertLessEqual({site[:2] for site in sites if site[3]}, {(file, line)})
            self.assertEqual({site[0] for site in sites}, {file})

    @unittest.skipUnless(has("jax", "jax_cuda12_plugin") or has("jax", "jax_cuda13_plugin"), "jax[cuda12] is not there")
    def test_jax(self):
        """XLA names its kernels by what they compute, and no lines: those of its PTX are what there is."""
        launches = run("jax")
        kernels = [kernel for kernel, _ in launches]
        self.assertTrue(all(site[0].endswith(".ptx") and site[1] for _, sites in launches for site in sites))
        self.assertEqual(kernels[0], "input_transpose_fusion")
        self.assertIn("softmax", kernels[1])
        self.assertIn("gemm_fusion_dot", kernels)
        self.assertEqual(kernels[-1], "turn")

    @unittest.skipUnless(has("cupy", "numpy") and has_nvcc(), "cupy or nvcc is not there")
    def test_cupy_with_nvcc(self):
        launches = run("cupy_nvcc")
        self.assertEqual([kernel for kernel, _ in launches], ["transpose", "transpose", "softmax", "matmul"])
        file = launches[0][1][0][0]  # named by its hash
        self.assertTrue(file.endswith(".cu"), file)
        self.expect_transposes(launches, file, marked("cupy_nvcc"))

    @unittest.skipUnless(has("pycuda.compiler", "numpy") and has_nvcc(), "pycuda or nvcc is not there")
    def test_pycuda(self):
        launches = run("pycuda")
        self.assertEqual([kernel for kernel, _ in launches[:4]], ["transpose", "transpose", "softmax", "matmul"])
        self.expect_transposes(launches, "kernel.cu", marked("pycuda") + 1)  # behind PyCUDA's extern "C" {
        self.assertEqual({site[0] for _, sites in launches[:4] for site in sites}, {"kernel.cu"})

    @unittest.skipUnless(has("tilelang", "torch") and has_nvcc(), "tilelang or nvcc is not there")
    def test_tilelang(self):
        for backend, file in (("tvm_ffi", r"tvm_kernels\.cu"), ("cython", r"tmp.*\.cu"), ("nvrtc", "tvm_kernels")):
            launches = run("tilelang", TILELANG_EXECUTION_BACKEND=backend)
            self.assertEqual([kernel for kernel, _ in launches],
                             ["transpose_kernel_kernel", "transpose_kernel_kernel", "softmax_kernel_kernel", "matmul_kernel_kernel"])
            (conflicting,) = [site for site in launches[0][1] if site[3]]
            self.assertRegex(conflicting[0], f"^{file}$")
            self.expect_transposes(launches, *conflicting[:2])


if __name__ == "__main__":
    found = unittest.main(exit=False).result
    if found.wasSuccessful() and len(found.skipped) == found.testsRun:
        print("none of the packages is there")
        sys.exit(77)
    sys.exit(0 if found.wasSuccessful() else 1)
