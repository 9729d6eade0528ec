#include <stdio.h>
#include <string.h>

#include "cuda/core/gap.h"
#include "cuda/core/handles.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"
#include "cudalibs/backend.h"
#include "cudalibs/blas.h"

// The name as the documentation has it.
static void name_call(struct blas_call *call, const char *function) {
    snprintf(call->text, sizeof call->text, "%s", function);
    size_t length = strlen(call->text);
    if (length > 3 && strcmp(call->text + length - 3, "_v2") == 0)
        call->text[length - 3] = '\0';
    call->name = call->text;
}

static enum blas_status enter(struct blas_call *call) {
    if (!call->state || !call->handle)
        return BLAS_NOT_INITIALIZED;
    call->state->current = cuda_this_device(call->state);
    enum cuda_error error = cuda_enter_queued(call->state, &call->is_lost);
    if (error != cudaSuccess)
        return BLAS_EXECUTION_FAILED;
    return BLAS_SUCCESS;
}

bool blas_begin(struct blas_call *call, void *handle, const char *function) {
    *call = (struct blas_call){.state = cuda_name_call(cuda_begin(), function)};
    name_call(call, function);
    if (call->state)
        call->handle = cuda_handle_find(call->state, CUDA_LIBRARY, handle);
    call->status = enter(call);
    if (call->status == BLAS_SUCCESS && cuda_capture_of(call->state, call->handle->stream)) {
        cuda_capture_spoil(call->state, call->handle->stream);
        blas_refuse(call, "in a stream that is captured into a graph");
    }
    return call->status == BLAS_SUCCESS && !call->is_lost;
}

enum blas_status blas_end(struct blas_call *call) {
    if (!call->state)
        return call->status;
    if (call->status == BLAS_SUCCESS && !call->is_lost)
        cuda_gap(call->state, PROFILE_GAP_LIBRARY, "%s: computed on the CPU, not counted",
                 call->name);
    cuda_end(call->state, cudaSuccess);
    return call->status;
}

bool blas_require(struct blas_call *call, bool is_good) {
    if (!is_good && call->status == BLAS_SUCCESS)
        call->status = BLAS_INVALID_VALUE;
    return call->status == BLAS_SUCCESS;
}

void blas_refuse(struct blas_call *call, const char *what) {
    call->status = BLAS_NOT_SUPPORTED;
    cuda_say_gap(call->state, PROFILE_GAP_UNSUPPORTED, "%s is not supported %s", call->name, what);
}

static bool may_use(const struct cuda_device *device, const struct sim_allocation *allocation,
                    bool is_written) {
    return (is_written ? allocation->writers : allocation->readers) >> device->number & 1;
}

bool blas_can_use(struct blas_call *call, const char *what, const void *from, size_t bytes,
                  bool is_written) {
    if (call->status != BLAS_SUCCESS || !bytes)
        return call->status == BLAS_SUCCESS;
    const uint64_t address = (uint64_t)(uintptr_t)from;
    const struct sim_allocation *allocation = cuda_allocation(call->state, from);
    if (allocation && bytes <= allocation->address + allocation->bytes - address &&
        may_use(call->state->current, allocation, is_written))
        return true;
    cuda_say_gap(call->state, PROFILE_GAP_FAULT, "%s: %s, %zu bytes at 0x%llx, %s", call->name,
                 what, bytes, (unsigned long long)address,
                 allocation ? "leaves its allocation" : "is no memory of the device");
    call->state->current->pending = cudaErrorIllegalAddress;
    call->status = BLAS_EXECUTION_FAILED;
    return false;
}

bool blas_has_scalar(struct blas_call *call, const char *what, const void *scalar, size_t bytes) {
    if (!blas_require(call, scalar != NULL))
        return false;
    return call->handle->scalars == BLAS_ON_HOST || blas_can_use(call, what, scalar, bytes, false);
}

void blas_give(struct blas_call *call, const char *what, void *to, const void *value,
               size_t bytes) {
    if (!blas_require(call, to != NULL))
        return;
    bool is_on_device = call->handle->scalars == BLAS_ON_DEVICE;
    if (is_on_device && !blas_can_use(call, what, to, bytes, true))
        return;
    memcpy(to, value, bytes);
    if (is_on_device)
        cuda_was_written(call->state, to, bytes);
}

static size_t bytes_of(int64_t count, int64_t step, size_t element) {
    if (count <= 0)
        return 0;
    uint64_t last = (uint64_t)(count - 1) * (uint64_t)(step < 0 ? -step : step), bytes;
    if (__builtin_mul_overflow(last + 1, (uint64_t)element, &bytes))
        return SIZE_MAX;
    return bytes;
}

bool blas_has_vector(struct blas_call *call, const char *what, const void *from, int64_t count,
                     int64_t step, size_t element, bool is_written) {
    if (!blas_can_use(call, what, from, bytes_of(count, step, element), is_written))
        return false;
    for (int64_t i = 0; is_written && i < count; i++) // what lies between stays what it was
        cuda_was_written(call->state,
                         (const char *)from + (size_t)(i * (step < 0 ? -step : step)) * element,
                         element);
    return true;
}

bool blas_has_matrix(struct blas_call *call, const char *what, const void *from, int64_t rows,
                     int64_t columns, int64_t pitch, size_t element, bool is_written) {
    if (rows <= 0 || columns <= 0)
        return call->status == BLAS_SUCCESS;
    size_t bytes = bytes_of(columns, pitch, element);
    if (bytes > SIZE_MAX - (size_t)rows * element)
        bytes = SIZE_MAX;
    else
        bytes += (size_t)(rows - 1) * element;
    if (!blas_can_use(call, what, from, bytes, is_written))
        return false;
    for (int64_t i = 0; is_written && i < columns; i++)
        cuda_was_written(call->state, (const char *)from + (size_t)(i * pitch) * element,
                         (size_t)rows * element);
    return true;
}
