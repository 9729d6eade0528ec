// Level 3 but the products of any matrices (gemm_calls.c). X is the letter of cuBLAS, x that of
// Fortran.
#include <string.h>

#include "cudalibs/gemm.h"
#include "cudalibs/matrix.h"

typedef void (*triangle_work)(const char *, const char *, const char *, const char *, const int *,
                              const int *, const void *, const void *, const int *, void *,
                              const int *, size_t, size_t, size_t, size_t);

// Solves op(A) * X = alpha * B, or computes C = alpha * op(A) * B, where B is copied first.
void blas_triangle(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    const int64_t rows = p->side == BLAS_LEFT ? p->m : p->n;
    triangle_work work;
    INTS(p);
    if (!matrices_are_good(call, p) || !matrix_is_pitch(call, p->lda, rows) ||
        (p->b && !matrix_is_pitch(call, p->ldb, p->m)) || !matrix_is_pitch(call, p->ldc, p->m) ||
        !m || !n || !lib_has_matrix(call, "A", p->a, rows, rows, p->lda, p->element, false) ||
        (p->b && !lib_has_matrix(call, "B", p->b, p->m, p->n, p->ldb, p->element, false)) ||
        !lib_has_matrix(call, p->b ? "C" : "B", p->c, p->m, p->n, p->ldc, p->element, true) ||
        !BLAS_FIND(p->name, work))
        return;
    for (int64_t j = 0; p->b && p->b != p->c && j < p->n; j++)
        memmove((char *)p->c + (size_t)(j * p->ldc) * p->element,
                (const char *)p->b + (size_t)(j * p->ldb) * p->element, (size_t)p->m * p->element);
    work(&blas_sides[p->side], &blas_halves[p->half], &blas_ops[p->op],
         &blas_diagonals[p->diagonal], &m, &n, p->alpha, p->a, &lda, p->c, &ldc, 1, 1, 1, 1);
}

#define TRSM_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##trsm##suffix(                                              \
        void *handle, int side, int half, int op, int diagonal, size m, size n, const type *alpha, \
        const type *a, size lda, type *b, size ldb) {                                              \
        return BLAS_DO(blas_triangle, sizeof(type),                                                \
                       (struct matrices){alpha, NULL, #x "trsm_", side, half, op, diagonal, m, n,  \
                                         .a = a, .lda = lda, .c = b, .ldc = ldb,                   \
                                         .element = sizeof(type), .alpha_bytes = sizeof(type)});   \
    }
#define TRMM_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##trmm##suffix(                                              \
        void *handle, int side, int half, int op, int diagonal, size m, size n, const type *alpha, \
        const type *a, size lda, const type *b, size ldb, type *c, size ldc) {                     \
        return BLAS_DO(blas_triangle, sizeof(type),                                                \
                       (struct matrices){alpha, NULL, #x "trmm_", side, half, op, diagonal, m, n,  \
                                         .a = a, .lda = lda, .b = b, .ldb = ldb, .c = c,           \
                                         .ldc = ldc, .element = sizeof(type),                      \
                                         .alpha_bytes = sizeof(type)});                            \
    }
#define TRIANGLES(X, x, type) BLAS_BOTH(TRSM_OF, X, x, type) BLAS_BOTH(TRMM_OF, X, x, type)
TRIANGLES(S, s, float)
TRIANGLES(D, d, double)
TRIANGLES(C, c, complex_float)
TRIANGLES(Z, z, complex_double)

// C = alpha * A * B + beta * C, A symmetric or Hermitian.
static void symm(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*work)(const char *, const char *, const int *, const int *, const void *, const void *,
                 const int *, const void *, const int *, const void *, void *, const int *, size_t,
                 size_t);
    const int64_t rows = p->side == BLAS_LEFT ? p->m : p->n;
    INTS(p);
    if (matrices_are_good(call, p) && matrix_is_pitch(call, p->lda, rows) &&
        matrix_is_pitch(call, p->ldb, p->m) && matrix_is_pitch(call, p->ldc, p->m) && m && n &&
        lib_has_matrix(call, "A", p->a, rows, rows, p->lda, p->element, false) &&
        lib_has_matrix(call, "B", p->b, p->m, p->n, p->ldb, p->element, false) &&
        lib_has_matrix(call, "C", p->c, p->m, p->n, p->ldc, p->element, true) &&
        BLAS_FIND(p->name, work))
        work(&blas_sides[p->side], &blas_halves[p->half], &m, &n, p->alpha, p->a, &lda, p->b, &ldb,
             p->beta, p->c, &ldc, 1, 1);
}

#define SYMM_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int side, int half, size m, size n, const type *alpha, const type *a,        \
        size lda, const type *b, size ldb, const type *beta, type *c, size ldc) {                  \
        return BLAS_DO(symm, sizeof(type),                                                         \
                       (struct matrices){                                                          \
                           alpha, beta, #name "_", side, half, .m = m, .n = n, .a = a, .lda = lda, \
                           .b = b, .ldb = ldb, .c = c, .ldc = ldc, .element = sizeof(type),        \
                           .alpha_bytes = sizeof(type), .beta_bytes = sizeof(type)});              \
    }
#define SYMM(Name, name, type) BLAS_BOTH(SYMM_OF, Name, name, type)
SYMM(Ssymm, ssymm, float)
SYMM(Dsymm, dsymm, double)
SYMM(Csymm, csymm, complex_float)
SYMM(Zsymm, zsymm, complex_double)
SYMM(Chemm, chemm, complex_float)
SYMM(Zhemm, zhemm, complex_double)

// Half of C = alpha * op(A) * op(A)' + beta * C, and with B of the sum of both products.
static void syrk(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    void (*one)(const char *, const char *, const int *, const int *, const void *, const void *,
                const int *, const void *, void *, const int *, size_t, size_t);
    void (*two)(const char *, const char *, const int *, const int *, const void *, const void *,
                const int *, const void *, const int *, const void *, void *, const int *, size_t,
                size_t);
    const int64_t rows = p->op == BLAS_N ? p->n : p->k, columns = p->op == BLAS_N ? p->k : p->n;
    INTS(p);
    if (!matrices_are_good(call, p) || !matrix_is_pitch(call, p->lda, rows) ||
        (p->b && !matrix_is_pitch(call, p->ldb, rows)) || !matrix_is_pitch(call, p->ldc, p->n) ||
        !n || !lib_has_matrix(call, "A", p->a, rows, columns, p->lda, p->element, false) ||
        (p->b && !lib_has_matrix(call, "B", p->b, rows, columns, p->ldb, p->element, false)) ||
        !matrix_has_half(call, "C", p->c, p->half, p->n, p->ldc, p->element))
        return;
    const char *half = &blas_halves[p->half], *op = &blas_ops[p->op];
    if (!p->b && BLAS_FIND(p->name, one))
        one(half, op, &n, &k, p->alpha, p->a, &lda, p->beta, p->c, &ldc, 1, 1);
    else if (p->b && BLAS_FIND(p->name, two))
        two(half, op, &n, &k, p->alpha, p->a, &lda, p->b, &ldb, p->beta, p->c, &ldc, 1, 1);
}

// What is done to real matrices is the transpose in any case, and to those of her*k the conjugate.
static void syrk_of_complex(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    const bool is_hermitian = p->name[1] == 'h';
    if (lib_require(call, p->op != (is_hermitian ? BLAS_T : BLAS_C)))
        syrk(call, arguments);
}

#define SYRK_OF(size, suffix, work, Name, name, type, real)                                        \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, int op, size n, size k,  \
                                                  const real *alpha, const type *a, size lda,      \
                                                  const real *beta, type *c, size ldc) {           \
        return BLAS_DO(work, sizeof(real),                                                         \
                       (struct matrices){alpha, beta, #name "_", .half = half, .op = op, .n = n,   \
                                         .k = k, .a = a, .lda = lda, .c = c, .ldc = ldc,           \
                                         .element = sizeof(type), .alpha_bytes = sizeof(real),     \
                                         .beta_bytes = sizeof(real)});                             \
    }
#define SYRK(work, Name, name, type, real) BLAS_BOTH(SYRK_OF, work, Name, name, type, real)
SYRK(syrk, Ssyrk, ssyrk, float, float)
SYRK(syrk, Dsyrk, dsyrk, double, double)
SYRK(syrk_of_complex, Csyrk, csyrk, complex_float, complex_float)
SYRK(syrk_of_complex, Zsyrk, zsyrk, complex_double, complex_double)
SYRK(syrk_of_complex, Cherk, cherk, complex_float, float)
SYRK(syrk_of_complex, Zherk, zherk, complex_double, double)

#define SYR2K_OF(size, suffix, work, Name, name, type, real)                                       \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, int op, size n, size k, const type *alpha, const type *a,          \
        size lda, const type *b, size ldb, const real *beta, type *c, size ldc) {                  \
        static const char none = 0; /* NULL would have it be syrk */                               \
        return BLAS_DO(                                                                            \
            work, LIB_SCALARS(sizeof(type), sizeof(real)),                                         \
            (struct matrices){alpha, beta, #name "_", .half = half, .op = op, .n = n, .k = k,      \
                              .a = a, .lda = lda, .b = b ? (const void *)b : &none, .ldb = ldb,    \
                              .c = c, .ldc = ldc, .element = sizeof(type),                         \
                              .alpha_bytes = sizeof(type), .beta_bytes = sizeof(real)});           \
    }
#define SYR2K(work, Name, name, type, real) BLAS_BOTH(SYR2K_OF, work, Name, name, type, real)
SYR2K(syrk, Ssyr2k, ssyr2k, float, float)
SYR2K(syrk, Dsyr2k, dsyr2k, double, double)
SYR2K(syrk_of_complex, Csyr2k, csyr2k, complex_float, complex_float)
SYR2K(syrk_of_complex, Zsyr2k, zsyr2k, complex_double, complex_double)
SYR2K(syrk_of_complex, Cher2k, cher2k, complex_float, float)
SYR2K(syrk_of_complex, Zher2k, zher2k, complex_double, double)

// The same of types that are told, of which only those of the function's name are there.
static void syrk_of_told(struct lib_call *call, const void *arguments) {
    const struct matrices *p = arguments;
    if (p->side != p->diagonal || p->side != GEMM_C32) {
        lib_refuse(call, "with these types of data");
        return;
    }
    struct matrices same = *p;
    same.side = same.diagonal = 0;
    syrk_of_complex(call, &same);
}

#define SYRK_EX_OF(size, suffix, Name, name, real)                                                 \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, int op, size n, size k, const real *alpha, const void *a,          \
        int a_type, size lda, const real *beta, void *c, int c_type, size ldc) {                   \
        return BLAS_DO(                                                                            \
            syrk_of_told, sizeof(real),                                                            \
            (struct matrices){alpha, beta, #name "_", .side = a_type, .diagonal = c_type,          \
                              .half = half, .op = op, .n = n, .k = k, .a = a, .lda = lda, .c = c,  \
                              .ldc = ldc, .element = sizeof(complex_float),                        \
                              .alpha_bytes = sizeof(real), .beta_bytes = sizeof(real)});           \
    }
BLAS_BOTH_NEW(SYRK_EX_OF, CsyrkEx, csyrk, complex_float)
BLAS_BOTH_NEW(SYRK_EX_OF, Csyrk3mEx, csyrk, complex_float)
BLAS_BOTH_NEW(SYRK_EX_OF, CherkEx, cherk, float)
BLAS_BOTH_NEW(SYRK_EX_OF, Cherk3mEx, cherk, float)
