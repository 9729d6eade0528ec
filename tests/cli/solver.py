"""--libraries cpu: cuSOLVER's dense factorizations, held against the products that they must give, in all four types; what it refuses."""

import os
import sys
import unittest

sys.path.insert(0, "tests")
sys.path.insert(0, "tests/cli")
from blas import Case, has_openblas  # noqa: E402
from blas_more import MORE  # noqa: E402

SOLVER = MORE + r"""
solver = ctypes.CDLL("libcusolver.so.12")
handle = P()
good(solver.cusolverDnCreate(ctypes.byref(handle)))
info = put([9], "i")
def told(): return take(info, 1, "i")[0]
class Solver(Type):
    def call(self, name, *arguments): return getattr(solver, "cusolverDn" + self.letter + name)(handle, *arguments)
    def area(self, name, *arguments):
        size = I(-1)
        good(self.call(name + "_bufferSize", *arguments, ctypes.byref(size)))
        return put([0] * 32, "d"), size
    def name(self, of_real, of_complex): return of_complex if self.is_complex else of_real
    def hermitian(self, n):
        a = well(self, n)
        return times(a, with_op(a, C, n), n, n)
    def same(self, a, b, by=50): near(self.flat(a), self.flat(b), by * self.near)
def unit(n): return [1 if i % (n + 1) == 0 else 0 for i in range(n * n)]
def rows(m, pitch, count): return [m[j * pitch + i] for j in range(len(m) // pitch) for i in range(count)]
def upper(m, n): return [m[j * n + i] if i <= j else 0 for j in range(n) for i in range(n)]
def scaled(m, by, n): return [m[j * n + i] * by[j] for j in range(len(by)) for i in range(n)]
"""


@unittest.skipUnless(has_openblas(), "libopenblas.so.0 is not there (libopenblas0-pthread)")
class Dense(Case):
    def run_solver(self, text, *options):
        return self.run_script(text, "--libraries", "cpu", *options, head=SOLVER)

    def good(self, text, *options):
        done = self.run_solver(text, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_handles(self):
        done = self.good("""
stream, params, mode = P(), P(), I()
good(solver.cusolverDnSetStream(handle, None)); good(solver.cusolverDnGetStream(handle, ctypes.byref(stream)))
good(solver.cusolverDnCreateParams(ctypes.byref(params)))
assert solver.cusolverDnSetAdvOptions(params, 0, 1) == 0 and solver.cusolverDnSetAdvOptions(params, 0, 9) == 3
good(solver.cusolverDnDestroyParams(params))
assert solver.cusolverDnSetDeterministicMode(handle, 2) == 0 and solver.cusolverDnSetDeterministicMode(handle, 7) == 3
good(solver.cusolverDnGetDeterministicMode(handle, ctypes.byref(mode))); assert mode.value == 2
good(solver.cusolverGetVersion(ctypes.byref(mode))); assert mode.value >= 11000
sparse = P()
good(solver.cusolverSpCreate(ctypes.byref(sparse))); good(solver.cusolverSpDestroy(sparse))
t = Solver("S")
good(t.call("potrf", 0, 0, None, 1, None, 1, info))
good(solver.cusolverDnDestroy(handle))
assert solver.cusolverDnDestroy(handle) == 1 and solver.cusolverDnCreate(None) == 3
assert t.call("potrf", 0, 1, info, 1, None, 1, info) == 1
""")
        self.assertIn("cusolverDnSpotrf: computed on the CPU, not counted", done.stderr)

    def test_cholesky(self):
        self.good("""
n, ld = 4, 6
for letter in "SDCZ":
    t = Solver(letter)
    h, b = t.hermitian(n), t.some(2 * n)
    wide = [h[j * n + i] if i < n else 7 for j in range(n) for i in range(ld)]
    for half in (0, 1):
        where = t.put(wide)
        area, size = t.area("potrf", half, n, where, ld)
        good(t.call("potrf", half, n, where, ld, area, size, info)); assert told() == 0
        got = rows(t.take(where, n * ld), ld, n)
        f = upper(got, n) if half else with_op(upper(with_op(got, C, n), n), C, n)
        t.same(times(with_op(f, C, n), f, n, n) if half else times(f, with_op(f, C, n), n, n), h)
        assert [t.take(where, n * ld)[j * ld + i] for j in range(n) for i in range(ld) if i >= n] == [7] * n * 2  # what is not its own
        side = t.put(b)
        good(t.call("potrs", half, n, 2, where, ld, side, n, info))
        t.same(times(h, t.take(side, 2 * n), n, n), b)
        area, size = t.area("potri", half, n, where, ld)
        good(t.call("potri", half, n, where, ld, area, size, info)); assert told() == 0
        got = rows(t.take(where, n * ld), ld, n)
        inverse = [got[j * n + i] if (i >= j) != bool(half) or i == j else conj(got[i * n + j]) for j in range(n) for i in range(n)]
        t.same(times(h, inverse, n, n), unit(n))
    infos, lists, sides = put([9, 9], "i"), [t.put(h), t.put([-1 if i == 0 else v for i, v in enumerate(h)])], [t.put(b[:n]), t.put(b[n:])]
    good(t.call("potrfBatched", 0, n, pointers(*lists), n, infos, 2)); assert take(infos, 2, "i") == [0, 1]
    good(t.call("potrsBatched", 0, n, 1, pointers(lists[0], lists[0]), n, pointers(*sides), n, info, 2)); assert told() == 0
    t.same(times(h, t.take(sides[1], n), n, n), b[n:])
    assert t.call("potrsBatched", 0, n, 2, pointers(*lists), n, pointers(*sides), n, info, 2) == 9
    where = t.put([-1] + [0] * 15)
    good(t.call("potrf", 0, n, where, n, area, size, info)); assert told() == 1
    for bad in ((2, n, where, n, area, size, info), (0, -1, where, n, area, size, info), (0, n, where, n - 1, area, size, info), (0, n, where, n, area, 0, info)):
        assert t.call("potrf", *bad) == 3, bad
    assert t.call("potrf_bufferSize", 0, -1, where, n, ctypes.byref(I())) == 3 and t.call("potrf_bufferSize", 0, n, where, n, None) == 3
""")

    def test_lu(self):
        self.good("""
for letter in "SDCZ":
    t, n = Solver(letter), 3
    for m in (3, 5):  # taller than wide, too
        a = [0] + t.some(m * n - 1)  # needs an exchange
        where, pivots = t.put(a), put([0] * n, "i")
        area, size = t.area("getrf", m, n, where, m)
        good(t.call("getrf", m, n, where, m, area, pivots, info)); assert told() == 0
        f, order = t.take(where, m * n), list(range(m))
        for i, p in enumerate(take(pivots, n, "i")): order[i], order[p - 1] = order[p - 1], order[i]
        low = [1 if i == j else f[j * m + i] if i > j else 0 for j in range(n) for i in range(m)]
        up = [f[j * m + i] if i <= j else 0 for j in range(n) for i in range(n)]
        t.same(times(low, up, m, n), [a[j * m + order[i]] for j in range(n) for i in range(m)])
    a, b = [0] + [v + 9 for v in t.some(8)], t.some(2 * n)
    where = t.put(a)
    good(t.call("getrf", n, n, where, n, area, pivots, info))
    for op in (N, T, C):
        side = t.put(b)
        good(t.call("getrs", op, n, 2, where, n, pivots, side, n, info)); assert told() == 0
        t.same(times(with_op(a, op, n), t.take(side, 2 * n), n, n), b, 500)
    good(t.call("getrf", n, n, t.put([0] * 9), n, area, pivots, info)); assert told() == 1
    assert t.call("getrf", n, n, where, n, area, None, info) == 9
    assert t.call("getrf", n, n, where, 2, area, pivots, info) == 3 and t.call("getrs", 3, n, 1, where, n, pivots, side, n, info) == 3
    # The same of types that are told, with pivots of 64 bits.
    wide, bytes_, host, params = put([0] * n, "q"), ctypes.c_size_t(), ctypes.c_size_t(9), P()
    where, side = t.put(a), t.put(b)
    good(solver.cusolverDnXgetrf_bufferSize(handle, params, L(n), L(n), t.number, where, L(n), t.number, ctypes.byref(bytes_), ctypes.byref(host)))
    assert host.value == 0 and bytes_.value > 0
    good(solver.cusolverDnXgetrf(handle, params, L(n), L(n), t.number, where, L(n), wide, t.number, area, bytes_, None, host, info))
    good(solver.cusolverDnXgetrs(handle, params, N, L(n), L(2), t.number, where, L(n), wide, t.number, side, L(n), info))
    t.same(times(a, t.take(side, 2 * n), n, n), b, 500)
    assert solver.cusolverDnXgetrf(handle, params, L(n), L(n), 2, where, L(n), wide, 2, area, bytes_, None, host, info) == 9
    assert solver.cusolverDnXgetrf(handle, params, L(n), L(n), t.number, where, L(n), wide, t.number, area, ctypes.c_size_t(0), None, host, info) == 3
    h = t.hermitian(n)
    where, side = t.put(h), t.put(b)
    good(solver.cusolverDnXpotrf(handle, params, 0, L(n), t.number, where, L(n), t.number, area, bytes_, None, host, info))
    good(solver.cusolverDnXpotrs(handle, params, 0, L(n), L(2), t.number, where, L(n), t.number, side, L(n), info))
    t.same(times(h, t.take(side, 2 * n), n, n), b)
""")

    def test_qr(self):
        self.good("""
for letter in "SDCZ":
    t, m, n = Solver(letter), 5, 3
    a = t.some(m * n)
    where, tau = t.put(a), t.put([0] * n)
    area, size = t.area("geqrf", m, n, where, m)
    good(t.call("geqrf", m, n, where, m, tau, area, size, info)); assert told() == 0
    r = [v if i <= j else 0 for j in range(n) for i, v in enumerate(t.take(where, m * n)[j * m:j * m + n])]
    # Q' A is R, by what applies Q; and what makes Q.
    side, mqr = t.put(a), t.name("ormqr", "unmqr")
    area, size = t.area(mqr, 0, C, m, n, n, where, m, tau, side, m)
    good(t.call(mqr, 0, t.name(T, C), m, n, n, where, m, tau, side, m, area, size, info)); assert told() == 0
    t.same(rows(t.take(side, m * n), m, n), r); near([abs(v) for v in t.take(side, m * n)[m - 2:m]], [0, 0], t.near)
    assert t.call(mqr, 2, N, m, n, n, where, m, tau, side, m, area, size, info) == 3
    assert t.call(mqr, 0, N, m, n, n, where, m - 1, tau, side, m, area, size, info) == 3
    if t.is_complex: assert t.call(mqr, 0, T, m, n, n, where, m, tau, side, m, area, size, info) == 3
    gqr = t.name("orgqr", "ungqr")
    area, size = t.area(gqr, m, n, n, where, m, tau)
    good(t.call(gqr, m, n, n, where, m, tau, area, size, info)); assert told() == 0
    q = t.take(where, m * n)
    t.same(times(q, r, m, n), a); t.same(times(with_op(q, C, m), q, n, m), unit(n))
    assert t.call(gqr, m, m + 1, n, where, m, tau, area, size, info) == 3 and t.call("geqrf", m, n, where, m - 1, tau, area, size, info) == 3
    where = t.put(a)
    bytes_, host = ctypes.c_size_t(), ctypes.c_size_t()
    good(solver.cusolverDnXgeqrf_bufferSize(handle, None, L(m), L(n), t.number, where, L(m), t.number, tau, t.number, ctypes.byref(bytes_), ctypes.byref(host)))
    good(solver.cusolverDnXgeqrf(handle, None, L(m), L(n), t.number, where, L(m), t.number, tau, t.number, area, bytes_, None, host, info))
    t.same([v if i <= j else 0 for j in range(n) for i, v in enumerate(t.take(where, m * n)[j * m:j * m + n])], r)
""")

    def test_singular_values(self):
        self.good("""
for letter in "SDCZ":
    t, m, n = Solver(letter), 5, 3
    a = t.some(m * n)
    for job in "AS":
        columns = m if job == "A" else n
        where, values, u, v = t.put(a), put([0] * n, t.code), t.put([0] * m * m), t.put([0] * n * n)
        area, size = t.area("gesvd", m, n)
        good(t.call("gesvd", ctypes.c_byte(ord(job)), ctypes.c_byte(ord(job)), m, n, where, m, values, u, m, v, n, area, size, None, info)); assert told() == 0
        U, S, V = t.take(u, m * columns), take(values, n, t.code), t.take(v, n * n)
        assert S == sorted(S, reverse=True) and S[-1] >= 0
        t.same(times(scaled(U[:m * n], S, m), V, m, n), a); t.same(times(with_op(U, C, m), U, columns, m), unit(columns)); t.same(times(V, with_op(V, C, n), n, n), unit(n))
    where, none = t.put(a), ctypes.c_byte(ord("N"))
    good(t.call("gesvd", none, none, m, n, where, m, values, None, 1, None, 1, area, size, None, info)); near(take(values, n, t.code), S, t.near)
    assert t.call("gesvd", none, none, n, m, where, n, values, None, 1, None, 1, area, size, None, info) == 3  # wider than tall
    assert t.call("gesvd", ctypes.c_byte(ord("x")), none, m, n, where, m, values, None, 1, None, 1, area, size, None, info) == 3
    assert t.call("gesvd_bufferSize", n, m, ctypes.byref(size)) == 3
    real = 1 if t.code == "d" else 0
    where = t.put(a)
    good(solver.cusolverDnXgesvd(handle, None, none, none, L(m), L(n), t.number, where, L(m), real, values, t.number, None, L(1), t.number, None, L(1), t.number, area,
                                 ctypes.c_size_t(99), None, ctypes.c_size_t(0), info))
    near(take(values, n, t.code), S, t.near)
""")

    def test_eigenvalues(self):
        self.good("""
for letter in "SDCZ":
    t, n = Solver(letter), 4
    h, b = t.hermitian(n), t.hermitian(n)
    evd, gvd = t.name("syevd", "heevd"), t.name("sygvd", "hegvd")
    for half in (0, 1):
        where, values = t.put(h), put([0] * n, t.code)
        area, size = t.area(evd, 1, half, n, where, n, values)
        good(t.call(evd, 1, half, n, where, n, values, area, size, info)); assert told() == 0
        w, v = take(values, n, t.code), t.take(where, n * n)
        assert w == sorted(w)
        t.same(times(h, v, n, n), scaled(v, w, n), 500); t.same(times(with_op(v, C, n), v, n, n), unit(n))
        where, other, kept = t.put(h), t.put(b), w
        area, size = t.area(gvd, 1, 1, half, n, where, n, other, n, values)
        good(t.call(gvd, 1, 1, half, n, where, n, other, n, values, area, size, info)); assert told() == 0
        w, v = take(values, n, t.code), t.take(where, n * n)
        t.same(times(h, v, n, n), scaled(times(b, v, n, n), w, n), 500)
    where = t.put(h)
    good(t.call(evd, 0, 0, n, where, n, values, area, size, info)); near(take(values, n, t.code), kept, 10 * t.near)
    assert t.call(evd, 2, 0, n, where, n, values, area, size, info) == 3 and t.call(evd, 1, 0, n, where, n - 1, values, area, size, info) == 3
    assert t.call(gvd, 4, 0, 0, n, where, n, where, n, values, area, size, info) == 3
    real, wide = (1, 5) if t.code == "d" else (0, 4)
    where, bytes_, host = t.put(h), ctypes.c_size_t(), ctypes.c_size_t()
    good(solver.cusolverDnXsyevd_bufferSize(handle, None, 0, 0, L(n), t.number, where, L(n), real, values, t.number, ctypes.byref(bytes_), ctypes.byref(host)))
    good(solver.cusolverDnXsyevd(handle, None, 0, 0, L(n), t.number, where, L(n), real, values, t.number, area, bytes_, None, host, info))
    near(take(values, n, t.code), kept, 10 * t.near)
    assert solver.cusolverDnXsyevd(handle, None, 0, 0, L(n), t.number, where, L(n), 2, values, t.number, area, bytes_, None, host, info) == 9
    # Of any matrix: pairs of columns stand for conjugates where it is real.
    a = [0, 1, 0, 0, 0, 1, 1, 0, 0] if not t.is_complex else well(t, 3)
    where, vectors, values = t.put(a), t.put([0] * 9), put([0] * 6, t.code)
    good(solver.cusolverDnXgeev(handle, None, 0, 1, L(3), t.number, where, L(3), wide, values, t.number, None, L(1), t.number, vectors, L(3), t.number, area, bytes_, None, host, info))
    parts, v = take(values, 6, t.code), t.take(vectors, 9)
    w = [complex(*parts[i:i + 2]) for i in (0, 2, 4)]
    if not t.is_complex:
        near(sorted(z.real for z in w), [-.5, -.5, 1], t.near); near(sorted(z.imag for z in w), [-.75 ** .5, 0, .75 ** .5], t.near)
        at = next(i for i in range(3) if w[i].imag > 0)
        columns = [complex(p, q) for p, q in zip(v[at * 3:at * 3 + 3], v[at * 3 + 3:at * 3 + 6])]
        made = times(a, columns, 3, 3)
        near([abs(p - w[at] * q) for p, q in zip(made, columns)], [0] * 3, t.near)
    else:
        t.same(times(a, v, 3, 3), scaled(v, w, 3))
    assert solver.cusolverDnXgeev(handle, None, 1, 1, L(3), t.number, where, L(3), wide, values, t.number, None, L(1), t.number, vectors, L(3), t.number, area, bytes_, None, host, info) == 9
""")

    def test_jacobi(self):
        """The same by the names of Jacobi's method, one and in batches: V stands as columns, and wide matrices are taken."""
        self.good("""
eigen, singular = P(), P()
good(solver.cusolverDnCreateSyevjInfo(ctypes.byref(eigen))); good(solver.cusolverDnCreateGesvdjInfo(ctypes.byref(singular)))
good(solver.cusolverDnXsyevjSetTolerance(eigen, ctypes.c_double(1e-7))); good(solver.cusolverDnXgesvdjSetMaxSweeps(singular, 15))
good(solver.cusolverDnXsyevjSetSortEig(eigen, 1)); assert solver.cusolverDnXgesvdjSetSortEig(None, 1) == 3
area, size, infos = put([0] * 8, "d"), I(), put([9, 9], "i")
for letter in "SDCZ":
    t, n = Solver(letter), 3
    evj, h = t.name("syevj", "heevj"), [t.hermitian(3), t.hermitian(3)]
    where, values = t.put(h[0] + h[1]), put([0] * 6, t.code)
    good(t.call(evj + "Batched_bufferSize", 1, 0, n, where, n, values, ctypes.byref(size), eigen, 2))
    good(t.call(evj + "Batched", 1, 0, n, where, n, values, area, size, infos, eigen, 2)); assert take(infos, 2, "i") == [0, 0]
    for i in range(2):
        w, v = take(values, 6, t.code)[3 * i:3 * i + 3], t.take(where, 18)[9 * i:9 * i + 9]
        t.same(times(h[i], v, n, n), scaled(v, w, n), 500)
    where = t.put(h[1])
    good(t.call(evj, 0, 1, n, where, n, values, area, size, info, eigen)); assert told() == 0
    near(take(values, 3, t.code), w, 100 * t.near)
    assert t.call(evj, 0, 1, n, where, n - 1, values, area, size, info, eigen) == 3 and t.call(evj, 3, 1, n, where, n, values, area, size, info, eigen) == 3
    for m, n in ((4, 2), (2, 4)):
        least, mats = 2, [t.some(8), t.some(8)]
        u, v, values = t.put([0] * 2 * m * m), t.put([0] * 2 * n * n), put([0] * 2 * least, t.code)
        where = t.put(mats[0] + mats[1])
        good(t.call("gesvdjBatched", 1, m, n, where, m, values, u, m, v, n, area, size, infos, singular, 2)); assert take(infos, 2, "i") == [0, 0]
        for i in range(2):
            U, S, V = t.take(u, 2 * m * m)[i * m * m:(i + 1) * m * m], take(values, 2 * least, t.code)[i * least:(i + 1) * least], t.take(v, 2 * n * n)[i * n * n:(i + 1) * n * n]
            t.same(times(scaled(U[:m * least], S, m), with_op(V[:n * least], C, n), m, least), mats[i]); t.same(times(with_op(V, C, n), V, n, n), unit(n))
        where = t.put(mats[1])
        good(t.call("gesvdj", 1, 1, m, n, where, m, values, u, m, v, n, area, size, info, singular)); assert told() == 0
        U, V = t.take(u, m * least), t.take(v, n * least)
        near(take(values, least, t.code), S, 100 * t.near); t.same(times(scaled(U, S, m), with_op(V, C, n), m, least), mats[1])
        assert t.call("gesvdj", 1, 1, m, n, where, m, values, u, m - 1, v, n, area, size, info, singular) == 3
    assert t.call("gesvdjBatched", 0, 33, 1, where, 33, values, u, 33, v, 1, area, size, infos, singular, 1) == 3
good(solver.cusolverDnDestroySyevjInfo(eigen)); good(solver.cusolverDnDestroyGesvdjInfo(singular))
""")

    def test_capture(self):
        """A factorization becomes a node of a graph."""
        self.good("""
stream, graph, run_of_it, t = P(), P(), P(), Solver("D")
good(cudart.cudaStreamCreate(ctypes.byref(stream))); good(solver.cusolverDnSetStream(handle, stream))
h = t.hermitian(3)
where = t.put(h)
good(cudart.cudaStreamBeginCapture(stream, 0))
good(t.call("potrf", 0, 3, where, 3, None, 1, info))
good(cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)))
assert told() == 9
good(cudart.cudaGraphInstantiateWithFlags(ctypes.byref(run_of_it), graph, ctypes.c_ulonglong(0)))
good(cudart.cudaGraphLaunch(run_of_it, stream)); good(cudart.cudaStreamSynchronize(stream))
assert told() == 0 and t.take(where, 9) != h
""")

    def test_memory(self):
        done = self.run_solver("""
t = Solver("S")
print(t.call("potrf", 0, 4, t.put(some(15)), 4, None, 1, info), cudart.cudaDeviceSynchronize())
""")
        self.assertEqual(done.stdout, "6 700\n", done.stderr)
        self.assertIn("cusolverDnSpotrf: A, 64 bytes at", done.stderr)

    def test_what_is_not_computed(self):
        """Is refused by its name, with what to do, and a gate fails."""
        done = self.run_solver("print(solver.cusolverDnSsytrf(handle), solver.cusolverSpScsrlsvqr(None), solver.cusolverDnSsytrf(handle))", "--fail-on", "fault")
        self.assertEqual((done.returncode, done.stdout), (4, "9 9 9\n"), done.stderr)
        self.assertEqual(done.stderr.count("bankrun: cusolverDnSsytrf: not simulated (--libraries cpu does not compute it); compute this step on the host\n"), 1, done.stderr)
        self.assertIn("cusolverSpScsrlsvqr", done.stderr)


if __name__ == "__main__":
    unittest.main()
