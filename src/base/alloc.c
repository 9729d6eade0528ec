#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void base_out_of_memory(size_t bytes) {
    if (bytes)
        fprintf(stderr, "bankrun: out of memory (%zu bytes wanted)\n", bytes);
    else
        fputs("bankrun: out of memory\n", stderr);
    abort();
}

void *base_alloc(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        base_out_of_memory(bytes);
    return memory;
}

void *base_realloc(void *old, size_t bytes) {
    void *memory = realloc(old, bytes ? bytes : 1);
    if (!memory)
        base_out_of_memory(bytes);
    return memory;
}

char *base_strdup(const char *text) {
    return text ? base_strndup(text, strlen(text)) : NULL;
}

char *base_strndup(const char *text, size_t length) {
    char *copy = base_alloc(length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

void *base_alloc_aligned(size_t alignment, size_t bytes) {
    void *memory = NULL;
    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (posix_memalign(&memory, alignment, bytes ? bytes : 1))
        base_out_of_memory(bytes);
    memset(memory, 0, bytes);
    return memory;
}
