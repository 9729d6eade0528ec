// Functions of the LAPACK that is part of the backend, of the type that a letter names (s, d, c,
// z).
#ifndef BANKRUN_CUDALIBS_LAPACK_H
#define BANKRUN_CUDALIBS_LAPACK_H

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cudalibs/matrix.h"

enum { LAPACK_NAME_BYTES = 16 };

// Sets `function` to "sgetrf_" for 's' and "getrf"; false: the call is refused.
#define LAPACK_FIND(letter, rest, function)                                                        \
    lapack_find(call, letter, rest, &(function), sizeof(function))
static inline bool lapack_find(struct lib_call *call, char letter, const char *rest, void *function,
                               size_t bytes) {
    char name[LAPACK_NAME_BYTES];
    snprintf(name, sizeof name, "%c%s_", letter, rest);
    return blas_find_function(call, name, function, bytes);
}

static inline size_t lapack_at_least_one(size_t count) {
    return count ? count : 1;
}

// Calls a function that is asked first how large its work area should be: its last arguments are
// `area`, `area_size`, and info.
#define LAPACK_WITH_AREA(letter, element, ...)                                                     \
    do {                                                                                           \
        long double size_[2] = {0};                                                                \
        void *area = size_;                                                                        \
        int area_size = -1;                                                                        \
        __VA_ARGS__;                                                                               \
        area_size =                                                                                \
            (letter) == 's' || (letter) == 'c' ? (int)*(float *)area : (int)*(double *)area;       \
        area = base_alloc(lapack_at_least_one((size_t)area_size) * (element));                     \
        __VA_ARGS__;                                                                               \
        free(area);                                                                                \
    } while (0)

#endif
