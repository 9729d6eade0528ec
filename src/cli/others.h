// Processes that outlive the command that started them.
#ifndef BANKRUN_CLI_OTHERS_H
#define BANKRUN_CLI_OTHERS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/strbuf.h"

// Appends "123 (name), 124 (name)": our descendants that still run, in our session, without those
// of `known`. Daemons have sessions of their own.
void others_list(const pid_t *known, size_t count, struct strbuf *names);

#endif
