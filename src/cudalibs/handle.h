// Handles, which cuBLAS and cuBLASLt share.
#ifndef BANKRUN_CUDALIBS_HANDLE_H
#define BANKRUN_CUDALIBS_HANDLE_H

#include "cudalibs/blas.h"

enum lib_status blas_handle_create(void **handle);
enum lib_status blas_handle_destroy(void *handle);

#endif
