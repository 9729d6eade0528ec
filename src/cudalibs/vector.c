// Level 1: vectors. X is the letter of cuBLAS and x that of Fortran.
#include "cudalibs/blas.h"

struct vectors {
    const void *alpha, *beta;
    const char *name; // of the backend's function
    int64_t n;
    void *x;
    int64_t incx;
    void *y;
    int64_t incy;
    size_t element, scalar;
    void *result;
};

static bool is_small(struct lib_call *call, const struct vectors *v) {
    return blas_is_small(call, v->n) && blas_is_small(call, v->incx) &&
           blas_is_small(call, v->incy);
}

static bool has_both(struct lib_call *call, const struct vectors *v, bool x_is_written,
                     bool y_is_written) {
    return is_small(call, v) &&
           lib_has_vector(call, "x", v->x, v->n, v->incx, v->element, x_is_written) &&
           lib_has_vector(call, "y", v->y, v->n, v->incy, v->element, y_is_written) && v->n > 0;
}

#define SIZES const int n = (int)v->n, incx = (int)v->incx, incy = (int)v->incy

static void axpy(struct lib_call *call, const void *arguments) {
    const struct vectors *v = arguments;
    void (*work)(const int *, const void *, const void *, const int *, void *, const int *);
    SIZES;
    if (blas_has_scalar(call, "alpha", v->alpha, v->scalar) && has_both(call, v, false, true) &&
        BLAS_FIND(v->name, work))
        work(&n, v->alpha, v->x, &incx, v->y, &incy);
}

// copy, and swap, which writes both.
static void move(struct lib_call *call, const struct vectors *v, bool is_swap) {
    void (*work)(const int *, void *, const int *, void *, const int *);
    SIZES;
    if (has_both(call, v, is_swap, true) && BLAS_FIND(v->name, work))
        work(&n, v->x, &incx, v->y, &incy);
}

static void copy(struct lib_call *call, const void *arguments) {
    move(call, arguments, false);
}

static void swap(struct lib_call *call, const void *arguments) {
    move(call, arguments, true);
}

static void scal(struct lib_call *call, const void *arguments) {
    const struct vectors *v = arguments;
    void (*work)(const int *, const void *, void *, const int *);
    const int n = (int)v->n, incx = (int)v->incx;
    if (blas_has_scalar(call, "alpha", v->alpha, v->scalar) && is_small(call, v) && v->incx > 0 &&
        lib_has_vector(call, "x", v->x, v->n, v->incx, v->element, true) && v->n > 0 &&
        BLAS_FIND(v->name, work))
        work(&n, v->alpha, v->x, &incx);
}

#define MOVES_OF(size, suffix, X, x, type)                                                         \
    CUDA_API enum lib_status cublas##X##axpy##suffix(void *handle, size n, const type *alpha,      \
                                                     type *vx, size incx, type *vy, size incy) {   \
        return BLAS_DO(axpy, sizeof(type),                                                         \
                       (struct vectors){alpha, NULL, #x "axpy_", n, vx, incx, vy, incy,            \
                                        sizeof(type), sizeof(type), NULL});                        \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##copy##suffix(void *handle, size n, type *vx, size incx,    \
                                                     type *vy, size incy) {                        \
        return BLAS_DO(copy, 0,                                                                    \
                       (struct vectors){NULL, NULL, #x "copy_", n, vx, incx, vy, incy,             \
                                        sizeof(type), 0, NULL});                                   \
    }                                                                                              \
    CUDA_API enum lib_status cublas##X##swap##suffix(void *handle, size n, type *vx, size incx,    \
                                                     type *vy, size incy) {                        \
        return BLAS_DO(swap, 0,                                                                    \
                       (struct vectors){NULL, NULL, #x "swap_", n, vx, incx, vy, incy,             \
                                        sizeof(type), 0, NULL});                                   \
    }
#define MOVES(X, x, type) BLAS_BOTH(MOVES_OF, X, x, type)
MOVES(S, s, float)
MOVES(D, d, double)
MOVES(C, c, complex_float)
MOVES(Z, z, complex_double)

#define SCAL_OF(size, suffix, Name, name, type, real)                                              \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size n, const real *alpha,         \
                                                  type *vx, size incx) {                           \
        return BLAS_DO(scal, sizeof(real),                                                         \
                       (struct vectors){alpha, NULL, #name "_", n, vx, incx, NULL, 1,              \
                                        sizeof(type), sizeof(real), NULL});                        \
    }
#define SCAL(Name, name, type, real) BLAS_BOTH(SCAL_OF, Name, name, type, real)
SCAL(Sscal, sscal, float, float)
SCAL(Dscal, dscal, double, double)
SCAL(Cscal, cscal, complex_float, complex_float)
SCAL(Zscal, zscal, complex_double, complex_double)
SCAL(Csscal, csscal, complex_float, float)
SCAL(Zdscal, zdscal, complex_double, double)

// ---- One number of them -------------------------------------------------------------------------

#define DOT(l, type)                                                                               \
    static void dot_##l(struct lib_call *call, const void *arguments) {                            \
        const struct vectors *v = arguments;                                                       \
        type (*work)(const int *, const void *, const int *, const void *, const int *),           \
            value = 0;                                                                             \
        SIZES;                                                                                     \
        if (!blas_takes(call, "result", v->result, sizeof value))                                  \
            return;                                                                                \
        if (has_both(call, v, false, false) && BLAS_FIND(v->name, work))                           \
            value = work(&n, v->x, &incx, v->y, &incy);                                            \
        if (call->status == LIB_SUCCESS && !call->is_dry)                                          \
            blas_give(call, v->result, &value, sizeof value);                                      \
    }
DOT(s, float)
DOT(d, double)

// Fortran's functions of complex numbers return them in ways that compilers do not agree on: this
// is not asked of the backend. One float after the other would be less exact than a GPU's sums.
#define COMPLEX_DOT(l, type, part)                                                                 \
    static void dot_##l(struct lib_call *call, const void *arguments) {                            \
        const struct vectors *v = arguments;                                                       \
        const double sign = v->scalar ? -1 : 1; /* of x's imaginary part */                        \
        complex_double sum = {0, 0};                                                               \
        type value;                                                                                \
        if (!blas_takes(call, "result", v->result, sizeof value))                                  \
            return;                                                                                \
        bool is_ready = has_both(call, v, false, false);                                           \
        for (int64_t i = 0; is_ready && i < v->n; i++) {                                           \
            const type *a = (const type *)v->x + (v->incx < 0 ? i - v->n + 1 : i) * v->incx;       \
            const type *b = (const type *)v->y + (v->incy < 0 ? i - v->n + 1 : i) * v->incy;       \
            sum.re += (double)a->re * b->re - sign * a->im * b->im;                                \
            sum.im += (double)a->re * b->im + sign * a->im * b->re;                                \
        }                                                                                          \
        value.re = (part)sum.re, value.im = (part)sum.im;                                          \
        if (call->status == LIB_SUCCESS && !call->is_dry)                                          \
            blas_give(call, v->result, &value, sizeof value);                                      \
    }
COMPLEX_DOT(c, complex_float, float)
COMPLEX_DOT(z, complex_double, double)

#define DOT_OF(size, suffix, Name, name, x, type, conjugates)                                      \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size n, type *vx, size incx,       \
                                                  type *vy, size incy, type *result) {             \
        return BLAS_DO(dot_##x, 0,                                                                 \
                       (struct vectors){NULL, NULL, #name "_", n, vx, incx, vy, incy,              \
                                        sizeof(type), conjugates, result});                        \
    }
#define DOTS(Name, name, x, type, conjugates) BLAS_BOTH(DOT_OF, Name, name, x, type, conjugates)
DOTS(Sdot, sdot, s, float, 0)
DOTS(Ddot, ddot, d, double, 0)
DOTS(Cdotu, cdotu, c, complex_float, 0)
DOTS(Cdotc, cdotc, c, complex_float, 1)
DOTS(Zdotu, zdotu, z, complex_double, 0)
DOTS(Zdotc, zdotc, z, complex_double, 1)

// Norms, sums of sizes, and where the largest is, counted from 1. Of nothing it is 0.
#define ONE_VECTOR(function, type, answer, given)                                                  \
    static void function(struct lib_call *call, const void *arguments) {                           \
        const struct vectors *v = arguments;                                                       \
        answer (*work)(const int *, const void *, const int *), value = 0;                         \
        const int n = (int)v->n, incx = (int)v->incx;                                              \
        bool is_long = v->scalar == sizeof(int64_t); /* an index of 64 bits */                     \
        if (!blas_takes(call, "result", v->result, is_long ? 8 : sizeof(given)) ||                 \
            !is_small(call, v) ||                                                                  \
            !lib_has_vector(call, "x", v->x, incx > 0 ? n : 0, incx, sizeof(type), false) ||       \
            call->is_dry)                                                                          \
            return;                                                                                \
        if (n > 0 && incx > 0) {                                                                   \
            if (!BLAS_FIND(v->name, work))                                                         \
                return;                                                                            \
            value = work(&n, v->x, &incx);                                                         \
        }                                                                                          \
        const int64_t wide = (int64_t)value;                                                       \
        if (is_long)                                                                               \
            blas_give(call, v->result, &wide, sizeof wide);                                        \
        else                                                                                       \
            blas_give(call, v->result, &value, sizeof value);                                      \
    }
#define ONE_OF(size, suffix, Name, name, type, given, index)                                       \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size n, type *vx, size incx,       \
                                                  given *result) {                                 \
        return BLAS_DO(name, 0,                                                                    \
                       (struct vectors){NULL, NULL, #name "_", n, vx, incx, NULL, 1, sizeof(type), \
                                        index(size), result});                                     \
    }
#define NO_INDEX(size) 0
#define INDEX(size) (sizeof(size) == 8 ? 8 : 0)
#define NORM(Name, name, type, answer)                                                             \
    ONE_VECTOR(name, type, answer, answer)                                                         \
    BLAS_BOTH(ONE_OF, Name, name, type, answer, NO_INDEX)
#define LARGEST(Name, name, type)                                                                  \
    ONE_VECTOR(name, type, int, int)                                                               \
    ONE_OF(int, _v2, Name, name, type, int, INDEX)                                                 \
    ONE_OF(int64_t, _v2_64, Name, name, type, int64_t, INDEX)

NORM(Snrm2, snrm2, float, float)
NORM(Dnrm2, dnrm2, double, double)
NORM(Scnrm2, scnrm2, complex_float, float)
NORM(Dznrm2, dznrm2, complex_double, double)
NORM(Sasum, sasum, float, float)
NORM(Dasum, dasum, double, double)
NORM(Scasum, scasum, complex_float, float)
NORM(Dzasum, dzasum, complex_double, double)
LARGEST(Isamax, isamax, float)
LARGEST(Idamax, idamax, double)
LARGEST(Icamax, icamax, complex_float)
LARGEST(Izamax, izamax, complex_double)
LARGEST(Isamin, isamin, float)
LARGEST(Idamin, idamin, double)
LARGEST(Icamin, icamin, complex_float)
LARGEST(Izamin, izamin, complex_double)
