// How a function of the runtime API is made: CUDART_CALL(name(parameters), work). The work is a
// call of the core with `state`, which is locked, and its error is what the function returns and
// what cudaGetLastError tells.
#ifndef BANKRUN_CUDART_CALL_H
#define BANKRUN_CUDART_CALL_H

#include <stdatomic.h>

#include "cuda/core/state.h"

// The state, locked; the thread has called the runtime. NULL: a child of fork() that cannot use
// CUDA (cuda/core/fork.h).
struct cuda_state *cudart_begin(void);
// The same without the lock.
struct cuda_state *cudart_ask(void);
// Remembers the error for cudaGetLastError, and returns it.
enum cuda_error cudart_record(enum cuda_error error);

#define CUDART_CALL(declarator, work)                                                              \
    CUDA_API enum cuda_error declarator {                                                          \
        struct cuda_state *state = cuda_name_call(cudart_begin(), __func__);                       \
        return state ? cudart_record(cuda_end(state, work)) : cudaErrorInitializationError;        \
    }
// The same for launches, which cudaGetLastError tells of in such a child, too: as on a GPU, where
// nothing but launches is told of there.
#define CUDART_LAUNCH(declarator, work)                                                            \
    CUDA_API enum cuda_error declarator {                                                          \
        struct cuda_state *state = cuda_name_call(cudart_begin(), __func__);                       \
        return cudart_record(state ? cuda_end(state, work) : cudaErrorInitializationError);        \
    }
// For questions about what never changes: they do not wait for another thread's kernel.
#define CUDART_TELL(declarator, work)                                                              \
    CUDA_API enum cuda_error declarator {                                                          \
        struct cuda_state *state = cudart_ask();                                                   \
        return state ? cudart_record(work) : cudaErrorInitializationError;                         \
    }
// For those that are answered in any process.
#define CUDART_ALWAYS(declarator, work)                                                            \
    CUDA_API enum cuda_error declarator { return cudart_record(work); }

// Says so on stderr the first time, and returns cudaErrorNotSupported.
enum cuda_error cudart_unsupported(const char *name, atomic_flag *was_said);

#endif
