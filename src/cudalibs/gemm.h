// Products of matrices of any type: C = alpha * op(A) * op(B) + beta * C, column by column.
#ifndef BANKRUN_CUDALIBS_GEMM_H
#define BANKRUN_CUDALIBS_GEMM_H

#include "cudalibs/blas.h"

// cudaDataType_t
enum gemm_type {
    GEMM_F32 = 0,
    GEMM_F64 = 1,
    GEMM_F16 = 2,
    GEMM_S8 = 3,
    GEMM_C32 = 4,
    GEMM_C64 = 5,
    GEMM_S32 = 10,
    GEMM_BF16 = 14,
};

// cublasComputeType_t, the ones that differ in what scalars are
enum gemm_compute {
    GEMM_IN_F16 = 64,
    GEMM_IN_F16_PEDANTIC = 65,
    GEMM_IN_F32 = 68,
    GEMM_IN_F32_LAST = 77, // and its kinds that may be less exact
    GEMM_IN_F64 = 70,
    GEMM_IN_F64_PEDANTIC = 71,
    GEMM_IN_S32 = 72,
    GEMM_IN_S32_PEDANTIC = 73,
};

struct gemm {
    const void *alpha, *beta; // where the handle says
    int op_a, op_b;
    int64_t m, n, k;
    int a_type, b_type, c_type, scale_type;
    const void *a, *b, *c_in;
    void *c; // c_in may be the same
    int64_t lda, ldb, ldc, ldc_in;
};

// Bytes of an element; 0: no such type.
size_t gemm_bytes(int type);
// What alpha and beta are. -1: such a product is not known.
int gemm_scale_type(int compute, int c_type);

// Checks sizes and pitches. False: the call's status says so.
bool gemm_is_good(struct lib_call *call, const struct gemm *gemm);
// Computes one that is good.
void gemm_run(struct lib_call *call, const struct gemm *gemm);
// The same of matrices whose memory was looked at.
void gemm_compute(struct lib_call *call, const struct gemm *gemm);
// `count` of them, whose matrices are so many elements apart.
void gemm_run_strided(struct lib_call *call, const struct gemm *gemm, int64_t stride_a,
                      int64_t stride_b, int64_t stride_c, int64_t stride_c_in, int64_t count);

#endif
