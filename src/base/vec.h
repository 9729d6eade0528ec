// Growable array. VEC(int) v = {0}; vec_push(&v, 7); v.data[0]; vec_free(&v);
#ifndef BANKRUN_BASE_VEC_H
#define BANKRUN_BASE_VEC_H

#include <stdlib.h>

#include "base/alloc.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t length, capacity;                                                                   \
    }

// clang-format off
#define vec_reserve(v, n)                                                                          \
    do {                                                                                           \
        if ((n) > (v)->capacity) {                                                                 \
            (v)->capacity = (n) > 2 * (v)->capacity ? (n) : 2 * (v)->capacity;                     \
            (v)->data = base_realloc((v)->data, (v)->capacity * sizeof *(v)->data);                \
        }                                                                                          \
    } while (0)
#define vec_push(v, ...)                                                                           \
    do {                                                                                           \
        vec_reserve((v), (v)->length + 1);                                                         \
        (v)->data[(v)->length++] = (__VA_ARGS__);                                                  \
    } while (0)
#define vec_free(v)                                                                                \
    do {                                                                                           \
        free((v)->data);                                                                           \
        (v)->data = NULL;                                                                          \
        (v)->length = (v)->capacity = 0;                                                           \
    } while (0)
// clang-format on

#endif
