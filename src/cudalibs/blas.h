// cuBLAS as programs see it, computed on the CPU: what `bankrun --libraries cpu` puts in the place
// of libcublas and libcublasLt. Matrices lie in the memory of the simulated devices, which is the
// host's; a BLAS of the host does the work (backend.h), and nothing of it is counted.
#ifndef BANKRUN_CUDALIBS_BLAS_H
#define BANKRUN_CUDALIBS_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/core/state.h"

// cuComplex and cuDoubleComplex.
typedef struct {
    float re, im;
} complex_float;
typedef struct {
    double re, im;
} complex_double;

enum blas_status {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_INTERNAL_ERROR = 14,
    BLAS_NOT_SUPPORTED = 15,
};

enum { BLAS_ON_HOST, BLAS_ON_DEVICE }; // where scalars are
enum { BLAS_N, BLAS_T, BLAS_C };       // what is done to a matrix first
enum { BLAS_LEFT, BLAS_RIGHT };        // on which side it stands
enum { BLAS_LOWER, BLAS_UPPER };       // which half of it counts
enum { BLAS_NON_UNIT, BLAS_UNIT };     // its diagonal
enum { BLAS_VERSION = 120000 };        // what cublasGetVersion says

// A cublasHandle_t, which is a cublasLtHandle_t, too.
struct blas_handle {
    struct cuda_handle handle;
    cuda_stream stream;
    int scalars; // BLAS_ON_HOST
    int math_mode, atomics, multiprocessors;
};

// ---- A call -----------------------------------------------------------------------------------
// begin, checks of what the program handed over, the work, end. After a check that failed nothing
// is computed.

struct blas_call {
    struct cuda_state *state;   // locked; NULL: a child of fork() that cannot use CUDA
    struct blas_handle *handle; // live
    const char *name;           // "cublasSgemm"
    char text[64];
    enum blas_status status;
    bool is_lost; // an earlier kernel faulted: nothing more is executed
};

// False: the status says why. In any case blas_end is to be called.
bool blas_begin(struct blas_call *call, void *handle, const char *function);
// Notes for the report that it was computed here, where it was.
enum blas_status blas_end(struct blas_call *call);

// False, and the call's status says so, where the condition does not hold.
bool blas_require(struct blas_call *call, bool is_good);
// Says that the call is not supported, and of what; the profile is incomplete.
void blas_refuse(struct blas_call *call, const char *what);
// Whether the device may use `bytes` from there on; 0 bytes always. A GPU would fault: so the
// device does.
bool blas_can_use(struct blas_call *call, const char *what, const void *from, size_t bytes,
                  bool is_written);
// A scalar is where the handle says.
bool blas_has_scalar(struct blas_call *call, const char *what, const void *scalar, size_t bytes);
// A result of that size goes where the handle says.
void blas_give(struct blas_call *call, const char *what, void *to, const void *value, size_t bytes);

// `count` elements, `step` apart, which may run backwards.
bool blas_has_vector(struct blas_call *call, const char *what, const void *from, int64_t count,
                     int64_t step, size_t element, bool is_written);
// Columns of `rows` elements, `pitch` elements apart.
bool blas_has_matrix(struct blas_call *call, const char *what, const void *from, int64_t rows,
                     int64_t columns, int64_t pitch, size_t element, bool is_written);

#define BLAS_CALL(declarator, ...)                                                                 \
    CUDA_API enum blas_status declarator {                                                         \
        struct blas_call call_, *call = &call_;                                                    \
        if (blas_begin(call, handle, __func__)) __VA_ARGS__;                                       \
        return blas_end(call);                                                                     \
    }

#endif
