// Words of memory that streams write and wait for. Lock held.
#ifndef BANKRUN_CUDA_STREAM_WORD_H
#define BANKRUN_CUDA_STREAM_WORD_H

#include "cuda/core/state.h"

enum cuda_word_type { // CUstreamBatchMemOpType
    CUDA_WAIT_32 = 1,
    CUDA_WRITE_32,
    CUDA_FLUSH_REMOTE_WRITES,
    CUDA_WAIT_64,
    CUDA_WRITE_64,
    CUDA_BARRIER,
};

union cuda_word_operation { // CUstreamBatchMemOpParams
    enum cuda_word_type type;
    struct {
        enum cuda_word_type type;
        uint64_t address;
        uint64_t value;
        unsigned flags;
        uint64_t alias;
    } word;
    struct {
        enum cuda_word_type type;
        unsigned flags;
    } other;
    uint64_t pad[6];
};

enum cuda_error cuda_stream_run_words(struct cuda_state *state, cuda_stream stream, unsigned count,
                                      const union cuda_word_operation *operations);

#endif
