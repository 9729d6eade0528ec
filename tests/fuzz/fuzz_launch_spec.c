// Any text as a launch specification: it parses, or is refused with messages that print.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {"<launch>", (const char *)data, size};
    struct arena *arena = arena_create();
    struct launch_spec spec;
    struct diag_list diags = {0};
    bool is_fine = launch_spec_parse(&source, arena, &spec, &diags);
    if (is_fine != (diags.errors == 0))
        abort();
    for (size_t i = 0; is_fine && i < spec.argument_count; i++) {
        struct launch_argument *argument = &spec.arguments[i];
        enum { MOST = 4096 };
        if (argument->type && argument->count <= MOST && argument->init != LAUNCH_FILE) {
            void *memory = malloc(argument->count * ptx_type_bytes(argument->type) + 1);
            if (memory)
                launch_fill(argument, memory);
            free(memory);
        }
    }
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        diag_print(&diags, out, true);
        fclose(out);
    }
    diag_free(&diags);
    arena_destroy(arena);
    return 0;
}
