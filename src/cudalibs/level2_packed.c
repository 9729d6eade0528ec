// Level 2 of matrices of which only a band, or a packed half, is kept. X is the letter of cuBLAS, x
// that of Fortran.
#include "cudalibs/matrix.h"

struct band {
    struct matrices m;    // A, x as B and y as C; of packed updates: x as A, y as B, A as C
    int64_t below, above; // diagonals
};

static bool has_scalars_and_steps(struct lib_call *call, const struct band *p, bool has_y) {
    return matrices_are_good(call, &p->m) && lib_require(call, p->below >= 0 && p->above >= 0) &&
           blas_is_small(call, p->below) && blas_is_small(call, p->above) &&
           lib_require(call, p->m.ldb && (p->m.ldc || !has_y));
}

static bool has_band(struct lib_call *call, const struct band *p) {
    const int64_t rows = p->below + p->above + 1;
    return matrix_is_pitch(call, p->m.lda, rows) &&
           lib_has_matrix(call, "A", p->m.a, rows, p->m.n, p->m.lda, p->m.element, false);
}

static bool has_packed(struct lib_call *call, const struct band *p, const void *at,
                       bool is_written) {
    return lib_has_vector(call, "AP", at, p->m.n * (p->m.n + 1) / 2, 1, p->m.element, is_written);
}

static bool has_vectors(struct lib_call *call, const struct band *p, int64_t from, int64_t to) {
    return lib_has_vector(call, "x", p->m.b, from, p->m.ldb, p->m.element, false) &&
           lib_has_vector(call, "y", p->m.c, to, p->m.ldc, p->m.element, true);
}

// ---- A matrix and a vector ----------------------------------------------------------------------

static void gbmv(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    const int64_t from = q->op == BLAS_N ? q->n : q->m, to = q->op == BLAS_N ? q->m : q->n;
    const int below = (int)p->below, above = (int)p->above;
    void (*work)(const char *, const int *, const int *, const int *, const int *, const void *,
                 const void *, const int *, const void *, const int *, const void *, void *,
                 const int *, size_t);
    INTS(q);
    if (has_scalars_and_steps(call, p, true) && has_band(call, p) && m && n &&
        has_vectors(call, p, from, to) && BLAS_FIND(q->name, work))
        work(&blas_ops[q->op], &m, &n, &below, &above, q->alpha, q->a, &lda, q->b, &ldb, q->beta,
             q->c, &ldc, 1);
}

static void sbmv(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    const int below = (int)p->below;
    void (*work)(const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, const int *, const void *, void *, const int *, size_t);
    INTS(q);
    if (has_scalars_and_steps(call, p, true) && has_band(call, p) && n &&
        has_vectors(call, p, q->n, q->n) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, &below, q->alpha, q->a, &lda, q->b, &ldb, q->beta, q->c,
             &ldc, 1);
}

static void spmv(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    void (*work)(const char *, const int *, const void *, const void *, const void *, const int *,
                 const void *, void *, const int *, size_t);
    INTS(q);
    if (has_scalars_and_steps(call, p, true) && has_packed(call, p, q->a, false) && n &&
        has_vectors(call, p, q->n, q->n) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, q->alpha, q->a, q->b, &ldb, q->beta, q->c, &ldc, 1);
}

static bool has_x(struct lib_call *call, const struct matrices *q) {
    return lib_has_vector(call, "x", q->c, q->n, q->ldb, q->element, true);
}

static void tbmv(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    const int below = (int)p->below;
    void (*work)(const char *, const char *, const char *, const int *, const int *, const void *,
                 const int *, void *, const int *, size_t, size_t, size_t);
    INTS(q);
    if (has_scalars_and_steps(call, p, false) && has_band(call, p) && n && has_x(call, q) &&
        BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &blas_ops[q->op], &blas_diagonals[q->diagonal], &n, &below,
             q->a, &lda, q->c, &ldb, 1, 1, 1);
}

static void tpmv(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    void (*work)(const char *, const char *, const char *, const int *, const void *, void *,
                 const int *, size_t, size_t, size_t);
    INTS(q);
    if (has_scalars_and_steps(call, p, false) && has_packed(call, p, q->a, false) && n &&
        has_x(call, q) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &blas_ops[q->op], &blas_diagonals[q->diagonal], &n, q->a, q->c,
             &ldb, 1, 1, 1);
}

#define SIZES_OF(type)                                                                             \
    .element = sizeof(type), .alpha_bytes = sizeof(type), .beta_bytes = sizeof(type)
#define GBMV_OF(size, suffix, X, x, type)                                                          \
    CUDA_API enum lib_status cublas##X##gbmv##suffix(                                              \
        void *handle, int op, size m, size n, size below, size above, const type *alpha,           \
        const type *a, size lda, const type *vx, size incx, const type *beta, type *vy,            \
        size incy) {                                                                               \
        return BLAS_DO(                                                                            \
            gbmv, sizeof(type),                                                                    \
            (struct band){{alpha, beta, #x "gbmv_", .op = op, .m = m, .n = n, .a = a, .lda = lda,  \
                           .b = vx, .ldb = incx, .c = vy, .ldc = incy, SIZES_OF(type)},            \
                          below,                                                                   \
                          above});                                                                 \
    }
#define SBMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, size n, size k, const type *alpha, const type *a, size lda,        \
        const type *vx, size incx, const type *beta, type *vy, size incy) {                        \
        return BLAS_DO(                                                                            \
            sbmv, sizeof(type),                                                                    \
            (struct band){{alpha, beta, #name "_", .half = half, .n = n, .a = a, .lda = lda,       \
                           .b = vx, .ldb = incx, .c = vy, .ldc = incy, SIZES_OF(type)},            \
                          k,                                                                       \
                          0});                                                                     \
    }
#define SPMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, size n, const type *alpha, const type *a, const type *vx,          \
        size incx, const type *beta, type *vy, size incy) {                                        \
        return BLAS_DO(spmv, sizeof(type),                                                         \
                       (struct band){{alpha, beta, #name "_", .half = half, .n = n, .a = a,        \
                                      .b = vx, .ldb = incx, .c = vy, .ldc = incy, SIZES_OF(type)}, \
                                     0,                                                            \
                                     0});                                                          \
    }
#define TBMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, int op, int diagonal,    \
                                                  size n, size k, const type *a, size lda,         \
                                                  type *vx, size incx) {                           \
        return BLAS_DO(tbmv, 0,                                                                    \
                       (struct band){{NULL, NULL, #name "_", .half = half, .op = op,               \
                                      .diagonal = diagonal, .n = n, .a = a, .lda = lda, .c = vx,   \
                                      .ldb = incx, .element = sizeof(type)},                       \
                                     k,                                                            \
                                     0});                                                          \
    }
#define TPMV_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, int op, int diagonal,    \
                                                  size n, const type *a, type *vx, size incx) {    \
        return BLAS_DO(                                                                            \
            tpmv, 0,                                                                               \
            (struct band){{NULL, NULL, #name "_", .half = half, .op = op, .diagonal = diagonal,    \
                           .n = n, .a = a, .c = vx, .ldb = incx, .element = sizeof(type)},         \
                          0,                                                                       \
                          0});                                                                     \
    }
#define VECTORS(X, x, type)                                                                        \
    BLAS_BOTH(GBMV_OF, X, x, type)                                                                 \
    BLAS_BOTH(TBMV_OF, X##tbmv, x##tbmv, type)                                                     \
    BLAS_BOTH(TBMV_OF, X##tbsv, x##tbsv, type)                                                     \
    BLAS_BOTH(TPMV_OF, X##tpmv, x##tpmv, type)                                                     \
    BLAS_BOTH(TPMV_OF, X##tpsv, x##tpsv, type)
VECTORS(S, s, float)
VECTORS(D, d, double)
VECTORS(C, c, complex_float)
VECTORS(Z, z, complex_double)
BLAS_BOTH(SBMV_OF, Ssbmv, ssbmv, float)
BLAS_BOTH(SBMV_OF, Dsbmv, dsbmv, double)
BLAS_BOTH(SBMV_OF, Chbmv, chbmv, complex_float)
BLAS_BOTH(SBMV_OF, Zhbmv, zhbmv, complex_double)
BLAS_BOTH(SPMV_OF, Sspmv, sspmv, float)
BLAS_BOTH(SPMV_OF, Dspmv, dspmv, double)
BLAS_BOTH(SPMV_OF, Chpmv, chpmv, complex_float)
BLAS_BOTH(SPMV_OF, Zhpmv, zhpmv, complex_double)

// ---- Updates ------------------------------------------------------------------------------------

static void spr(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    void (*work)(const char *, const int *, const void *, const void *, const int *, void *,
                 size_t);
    const int n = (int)q->n, incx = (int)q->lda;
    if (matrices_are_good(call, q) && lib_require(call, q->lda != 0) && n &&
        blas_is_small(call, q->lda) &&
        lib_has_vector(call, "x", q->a, q->n, q->lda, q->element, false) &&
        has_packed(call, p, q->c, true) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, q->alpha, q->a, &incx, q->c, 1);
}

static void spr2(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    void (*work)(const char *, const int *, const void *, const void *, const int *, const void *,
                 const int *, void *, size_t);
    const int n = (int)q->n, incx = (int)q->lda, incy = (int)q->ldb;
    if (matrices_are_good(call, q) && lib_require(call, q->lda && q->ldb) && n &&
        blas_is_small(call, q->lda) &&
        lib_has_vector(call, "x", q->a, q->n, q->lda, q->element, false) &&
        lib_has_vector(call, "y", q->b, q->n, q->ldb, q->element, false) &&
        has_packed(call, p, q->c, true) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, q->alpha, q->a, &incx, q->b, &incy, q->c, 1);
}

#define SPR_OF(size, suffix, Name, name, type, real)                                               \
    CUDA_API enum lib_status cublas##Name##suffix(                                                 \
        void *handle, int half, size n, const real *alpha, const type *vx, size incx, type *a) {   \
        return BLAS_DO(                                                                            \
            spr, sizeof(real),                                                                     \
            (struct band){{alpha, NULL, #name "_", .half = half, .n = n, .a = vx, .lda = incx,     \
                           .c = a, .element = sizeof(type), .alpha_bytes = sizeof(real)},          \
                          0,                                                                       \
                          0});                                                                     \
    }
#define SPR2_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, int half, size n,                  \
                                                  const type *alpha, const type *vx, size incx,    \
                                                  const type *vy, size incy, type *a) {            \
        return BLAS_DO(spr2, sizeof(type),                                                         \
                       (struct band){{alpha, NULL, #name "_", .half = half, .n = n, .a = vx,       \
                                      .lda = incx, .b = vy, .ldb = incy, .c = a,                   \
                                      .element = sizeof(type), .alpha_bytes = sizeof(type)},       \
                                     0,                                                            \
                                     0});                                                          \
    }
BLAS_BOTH(SPR_OF, Sspr, sspr, float, float)
BLAS_BOTH(SPR_OF, Dspr, dspr, double, double)
BLAS_BOTH(SPR_OF, Chpr, chpr, complex_float, float)
BLAS_BOTH(SPR_OF, Zhpr, zhpr, complex_double, double)
BLAS_BOTH(SPR2_OF, Sspr2, sspr2, float)
BLAS_BOTH(SPR2_OF, Dspr2, dspr2, double)
BLAS_BOTH(SPR2_OF, Chpr2, chpr2, complex_float)
BLAS_BOTH(SPR2_OF, Zhpr2, zhpr2, complex_double)

// ---- Packed and not -----------------------------------------------------------------------------

typedef void (*packing)(const char *, const int *, const void *, const int *, void *, int *,
                        size_t);
typedef void (*unpacking)(const char *, const int *, const void *, void *, const int *, int *,
                          size_t);

static void pack(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    const int n = (int)q->n, lda = (int)q->lda;
    int info;
    packing work;
    if (matrices_are_good(call, q) && matrix_is_pitch(call, q->lda, q->n) && n &&
        lib_has_matrix(call, "A", q->a, q->n, q->n, q->lda, q->element, false) &&
        has_packed(call, p, q->c, true) && BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, q->a, &lda, q->c, &info, 1);
}

static void unpack(struct lib_call *call, const void *arguments) {
    const struct band *p = arguments;
    const struct matrices *q = &p->m;
    const int n = (int)q->n, lda = (int)q->lda;
    int info;
    unpacking work;
    if (matrices_are_good(call, q) && matrix_is_pitch(call, q->lda, q->n) && n &&
        has_packed(call, p, q->a, false) &&
        matrix_has_half(call, "A", q->c, q->half, q->n, q->lda, q->element) &&
        BLAS_FIND(q->name, work))
        work(&blas_halves[q->half], &n, q->a, q->c, &lda, &info, 1);
}

#define PACK(X, x, type)                                                                           \
    CUDA_API enum lib_status cublas##X##trttp(void *handle, int half, int n, const type *a,        \
                                              int lda, type *packed) {                             \
        return BLAS_DO(pack, 0,                                                                    \
                       (struct band){{NULL, NULL, #x "trttp_", .half = half, .n = n, .a = a,       \
                                      .lda = lda, .c = packed, .element = sizeof(type)},           \
                                     0,                                                            \
                                     0});                                                          \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##tpttr(void *handle, int half, int n, const type *packed,   \
                                              type *a, int lda) {                                  \
        return BLAS_DO(unpack, 0,                                                                  \
                       (struct band){{NULL, NULL, #x "tpttr_", .half = half, .n = n, .a = packed,  \
                                      .lda = lda, .c = a, .element = sizeof(type)},                \
                                     0,                                                            \
                                     0});                                                          \
    }
PACK(S, s, float)
PACK(D, d, double)
PACK(C, c, complex_float)
PACK(Z, z, complex_double)
