#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    ARENA_ALIGNMENT = 16,
    ARENA_FIRST_CHUNK = 4 << 10,
    ARENA_LARGEST_CHUNK = 1 << 20, // chunks double up to this; larger objects get their own
};

struct arena_chunk {
    struct arena_chunk *next;
    _Alignas(ARENA_ALIGNMENT) char data[];
};

struct arena {
    struct arena_chunk *chunks;
    char *free; // in the newest shared chunk
    size_t left;
    size_t chunk_bytes;
};

struct arena *arena_create(void) {
    struct arena *arena = base_alloc(sizeof *arena);
    arena->chunk_bytes = ARENA_FIRST_CHUNK;
    return arena;
}

void arena_destroy(struct arena *arena) {
    if (!arena)
        return;
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

static char *add_chunk(struct arena *arena, size_t bytes) {
    struct arena_chunk *chunk = base_alloc(sizeof *chunk + bytes);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk->data;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX - ARENA_ALIGNMENT - sizeof(struct arena_chunk))
        return base_alloc(SIZE_MAX); // a wrapped size; fails with the message of base_alloc
    if (bytes == 0)
        bytes = 1; // still an address of its own
    bytes = (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (bytes > arena->left) {
        if (bytes > arena->chunk_bytes / 4)
            return add_chunk(arena, bytes); // the current chunk stays in use
        arena->free = add_chunk(arena, arena->chunk_bytes);
        arena->left = arena->chunk_bytes;
        if (arena->chunk_bytes < ARENA_LARGEST_CHUNK)
            arena->chunk_bytes *= 2;
    }
    void *result = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return result;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
    if (length < 0)
        return text;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
