// Where a counter looks for the pattern of a shape.
#ifndef BANKRUN_PROFILE_KEY_H
#define BANKRUN_PROFILE_KEY_H

#include "event/filter.h"

// Odd multipliers without a pattern; the upper bits of the result are good.
static inline uint32_t key_hash(const struct event_shape *key) {
    static const uint32_t multiplier[WARP_LANES] = {
        0xdf1da141u, 0x2c4cd281u, 0xc78193c1u, 0x01afe501u, 0xdccbc641u, 0x4bc93781u, 0x729c38c1u,
        0xe638ca01u, 0xec92eb41u, 0xbc9e9c81u, 0xbe4fddc1u, 0xca9aaf01u, 0x6b731041u, 0x1bcd0181u,
        0x879c82c1u, 0xcbd59401u, 0xb66c3541u, 0x06546681u, 0xab8227c1u, 0x06e97901u, 0x2a7e5a41u,
        0x1934cb81u, 0x0700ccc1u, 0x98d65e01u, 0x24a97f41u, 0xf16e3081u, 0x771871c1u, 0x9e9c4301u,
        0x01eda441u, 0x2c009581u, 0xd8c916c1u, 0x353b2801u,
    };
    uint32_t sum = key->mask * 0x9e3779b1u;
    for (int l = 0; l < WARP_LANES; l++)
        sum += key->lanes[l] * multiplier[l];
    sum ^= sum >> 15;
    return sum * 0x85ebca6bu;
}

// A place in a table of 1 << bits: shapes of borders differ in little else than a lane, and their
// numbers in little else than a few bits.
static inline uint32_t key_place(const struct event_shape *key, unsigned bits) {
    const uint32_t hash = key_hash(key);
    return (hash ^ hash >> 16) * 0xc2b2ae35u >> (32 - bits);
}

#endif
