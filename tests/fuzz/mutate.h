// Makes new kernels out of old ones, token by token, so that most still parse.
#ifndef BANKRUN_TESTS_FUZZ_MUTATE_H
#define BANKRUN_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

// Appends a mutant of the PTX text; statements may come of the `other` text, too (NULL: there is
// none). The same seed makes the same mutant.
void mutate_ptx(const char *text, size_t length, const char *other, size_t other_length,
                uint64_t seed, struct strbuf *out);

#endif
