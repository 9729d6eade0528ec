// Which programs of a toolkit are there, and whether they run.
#ifndef BANKRUN_TOOLCHAIN_TOOLS_H
#define BANKRUN_TOOLCHAIN_TOOLS_H

#include <stddef.h>

#include "base/strbuf.h"

// Where toolkits are installed: behind PATH the last place to look.
#define TOOLCHAIN_USUAL_FOLDER "/usr/local/cuda/bin/"

enum toolchain_tool_state {
    TOOLCHAIN_TOOL_RUNS,
    TOOLCHAIN_TOOL_FAILS,   // it is there, and --version ends with another status than 0
    TOOLCHAIN_TOOL_MISSING, // in none of the places
};

struct toolchain_tool {
    enum toolchain_tool_state state;
    char *path;    // the file that it is; NULL: missing
    char *version; // "13.0.88", or the first line of what it says; NULL: it does not run
    int exit_code; // of one that fails
    char *message; // and the first line of what it said then
};

// The first of the places that has it: names, which are searched in PATH, or paths. NULLs among
// them are passed over.
void toolchain_tool_find(struct toolchain_tool *tool, const char *const *places, size_t count);
void toolchain_tool_free(struct toolchain_tool *tool);

// Runs a command (NULL at the end) with variables (NULL: ours), and collects all that it prints.
// Returns errno of the start.
int toolchain_run(char *const *argv, char *const *environment, struct strbuf *output,
                  int *exit_code);

#endif
