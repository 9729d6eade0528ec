// Any bytes as PTX: they parse, or are refused with messages that print; what parses prints as
// PTX that parses again and prints alike.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_diags(const struct diag_list *diags) {
    FILE *out = fopen("/dev/null", "w");
    if (!out)
        return;
    diag_print(diags, out, true);
    fclose(out);
}

// Ranges lie in the text and are no longer than it.
static void check_ranges(const struct diag_list *diags, size_t size) {
    for (size_t i = 0; i < diags->count; i++) {
        struct source_range range = diags->items[i].range;
        if (range.begin > range.end || range.end > size)
            abort();
    }
}

// Initial values of a few bytes of text may be hundreds of megabytes: nothing to print here.
static bool is_small(const struct ptx_module *module) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < module->variable_count; i++)
        bytes += module->variables[i].initial ? module->variables[i].bytes : 0;
    return bytes < 1 << 16;
}

static void check_round_trip(const struct ptx_module *module) {
    struct strbuf first = {0}, second = {0};
    ptx_print(module, &first);
    struct source source = {"<printed>", strbuf_string(&first), first.length};
    struct diag_list diags = {0};
    struct ptx_module *again = ptx_parse(&source, &diags);
    ptx_print(again, &second);
    if (diags.errors || strcmp(strbuf_string(&first), strbuf_string(&second)) != 0) {
        fputs(strbuf_string(&first), stderr);
        diag_print(&diags, stderr, false);
        abort();
    }
    diag_free(&diags);
    ptx_module_free(again);
    strbuf_free(&first);
    strbuf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {"fuzz.ptx", (const char *)data, size};
    struct diag_list diags = {0};
    struct ptx_module *module = ptx_parse(&source, &diags);
    check_ranges(&diags, size);
    print_diags(&diags);
    if (!diags.errors && is_small(module))
        check_round_trip(module);
    diag_free(&diags);
    ptx_module_free(module);
    return 0;
}
