// cuSOLVER's functions that find eigenvalues and singular values by Jacobi's method, one matrix or
// a batch: by the LAPACK of the host, which has other methods and the same results.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cudalibs/solver.h"

// What the program may set does not matter here.
static enum solver_status create(void **made) {
    if (!made)
        return SOLVER_INVALID_VALUE;
    *made = base_alloc(sizeof(int));
    return SOLVER_SUCCESS;
}

static enum solver_status destroy(void *made) {
    free(made);
    return made ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

#define INFO(Kind, kind)                                                                           \
    CUDA_API enum solver_status cusolverDnCreate##Kind##Info(void **made) {                        \
        return create(made);                                                                       \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDnDestroy##Kind##Info(void *made) {                        \
        return destroy(made);                                                                      \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDnX##kind##SetTolerance(void *made, double tolerance) {    \
        (void)tolerance;                                                                           \
        return made ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;                                       \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDnX##kind##SetMaxSweeps(void *made, int sweeps) {          \
        (void)sweeps;                                                                              \
        return made ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;                                       \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDnX##kind##SetSortEig(void *made, int is_sorted) {         \
        (void)is_sorted; /* they are in any case */                                                \
        return made ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;                                       \
    }
INFO(Syevj, syevj)
INFO(Gesvdj, gesvdj)

static void *moved(void *from, int64_t elements, size_t element) {
    return from ? (char *)from + elements * (int64_t)element : NULL;
}

// ---- Eigenvalues --------------------------------------------------------------------------------

static void syevj(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    struct solver one = *s;
    if (!lib_require(call, s->count >= 0) ||
        !lib_require(call, s->vectors == 0 || s->vectors == 1) || !solver_is_half(call, s))
        return;
    one.count = 0;
    for (int64_t i = 0; i < s->count && call->status == LIB_SUCCESS; i++) {
        one.a = moved(s->a, i * s->lda * s->n, solver_element_bytes(s));
        one.values = moved(s->values, i * s->n, solver_real_bytes(s));
        one.info = s->info + i;
        solver_syevd(call, &one);
    }
}

// ---- Singular values ----------------------------------------------------------------------------

// V is what LAPACK has as the rows of V', conjugated.
static void turn(const struct solver *s, const void *rows, int64_t pitch, int64_t columns) {
    const size_t real = solver_real_bytes(s), element = solver_element_bytes(s);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < s->n; i++) {
            char *to = (char *)s->v + (size_t)(j * s->ldv + i) * element;
            memcpy(to, (const char *)rows + (size_t)(i * pitch + j) * element, element);
            if (solver_is_complex(s) && real == sizeof(float))
                ((float *)to)[1] = -((float *)to)[1];
            else if (solver_is_complex(s))
                ((double *)to)[1] = -((double *)to)[1];
        }
}

static void decompose(struct lib_call *call, const struct solver *s) {
    const int64_t least = s->m < s->n ? s->m : s->n;
    const int64_t u_columns = !s->vectors ? 0 : s->is_economic ? least : s->m;
    const int64_t v_columns = !s->vectors ? 0 : s->is_economic ? least : s->n;
    const int64_t pitch = v_columns ? v_columns : 1;
    if (!lib_has_vector(call, "info", s->info, 1, 1, sizeof *s->info, true) ||
        !solver_has(call, s, "A", s->a, s->m, s->n, s->lda, true) ||
        !lib_has_vector(call, "S", s->values, least, 1, solver_real_bytes(s), true) ||
        !solver_has(call, s, "U", s->b, s->m, u_columns, s->ldb, true) ||
        !solver_has(call, s, "V", s->v, s->n, v_columns, s->ldv, true))
        return;
    *s->info = 0;
    if (!least)
        return;
    struct solver same = *s;
    same.job_u = same.job_v = !s->vectors ? 'N' : s->is_economic ? 'S' : 'A';
    same.v = base_alloc((size_t)(pitch * s->n) * solver_element_bytes(s));
    same.ldv = pitch;
    solver_run_gesvd(call, &same);
    turn(s, same.v, pitch, v_columns);
    free(same.v);
}

static void gesvdj(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    const int64_t least = s->m < s->n ? s->m : s->n;
    const size_t element = solver_element_bytes(s);
    struct solver one = *s;
    if (!lib_require(call, s->count >= 0) ||
        !lib_require(call, s->vectors == 0 || s->vectors == 1) || !solver_is_good(call, s) ||
        !matrix_is_pitch(call, s->lda, s->m) ||
        (s->vectors &&
         (!matrix_is_pitch(call, s->ldb, s->m) || !matrix_is_pitch(call, s->ldv, s->n))))
        return;
    for (int64_t i = 0; i < s->count && call->status == LIB_SUCCESS; i++) {
        one.a = moved(s->a, i * s->lda * s->n, element);
        one.values = moved(s->values, i * least, solver_real_bytes(s));
        one.b = moved(s->b, i * s->ldb * s->m, element);
        one.v = moved(s->v, i * s->ldv * s->n, element);
        one.info = s->info + i;
        decompose(call, &one);
    }
}

// Batches are of small matrices.
static void gesvdj_batch(struct lib_call *call, const void *arguments) {
    const struct solver *s = arguments;
    enum { LARGEST = 32 };
    if (lib_require(call, s->m <= LARGEST && s->n <= LARGEST))
        gesvdj(call, arguments);
}

// ---- Names --------------------------------------------------------------------------------------

static enum solver_status ask(void *handle, bool is_good, int *size) {
    const enum solver_status status = solver_ask(handle, is_good && size);
    if (status == SOLVER_SUCCESS)
        *size = SOLVER_AREA;
    return status;
}

#define DO(work, ...) solver_do(handle, __func__, work, &(struct solver){__VA_ARGS__})
#define AREA .wants_area = true, .has_area = size >= SOLVER_AREA

#define EIGENVALUES(X, x, type, real, evj)                                                         \
    CUDA_API enum solver_status cusolverDn##X##evj##_bufferSize(                                   \
        void *handle, int vectors, int half, int n, const type *a, int lda, const real *values,    \
        int *size, void *params) {                                                                 \
        (void)vectors, (void)half, (void)a, (void)lda, (void)values, (void)params;                 \
        return ask(handle, n >= 0, size);                                                          \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##evj##Batched_bufferSize(                            \
        void *handle, int vectors, int half, int n, const type *a, int lda, const real *values,    \
        int *size, void *params, int count) {                                                      \
        (void)vectors, (void)half, (void)a, (void)lda, (void)values, (void)params;                 \
        return ask(handle, n >= 0 && count >= 0, size);                                            \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##evj(void *handle, int vectors, int half, int n,     \
                                                   type *a, int lda, real *values, type *area,     \
                                                   int size, int *info, void *params) {            \
        (void)area, (void)params;                                                                  \
        return DO(syevj, #x[0], .vectors = vectors, .half = half, .n = n, .a = a, .lda = lda,      \
                  .values = values, .info = info, .count = 1, AREA);                               \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##evj##Batched(                                       \
        void *handle, int vectors, int half, int n, type *a, int lda, real *values, type *area,    \
        int size, int *infos, void *params, int count) {                                           \
        (void)area, (void)params;                                                                  \
        return DO(syevj, #x[0], .vectors = vectors, .half = half, .n = n, .a = a, .lda = lda,      \
                  .values = values, .info = infos, .count = count, AREA);                          \
    }

#define SINGULAR_VALUES(X, x, type, real)                                                          \
    CUDA_API enum solver_status cusolverDn##X##gesvdj_bufferSize(                                  \
        void *handle, int vectors, int economic, int m, int n, const type *a, int lda,             \
        const real *values, const type *u, int ldu, const type *v, int ldv, int *size,             \
        void *params) {                                                                            \
        (void)vectors, (void)economic, (void)a, (void)lda, (void)values, (void)u, (void)ldu;       \
        (void)v, (void)ldv, (void)params;                                                          \
        return ask(handle, m >= 0 && n >= 0, size);                                                \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gesvdjBatched_bufferSize(                           \
        void *handle, int vectors, int m, int n, const type *a, int lda, const real *values,       \
        const type *u, int ldu, const type *v, int ldv, int *size, void *params, int count) {      \
        (void)vectors, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv;   \
        (void)params;                                                                              \
        return ask(handle, m >= 0 && n >= 0 && count >= 0, size);                                  \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gesvdj(                                             \
        void *handle, int vectors, int economic, int m, int n, type *a, int lda, real *values,     \
        type *u, int ldu, type *v, int ldv, type *area, int size, int *info, void *params) {       \
        (void)area, (void)params;                                                                  \
        return DO(gesvdj, #x[0], .vectors = vectors, .is_economic = economic != 0, .m = m, .n = n, \
                  .a = a, .lda = lda, .values = values, .b = u, .ldb = ldu, .v = v, .ldv = ldv,    \
                  .info = info, .count = 1, AREA);                                                 \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gesvdjBatched(                                      \
        void *handle, int vectors, int m, int n, type *a, int lda, real *values, type *u, int ldu, \
        type *v, int ldv, type *area, int size, int *infos, void *params, int count) {             \
        (void)area, (void)params;                                                                  \
        return DO(gesvdj_batch, #x[0], .vectors = vectors, .m = m, .n = n, .a = a, .lda = lda,     \
                  .values = values, .b = u, .ldb = ldu, .v = v, .ldv = ldv, .info = infos,         \
                  .count = count, AREA);                                                           \
    }
EIGENVALUES(S, s, float, float, syevj)
EIGENVALUES(D, d, double, double, syevj)
EIGENVALUES(C, c, complex_float, float, heevj)
EIGENVALUES(Z, z, complex_double, double, heevj)
SINGULAR_VALUES(S, s, float, float)
SINGULAR_VALUES(D, d, double, double)
SINGULAR_VALUES(C, c, complex_float, float)
SINGULAR_VALUES(Z, z, complex_double, double)
