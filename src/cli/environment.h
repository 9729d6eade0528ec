// What bankrun says to the processes that it starts, through their environment. It is the child's:
// bankrun itself reads none of it any more.
#ifndef BANKRUN_CLI_ENVIRONMENT_H
#define BANKRUN_CLI_ENVIRONMENT_H

#include "base/strbuf.h"
#include "cli/options.h"
#include "handover/handover.h"

// The folder of the running bankrun, with a slash at the end.
bool environment_own_folder(struct strbuf *folder);

// The folder with a library of ours, without a slash at the end. Caller frees; NULL: nowhere.
char *environment_library_folder(const char *library);

// Where bankrun is a package of Python, NVIDIA's compiler and tools are found that lie in packages
// beside it: behind all other places of PATH.
void environment_use_packages(void);

// Where processes find our libraries.
struct environment_libraries {
    char *folder;  // as the dynamic linker can be told; NULL: nowhere
    char *private; // a folder of ours with a link to the libraries, which is `folder`; NULL: none
    char *kept;    // a folder for what Python packages compile, which ends with the run; NULL: none
};

// Finds the folder in which a library of ours lies: beside bankrun in a build folder, or as it was
// installed. The dynamic linker takes lists of paths and splits them at blanks and colons, so that
// a folder whose path has such characters is reached by a link. False: nowhere, or no link can be
// made, which was printed for `name`. Caller releases when the processes have ended.
bool environment_find_libraries(struct environment_libraries *libraries, const char *library,
                                const char *name);
void environment_release_libraries(struct environment_libraries *libraries);

// Makes processes find our libraries. `preloaded`: one that is to be there in spite of what the
// program says itself; NULL: none.
void environment_use_libraries(const struct environment_libraries *libraries,
                               const char *preloaded);

// Tells Python packages by variables of theirs where tools of ours are, and where to keep what they
// compile: the rows of package_variables.def.
void environment_tell_packages(struct environment_libraries *libraries,
                               const struct cli_options *options);

// What the options say about each simulated process.
void environment_set_options(const struct cli_options *options);

// Where they hand over what they count, or where that is not wanted only see whether bankrun is
// there. NULL: nowhere.
void environment_set_handover(const struct handover *handover, bool is_wanted);

const char *environment_temporary_folder(void);
// Where compiled programs are kept, and what was read of machine code. Caller frees; NULL: nowhere,
// as --no-cache asks or as there is no home.
char *environment_cache_folder(const struct cli_options *options);

#endif
