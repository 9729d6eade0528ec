// Any bytes as a kernel: what parses builds and is valid, or is refused with messages that lie in
// the text.
#include <stdint.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ranges(const struct diag_list *diags, size_t size) {
    for (size_t i = 0; i < diags->count; i++) {
        struct source_range range = diags->items[i].range;
        if (range.begin > range.end || range.end > size)
            abort();
    }
}

// A module that was built says of each function the same twice.
static void check_valid(const struct ir_module *module) {
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct diag_list again = {0};
        if (!ir_validate(module->functions[i], &again))
            abort();
        diag_free(&again);
        uint32_t count;
        free(ir_reachable(module->functions[i], &count));
        if (module->functions[i]->ptx->is_entry && !ir_shared_layout(module->functions[i]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {"fuzz.ptx", (const char *)data, size};
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(&source, &diags);
    if (!diags.errors) {
        struct ir_module *module = ir_build(ptx, &diags);
        if (!module && !diags.errors)
            abort();
        if (module)
            check_valid(module);
        ir_free(module);
    }
    check_ranges(&diags, size);
    diag_free(&diags);
    ptx_module_free(ptx);
    return 0;
}
