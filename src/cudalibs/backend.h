// The host's BLAS, which is loaded when a program first needs it. Its functions are called as
// Fortran has them: matrices are column-major there as in cuBLAS, and all arguments are pointers.
#ifndef BANKRUN_CUDALIBS_BACKEND_H
#define BANKRUN_CUDALIBS_BACKEND_H

#include <stdbool.h>

// The function of that name ("sgemm_"); NULL: none.
void *backend_find(const char *name);
// False: there is no BLAS; *why then says what was tried.
bool backend_is_there(const char **why);

#define BACKEND_LIBRARY "libopenblas.so.0"

#endif
