// Handles of cuSOLVER, and its functions of one type: X is the letter of cuSOLVER.
#include <stdlib.h>

#include "base/alloc.h"
#include "cudalibs/backend.h"
#include "cudalibs/solver.h"

// Of CUDA 13 and of CUDA 12; what there is of functions does not depend on it.
enum { MAJOR = CUDALIBS_MAJOR, MINOR = MAJOR == 11 ? 7 : 0, PATCH = 0 };

struct solver_handle {
    struct lib_handle base;
    int deterministic;
};

enum solver_status solver_status_of(enum lib_status status) {
    switch (status) {
    case LIB_SUCCESS:
        return SOLVER_SUCCESS;
    case LIB_NOT_INITIALIZED:
        return SOLVER_NOT_INITIALIZED;
    case LIB_ALLOC_FAILED:
        return SOLVER_ALLOC_FAILED;
    case LIB_INVALID_VALUE:
        return SOLVER_INVALID_VALUE;
    case LIB_EXECUTION_FAILED:
        return SOLVER_EXECUTION_FAILED;
    case LIB_NOT_SUPPORTED:
        return SOLVER_NOT_SUPPORTED;
    case LIB_INTERNAL_ERROR:
        break;
    }
    return SOLVER_INTERNAL_ERROR;
}

enum solver_status solver_do(void *handle, const char *function, lib_work work,
                             const struct solver *arguments) {
    return solver_status_of(
        lib_do(LIB_SOLVER, handle, function, work, arguments, sizeof *arguments, 0));
}

enum solver_status solver_ask(void *handle, bool is_good) {
    struct cuda_state *state = cuda_begin();
    const bool is_there = state && lib_handle_find(state, LIB_SOLVER, handle);
    if (state)
        cuda_end(state, cudaSuccess);
    return !is_there ? SOLVER_NOT_INITIALIZED : is_good ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

// ---- Handles ------------------------------------------------------------------------------------

static enum solver_status create(void **handle) {
    const char *why;
    enum lib_status status = LIB_INVALID_VALUE;
    if (!handle)
        return SOLVER_INVALID_VALUE;
    if (!backend_is_there(&why)) {
        lib_say_missing("OpenBLAS", why);
        return SOLVER_NOT_INITIALIZED;
    }
    *handle = lib_handle_create(LIB_SOLVER, sizeof(struct solver_handle), &status);
    return solver_status_of(status);
}

static enum solver_status destroy(void *handle) {
    return lib_handle_destroy(LIB_SOLVER, handle) ? SOLVER_SUCCESS : SOLVER_NOT_INITIALIZED;
}

#define HANDLE_CALL(declarator, is_good, work)                                                     \
    CUDA_API enum solver_status declarator {                                                       \
        struct cuda_state *state = cuda_begin();                                                   \
        struct solver_handle *found = state ? lib_handle_find(state, LIB_SOLVER, handle) : NULL;   \
        enum solver_status status = !found      ? SOLVER_NOT_INITIALIZED                           \
                                    : (is_good) ? SOLVER_SUCCESS                                   \
                                                : SOLVER_INVALID_VALUE;                            \
        if (status == SOLVER_SUCCESS) work;                                                        \
        if (state) cuda_end(state, cudaSuccess);                                                   \
        return status;                                                                             \
    }
#define HANDLES(Kind)                                                                              \
    CUDA_API enum solver_status cusolver##Kind##Create(void **handle) {                            \
        return create(handle);                                                                     \
    }                                                                                              \
    CUDA_API enum solver_status cusolver##Kind##Destroy(void *handle) {                            \
        return destroy(handle);                                                                    \
    }                                                                                              \
    HANDLE_CALL(cusolver##Kind##SetStream(void *handle, cuda_stream stream), true,                 \
                found->base.stream = stream)                                                       \
    HANDLE_CALL(cusolver##Kind##GetStream(void *handle, cuda_stream *stream), stream,              \
                *stream = found->base.stream)
HANDLES(Dn)
HANDLES(Sp) // whose other functions are refused
HANDLE_CALL(cusolverDnSetDeterministicMode(void *handle, int mode), mode == 1 || mode == 2,
            found->deterministic = mode)
HANDLE_CALL(cusolverDnGetDeterministicMode(void *handle, int *mode), mode,
            *mode = found->deterministic ? found->deterministic : 1)

// Which algorithm is taken is not asked here.
CUDA_API enum solver_status cusolverDnCreateParams(void **params) {
    if (!params)
        return SOLVER_INVALID_VALUE;
    *params = base_alloc(sizeof(int));
    return SOLVER_SUCCESS;
}

CUDA_API enum solver_status cusolverDnDestroyParams(void *params) {
    free(params);
    return params ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

CUDA_API enum solver_status cusolverDnSetAdvOptions(void *params, int function, int algorithm) {
    (void)function;
    return params && algorithm >= 0 && algorithm <= 2 ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

CUDA_API enum solver_status cusolverGetVersion(int *version) {
    if (!version)
        return SOLVER_INVALID_VALUE;
    *version = MAJOR * 1000 + MINOR * 100 + PATCH;
    return SOLVER_SUCCESS;
}

CUDA_API enum solver_status cusolverGetProperty(int type, int *value) {
    static const int parts[] = {MAJOR, MINOR, PATCH};
    if (!value || type < 0 || type > 2)
        return SOLVER_INVALID_VALUE;
    *value = parts[type];
    return SOLVER_SUCCESS;
}

// ---- Factorizations -----------------------------------------------------------------------------

// Pitches are looked at by what works with them: CuPy asks with others.
static enum solver_status ask(void *handle, bool is_good, int *size) {
    const enum solver_status status = solver_ask(handle, is_good && size);
    if (status == SOLVER_SUCCESS)
        *size = SOLVER_AREA;
    return status;
}

#define DO(work, ...) solver_do(handle, __func__, work, &(struct solver){__VA_ARGS__})
#define AREA .wants_area = true, .has_area = size >= SOLVER_AREA
#define GIVEN(pointer) (void *)(uintptr_t)(pointer)

#define CHOLESKY(X, x, type)                                                                       \
    CUDA_API enum solver_status cusolverDn##X##potrf_bufferSize(void *handle, int half, int n,     \
                                                                type *a, int lda, int *size) {     \
        (void)a, (void)lda;                                                                        \
        return ask(handle, (half == 0 || half == 1) && n >= 0, size);                              \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potri_bufferSize(void *handle, int half, int n,     \
                                                                type *a, int lda, int *size) {     \
        (void)a, (void)lda;                                                                        \
        return ask(handle, (half == 0 || half == 1) && n >= 0, size);                              \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potrf(void *handle, int half, int n, type *a,       \
                                                     int lda, type *area, int size, int *info) {   \
        (void)area;                                                                                \
        return DO(solver_potrf, #x[0], .half = half, .n = n, .a = a, .lda = lda, .info = info,     \
                  AREA);                                                                           \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potri(void *handle, int half, int n, type *a,       \
                                                     int lda, type *area, int size, int *info) {   \
        (void)area;                                                                                \
        return DO(solver_potri, #x[0], .half = half, .n = n, .a = a, .lda = lda, .info = info,     \
                  AREA);                                                                           \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potrs(void *handle, int half, int n, int k,         \
                                                     const type *a, int lda, type *b, int ldb,     \
                                                     int *info) {                                  \
        return DO(solver_potrs, #x[0], .half = half, .n = n, .k = k, .a = GIVEN(a), .lda = lda,    \
                  .b = b, .ldb = ldb, .info = info);                                               \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potrfBatched(                                       \
        void *handle, int half, int n, void *const *a, int lda, int *infos, int count) {           \
        return DO(solver_potrf_batch, #x[0], .half = half, .n = n, .a_list = a, .lda = lda,        \
                  .info = infos, .count = count);                                                  \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##potrsBatched(                                       \
        void *handle, int half, int n, int k, void *const *a, int lda, void *const *b, int ldb,    \
        int *info, int count) {                                                                    \
        return DO(solver_potrs_batch, #x[0], .half = half, .n = n, .k = k, .a_list = a,            \
                  .lda = lda, .b_list = b, .ldb = ldb, .info = info, .count = count);              \
    }

#define LU(X, x, type)                                                                             \
    CUDA_API enum solver_status cusolverDn##X##getrf_bufferSize(void *handle, int m, int n,        \
                                                                type *a, int lda, int *size) {     \
        (void)a, (void)lda;                                                                        \
        return ask(handle, m >= 0 && n >= 0, size);                                                \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##getrf(void *handle, int m, int n, type *a, int lda, \
                                                     type *area, int *pivots, int *info) {         \
        (void)area;                                                                                \
        return DO(solver_getrf, #x[0], .m = m, .n = n, .a = a, .lda = lda, .pivots = pivots,       \
                  .info = info);                                                                   \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##getrs(void *handle, int op, int n, int k,           \
                                                     const type *a, int lda, const int *pivots,    \
                                                     type *b, int ldb, int *info) {                \
        return DO(solver_getrs, #x[0], .op = op, .n = n, .k = k, .a = GIVEN(a), .lda = lda,        \
                  .pivots = GIVEN(pivots), .b = b, .ldb = ldb, .info = info);                      \
    }

#define QR(X, x, type, gqr, mqr)                                                                   \
    CUDA_API enum solver_status cusolverDn##X##geqrf_bufferSize(void *handle, int m, int n,        \
                                                                type *a, int lda, int *size) {     \
        (void)a, (void)lda;                                                                        \
        return ask(handle, m >= 0 && n >= 0, size);                                                \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##geqrf(void *handle, int m, int n, type *a, int lda, \
                                                     type *tau, type *area, int size, int *info) { \
        (void)area;                                                                                \
        return DO(solver_geqrf, #x[0], .m = m, .n = n, .a = a, .lda = lda, .values = tau,          \
                  .info = info, AREA);                                                             \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gqr##_bufferSize(                                   \
        void *handle, int m, int n, int k, const type *a, int lda, const type *tau, int *size) {   \
        (void)a, (void)lda, (void)tau;                                                             \
        return ask(handle, m >= n && n >= k && k >= 0, size);                                      \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gqr(void *handle, int m, int n, int k, type *a,     \
                                                   int lda, const type *tau, type *area, int size, \
                                                   int *info) {                                    \
        (void)area;                                                                                \
        return DO(solver_orgqr, #x[0], .m = m, .n = n, .k = k, .a = a, .lda = lda,                 \
                  .values = GIVEN(tau), .info = info, AREA);                                       \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##mqr##_bufferSize(                                   \
        void *handle, int side, int op, int m, int n, int k, const type *a, int lda,               \
        const type *tau, const type *c, int ldc, int *size) {                                      \
        (void)a, (void)lda, (void)ldc, (void)tau, (void)c, (void)k;                                \
        return ask(handle, (side == 0 || side == 1) && op >= 0 && op <= 2 && m >= 0 && n >= 0,     \
                   size);                                                                          \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##mqr(                                                \
        void *handle, int side, int op, int m, int n, int k, const type *a, int lda,               \
        const type *tau, type *c, int ldc, type *area, int size, int *info) {                      \
        (void)area;                                                                                \
        return DO(solver_ormqr, #x[0], .side = side, .op = op, .m = m, .n = n, .k = k,             \
                  .a = GIVEN(a), .lda = lda, .values = GIVEN(tau), .b = c, .ldb = ldc,             \
                  .info = info, AREA);                                                             \
    }

#define VALUES(X, x, type, real, evd, gvd)                                                         \
    CUDA_API enum solver_status cusolverDn##X##gesvd_bufferSize(void *handle, int m, int n,        \
                                                                int *size) {                       \
        return ask(handle, m >= n && n >= 0, size);                                                \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gesvd(                                              \
        void *handle, signed char job_u, signed char job_v, int m, int n, type *a, int lda,        \
        real *values, type *u, int ldu, type *v, int ldv, type *area, int size, real *reals,       \
        int *info) {                                                                               \
        (void)area, (void)reals;                                                                   \
        return DO(solver_gesvd, #x[0], .job_u = (char)job_u, .job_v = (char)job_v, .m = m, .n = n, \
                  .a = a, .lda = lda, .values = values, .b = u, .ldb = ldu, .v = v, .ldv = ldv,    \
                  .info = info, AREA);                                                             \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##evd##_bufferSize(                                   \
        void *handle, int vectors, int half, int n, const type *a, int lda, const real *values,    \
        int *size) {                                                                               \
        (void)a, (void)lda, (void)values;                                                          \
        return ask(handle, (vectors == 0 || vectors == 1) && (half == 0 || half == 1) && n >= 0,   \
                   size);                                                                          \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##evd(void *handle, int vectors, int half, int n,     \
                                                   type *a, int lda, real *values, type *area,     \
                                                   int size, int *info) {                          \
        (void)area;                                                                                \
        return DO(solver_syevd, #x[0], .vectors = vectors, .half = half, .n = n, .a = a,           \
                  .lda = lda, .values = values, .info = info, AREA);                               \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gvd##_bufferSize(                                   \
        void *handle, int form, int vectors, int half, int n, const type *a, int lda,              \
        const type *b, int ldb, const real *values, int *size) {                                   \
        (void)a, (void)lda, (void)ldb, (void)b, (void)values;                                      \
        return ask(handle,                                                                         \
                   form >= 1 && form <= 3 && (vectors == 0 || vectors == 1) &&                     \
                       (half == 0 || half == 1) && n >= 0,                                         \
                   size);                                                                          \
    }                                                                                              \
    CUDA_API enum solver_status cusolverDn##X##gvd(                                                \
        void *handle, int form, int vectors, int half, int n, type *a, int lda, type *b, int ldb,  \
        real *values, type *area, int size, int *info) {                                           \
        (void)area;                                                                                \
        return DO(solver_sygvd, #x[0], .kind = form, .vectors = vectors, .half = half, .n = n,     \
                  .a = a, .lda = lda, .b = b, .ldb = ldb, .values = values, .info = info, AREA);   \
    }

#define ALL(X, x, type, real, gqr, mqr, evd, gvd)                                                  \
    CHOLESKY(X, x, type)                                                                           \
    LU(X, x, type)                                                                                 \
    QR(X, x, type, gqr, mqr)                                                                       \
    VALUES(X, x, type, real, evd, gvd)
ALL(S, s, float, float, orgqr, ormqr, syevd, sygvd)
ALL(D, d, double, double, orgqr, ormqr, syevd, sygvd)
ALL(C, c, complex_float, float, ungqr, unmqr, heevd, hegvd)
ALL(Z, z, complex_double, double, ungqr, unmqr, heevd, hegvd)
