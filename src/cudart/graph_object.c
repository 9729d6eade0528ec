#include "cudart/graph_object.h"

#include "cudart/graph_state.h"

enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };

struct cudart_user_object {
    struct cudart_handle handle;
    unsigned references;
    struct cuda_host_node destructor;
};

static struct cudart_user_object *find(cuda_user_object object) {
    return object ? cudart_handle_find(cudart_state(), CUDART_USER_OBJECT, object) : NULL;
}

void cudart_object_retain(struct cudart_user_object *object, unsigned count) {
    object->references += count;
}

void cudart_object_release(struct cudart_state *state, struct cudart_user_object *object,
                           unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references)
        return;
    vec_push(&cudart_graphs(state)->calls, object->destructor);
    cudart_handle_kill(state, &object->handle);
}

enum cuda_error cudart_leave_graphs(enum cuda_error error) {
    struct cudart_graphs *graphs = cudart_state()->graphs;
    VEC(struct cuda_host_node) calls = {0};
    for (size_t i = 0; graphs && i < graphs->calls.length; i++)
        vec_push(&calls, graphs->calls.data[i]);
    if (graphs)
        graphs->calls.length = 0;
    error = cudart_leave(error);
    for (size_t i = 0; i < calls.length; i++)
        calls.data[i].function(calls.data[i].data);
    vec_free(&calls);
    return error;
}

CUDART_API enum cuda_error cudaUserObjectCreate(cuda_user_object *object, void *data,
                                                cuda_host_function destroy, unsigned references,
                                                unsigned flags) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!object || !destroy || !references || flags != NO_DESTRUCTOR_SYNC))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *object = cudart_handle_new(cudart_state(), CUDART_USER_OBJECT, sizeof **object);
        (*object)->references = references;
        (*object)->destructor = (struct cuda_host_node){destroy, data};
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaUserObjectRetain(cuda_user_object object, unsigned count) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!find(object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cudart_object_retain(object, count);
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaUserObjectRelease(cuda_user_object object, unsigned count) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!find(object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cudart_object_release(cudart_state(), object, count);
    return cudart_leave_graphs(error);
}

CUDART_API enum cuda_error cudaGraphRetainUserObject(cuda_graph graph, cuda_user_object object,
                                                     unsigned count, unsigned flags) {
    enum cuda_error error = cudart_enter();
    struct cudart_graph *known =
        error == cudaSuccess ? cudart_graph_find(cudart_state(), graph) : NULL;
    if (error == cudaSuccess && (!known || !find(object) || !count || flags & ~(unsigned)MOVE ||
                                 (flags & MOVE && count > object->references)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        vec_push(&known->held, (struct cudart_held){object, count});
        if (!(flags & MOVE))
            cudart_object_retain(object, count);
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaGraphReleaseUserObject(cuda_graph graph, cuda_user_object object,
                                                      unsigned count) {
    enum cuda_error error = cudart_enter();
    struct cudart_graph *known =
        error == cudaSuccess ? cudart_graph_find(cudart_state(), graph) : NULL;
    if (error == cudaSuccess && (!known || !find(object) || !count))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && count && i < known->held.length; i++) {
        struct cudart_held *held = &known->held.data[i];
        if (held->object != object)
            continue;
        unsigned part = count < held->count ? count : held->count;
        held->count -= part;
        count -= part;
        cudart_object_release(cudart_state(), object, part);
    }
    return cudart_leave_graphs(error);
}
