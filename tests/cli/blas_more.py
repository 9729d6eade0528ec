"""--libraries cpu: what of cuBLAS is not a BLAS's everyday work - batches, factorizations, groups, rotations, updates of which the
program knows the result to be symmetric. Held against sums written down here, in all four types."""

import os
import sys
import unittest

sys.path.insert(0, "tests")
sys.path.insert(0, "tests/cli")
from blas import HEAD, Case, has_openblas  # noqa: E402

# Matrices are lists of columns; elements are numbers of Python, complex where the type is.
MORE = HEAD + r"""
TYPES = {"S": ("f", ctypes.c_float, 0), "D": ("d", ctypes.c_double, 1), "C": ("f", ctypes.c_float, 4), "Z": ("d", ctypes.c_double, 5)}
class Type:
    def __init__(self, letter):
        self.letter, (self.code, self.part, self.number) = letter, TYPES[letter]
        self.is_complex = letter in "CZ"
        self.bytes = ctypes.sizeof(self.part) * (2 if self.is_complex else 1)
        self.near = 1e-3 if self.code == "f" else 1e-9
    def flat(self, values): return [part for z in values for part in ((complex(z).real, complex(z).imag) if self.is_complex else (z,))]
    def put(self, values): return put(self.flat(values), self.code)
    def scalar(self, value): return (self.part * 2)(*self.flat([value]))
    def real(self, value): return (self.part * 1)(value)
    def take(self, where, count):
        data = take(where, count * (2 if self.is_complex else 1), self.code)
        return [complex(*data[i:i + 2]) for i in range(0, len(data), 2)] if self.is_complex else data
    def some(self, count): return [complex(*some(2)) for _ in range(count)] if self.is_complex else some(count)
    def call(self, name, *arguments): return getattr(blas, "cublas" + self.letter + name)(handle, *arguments)
def pointers(*many): return put([one.value or 0 for one in many], "Q")
def turned(m, rows): return [m[j * rows + i] for i in range(rows) for j in range(len(m) // rows)]
def with_op(m, op, rows): return m if op == N else [z.conjugate() if op == C else z for z in turned(m, rows)]
def times(a, b, m, k): return [sum(a[l * m + i] * b[j * k + l] for l in range(k)) for j in range(len(b) // k) for i in range(m)]
def well(t, n, seed=0): return [(v + 9 + seed if i % (n + 1) == 0 else v) for i, v in enumerate(t.some(n * n))]
def conj(z): return z.conjugate()
"""


@unittest.skipUnless(has_openblas(), "libopenblas.so.0 is not there (libopenblas0-pthread)")
class More(Case):
    def run_more(self, text, *options):
        return self.run_script(text, "--libraries", "cpu", *options, head=MORE)

    def good(self, text, *options):
        done = self.run_more(text, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_rank_k_of_two(self):
        """her2k, syrkx and herkx: one half is written, the other stays; a diagonal of a Hermitian matrix is real."""
        self.good("""
n, k, ld = 3, 2, 4
def check(t, name, half, op, alpha, beta, wanted, is_real_beta, suffix=""):
    rows, columns = (n, k) if op == N else (k, n)
    a, b, c = t.some(rows * columns), t.some(rows * columns), t.some(n * ld)
    A, B = (a, b) if op == N else ([conj(z) if op == C else z for z in turned(m, rows)] for m in (a, b))
    where, size = t.put(c), (L if suffix else I)
    good(t.call(name + suffix, half, op, size(n), size(k), t.scalar(alpha), t.put(a), size(rows), t.put(b), size(rows),
                t.real(beta) if is_real_beta else t.scalar(beta), where, size(ld)))
    got = t.take(where, n * ld)
    for j in range(n):
        for i in range(ld):
            inside = i < n and (i >= j if half == 0 else i <= j)
            was = c[j * ld + i]
            now = wanted(A, B, i, j, alpha) + beta * (was.real if is_real_beta and i == j else was) if inside else was
            if inside and is_real_beta and i == j: now = complex(now).real
            near([abs(got[j * ld + i] - now)], [0], t.near)
def her2k(A, B, i, j, alpha):
    return sum(alpha * A[l * n + i] * conj(B[l * n + j]) + conj(alpha) * B[l * n + i] * conj(A[l * n + j]) for l in range(k))
def syrkx(A, B, i, j, alpha): return sum(alpha * A[l * n + i] * B[l * n + j] for l in range(k))
def herkx(A, B, i, j, alpha): return sum(alpha * A[l * n + i] * conj(B[l * n + j]) for l in range(k))
for half in (0, 1):
    for letter in "CZ":
        t = Type(letter)
        for op in (N, C):
            for suffix in ("", "_64"):
                check(t, "her2k_v2", half, op, 1 + 2j, .5, her2k, True, suffix)
                check(t, "herkx", half, op, 1 - 2j, .5, herkx, True, suffix)
                check(t, "herkx", half, op, 2, 0, herkx, True, suffix)
    for letter in "SDCZ":
        for op in (N, T):
            for beta in (0, 3):
                check(Type(letter), "syrkx", half, op, 2, beta, syrkx, False)
t = Type("C")
x = t.put(t.some(12))
assert t.call("herkx", 0, T, 3, 2, t.scalar(1), x, 3, x, 3, t.real(0), x, 3) == 7
assert t.call("her2k_v2", 0, T, 3, 2, t.scalar(1), x, 3, x, 3, t.real(0), x, 3) == 7
assert t.call("syrkx", 0, C, 3, 2, t.scalar(1), x, 3, x, 3, t.scalar(0), x, 3) == 7
assert t.call("syrkx", 2, N, 3, 2, t.scalar(1), x, 3, x, 3, t.scalar(0), x, 3) == 7
assert t.call("syrkx", 0, N, 3, 2, t.scalar(1), x, 2, x, 3, t.scalar(0), x, 3) == 7
assert t.call("syrkx", 0, N, -1, 2, t.scalar(1), x, 3, x, 3, t.scalar(0), x, 3) == 7
assert t.call("syrkx", 0, N, 3, 2, None, x, 3, x, 3, t.scalar(0), x, 3) == 7
# One product with itself, of types that are told.
a, where = t.some(6), t.put([0] * 9)
for name, turn in (("syrkEx", lambda z: z), ("syrk3mEx", lambda z: z), ("herkEx", conj), ("herk3mEx", conj)):
    scalar = t.real if name[0] == "h" else t.scalar
    good(t.call(name, 0, N, 3, 2, scalar(1), t.put(a), 4, 3, scalar(0), where, 4, 3))
    got = t.take(where, 9)
    for j in range(3):
        for i in range(j, 3): near([abs(got[j * 3 + i] - sum(a[l * 3 + i] * turn(a[l * 3 + j]) for l in range(2)))], [0])
assert t.call("syrkEx", 0, N, 3, 2, t.scalar(1), where, 0, 3, t.scalar(0), where, 4, 3) == 15
""")

    def test_complex_symmetric(self):
        """symv, syr and syr2 of complex numbers conjugate nothing."""
        self.good("""
for letter in "CZ":
    t, n = Type(letter), 3
    s = t.some(9)
    full = [s[max(i, j) + n * min(i, j)] for j in range(n) for i in range(n)]
    x, y = t.some(n), t.some(n)
    where = t.put(y)
    good(t.call("symv_v2", 0, n, t.scalar(1 + 1j), t.put(s), n, t.put(x), 1, t.scalar(2), where, 1))
    near(t.flat(t.take(where, n)), t.flat([(1 + 1j) * p + 2 * q for p, q in zip(times(full, x, n, n), y)]), t.near)
    where = t.put(s)
    good(t.call("syr_v2", 0, n, t.scalar(2j), t.put(x), 1, where, n))
    near(t.flat(t.take(where, 9)), t.flat([s[j * n + i] + (2j * x[i] * x[j] if i >= j else 0) for j in range(n) for i in range(n)]), t.near)
    where = t.put(s)
    good(t.call("syr2_v2", 1, n, t.scalar(2j), t.put(x), 1, t.put(y), 1, where, n))
    near(t.flat(t.take(where, 9)), t.flat([s[j * n + i] + (2j * (x[i] * y[j] + y[i] * x[j]) if i <= j else 0) for j in range(n) for i in range(n)]), t.near)
""")

    def test_bands_and_packed(self):
        """Bands and packed halves stand for matrices, which are multiplied here as such."""
        self.good("""
for letter in "SDCZ":
    t, m, n = Type(letter), 4, 3
    sy, he = ("h", "h") if t.is_complex else ("s", "s")
    near_by = lambda a, b: near(t.flat(a), t.flat(b), 10 * t.near)
    # One diagonal above, two below.
    full = [v if -2 <= j - i <= 1 else 0 for j in range(n) for i, v in enumerate(t.some(m))]
    band = [full[j * m + i] if 0 <= (i := j - 1 + r) < m else 77 for j in range(n) for r in range(5)]
    for op in (N, T, C):
        size, out = (n, m) if op == N else (m, n)
        x, y = t.some(size), t.some(2 * out)
        where = t.put(y)
        good(t.call("gbmv_v2", op, m, n, 2, 1, t.scalar(2), t.put(band), 5, t.put(x), 1, t.scalar(3), where, 2))
        near_by(t.take(where, 2 * out)[::2], [2 * p + 3 * q for p, q in zip(times(with_op(full, op, m), x, out, size), y[::2])])
    assert t.call("gbmv_v2", N, m, n, 2, 1, t.scalar(2), t.put(band), 3, t.put(x), 1, t.scalar(3), where, 2) == 7
    assert t.call("gbmv_v2", N, m, n, -1, 1, t.scalar(2), t.put(band), 5, t.put(x), 1, t.scalar(3), where, 2) == 7
    n = 4
    a = t.some(16)
    whole = [complex(a[j * n + i]).real if i == j and t.is_complex else a[j * n + i] if i >= j else conj(a[i * n + j]) if t.is_complex else a[i * n + j] for j in range(n) for i in range(n)]
    x, y = t.some(n), t.some(n)
    banded = [v if abs(i - j) <= 1 else 0 for j in range(n) for i, v in enumerate(whole[j * n:j * n + n])]
    for half in (0, 1):
        ap = [whole[j * n + i] for j in range(n) for i in (range(j, n) if half == 0 else range(j + 1))]
        where = t.put(y)
        good(t.call(sy + "pmv_v2_64", half, L(n), t.scalar(2), t.put(ap), t.put(x), L(1), t.scalar(3), where, L(1)))
        near_by(t.take(where, n), [2 * p + 3 * q for p, q in zip(times(whole, x, n, n), y)])
        ab = [banded[j * n + i] if 0 <= (i := j + r - (half and 1)) < n else 77 for j in range(n) for r in range(2)]
        where = t.put(y)
        good(t.call(sy + "bmv_v2", half, n, 1, t.scalar(2), t.put(ab), 2, t.put(x), 1, t.scalar(3), where, 1))
        near_by(t.take(where, n), [2 * p + 3 * q for p, q in zip(times(banded, x, n, n), y)])
        side = lambda m: [v if (i >= j) != bool(half) or i == j else 0 for j in range(n) for i, v in enumerate(m[j * n:j * n + n])]
        for name, kept, m in (("tp", (t.put(ap),), side(whole)), ("tb", (t.put(ab), 2), side(banded))):
            diagonal = (1,) if name == "tb" else ()
            where = t.put(x)
            good(t.call(name + "mv_v2", half, C, 0, n, *diagonal, *kept, where, 1))
            near_by(t.take(where, n), times(with_op(m, C, n), x, n, n))
            good(t.call(name + "sv_v2", half, C, 0, n, *diagonal, *kept, where, 1))
            if all(abs(m[i * (n + 1)]) > .4 for i in range(n)): near([abs(p - q) for p, q in zip(t.take(where, n), x)], [0] * n, 1e3 * t.near)
        where, turn = t.put(ap), conj if t.is_complex else lambda z: z
        good(t.call(he + "pr_v2", half, n, t.real(2), t.put(x), 1, where))
        at = lambda made: [made(i, j) for j in range(n) for i in (range(j, n) if half == 0 else range(j + 1))]
        near_by(t.take(where, len(ap)), [p + q for p, q in zip(ap, at(lambda i, j: 2 * x[i] * turn(x[j])))])
        where, alpha = t.put(ap), (1 + 2j if t.is_complex else 2)
        good(t.call(he + "pr2_v2", half, n, t.scalar(alpha), t.put(x), 1, t.put(y), 1, where))
        near_by(t.take(where, len(ap)), [p + q for p, q in zip(ap, at(lambda i, j: alpha * x[i] * turn(y[j]) + turn(alpha) * y[i] * turn(x[j])))])
        where = t.put([5] * 16)
        good(t.call("tpttr", half, n, t.put(ap), where, n))
        assert t.take(where, 16) == [whole[j * n + i] if (i >= j) != bool(half) or i == j else 5 for j in range(n) for i in range(n)]
        packed = t.put([5] * len(ap))
        good(t.call("trttp", half, n, where, n, packed)); assert t.take(packed, len(ap)) == ap
    assert t.call(sy + "pmv_v2", 2, n, t.scalar(2), t.put(ap), t.put(x), 1, t.scalar(3), where, 1) == 7
    assert t.call("tpmv_v2", 0, N, 0, n, t.put(ap), where, 0) == 7 and t.call("tbsv_v2", 0, N, 0, n, 1, t.put(ab), 1, where, 1) == 7
""")

    def test_rotations(self):
        """rotg and rotmg where their numbers are on the host and on the device; what they make turns vectors to 0."""
        self.good("""
for letter in "SDCZ":
    t = Type(letter)
    a, b = t.some(2); a += 1
    for on_device in (False, True):
        good(blas.cublasSetPointerMode_v2(handle, int(on_device)))
        if on_device:
            A, B, CO, SI = t.put([a]), t.put([b]), put([9], t.code), t.put([9])
        else:
            A, B, CO, SI = t.scalar(a), t.scalar(b), t.real(9), t.scalar(9)
        good(t.call("rotg_v2", A, B, CO, SI))
        read = lambda x: t.take(x, 1)[0] if on_device else (complex(*x) if t.is_complex else x[0])
        c, s, r = (take(CO, 1, t.code)[0] if on_device else CO[0]), read(SI), read(A)
        near(t.flat([c * a + s * b, -conj(s) * a + c * b]), t.flat([r, 0]), t.near)
        near([c * c + abs(s) ** 2], [1], t.near)
    good(blas.cublasSetPointerMode_v2(handle, 0))
    if t.is_complex:  # and turned by such a rotation
        x, y = t.some(5), t.some(5)
        u, v = t.put(x), t.put(y)
        good(t.call("rot_v2", 5, u, 1, v, 1, t.real(.6), t.scalar(.8j)))
        near(t.flat(t.take(u, 5)), t.flat([.6 * p + .8j * q for p, q in zip(x, y)]), t.near)
        near(t.flat(t.take(v, 5)), t.flat([.6 * q + .8j * p for p, q in zip(x, y)]), t.near)
        continue
    for on_device in (False, True):
        good(blas.cublasSetPointerMode_v2(handle, int(on_device)))
        given = [2, 3, 1, .5]
        place = [put([v], t.code) if on_device else t.real(v) for v in given]
        param = put([0] * 5, t.code) if on_device else (t.part * 5)()
        good(t.call("rotmg_v2", *place, param))
        u, v = t.put([1, 7]), t.put([.5, 7])
        good(t.call("rotm_v2", 1, u, 1, v, 1, param))
        near(t.take(v, 1), [0], t.near)
        assert (take(place[2], 1, t.code)[0] if on_device else place[2][0]) != 1
    good(blas.cublasSetPointerMode_v2(handle, 0))
assert blas.cublasSrotg_v2(handle, None, f(1), f(1), f(1)) == 7
F32, F64, F16, BF16, C32 = 0, 1, 2, 14, 4
x, y = some(6), some(6)
bits = lambda values: [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
numbers = lambda values: [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
same = lambda values: values
for kind, scalar_kind, work, code, there, back, scalar in ((F32, F32, F32, "f", same, same, f), (F64, F64, F64, "d", same, same, d),
                                                         (F16, F32, F32, "e", same, same, f), (BF16, F32, F32, "H", bits, numbers, f)):
    u, v = put(there(x), code), put(there(y), code)
    good(blas.cublasRotEx(handle, 3, u, kind, 2, v, kind, -1, scalar(.5), scalar(.25), scalar_kind, work))
    near(back(take(u, 6, code))[::2], [.5 * x[2 * i] + .25 * y[2 - i] for i in range(3)], 1e-2)
    near(back(take(v, 6, code)), [.5 * y[i] - .25 * x[2 * (2 - i)] for i in range(3)] + y[3:], 1e-2)
a, b, c, s = (ctypes.c_double(v) for v in (3, 4, 0, 0))
good(blas.cublasRotgEx(handle, ctypes.byref(a), ctypes.byref(b), F64, ctypes.byref(c), ctypes.byref(s), F64, F64))
near([a.value, c.value, s.value], [5, .6, .8])
u, v = put([1, 2]), put([3, 4])
good(blas.cublasRotmEx(handle, 2, u, F32, 1, v, F32, 1, (ctypes.c_float * 5)(-1, 2, 3, 4, 5), F32, F32))
near(take(u, 2) + take(v, 2), [14, 20, 18, 26])
assert blas.cublasRotEx(handle, 2, u, F32, 1, v, F64, 1, f(1), f(0), F32, F32) == 15
assert blas.cublasRotEx(handle, 2, u, C32, 1, v, C32, 1, f(1), f(0), C32, C32) == 15
assert blas.cublasRotgEx(handle, u, u, F16, u, u, F16, F32) == 15
""")

    def test_told(self):
        """DotcEx, DotEx of complex numbers, AsumEx, CopyEx, SwapEx."""
        self.good("""
for letter, name in (("C", 4), ("Z", 5)):
    t = Type(letter)
    p, q = t.some(4), t.some(4)
    for call, turn in ((blas.cublasDotEx, lambda z: z), (blas.cublasDotcEx, conj)):
        result = (t.part * 2)()
        good(call(handle, 2, t.put(p), name, 2, t.put(q), name, -1, result, name, name))
        near(result[:], t.flat([turn(p[0]) * q[1] + turn(p[2]) * q[0]]), t.near)
    assert blas.cublasDotcEx(handle, 2, t.put(p), name, 1, t.put(q), 0, 1, result, name, name) == 15
    where, other = t.put(p), t.put(q)
    good(blas.cublasSwapEx(handle, 4, where, name, 1, other, name, -1))
    assert t.take(where, 4) == q[::-1] and t.take(other, 4) == p[::-1]
    good(blas.cublasCopyEx_64(handle, L(2), where, name, L(1), other, name, L(2)))
    assert t.take(other, 4) == [q[3], p[2], q[2], p[0]]
result = ctypes.c_float()  # a sum of many floats is not made one after the other
good(blas.cublasDotEx(handle, 100000, put([1.1] * 100000), 0, 1, put([1.1] * 100000), 0, 1, ctypes.byref(result), 0, 0))
near([result.value], [121000], 1e-6)
x = put([1, -2, .5], "e")
result = ctypes.create_string_buffer(2)
good(blas.cublasAsumEx(handle, 3, x, 2, 1, result, 2, 0))
assert struct.unpack("<e", result.raw) == (3.5,)
good(blas.cublasDotcEx(handle, 3, x, 2, 1, x, 2, 1, result, 2, 0))
assert struct.unpack("<e", result.raw) == (5.25,)
assert blas.cublasCopyEx(handle, 3, x, 2, 1, x, 0, 1) == 15
""")

    def test_batches(self):
        """trsm and gemv of many matrices, listed and strided; the lists are on the device."""
        self.good("""
for letter in "SDCZ":
    t, n = Type(letter), 3
    for op in (N, T) + ((C,) if t.is_complex else ()):
        triangles = [[v if i >= j else 0 for j in range(n) for i, v in [(i, m[j * n + i]) for i in range(n)]] for m in (well(t, n), well(t, n, 3))]
        sides = [t.some(2 * n), t.some(2 * n)]
        wheres = [t.put(b) for b in sides]
        good(t.call("trsmBatched", 0, 0, op, 0, n, 2, t.scalar(2), pointers(*map(t.put, triangles)), n, pointers(*wheres), n, 2))
        for a, b, where in zip(triangles, sides, wheres):
            near(t.flat(times(with_op(a, op, n), t.take(where, 2 * n), n, n)), t.flat([2 * v for v in b]), t.near)
        m, k = 3, 2
        mats = [t.some(m * k) for _ in range(3)]
        size, out = (k, m) if op == N else (m, k)
        xs, ys = [t.some(size) for _ in range(3)], [t.some(out) for _ in range(3)]
        def wanted(i):
            columns = len(mats[i]) // m
            made = times(mats[i], xs[i], m, k) if op == N else times(with_op(mats[i], op, m), xs[i], k, m)
            return [2 * v + 3 * w for v, w in zip(made, ys[i])]
        places = [t.put(y) for y in ys]
        good(t.call("gemvBatched_64", op, L(m), L(k), t.scalar(2), pointers(*map(t.put, mats)), L(m), pointers(*map(t.put, xs)), L(1), t.scalar(3),
                    pointers(*places), L(1), L(3)))
        where = t.put(sum(ys, []))
        good(t.call("gemvStridedBatched", op, m, k, t.scalar(2), t.put(sum(mats, [])), m, L(m * k), t.put(sum(xs, [])), 1, L(size), t.scalar(3),
                    where, 1, L(out), 3))
        for i in range(3):
            near(t.flat(t.take(places[i], out)), t.flat(wanted(i)), t.near)
            near(t.flat(t.take(where, 3 * out)[i * out:(i + 1) * out]), t.flat(wanted(i)), t.near)
    x = pointers(t.put(t.some(4)))
    good(t.call("trsmBatched", 0, 0, N, 0, 2, 2, t.scalar(1), None, 2, None, 2, 0))
    assert t.call("trsmBatched", 0, 0, N, 0, 2, 2, t.scalar(1), x, 2, x, 2, -1) == 7
    assert t.call("trsmBatched", 0, 0, N, 0, 2, 2, t.scalar(1), x, 1, x, 2, 1) == 7
    assert t.call("gemvBatched", 4, 2, 2, t.scalar(1), x, 2, x, 1, t.scalar(0), x, 1, 1) == 7
    assert t.call("gemvBatched", N, 2, 2, t.scalar(1), x, 2, x, 0, t.scalar(0), x, 1, 1) == 7
bits = lambda values: [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
numbers = lambda values: [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
same = lambda values: values
for name, code, out_code, there, back in (("HSH", "e", "e", same, same), ("HSS", "e", "f", same, same), ("TST", "H", "H", bits, numbers), ("TSS", "H", "f", bits, same)):
    into = there if out_code == code else same
    m, k = 3, 2
    for op in (N, T):
        a, size, out = some(m * k), *((k, m) if op == N else (m, k))
        x, y = some(2 * size), some(2 * out)
        wanted = [2 * sum((a[l * m + i] if op == N else a[i * m + l]) * x[2 * l] for l in range(size)) + y[2 * i] for i in range(out)]
        where = put(into(y), out_code)
        good(getattr(blas, "cublas" + name + "gemvStridedBatched")(handle, op, m, k, f(2), put(there(a), code), m, L(0), put(there(x), code), 2, L(0), f(1), where, 2, L(0), 1))
        near(back(take(where, 2 * out, out_code))[::2], wanted, 2e-2)
        where = put(into(y), out_code)
        good(getattr(blas, "cublas" + name + "gemvBatched")(handle, op, m, k, f(2), pointers(put(there(a), code)), m, pointers(put(there(x), code)), 2, f(1), pointers(where), 2, 1))
        near(back(take(where, 2 * out, out_code))[::2], wanted, 2e-2)
    assert getattr(blas, "cublas" + name + "gemvBatched")(handle, N, m, k, f(2), None, m, None, -1, f(1), None, 1, 1) == 15
""")

    def test_factorizations(self):
        """LU, inverses, solutions, QR and least squares of batches; singular matrices are told, and bad arguments by number."""
        self.good("""
for letter in "SDCZ":
    t, n = Type(letter), 3
    mats = [[v for v in well(t, n)], [0, 1, 2, 3, 4, 5, 6, 7, 9]]  # the second needs an exchange
    unit = [1 if i % (n + 1) == 0 else 0 for i in range(n * n)]
    factors, pivots, infos = [t.put(m) for m in mats], put([0] * 6, "i"), put([7, 7], "i")
    good(t.call("getrfBatched", n, pointers(*factors), n, pivots, infos, 2))
    assert take(infos, 2, "i") == [0, 0] and take(pivots, 6, "i")[3] == 3
    inverses = [t.put([0] * 15) for _ in mats]
    good(t.call("getriBatched", n, pointers(*factors), n, pivots, pointers(*inverses), 5, infos, 2))
    for m, where in zip(mats, inverses):
        got = t.take(where, 15)
        near(t.flat(times(m, [got[j * 5 + i] for j in range(n) for i in range(n)], n, n)), t.flat(unit), 10 * t.near)
    for op in (N, T, C):
        sides = [t.some(2 * n) for _ in mats]
        wheres, info = [t.put(b) for b in sides], I(9)
        good(t.call("getrsBatched", op, n, 2, pointers(*factors), n, pivots, pointers(*wheres), n, ctypes.byref(info), 2))
        assert info.value == 0
        for m, b, where in zip(mats, sides, wheres):
            near(t.flat(times(with_op(m, op, n), t.take(where, 2 * n), n, n)), t.flat(b), 20 * t.near)
    wheres, sources = [t.put([0] * 9) for _ in mats], [t.put(m) for m in mats]
    good(t.call("matinvBatched", n, pointers(*sources), n, pointers(*wheres), n, infos, 2))
    for m, source, where in zip(mats, sources, wheres):
        near(t.flat(times(m, t.take(where, 9), n, n)), t.flat(unit), 10 * t.near)
        assert t.take(source, 9) == m
    singular = t.put([1, 2, 3, 2, 4, 6, 0, 0, 1])
    good(t.call("getrfBatched", n, pointers(singular, factors[0]), n, pivots, infos, 2))
    assert take(infos, 2, "i") == [2, 0] or take(infos, 2, "i")[0] == 3, take(infos, 2, "i")
    good(t.call("matinvBatched", n, pointers(t.put([0] * 9)), n, pointers(wheres[0]), n, infos, 1))
    assert take(infos, 1, "i") == [1] and all(v != v for v in t.take(wheres[0], 9))  # no numbers
    # QR: R'R is A'A; and the solution of the normal equations.
    m, k = 4, 2
    a, b, info = t.some(m * k), t.some(m), I(9)
    a[0] += 5; a[m + 1] += 5
    where, tau = t.put(a), t.put([0] * k)
    good(t.call("geqrfBatched", m, k, pointers(where), m, pointers(tau), ctypes.byref(info), 1))
    r = [v if i <= j else 0 for j in range(k) for i, v in enumerate(t.take(where, m * k)[j * m:j * m + k])]
    near(t.flat(times(with_op(r, C, k), r, k, k)), t.flat(times(with_op(a, C, m), a, k, m)), 20 * t.near)
    assert info.value == 0 and t.take(tau, k) != [0] * k
    where, side, told = t.put(a), t.put(b), put([9], "i")
    good(t.call("gelsBatched", N, m, k, 1, pointers(where), m, pointers(side), m, ctypes.byref(info), told, 1))
    x = t.take(side, k)
    rest = [p - q for p, q in zip(times(a, x, m, k), b)]
    near(t.flat(times(with_op(a, C, m), rest, k, m)), t.flat([0] * k), 50 * t.near)
    assert take(told, 1, "i") == [0]
    lists = pointers(where)
    assert t.call("getrfBatched", -1, lists, n, pivots, infos, 1) == 7 and t.call("getrfBatched", 3, lists, 2, pivots, infos, 1) == 7
    assert t.call("getrfBatched", 2, lists, 2, None, infos, 1) == 15
    assert t.call("getriBatched", 3, lists, 3, pivots, lists, 2, infos, 1) == 7
    assert t.call("matinvBatched", 33, lists, 33, lists, 33, infos, 1) == 7
    for bad, arguments in ((-1, (7, 3, 1, lists, 3, pivots, lists, 3)), (-2, (N, -1, 1, lists, 3, pivots, lists, 3)), (-5, (N, 3, 1, lists, 2, pivots, lists, 3)),
                           (-8, (N, 3, 1, lists, 3, pivots, lists, 2))):
        assert t.call("getrsBatched", *arguments, ctypes.byref(info), 1) == 7 and info.value == bad, (bad, info.value)
    assert t.call("geqrfBatched", 3, 2, lists, 2, lists, ctypes.byref(info), 1) == 7 and info.value == -4
    assert t.call("gelsBatched", N, 3, 2, -1, lists, 3, lists, 3, ctypes.byref(info), None, 1) == 7 and info.value == -4
    assert t.call("gelsBatched", N, 2, 3, 1, lists, 2, lists, 2, ctypes.byref(info), None, 1) == 15
    good(t.call("getrfBatched", 2, None, 2, pivots, None, 0))
""")

    def test_memory_of_lists(self):
        """A list, or a matrix of it, that is not the device's is a fault, as on a GPU."""
        for what, words in (("(ctypes.c_uint64 * 1)(where.value)", "the list of matrices"), ("put([host], 'Q')", "A, ")):
            done = self.run_more(f"""
t = Type("S")
where, host = t.put(well(t, 2)), ctypes.addressof(ctypes.create_string_buffer(99))
print(t.call("getrfBatched", 2, {what}, 2, put([0, 0], "i"), put([0], "i"), 1), cudart.cudaDeviceSynchronize())
""")
            self.assertEqual(done.stdout, "13 700\n", done.stderr)
            self.assertIn("cublasSgetrfBatched: " + words, done.stderr)

    def test_groups(self):
        """Groups of products, each with its sizes, operations and scalars on the host; batches of 3m."""
        self.good("""
for t, name in ((Type("S"), "gemmGroupedBatched"), (Type("D"), "gemmGroupedBatched_64"), (Type("S"), "Ex"), (Type("D"), "Ex_64")):
    size = ctypes.c_longlong if "64" in name else ctypes.c_int
    groups = [(N, N, 3, 2, 4, 2, 1, 2), (T, N, 2, 2, 3, -1, 0, 1), (N, T, 1, 3, 2, 3, 2, 0)]  # ops, m, n, k, alpha, beta, how many
    a, b, c, wanted = [], [], [], []
    for opa, opb, m, n, k, alpha, beta, count in groups:
        for _ in range(count):
            a.append(t.some(m * k)); b.append(t.some(k * n)); c.append(t.some(m * n))
            wanted.append(product(a[-1], opa, m if opa == N else k, b[-1], opb, k if opb == N else n, m, n, k, alpha, beta, c[-1], m))
    wheres = [t.put(v) for v in c]
    array = lambda of, index: (of * 3)(*[g[index] for g in groups])
    pitch = lambda op, first, second: (size * 3)(*[g[first] if g[op] == N else g[second] for g in groups])
    ops = [array(ctypes.c_int, 0), array(ctypes.c_int, 1), *(array(size, i) for i in (2, 3, 4))]
    types = lambda: (t.number,) if name.startswith("Ex") else ()
    call = (lambda *more: getattr(blas, "cublasGemmGroupedBatched" + name)(handle, *more, 68 if t.letter == "S" else 70)) if name.startswith("Ex") else (lambda *more: t.call(name, *more))
    def run(alpha, sizes=array(size, 7)):
        return call(*ops, alpha, pointers(*map(t.put, a)), *types(), pitch(0, 2, 4), pointers(*map(t.put, b)), *types(), pitch(1, 4, 3), array(t.part, 6),
                    pointers(*wheres), *types(), array(size, 2), size(3), sizes)
    good(run(array(t.part, 5)))
    for where, values in zip(wheres, wanted): near(t.take(where, len(values)), values, t.near)
    assert run(None) == 7 and run(array(t.part, 5), (size * 3)(1, -1, 1)) == 7
    good(blas.cublasSetPointerMode_v2(handle, 1))
    assert run(array(t.part, 5)) == 15
    good(blas.cublasSetPointerMode_v2(handle, 0))
t = Type("C")
a, b = [t.some(4) for _ in range(2)], [t.some(4) for _ in range(2)]
for listed in (False, True):
    wheres = [t.put([0] * 4) for _ in range(2)] if listed else [t.put([0] * 8)]
    if listed:
        good(t.call("gemm3mBatched", N, C, 2, 2, 2, t.scalar(1j), pointers(*map(t.put, a)), 2, pointers(*map(t.put, b)), 2, t.scalar(0), pointers(*wheres), 2, 2))
    else:
        good(t.call("gemm3mStridedBatched", N, C, 2, 2, 2, t.scalar(1j), t.put(sum(a, [])), 2, L(4), t.put(sum(b, [])), 2, L(4), t.scalar(0), wheres[0], 2, L(4), 2))
    got = sum((t.take(w, 4) for w in wheres), []) if listed else t.take(wheres[0], 8)
    near(t.flat(got), t.flat([1j * v for p, q in zip(a, b) for v in times(p, with_op(q, C, 2), 2, 2)]))
where = t.put([0] * 4)
good(t.call("gemm3mEx", N, N, 2, 2, 2, t.scalar(1), t.put(a[0]), 4, 2, t.put(b[0]), 4, 2, t.scalar(0), where, 4, 2))
near(t.flat(t.take(where, 4)), t.flat(times(a[0], b[0], 2, 2)))
""")

    def test_capture(self):
        """Batches become nodes of a graph: lists are read at each launch; scalars on the host are as they were, each as long as it is."""
        self.good("""
stream, graph, run_of_it = P(), P(), P()
good(cudart.cudaStreamCreate(ctypes.byref(stream))); good(blas.cublasSetStream_v2(handle, stream))
t = Type("C")
n, a, z, w = 2, well(Type("C"), 2), t.some(2), t.some(2)
factors, pivots, infos, where = t.put(a), put([0, 0], "i"), put([9], "i"), t.put([0] * 4)
alpha, beta = t.scalar(1 + 1j), t.real(0)
info, lists = I(5), pointers(factors)
z_, w_ = t.put(z), t.put(w)
good(cudart.cudaStreamBeginCapture(stream, 0))
assert t.call("getrsBatched", N, n, 1, lists, 1, pivots, lists, n, ctypes.byref(info), 1) == 7 and info.value == -5
cudart.cudaStreamEndCapture(stream, ctypes.byref(graph))
good(cudart.cudaStreamBeginCapture(stream, 0))
good(t.call("getrfBatched", n, lists, n, pivots, infos, 1))
good(t.call("her2k_v2", 0, N, 2, 1, alpha, z_, 2, w_, 2, beta, where, 2))
good(cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
assert take(infos, 1, "i") == [9]
alpha[0], beta[0] = 77, 77
good(cudart.cudaGraphInstantiateWithFlags(ctypes.byref(run_of_it), graph, ctypes.c_ulonglong(0)))
good(cudart.cudaGraphLaunch(run_of_it, stream)); good(cudart.cudaStreamSynchronize(stream))
assert take(infos, 1, "i") == [0] and t.take(factors, 4) != a
got = t.take(where, 4)
near(t.flat([got[1]]), t.flat([(1 + 1j) * z[1] * conj(w[0]) + (1 - 1j) * w[1] * conj(z[0])]))
""")


if __name__ == "__main__":
    unittest.main()
