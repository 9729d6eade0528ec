#include "cudart/operation.h"

#include <stdlib.h>

#include "cudart/capture.h"
#include "cudart/event.h"
#include "cudart/graph.h"
#include "cudart/graph_memory.h"

enum cuda_error cudart_enqueue(struct cudart_state *state, cuda_stream stream,
                               struct cudart_operation *operation, bool is_lost) {
    struct cudart_capture *capture;
    enum cuda_error error = cudart_capture_use(state, stream, &capture);
    if (error == cudaSuccess && capture)
        cudart_capture_add(state, stream, operation);
    else if (error == cudaSuccess && !is_lost)
        error = cudart_operation_run(state, operation);
    cudart_operation_free(state, operation);
    return error;
}

// Programs may call other functions of the runtime from other threads meanwhile.
static void call_host(struct cudart_state *state, const struct cuda_host_node *host) {
    struct cuda_host_node call = *host;
    struct cudart_device *device = state->current;
    cudart_unlock(state);
    call.function(call.data);
    cudart_lock(state);
    state->current = device;
}

// Memory may have gone since the operation was checked.
static enum cuda_error run_copy(struct cudart_state *state, const struct cudart_copy *copy) {
    enum cuda_error error = cudart_copy_check(state, copy, false);
    if (error == cudaSuccess)
        cudart_copy_run(copy);
    return error;
}

static enum cuda_error run_fill(struct cudart_state *state, const struct cudart_fill *fill) {
    enum cuda_error error = cudart_fill_check(state, fill, false);
    if (error == cudaSuccess)
        cudart_fill_run(fill);
    return error;
}

enum cuda_error cudart_operation_run(struct cudart_state *state,
                                     const struct cudart_operation *operation) {
    switch (operation->kind) {
    case CUDA_NODE_KERNEL:
        return cudart_kernel_run(state, &operation->u.kernel);
    case CUDA_NODE_MEMCPY:
        return run_copy(state, &operation->u.copy.copy);
    case CUDA_NODE_MEMSET:
        return run_fill(state, &operation->u.fill);
    case CUDA_NODE_HOST:
        call_host(state, &operation->u.host);
        return cudaSuccess;
    case CUDA_NODE_RECORD_EVENT:
        cudart_event_record(operation->u.event);
        return cudaSuccess;
    case CUDA_NODE_ALLOCATE:
        return cudart_region_map(state, operation->u.allocate.region);
    case CUDA_NODE_FREE:
        return cudart_region_unmap(state, operation->u.freed);
    default: // what waits has waited
        return cudaSuccess;
    }
}

void cudart_operation_free(struct cudart_state *state, struct cudart_operation *operation) {
    switch (operation->kind) {
    case CUDA_NODE_KERNEL:
        free(operation->u.kernel.parameters);
        free(operation->u.kernel.pointers);
        vec_free(&operation->u.kernel.attributes);
        break;
    case CUDA_NODE_GRAPH:
        cudart_graph_free(state, operation->u.child);
        break;
    case CUDA_NODE_ALLOCATE:
        cudart_region_release(state, operation->u.allocate.region);
        free((void *)(uintptr_t)operation->u.allocate.asked.access);
        break;
    case CUDA_NODE_FREE:
        cudart_region_release(state, operation->u.freed);
        break;
    case CUDA_NODE_CONDITIONAL:
        for (unsigned i = 0; operation->u.conditional.bodies && i < operation->u.conditional.size;
             i++)
            cudart_graph_free(state, operation->u.conditional.bodies[i]);
        free(operation->u.conditional.bodies);
        break;
    default:
        break;
    }
    *operation = (struct cudart_operation){.kind = CUDA_NODE_EMPTY};
}
