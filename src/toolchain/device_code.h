// What linkers are given: PTX, carriers, fat binaries, object files, archives of these. All that
// matters of it is its PTX.
#ifndef BANKRUN_TOOLCHAIN_DEVICE_CODE_H
#define BANKRUN_TOOLCHAIN_DEVICE_CODE_H

#include <stddef.h>

#include "base/diag.h"

// The PTX to link for an architecture, "" of an archive of what the simulator has itself (the
// device runtime); caller frees. NULL: `diags` say what is wrong with it, with `name`; nothing is,
// but it holds no PTX, where they say nothing.
char *toolchain_device_ptx(const void *data, size_t length, const char *name, unsigned arch,
                           struct diag_list *diags);

#endif
