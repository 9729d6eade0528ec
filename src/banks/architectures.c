/* The architectures, and what a multiprocessor of each holds.
 * Source: the tables of compute capabilities in the CUDA C++ Programming Guide. */
#include "bankrun/banks.h"

#include <stddef.h>

#define KB(n) ((n)*1024u)

/* arch, warps, blocks, registers, shared, shared of a block, unit, reserved, threads of a block */
/* clang-format off */
#define ARCHITECTURES(X)                                                                         \
    X(10, 24, 8, 8192, KB(16), KB(16), 512, 0, 512)                                              \
    X(11, 24, 8, 8192, KB(16), KB(16), 512, 0, 512)                                              \
    X(12, 32, 8, 16384, KB(16), KB(16), 512, 0, 512)                                             \
    X(13, 32, 8, 16384, KB(16), KB(16), 512, 0, 512)                                             \
    X(20, 48, 8, 32768, KB(48), KB(48), 128, 0, 1024)                                            \
    X(21, 48, 8, 32768, KB(48), KB(48), 128, 0, 1024)                                            \
    X(30, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024)                                           \
    X(32, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024)                                           \
    X(35, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024)                                           \
    X(37, 64, 16, 131072, KB(112), KB(48), 256, 0, 1024)                                         \
    X(50, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024)                                           \
    X(52, 64, 32, 65536, KB(96), KB(48), 256, 0, 1024)                                           \
    X(53, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024)                                           \
    X(60, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024)                                           \
    X(61, 64, 32, 65536, KB(96), KB(48), 256, 0, 1024)                                           \
    X(62, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024)                                           \
    X(70, 64, 32, 65536, KB(96), KB(96), 256, 0, 1024)                                           \
    X(72, 64, 32, 65536, KB(96), KB(96), 256, 0, 1024)                                           \
    X(75, 32, 16, 65536, KB(64), KB(64), 256, 0, 1024)                                           \
    X(80, 64, 32, 65536, KB(164), KB(163), 128, 1024, 1024)                                      \
    X(86, 48, 16, 65536, KB(100), KB(99), 128, 1024, 1024)                                       \
    X(87, 48, 16, 65536, KB(164), KB(163), 128, 1024, 1024)                                      \
    X(89, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024)                                       \
    X(90, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024)                                      \
    X(100, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024)                                     \
    X(101, 48, 24, 65536, KB(228), KB(227), 128, 1024, 1024)                                     \
    X(103, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024)                                     \
    X(110, 48, 24, 65536, KB(228), KB(227), 128, 1024, 1024)                                     \
    X(120, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024)                                      \
    X(121, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024)
/* clang-format on */

/* By architecture, with holes. */
static const struct bankrun_limits table[] = {
#define X(arch, ...) [arch] = {arch, __VA_ARGS__},
    ARCHITECTURES(X)
#undef X
};
enum { ROWS = sizeof table / sizeof *table };

const struct bankrun_limits *bankrun_limits_of(unsigned arch) {
    unsigned plain = arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
    if (plain != arch && plain / 10 != 3) /* a mode of 3.x alone */
        return NULL;
    return plain < ROWS && table[plain].arch != 0 ? &table[plain] : NULL;
}

const unsigned *bankrun_architectures(void) {
#define X(arch, ...) arch,
    static const unsigned all[] = {ARCHITECTURES(X) 0};
#undef X
    return all;
}
