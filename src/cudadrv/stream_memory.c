// Streams that write words of memory and wait for them.
#include <string.h>

#include "cuda/stream/word.h"
#include "cudadrv/cudadrv.h"

enum { MOST_OPERATIONS = 256 };

static enum cuda_error run_word(struct cuda_state *state, cuda_stream stream,
                                enum cuda_word_type type, uint64_t address, uint64_t value,
                                unsigned flags) {
    union cuda_word_operation operation;
    memset(&operation, 0, sizeof operation);
    operation.word.type = type;
    operation.word.address = address;
    operation.word.value = value;
    operation.word.flags = flags;
    return cuda_stream_run_words(state, stream, 1, &operation);
}

CUDADRV_CALL(cuStreamWaitValue32_v2(cuda_stream stream, cu_pointer address, uint32_t value,
                                    unsigned flags),
             run_word(state, stream, CUDA_WAIT_32, address, value, flags))
CUDADRV_OLD_NAME(cuStreamWaitValue32, cuStreamWaitValue32_v2)
CUDA_PER_THREAD(cuStreamWaitValue32_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2)
CUDADRV_CALL(cuStreamWaitValue64_v2(cuda_stream stream, cu_pointer address, uint64_t value,
                                    unsigned flags),
             run_word(state, stream, CUDA_WAIT_64, address, value, flags))
CUDADRV_OLD_NAME(cuStreamWaitValue64, cuStreamWaitValue64_v2)
CUDA_PER_THREAD(cuStreamWaitValue64_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2)
CUDADRV_CALL(cuStreamWriteValue32_v2(cuda_stream stream, cu_pointer address, uint32_t value,
                                     unsigned flags),
             run_word(state, stream, CUDA_WRITE_32, address, value, flags))
CUDADRV_OLD_NAME(cuStreamWriteValue32, cuStreamWriteValue32_v2)
CUDA_PER_THREAD(cuStreamWriteValue32_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2)
CUDADRV_CALL(cuStreamWriteValue64_v2(cuda_stream stream, cu_pointer address, uint64_t value,
                                     unsigned flags),
             run_word(state, stream, CUDA_WRITE_64, address, value, flags))
CUDADRV_OLD_NAME(cuStreamWriteValue64, cuStreamWriteValue64_v2)
CUDA_PER_THREAD(cuStreamWriteValue64_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2)

static enum cuda_error run_batch(struct cuda_state *state, cuda_stream stream, unsigned count,
                                 const union cuda_word_operation *operations, unsigned flags) {
    if ((!operations && count) || count > MOST_OPERATIONS || flags)
        return cudaErrorInvalidValue;
    return cuda_stream_run_words(state, stream, count, operations);
}

CUDADRV_CALL(cuStreamBatchMemOp_v2(cuda_stream stream, unsigned count,
                                   const union cuda_word_operation *operations, unsigned flags),
             run_batch(state, stream, count, operations, flags))
CUDADRV_OLD_NAME(cuStreamBatchMemOp, cuStreamBatchMemOp_v2)
CUDA_PER_THREAD(cuStreamBatchMemOp_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2)
