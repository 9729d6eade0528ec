// Level 2 and 3 of many small matrices: of lists, which are in the device's memory, too, or so many
// elements apart.
#include "cudalibs/gemm.h"
#include "cudalibs/matrix.h"

struct batch {
    struct matrices one;
    const void *const *a, *const *b; // lists; NULL: the strides count
    void *const *c;
    int64_t stride_a, stride_b, stride_c;
    int64_t count;
};

static const void *moved(const void *from, int64_t elements, size_t element) {
    return from ? (const char *)from + elements * (int64_t)element : NULL;
}

static bool has_lists(struct lib_call *call, const struct batch *batch) {
    const size_t bytes = (size_t)batch->count * sizeof *batch->a;
    return lib_can_use(call, "the list of A", batch->a, bytes, false) &&
           (!batch->b || lib_can_use(call, "the list of x", batch->b, bytes, false)) &&
           lib_can_use(call, batch->b ? "the list of y" : "the list of B", batch->c, bytes, false);
}

static void do_each(struct lib_call *call, const struct batch *batch, lib_work work) {
    struct matrices one = batch->one;
    if (!lib_require(call, batch->count >= 0) || !matrices_are_good(call, &one))
        return;
    if (call->is_dry) {
        work(call, &one);
        return;
    }
    if (batch->c && !has_lists(call, batch))
        return;
    for (int64_t i = 0; i < batch->count && call->status == LIB_SUCCESS; i++) {
        if (batch->c) {
            one.a = batch->a[i], one.b = batch->b ? batch->b[i] : NULL, one.c = batch->c[i];
        } else {
            one.a = moved(batch->one.a, i * batch->stride_a, one.element);
            one.b = moved(batch->one.b, i * batch->stride_b, one.element);
            one.c = (void *)(uintptr_t)moved(batch->one.c, i * batch->stride_c, one.element);
        }
        work(call, &one);
    }
}

static void triangles(struct lib_call *call, const void *arguments) {
    do_each(call, arguments, blas_triangle);
}

static void gemvs(struct lib_call *call, const void *arguments) {
    do_each(call, arguments, blas_gemv);
}

#define TRSM_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##trsmBatched##suffix(                                       \
        void *handle, int side, int half, int op, int diagonal, size m, size n, const type *alpha, \
        const void *const *a, size lda, void *const *b, size ldb, size count) {                    \
        return BLAS_DO(                                                                            \
            triangles, sizeof(type),                                                               \
            (struct batch){.one = {alpha, NULL, #x "trsm_", side, half, op, diagonal, m, n,        \
                                   .lda = lda, .ldc = ldb, .element = sizeof(type),                \
                                   .alpha_bytes = sizeof(type)},                                   \
                           .a = a,                                                                 \
                           .c = b,                                                                 \
                           .count = count});                                                       \
    }
#define GEMV_ONE(x, type)                                                                          \
    .one = {alpha,                                                                                 \
            beta,                                                                                  \
            #x "gemv_",                                                                            \
            .op = op,                                                                              \
            .m = m,                                                                                \
            .n = n,                                                                                \
            .lda = lda,                                                                            \
            .ldb = incx,                                                                           \
            .ldc = incy,                                                                           \
            .element = sizeof(type),                                                               \
            .alpha_bytes = sizeof(type),                                                           \
            .beta_bytes = sizeof(type)}
#define GEMV_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##gemvBatched##suffix(                                       \
        void *handle, int op, size m, size n, const type *alpha, const void *const *a, size lda,   \
        const void *const *vx, size incx, const type *beta, void *const *vy, size incy,            \
        size count) {                                                                              \
        return BLAS_DO(                                                                            \
            gemvs, sizeof(type),                                                                   \
            (struct batch){GEMV_ONE(x, type), .a = a, .b = vx, .c = vy, .count = count});          \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##gemvStridedBatched##suffix(                                \
        void *handle, int op, size m, size n, const type *alpha, const type *a, size lda,          \
        long long stride_a, const type *vx, size incx, long long stride_x, const type *beta,       \
        type *vy, size incy, long long stride_y, size count) {                                     \
        struct batch batch = {GEMV_ONE(x, type), .stride_a = stride_a, .stride_b = stride_x,       \
                              .stride_c = stride_y, .count = count};                               \
        batch.one.a = a, batch.one.b = vx, batch.one.c = vy;                                       \
        return BLAS_DO(gemvs, sizeof(type), batch);                                                \
    }
#define BATCHES(X, x, type)                                                                        \
    BLAS_BOTH_NEW(TRSM_OF, X, x, type)                                                             \
    BLAS_BOTH_NEW(GEMV_OF, X, x, type)
BATCHES(S, s, float)
BATCHES(D, d, double)
BATCHES(C, c, complex_float)
BATCHES(Z, z, complex_double)

// ---- Halves: products of a row and a matrix -----------------------------------------------------

struct halves {
    const void *alpha, *beta;
    int op;
    int64_t m, n;
    int type, y_type;
    int64_t lda, incx, incy;
    const void *a, *x; // strided
    void *y;
    int64_t stride_a, stride_x, stride_y;
    const void *const *a_list, *const *x_list; // listed
    void *const *y_list;
    int64_t count;
};

// y' = alpha * x' * op(A)' + beta * y', where the steps of x and y are the pitches of matrices of
// one row.
static struct gemm as_product(const struct halves *h) {
    const bool is_n = h->op == BLAS_N;
    return (struct gemm){.alpha = h->alpha,
                         .beta = h->beta,
                         .op_a = BLAS_N,
                         .op_b = is_n ? BLAS_T : BLAS_N,
                         .m = 1,
                         .n = is_n ? h->m : h->n,
                         .k = is_n ? h->n : h->m,
                         .a_type = h->type,
                         .b_type = h->type,
                         .c_type = h->y_type,
                         .scale_type = GEMM_F32,
                         .lda = h->incx,
                         .ldb = h->lda,
                         .ldc = h->incy,
                         .ldc_in = h->incy};
}

static bool halves_are_good(struct lib_call *call, const struct halves *h, struct gemm *gemm) {
    if (!lib_require(call, h->count >= 0 && h->op >= BLAS_N && h->op <= BLAS_C && h->incx &&
                               h->incy && h->m >= 0 && h->n >= 0) ||
        !matrix_is_pitch(call, h->lda, h->m))
        return false;
    if (h->incx < 0 || h->incy < 0) {
        lib_refuse(call, "with vectors that run backwards");
        return false;
    }
    *gemm = as_product(h);
    return gemm_is_good(call, gemm);
}

static void multiply_halves(struct lib_call *call, const void *arguments) {
    const struct halves *h = arguments;
    const size_t bytes = (size_t)h->count * sizeof *h->a_list;
    struct gemm gemm;
    if (!halves_are_good(call, h, &gemm) || call->is_dry)
        return;
    if (h->y_list && (!lib_can_use(call, "the list of A", h->a_list, bytes, false) ||
                      !lib_can_use(call, "the list of x", h->x_list, bytes, false) ||
                      !lib_can_use(call, "the list of y", h->y_list, bytes, false)))
        return;
    for (int64_t i = 0; i < h->count && call->status == LIB_SUCCESS; i++) {
        gemm.a = h->x_list ? h->x_list[i] : moved(h->x, i * h->stride_x, gemm_bytes(h->type));
        gemm.b = h->a_list ? h->a_list[i] : moved(h->a, i * h->stride_a, gemm_bytes(h->type));
        gemm.c = h->y_list ? h->y_list[i]
                           : (void *)(uintptr_t)moved(h->y, i * h->stride_y, gemm_bytes(h->y_type));
        gemm.c_in = gemm.c;
        gemm_run(call, &gemm);
    }
}

#define HALVES_OF(size, suffix, Name, in, out)                                                     \
    CUDA_API enum lib_status cublas##Name##gemvBatched##suffix(                                    \
        void *handle, int op, size m, size n, const float *alpha, const void *const *a, size lda,  \
        const void *const *x, size incx, const float *beta, void *const *y, size incy,             \
        size count) {                                                                              \
        return BLAS_DO(multiply_halves, sizeof(float),                                             \
                       (struct halves){alpha, beta, op, m, n, in, out, lda, incx, incy,            \
                                       .a_list = a, .x_list = x, .y_list = y, .count = count});    \
    }                                                                                              \
    CUDA_API enum lib_status cublas##Name##gemvStridedBatched##suffix(                             \
        void *handle, int op, size m, size n, const float *alpha, const void *a, size lda,         \
        long long stride_a, const void *x, size incx, long long stride_x, const float *beta,       \
        void *y, size incy, long long stride_y, size count) {                                      \
        return BLAS_DO(multiply_halves, sizeof(float),                                             \
                       (struct halves){alpha, beta, op, m, n, in, out, lda, incx, incy, a, x, y,   \
                                       stride_a, stride_x, stride_y, .count = count});             \
    }
BLAS_BOTH_NEW(HALVES_OF, HSH, GEMM_F16, GEMM_F16)
BLAS_BOTH_NEW(HALVES_OF, HSS, GEMM_F16, GEMM_F32)
BLAS_BOTH_NEW(HALVES_OF, TST, GEMM_BF16, GEMM_BF16)
BLAS_BOTH_NEW(HALVES_OF, TSS, GEMM_BF16, GEMM_F32)
