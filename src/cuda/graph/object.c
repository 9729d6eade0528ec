#include "cuda/graph/object.h"

#include "cuda/graph/state.h"

enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };

struct cuda_user_object {
    struct cuda_handle handle;
    unsigned references;
    struct cuda_host_node destructor;
};

static struct cuda_user_object *find(cuda_user_object object) {
    return object ? cuda_handle_find(cuda_state(), CUDA_USER_OBJECT, object) : NULL;
}

void cuda_object_retain(struct cuda_user_object *object, unsigned count) {
    object->references += count;
}

void cuda_object_release(struct cuda_state *state, struct cuda_user_object *object,
                         unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references)
        return;
    vec_push(&cuda_graphs(state)->calls, object->destructor);
    cuda_handle_kill(state, &object->handle);
}

enum cuda_error cuda_leave_graphs(enum cuda_error error) {
    struct cuda_graphs *graphs = cuda_state()->graphs;
    VEC(struct cuda_host_node) calls = {0};
    for (size_t i = 0; graphs && i < graphs->calls.length; i++)
        vec_push(&calls, graphs->calls.data[i]);
    if (graphs)
        graphs->calls.length = 0;
    error = cuda_leave(error);
    for (size_t i = 0; i < calls.length; i++)
        calls.data[i].function(calls.data[i].data);
    vec_free(&calls);
    return error;
}

CUDART_API enum cuda_error cudaUserObjectCreate(cuda_user_object *object, void *data,
                                                cuda_host_function destroy, unsigned references,
                                                unsigned flags) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!object || !destroy || !references || flags != NO_DESTRUCTOR_SYNC))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *object = cuda_handle_new(cuda_state(), CUDA_USER_OBJECT, sizeof **object);
        (*object)->references = references;
        (*object)->destructor = (struct cuda_host_node){destroy, data};
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaUserObjectRetain(cuda_user_object object, unsigned count) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!find(object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_object_retain(object, count);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaUserObjectRelease(cuda_user_object object, unsigned count) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!find(object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_object_release(cuda_state(), object, count);
    return cuda_leave_graphs(error);
}

CUDART_API enum cuda_error cudaGraphRetainUserObject(cuda_graph graph, cuda_user_object object,
                                                     unsigned count, unsigned flags) {
    enum cuda_error error = cuda_enter();
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(cuda_state(), graph) : NULL;
    if (error == cudaSuccess && (!known || !find(object) || !count || flags & ~(unsigned)MOVE ||
                                 (flags & MOVE && count > object->references)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        vec_push(&known->held, (struct cuda_held){object, count});
        if (!(flags & MOVE))
            cuda_object_retain(object, count);
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaGraphReleaseUserObject(cuda_graph graph, cuda_user_object object,
                                                      unsigned count) {
    enum cuda_error error = cuda_enter();
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(cuda_state(), graph) : NULL;
    if (error == cudaSuccess && (!known || !find(object) || !count))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && count && i < known->held.length; i++) {
        struct cuda_held *held = &known->held.data[i];
        if (held->object != object)
            continue;
        unsigned part = count < held->count ? count : held->count;
        held->count -= part;
        count -= part;
        cuda_object_release(cuda_state(), object, part);
    }
    return cuda_leave_graphs(error);
}
