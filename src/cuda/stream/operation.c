#include "cuda/stream/operation.h"
#include "cuda/stream/calls.h"

#include <stdlib.h>

#include "cuda/checks/check.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/memory.h"
#include "cuda/memory/returned.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/event.h"

enum cuda_error cuda_enqueue(struct cuda_state *state, cuda_stream stream,
                             struct cuda_operation *operation, bool is_lost) {
    struct cuda_capture *capture;
    enum cuda_error error = cuda_capture_use(state, stream, &capture);
    if (error == cudaSuccess && capture)
        cuda_capture_add(state, stream, operation);
    else if (error == cudaSuccess && !is_lost)
        error = cuda_check_run(state, stream, operation);
    cuda_operation_free(state, operation);
    return error;
}

// Memory may have gone since the operation was checked.
static enum cuda_error run_copy(struct cuda_state *state, const struct cuda_copy *copy) {
    enum cuda_error error = cuda_copy_check(state, copy, false);
    if (error == cudaSuccess) {
        cuda_copy_run(cuda_any_sim(state), copy);
        cuda_returned_add(state, copy);
    }
    return error;
}

static enum cuda_error run_fill(struct cuda_state *state, const struct cuda_fill *fill) {
    enum cuda_error error = cuda_fill_check(state, fill, false);
    if (error == cudaSuccess)
        cuda_fill_run(cuda_any_sim(state), fill);
    return error;
}

enum cuda_error cuda_operation_run(struct cuda_state *state,
                                   const struct cuda_operation *operation) {
    switch (operation->kind) {
    case CUDA_NODE_KERNEL:
        return cuda_kernel_run(state, &operation->u.kernel);
    case CUDA_NODE_MEMCPY:
        return run_copy(state, &operation->u.copy.copy);
    case CUDA_NODE_MEMSET:
        return run_fill(state, &operation->u.fill);
    case CUDA_NODE_HOST:
        cuda_call_host(state, operation->u.host.function, operation->u.host.data);
        return cudaSuccess;
    case CUDA_NODE_RECORD_EVENT:
        cuda_event_record(operation->u.event);
        return cudaSuccess;
    case CUDA_NODE_ALLOCATE:
        return cuda_region_map(state, operation->u.allocate.region);
    case CUDA_NODE_FREE:
        return cuda_region_unmap(state, operation->u.freed);
    default: // what waits has waited
        return cudaSuccess;
    }
}

void cuda_operation_free(struct cuda_state *state, struct cuda_operation *operation) {
    switch (operation->kind) {
    case CUDA_NODE_KERNEL:
        free(operation->u.kernel.parameters);
        free(operation->u.kernel.pointers);
        vec_free(&operation->u.kernel.attributes);
        break;
    case CUDA_NODE_GRAPH:
        cuda_graph_free(state, operation->u.child);
        break;
    case CUDA_NODE_ALLOCATE:
        cuda_region_release(state, operation->u.allocate.region);
        free((void *)(uintptr_t)operation->u.allocate.asked.access);
        break;
    case CUDA_NODE_FREE:
        cuda_region_release(state, operation->u.freed);
        break;
    case CUDA_NODE_CONDITIONAL:
        for (unsigned i = 0; operation->u.conditional.bodies && i < operation->u.conditional.size;
             i++)
            cuda_graph_free(state, operation->u.conditional.bodies[i]);
        free(operation->u.conditional.bodies);
        break;
    default:
        break;
    }
    *operation = (struct cuda_operation){.kind = CUDA_NODE_EMPTY};
}
