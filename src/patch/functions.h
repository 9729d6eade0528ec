// In which function of a source a token stands.
#ifndef BANKRUN_PATCH_FUNCTIONS_H
#define BANKRUN_PATCH_FUNCTIONS_H

#include "patch/tokens.h"

// The { of the outermost function in whose body the token is. The number of tokens: it is in none.
size_t patch_body_of(const struct patch_text *source, size_t token);
// The name of that function; the number of tokens: it has none.
size_t patch_function_of(const struct patch_text *source, size_t token);

#endif
