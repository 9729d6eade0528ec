// What levels 2 and 3 share.
#ifndef BANKRUN_CUDALIBS_MATRIX_H
#define BANKRUN_CUDALIBS_MATRIX_H

#include "cudalibs/blas.h"

// Arguments of all their functions; what one does not have is 0.
struct matrices {
    const void *alpha, *beta;
    const char *name; // of the backend's function
    int side, half, op, diagonal;
    int64_t m, n, k;
    const void *a;
    int64_t lda;
    const void *b; // or x
    int64_t ldb;   // or incx
    void *c;       // or y
    int64_t ldc;   // or incy
    size_t element, alpha_bytes, beta_bytes;
};

static const char blas_ops[] = {'N', 'T', 'C'}, blas_halves[] = {'L', 'U'};
static const char blas_sides[] = {'L', 'R'}, blas_diagonals[] = {'N', 'U'};

// Choices, sizes and scalars; not pitches.
bool matrices_are_good(struct lib_call *call, const struct matrices *all);
// Functions of matrices that others do for each of a batch: trsm and trmm, and gemv.
void blas_triangle(struct lib_call *call, const void *arguments);
void blas_gemv(struct lib_call *call, const void *arguments);
// A pitch, for so many rows.
bool matrix_is_pitch(struct lib_call *call, int64_t pitch, int64_t rows);
// The half of a square that is read and written.
bool matrix_has_half(struct lib_call *call, const char *what, void *at, int half, int64_t n,
                     int64_t pitch, size_t element);

#define INTS(p)                                                                                    \
    const int m = (int)(p)->m, n = (int)(p)->n, k = (int)(p)->k, lda = (int)(p)->lda,              \
              ldb = (int)(p)->ldb, ldc = (int)(p)->ldc;                                            \
    (void)m, (void)n, (void)k, (void)lda, (void)ldb, (void)ldc

#endif
