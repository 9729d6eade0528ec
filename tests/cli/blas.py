"""--libraries cpu: what cuBLAS would compute, held against sums written down here; and what it refuses."""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# A program by ctypes: matrices are lists of columns, one behind the other.
HEAD = r"""
import ctypes, struct, sys
cudart, blas, lt = (ctypes.CDLL(name) for name in ("libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13"))
P, I, L = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong
N, T, C = 0, 1, 2
def good(status):
    assert status == 0, status
def device(data):
    pointer = P()
    good(cudart.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(len(data), 1))))
    good(cudart.cudaMemcpy(pointer, data, ctypes.c_size_t(len(data)), 1))
    return pointer
def pack(code, values): return struct.pack("<%d%s" % (len(values), code), *values)
def put(values, code="f"): return device(pack(code, values))
def take(pointer, count, code="f"):
    data = ctypes.create_string_buffer(count * struct.calcsize(code))
    good(cudart.cudaMemcpy(data, pointer, ctypes.c_size_t(len(data)), 2))
    return list(struct.unpack("<%d%s" % (count, code), data.raw))
def f(value): return ctypes.byref(ctypes.c_float(value))
def d(value): return ctypes.byref(ctypes.c_double(value))
def near(a, b, by=1e-4):
    assert len(a) == len(b) and all(abs(x - y) <= by * (1 + abs(y)) for x, y in zip(a, b)), (a, b)
handle = P()
good(blas.cublasCreate_v2(ctypes.byref(handle)))
import random
random.seed(5)
def some(count): return [random.randint(-8, 8) / 4 for _ in range(count)]
def at(m, op, pitch, i, j): return m[j * pitch + i] if op == N else m[i * pitch + j]
def product(a, opa, lda, b, opb, ldb, m, n, k, alpha, beta, c, ldc):
    c = list(c)
    for j in range(n):
        for i in range(m):
            total = sum(at(a, opa, lda, i, l) * at(b, opb, ldb, l, j) for l in range(k))
            c[j * ldc + i] = alpha * total + beta * c[j * ldc + i]
    return c
"""


def has_openblas():
    return subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libopenblas.so.0')"],
                          capture_output=True, check=False).returncode == 0


class Case(FolderCase):
    def run_script(self, text, *options, head=HEAD):
        return run(BANKRUN, *options, sys.executable, self.write("script.py", head + text))

    def good(self, text, *options):
        done = self.run_script(text, "--libraries", "cpu", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


@unittest.skipUnless(has_openblas(), "libopenblas.so.0 is not there (libopenblas0-pthread)")
class Answers(Case):
    def test_gemm(self):
        """All ways to transpose, pitches with room behind each column, scalars on the host and on the device."""
        done = self.good("""
m, n, k = 5, 3, 4
for opa in (N, T):
    for opb in (N, T):
        lda, ldb, ldc = 7, 6, 8
        a, b, c = some(lda * 6), some(ldb * 6), some(ldc * n)
        where = put(c)
        good(blas.cublasSgemm_v2(handle, opa, opb, m, n, k, f(1.5), put(a), lda, put(b), ldb, f(-0.5), where, ldc))
        near(take(where, len(c)), product(a, opa, lda, b, opb, ldb, m, n, k, 1.5, -0.5, c, ldc))
        where = put(c, "d")
        good(blas.cublasDgemm_v2(handle, opa, opb, m, n, k, d(1.5), put(a, "d"), lda, put(b, "d"), ldb, d(0), where, ldc))
        near(take(where, len(c), "d"), product(a, opa, lda, b, opb, ldb, m, n, k, 1.5, 0, c, ldc))
good(blas.cublasSetPointerMode_v2(handle, 1))
a, b = some(4), some(4)
where = put([0] * 4)
good(blas.cublasSgemm_v2(handle, N, N, 2, 2, 2, put([2]), put(a), 2, put(b), 2, put([0]), where, 2))
near(take(where, 4), product(a, N, 2, b, N, 2, 2, 2, 2, 2, 0, [0] * 4, 2))
""", "--format", "json", "-o", os.path.join(self.folder, "run.json"))
        del done
        with open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
            gaps = json.load(file)["incomplete"]
        self.assertEqual([(gap["kind"], gap["text"], gap["count"]) for gap in gaps],
                         [("library", "cublasSgemm: computed on the CPU, not counted", 5),
                          ("library", "cublasDgemm: computed on the CPU, not counted", 4)])

    def test_no_gate_fails_for_what_was_asked_for(self):
        done = self.good("""
good(blas.cublasSscal_v2(handle, 3, f(2), put([1, 2, 3]), 1))
""", "--fail-on", "fault")
        self.assertIn("cublasSscal: computed on the CPU, not counted", done.stderr)

    def test_batches_and_types(self):
        self.good("""
m, n, k = 3, 2, 4
a, b, c = [some(12) for _ in range(3)], [some(8) for _ in range(3)], [some(6) for _ in range(3)]
wanted = [product(a[i], N, 3, b[i], N, 4, m, n, k, 2, 1, c[i], 3) for i in range(3)]
where = put(sum(c, []))
good(blas.cublasSgemmStridedBatched(handle, N, N, m, n, k, f(2), put(sum(a, [])), 3, L(12), put(sum(b, [])), 4, L(8),
                                    f(1), where, 3, L(6), 3))
near(take(where, 18), sum(wanted, []))
one = [put(x) for x in c]
def listed(pointers): return put([p.value for p in pointers], "Q")
good(blas.cublasSgemmBatched(handle, N, N, m, n, k, f(2), listed([put(x) for x in a]), 3, listed([put(x) for x in b]), 4,
                             f(1), listed(one), 3, 3))
near(sum((take(p, 6) for p in one), []), sum(wanted, []))
# Halves are summed up as floats and rounded once.
where = put(c[0], "e")
good(blas.cublasGemmEx(handle, N, N, m, n, k, f(2), put(a[0], "e"), 2, 3, put(b[0], "e"), 2, 4, f(1), where, 2, 3, 68, -1))
assert take(where, 6, "e") == [struct.unpack("<e", struct.pack("<e", x))[0] for x in wanted[0]]
where = put([0] * 6)
bf = lambda values: put([struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in values], "H")
good(blas.cublasGemmEx(handle, N, N, m, n, k, f(2), bf(a[0]), 14, 3, bf(b[0]), 14, 4, f(0), where, 0, 3, 68, -1))
near(take(where, 6), product(a[0], N, 3, b[0], N, 4, m, n, k, 2, 0, [0] * 6, 3), 0)
x, y = [random.randint(-128, 127) for _ in range(12)], [random.randint(-128, 127) for _ in range(8)]
where = put([7] * 6, "i")
two, one = ctypes.byref(I(2)), ctypes.byref(I(1))
good(blas.cublasGemmEx(handle, N, N, m, n, k, two, put(x, "b"), 3, 3, put(y, "b"), 3, 4, one, where, 10, 3, 72, -1))
assert take(where, 6, "i") == product(x, N, 3, y, N, 4, m, n, k, 2, 1, [7] * 6, 3)
# Complex, conjugated.
p, q = [complex(*some(2)) for _ in range(4)], [complex(*some(2)) for _ in range(4)]
flat = lambda values: put([part for z in values for part in (z.real, z.imag)])
where = flat([0] * 4)
good(blas.cublasCgemm_v2(handle, C, N, 2, 2, 2, (ctypes.c_float * 2)(0, 1), flat(p), 2, flat(q), 2, (ctypes.c_float * 2)(0, 0), where, 2))
r = [1j * sum(p[i * 2 + l].conjugate() * q[j * 2 + l] for l in range(2)) for j in range(2) for i in range(2)]
near(take(where, 8), [part for z in r for part in (z.real, z.imag)])
""")

    def test_vectors(self):
        self.good("""
x, y = some(9), some(9)
where = put(y)
good(blas.cublasSaxpy_v2(handle, 4, f(3), put(x), 2, where, 1))
near(take(where, 9), [y[i] + 3 * x[2 * i] if i < 4 else y[i] for i in range(9)])
result, index = ctypes.c_float(), I()
good(blas.cublasSdot_v2(handle, 9, put(x), 1, put(y), 1, ctypes.byref(result)))
near([result.value], [sum(p * q for p, q in zip(x, y))])
good(blas.cublasSnrm2_v2(handle, 9, put(x), 1, ctypes.byref(result))); near([result.value], [sum(p * p for p in x) ** .5])
good(blas.cublasSasum_v2(handle, 9, put(x), 1, ctypes.byref(result))); near([result.value], [sum(map(abs, x))])
good(blas.cublasIsamax_v2(handle, 9, put(x), 1, ctypes.byref(index)))
assert index.value == 1 + [abs(p) for p in x].index(max(map(abs, x)))
good(blas.cublasIsamax_v2(handle, 0, put(x), 1, ctypes.byref(index))); assert index.value == 0
u, v = put(x), put(y)
good(blas.cublasSswap_v2(handle, 9, u, 1, v, 1)); assert (take(u, 9), take(v, 9)) == (y, x)
good(blas.cublasScopy_v2(handle, 9, u, 1, v, -1)); assert take(v, 9) == y[::-1]
good(blas.cublasSetPointerMode_v2(handle, 1))
where = put([0])
good(blas.cublasSdot_v2(handle, 9, put(x), 1, put(y), 1, where)); near(take(where, 1), [sum(p * q for p, q in zip(x, y))])
""")

    def test_matrices(self):
        self.good("""
m, n = 4, 3
a, x, y = some(5 * n), some(4), some(4)
where = put(y)
good(blas.cublasSgemv_v2(handle, T, m, n, f(2), put(a), 5, put(x), 1, f(1), where, 1))
near(take(where, 4), [2 * sum(a[j * 5 + i] * x[i] for i in range(m)) + y[j] if j < n else y[j] for j in range(4)])
where = put(a)
good(blas.cublasSger_v2(handle, m, n, f(2), put(x), 1, put(y), 1, where, 5))
near(take(where, 15), [a[j * 5 + i] + (2 * x[i] * y[j] if i < m else 0) for j in range(n) for i in range(5)])
lower = [4, 1, -2, 0, 2, 1, 0, 0, 8]
b = some(6)
where = put(b)
good(blas.cublasStrsm_v2(handle, 0, 0, N, 0, 3, 2, f(2), put(lower), 3, where, 3))
near(product(lower, N, 3, take(where, 6), N, 3, 3, 2, 3, 1, 0, [0] * 6, 3), [2 * z for z in b])
half = put([0] * 9)
good(blas.cublasSsyrk_v2(handle, 1, N, 3, 2, f(1), put(b), 3, f(0), half, 3))
whole = product(b, N, 3, b, T, 3, 3, 3, 2, 1, 0, [0] * 9, 3)
near(take(half, 9), [whole[j * 3 + i] if i <= j else 0 for j in range(3) for i in range(3)])
full = [lower[max(i, j) + 3 * min(i, j)] for j in range(3) for i in range(3)]
where = put([0] * 6)
good(blas.cublasSsymm_v2(handle, 0, 0, 3, 2, f(1), put(lower), 3, put(b), 3, f(0), where, 3))
near(take(where, 6), product(full, N, 3, b, N, 3, 3, 2, 3, 1, 0, [0] * 6, 3))
""")

    def test_more_vectors(self):
        """Complex products, scales by real numbers, rotations; the 64-bit names."""
        self.good("""
flat = lambda values, code="f": put([part for z in values for part in (z.real, z.imag)], code)
pairs = lambda values: [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]
p, q = [complex(*some(2)) for _ in range(7)], [complex(*some(2)) for _ in range(7)]
for letter, code, real in (("C", "f", ctypes.c_float), ("Z", "d", ctypes.c_double)):
    result = (real * 2)()
    for conjugates in False, True:
        for name in ("%sdot%s_v2", "%sdot%s_v2_64"):
            of = L if name.endswith("64") else I
            call = getattr(blas, "cublas" + name % (letter, "c" if conjugates else "u"))
            for incx, incy in ((1, 1), (2, 1), (-1, 2), (1, -2)):
                n = 3
                x = [p[abs(incx) * i] for i in range(n)][::1 if incx > 0 else -1]
                y = [q[abs(incy) * i] for i in range(n)][::1 if incy > 0 else -1]
                good(call(handle, of(n), flat(p, code), of(incx), flat(q, code), of(incy), result))
                near([complex(*result)], [sum((a.conjugate() if conjugates else a) * b for a, b in zip(x, y))])
where = flat(p)
good(blas.cublasCsscal_v2(handle, 7, f(3), where, 1)); near(pairs(take(where, 14)), [3 * z for z in p])
where = flat(p, "d")
good(blas.cublasZdscal_v2_64(handle, L(7), d(3), where, L(1))); near(pairs(take(where, 14, "d")), [3 * z for z in p])
x, y = some(9), some(9)
u, v = put(x), put(y)
good(blas.cublasSrot_v2(handle, 9, u, 1, v, 1, f(.6), f(.8)))
near(take(u, 9), [.6 * a + .8 * b for a, b in zip(x, y)]); near(take(v, 9), [.6 * b - .8 * a for a, b in zip(x, y)])
good(blas.cublasSetPointerMode_v2(handle, 1))
u, v = put(x), put(y)
good(blas.cublasSrot_v2_64(handle, L(9), u, L(1), v, L(1), put([.6]), put([.8])))
near(take(u, 9), [.6 * a + .8 * b for a, b in zip(x, y)])
u, v = put(x), put(y)
good(blas.cublasSrotm_v2(handle, 9, u, 1, v, 1, put([-1, 2, 3, 4, 5])))
near(take(u, 9), [2 * a + 4 * b for a, b in zip(x, y)]); near(take(v, 9), [3 * a + 5 * b for a, b in zip(x, y)])
good(blas.cublasSetPointerMode_v2(handle, 0))
index = L()
good(blas.cublasIsamax_v2_64(handle, L(9), put(x), L(1), ctypes.byref(index)))
assert index.value == 1 + [abs(a) for a in x].index(max(map(abs, x)))
where = put(y)
good(blas.cublasSaxpy_v2_64(handle, L(9), f(2), put(x), L(1), where, L(1))); near(take(where, 9), [b + 2 * a for a, b in zip(x, y)])
assert blas.cublasSaxpy_v2_64(handle, L(1 << 31), f(2), where, L(1), where, L(1)) == 15
""")

    def test_more_matrices(self):
        """Triangles times matrices in place and not, Hermitian matrices, updates of rank 1, 2 and k."""
        self.good("""
flat = lambda values, code="f": put([part for z in values for part in (z.real, z.imag)], code)
pairs = lambda values: [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]
lower, b = [4, 1, -2, 0, 2, 1, 0, 0, 8], some(6)
wanted = [2 * v for v in product(lower, N, 3, b, N, 3, 3, 2, 3, 1, 0, [0] * 6, 3)]
where, source = put([9] * 10), put(b)
good(blas.cublasStrmm_v2(handle, 0, 0, N, 0, 3, 2, f(2), put(lower), 3, source, 3, where, 5))
near([take(where, 10)[j * 5 + i] for j in range(2) for i in range(3)], wanted); assert take(where, 10)[3:5] == [9, 9] and take(source, 6) == b
good(blas.cublasStrmm_v2_64(handle, 0, 0, N, 0, L(3), L(2), f(2), put(lower), L(3), source, L(3), source, L(3)))
near(take(source, 6), wanted)
x = some(3)
where = put(x)
good(blas.cublasStrmv_v2(handle, 0, N, 0, 3, put(lower), 3, where, 1))
near(take(where, 3), [sum(lower[j * 3 + i] * x[j] for j in range(3)) for i in range(3)])
h = [2, 1 + 1j, 0.5j, 1 - 1j, 3, 2, -0.5j, 2, 1]  # Hermitian, by columns
z = [complex(*some(2)) for _ in range(3)]
where = flat([0] * 3)
one, none = (ctypes.c_float * 2)(1, 0), (ctypes.c_float * 2)(0, 0)
good(blas.cublasChemv_v2(handle, 0, 3, one, flat(map(complex, h)), 3, flat(z), 1, none, where, 1))
near(pairs(take(where, 6)), [sum(h[j * 3 + i] * z[j] for j in range(3)) for i in range(3)])
where = flat([0] * 3)
good(blas.cublasChemm_v2(handle, 0, 1, 3, 1, one, flat(map(complex, h)), 3, flat(z), 3, none, where, 3))
near(pairs(take(where, 6)), [sum(h[j * 3 + i] * z[j] for j in range(3)) for i in range(3)])
y = some(3)
where = put([0] * 9)
good(blas.cublasSsyr_v2(handle, 0, 3, f(2), put(x), 1, where, 3))
near(take(where, 9), [2 * x[i] * x[j] if i >= j else 0 for j in range(3) for i in range(3)])
where = put([0] * 9)
good(blas.cublasSsyr2_v2_64(handle, 1, L(3), f(2), put(x), L(1), put(y), L(1), where, L(3)))
near(take(where, 9), [2 * (x[i] * y[j] + y[i] * x[j]) if i <= j else 0 for j in range(3) for i in range(3)])
where = flat([0j] * 9)
good(blas.cublasCherk_v2(handle, 0, N, 3, 1, f(2), flat(z), 3, f(0), where, 3))
near(pairs(take(where, 18)), [2 * z[i] * z[j].conjugate() if i >= j else 0j for j in range(3) for i in range(3)])
assert blas.cublasCherk_v2(handle, 0, T, 3, 1, f(2), flat(z), 3, f(0), where, 3) == 7
where = put([0] * 9)
good(blas.cublasSsyr2k_v2(handle, 0, N, 3, 1, f(2), put(x), 3, put(y), 3, f(0), where, 3))
near(take(where, 9), [2 * (x[i] * y[j] + y[i] * x[j]) if i >= j else 0 for j in range(3) for i in range(3)])
a, b, where = some(4), some(4), put([0] * 4)
good(blas.cublasSgemm_v2_64(handle, N, T, L(2), L(2), L(2), f(1), put(a), L(2), put(b), L(2), f(0), where, L(2)))
near(take(where, 4), product(a, N, 2, b, T, 2, 2, 2, 2, 1, 0, [0] * 4, 2))
""")

    def test_types_that_are_told(self):
        """Level 1 of halves, bfloat16, float and double, with sums of floats or doubles."""
        self.good("""
F32, F64, F16, BF16 = 0, 1, 2, 14
def bits(values): return [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
def numbers(values): return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
same = lambda values: values
for kind, work, code, there, back in ((F32, F32, "f", same, same), (F64, F64, "d", same, same), (F16, F32, "e", same, same),
                                      (BF16, F32, "H", bits, numbers)):
    scalar = d if work == F64 else f
    x, y = some(8), some(8)
    one, two = put(there(x), code), put(there(y), code)
    good(blas.cublasAxpyEx(handle, 4, scalar(2), work, one, kind, 2, two, kind, -1, work))
    assert back(take(two, 8, code)) == [2 * x[2 * (3 - i)] + y[i] if i < 4 else y[i] for i in range(8)]
    good(blas.cublasScalEx_64(handle, L(8), scalar(-4), work, one, kind, L(1), work))
    assert back(take(one, 8, code)) == [-4 * v for v in x]
    result = ctypes.create_string_buffer(8)
    a, b = [1, 2, 3, -4], [2, 0, 1, 5]
    one, two = put(there(a), code), put(there(b), code)
    good(blas.cublasDotEx(handle, 4, one, kind, 1, two, kind, 1, result, kind, work))
    assert back(list(struct.unpack_from(code, result))) == [-15]
    good(blas.cublasNrm2Ex(handle, 2, put(there([3, -4]), code), kind, 1, result, kind, work))
    assert back(list(struct.unpack_from(code, result))) == [5]
    good(blas.cublasNrm2Ex(handle, 0, one, kind, 1, result, kind, work))
    assert back(list(struct.unpack_from(code, result))) == [0]
assert blas.cublasDotEx(handle, 4, one, F32, 1, two, F64, 1, result, F32, F32) == 15
assert blas.cublasDotEx(handle, 4, one, F16, 1, two, F16, 1, result, F32, F32) == 15
""")

    def test_copies(self):
        """Vectors with steps and matrices with pitches, there and back."""
        self.good("""
x = pack("f", some(12))
y = ctypes.create_string_buffer(48)
where = put([0] * 24)
good(blas.cublasSetVector(6, 4, x, 2, where, 1))
assert take(where, 6) == list(struct.unpack("12f", x)[::2])
good(blas.cublasGetVector_64(L(6), L(4), where, L(1), y, L(2)))
assert struct.unpack("12f", y.raw)[::2] == struct.unpack("12f", x)[::2]
good(blas.cublasSetMatrix(2, 3, 4, x, 4, where, 5))
assert take(where, 12)[:2] + take(where, 12)[5:7] + take(where, 12)[10:] == [struct.unpack("12f", x)[i] for i in (0, 1, 4, 5, 8, 9)]
good(blas.cublasGetMatrixAsync(2, 3, 4, where, 5, y, 2, None))
assert struct.unpack("12f", y.raw)[:6] == tuple(struct.unpack("12f", x)[i] for i in (0, 1, 4, 5, 8, 9))
good(blas.cublasSetVector(12, 4, x, 1, where, 1)); assert take(where, 12) == list(struct.unpack("12f", x))
good(blas.cublasSetVector(0, 4, x, 1, where, 1))
assert blas.cublasSetVector(2, 4, x, 0, where, 1) == 7 and blas.cublasSetMatrix(4, 2, 4, x, 3, where, 4) == 7
assert blas.cublasSetVector(25, 4, ctypes.create_string_buffer(100), 1, where, 1) == 11
""")

    def test_sums_and_diagonals(self):
        self.good("""
a, b, x = some(6), some(6), some(3)
where = put([9] * 12)
good(blas.cublasSgeam(handle, T, N, 3, 2, f(2), put(a), 2, f(-1), put(b), 3, where, 4))
got = take(where, 12)
near([got[j * 4 + i] for j in range(2) for i in range(3)], [2 * a[i * 2 + j] - b[j * 3 + i] for j in range(2) for i in range(3)])
assert got[3] == 9
one = put(a)
good(blas.cublasSgeam_64(handle, N, N, L(3), L(2), f(3), one, L(3), f(0), None, L(3), one, L(3)))
near(take(one, 6), [3 * v for v in a])
assert blas.cublasSgeam(handle, T, N, 2, 2, f(3), one, 2, f(0), one, 2, one, 2) == 7  # in place, transposed
flat = lambda values: put([part for z in values for part in (z.real, z.imag)])
z = [complex(*some(2)) for _ in range(4)]
where = flat([0j] * 4)
good(blas.cublasCgeam(handle, C, N, 2, 2, (ctypes.c_float * 2)(0, 1), flat(z), 2, (ctypes.c_float * 2)(0, 0), None, 2, where, 2))
near(take(where, 8), [part for j in range(2) for i in range(2) for part in
                      ((1j * z[i * 2 + j].conjugate()).real, (1j * z[i * 2 + j].conjugate()).imag)])
where = put([0] * 6)
good(blas.cublasSdgmm(handle, 0, 3, 2, put(a), 3, put(x), 1, where, 3))
near(take(where, 6), [a[j * 3 + i] * x[i] for j in range(2) for i in range(3)])
good(blas.cublasSdgmm(handle, 1, 3, 2, put(a), 3, put(x), -1, where, 3))
near(take(where, 6), [a[j * 3 + i] * x[1 - j] for j in range(2) for i in range(3)])
""")

    def test_capture(self):
        """Nodes of a graph keep scalars of the host as they were, and read those of the device when they run."""
        done = self.good("""
stream, graph, ready = P(), P(), P()
good(cudart.cudaStreamCreate(ctypes.byref(stream)))
good(blas.cublasSetStream_v2(handle, stream))
a, b = some(4), some(4)
where, x, alpha, factor = put([0] * 4), put([1, 2, 3, 4]), ctypes.c_float(3), put([2])
result, at_a, at_b = put([0]), put(a), put(b)
good(cudart.cudaStreamBeginCapture(stream, 0))
good(blas.cublasSgemm_v2(handle, N, N, 2, 2, 2, ctypes.byref(alpha), at_a, 2, at_b, 2, f(0), where, 2))
good(blas.cublasSetPointerMode_v2(handle, 1))
good(blas.cublasSscal_v2(handle, 4, factor, x, 1))
good(blas.cublasSdot_v2(handle, 4, x, 1, x, 1, result))
good(cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
count = ctypes.c_size_t()
good(cudart.cudaGraphGetNodes(graph, None, ctypes.byref(count)))
assert count.value == 3
alpha.value = 99
good(cudart.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)))
good(cudart.cudaGraphDestroy(graph))
assert take(where, 4) == [0] * 4 and take(x, 4) == [1, 2, 3, 4]
for times in 1, 2:
    good(cudart.cudaGraphLaunch(ready, stream))
    assert take(x, 4) == [v * 2 ** times for v in (1, 2, 3, 4)] and take(result, 1) == [30 * 4 ** times]
near(take(where, 4), product(a, N, 2, b, N, 2, 2, 2, 2, 3, 0, [0] * 4, 2))
good(cudart.cudaGraphExecDestroy(ready))
""", "--format", "json", "-o", os.path.join(self.folder, "run.json"))
        del done
        with open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
            gaps = json.load(file)["incomplete"]
        self.assertEqual({gap["text"]: gap["count"] for gap in gaps if gap["kind"] == "library"},
                         {f"cublas{name}: computed on the CPU, not counted": 2 for name in ("Sgemm", "Sscal", "Sdot")})

    def test_capture_is_refused(self):
        """What a graph cannot do: results on the host. What is wrong is said at once, and spoils the capture."""
        done = self.run_script("""
stream, graph = P(), P()
good(cudart.cudaStreamCreate(ctypes.byref(stream)))
good(blas.cublasSetStream_v2(handle, stream))
x = put([1, 2, 3, 4])
for call in (lambda: blas.cublasSdot_v2(handle, 4, x, 1, x, 1, f(0)),
             lambda: blas.cublasSgemm_v2(handle, N, N, -1, 2, 2, f(1), x, 2, x, 2, f(0), x, 2)):
    good(cudart.cudaStreamBeginCapture(stream, 0))
    print(call(), cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
""", "--libraries", "cpu")
        self.assertEqual(done.stdout.split(), ["15", "901", "7", "901"], done.stderr)
        self.assertIn("cublasSdot is not supported in a captured stream with a result on the host", done.stderr)

    def test_lt(self):
        self.good("""
def number(value, kind=I): return ctypes.byref(kind(value))
def layout(kind, rows, columns, pitch):
    made = P(); good(lt.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), L(pitch)))
    return made
m, n, k = 3, 2, 4
a, b, c, bias = some(12), some(8), some(6), [3, -9, 1]
product_, preference, found = P(), P(), I()
good(lt.cublasLtMatmulDescCreate(ctypes.byref(product_), 68, 0)); good(lt.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
good(lt.cublasLtMatmulDescSetAttribute(product_, 3, number(T), ctypes.c_size_t(4)))
good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(6), ctypes.c_size_t(4)))
good(lt.cublasLtMatmulDescSetAttribute(product_, 8, ctypes.byref(put(bias)), ctypes.c_size_t(8)))
A, B, D = layout(0, k, m, k), layout(0, k, n, k), layout(0, m, n, m)
results = ctypes.create_string_buffer(96)
good(lt.cublasLtMatmulAlgoGetHeuristic(handle, product_, A, B, D, D, preference, 1, results, ctypes.byref(found)))
assert found.value == 1
begin, where = put(c), put([0] * 6)
good(lt.cublasLtMatmul(handle, product_, f(2), put(a), A, put(b), B, f(1), begin, D, where, D, results, None, ctypes.c_size_t(0), None))
wanted = product(a, T, k, b, N, k, m, n, k, 2, 1, c, m)
near(take(where, 6), [max(0, wanted[i] + bias[i % 3]) for i in range(6)])
assert take(begin, 6) == c
good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(32), ctypes.c_size_t(4)))
assert lt.cublasLtMatmul(handle, product_, f(2), put(a), A, put(b), B, f(1), begin, D, where, D, results, None, ctypes.c_size_t(0), None) == 15
for one in (A, B, D): good(lt.cublasLtMatrixLayoutDestroy(one))
good(lt.cublasLtMatmulDescDestroy(product_)); good(lt.cublasLtMatmulPreferenceDestroy(preference))
""")

    def test_lt_in_memory_of_the_program(self):
        """Descriptions that are initialised where the program says, and that nobody destroys."""
        self.good("""
def number(value, kind=I): return ctypes.byref(kind(value))
product_, preference, layouts = ctypes.create_string_buffer(256), ctypes.create_string_buffer(64), [ctypes.create_string_buffer(64) for _ in range(3)]
for _ in range(2):  # the second time over the first
    good(lt.cublasLtMatmulDescInit_internal(product_, ctypes.c_size_t(256), 68, 0)); good(lt.cublasLtMatmulPreferenceInit_internal(preference, ctypes.c_size_t(64)))
    for one, rows, columns in zip(layouts, (3, 2, 3), (2, 4, 4)):
        good(lt.cublasLtMatrixLayoutInit_internal(one, ctypes.c_size_t(64), 0, ctypes.c_uint64(rows), ctypes.c_uint64(columns), L(rows)))
good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(2), ctypes.c_size_t(4)))
got, written, found = I(), ctypes.c_size_t(), I()
good(lt.cublasLtMatmulDescGetAttribute(product_, 7, ctypes.byref(got), ctypes.c_size_t(4), ctypes.byref(written))); assert got.value == 2
A, B, D = layouts
results = ctypes.create_string_buffer(96)
good(lt.cublasLtMatmulAlgoGetHeuristic(handle, product_, A, B, D, D, preference, 1, results, ctypes.byref(found))); assert found.value == 1
a, b, where = some(6), some(8), put([0] * 12)
good(lt.cublasLtMatmul(handle, product_, f(2), put(a), A, put(b), B, f(0), where, D, where, D, results, None, ctypes.c_size_t(0), None))
near(take(where, 12), [max(0, v) for v in product(a, N, 3, b, N, 2, 3, 4, 2, 2, 0, [0] * 12, 3)])
assert lt.cublasLtMatrixLayoutInit_internal(A, ctypes.c_size_t(8), 0, ctypes.c_uint64(1), ctypes.c_uint64(1), L(1)) == 7
assert lt.cublasLtMatmulDescInit_internal(None, ctypes.c_size_t(256), 68, 0) == 7
""")

    def test_lt_orders(self):
        """Matrices by rows, in every combination with those by columns, and with each operation."""
        done = self.good("""
def number(value, kind=I): return ctypes.byref(kind(value))
def layout(rows, columns, by_rows, pitch, kind=0):
    made = P(); good(lt.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), L(pitch)))
    good(lt.cublasLtMatrixLayoutSetAttribute(made, 1, number(int(by_rows)), ctypes.c_size_t(4)))
    return made
def stored(m, rows, columns, by_rows, pitch):  # m is by columns, without gaps
    made = [7] * ((rows if by_rows else columns) * pitch)
    for j in range(columns):
        for i in range(rows): made[i * pitch + j if by_rows else j * pitch + i] = m[j * rows + i]
    return made
m, n, k = 3, 2, 4
for bits in range(32):
    a_rows, b_rows, d_rows, op_a, op_b = (bits >> i & 1 for i in range(5))
    ra, ca = (k, m) if op_a else (m, k)
    rb, cb = (n, k) if op_b else (k, n)
    a, b, c, product_ = some(12), some(8), some(6), P()
    good(lt.cublasLtMatmulDescCreate(ctypes.byref(product_), 68, 0))
    good(lt.cublasLtMatmulDescSetAttribute(product_, 3, number(op_a), ctypes.c_size_t(4)))
    good(lt.cublasLtMatmulDescSetAttribute(product_, 4, number(op_b), ctypes.c_size_t(4)))
    good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(2), ctypes.c_size_t(4)))
    pitches = [(columns if by_rows else rows) + 1 for rows, columns, by_rows in ((ra, ca, a_rows), (rb, cb, b_rows), (m, n, d_rows))]
    A, B, D = layout(ra, ca, a_rows, pitches[0]), layout(rb, cb, b_rows, pitches[1]), layout(m, n, d_rows, pitches[2])
    begin = stored(c, m, n, d_rows, pitches[2])
    where = put(begin)
    good(lt.cublasLtMatmul(handle, product_, f(2), put(stored(a, ra, ca, a_rows, pitches[0])), A, put(stored(b, rb, cb, b_rows, pitches[1])), B, f(3),
                           where, D, where, D, None, None, ctypes.c_size_t(0), None))
    wanted = [max(0, v) for v in product(a, op_a, ra, b, op_b, rb, m, n, k, 2, 3, c, m)]
    near(take(where, len(begin)), stored(wanted, m, n, d_rows, pitches[2]))
    short = layout(ra, ca, a_rows, (ca if a_rows else ra) - 1)
    assert lt.cublasLtMatmul(handle, product_, f(2), where, short, where, B, f(3), where, D, where, D, None, None, ctypes.c_size_t(0), None) == 7
good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(4), ctypes.c_size_t(4)))  # a bias
preference, found, results = P(), I(9), ctypes.create_string_buffer(96)
good(lt.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
assert lt.cublasLtMatmulAlgoGetHeuristic(handle, product_, A, B, D, D, preference, 1, results, ctypes.byref(found)) == 15 and found.value == 0
good(lt.cublasLtMatmulDescSetAttribute(product_, 7, number(1), ctypes.c_size_t(4))); good(lt.cublasLtMatmulDescSetAttribute(product_, 3, number(C), ctypes.c_size_t(4)))
E = layout(k, m, not d_rows, (m if not d_rows else k))
for second, result in ((A, D), (E, D)):
    status = lt.cublasLtMatmulAlgoGetHeuristic(handle, product_, second, B, result, result, preference, 1, results, ctypes.byref(found))
    assert (status, found.value) == ((0, 1) if second is A else (15, 0))
tiled = layout(k, m, 0, k)
good(lt.cublasLtMatrixLayoutSetAttribute(tiled, 1, number(2), ctypes.c_size_t(4)))
assert lt.cublasLtMatmul(handle, product_, f(2), where, tiled, where, B, f(3), where, D, where, D, None, None, ctypes.c_size_t(0), None) == 15
""")
        for words in ("with a bias for a result by rows", "with a conjugate transpose of A by rows", "with tiled matrices"):
            self.assertIn("cublasLtMatmul is not supported " + words, done.stderr)

    def test_refusals(self):
        done = self.run_script("""
x = put(some(16))
assert blas.cublasSgemm_v2(handle, N, N, -1, 2, 2, f(1), x, 2, x, 2, f(0), x, 2) == 7
assert blas.cublasSgemm_v2(handle, 5, N, 2, 2, 2, f(1), x, 2, x, 2, f(0), x, 2) == 7
assert blas.cublasSgemm_v2(handle, N, N, 4, 2, 2, f(1), x, 2, x, 2, f(0), x, 4) == 7
assert blas.cublasSgemm_v2(handle, N, N, 2, 2, 2, None, x, 2, x, 2, f(0), x, 2) == 7
assert blas.cublasSgemm_v2(None, N, N, 2, 2, 2, f(1), x, 2, x, 2, f(0), x, 2) == 1
assert blas.cublasXtCreate(ctypes.byref(P())) == 15
assert blas.cublasGemmEx(handle, N, N, 2, 2, 2, f(1), x, 0, 2, x, 1, 2, f(0), x, 0, 2, 68, -1) == 15
good(blas.cublasSgemm_v2(handle, N, N, 0, 2, 2, f(1), None, 2, None, 2, f(0), None, 2))
good(blas.cublasDestroy_v2(handle))
assert blas.cublasDestroy_v2(handle) == 1 and blas.cublasSscal_v2(handle, 1, f(1), x, 1) == 1
""", "--libraries", "cpu", "--fail-on", "fault")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("cublasXtCreate: not simulated (--libraries cpu does not compute it); compute this step on the host", done.stderr)
        self.assertIn("cublasGemmEx is not supported with these types of data", done.stderr)

    def test_memory_that_is_not_there(self):
        """As on a GPU, from where nothing works any more."""
        for matrix, words in (("put(some(15))", "64 bytes at .*leaves its allocation"),
                              ("(ctypes.c_float * 16)()", "is no memory of the device")):
            done = self.run_script(f"""
x, bad = put(some(16)), {matrix}
print(blas.cublasSgemm_v2(handle, N, N, 4, 4, 4, f(1), x, 4, bad, 4, f(0), put(some(16)), 4))
print(cudart.cudaDeviceSynchronize())
""", "--libraries", "cpu")
            self.assertEqual(done.stdout.split(), ["13", "700"], done.stderr)
            self.assertRegex(done.stderr, "cublasSgemm: B, " + words if "allocation" in words else words)

    def test_what_it_writes_is_defined(self):
        self.good("""
out = P()
good(cudart.cudaMalloc(ctypes.byref(out), ctypes.c_size_t(64)))
good(blas.cublasSgemm_v2(handle, N, N, 4, 4, 4, f(1), put(some(16)), 4, put(some(16)), 4, f(0), out, 4))
take(out, 16)
""", "--check", "init", "--fail-on", "check")


PROGRAM = r"""
#include <cstdio>
#include <cublas_v2.h>
__global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x; }
int main() {
    float *x, two = 2, out[32];
    cublasHandle_t handle;
    cudaMalloc(&x, sizeof out);
    fill<<<1, 32>>>(x);
    if (cublasCreate(&handle) || cublasSscal(handle, 32, &two, x, 1) || cublasGetVector(32, 4, x, 1, out, 1))
        return 1;
    printf("%g\n", out[31]);
    return cublasDestroy(handle);
}
"""


class Programs(FolderCase):
    def test_source(self):
        """A source that is linked with cuBLAS, as with nvcc."""
        source = self.write("program.cu", PROGRAM)
        if not has_openblas() or not shutil.which("nvcc") or run("nvcc", source, "-o", os.devnull, "-lcublas").returncode:
            self.skipTest("no OpenBLAS, or nvcc links nothing with cuBLAS")
        done = run(BANKRUN, "--libraries", "cpu", "-lcublas", source)
        self.assertEqual((done.returncode, done.stdout), (0, "62\n"), done.stderr)
        self.assertIn("cublasSscal: computed on the CPU, not counted", done.stderr)
        self.assertIn("fill(float*)", done.stderr)

    def test_static(self):
        source = self.write("program.cu", PROGRAM)
        for flag, words in (("-lcublas_static", "link -lcublas, which --libraries cpu computes"), ("-lcusolver_static", "link -lcusolver\n")):
            done = run(BANKRUN, "--libraries", "cpu", flag, source)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{flag} exists only as machine code, and a static library cannot be replaced: {words}", done.stderr)


class Without(Case):
    def test_only_where_it_is_asked_for(self):
        done = self.run_script("", head="""
import ctypes
try:
    ctypes.CDLL("libcublas.so.13").cublasCreate_v2(ctypes.byref(ctypes.c_void_p()))
except OSError as error:
    print(error)
print([line.split("/")[-1] for line in open("/proc/self/maps").read().split() if "bankrun-cublas" in line])
""")
        self.assertEqual(done.stdout.splitlines()[-1:], ["[]"], done.stderr)

    def test_without_openblas(self):
        """A library of that name that cannot be loaded comes first."""
        with open(os.path.join(self.folder, "libopenblas.so.0"), "w", encoding="utf-8") as file:
            file.write("no library")
        script = os.path.join(self.folder, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write('import ctypes\nprint(ctypes.CDLL("libcublas.so.13").cublasCreate_v2(ctypes.byref(ctypes.c_void_p())))\n')
        done = subprocess.run([BANKRUN, "--libraries", "cpu", sys.executable, script], capture_output=True, text=True, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": self.folder})
        if has_openblas() and done.stdout == "0\n":
            self.skipTest("the linker went on to the next library of that name")
        self.assertEqual(done.stdout, "1\n", done.stderr)
        self.assertIn("libopenblas.so.0", done.stderr)
        self.assertIn("apt install libopenblas0-pthread", done.stderr)


if __name__ == "__main__":
    unittest.main()
