#include "cudalibs/matrix.h"

static bool is_choice(struct lib_call *call, int value, int count) {
    return lib_require(call, value >= 0 && value < count);
}

bool matrix_is_pitch(struct lib_call *call, int64_t pitch, int64_t rows) {
    return lib_require(call, pitch >= (rows > 1 ? rows : 1)) && blas_is_small(call, pitch);
}

bool matrices_are_good(struct lib_call *call, const struct matrices *all) {
    return is_choice(call, all->side, 2) && is_choice(call, all->half, 2) &&
           is_choice(call, all->op, 3) && is_choice(call, all->diagonal, 2) &&
           lib_require(call, all->m >= 0 && all->n >= 0 && all->k >= 0) &&
           blas_is_small(call, all->m) && blas_is_small(call, all->n) &&
           blas_is_small(call, all->k) && blas_is_small(call, all->ldb) &&
           blas_is_small(call, all->ldc) &&
           (!all->alpha_bytes || blas_has_scalar(call, "alpha", all->alpha, all->alpha_bytes)) &&
           (!all->beta_bytes || blas_has_scalar(call, "beta", all->beta, all->beta_bytes));
}

bool matrix_has_half(struct lib_call *call, const char *what, void *at, int half, int64_t n,
                     int64_t pitch, size_t element) {
    if (!lib_has_matrix(call, what, at, n, n, pitch, element, false))
        return false;
    for (int64_t j = 0; j < n; j++) { // the other half stays what it was
        int64_t first = half == BLAS_LOWER ? j : 0, count = half == BLAS_LOWER ? n - j : j + 1;
        const char *from = (const char *)at + (size_t)(j * pitch + first) * element;
        if (!lib_has_vector(call, what, from, count, 1, element, true))
            return false;
    }
    return true;
}
