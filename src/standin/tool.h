// Inside the stand-ins: what those for tools have in common that can do without us. They are
// started in the tool's place by the injected library, which tells them where the tool is
// (BANKRUN_TOOL); what the tool starts itself is not replaced.
#ifndef BANKRUN_STANDIN_TOOL_H
#define BANKRUN_STANDIN_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/vec.h"

typedef VEC(const char *) argument_list; // texts are borrowed

// The file of the tool whose place this program takes. Does not return where it is not told.
const char *tool_path(const char *name);

// Is the tool from here on. Does not return. `arguments` are those behind its name.
_Noreturn void tool_become(const char *name, argument_list *arguments);

// Runs the tool; its exit status.
int tool_run(const char *name, argument_list *arguments);

// Says what is wrong, in the tool's way. Returns false.
bool tool_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A folder of ours, which is removed as the program ends. Does not return where none can be made.
const char *tool_folder(const char *name);

// Writes a file that the tool would have written; a device or a pipe is written to, too.
bool tool_write(const char *name, const char *path, const char *data, size_t length);

// Links files that hold PTX, and writes a carrier of it. Names what holds none.
bool tool_link(const char *name, char *const *inputs, size_t count, unsigned arch,
               const char *output);

// 90 of `sm_90a`; 0: it is no architecture of machine code.
unsigned tool_arch(const char *text);

#endif
