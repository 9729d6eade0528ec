// PTX in the place of machine code. Compilers at run time hand on cubins: ELF files for a CUDA
// device. In the processes that bankrun follows they hand on a carrier instead, an ELF file of the
// same kind that holds PTX and no machine code.
//
// Layout: ELF header whose padding (e_ident[9..15]) reads "bankrun", three section headers (none,
// names, .bankrun.ptx), the names, the PTX and a NUL. A GPU's driver finds no kernel in it.
#ifndef BANKRUN_TOOLCHAIN_CARRIER_H
#define BANKRUN_TOOLCHAIN_CARRIER_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOLCHAIN_CARRIER_SIGN = 16 }; // bytes that tell a carrier from all else

bool toolchain_is_carrier(const void *image);

// Caller frees; *bytes long. `arch`: 90 of sm_90.
char *toolchain_carrier_make(const char *ptx, size_t length, unsigned arch, size_t *bytes);

// Whether a file of so many bytes, TOOLCHAIN_CARRIER_SIGN or more, holds all of a carrier; true of
// what is none.
bool toolchain_carrier_is_whole(const void *image, size_t length);

// The PTX, NUL-terminated, inside of the carrier.
const char *toolchain_carrier_ptx(const void *carrier, size_t *length);

#endif
