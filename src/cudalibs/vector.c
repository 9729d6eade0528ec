// Level 1: vectors. X is the letter of cuBLAS and x that of Fortran.
#include "cudalibs/backend.h"
#include "cudalibs/blas.h"

// Sets a function pointer to the backend's; where it has none the call is refused.
static bool find(struct blas_call *call, const char *name, void *function, size_t bytes) {
    void *address = backend_find(name);
    if (!address)
        blas_refuse(call, "by " BACKEND_LIBRARY);
    __builtin_memcpy(function, &address, bytes);
    return address != NULL;
}
#define FIND(call, name, function) find(call, name, &(function), sizeof(function))

#define VECTORS(type, n, x, incx, x_written, y, incy, y_written)                                   \
    (blas_has_vector(call, "x", x, n, incx, sizeof(type), x_written) &&                            \
     blas_has_vector(call, "y", y, n, incy, sizeof(type), y_written))

#define TWO_VECTORS(X, x, type)                                                                    \
    static void axpy_##x(struct blas_call *call, const int *n, const type *alpha, const type *vx,  \
                         const int *incx, type *vy, const int *incy) {                             \
        void (*work)(const int *, const type *, const type *, const int *, type *, const int *);   \
        if (blas_has_scalar(call, "alpha", alpha, sizeof *alpha) &&                                \
            VECTORS(type, *n, vx, *incx, false, vy, *incy, true) && FIND(call, #x "axpy_", work))  \
            work(n, alpha, vx, incx, vy, incy);                                                    \
    }                                                                                              \
    static void copy_##x(struct blas_call *call, const int *n, const type *vx, const int *incx,    \
                         type *vy, const int *incy) {                                              \
        void (*work)(const int *, const type *, const int *, type *, const int *);                 \
        if (VECTORS(type, *n, vx, *incx, false, vy, *incy, true) && FIND(call, #x "copy_", work))  \
            work(n, vx, incx, vy, incy);                                                           \
    }                                                                                              \
    static void swap_##x(struct blas_call *call, const int *n, type *vx, const int *incx,          \
                         type *vy, const int *incy) {                                              \
        void (*work)(const int *, type *, const int *, type *, const int *);                       \
        if (VECTORS(type, *n, vx, *incx, true, vy, *incy, true) && FIND(call, #x "swap_", work))   \
            work(n, vx, incx, vy, incy);                                                           \
    }                                                                                              \
    static void scal_##x(struct blas_call *call, const int *n, const type *alpha, type *vx,        \
                         const int *incx) {                                                        \
        void (*work)(const int *, const type *, type *, const int *);                              \
        if (blas_has_scalar(call, "alpha", alpha, sizeof *alpha) && *incx > 0 &&                   \
            blas_has_vector(call, "x", vx, *n, *incx, sizeof(type), true) &&                       \
            FIND(call, #x "scal_", work))                                                          \
            work(n, alpha, vx, incx);                                                              \
    }                                                                                              \
    BLAS_CALL(cublas##X##axpy_v2(void *handle, int n, const type *alpha, const type *vx, int incx, \
                                 type *vy, int incy),                                              \
              axpy_##x(call, &n, alpha, vx, &incx, vy, &incy))                                     \
    BLAS_CALL(                                                                                     \
        cublas##X##copy_v2(void *handle, int n, const type *vx, int incx, type *vy, int incy),     \
        copy_##x(call, &n, vx, &incx, vy, &incy))                                                  \
    BLAS_CALL(cublas##X##swap_v2(void *handle, int n, type *vx, int incx, type *vy, int incy),     \
              swap_##x(call, &n, vx, &incx, vy, &incy))                                            \
    BLAS_CALL(cublas##X##scal_v2(void *handle, int n, const type *alpha, type *vx, int incx),      \
              scal_##x(call, &n, alpha, vx, &incx))

TWO_VECTORS(S, s, float)
TWO_VECTORS(D, d, double)
TWO_VECTORS(C, c, complex_float)
TWO_VECTORS(Z, z, complex_double)

#define DOT(X, x, type)                                                                            \
    static void dot_##x(struct blas_call *call, const int *n, const type *vx, const int *incx,     \
                        const type *vy, const int *incy, type *result) {                           \
        type (*work)(const int *, const type *, const int *, const type *, const int *);           \
        if (VECTORS(type, *n, vx, *incx, false, vy, *incy, false) &&                               \
            FIND(call, #x "dot_", work)) {                                                         \
            type value = work(n, vx, incx, vy, incy);                                              \
            blas_give(call, "result", result, &value, sizeof value);                               \
        }                                                                                          \
    }                                                                                              \
    BLAS_CALL(cublas##X##dot_v2(void *handle, int n, const type *vx, int incx, const type *vy,     \
                                int incy, type *result),                                           \
              dot_##x(call, &n, vx, &incx, vy, &incy, result))

DOT(S, s, float)
DOT(D, d, double)

// One vector gives one number: norms, sums of sizes, and where the largest is, counted from 1. Of
// nothing it is 0.
#define ONE_VECTOR(Name, name, type, answer)                                                       \
    static void work_##name(struct blas_call *call, const int *n, const type *vx, const int *incx, \
                            answer *result) {                                                      \
        answer (*work)(const int *, const type *, const int *), value = 0;                         \
        if (!blas_has_vector(call, "x", vx, *incx > 0 ? *n : 0, *incx, sizeof(type), false))       \
            return;                                                                                \
        if (*n > 0 && *incx > 0) {                                                                 \
            if (!FIND(call, #name "_", work))                                                      \
                return;                                                                            \
            value = work(n, vx, incx);                                                             \
        }                                                                                          \
        blas_give(call, "result", result, &value, sizeof value);                                   \
    }                                                                                              \
    BLAS_CALL(cublas##Name##_v2(void *handle, int n, const type *vx, int incx, answer *result),    \
              work_##name(call, &n, vx, &incx, result))

ONE_VECTOR(Snrm2, snrm2, float, float)
ONE_VECTOR(Dnrm2, dnrm2, double, double)
ONE_VECTOR(Scnrm2, scnrm2, complex_float, float)
ONE_VECTOR(Dznrm2, dznrm2, complex_double, double)
ONE_VECTOR(Sasum, sasum, float, float)
ONE_VECTOR(Dasum, dasum, double, double)
ONE_VECTOR(Scasum, scasum, complex_float, float)
ONE_VECTOR(Dzasum, dzasum, complex_double, double)
ONE_VECTOR(Isamax, isamax, float, int)
ONE_VECTOR(Idamax, idamax, double, int)
ONE_VECTOR(Icamax, icamax, complex_float, int)
ONE_VECTOR(Izamax, izamax, complex_double, int)
ONE_VECTOR(Isamin, isamin, float, int)
ONE_VECTOR(Idamin, idamin, double, int)
ONE_VECTOR(Icamin, icamin, complex_float, int)
ONE_VECTOR(Izamin, izamin, complex_double, int)
