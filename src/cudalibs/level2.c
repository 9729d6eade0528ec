// Level 2: a matrix and vectors. X is the letter of cuBLAS, x that of Fortran.
#include "cudalibs/matrix.h"

// y = alpha * op(A) * x + beta * y
void blas_gemv(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*work)(const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, const int *, const void *, void *, const int *, size_t);
    const int64_t from = p->op == BLAS_N ? p->n : p->m, to = p->op == BLAS_N ? p->m : p->n;
    INTS(p);
    if (matrices_are_good(call, p) && lib_require(call, p->ldb && p->ldc) &&
        matrix_is_pitch(call, p->lda, p->m) && m && n &&
        lib_has_matrix(call, "A", p->a, p->m, p->n, p->lda, p->element, false) &&
        lib_has_vector(call, "x", p->b, from, p->ldb, p->element, false) &&
        lib_has_vector(call, "y", p->c, to, p->ldc, p->element, true) && BLAS_FIND(p->name, work))
        work(&blas_ops[p->op], &m, &n, p->alpha, p->a, &lda, p->b, &ldb, p->beta, p->c, &ldc, 1);
}

#define GEMV_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##gemv##suffix(                                              \
        void *handle, int op, size m, size n, const type *alpha, const type *a, size lda,          \
        const type *vx, size incx, const type *beta, type *vy, size incy) {                        \
        return BLAS_DO(blas_gemv, sizeof(type),                                                    \
                       (struct matrices){                                                          \
                           alpha, beta, #x "gemv_", .op = op, .m = m, .n = n, .a = a, .lda = lda,  \
                           .b = vx, .ldb = incx, .c = vy, .ldc = incy, .element = sizeof(type),    \
                           .alpha_bytes = sizeof(type), .beta_bytes = sizeof(type)});              \
    }
#define GEMV(X, x, type) BLAS_BOTH(GEMV_OF, X, x, type)
GEMV(S, s, float)
GEMV(D, d, double)
GEMV(C, c, complex_float)
GEMV(Z, z, complex_double)

// The same of a symmetric or Hermitian matrix.
static void symv(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*work)(const char *, const int *, const void *, const void *, const int *, const void *,
                 const int *, const void *, void *, const int *, size_t);
    INTS(p);
    if (matrices_are_good(call, p) && lib_require(call, p->ldb && p->ldc) &&
        matrix_is_pitch(call, p->lda, p->n) && n &&
        lib_has_matrix(call, "A", p->a, p->n, p->n, p->lda, p->element, false) &&
        lib_has_vector(call, "x", p->b, p->n, p->ldb, p->element, false) &&
        lib_has_vector(call, "y", p->c, p->n, p->ldc, p->element, true) && BLAS_FIND(p->name, work))
        work(&blas_halves[p->half], &n, p->alpha, p->a, &lda, p->b, &ldb, p->beta, p->c, &ldc, 1);
}

#define SYMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, size n, const type *alpha, const type *a, size lda,                \
        const type *vx, size incx, const type *beta, type *vy, size incy) {                        \
        return BLAS_DO(symv, sizeof(type),                                                         \
                       (struct matrices){alpha, beta, #name "_", .half = half, .n = n, .a = a,     \
                                         .lda = lda, .b = vx, .ldb = incx, .c = vy, .ldc = incy,   \
                                         .element = sizeof(type), .alpha_bytes = sizeof(type),     \
                                         .beta_bytes = sizeof(type)});                             \
    }
#define SYMV(Name, name, type) BLAS_BOTH(SYMV_OF, Name, name, type)
SYMV(Ssymv, ssymv, float)
SYMV(Dsymv, dsymv, double)
SYMV(Csymv, csymv, complex_float)
SYMV(Zsymv, zsymv, complex_double)
SYMV(Chemv, chemv, complex_float)
SYMV(Zhemv, zhemv, complex_double)

// A += alpha * x * y'; here C is the matrix, A and B are the vectors.
static void ger(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*work)(const int *, const int *, const void *, const void *, const int *, const void *,
                 const int *, void *, const int *);
    INTS(p);
    if (matrices_are_good(call, p) && lib_require(call, p->lda && p->ldb) &&
        matrix_is_pitch(call, p->ldc, p->m) && m && n &&
        lib_has_vector(call, "x", p->a, p->m, p->lda, p->element, false) &&
        lib_has_vector(call, "y", p->b, p->n, p->ldb, p->element, false) &&
        lib_has_matrix(call, "A", p->c, p->m, p->n, p->ldc, p->element, true) &&
        BLAS_FIND(p->name, work))
        work(&m, &n, p->alpha, p->a, &lda, p->b, &ldb, p->c, &ldc);
}

#define GER_OF(size, suffix, Name, name, type)                                                     \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size m, size n, const type *alpha, \
                                                  const type *vx, size incx, const type *vy,       \
                                                  size incy, type *a, size lda) {                  \
        return BLAS_DO(ger, sizeof(type),                                                          \
                       (struct matrices){alpha, NULL, #name "_", .m = m, .n = n, .a = vx,          \
                                         .lda = incx, .b = vy, .ldb = incy, .c = a, .ldc = lda,    \
                                         .element = sizeof(type), .alpha_bytes = sizeof(type)});   \
    }
#define GER(Name, name, type) BLAS_BOTH(GER_OF, Name, name, type)
GER(Sger, sger, float)
GER(Dger, dger, double)
GER(Cgeru, cgeru, complex_float)
GER(Cgerc, cgerc, complex_float)
GER(Zgeru, zgeru, complex_double)
GER(Zgerc, zgerc, complex_double)

// Half of A += alpha * x * x', and with y the sum of both products.
static void syr(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*one)(const char *, const int *, const void *, const void *, const int *, void *,
                const int *, size_t);
    void (*two)(const char *, const int *, const void *, const void *, const int *, const void *,
                const int *, void *, const int *, size_t);
    INTS(p);
    if (!matrices_are_good(call, p) || !lib_require(call, p->lda && (p->ldb || !p->k)) ||
        !matrix_is_pitch(call, p->ldc, p->n) || !n ||
        !lib_has_vector(call, "x", p->a, p->n, p->lda, p->element, false) ||
        (p->k && !lib_has_vector(call, "y", p->b, p->n, p->ldb, p->element, false)) ||
        !matrix_has_half(call, "A", p->c, p->half, p->n, p->ldc, p->element))
        return;
    if (!p->k && BLAS_FIND(p->name, one))
        one(&blas_halves[p->half], &n, p->alpha, p->a, &lda, p->c, &ldc, 1);
    else if (p->k && BLAS_FIND(p->name, two))
        two(&blas_halves[p->half], &n, p->alpha, p->a, &lda, p->b, &ldb, p->c, &ldc, 1);
}

#define SYR_OF(size, suffix, Name, name, type, real)                                               \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, size n,                  \
                                                  const real *alpha, const type *vx, size incx,    \
                                                  type *a, size lda) {                             \
        return BLAS_DO(syr, sizeof(real),                                                          \
                       (struct matrices){alpha, NULL, #name "_", .half = half, .n = n, .a = vx,    \
                                         .lda = incx, .c = a, .ldc = lda, .element = sizeof(type), \
                                         .alpha_bytes = sizeof(real)});                            \
    }
#define SYR(Name, name, type, real) BLAS_BOTH(SYR_OF, Name, name, type, real)
SYR(Ssyr, ssyr, float, float)
SYR(Dsyr, dsyr, double, double)
SYR(Csyr, csyr, complex_float, complex_float)
SYR(Zsyr, zsyr, complex_double, complex_double)
SYR(Cher, cher, complex_float, float)
SYR(Zher, zher, complex_double, double)

#define SYR2_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, size n,                  \
                                                  const type *alpha, const type *vx, size incx,    \
                                                  const type *vy, size incy, type *a, size lda) {  \
        return BLAS_DO(syr, sizeof(type),                                                          \
                       (struct matrices){alpha, NULL, #name "_", .half = half, .n = n, .k = 1,     \
                                         .a = vx, .lda = incx, .b = vy, .ldb = incy, .c = a,       \
                                         .ldc = lda, .element = sizeof(type),                      \
                                         .alpha_bytes = sizeof(type)});                            \
    }
#define SYR2(Name, name, type) BLAS_BOTH(SYR2_OF, Name, name, type)
SYR2(Ssyr2, ssyr2, float)
SYR2(Dsyr2, dsyr2, double)
SYR2(Csyr2, csyr2, complex_float)
SYR2(Zsyr2, zsyr2, complex_double)
SYR2(Cher2, cher2, complex_float)
SYR2(Zher2, zher2, complex_double)

// x = op(A) * x, or what gives that: A is a triangle.
static void trmv(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*work)(const char *, const char *, const char *, const int *, const void *, const int *,
                 void *, const int *, size_t, size_t, size_t);
    INTS(p);
    if (matrices_are_good(call, p) && matrix_is_pitch(call, p->lda, p->n) &&
        lib_require(call, p->ldc != 0) && n &&
        lib_has_matrix(call, "A", p->a, p->n, p->n, p->lda, p->element, false) &&
        lib_has_vector(call, "x", p->c, p->n, p->ldc, p->element, true) && BLAS_FIND(p->name, work))
        work(&blas_halves[p->half], &blas_ops[p->op], &blas_diagonals[p->diagonal], &n, p->a, &lda,
             p->c, &ldc, 1, 1, 1);
}

#define TRMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, int op, int diagonal,    \
                                                  size n, const type *a, size lda, type *vx,       \
                                                  size incx) {                                     \
        return BLAS_DO(trmv, 0,                                                                    \
                       (struct matrices){NULL, NULL, #name "_", .half = half, .op = op,            \
                                         .diagonal = diagonal, .n = n, .a = a, .lda = lda,         \
                                         .c = vx, .ldc = incx, .element = sizeof(type)});          \
    }
#define TRMV(X, x, type)                                                                           \
    BLAS_BOTH(TRMV_OF, X##trmv, x##trmv, type)                                                     \
    BLAS_BOTH(TRMV_OF, X##trsv, x##trsv, type)
TRMV(S, s, float)
TRMV(D, d, double)
TRMV(C, c, complex_float)
TRMV(Z, z, complex_double)
