// Factorizations of many small matrices, by the LAPACK that is part of the backend. Lists of
// matrices, pivots and what became of each are in the device's memory.
#include <string.h>

#include "cudalibs/lapack.h"

struct batch {
    char letter; // of LAPACK's functions
    size_t element;
    int op;
    int64_t m, n, columns; // columns: of right-hand sides
    void *const *a;
    int64_t lda;
    void *const *b; // right-hand sides, what is made, or the scalars of reflections
    int64_t ldb;
    int *pivots; // n of each matrix, counted from 1; NULL: none
    int *infos;  // of each matrix; NULL: nobody asks
    int64_t count;
};

struct one { // of the batch
    void *a, *b;
    int *pivots, *info;
};

typedef void (*factor_work)(struct lib_call *call, const struct batch *batch, struct one *one);

// ---- What all of them do ------------------------------------------------------------------------

static bool has_lists(struct lib_call *call, const struct batch *batch, bool writes_pivots) {
    const size_t count = (size_t)batch->count, pivots = count * (size_t)batch->n * sizeof(int);
    if (!lib_can_use(call, "the list of matrices", batch->a, count * sizeof *batch->a, false) ||
        (batch->b &&
         !lib_can_use(call, "the second list", batch->b, count * sizeof *batch->b, false)) ||
        (batch->pivots && !lib_can_use(call, "the pivots", batch->pivots, pivots, writes_pivots)) ||
        (batch->infos &&
         !lib_can_use(call, "info", batch->infos, count * sizeof *batch->infos, true)))
        return false;
    if (writes_pivots && batch->pivots)
        blas_was_given(call, batch->pivots, pivots);
    if (batch->infos)
        blas_was_given(call, batch->infos, count * sizeof *batch->infos);
    return true;
}

// `work` for each of them; without pivots of the program's those of no exchange are given.
static void do_each(struct lib_call *call, const struct batch *batch, bool writes_pivots,
                    factor_work work) {
    if (call->is_dry || call->status != LIB_SUCCESS || !batch->count ||
        !has_lists(call, batch, writes_pivots))
        return;
    int *own = base_alloc(lapack_at_least_one((size_t)batch->n) * sizeof *own);
    for (int64_t i = 0; i < batch->count && call->status == LIB_SUCCESS; i++) {
        int info = 0;
        for (int64_t j = 0; j < batch->n; j++)
            own[j] = (int)j + 1;
        struct one one = {batch->a[i], batch->b ? batch->b[i] : NULL,
                          batch->pivots ? batch->pivots + i * batch->n : own, &info};
        work(call, batch, &one);
        if (batch->infos && call->status == LIB_SUCCESS)
            batch->infos[i] = info;
    }
    free(own);
}

static bool has_square(struct lib_call *call, const char *what, const struct batch *batch,
                       const void *at, int64_t pitch, bool is_written) {
    return lib_has_matrix(call, what, at, batch->n, batch->n, pitch, batch->element, is_written);
}

// ---- Each ---------------------------------------------------------------------------------------

typedef void (*getrf_function)(const int *, const int *, void *, const int *, int *, int *);
typedef void (*getri_function)(const int *, void *, const int *, const int *, void *, const int *,
                               int *);

static void factor(struct lib_call *call, const struct batch *batch, struct one *one) {
    const int n = (int)batch->n, lda = (int)batch->lda;
    getrf_function work;
    if (has_square(call, "A", batch, one->a, batch->lda, true) &&
        LAPACK_FIND(batch->letter, "getrf", work))
        work(&n, &n, one->a, &lda, one->pivots, one->info);
}

static void getrf(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    if (!lib_require(call, batch->n >= 0 && batch->count >= 0) ||
        !matrix_is_pitch(call, batch->lda, batch->n))
        return;
    if (!batch->pivots) // LAPACK always exchanges rows
        lib_refuse(call, "without pivots");
    else
        do_each(call, batch, true, factor);
}

static void copy(const struct batch *batch, const struct one *one) {
    for (int64_t j = 0; one->a != one->b && j < batch->n; j++)
        memcpy((char *)one->b + (size_t)(j * batch->ldb) * batch->element,
               (const char *)one->a + (size_t)(j * batch->lda) * batch->element,
               (size_t)batch->n * batch->element);
}

// What has no inverse gets no numbers either, which a division by 0 gives on a GPU.
static void fill_with_nans(const struct batch *batch, const struct one *one) {
    for (int64_t j = 0; j < batch->n; j++)
        memset((char *)one->b + (size_t)(j * batch->ldb) * batch->element, 0xff,
               (size_t)batch->n * batch->element);
}

// B begins as a copy of A, which holds factors already, or is factored first.
static void invert_copy(struct lib_call *call, const struct batch *batch, struct one *one,
                        bool is_factored) {
    const int n = (int)batch->n, ldb = (int)batch->ldb;
    getrf_function getrf_work;
    getri_function getri_work;
    if (!has_square(call, "A", batch, one->a, batch->lda, false) ||
        !has_square(call, "the inverse", batch, one->b, batch->ldb, true) ||
        !LAPACK_FIND(batch->letter, "getrf", getrf_work) ||
        !LAPACK_FIND(batch->letter, "getri", getri_work) || !n)
        return;
    copy(batch, one);
    if (!is_factored)
        getrf_work(&n, &n, one->b, &ldb, one->pivots, one->info);
    if (*one->info == 0)
        LAPACK_WITH_AREA(batch->letter, batch->element,
                         getri_work(&n, one->b, &ldb, one->pivots, area, &area_size, one->info));
    if (*one->info > 0)
        fill_with_nans(batch, one);
}

static void invert_factored(struct lib_call *call, const struct batch *batch, struct one *one) {
    invert_copy(call, batch, one, true);
}

static void invert(struct lib_call *call, const struct batch *batch, struct one *one) {
    invert_copy(call, batch, one, false);
}

static bool inverse_is_good(struct lib_call *call, const struct batch *batch) {
    return lib_require(call, batch->n >= 0 && batch->count >= 0) &&
           matrix_is_pitch(call, batch->lda, batch->n) &&
           matrix_is_pitch(call, batch->ldb, batch->n);
}

static void getri(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    if (inverse_is_good(call, batch))
        do_each(call, batch, false, invert_factored);
}

static void matinv(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    enum { LARGEST = 32 };
    if (inverse_is_good(call, batch) && lib_require(call, batch->n <= LARGEST))
        do_each(call, batch, false, invert);
}

static void solve(struct lib_call *call, const struct batch *batch, struct one *one) {
    const int n = (int)batch->n, columns = (int)batch->columns, lda = (int)batch->lda,
              ldb = (int)batch->ldb;
    void (*work)(const char *, const int *, const int *, const void *, const int *, const int *,
                 void *, const int *, int *, size_t);
    if (has_square(call, "A", batch, one->a, batch->lda, false) &&
        lib_has_matrix(call, "B", one->b, n, columns, ldb, batch->element, true) && n && columns &&
        LAPACK_FIND(batch->letter, "getrs", work))
        work(&blas_ops[batch->op], &n, &columns, one->a, &lda, one->pivots, one->b, &ldb, one->info,
             1);
}

static void reflect(struct lib_call *call, const struct batch *batch, struct one *one) {
    const int m = (int)batch->m, n = (int)batch->n, lda = (int)batch->lda;
    void (*work)(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
    if (lib_has_matrix(call, "A", one->a, m, n, lda, batch->element, true) &&
        lib_has_vector(call, "tau", one->b, m < n ? m : n, 1, batch->element, true) && m && n &&
        LAPACK_FIND(batch->letter, "geqrf", work))
        LAPACK_WITH_AREA(batch->letter, batch->element,
                         work(&m, &n, one->a, &lda, one->b, area, &area_size, one->info));
}

static void fit(struct lib_call *call, const struct batch *batch, struct one *one) {
    const int m = (int)batch->m, n = (int)batch->n, columns = (int)batch->columns,
              lda = (int)batch->lda, ldb = (int)batch->ldb;
    void (*work)(const char *, const int *, const int *, const int *, void *, const int *, void *,
                 const int *, void *, const int *, int *, size_t);
    if (lib_has_matrix(call, "A", one->a, m, n, lda, batch->element, true) &&
        lib_has_matrix(call, "C", one->b, m, columns, ldb, batch->element, true) && m && n &&
        columns && LAPACK_FIND(batch->letter, "gels", work))
        LAPACK_WITH_AREA(batch->letter, batch->element,
                         work("N", &m, &n, &columns, one->a, &lda, one->b, &ldb, area, &area_size,
                              one->info, 1));
}

// The number of the first argument that is not good, the handle not counted; 0: all are. They are
// told the program on the host.
static int bad_of_getrs(const struct batch *batch) {
    const int64_t least = batch->n > 1 ? batch->n : 1;
    return batch->op < BLAS_N || batch->op > BLAS_C ? 1
           : batch->n < 0                           ? 2
           : batch->columns < 0                     ? 3
           : batch->lda < least                     ? 5
           : batch->ldb < least                     ? 8
           : batch->count < 0                       ? 10
                                                    : 0;
}

static int bad_of_geqrf(const struct batch *batch) {
    return batch->m < 0                                 ? 1
           : batch->n < 0                               ? 2
           : batch->lda < (batch->m > 1 ? batch->m : 1) ? 4
           : batch->count < 0                           ? 7
                                                        : 0;
}

static int bad_of_gels(const struct batch *batch) {
    const int64_t least = batch->m > 1 ? batch->m : 1;
    return batch->op < BLAS_N || batch->op > BLAS_C ? 1
           : batch->m < 0                           ? 2
           : batch->n < 0                           ? 3
           : batch->columns < 0                     ? 4
           : batch->lda < least                     ? 6
           : batch->ldb < least                     ? 8
           : batch->count < 0                       ? 11
                                                    : 0;
}

static void getrs(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    if (lib_require(call, !bad_of_getrs(batch)))
        do_each(call, batch, false, solve);
}

static void geqrf(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    if (lib_require(call, !bad_of_geqrf(batch)))
        do_each(call, batch, false, reflect);
}

static void gels(struct lib_call *call, const void *arguments) {
    const struct batch *batch = arguments;
    if (!lib_require(call, !bad_of_gels(batch)))
        return;
    if (batch->op != BLAS_N || batch->m < batch->n) // as cuBLAS does
        lib_refuse(call, "but for more equations than unknowns, which are not transposed");
    else
        do_each(call, batch, false, fit);
}

static enum lib_status tell(enum lib_status status, int *info, int bad) {
    if (info)
        *info = -bad;
    return status;
}

#define FACTORS(X, x, type)                                                                        \
    CUDA_API enum lib_status cublas##X##getrfBatched(void *handle, int n, void *const *a, int lda, \
                                                     int *pivots, int *infos, int count) {         \
        return BLAS_DO(getrf, 0,                                                                   \
                       (struct batch){#x[0], sizeof(type), .n = n, .a = a, .lda = lda,             \
                                      .pivots = pivots, .infos = infos, .count = count});          \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##getriBatched(void *handle, int n, void *const *a, int lda, \
                                                     const int *pivots, void *const *c, int ldc,   \
                                                     int *infos, int count) {                      \
        return BLAS_DO(getri, 0,                                                                   \
                       (struct batch){#x[0], sizeof(type), .n = n, .a = a, .lda = lda, .b = c,     \
                                      .ldb = ldc, .pivots = (int *)(uintptr_t)pivots,              \
                                      .infos = infos, .count = count});                            \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##matinvBatched(void *handle, int n, void *const *a,         \
                                                      int lda, void *const *c, int ldc,            \
                                                      int *infos, int count) {                     \
        return BLAS_DO(matinv, 0,                                                                  \
                       (struct batch){#x[0], sizeof(type), .n = n, .a = a, .lda = lda, .b = c,     \
                                      .ldb = ldc, .infos = infos, .count = count});                \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##getrsBatched(                                              \
        void *handle, int op, int n, int columns, void *const *a, int lda, const int *pivots,      \
        void *const *b, int ldb, int *info, int count) {                                           \
        const struct batch batch = {                                                               \
            #x[0],         sizeof(type), .op = op, .n = n,     .columns = columns,                 \
            .a = a,        .lda = lda,   .b = b,   .ldb = ldb, .pivots = (int *)(uintptr_t)pivots, \
            .count = count};                                                                       \
        return tell(BLAS_DO(getrs, 0, batch), info, bad_of_getrs(&batch));                         \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##geqrfBatched(void *handle, int m, int n, void *const *a,   \
                                                     int lda, void *const *tau, int *info,         \
                                                     int count) {                                  \
        const struct batch batch = {#x[0],  sizeof(type), .m = m,   .n = n,                        \
                                    .a = a, .lda = lda,   .b = tau, .count = count};               \
        return tell(BLAS_DO(geqrf, 0, batch), info, bad_of_geqrf(&batch));                         \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##gelsBatched(                                               \
        void *handle, int op, int m, int n, int columns, void *const *a, int lda, void *const *c,  \
        int ldc, int *info, int *infos, int count) {                                               \
        const struct batch batch = {#x[0],  sizeof(type),       .op = op,       .m = m,            \
                                    .n = n, .columns = columns, .a = a,         .lda = lda,        \
                                    .b = c, .ldb = ldc,         .infos = infos, .count = count};   \
        return tell(BLAS_DO(gels, 0, batch), info, bad_of_gels(&batch));                           \
    }
FACTORS(S, s, float)
FACTORS(D, d, double)
FACTORS(C, c, complex_float)
FACTORS(Z, z, complex_double)
