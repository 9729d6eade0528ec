// Products of groups of matrices: the sizes of each group are on the host, the lists of matrices on
// the device.
#include "cudalibs/gemm.h"

struct groups {
    const int *op_a, *op_b;
    const void *m, *n, *k, *lda, *ldb, *ldc, *sizes; // of `wide` numbers
    const void *alpha, *beta;                        // one for each group
    const void *const *a, *const *b;                 // of all groups, one behind the other
    void *const *c;
    int64_t count;
    bool is_wide; // int64_t in place of int
    int a_type, b_type, c_type, scale_type;
};

static int64_t number(const struct groups *groups, const void *from, int64_t at) {
    return groups->is_wide ? ((const int64_t *)from)[at] : ((const int *)from)[at];
}

static struct gemm gemm_of(const struct groups *groups, int64_t group) {
    const size_t scale = gemm_bytes(groups->scale_type), at = (size_t)group * scale;
    return (struct gemm){.alpha = (const char *)groups->alpha + at,
                         .beta = (const char *)groups->beta + at,
                         .op_a = groups->op_a[group],
                         .op_b = groups->op_b[group],
                         .m = number(groups, groups->m, group),
                         .n = number(groups, groups->n, group),
                         .k = number(groups, groups->k, group),
                         .a_type = groups->a_type,
                         .b_type = groups->b_type,
                         .c_type = groups->c_type,
                         .scale_type = groups->scale_type,
                         .lda = number(groups, groups->lda, group),
                         .ldb = number(groups, groups->ldb, group),
                         .ldc = number(groups, groups->ldc, group),
                         .ldc_in = number(groups, groups->ldc, group)};
}

// Of all of them together. -1: one is not good.
static int64_t total(struct lib_call *call, const struct groups *groups) {
    int64_t sum = 0;
    for (int64_t i = 0; i < groups->count; i++) {
        const struct gemm gemm = gemm_of(groups, i);
        const int64_t size = number(groups, groups->sizes, i);
        if (!lib_require(call, size >= 0) || !gemm_is_good(call, &gemm))
            return -1;
        sum += size;
    }
    return sum;
}

static void multiply(struct lib_call *call, const void *arguments) {
    const struct groups *groups = arguments;
    if (!lib_require(call, groups->count >= 0))
        return;
    if (call->handle->scalars == LIB_ON_DEVICE)
        lib_refuse(call, "with scalars on the device");
    else if (call->is_dry) // its arrays on the host will be gone
        lib_refuse(call, "in a captured stream");
    if (call->status != LIB_SUCCESS || !groups->count ||
        !lib_require(call, groups->op_a && groups->op_b && groups->m && groups->n && groups->k &&
                               groups->lda && groups->ldb && groups->ldc && groups->sizes &&
                               groups->alpha && groups->beta))
        return;
    const int64_t sum = total(call, groups);
    const size_t bytes = (size_t)(sum < 0 ? 0 : sum) * sizeof *groups->a;
    if (sum < 0 || !lib_can_use(call, "the list of A", groups->a, bytes, false) ||
        !lib_can_use(call, "the list of B", groups->b, bytes, false) ||
        !lib_can_use(call, "the list of C", groups->c, bytes, false))
        return;
    for (int64_t i = 0, at = 0; i < groups->count; i++) {
        struct gemm gemm = gemm_of(groups, i);
        for (int64_t left = number(groups, groups->sizes, i); left; left--, at++) {
            gemm.a = groups->a[at], gemm.b = groups->b[at], gemm.c = groups->c[at];
            gemm.c_in = gemm.c;
            gemm_run(call, &gemm);
        }
    }
}

#define GROUPS(size, a_code, b_code, c_code, scale)                                                \
    (struct groups) {                                                                              \
        op_a, op_b, m, n, k, lda, ldb, ldc, sizes, alpha, beta, a, b, c, count, sizeof(size) == 8, \
            a_code, b_code, c_code, scale                                                          \
    }
#define ONE_TYPE_OF(size, suffix, X, type, code)                                                   \
    CUDA_API enum lib_status cublas##X##gemmGroupedBatched##suffix(                                \
        void *handle, const int *op_a, const int *op_b, const size *m, const size *n,              \
        const size *k, const type *alpha, const void *const *a, const size *lda,                   \
        const void *const *b, const size *ldb, const type *beta, void *const *c, const size *ldc,  \
        size count, const size *sizes) {                                                           \
        return BLAS_DO(multiply, 0, GROUPS(size, code, code, code, code));                         \
    }
#define EX_OF(size, suffix, nothing)                                                               \
    CUDA_API enum lib_status cublasGemmGroupedBatchedEx##suffix(                                   \
        void *handle, const int *op_a, const int *op_b, const size *m, const size *n,              \
        const size *k, const void *alpha, const void *const *a, int a_type, const size *lda,       \
        const void *const *b, int b_type, const size *ldb, const void *beta, void *const *c,       \
        int c_type, const size *ldc, size count, const size *sizes, int compute) {                 \
        return BLAS_DO(multiply, 0,                                                                \
                       GROUPS(size, a_type, b_type, c_type, gemm_scale_type(compute, c_type)));    \
    }
BLAS_BOTH_NEW(ONE_TYPE_OF, S, float, GEMM_F32)
BLAS_BOTH_NEW(ONE_TYPE_OF, D, double, GEMM_F64)
BLAS_BOTH_NEW(EX_OF, )
