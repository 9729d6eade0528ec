#include "cuda/graph/object.h"
#include "cuda/graph/calls.h"

#include "cuda/graph/state.h"

enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };

struct cuda_user_object {
    struct cuda_handle handle;
    unsigned references;
    struct cuda_call destructor;
};

static struct cuda_user_object *find(struct cuda_state *state, cuda_user_object object) {
    return object ? cuda_handle_find(state, CUDA_USER_OBJECT, object) : NULL;
}

void cuda_object_retain(struct cuda_user_object *object, unsigned count) {
    object->references += count;
}

void cuda_object_release(struct cuda_state *state, struct cuda_user_object *object,
                         unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references)
        return;
    vec_push(&state->calls.list, object->destructor);
    cuda_handle_kill(state, &object->handle);
}

enum cuda_error cuda_user_object_create(struct cuda_state *state, cuda_user_object *object,
                                        void *data, cuda_host_function destroy, unsigned references,
                                        unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!object || !destroy || !references || flags != NO_DESTRUCTOR_SYNC))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *object = cuda_handle_new(state, CUDA_USER_OBJECT, sizeof **object);
        (*object)->references = references;
        (*object)->destructor = (struct cuda_call){destroy, data};
    }
    return error;
}

enum cuda_error cuda_user_object_retain(struct cuda_state *state, cuda_user_object object,
                                        unsigned count) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!find(state, object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_object_retain(object, count);
    return error;
}

enum cuda_error cuda_user_object_release(struct cuda_state *state, cuda_user_object object,
                                         unsigned count) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!find(state, object) || !count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_object_release(state, object, count);
    return error;
}

enum cuda_error cuda_graph_retain_user_object(struct cuda_state *state, cuda_graph graph,
                                              cuda_user_object object, unsigned count,
                                              unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess &&
        (!known || !find(state, object) || !count || flags & ~(unsigned)MOVE ||
         (flags & MOVE && count > object->references)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        vec_push(&known->held, (struct cuda_held){object, count});
        if (!(flags & MOVE))
            cuda_object_retain(object, count);
    }
    return error;
}

enum cuda_error cuda_graph_release_user_object(struct cuda_state *state, cuda_graph graph,
                                               cuda_user_object object, unsigned count) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess && (!known || !find(state, object) || !count))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && count && i < known->held.length; i++) {
        struct cuda_held *held = &known->held.data[i];
        if (held->object != object)
            continue;
        unsigned part = count < held->count ? count : held->count;
        held->count -= part;
        count -= part;
        cuda_object_release(state, object, part);
    }
    return error;
}
