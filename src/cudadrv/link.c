// The linker.
#include "cuda/module/link.h"
#include "cudadrv/cudadrv.h"

typedef struct cuda_link *cu_link;

CUDADRV_CALL(cuLinkCreate_v2(unsigned count, int *options, void **values, cu_link *link),
             cuda_link_create(state, count, options, values, link))
CUDADRV_OLD_NAME(cuLinkCreate, cuLinkCreate_v2)
CUDADRV_CALL(cuLinkAddData_v2(cu_link link, int type, void *data, size_t bytes, const char *name,
                              unsigned count, int *options, void **values),
             ((void)name, cuda_link_add(state, link, type, data, bytes,
                                        &(struct cuda_jit){options, values, count})))
CUDADRV_OLD_NAME(cuLinkAddData, cuLinkAddData_v2)
CUDADRV_CALL(cuLinkAddFile_v2(cu_link link, int type, const char *path, unsigned count,
                              int *options, void **values),
             cuda_link_add_file(state, link, type, path,
                                &(struct cuda_jit){options, values, count}))
CUDADRV_OLD_NAME(cuLinkAddFile, cuLinkAddFile_v2)
CUDADRV_CALL(cuLinkComplete(cu_link link, void **image, size_t *bytes),
             cuda_link_complete(state, link, image, bytes))
CUDADRV_CALL(cuLinkDestroy(cu_link link), cuda_link_destroy(state, link))
