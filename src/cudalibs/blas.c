// What the calls of cuBLAS share.
#include "cudalibs/blas.h"

#include <string.h>

#include "cuda/memory/pointer.h"
#include "cudalibs/backend.h"

bool blas_has_scalar(struct lib_call *call, const char *what, const void *scalar, size_t bytes) {
    if (!lib_require(call, scalar != NULL))
        return false;
    return call->is_dry || call->handle->scalars == LIB_ON_HOST ||
           lib_can_use(call, what, scalar, bytes, false);
}

bool blas_takes(struct lib_call *call, const char *what, void *to, size_t bytes) {
    if (!lib_require(call, to != NULL))
        return false;
    if (call->handle->scalars == LIB_ON_DEVICE)
        return call->is_dry || lib_can_use(call, what, to, bytes, true);
    if (call->is_dry)
        lib_refuse(call, "in a captured stream with a result on the host");
    return call->status == LIB_SUCCESS;
}

void blas_give(struct lib_call *call, void *to, const void *value, size_t bytes) {
    memcpy(to, value, bytes);
    if (call->handle->scalars == LIB_ON_DEVICE)
        cuda_was_written(call->state, to, bytes);
}

void blas_was_given(struct lib_call *call, const void *to, size_t bytes) {
    cuda_was_written(call->state, to, bytes);
}

bool blas_is_small(struct lib_call *call, int64_t number) {
    if (number > INT32_MAX || number < -INT32_MAX)
        lib_refuse(call, "with sizes of more than 31 bits");
    return call->status == LIB_SUCCESS;
}

void *blas_find(struct lib_call *call, const char *name) {
    void *address = backend_find(name);
    if (!address)
        lib_refuse(call, "by " BACKEND_LIBRARY);
    return address;
}

bool blas_find_function(struct lib_call *call, const char *name, void *function, size_t bytes) {
    void *address = blas_find(call, name);
    memcpy(function, &address, bytes);
    return address != NULL;
}
