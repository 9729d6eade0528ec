#include "cudalibs/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/core/gap.h"
#include "cuda/graph/calls.h"
#include "cuda/graph/graph.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/calls.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

enum { NAME_BYTES = 64, SCALAR_BYTES = 16 };
enum { HANDLE_BYTES = 1024 }; // of all: a dead one is taken again, whatever library it was of

// The name as the documentation has it.
static void name_call(char *name, const char *function) {
    snprintf(name, NAME_BYTES, "%s", function);
    char *version = strstr(name, "_v2");
    if (version)
        memmove(version, version + 3, strlen(version + 3) + 1);
}

static void note(struct lib_call *call) {
    if (call->status == LIB_SUCCESS)
        cuda_gap(call->state, PROFILE_GAP_LIBRARY, "%s: computed on the CPU, not counted",
                 call->name);
}

// ---- Handles ------------------------------------------------------------------------------------

void *lib_handle_find(struct cuda_state *state, enum lib_kind kind, const void *handle) {
    struct lib_handle *found = cuda_handle_find(state, CUDA_LIBRARY, handle);
    return found && found->kind == kind ? found : NULL;
}

static unsigned long long serials; // under the lock

void *lib_handle_create(enum lib_kind kind, size_t bytes, enum lib_status *status) {
    struct cuda_state *state = cuda_begin();
    struct lib_handle *made = NULL;
    *status = LIB_NOT_INITIALIZED;
    if (!state)
        return NULL;
    if (bytes <= HANDLE_BYTES && cuda_enter(state) == cudaSuccess) {
        made = cuda_handle_new(state, CUDA_LIBRARY, HANDLE_BYTES);
        made->kind = kind;
        made->serial = ++serials;
        *status = LIB_SUCCESS;
    }
    cuda_end(state, cudaSuccess);
    return made;
}

bool lib_handle_destroy(enum lib_kind kind, void *handle) {
    struct cuda_state *state = cuda_begin();
    struct lib_handle *found = state ? lib_handle_find(state, kind, handle) : NULL;
    if (found)
        cuda_handle_kill(state, &found->handle);
    if (state)
        cuda_end(state, cudaSuccess);
    return found != NULL;
}

void lib_refuse_call(const char *function, const char *what) {
    char name[NAME_BYTES];
    struct cuda_state *state = cuda_begin();
    name_call(name, function);
    if (!state)
        return;
    cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED, "%s is not supported %s", name, what);
    cuda_end(state, cudaSuccess);
}

void lib_refuse_name(const char *function, bool is_first) {
    static const char why[] =
        "(--libraries cpu does not compute it); compute this step on the host";
    char name[NAME_BYTES];
    struct cuda_state *state = cuda_begin();
    name_call(name, function);
    if (!state)
        return;
    if (is_first)
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED, "%s: not simulated %s", name, why);
    else
        cuda_gap(state, PROFILE_GAP_UNSUPPORTED, "%s: not simulated %s", name, why);
    cuda_end(state, cudaSuccess);
}

void lib_say_missing(const char *with, const char *why) {
    struct cuda_state *state = cuda_begin();
    if (!state)
        return;
    cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED, "--libraries cpu computes with %s: %s", with, why);
    cuda_end(state, cudaSuccess);
}

// ---- What a graph's node keeps of a call --------------------------------------------------------

struct job {
    lib_work work;
    char name[NAME_BYTES];
    void *target;
    struct lib_handle handle; // as it was
    struct cuda_device *device;
    union {
        unsigned char bytes[2][SCALAR_BYTES];
        long double align;
    } scalars;
    max_align_t arguments[];
};

// The graph's node is a function of the host. Without the lock.
static void run_job(void *data) {
    struct job *job = data;
    struct cuda_state *state = cuda_name_call(cuda_begin(), job->name);
    if (!state)
        return;
    struct lib_call call = {.state = state, .handle = &job->handle, .name = job->name};
    state->current = job->device;
    struct lib_handle *target = lib_handle_find(state, job->handle.kind, job->target);
    call.target = target && target->serial == job->handle.serial ? target : NULL;
    if (cuda_make_device(state) && state->current->pending == cudaSuccess) {
        job->work(&call, job->arguments);
        note(&call);
    }
    if (call.status == LIB_INVALID_VALUE)
        lib_refuse(&call, "with what the graph's node has");
    cuda_end(state, cudaSuccess);
}

static void keep_scalars(struct job *job, size_t scalar) {
    const size_t first = scalar & 0xff, second = scalar >> 8,
                 bytes[] = {first, second ? second : first};
    const void *pointers[2];
    memcpy(pointers, job->arguments, sizeof pointers);
    for (int i = 0; i < 2; i++)
        if (pointers[i]) {
            memcpy(job->scalars.bytes[i], pointers[i], bytes[i]);
            pointers[i] = job->scalars.bytes[i];
        }
    memcpy(job->arguments, pointers, sizeof pointers);
}

// The graph frees it with itself.
static enum cuda_error capture(struct lib_call *call, struct job *job) {
    const cuda_stream stream = call->handle->stream;
    cuda_user_object object;
    cuda_graph graph = cuda_capture_graph(call->state, stream);
    enum cuda_error error = cuda_launch_host_func(call->state, stream, run_job, job);
    if (error == cudaSuccess)
        error = cuda_user_object_create(call->state, &object, job, free, 1, 1);
    if (error == cudaSuccess)
        error = cuda_graph_retain_user_object(call->state, graph, object, 1, 1);
    return error;
}

static void add_node(struct lib_call *call, lib_work work, const void *arguments, size_t bytes,
                     size_t scalar) {
    call->is_dry = true;
    work(call, arguments);
    if (call->status != LIB_SUCCESS) {
        cuda_capture_spoil(call->state, call->handle->stream);
        return;
    }
    struct job *job = base_alloc(sizeof *job + bytes);
    job->work = work;
    snprintf(job->name, sizeof job->name, "%s", call->name);
    job->target = call->target;
    job->handle = *call->handle;
    job->device = cuda_stream_device(call->state, call->handle->stream);
    memcpy(job->arguments, arguments, bytes);
    if (scalar && call->handle->scalars == LIB_ON_HOST)
        keep_scalars(job, scalar);
    if (capture(call, job) != cudaSuccess)
        call->status = LIB_EXECUTION_FAILED;
}

// ---- A call -------------------------------------------------------------------------------------

static void dispatch(struct lib_call *call, lib_work work, const void *arguments, size_t bytes,
                     size_t scalar) {
    struct cuda_capture *captured = NULL;
    bool is_lost; // an earlier kernel faulted: nothing more is executed
    call->state->current = cuda_this_device(call->state);
    if (cuda_enter_queued(call->state, &is_lost) != cudaSuccess ||
        !cuda_stream_is_good(call->state, call->handle->stream) ||
        cuda_capture_use(call->state, call->handle->stream, &captured) != cudaSuccess) {
        call->status = LIB_EXECUTION_FAILED;
    } else if (captured) {
        add_node(call, work, arguments, bytes, scalar);
    } else if (!is_lost) {
        work(call, arguments);
        note(call);
    }
}

static enum lib_status call_work(enum lib_kind kind, void *handle, const char *function,
                                 lib_work work, const void *arguments, size_t bytes, size_t scalar,
                                 const struct lib_handle *in_place) {
    char name[NAME_BYTES];
    struct cuda_state *state = cuda_name_call(cuda_begin(), function);
    struct lib_call call = {.state = state, .name = name, .status = LIB_NOT_INITIALIZED};
    if (!state)
        return call.status;
    name_call(name, function);
    call.target = lib_handle_find(state, kind, handle);
    if (call.target) {
        struct lib_handle own = *(struct lib_handle *)call.target;
        if (in_place)
            own.stream = in_place->stream, own.scalars = in_place->scalars;
        call.handle = &own;
        call.status = LIB_SUCCESS;
        dispatch(&call, work, arguments, bytes, scalar);
    }
    cuda_end(state, cudaSuccess);
    return call.status;
}

enum lib_status lib_do(enum lib_kind kind, void *handle, const char *function, lib_work work,
                       const void *arguments, size_t bytes, size_t scalar) {
    return call_work(kind, handle, function, work, arguments, bytes, scalar, NULL);
}

enum lib_status lib_do_with(enum lib_kind kind, void *handle, const char *function, lib_work work,
                            const void *arguments, size_t bytes, size_t scalar, cuda_stream stream,
                            int scalars) {
    const struct lib_handle in_place = {.stream = stream, .scalars = scalars};
    return call_work(kind, handle, function, work, arguments, bytes, scalar, &in_place);
}

bool lib_require(struct lib_call *call, bool is_good) {
    if (!is_good && call->status == LIB_SUCCESS)
        call->status = LIB_INVALID_VALUE;
    return call->status == LIB_SUCCESS;
}

void lib_refuse(struct lib_call *call, const char *what) {
    call->status = LIB_NOT_SUPPORTED;
    cuda_say_gap(call->state, PROFILE_GAP_UNSUPPORTED, "%s is not supported %s", call->name, what);
}

// ---- Memory -------------------------------------------------------------------------------------

static bool may_use(const struct cuda_device *device, const struct sim_allocation *allocation,
                    bool is_written) {
    return (is_written ? allocation->writers : allocation->readers) >> device->number & 1;
}

bool lib_can_use(struct lib_call *call, const char *what, const void *from, size_t bytes,
                 bool is_written) {
    if (call->status != LIB_SUCCESS || !bytes)
        return call->status == LIB_SUCCESS;
    if (call->is_dry) // a node of the graph may allocate it
        return false;
    const uint64_t address = (uint64_t)(uintptr_t)from;
    const struct sim_allocation *allocation = cuda_allocation(call->state, from);
    if (allocation && bytes <= allocation->address + allocation->bytes - address &&
        may_use(call->state->current, allocation, is_written))
        return true;
    cuda_say_gap(call->state, PROFILE_GAP_FAULT, "%s: %s, %zu bytes at 0x%llx, %s", call->name,
                 what, bytes, (unsigned long long)address,
                 allocation ? "leaves its allocation" : "is no memory of the device");
    call->state->current->pending = cudaErrorIllegalAddress;
    call->status = LIB_EXECUTION_FAILED;
    return false;
}

static size_t bytes_of(int64_t count, int64_t step, size_t element) {
    if (count <= 0)
        return 0;
    uint64_t last, bytes;
    if (__builtin_mul_overflow((uint64_t)(count - 1), (uint64_t)(step < 0 ? -step : step), &last) ||
        __builtin_mul_overflow(last + 1, (uint64_t)element, &bytes))
        return SIZE_MAX;
    return bytes;
}

bool lib_has_vector(struct lib_call *call, const char *what, const void *from, int64_t count,
                    int64_t step, size_t element, bool is_written) {
    if (!lib_can_use(call, what, from, bytes_of(count, step, element), is_written))
        return false;
    const size_t apart = (size_t)(step < 0 ? -step : step);
    if (is_written && count > 0 && apart == 1)
        cuda_was_written(call->state, from, (size_t)count * element);
    for (int64_t i = 0; is_written && apart != 1 && i < count; i++) // what lies between stays
        cuda_was_written(call->state, (const char *)from + (size_t)i * apart * element, element);
    return true;
}

bool lib_has_matrix(struct lib_call *call, const char *what, const void *from, int64_t rows,
                    int64_t columns, int64_t pitch, size_t element, bool is_written) {
    if (rows <= 0 || columns <= 0)
        return call->status == LIB_SUCCESS;
    size_t bytes = bytes_of(columns, pitch, element);
    if (bytes > SIZE_MAX - (size_t)rows * element)
        bytes = SIZE_MAX;
    else
        bytes += (size_t)(rows - 1) * element;
    if (!lib_can_use(call, what, from, bytes, is_written))
        return false;
    for (int64_t i = 0; is_written && i < columns; i++)
        cuda_was_written(call->state, (const char *)from + (size_t)(i * pitch) * element,
                         (size_t)rows * element);
    return true;
}
