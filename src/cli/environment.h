// What bankrun says to the processes that it starts, through their environment. It is the child's:
// bankrun itself reads none of it any more.
#ifndef BANKRUN_CLI_ENVIRONMENT_H
#define BANKRUN_CLI_ENVIRONMENT_H

#include "base/strbuf.h"
#include "cli/options.h"

// The folder of the running bankrun, with a slash at the end.
bool environment_own_folder(struct strbuf *folder);

// The folder in which a library of ours lies: beside bankrun in a build folder, or as it was
// installed. Caller frees; NULL: nowhere, which was printed for `name`.
char *environment_libraries(const char *library, const char *name);

// Makes processes find our libraries. `preloaded`: one that is to be there in spite of what the
// program says itself; NULL: none.
void environment_use_libraries(const char *folder, const char *preloaded);

// What the options say about each simulated process.
void environment_set_options(const struct cli_options *options);

// A private folder for profiles. Caller frees; NULL: it cannot be made, which was printed.
char *environment_private_folder(void);
const char *environment_temporary_folder(void);

#endif
