"""--libraries cpu: what cuFFT would compute, held against sums written down here; and what it refuses."""

import ctypes
import os
import subprocess
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# A program by ctypes. Complex numbers are pairs of numbers.
HEAD = r"""
import cmath, ctypes, itertools, random, struct
cudart, fft = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcufft.so.12")
P, I, L = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong
C2C, R2C, C2R, Z2Z, D2Z, Z2D = 0x29, 0x2a, 0x2c, 0x69, 0x6a, 0x6c
random.seed(3)
def good(status):
    assert status == 0, status
def put(values, code="f"):
    data = struct.pack("<%d%s" % (len(values), code), *values)
    pointer = P()
    good(cudart.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(len(data), 1))))
    good(cudart.cudaMemcpy(pointer, data, ctypes.c_size_t(len(data)), 1))
    return pointer
def take(pointer, count, code="f"):
    data = ctypes.create_string_buffer(count * struct.calcsize(code))
    good(cudart.cudaMemcpy(data, pointer, ctypes.c_size_t(len(data)), 2))
    return list(struct.unpack("<%d%s" % (count, code), data.raw))
def flat(values): return [part for z in values for part in (z.real, z.imag)]
def pairs(values): return [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]
def some(count): return [random.uniform(-1, 1) for _ in range(count)]
def somez(count): return pairs(some(2 * count))
def near(a, b, by=2e-4):
    assert len(a) == len(b) and all(abs(x - y) <= by * (1 + abs(y)) for x, y in zip(a, b)), (a, b)
def dft(values, n, sign):  # of any dimensions, the last one fastest
    places = list(itertools.product(*map(range, n)))
    return [sum(v * cmath.exp(sign * 2j * cmath.pi * sum(k * x / m for k, x, m in zip(to, at, n)))
                for v, at in zip(values, places)) for to in places]
def half(values, n):  # the part of a transform of real numbers that is kept
    row, kept = n[-1], n[-1] // 2 + 1
    return [z for i in range(0, len(values), row) for z in values[i:i + row][:kept]]
def plan(kind, n, batch=1):
    made = I()
    if len(n) == 1: good(fft.cufftPlan1d(ctypes.byref(made), n[0], kind, batch))
    elif len(n) == 2: good(fft.cufftPlan2d(ctypes.byref(made), *n, kind))
    else: good(fft.cufftPlan3d(ctypes.byref(made), *n, kind))
    return made
def ints(*values, kind=I): return (kind * len(values))(*values)
def size(n):
    count = 1
    for m in n: count *= m
    return count
"""


def missing():
    for name in ("libfftw3f.so.3", "libfftw3.so.3"):
        try:
            ctypes.CDLL(name)
        except OSError:
            return name
    return None


class Case(FolderCase):
    def run_script(self, text, *options, head=HEAD, env=None):
        return run(BANKRUN, "--libraries", "cpu", *options, sys.executable, self.write("script.py", head + text),
                   **({"env": env} if env else {}))

    def good(self, text, *options):
        done = self.run_script(text, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


@unittest.skipIf(missing(), f"{missing()} is not there (libfftw3-single3, libfftw3-double3)")
class Answers(Case):
    def test_complex(self):
        """Both precisions and ways, one to three dimensions, primes and 1, in and out of place."""
        done = self.good("""
for n in ((1,), (2,), (8,), (13,), (30,), (3, 4), (5, 1), (2, 3, 5)):
    for kind, call, code, by in ((C2C, fft.cufftExecC2C, "f", 2e-4), (Z2Z, fft.cufftExecZ2Z, "d", 1e-12)):
        for sign in (-1, 1):
            x, made = somez(size(n)), plan(kind, n)
            a, b = put(flat(x), code), put([0] * 2 * len(x), code)
            good(call(made, a, b, sign))
            near(pairs(take(b, 2 * len(x), code)), dft(x, n, sign), by)
            near(take(a, 2 * len(x), code), flat(x), 1e-6)
            good(call(made, a, a, sign))
            near(pairs(take(a, 2 * len(x), code)), dft(x, n, sign), by)
            good(fft.cufftDestroy(made))
""")
        self.assertIn("cufftExecC2C: computed on the CPU, not counted", done.stderr)

    def test_real(self):
        """Halves of transforms; in place, rows of real numbers have the room of their complex ones."""
        self.good("""
for n in ((1,), (2,), (7,), (16,), (3, 4), (4, 5), (2, 3, 4), (2, 3, 5)):
    for there, back, forth, inverse, code, by in ((R2C, C2R, fft.cufftExecR2C, fft.cufftExecC2R, "f", 2e-4),
                                                  (D2Z, Z2D, fft.cufftExecD2Z, fft.cufftExecZ2D, "d", 1e-12)):
        x = some(size(n))
        wanted = half(dft(x, n, -1), n)
        a, b = put(x, code), put([0] * 2 * len(wanted), code)
        good(forth(plan(there, n), a, b))
        near(pairs(take(b, 2 * len(wanted), code)), wanted, by)
        good(inverse(plan(back, n), b, a))
        near(take(a, len(x), code), [v * size(n) for v in x], by)
        near(pairs(take(b, 2 * len(wanted), code)), wanted, by)  # what it read is what it was
        row, room = n[-1], 2 * (n[-1] // 2 + 1)
        padded = [v for i in range(0, len(x), row) for v in x[i:i + row] + [9] * (room - row)]
        c = put(padded, code)
        good(forth(plan(there, n), c, c))
        near(pairs(take(c, len(padded), code)), wanted, by)
        good(inverse(plan(back, n), c, c))
        got = take(c, len(padded), code)
        near([v for i in range(0, len(got), room) for v in got[i:i + row]], [v * size(n) for v in x], by)
""")

    def test_layouts(self):
        """Batches; strides, distances and rows with room; other layouts of input and output; 64-bit names."""
        self.good("""
x = somez(3 * 5)
a = put(flat(x))
b = put([0] * 30)
good(fft.cufftExecC2C(plan(C2C, (5,), 3), a, b, -1))
near(pairs(take(b, 30)), sum((dft(x[i * 5:i * 5 + 5], (5,), -1) for i in range(3)), []))
# Batches side by side become batches one behind the other.
x = somez(4 * 6)
made = I()
good(fft.cufftPlanMany(ctypes.byref(made), 1, ints(6), ints(6), 4, 1, ints(6), 1, 6, C2C, 4))
b = put([0] * 48)
good(fft.cufftExecC2C(made, put(flat(x)), b, 1))
near(pairs(take(b, 48)), sum((dft(x[i::4], (6,), 1) for i in range(4)), []))
a = put(flat(x))
good(fft.cufftExecC2C(made, a, a, 1))  # and in place
near(pairs(take(a, 48)), sum((dft(x[i::4], (6,), 1) for i in range(4)), []))
# Rows of 3 in room for 5, of 2 in room for 3, every other element; what is between stays.
for call, of in ((fft.cufftMakePlanMany, I), (fft.cufftMakePlanMany64, L)):
    x = somez(60)
    good(fft.cufftCreate(ctypes.byref(made)))
    work = ctypes.c_size_t(7)
    good(call(made, 2, ints(2, 3, kind=of), ints(3, 5, kind=of), of(2), of(30), ints(2, 3, kind=of), of(1), of(6), C2C, of(2),
              ctypes.byref(work)))
    assert work.value == 0
    b = put([0] * 24)
    good(fft.cufftExecC2C(made, put(flat(x)), b, -1))
    taken = [[x[k * 30 + 2 * (i * 5 + j)] for i in range(2) for j in range(3)] for k in range(2)]
    near(pairs(take(b, 24)), sum((dft(t, (2, 3), -1) for t in taken), []))
# Real numbers in rows with room.
x = some(2 * 4 * 8)
good(fft.cufftPlanMany(ctypes.byref(made), 2, ints(4, 6), ints(4, 8), 1, 32, ints(4, 4), 1, 16, R2C, 2))
b = put([0] * 64)
good(fft.cufftExecR2C(made, put(x), b))
wanted = [half(dft([x[k * 32 + i * 8 + j] for i in range(4) for j in range(6)], (4, 6), -1), (4, 6)) for k in range(2)]
near(pairs(take(b, 64)), sum(wanted, []))
# As PyTorch and CuPy ask.
good(fft.cufftCreate(ctypes.byref(made)))
good(fft.cufftSetAutoAllocation(made, 0))
good(fft.cufftXtMakePlanMany(made, 1, ints(5, kind=L), None, L(1), L(5), 4, None, L(1), L(5), 4, L(2), ctypes.byref(work), 4))
good(fft.cufftSetWorkArea(made, None))
x = somez(10)
a = put(flat(x))
good(fft.cufftXtExec(made, a, a, -1))
near(pairs(take(a, 20)), dft(x[:5], (5,), -1) + dft(x[5:], (5,), -1))
""")

    def test_capture(self):
        """A transform in a captured stream is a node of the graph, done at each launch of it."""
        self.good("""
stream, graph, ready = P(), P(), P()
good(cudart.cudaStreamCreate(ctypes.byref(stream)))
made = plan(C2C, (4,))
good(fft.cufftSetStream(made, stream))
x = somez(4)
a = put(flat(x))
good(cudart.cudaStreamBeginCapture(stream, 0))
good(fft.cufftExecC2C(made, a, a, -1))
good(cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
near(pairs(take(a, 8)), x)
good(cudart.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)))
good(cudart.cudaGraphLaunch(ready, stream))
near(pairs(take(a, 8)), dft(x, (4,), -1))
good(cudart.cudaGraphLaunch(ready, stream))
near(pairs(take(a, 8)), dft(dft(x, (4,), -1), (4,), -1))
good(cudart.cudaGraphExecDestroy(ready)); good(cudart.cudaGraphDestroy(graph))
""")

    def test_refusals(self):
        done = self.run_script("""
made = I()
a = put([0] * 64)
assert [fft.cufftPlan1d(ctypes.byref(made), n, C2C, batch) for n, batch in ((0, 1), (-4, 1), (4, 0))] == [8, 8, 8]
assert fft.cufftPlanMany(ctypes.byref(made), 4, ints(2, 2, 2, 2), None, 1, 1, None, 1, 1, C2C, 1) == 4
assert fft.cufftExecC2C(99, a, a, -1) == 1
good(fft.cufftCreate(ctypes.byref(made)))
assert fft.cufftExecC2C(made, a, a, -1) == 1 and fft.cufftGetSize(made, ctypes.byref(ctypes.c_size_t())) == 1
made = plan(C2C, (4,))
assert fft.cufftExecC2C(made, a, a, 0) == 4 and fft.cufftExecR2C(made, a, a) == 3
for embeds, distance in (((ints(8), None), 8), ((None, ints(8)), 8), ((ints(8), ints(8)), 0)):  # as an H100 has it
    assert fft.cufftPlanMany(ctypes.byref(I()), 1, ints(8), embeds[0], 1, distance, embeds[1], 1, distance, C2C, 2) == 4
assert fft.cufftXtSetCallback(made, None, 0, None) == 16
assert fft.cufftXtSetGPUs(made, 2, ints(0, 1)) == 16
good(fft.cufftDestroy(made))
assert fft.cufftDestroy(made) == 1
good(fft.cufftCreate(ctypes.byref(made)))
work = ctypes.c_size_t()
assert fft.cufftXtMakePlanMany(made, 1, ints(8, kind=L), None, L(1), L(8), 6, None, L(1), L(8), 6, L(1), ctypes.byref(work), 6) == 16
""", "--fail-on", "fault")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("cufftXtSetCallback: not simulated (--libraries cpu does not compute it)", done.stderr)
        self.assertIn("cufftXtMakePlanMany is not supported with these types of data: float and double alone are", done.stderr)

    def test_memory_that_is_not_there(self):
        done = self.run_script("""
made = plan(C2C, (8,))
print(fft.cufftExecC2C(made, put([0] * 16), put([0] * 15), -1), cudart.cudaDeviceSynchronize())
""")
        self.assertEqual(done.stdout.split(), ["6", "700"], done.stderr)
        self.assertRegex(done.stderr, "cufftExecC2C: the output, 64 bytes at 0x[0-9a-f]+, leaves its allocation")

    def test_what_it_writes_is_defined(self):
        for call, kind, count in (("R2C", "R2C", 10), ("C2C", "C2C", 16)):
            self.good(f"""
out = P()
good(cudart.cudaMalloc(ctypes.byref(out), ctypes.c_size_t(256)))
good(fft.cufftExec{call}(plan({kind}, (8,)), put(some(16)), out, -1))
take(out, {count})
""", "--check", "init", "--fail-on", "check")


class Without(Case):
    def test_without_fftw(self):
        """Libraries of that name that cannot be loaded come first."""
        for name in ("libfftw3f.so.3", "libfftw3.so.3"):
            self.write(name, "no library")
        done = subprocess.run([BANKRUN, "--libraries", "cpu", sys.executable, self.write("script.py", """
import ctypes
print(ctypes.CDLL("libcufft.so.12").cufftPlan1d(ctypes.byref(ctypes.c_int()), 8, 0x29, 1))
""")], capture_output=True, text=True, check=False, env={**os.environ, "LD_LIBRARY_PATH": self.folder})
        if not missing() and done.stdout == "0\n":
            self.skipTest("the linker went on to the next library of that name")
        self.assertEqual(done.stdout, "7\n", done.stderr)
        self.assertIn("apt install libfftw3-single3", done.stderr)


if __name__ == "__main__":
    unittest.main()
