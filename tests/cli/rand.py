"""--libraries cpu: cuRAND's numbers on the device are those of its own generators for the host; and what it refuses."""

import ctypes
import glob
import os
import subprocess
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

HEAD = r"""
import ctypes, struct
cudart, rand = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcurand.so.10")
P, I, N = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
def good(status):
    assert status == 0, status
def room(count):
    pointer = P()
    good(cudart.cudaMalloc(ctypes.byref(pointer), N(count)))
    return pointer
def take(pointer, count):
    data = ctypes.create_string_buffer(count)
    good(cudart.cudaMemcpy(data, pointer, N(count), 2))
    return data.raw
def generator(kind, create=rand.curandCreateGenerator):
    made = P()
    good(create(ctypes.byref(made), kind))
    return made
"""


def library():
    """The toolkit's libcurand, or None."""
    for place in ("/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu", *sorted(glob.glob("/usr/local/cuda-*/lib64"))):
        path = os.path.join(place, "libcurand.so.10")
        if os.path.exists(path):
            try:
                ctypes.CDLL(path)
                return path
            except OSError:
                pass
    return None


LIBRARY = library()


@unittest.skipUnless(LIBRARY, "libcurand.so.10 of the CUDA toolkit is not there")
class Answers(FolderCase):
    def run_script(self, text, *options, head=HEAD, libraries=("--libraries", "cpu")):
        return run(BANKRUN, *libraries, *options, sys.executable, self.write("script.py", head + text),
                   env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARY)})

    def good(self, text, *options):
        done = self.run_script(text, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_numbers(self):
        """All generators and distributions, twice in a row: what the host's generator gives."""
        done = self.good("""
F, D = ctypes.c_float, ctypes.c_double
calls = ((4, "", ()), (4, "Uniform", ()), (8, "UniformDouble", ()), (4, "Normal", (F(1), F(2))), (8, "NormalDouble", (D(1), D(2))),
         (4, "LogNormal", (F(0), F(1))), (8, "LogNormalDouble", (D(0), D(1))), (4, "Poisson", (D(9.5),)))
def ready(kind, create):
    made = generator(kind, create)
    if kind < 200: good(rand.curandSetPseudoRandomGeneratorSeed(made, ctypes.c_ulonglong(77)))
    else: good(rand.curandSetQuasiRandomGeneratorDimensions(made, 2))
    if kind != 141: good(rand.curandSetGeneratorOffset(made, ctypes.c_ulonglong(6)))
    good(rand.curandGenerateSeeds(made))
    return made
for kind in (100, 101, 121, 141, 161, 200, 201, 202):  # MT19937 takes ten seconds for its seeds
    for size, name, more in calls if kind in (101, 202) else calls[1:2]:
        device, host = ready(kind, rand.curandCreateGenerator), ready(kind, rand.curandCreateGeneratorHost)
        call = getattr(rand, "curandGenerate" + name)
        for count in (0, 2, 1000):
            if not count and kind == 202: continue
            out, own = room(count * size or 1), ctypes.create_string_buffer(count * size)
            a, b = call(device, out, N(count), *more), call(host, own, N(count), *more)
            assert a == b, (kind, name, count, a, b)
            assert a or take(out, count * size) == own.raw, (kind, name)
            assert a or not count or len(set(struct.unpack("%dI" % (count * size // 4), own.raw))) > 1
        for one in device, host: good(rand.curandDestroyGenerator(one))
for kind in (203, 204):  # of 64 bits
    out, own = room(800), ctypes.create_string_buffer(800)
    good(rand.curandGenerateLongLong(generator(kind), out, N(100)))
    good(rand.curandGenerateLongLong(generator(kind, rand.curandCreateGeneratorHost), own, N(100)))
    assert take(out, 800) == own.raw
""")
        self.assertIn("curandGenerateUniform: computed on the CPU, not counted", done.stderr)

    def test_as_without_bankrun(self):
        """The same of the library as it is, in a process of its own."""
        text = f"""
import ctypes
rand = ctypes.CDLL("{LIBRARY}")
made, own = ctypes.c_void_p(), ctypes.create_string_buffer(4000)
assert not rand.curandCreateGeneratorHost(ctypes.byref(made), 161)
assert not rand.curandSetPseudoRandomGeneratorSeed(made, ctypes.c_ulonglong(5))
assert not rand.curandGenerateUniform(made, own, ctypes.c_size_t(1000))
print(own.raw.hex())
"""
        wanted = run(sys.executable, self.write("plain.py", text)).stdout
        self.assertEqual(len(wanted), 8001)
        done = self.good(f"""
rand = ctypes.CDLL("{LIBRARY}", ctypes.RTLD_GLOBAL)  # by its path and for all, as packages of Python ask
made, out = generator(161, rand.curandCreateGenerator), room(4000)
good(rand.curandSetPseudoRandomGeneratorSeed(made, ctypes.c_ulonglong(5)))
good(rand.curandGenerateUniform(made, out, N(1000)))
print(take(out, 4000).hex())
made = generator(100, rand.curandCreateGenerator)
good(rand.curandGenerateUniform(made, out, N(1000)))  # which seeds by itself
version, major = I(), I()
good(rand.curandGetVersion(ctypes.byref(version)))
good(rand.curandGetProperty(0, ctypes.byref(major)))
assert version.value // 1000 == major.value == 10
vectors = P()
good(rand.curandGetDirectionVectors32(ctypes.byref(vectors), 101))
assert vectors.value
""")
        self.assertEqual(done.stdout, wanted)

    def test_capture(self):
        """In a captured stream numbers are made at each launch of the graph, new ones each time."""
        done = self.good("""
stream, graph, ready = P(), P(), P()
good(cudart.cudaStreamCreate(ctypes.byref(stream)))
made, plain, out = generator(101), generator(101), room(64)
good(rand.curandSetStream(made, stream))
good(cudart.cudaStreamBeginCapture(stream, 0))
good(rand.curandGenerate(made, out, N(16)))
good(cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
good(cudart.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)))
other = room(64)
for _ in range(2):
    good(cudart.cudaGraphLaunch(ready, stream))
    good(rand.curandGenerate(plain, other, N(16)))
    assert take(out, 64) == take(other, 64)
good(rand.curandDestroyGenerator(made))
cudart.cudaGraphLaunch(ready, stream)  # of a generator that is gone
""")
        self.assertIn("with a generator that was destroyed before the graph was launched", done.stderr)

    def test_refusals(self):
        done = self.run_script("""
out = room(64)
made = generator(100)
assert rand.curandGenerate(None, out, N(16)) == 101
assert rand.curandCreateGenerator(ctypes.byref(P()), 7) == 103
assert rand.curandSetGeneratorOrdering(made, 104) == 104  # which depends on the GPU
assert rand.curandGenerate(made, out, N(16)) == 201       # no other numbers in its place
good(rand.curandSetGeneratorOrdering(made, 101))
good(rand.curandGenerate(made, out, N(16)))
assert rand.curandGenerateNormal(made, out, N(7), ctypes.c_float(0), ctypes.c_float(1)) == 105
assert rand.curandCreatePoissonDistribution(ctypes.c_double(3), ctypes.byref(P())) == 999
good(rand.curandDestroyGenerator(made))
assert rand.curandDestroyGenerator(made) == 101 and rand.curandGenerate(made, out, N(16)) == 101
""", "--fail-on", "fault")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("curandSetGeneratorOrdering is not supported with CURAND_ORDERING_PSEUDO_DYNAMIC", done.stderr)
        self.assertIn("curandCreatePoissonDistribution: not simulated (--libraries cpu does not compute it)", done.stderr)

    def test_memory_that_is_not_there(self):
        done = self.run_script("print(rand.curandGenerate(generator(100), room(60), N(16)), cudart.cudaDeviceSynchronize())")
        self.assertEqual(done.stdout.split(), ["201", "700"], done.stderr)
        self.assertRegex(done.stderr, "curandGenerate: the output, 64 bytes at 0x[0-9a-f]+, leaves its allocation")

    def test_only_where_it_is_asked_for(self):
        done = self.run_script("print([line for line in open('/proc/self/maps') if 'bankrun-curand' in line])", libraries=())
        self.assertEqual(done.stdout, "[]\n", done.stderr)


class Without(FolderCase):
    def test_without_curand(self):
        """bankrun brings none: where there is no libcurand, there is none with --libraries cpu either."""
        text = "import ctypes\ntry:\n    ctypes.CDLL('/nowhere/libcurand.so.10')\nexcept OSError as error:\n    print(error)\n"
        done = subprocess.run([BANKRUN, "--libraries", "cpu", sys.executable, self.write("script.py", text)],
                              capture_output=True, text=True, check=False)
        self.assertIn("/nowhere/libcurand.so.10: cannot open shared object file", done.stdout)


if __name__ == "__main__":
    unittest.main()
