// Calls of libraries that are computed on the CPU: what `bankrun --libraries cpu` puts in the place
// of libcublas, libcublasLt, libcusolver, libcufft and libcurand. What they work on lies in the
// memory of the simulated devices, which is the host's; nothing of it is counted.
#ifndef BANKRUN_CUDALIBS_CALL_H
#define BANKRUN_CUDALIBS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/core/state.h"

// How calls end, by cuBLAS's numbers; the others have theirs made of these.
enum lib_status {
    LIB_SUCCESS = 0,
    LIB_NOT_INITIALIZED = 1,
    LIB_ALLOC_FAILED = 3,
    LIB_INVALID_VALUE = 7,
    LIB_EXECUTION_FAILED = 13,
    LIB_INTERNAL_ERROR = 14,
    LIB_NOT_SUPPORTED = 15,
};

enum lib_kind { LIB_BLAS, LIB_FFT, LIB_RAND, LIB_SOLVER };
enum { LIB_ON_HOST, LIB_ON_DEVICE }; // where scalars are

// First member of what handles of libraries stand for.
struct lib_handle {
    struct cuda_handle handle;
    enum lib_kind kind;
    unsigned long long serial; // no other of the process has had it
    cuda_stream stream;
    int scalars; // LIB_ON_HOST
};

struct lib_call {
    struct cuda_state *state; // locked
    // As it was when the call was made: in a graph's node a copy.
    struct lib_handle *handle;
    void *target; // the live handle itself; NULL: it was destroyed before its graph was launched
    const char *name; // "cublasSgemm"
    enum lib_status status;
    bool is_dry; // checks alone: the work will be done when the graph is launched
};

// ---- A call -------------------------------------------------------------------------------------

// Checks what the program handed over and does the work. `arguments` may be a copy of what the call
// was given, and the call itself long over.
typedef void (*lib_work)(struct lib_call *call, const void *arguments);

#define LIB_SCALARS(first, second) ((first) | (size_t)(second) << 8)

// Does the work now, or, in a stream that is captured, makes a node of the graph of it. Of
// `arguments`, the first two members are pointers to scalars of `scalar` bytes, unless that is 0,
// or of LIB_SCALARS(bytes, bytes).
// Notes for the report what was computed.
enum lib_status lib_do(enum lib_kind kind, void *handle, const char *function, lib_work work,
                       const void *arguments, size_t bytes, size_t scalar);

// The same with another stream and place of the scalars than the handle's.
enum lib_status lib_do_with(enum lib_kind kind, void *handle, const char *function, lib_work work,
                            const void *arguments, size_t bytes, size_t scalar, cuda_stream stream,
                            int scalars);

// A new handle of that size. NULL: *status says why.
void *lib_handle_create(enum lib_kind kind, size_t bytes, enum lib_status *status);
// NULL: there is none such. Locked.
void *lib_handle_find(struct cuda_state *state, enum lib_kind kind, const void *handle);
bool lib_handle_destroy(enum lib_kind kind, void *handle);
// Says that a call that computes nothing is not supported; the profile is incomplete.
void lib_refuse_call(const char *function, const char *what);
// The same of a function that is not there at all: says so the first time.
void lib_refuse_name(const char *function, bool is_first);
// The host has not what would compute: says so, and the profile is incomplete.
void lib_say_missing(const char *with, const char *why);

// ---- In the work --------------------------------------------------------------------------------

// False, and the call's status says so, where the condition does not hold.
bool lib_require(struct lib_call *call, bool is_good);
// Says that the call is not supported, and of what; the profile is incomplete.
void lib_refuse(struct lib_call *call, const char *what);
// Whether the device may use `bytes` from there on; 0 bytes always. A GPU would fault: so the
// device does. False without an error where only checks are made.
bool lib_can_use(struct lib_call *call, const char *what, const void *from, size_t bytes,
                 bool is_written);
// `count` elements, `step` apart, which may run backwards.
bool lib_has_vector(struct lib_call *call, const char *what, const void *from, int64_t count,
                    int64_t step, size_t element, bool is_written);
// Columns of `rows` elements, `pitch` elements apart.
bool lib_has_matrix(struct lib_call *call, const char *what, const void *from, int64_t rows,
                    int64_t columns, int64_t pitch, size_t element, bool is_written);

#endif
