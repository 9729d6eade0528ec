#include "cudart/link_ptx.h"

char *cudart_link_ptx(char *const *texts, size_t count, struct diag_list *diags) {
    (void)texts;
    diag_error(diags, "the program was built from %zu files of relocatable device code (-rdc=true)",
               count);
    return NULL;
}
