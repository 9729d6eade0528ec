// cuBLAS and cuBLASLt as programs see them; a BLAS of the host does the work (backend.h).
#ifndef BANKRUN_CUDALIBS_BLAS_H
#define BANKRUN_CUDALIBS_BLAS_H

#include "cudalibs/call.h"

// cuComplex and cuDoubleComplex.
typedef struct {
    float re, im;
} complex_float;
typedef struct {
    double re, im;
} complex_double;

enum { BLAS_N, BLAS_T, BLAS_C };   // what is done to a matrix first
enum { BLAS_LEFT, BLAS_RIGHT };    // on which side it stands
enum { BLAS_LOWER, BLAS_UPPER };   // which half of it counts
enum { BLAS_NON_UNIT, BLAS_UNIT }; // its diagonal
enum { BLAS_VERSION = 120100 };    // what cublasGetVersion says: JAX takes none that is older

// A cublasHandle_t, which is a cublasLtHandle_t, too.
struct blas_handle {
    struct lib_handle base;
    int math_mode, atomics, multiprocessors;
};

// A scalar is where the handle says.
bool blas_has_scalar(struct lib_call *call, const char *what, const void *scalar, size_t bytes);
// A result can go where the handle says: false where it cannot, as in a graph's node where that is
// the host. Before the work.
bool blas_takes(struct lib_call *call, const char *what, void *to, size_t bytes);
// Puts it there.
void blas_give(struct lib_call *call, void *to, const void *value, size_t bytes);
// It was put there by the backend: on the device.
void blas_was_given(struct lib_call *call, const void *to, size_t bytes);
// A number that a BLAS of the host takes.
bool blas_is_small(struct lib_call *call, int64_t number);
// The backend's function. NULL: it has none, and the call is refused.
void *blas_find(struct lib_call *call, const char *name);
#define BLAS_FIND(name, function) blas_find_function(call, name, &(function), sizeof(function))
bool blas_find_function(struct lib_call *call, const char *name, void *function, size_t bytes);

// Both names of a function: NAME(of int, suffix) and NAME(of int64_t, suffix).
#define BLAS_BOTH(NAME, ...) NAME(int, _v2, __VA_ARGS__) NAME(int64_t, _v2_64, __VA_ARGS__)
// Those that came later have no _v2.
#define BLAS_BOTH_NEW(NAME, ...) NAME(int, , __VA_ARGS__) NAME(int64_t, _64, __VA_ARGS__)

#define BLAS_DO(work, scalar, ...)                                                                 \
    lib_do(LIB_BLAS, handle, __func__, work, &(__VA_ARGS__), sizeof(__VA_ARGS__), scalar)

#endif
