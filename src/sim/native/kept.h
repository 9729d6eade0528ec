// Native code of earlier runs: kept in bankrun's cache folder, beside compiled programs, by all
// that it depends on.
#ifndef BANKRUN_SIM_NATIVE_KEPT_H
#define BANKRUN_SIM_NATIVE_KEPT_H

#include "base/kept.h"
#include "sim/native/compiler.h"

struct native_key {
    char text[KEPT_KEY]; // "": it is not kept
};

// Of the kernel's PTX and what was decoded of it, of this code, of the file of the compiler - the
// same in all calls - and of the processor.
struct native_key native_key_of(const struct sim_kernel *kernel, bool has_whole_rows,
                                const char *compiler);
// False: there is none, or it is damaged. The result is the caller's.
bool native_kept_load(const char *folder, const struct native_key *key, struct compiled *compiled);
// May come to nothing.
void native_kept_store(const char *folder, const struct native_key *key,
                       const struct compiled *compiled);

#endif
