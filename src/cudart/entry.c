// The runtime's way to the driver's functions.
#include "cuda/core/entry.h"
#include "cudart/call.h"

enum { BY_DEFAULT, BY_LEGACY_STREAM, BY_PER_THREAD_STREAM, SOURCES }; // cudaEnableDefault, ...

static enum cuda_error entry_point(const char *name, void **function, int version,
                                   unsigned long long flags, int *status) {
    if (flags >= SOURCES)
        return cudaErrorInvalidValue;
    if (cuda_version() < 12000) // whose call has no such parameter
        status = NULL;
    enum cuda_error error = cuda_entry_point(name, function, version, flags, status);
    return error == cudaErrorSymbolNotFound ? cudaSuccess : error;
}

CUDART_TELL(cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    int *status),
            entry_point(name, function, cuda_version(), flags, status))
CUDART_TELL(cudaGetDriverEntryPoint_ptsz(const char *name, void **function,
                                         unsigned long long flags, int *status),
            entry_point(name, function, cuda_version(),
                        flags == BY_DEFAULT ? BY_PER_THREAD_STREAM : flags, status))
CUDART_TELL(cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *status),
            entry_point(name, function, (int)version, flags, status))
CUDART_TELL(cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function,
                                                  unsigned version, unsigned long long flags,
                                                  int *status),
            entry_point(name, function, (int)version,
                        flags == BY_DEFAULT ? BY_PER_THREAD_STREAM : flags, status))
