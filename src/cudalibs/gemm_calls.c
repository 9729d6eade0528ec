// The many names of a product of matrices.
#include "cudalibs/gemm.h"

typedef uint16_t half;

static struct gemm of_one_type(int type) {
    return (struct gemm){.a_type = type, .b_type = type, .c_type = type, .scale_type = type};
}

static void multiply(struct blas_call *call, struct gemm gemm) {
    gemm.c_in = gemm.c, gemm.ldc_in = gemm.ldc;
    if (gemm_is_good(call, &gemm))
        gemm_run(call, &gemm);
}

static void multiply_strided(struct blas_call *call, struct gemm gemm, int64_t stride_a,
                             int64_t stride_b, int64_t stride_c, int count) {
    gemm.c_in = gemm.c, gemm.ldc_in = gemm.ldc;
    if (blas_require(call, count >= 0) && gemm_is_good(call, &gemm))
        gemm_run_strided(call, &gemm, stride_a, stride_b, stride_c, stride_c, count);
}

// The lists of matrices are in the device's memory, too.
static void multiply_listed(struct blas_call *call, struct gemm gemm, const void *const *a,
                            const void *const *b, void *const *c, int count) {
    gemm.ldc_in = gemm.ldc;
    if (!blas_require(call, count >= 0) || !gemm_is_good(call, &gemm))
        return;
    size_t bytes = (size_t)count * sizeof *a;
    if (!blas_can_use(call, "the list of A", a, bytes, false) ||
        !blas_can_use(call, "the list of B", b, bytes, false) ||
        !blas_can_use(call, "the list of C", c, bytes, false))
        return;
    for (int i = 0; i < count && call->status == BLAS_SUCCESS; i++) {
        gemm.a = a[i], gemm.b = b[i], gemm.c = c[i], gemm.c_in = c[i];
        gemm_run(call, &gemm);
    }
}

#define FILL(A, B, C)                                                                              \
    gemm.op_a = op_a, gemm.op_b = op_b, gemm.m = m, gemm.n = n, gemm.k = k, gemm.alpha = alpha,    \
    gemm.beta = beta, gemm.a = A, gemm.b = B, gemm.c = C, gemm.lda = lda, gemm.ldb = ldb,          \
    gemm.ldc = ldc

#define GEMM(Name, Strided, Listed, type, code)                                                    \
    BLAS_CALL(cublas##Name(void *handle, int op_a, int op_b, int m, int n, int k,                  \
                           const type *alpha, const type *a, int lda, const type *b, int ldb,      \
                           const type *beta, type *c, int ldc),                                    \
              {                                                                                    \
                  struct gemm gemm = of_one_type(code);                                            \
                  FILL(a, b, c);                                                                   \
                  multiply(call, gemm);                                                            \
              })                                                                                   \
    BLAS_CALL(cublas##Strided(void *handle, int op_a, int op_b, int m, int n, int k,               \
                              const type *alpha, const type *a, int lda, long long stride_a,       \
                              const type *b, int ldb, long long stride_b, const type *beta,        \
                              type *c, int ldc, long long stride_c, int count),                    \
              {                                                                                    \
                  struct gemm gemm = of_one_type(code);                                            \
                  FILL(a, b, c);                                                                   \
                  multiply_strided(call, gemm, stride_a, stride_b, stride_c, count);               \
              })                                                                                   \
    BLAS_CALL(cublas##Listed(void *handle, int op_a, int op_b, int m, int n, int k,                \
                             const type *alpha, const type *const *a, int lda,                     \
                             const type *const *b, int ldb, const type *beta, type *const *c,      \
                             int ldc, int count),                                                  \
              {                                                                                    \
                  struct gemm gemm = of_one_type(code);                                            \
                  FILL(NULL, NULL, NULL);                                                          \
                  multiply_listed(call, gemm, (const void *const *)a, (const void *const *)b,      \
                                  (void *const *)c, count);                                        \
              })
GEMM(Sgemm_v2, SgemmStridedBatched, SgemmBatched, float, GEMM_F32)
GEMM(Dgemm_v2, DgemmStridedBatched, DgemmBatched, double, GEMM_F64)
GEMM(Cgemm_v2, CgemmStridedBatched, CgemmBatched, complex_float, GEMM_C32)
GEMM(Zgemm_v2, ZgemmStridedBatched, ZgemmBatched, complex_double, GEMM_C64)
GEMM(Hgemm, HgemmStridedBatched, HgemmBatched, half, GEMM_F16)

// ---- Of types that are told
// -----------------------------------------------------------------------

static bool set_types(struct blas_call *call, struct gemm *gemm, int a, int b, int c, int compute) {
    *gemm = (struct gemm){.a_type = a, .b_type = b, .c_type = c};
    gemm->scale_type = gemm_scale_type(compute, c);
    if (gemm->scale_type < 0 || !gemm_bytes(a) || !gemm_bytes(b) || !gemm_bytes(c))
        blas_refuse(call, "with these types of data");
    return call->status == BLAS_SUCCESS;
}

BLAS_CALL(cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                       const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                       const void *beta, void *c, int c_type, int ldc, int compute, int algorithm),
          {
              struct gemm gemm;
              (void)algorithm;
              if (set_types(call, &gemm, a_type, b_type, c_type, compute)) {
                  FILL(a, b, c);
                  multiply(call, gemm);
              }
          })

BLAS_CALL(cublasSgemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                        const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                        const float *beta, void *c, int c_type, int ldc),
          {
              struct gemm gemm;
              if (set_types(call, &gemm, a_type, b_type, c_type, GEMM_IN_F32)) {
                  FILL(a, b, c);
                  multiply(call, gemm);
              }
          })

BLAS_CALL(cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                                     const void *alpha, const void *a, int a_type, int lda,
                                     long long stride_a, const void *b, int b_type, int ldb,
                                     long long stride_b, const void *beta, void *c, int c_type,
                                     int ldc, long long stride_c, int count, int compute,
                                     int algorithm),
          {
              struct gemm gemm;
              (void)algorithm;
              if (set_types(call, &gemm, a_type, b_type, c_type, compute)) {
                  FILL(a, b, c);
                  multiply_strided(call, gemm, stride_a, stride_b, stride_c, count);
              }
          })

BLAS_CALL(cublasGemmBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                              const void *alpha, const void *const *a, int a_type, int lda,
                              const void *const *b, int b_type, int ldb, const void *beta,
                              void *const *c, int c_type, int ldc, int count, int compute,
                              int algorithm),
          {
              struct gemm gemm;
              (void)algorithm;
              if (set_types(call, &gemm, a_type, b_type, c_type, compute)) {
                  FILL(NULL, NULL, NULL);
                  multiply_listed(call, gemm, a, b, c, count);
              }
          })
