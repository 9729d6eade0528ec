// What cuBLAS has beyond level 3 and no BLAS does: sums of matrices, and matrices times diagonals.
#include "cudalibs/matrix.h"

struct sum {
    const void *alpha, *beta;
    int op_a, op_b;
    int64_t m, n;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
};

static bool has_operand(struct lib_call *call, const char *what, const void *at, int op,
                        const struct sum *s, int64_t pitch, size_t element) {
    const int64_t rows = op == BLAS_N ? s->m : s->n, columns = op == BLAS_N ? s->n : s->m;
    return lib_has_matrix(call, what, at, rows, columns, pitch, element, false);
}

// Where A or B is C, too, it may not be transposed.
static bool is_good_sum(struct lib_call *call, const struct sum *s, size_t element) {
    return lib_require(call, s->op_a >= BLAS_N && s->op_a <= BLAS_C && s->op_b >= BLAS_N &&
                                 s->op_b <= BLAS_C && s->m >= 0 && s->n >= 0) &&
           matrix_is_pitch(call, s->lda, s->op_a == BLAS_N ? s->m : s->n) &&
           matrix_is_pitch(call, s->ldb, s->op_b == BLAS_N ? s->m : s->n) &&
           matrix_is_pitch(call, s->ldc, s->m) &&
           lib_require(call, s->c != s->a || (s->op_a == BLAS_N && s->lda == s->ldc)) &&
           lib_require(call, s->c != s->b || (s->op_b == BLAS_N && s->ldb == s->ldc)) &&
           blas_has_scalar(call, "alpha", s->alpha, element) &&
           blas_has_scalar(call, "beta", s->beta, element);
}

#define REAL_TIMES(type)                                                                           \
    static type times_##type(type a, type b) {                                                     \
        return a * b;                                                                              \
    }                                                                                              \
    static type plus_##type(type a, type b) {                                                      \
        return a + b;                                                                              \
    }                                                                                              \
    static bool is_zero_##type(type a) {                                                           \
        return a == 0;                                                                             \
    }                                                                                              \
    static type conjugate_##type(type a) {                                                         \
        return a;                                                                                  \
    }
#define COMPLEX_TIMES(type)                                                                        \
    static type times_##type(type a, type b) {                                                     \
        return (type){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                       \
    }                                                                                              \
    static type plus_##type(type a, type b) {                                                      \
        return (type){a.re + b.re, a.im + b.im};                                                   \
    }                                                                                              \
    static bool is_zero_##type(type a) {                                                           \
        return a.re == 0 && a.im == 0;                                                             \
    }                                                                                              \
    static type conjugate_##type(type a) {                                                         \
        return (type){a.re, -a.im};                                                                \
    }
REAL_TIMES(float)
REAL_TIMES(double)
COMPLEX_TIMES(complex_float)
COMPLEX_TIMES(complex_double)

// A matrix whose factor is 0 is not read.
#define SUM(type)                                                                                  \
    static type part_##type(const void *at, int op, int64_t pitch, int64_t i, int64_t j,           \
                            type factor) {                                                         \
        if (is_zero_##type(factor))                                                                \
            return factor;                                                                         \
        type value = ((const type *)at)[op == BLAS_N ? j * pitch + i : i * pitch + j];             \
        return times_##type(factor, op == BLAS_C ? conjugate_##type(value) : value);               \
    }                                                                                              \
    static void sum_##type(struct lib_call *call, const void *arguments) {                         \
        const struct sum *s = arguments;                                                           \
        if (!is_good_sum(call, s, sizeof(type)) || call->is_dry || !s->m || !s->n)                 \
            return;                                                                                \
        const type alpha = *(const type *)s->alpha, beta = *(const type *)s->beta;                 \
        if ((!is_zero_##type(alpha) &&                                                             \
             !has_operand(call, "A", s->a, s->op_a, s, s->lda, sizeof(type))) ||                   \
            (!is_zero_##type(beta) &&                                                              \
             !has_operand(call, "B", s->b, s->op_b, s, s->ldb, sizeof(type))) ||                   \
            !lib_has_matrix(call, "C", s->c, s->m, s->n, s->ldc, sizeof(type), true))              \
            return;                                                                                \
        for (int64_t j = 0; j < s->n; j++)                                                         \
            for (int64_t i = 0; i < s->m; i++)                                                     \
                ((type *)s->c)[j * s->ldc + i] =                                                   \
                    plus_##type(part_##type(s->a, s->op_a, s->lda, i, j, alpha),                   \
                                part_##type(s->b, s->op_b, s->ldb, i, j, beta));                   \
    }
#define GEAM_OF(size, suffix, X, type)                                                             \
    CUDA_API enum lib_status cublas##X##geam##suffix(                                              \
        void *handle, int op_a, int op_b, size m, size n, const type *alpha, const type *a,        \
        size lda, const type *beta, const type *b, size ldb, type *c, size ldc) {                  \
        return BLAS_DO(sum_##type, sizeof(type),                                                   \
                       (struct sum){alpha, beta, op_a, op_b, m, n, a, lda, b, ldb, c, ldc});       \
    }

// Each row, or each column, of A by an element of x.
#define SCALE(type)                                                                                \
    static void scale_##type(struct lib_call *call, const void *arguments) {                       \
        const struct matrices *p = arguments;                                                      \
        const int64_t count = p->side == BLAS_LEFT ? p->m : p->n;                                  \
        if (!matrices_are_good(call, p) || !matrix_is_pitch(call, p->lda, p->m) ||                 \
            !matrix_is_pitch(call, p->ldc, p->m) || !p->m || !p->n ||                              \
            !lib_has_matrix(call, "A", p->a, p->m, p->n, p->lda, sizeof(type), false) ||           \
            !lib_has_vector(call, "x", p->b, count, p->ldb, sizeof(type), false) ||                \
            !lib_has_matrix(call, "C", p->c, p->m, p->n, p->ldc, sizeof(type), true))              \
            return;                                                                                \
        for (int64_t j = 0; j < p->n; j++)                                                         \
            for (int64_t i = 0; i < p->m; i++) {                                                   \
                int64_t at = p->side == BLAS_LEFT ? i : j;                                         \
                at = (p->ldb < 0 ? at - count + 1 : at) * p->ldb;                                  \
                ((type *)p->c)[j * p->ldc + i] =                                                   \
                    times_##type(((const type *)p->a)[j * p->lda + i], ((const type *)p->b)[at]);  \
            }                                                                                      \
    }
#define DGMM_OF(size, suffix, X, type)                                                             \
    CUDA_API enum lib_status cublas##X##dgmm##suffix(void *handle, int side, size m, size n,       \
                                                     const type *a, size lda, const type *x,       \
                                                     size incx, type *c, size ldc) {               \
        return BLAS_DO(scale_##type, 0,                                                            \
                       (struct matrices){.side = side,                                             \
                                         .m = m,                                                   \
                                         .n = n,                                                   \
                                         .a = a,                                                   \
                                         .lda = lda,                                               \
                                         .b = x,                                                   \
                                         .ldb = incx,                                              \
                                         .c = c,                                                   \
                                         .ldc = ldc});                                             \
    }
#define MORE(X, type)                                                                              \
    SUM(type)                                                                                      \
    SCALE(type)                                                                                    \
    BLAS_BOTH_NEW(GEAM_OF, X, type)                                                                \
    BLAS_BOTH_NEW(DGMM_OF, X, type)
MORE(S, float)
MORE(D, double)
MORE(C, complex_float)
MORE(Z, complex_double)
