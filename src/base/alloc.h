// Host allocation that cannot fail: bankrun has no useful way to go on without memory for its
// own tables, so these print one line to stderr and abort. Memory that a simulated program asks
// for is never taken through them: its failure is reported to the program.
#ifndef BANKRUN_BASE_ALLOC_H
#define BANKRUN_BASE_ALLOC_H

#include <stddef.h>

void *base_alloc(size_t bytes);              // zeroed
void *base_realloc(void *old, size_t bytes); // new bytes are not zeroed
char *base_strdup(const char *text);         // NULL of NULL
char *base_strndup(const char *text, size_t length);
void *base_alloc_aligned(size_t alignment, size_t bytes); // zeroed; free() it
// For who asks elsewhere and gets nothing. `bytes`: how many were wanted; 0: unknown.
_Noreturn void base_out_of_memory(size_t bytes);

#endif
