// Arena: many small objects that die together.
#ifndef BANKRUN_BASE_ARENA_H
#define BANKRUN_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

// Never returns NULL: running out of host memory ends the process (see base/alloc.h).
struct arena *arena_create(void);

// Frees the arena and all that was allocated from it. NULL is allowed.
void arena_destroy(struct arena *arena);

// Zeroed memory, aligned for every type. Owned by the arena.
void *arena_alloc(struct arena *arena, size_t bytes);

// A NUL-terminated copy of text[0..length).
char *arena_strndup(struct arena *arena, const char *text, size_t length);

char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (count)))

#endif
