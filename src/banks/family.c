/* Families of architectures, and the banks that each has. */
#include "model.h"

#include <stddef.h>

enum bankrun_family bankrun_family_of(unsigned arch) {
    if (bankrun_limits_of(arch) == NULL)
        return BANKRUN_FAMILY_NONE;
    arch &= ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
    return arch < 20   ? BANKRUN_FAMILY_1
           : arch < 30 ? BANKRUN_FAMILY_2
           : arch < 50 ? BANKRUN_FAMILY_3
                       : BANKRUN_FAMILY_MODERN;
}

unsigned bankrun_banks(unsigned arch) {
    switch (bankrun_family_of(arch)) {
    case BANKRUN_FAMILY_NONE:
        return 0;
    case BANKRUN_FAMILY_1:
        return 16;
    default:
        return 32;
    }
}

unsigned bankrun_bank_bytes(unsigned arch) {
    return bankrun_family_of(arch) == BANKRUN_FAMILY_NONE ? 0
           : arch & BANKRUN_EIGHT_BYTE_BANKS              ? 8
                                                          : 4;
}

unsigned bankrun_bank(unsigned arch, uint32_t offset) {
    if (arch & BANKRUN_EIGHT_BYTE_BANKS)
        return offset / 8 % 32;
    return offset / 4 % (bankrun_family_of(arch) == BANKRUN_FAMILY_1 ? 16 : 32);
}

unsigned bankrun_period(unsigned arch, unsigned width) {
    switch (bankrun_family_of(arch)) {
    case BANKRUN_FAMILY_NONE:
        return 0;
    case BANKRUN_FAMILY_3: /* words i and i + 32 of an aligned row of 64 go together */
        return 256;
    default:
        return width > 4 ? width : 4;
    }
}
