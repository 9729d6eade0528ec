// What the parts of the printer share.
#ifndef BANKRUN_PTX_PRINT_H
#define BANKRUN_PTX_PRINT_H

#include "base/strbuf.h"
#include "ptx/ptx.h"

// `.reg .b32 %r<31>`, without the `;`
void ptx_print_variable(const struct ptx_variable *variable, struct strbuf *out);
void ptx_print_operand(const struct ptx_operand *operand, struct strbuf *out);

#endif
