// Copies as the driver API describes them.
#ifndef BANKRUN_CUDADRV_MEMCPY_H
#define BANKRUN_CUDADRV_MEMCPY_H

#include "cudadrv/cudadrv.h"

enum cudadrv_memory_type {
    CUDADRV_MEMORY_HOST = 1,
    CUDADRV_MEMORY_DEVICE,
    CUDADRV_MEMORY_ARRAY,
    CUDADRV_MEMORY_UNIFIED,
};

struct cudadrv_side {
    size_t x, y, z, level;
    int type;
    void *host;
    cu_pointer device;
    void *array, *context; // the context: of copies between devices
    size_t pitch, height;
};

struct cudadrv_copy { // CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
    struct cudadrv_side source, target;
    size_t width, height, depth;
};

#endif
