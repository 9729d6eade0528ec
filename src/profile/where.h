// Places as users name them: a source line, or a function, as patterns that a shell has.
#ifndef BANKRUN_PROFILE_WHERE_H
#define BANKRUN_PROFILE_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

// FILE:LINE, of the path or of any end of it that begins a name. A NULL path is none.
bool where_is_line(const char *pattern, const char *path, uint32_t line);
// The name without its parameters. A NULL function is none.
bool where_is_function(const char *pattern, const char *function);
// The line of the site, the function that it is in, or the kernel.
bool where_is_site(const char *pattern, const char *kernel, const struct profile_site *site);

#endif
