#include "toolchain/tools.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/inputs.h"
#include "toolchain/process.h"

extern char **environ;

int toolchain_run(char *const *argv, char *const *environment, struct strbuf *output,
                  int *exit_code) {
    return process_read_all(argv, environment ? environment : environ, output, exit_code);
}

static char *first_line(const char *text) {
    text += strspn(text, " \t\r\n");
    struct strbuf line = {0};
    strbuf_append(&line, text, strcspn(text, "\r\n"));
    return strbuf_take(&line);
}

// NVIDIA's tools say "release 13.0, V13.0.88" somewhere, others have theirs in the first line.
static char *version_in(const char *text) {
    const char *at = strstr(text, ", V");
    if (!at || !isdigit((unsigned char)at[3]))
        return first_line(text);
    struct strbuf version = {0};
    strbuf_append(&version, at + 3, strspn(at + 3, "0123456789."));
    return strbuf_take(&version);
}

// False: what is at the path cannot be started.
static bool ask(struct toolchain_tool *tool) {
    char *argv[] = {tool->path, (char *)"--version", NULL};
    struct strbuf said = {0};
    const int error = toolchain_run(argv, NULL, &said, &tool->exit_code);
    if (error) {
        tool->exit_code = 126; // as a shell has it
        tool->message = base_strdup(strerror(error));
    } else if (tool->exit_code != 0) {
        tool->message = first_line(strbuf_string(&said));
    } else {
        tool->version = version_in(strbuf_string(&said));
    }
    strbuf_free(&said);
    return !error && tool->exit_code == 0;
}

void toolchain_tool_find(struct toolchain_tool *tool, const char *const *places, size_t count) {
    *tool = (struct toolchain_tool){.state = TOOLCHAIN_TOOL_MISSING};
    for (size_t i = 0; i < count && !tool->path; i++)
        tool->path = places[i] ? inputs_find_program(places[i]) : NULL;
    if (tool->path)
        tool->state = ask(tool) ? TOOLCHAIN_TOOL_RUNS : TOOLCHAIN_TOOL_FAILS;
}

void toolchain_tool_free(struct toolchain_tool *tool) {
    free(tool->path);
    free(tool->version);
    free(tool->message);
    *tool = (struct toolchain_tool){0};
}
