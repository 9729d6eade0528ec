// What cuSOLVER's dense functions do: checks, and a function of LAPACK.
#include "cudalibs/solver.h"

#include <string.h>

#include "cudalibs/lapack.h"

bool solver_is_complex(const struct solver *s) {
    return s->letter == 'c' || s->letter == 'z';
}

size_t solver_real_bytes(const struct solver *s) {
    return s->letter == 's' || s->letter == 'c' ? sizeof(float) : sizeof(double);
}

size_t solver_element_bytes(const struct solver *s) {
    return solver_real_bytes(s) * (solver_is_complex(s) ? 2 : 1);
}

// What orthogonal matrices are called of real numbers, and unitary ones of complex numbers.
static const char *named(const struct solver *s, const char *of_real, const char *of_complex) {
    return solver_is_complex(s) ? of_complex : of_real;
}

static bool is_choice(struct lib_call *call, int value, int count) {
    return lib_require(call, value >= 0 && value < count);
}

bool solver_is_good(struct lib_call *call, const struct solver *s) {
    return lib_require(call, s->m >= 0 && s->n >= 0 && s->k >= 0) && blas_is_small(call, s->m) &&
           blas_is_small(call, s->n) && blas_is_small(call, s->k) &&
           lib_require(call, !s->wants_area || s->has_area);
}

bool solver_has(struct lib_call *call, const struct solver *s, const char *what, const void *at,
                int64_t rows, int64_t columns, int64_t pitch, bool is_written) {
    return lib_has_matrix(call, what, at, rows, columns, pitch, solver_element_bytes(s),
                          is_written);
}

static bool has_values(struct lib_call *call, const char *what, const void *at, int64_t count,
                       size_t element, bool is_written) {
    return lib_has_vector(call, what, at, count, 1, element, is_written);
}

// Where what became of it goes. `info` is always LAPACK's, which is cuSOLVER's.
static bool has_info(struct lib_call *call, const struct solver *s) {
    return lib_has_vector(call, "info", s->info, s->count ? s->count : 1, 1, sizeof *s->info, true);
}

// ---- Cholesky -----------------------------------------------------------------------------------

typedef void (*potrf_function)(const char *, const int *, void *, const int *, int *, size_t);

bool solver_is_half(struct lib_call *call, const struct solver *s) {
    return is_choice(call, s->half, 2) && solver_is_good(call, s) &&
           matrix_is_pitch(call, s->lda, s->n);
}

static void factor(struct lib_call *call, const struct solver *s, void *a, int *info,
                   const char *name) {
    const int n = (int)s->n, lda = (int)s->lda;
    potrf_function work;
    *info = 0;
    if (matrix_has_half(call, "A", a, s->half, s->n, s->lda, solver_element_bytes(s)) && n &&
        LAPACK_FIND(s->letter, name, work))
        work(&blas_halves[s->half], &n, a, &lda, info, 1);
}

void solver_potrf(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    if (solver_is_half(call, s) && has_info(call, s))
        factor(call, s, s->a, s->info, "potrf");
}

void solver_potri(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    if (solver_is_half(call, s) && has_info(call, s))
        factor(call, s, s->a, s->info, "potri");
}

static void solve_half(struct lib_call *call, const struct solver *s, const void *a, void *b,
                       int *info) {
    const int n = (int)s->n, k = (int)s->k, lda = (int)s->lda, ldb = (int)s->ldb;
    void (*work)(const char *, const int *, const int *, const void *, const int *, void *,
                 const int *, int *, size_t);
    *info = 0;
    if (solver_has(call, s, "A", a, s->n, s->n, s->lda, false) &&
        solver_has(call, s, "B", b, s->n, s->k, s->ldb, true) && n && k &&
        LAPACK_FIND(s->letter, "potrs", work))
        work(&blas_halves[s->half], &n, &k, a, &lda, b, &ldb, info, 1);
}

void solver_potrs(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    if (solver_is_half(call, s) && matrix_is_pitch(call, s->ldb, s->n) && has_info(call, s))
        solve_half(call, s, s->a, s->b, s->info);
}

static bool has_lists(struct lib_call *call, const struct solver *s) {
    const size_t bytes = (size_t)s->count * sizeof *s->a_list;
    return lib_can_use(call, "the list of A", s->a_list, bytes, false) &&
           (!s->b_list || lib_can_use(call, "the list of B", s->b_list, bytes, false));
}

void solver_potrf_batch(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    if (!solver_is_half(call, s) || !lib_require(call, s->count >= 0) || !s->count ||
        !has_info(call, s) || !has_lists(call, s))
        return;
    for (int64_t i = 0; i < s->count && call->status == LIB_SUCCESS; i++)
        factor(call, s, s->a_list[i], &s->info[i], "potrf");
}

// One number tells of the arguments of all.
void solver_potrs_batch(struct lib_call *call, const void *arguments) {
    struct solver one = *(const struct solver *)arguments;
    const struct solver *s = &one;
    const int64_t count = one.count;
    if (!solver_is_half(call, s) || !matrix_is_pitch(call, s->ldb, s->n) ||
        !lib_require(call, count >= 0))
        return;
    if (s->k > 1) { // as cuSOLVER does
        lib_refuse(call, "with several right-hand sides");
        return;
    }
    if (!count || !has_lists(call, s))
        return;
    one.count = 0;
    if (!has_info(call, s))
        return;
    for (int64_t i = 0; i < count && call->status == LIB_SUCCESS; i++)
        solve_half(call, s, s->a_list[i], s->b_list[i], s->info);
}

// ---- LU -----------------------------------------------------------------------------------------

static bool has_pivots(struct lib_call *call, const struct solver *s, int64_t count,
                       bool is_written) {
    return s->wide_pivots
               ? has_values(call, "the pivots", s->wide_pivots, count, sizeof *s->wide_pivots,
                            is_written)
               : has_values(call, "the pivots", s->pivots, count, sizeof *s->pivots, is_written);
}

void solver_getrf(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int m = (int)s->m, n = (int)s->n, lda = (int)s->lda, count = m < n ? m : n;
    void (*work)(const int *, const int *, void *, const int *, int *, int *);
    if (!solver_is_good(call, s) || !matrix_is_pitch(call, s->lda, s->m))
        return;
    if (!s->pivots && !s->wide_pivots) { // LAPACK always exchanges rows
        lib_refuse(call, "without pivots");
        return;
    }
    if (!has_info(call, s) || !solver_has(call, s, "A", s->a, s->m, s->n, s->lda, true) ||
        !has_pivots(call, s, count, true))
        return;
    *s->info = 0;
    if (!m || !n || !LAPACK_FIND(s->letter, "getrf", work))
        return;
    int *pivots = s->wide_pivots ? base_alloc((size_t)count * sizeof *pivots) : s->pivots;
    work(&m, &n, s->a, &lda, pivots, s->info);
    for (int i = 0; s->wide_pivots && i < count; i++)
        s->wide_pivots[i] = pivots[i];
    if (s->wide_pivots)
        free(pivots);
}

void solver_getrs(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int n = (int)s->n, k = (int)s->k, lda = (int)s->lda, ldb = (int)s->ldb;
    void (*work)(const char *, const int *, const int *, const void *, const int *, const int *,
                 void *, const int *, int *, size_t);
    if (!is_choice(call, s->op, 3) || !solver_is_good(call, s) ||
        !matrix_is_pitch(call, s->lda, s->n) || !matrix_is_pitch(call, s->ldb, s->n) ||
        !has_info(call, s) || !solver_has(call, s, "A", s->a, s->n, s->n, s->lda, false) ||
        !solver_has(call, s, "B", s->b, s->n, s->k, s->ldb, true))
        return;
    const bool is_given = s->wide_pivots || s->pivots;
    if (is_given && !has_pivots(call, s, s->n, false))
        return;
    *s->info = 0;
    if (!n || !k || !LAPACK_FIND(s->letter, "getrs", work))
        return;
    int *pivots = base_alloc((size_t)n * sizeof *pivots); // of no exchange where none are given
    for (int i = 0; i < n; i++)
        pivots[i] = s->wide_pivots ? (int)s->wide_pivots[i] : s->pivots ? s->pivots[i] : i + 1;
    work(&blas_ops[s->op], &n, &k, s->a, &lda, pivots, s->b, &ldb, s->info, 1);
    free(pivots);
}

// ---- QR -----------------------------------------------------------------------------------------

void solver_geqrf(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int m = (int)s->m, n = (int)s->n, lda = (int)s->lda;
    void (*work)(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
    if (!solver_is_good(call, s) || !matrix_is_pitch(call, s->lda, s->m) || !has_info(call, s) ||
        !solver_has(call, s, "A", s->a, s->m, s->n, s->lda, true) ||
        !has_values(call, "tau", s->values, m < n ? m : n, solver_element_bytes(s), true))
        return;
    *s->info = 0;
    if (m && n && LAPACK_FIND(s->letter, "geqrf", work))
        LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                         work(&m, &n, s->a, &lda, s->values, area, &area_size, s->info));
}

void solver_orgqr(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int m = (int)s->m, n = (int)s->n, k = (int)s->k, lda = (int)s->lda;
    void (*work)(const int *, const int *, const int *, void *, const int *, const void *, void *,
                 const int *, int *);
    if (!solver_is_good(call, s) || !lib_require(call, s->n <= s->m && s->k <= s->n) ||
        !matrix_is_pitch(call, s->lda, s->m) || !has_info(call, s) ||
        !solver_has(call, s, "A", s->a, s->m, s->n, s->lda, true) ||
        !has_values(call, "tau", s->values, s->k, solver_element_bytes(s), false))
        return;
    *s->info = 0;
    if (m && n && LAPACK_FIND(s->letter, named(s, "orgqr", "ungqr"), work))
        LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                         work(&m, &n, &k, s->a, &lda, s->values, area, &area_size, s->info));
}

void solver_ormqr(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int m = (int)s->m, n = (int)s->n, k = (int)s->k, lda = (int)s->lda, ldb = (int)s->ldb;
    const int64_t rows = s->side == BLAS_LEFT ? s->m : s->n;
    void (*work)(const char *, const char *, const int *, const int *, const int *, const void *,
                 const int *, const void *, void *, const int *, void *, const int *, int *, size_t,
                 size_t);
    // Of complex numbers there is no transpose without the conjugate, and of real ones both are
    // one.
    const char op = s->op == BLAS_N ? 'N' : solver_is_complex(s) ? 'C' : 'T';
    if (!is_choice(call, s->side, 2) || !is_choice(call, s->op, 3) || !solver_is_good(call, s) ||
        !lib_require(call, s->k <= rows && !(solver_is_complex(s) && s->op == BLAS_T)) ||
        !matrix_is_pitch(call, s->lda, rows) || !matrix_is_pitch(call, s->ldb, s->m) ||
        !has_info(call, s) || !solver_has(call, s, "A", s->a, rows, s->k, s->lda, false) ||
        !has_values(call, "tau", s->values, s->k, solver_element_bytes(s), false) ||
        !solver_has(call, s, "C", s->b, s->m, s->n, s->ldb, true))
        return;
    *s->info = 0;
    if (m && n && k && LAPACK_FIND(s->letter, named(s, "ormqr", "unmqr"), work))
        LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                         work(&blas_sides[s->side], &op, &m, &n, &k, s->a, &lda, s->values, s->b,
                              &ldb, area, &area_size, s->info, 1, 1));
}

// ---- Singular values ----------------------------------------------------------------------------

static int64_t columns_of(char job, int64_t all, int64_t some) {
    return job == 'A' ? all : job == 'S' ? some : 0;
}

static bool is_job(char job) {
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

void solver_run_gesvd(struct lib_call *call, const struct solver *s) {
    const int m = (int)s->m, n = (int)s->n, lda = (int)s->lda, ldu = (int)s->ldb, ldv = (int)s->ldv;
    void (*of_real)(const char *, const char *, const int *, const int *, void *, const int *,
                    void *, void *, const int *, void *, const int *, void *, const int *, int *,
                    size_t, size_t);
    void (*of_complex)(const char *, const char *, const int *, const int *, void *, const int *,
                       void *, void *, const int *, void *, const int *, void *, const int *,
                       void *, int *, size_t, size_t);
    *s->info = 0;
    if (!m || !n)
        return;
    if (!solver_is_complex(s) && LAPACK_FIND(s->letter, "gesvd", of_real)) {
        LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                         of_real(&s->job_u, &s->job_v, &m, &n, s->a, &lda, s->values, s->b, &ldu,
                                 s->v, &ldv, area, &area_size, s->info, 1, 1));
    } else if (solver_is_complex(s) && LAPACK_FIND(s->letter, "gesvd", of_complex)) {
        void *more = base_alloc(5 * (size_t)(m < n ? m : n) * solver_real_bytes(s));
        LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                         of_complex(&s->job_u, &s->job_v, &m, &n, s->a, &lda, s->values, s->b, &ldu,
                                    s->v, &ldv, area, &area_size, more, s->info, 1, 1));
        free(more);
    }
}

void solver_gesvd(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int64_t least = s->m < s->n ? s->m : s->n;
    const int64_t u_columns = columns_of(s->job_u, s->m, least);
    const int64_t v_rows = columns_of(s->job_v, s->n, least);
    if (!solver_is_good(call, s) || !lib_require(call, s->m >= s->n) || // as cuSOLVER has it
        !lib_require(call, is_job(s->job_u) && is_job(s->job_v) &&
                               !(s->job_u == 'O' && s->job_v == 'O')) ||
        !matrix_is_pitch(call, s->lda, s->m) ||
        !matrix_is_pitch(call, s->ldb, u_columns ? s->m : 1) ||
        !matrix_is_pitch(call, s->ldv, v_rows ? v_rows : 1) || !has_info(call, s) ||
        !solver_has(call, s, "A", s->a, s->m, s->n, s->lda, true) ||
        !has_values(call, "S", s->values, least, solver_real_bytes(s), true) ||
        !solver_has(call, s, "U", s->b, s->m, u_columns, s->ldb, true) ||
        !solver_has(call, s, "VT", s->v, v_rows, s->n, s->ldv, true))
        return;
    solver_run_gesvd(call, s);
}

// ---- Eigenvalues --------------------------------------------------------------------------------

// As LAPACK says that they are large enough.
struct areas {
    void *area, *reals;
    int *ints;
    int size, real_count, int_count;
};

static struct areas areas_of(const struct solver *s) {
    const size_t n = (size_t)s->n;
    struct areas areas = {.size = (int)(1 + 6 * n + 2 * n * n),
                          .real_count = (int)(1 + 5 * n + 2 * n * n),
                          .int_count = (int)(3 + 5 * n)};
    areas.area = base_alloc((size_t)areas.size * solver_element_bytes(s));
    areas.reals = base_alloc((size_t)areas.real_count * solver_real_bytes(s));
    areas.ints = base_alloc((size_t)areas.int_count * sizeof *areas.ints);
    return areas;
}

static void free_areas(struct areas *areas) {
    free(areas->area);
    free(areas->reals);
    free(areas->ints);
}

static bool fits_int(struct lib_call *call, int64_t n) {
    enum { MOST = 30000 }; // areas of 2 n^2 elements are counted by ints
    if (n > MOST)
        lib_refuse(call, "with more than 30,000 rows");
    return call->status == LIB_SUCCESS;
}

void solver_syevd(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int n = (int)s->n, lda = (int)s->lda;
    const char job = s->vectors ? 'V' : 'N', *half = &blas_halves[s->half & 1];
    void (*of_real)(const char *, const char *, const int *, void *, const int *, void *, void *,
                    const int *, int *, const int *, int *, size_t, size_t);
    void (*of_complex)(const char *, const char *, const int *, void *, const int *, void *, void *,
                       const int *, void *, const int *, int *, const int *, int *, size_t, size_t);
    if (!is_choice(call, s->vectors, 2) || !solver_is_half(call, s) || !fits_int(call, s->n) ||
        !has_info(call, s) || !solver_has(call, s, "A", s->a, s->n, s->n, s->lda, true) ||
        !has_values(call, "W", s->values, s->n, solver_real_bytes(s), true))
        return;
    *s->info = 0;
    struct areas areas = areas_of(s);
    if (n && !solver_is_complex(s) && LAPACK_FIND(s->letter, "syevd", of_real))
        of_real(&job, half, &n, s->a, &lda, s->values, areas.area, &areas.size, areas.ints,
                &areas.int_count, s->info, 1, 1);
    else if (n && solver_is_complex(s) && LAPACK_FIND(s->letter, "heevd", of_complex))
        of_complex(&job, half, &n, s->a, &lda, s->values, areas.area, &areas.size, areas.reals,
                   &areas.real_count, areas.ints, &areas.int_count, s->info, 1, 1);
    free_areas(&areas);
}

void solver_sygvd(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int n = (int)s->n, lda = (int)s->lda, ldb = (int)s->ldb;
    const char job = s->vectors ? 'V' : 'N', *half = &blas_halves[s->half & 1];
    void (*of_real)(const int *, const char *, const char *, const int *, void *, const int *,
                    void *, const int *, void *, void *, const int *, int *, const int *, int *,
                    size_t, size_t);
    void (*of_complex)(const int *, const char *, const char *, const int *, void *, const int *,
                       void *, const int *, void *, void *, const int *, void *, const int *, int *,
                       const int *, int *, size_t, size_t);
    if (!lib_require(call, s->kind >= 1 && s->kind <= 3) || !is_choice(call, s->vectors, 2) ||
        !solver_is_half(call, s) || !matrix_is_pitch(call, s->ldb, s->n) || !fits_int(call, s->n) ||
        !has_info(call, s) || !solver_has(call, s, "A", s->a, s->n, s->n, s->lda, true) ||
        !solver_has(call, s, "B", s->b, s->n, s->n, s->ldb, true) ||
        !has_values(call, "W", s->values, s->n, solver_real_bytes(s), true))
        return;
    *s->info = 0;
    struct areas areas = areas_of(s);
    if (n && !solver_is_complex(s) && LAPACK_FIND(s->letter, "sygvd", of_real))
        of_real(&s->kind, &job, half, &n, s->a, &lda, s->b, &ldb, s->values, areas.area,
                &areas.size, areas.ints, &areas.int_count, s->info, 1, 1);
    else if (n && solver_is_complex(s) && LAPACK_FIND(s->letter, "hegvd", of_complex))
        of_complex(&s->kind, &job, half, &n, s->a, &lda, s->b, &ldb, s->values, areas.area,
                   &areas.size, areas.reals, &areas.real_count, areas.ints, &areas.int_count,
                   s->info, 1, 1);
    free_areas(&areas);
}

// ---- Eigenvalues of any matrix ------------------------------------------------------------------

// Of real matrices LAPACK has the parts apart from each other, and eigenvectors of conjugates in
// two columns, as cuSOLVER has them, too.
static void real_geev(struct lib_call *call, const struct solver *s, char right) {
    const int n = (int)s->n, lda = (int)s->lda, ldr = (int)s->ldv, one = 1;
    const size_t bytes = solver_real_bytes(s);
    void (*work)(const char *, const char *, const int *, void *, const int *, void *, void *,
                 void *, const int *, void *, const int *, void *, const int *, int *, size_t,
                 size_t);
    if (!LAPACK_FIND(s->letter, "geev", work))
        return;
    char *parts = base_alloc(2 * (size_t)n * bytes), *others = parts + (size_t)n * bytes, none[8];
    LAPACK_WITH_AREA(s->letter, bytes,
                     work("N", &right, &n, s->a, &lda, parts, others, none, &one, s->v, &ldr, area,
                          &area_size, s->info, 1, 1));
    for (size_t i = 0; i < (size_t)n; i++) {
        char *to = (char *)s->values + 2 * i * bytes;
        memcpy(to, parts + i * bytes, bytes);
        memcpy(to + bytes, others + i * bytes, bytes);
    }
    free(parts);
}

static void complex_geev(struct lib_call *call, const struct solver *s, char right) {
    const int n = (int)s->n, lda = (int)s->lda, ldr = (int)s->ldv, one = 1;
    void (*work)(const char *, const char *, const int *, void *, const int *, void *, void *,
                 const int *, void *, const int *, void *, const int *, void *, int *, size_t,
                 size_t);
    if (!LAPACK_FIND(s->letter, "geev", work))
        return;
    char *reals = base_alloc(2 * (size_t)n * solver_real_bytes(s)), none[16];
    LAPACK_WITH_AREA(s->letter, solver_element_bytes(s),
                     work("N", &right, &n, s->a, &lda, s->values, none, &one, s->v, &ldr, area,
                          &area_size, reals, s->info, 1, 1));
    free(reals);
}

void solver_geev(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    if (!is_choice(call, s->vectors, 2) || !is_choice(call, s->more_vectors, 2) ||
        !solver_is_good(call, s) || !matrix_is_pitch(call, s->lda, s->n) ||
        !matrix_is_pitch(call, s->ldv, s->more_vectors ? s->n : 1))
        return;
    if (s->vectors) { // as cuSOLVER does
        lib_refuse(call, "with left eigenvectors");
        return;
    }
    if (!has_info(call, s) || !solver_has(call, s, "A", s->a, s->n, s->n, s->lda, true) ||
        !has_values(call, "W", s->values, s->n, 2 * solver_real_bytes(s), true) ||
        !solver_has(call, s, "VR", s->v, s->n, s->more_vectors ? s->n : 0, s->ldv, true))
        return;
    *s->info = 0;
    if (s->n && solver_is_complex(s))
        complex_geev(call, s, s->more_vectors ? 'V' : 'N');
    else if (s->n)
        real_geev(call, s, s->more_vectors ? 'V' : 'N');
}
