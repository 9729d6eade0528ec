// Relocatable device code: one PTX text for each source file, put together to one.
#ifndef BANKRUN_CUDART_LINK_PTX_H
#define BANKRUN_CUDART_LINK_PTX_H

#include <stddef.h>

#include "base/diag.h"

// The caller frees the result. NULL: diags say why.
char *cudart_link_ptx(char *const *texts, size_t count, struct diag_list *diags);

#endif
