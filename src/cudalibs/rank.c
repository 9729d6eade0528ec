// Half of C = alpha * op(A) * op(B)' + beta * C, where the program knows that this is symmetric or
// Hermitian: the whole product by the backend, of which that half is taken.
#include <stdlib.h>

#include "base/alloc.h"
#include "cudalibs/gemm.h"
#include "cudalibs/matrix.h"

static bool is_good(struct lib_call *call, const struct matrices *p, bool is_hermitian,
                    bool is_complex) {
    const int64_t rows = p->op == BLAS_N ? p->n : p->k, columns = p->op == BLAS_N ? p->k : p->n;
    return matrices_are_good(call, p) &&
           lib_require(call, !is_complex || p->op != (is_hermitian ? BLAS_T : BLAS_C)) &&
           matrix_is_pitch(call, p->lda, rows) && matrix_is_pitch(call, p->ldb, rows) &&
           matrix_is_pitch(call, p->ldc, p->n) && p->n &&
           lib_has_matrix(call, "A", p->a, rows, columns, p->lda, p->element, false) &&
           lib_has_matrix(call, "B", p->b, rows, columns, p->ldb, p->element, false) &&
           matrix_has_half(call, "C", p->c, p->half, p->n, p->ldc, p->element);
}

// op(A) * op(B)', n * n without gaps. Caller frees. NULL: the backend has no such function.
static void *product(struct lib_call *call, const struct matrices *p, int type, bool is_hermitian) {
    static const float floats[2] = {1};
    static const double doubles[2] = {1}, zeros[2] = {0};
    const bool is_single = type == GEMM_F32 || type == GEMM_C32;
    const int turned = is_hermitian ? BLAS_C : BLAS_T;
    void *made = base_alloc((size_t)p->n * (size_t)p->n * p->element);
    const struct gemm gemm = {.alpha = is_single ? (const void *)floats : doubles,
                              .beta = zeros,
                              .op_a = p->op == BLAS_N ? BLAS_N : turned,
                              .op_b = p->op == BLAS_N ? turned : BLAS_N,
                              .m = p->n,
                              .n = p->n,
                              .k = p->k,
                              .a_type = type,
                              .b_type = type,
                              .c_type = type,
                              .scale_type = type,
                              .a = p->a,
                              .b = p->b,
                              .c = made,
                              .lda = p->lda,
                              .ldb = p->ldb,
                              .ldc = p->n};
    gemm_compute(call, &gemm);
    if (call->status == LIB_SUCCESS)
        return made;
    free(made);
    return NULL;
}

// Of a Hermitian matrix the diagonal is real.
#define RANK(name, type, code, is_hermitian, is_complex, beta_type, ...)                           \
    static void name(struct lib_call *call, const void *arguments) {                               \
        const struct matrices *p = arguments;                                                      \
        if (!is_good(call, p, is_hermitian, is_complex))                                           \
            return;                                                                                \
        type *made = product(call, p, code, is_hermitian);                                         \
        const type alpha = *(const type *)p->alpha;                                                \
        const beta_type beta = *(const beta_type *)p->beta;                                        \
        for (int64_t j = 0; made && j < p->n; j++)                                                 \
            for (int64_t i = p->half == BLAS_LOWER ? j : 0;                                        \
                 i < (p->half == BLAS_LOWER ? p->n : j + 1); i++) {                                \
                type *to = (type *)p->c + j * p->ldc + i;                                          \
                const type got = made[j * p->n + i];                                               \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        free(made);                                                                                \
    }

#define REAL(name, type, code)                                                                     \
    RANK(name, type, code, false, false, type, *to = alpha * got + (beta != 0 ? beta * *to : 0);)
#define TIMES_RE(a, b) ((a).re * (b).re - (a).im * (b).im)
#define TIMES_IM(a, b) ((a).re * (b).im + (a).im * (b).re)
#define COMPLEX(name, type, code)                                                                  \
    RANK(name, type, code, false, true, type, const bool is_read = beta.re != 0 || beta.im != 0;   \
         const type was = is_read ? *to : (type){0, 0};                                            \
         to->re = TIMES_RE(alpha, got) + TIMES_RE(beta, was);                                      \
         to->im = TIMES_IM(alpha, got) + TIMES_IM(beta, was);)
#define HERMITIAN(name, type, code, real)                                                          \
    RANK(name, type, code, true, true, real, const type was = beta != 0 ? *to : (type){0, 0};      \
         to->re = TIMES_RE(alpha, got) + beta * was.re;                                            \
         to->im = i == j ? 0 : TIMES_IM(alpha, got) + beta * was.im;)
REAL(ssyrkx, float, GEMM_F32)
REAL(dsyrkx, double, GEMM_F64)
COMPLEX(csyrkx, complex_float, GEMM_C32)
COMPLEX(zsyrkx, complex_double, GEMM_C64)
HERMITIAN(cherkx, complex_float, GEMM_C32, float)
HERMITIAN(zherkx, complex_double, GEMM_C64, double)

#define RANK_OF(size, suffix, Name, name, type, real)                                              \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, int op, size n, size k, const type *alpha, const type *a,          \
        size lda, const type *b, size ldb, const real *beta, type *c, size ldc) {                  \
        return BLAS_DO(name, LIB_SCALARS(sizeof(type), sizeof(real)),                              \
                       (struct matrices){alpha, beta, NULL, .half = half, .op = op, .n = n,        \
                                         .k = k, .a = a, .lda = lda, .b = b, .ldb = ldb, .c = c,   \
                                         .ldc = ldc, .element = sizeof(type),                      \
                                         .alpha_bytes = sizeof(type),                              \
                                         .beta_bytes = sizeof(real)});                             \
    }
BLAS_BOTH_NEW(RANK_OF, Ssyrkx, ssyrkx, float, float)
BLAS_BOTH_NEW(RANK_OF, Dsyrkx, dsyrkx, double, double)
BLAS_BOTH_NEW(RANK_OF, Csyrkx, csyrkx, complex_float, complex_float)
BLAS_BOTH_NEW(RANK_OF, Zsyrkx, zsyrkx, complex_double, complex_double)
BLAS_BOTH_NEW(RANK_OF, Cherkx, cherkx, complex_float, float)
BLAS_BOTH_NEW(RANK_OF, Zherkx, zherkx, complex_double, double)
