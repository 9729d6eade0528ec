// Inside the toolchain: what a compilation depended on, as a list that is kept and held against
// what is there later.
//
// A list has one input a line, a letter and a path:
//   f  a file that was read: its content counts
//   l  a look-up of the preprocessor: whether something is there counts. Most are where it found
//      nothing, and would find a header first that somebody puts there
//   d  a folder: which files it has counts, told by its time
//   p  a program, searched in PATH if it has no slash: which file it is, its size and time count
#ifndef BANKRUN_TOOLCHAIN_INPUTS_H
#define BANKRUN_TOOLCHAIN_INPUTS_H

#include <stdbool.h>
#include <time.h>
#include <xxhash.h>

#include "base/strbuf.h"

// The list of a compilation that has just ended. `rule`: the rule of make that the compiler wrote.
// `search`: what the preprocessor says of itself (-v): where it searches, and which program it is.
// `compiler`: nvcc. False: what the result depends on cannot be known.
bool inputs_list(const char *rule, const char *search, const char *compiler, struct strbuf *list);

// Adds the present state of all inputs to the hash. False: a file cannot be read or is no regular
// one, says when it is compiled (__TIME__), or was written after `since` (NULL: that does not
// matter).
bool inputs_hash(XXH3_state_t *state, const char *list, const struct timespec *since);

// The file that a program is. Caller frees; NULL: it is not found.
char *inputs_find_program(const char *name);
// Adds which one that is. False: it is not found.
bool inputs_hash_program(XXH3_state_t *state, const char *name);
void inputs_hash_text(XXH3_state_t *state, const char *text);

#endif
