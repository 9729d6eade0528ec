// Apart from modules: a library that disassembles nothing needs none of the toolchain.
#include "run/module.h"
#include "toolchain/disassemble.h"

char *run_list_code(const struct ptx_module *ptx, const struct source *source, unsigned arch,
                    const char *cache_folder, struct diag_list *diags) {
    const char features = ptx->target_suffix;
    return toolchain_disassemble(source->text, source->length, features ? ptx->target : arch,
                                 features, cache_folder, diags);
}
