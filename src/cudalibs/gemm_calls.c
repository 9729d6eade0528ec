// The many names of a product of matrices.
#include "cudalibs/gemm.h"

typedef uint16_t half;

struct products {
    struct gemm gemm;
    int64_t stride_a, stride_b, stride_c; // strided
    const void *const *a, *const *b;      // listed
    void *const *c;
    int64_t count;
};

static void multiply(struct lib_call *call, const void *arguments) {
    struct gemm gemm = *(const struct gemm *)arguments;
    gemm.c_in = gemm.c, gemm.ldc_in = gemm.ldc;
    if (gemm_is_good(call, &gemm))
        gemm_run(call, &gemm);
}

static void multiply_strided(struct lib_call *call, const void *arguments) {
    const struct products *p = arguments;
    struct gemm gemm = p->gemm;
    gemm.c_in = gemm.c, gemm.ldc_in = gemm.ldc;
    if (lib_require(call, p->count >= 0) && gemm_is_good(call, &gemm))
        gemm_run_strided(call, &gemm, p->stride_a, p->stride_b, p->stride_c, p->stride_c, p->count);
}

// The lists of matrices are in the device's memory, too.
static void multiply_listed(struct lib_call *call, const void *arguments) {
    const struct products *p = arguments;
    struct gemm gemm = p->gemm;
    gemm.ldc_in = gemm.ldc;
    if (!lib_require(call, p->count >= 0) || !gemm_is_good(call, &gemm))
        return;
    size_t bytes = (size_t)p->count * sizeof *p->a;
    if (!lib_can_use(call, "the list of A", p->a, bytes, false) ||
        !lib_can_use(call, "the list of B", p->b, bytes, false) ||
        !lib_can_use(call, "the list of C", p->c, bytes, false))
        return;
    for (int64_t i = 0; i < p->count && call->status == LIB_SUCCESS; i++) {
        gemm.a = p->a[i], gemm.b = p->b[i], gemm.c = p->c[i], gemm.c_in = p->c[i];
        gemm_run(call, &gemm);
    }
}

#define PRODUCT(A, B, C, ...)                                                                      \
    {                                                                                              \
        .alpha = alpha, .beta = beta, .op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .a = A,  \
        .b = B, .c = C, .lda = lda, .ldb = ldb, .ldc = ldc, __VA_ARGS__                            \
    }
#define ALL_OF(code) .a_type = code, .b_type = code, .c_type = code, .scale_type = code
#define SIZES(size) int op_a, int op_b, size m, size n, size k

#define ONE_OF(size, suffix, Name, type, code)                                                     \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, SIZES(size), const type *alpha,    \
                                                  const type *a, size lda, const type *b,          \
                                                  size ldb, const type *beta, type *c, size ldc) { \
        return BLAS_DO(multiply, sizeof(type), (struct gemm)PRODUCT(a, b, c, ALL_OF(code)));       \
    }
#define BATCHES_OF(size, suffix, Name, type, code)                                                 \
    CUDA_API enum lib_status cublas##Name##StridedBatched##suffix(                                 \
        void *handle, SIZES(size), const type *alpha, const type *a, size lda, long long stride_a, \
        const type *b, size ldb, long long stride_b, const type *beta, type *c, size ldc,          \
        long long stride_c, size count) {                                                          \
        return BLAS_DO(multiply_strided, sizeof(type),                                             \
                       (struct products){PRODUCT(a, b, c, ALL_OF(code)), stride_a, stride_b,       \
                                         stride_c, NULL, NULL, NULL, count});                      \
    }                                                                                              \
    CUDA_API enum lib_status cublas##Name##Batched##suffix(                                        \
        void *handle, SIZES(size), const type *alpha, const void *const *a, size lda,              \
        const void *const *b, size ldb, const type *beta, void *const *c, size ldc, size count) {  \
        return BLAS_DO(                                                                            \
            multiply_listed, sizeof(type),                                                         \
            (struct products){PRODUCT(NULL, NULL, NULL, ALL_OF(code)), 0, 0, 0, a, b, c, count});  \
    }
#define GEMM(Name, type, code)                                                                     \
    BLAS_BOTH(ONE_OF, Name, type, code)                                                            \
    BLAS_BOTH_NEW(BATCHES_OF, Name, type, code)
GEMM(Sgemm, float, GEMM_F32)
GEMM(Dgemm, double, GEMM_F64)
GEMM(Cgemm, complex_float, GEMM_C32)
GEMM(Zgemm, complex_double, GEMM_C64)
BLAS_BOTH_NEW(ONE_OF, Hgemm, half, GEMM_F16)
BLAS_BOTH_NEW(BATCHES_OF, Hgemm, half, GEMM_F16)
// Another way to multiply complex numbers, with the same results but for their last bits.
BLAS_BOTH_NEW(ONE_OF, Cgemm3m, complex_float, GEMM_C32)
BLAS_BOTH_NEW(ONE_OF, Zgemm3m, complex_double, GEMM_C64)
BLAS_BOTH_NEW(BATCHES_OF, Cgemm3m, complex_float, GEMM_C32)

// ---- Of types that are told ---------------------------------------------------------------------

// gemm_is_good refuses what this does not know.
static int scale_of(int compute, int c_type) {
    return gemm_scale_type(compute, c_type);
}

static size_t scale_bytes(int compute, int c_type) {
    int type = gemm_scale_type(compute, c_type);
    return type < 0 ? 0 : gemm_bytes(type);
}

#define TOLD(scale) .a_type = a_type, .b_type = b_type, .c_type = c_type, .scale_type = scale

#define EX_OF(size, suffix, nothing)                                                               \
    CUDA_API enum lib_status cublasGemmEx##suffix(                                                 \
        void *handle, SIZES(size), const void *alpha, const void *a, int a_type, size lda,         \
        const void *b, int b_type, size ldb, const void *beta, void *c, int c_type, size ldc,      \
        int compute, int algorithm) {                                                              \
        (void)algorithm;                                                                           \
        return BLAS_DO(multiply, scale_bytes(compute, c_type),                                     \
                       (struct gemm)PRODUCT(a, b, c, TOLD(scale_of(compute, c_type))));            \
    }                                                                                              \
    CUDA_API enum lib_status cublasGemmStridedBatchedEx##suffix(                                   \
        void *handle, SIZES(size), const void *alpha, const void *a, int a_type, size lda,         \
        long long stride_a, const void *b, int b_type, size ldb, long long stride_b,               \
        const void *beta, void *c, int c_type, size ldc, long long stride_c, size count,           \
        int compute, int algorithm) {                                                              \
        (void)algorithm;                                                                           \
        return BLAS_DO(multiply_strided, scale_bytes(compute, c_type),                             \
                       (struct products){PRODUCT(a, b, c, TOLD(scale_of(compute, c_type))),        \
                                         stride_a, stride_b, stride_c, NULL, NULL, NULL, count});  \
    }                                                                                              \
    CUDA_API enum lib_status cublasGemmBatchedEx##suffix(                                          \
        void *handle, SIZES(size), const void *alpha, const void *const *a, int a_type, size lda,  \
        const void *const *b, int b_type, size ldb, const void *beta, void *const *c, int c_type,  \
        size ldc, size count, int compute, int algorithm) {                                        \
        (void)algorithm;                                                                           \
        return BLAS_DO(                                                                            \
            multiply_listed, scale_bytes(compute, c_type),                                         \
            (struct products){PRODUCT(NULL, NULL, NULL, TOLD(scale_of(compute, c_type))), 0, 0, 0, \
                              a, b, c, count});                                                    \
    }
BLAS_BOTH_NEW(EX_OF, )

#define OLD_EX_OF(size, suffix, Name, type, code)                                                  \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, SIZES(size), const type *alpha, const void *a, int a_type, size lda,         \
        const void *b, int b_type, size ldb, const type *beta, void *c, int c_type, size ldc) {    \
        return BLAS_DO(multiply, sizeof(type), (struct gemm)PRODUCT(a, b, c, TOLD(code)));         \
    }
BLAS_BOTH_NEW(OLD_EX_OF, SgemmEx, float, GEMM_F32)
BLAS_BOTH_NEW(OLD_EX_OF, CgemmEx, complex_float, GEMM_C32)
BLAS_BOTH_NEW(OLD_EX_OF, Cgemm3mEx, complex_float, GEMM_C32)
