// From an event's addresses to the key of its lane pattern: the hot path of all counting.
#ifndef BANKRUN_PROFILE_KEY_H
#define BANKRUN_PROFILE_KEY_H

#include "profile/counter.h"

#define KEY_ALL_LANES 0xffffffffu

// Bit n for lane n: baseline vector units have no shift by a different count in each lane.
#define KEY_BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t key_lane_bit[WARP_LANES] = {KEY_BITS(0),  KEY_BITS(4),  KEY_BITS(8),
                                                  KEY_BITS(12), KEY_BITS(16), KEY_BITS(20),
                                                  KEY_BITS(24), KEY_BITS(28)};

static inline void key_clear_inactive(struct counter_key *key) {
    if (key->mask != KEY_ALL_LANES)
        for (int l = 0; l < WARP_LANES; l++)
            key->lanes[l] &= -(uint32_t)((key->mask & key_lane_bit[l]) != 0);
}

static inline void key_of_offsets(struct counter_key *key, uint32_t mask, const uint32_t *offsets,
                                  uint32_t keep) {
    uint32_t base = offsets[__builtin_ctz(mask)] & ~keep;
    for (int l = 0; l < WARP_LANES; l++)
        key->lanes[l] = offsets[l] - base;
    key->mask = mask;
    key_clear_inactive(key);
}

// False: the lanes are more than 2 GiB apart, and have no key.
static inline bool key_of_addresses(struct counter_key *key, uint32_t mask,
                                    const uint64_t *addresses, uint32_t keep) {
    uint64_t base = addresses[__builtin_ctz(mask)] & ~(uint64_t)keep;
    uint32_t far[WARP_LANES], any = 0;
    for (int l = 0; l < WARP_LANES; l++) {
        uint64_t distance = addresses[l] - base;
        key->lanes[l] = (uint32_t)distance;
        far[l] = (uint32_t)((distance + 0x80000000u) >> 32);
    }
    key->mask = mask;
    key_clear_inactive(key);
    if (mask == KEY_ALL_LANES)
        for (int l = 0; l < WARP_LANES; l++)
            any |= far[l];
    else
        for (int l = 0; l < WARP_LANES; l++)
            any |= far[l] & -(uint32_t)((mask & key_lane_bit[l]) != 0);
    return any == 0;
}

static inline bool key_equal(const struct counter_key *a, const struct counter_key *b) {
    uint32_t differ = a->mask ^ b->mask;
    for (int l = 0; l < WARP_LANES; l++)
        differ |= a->lanes[l] ^ b->lanes[l];
    return differ == 0;
}

// Odd multipliers without a pattern; the upper bits of the result are good.
static inline uint32_t key_hash(const struct counter_key *key) {
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

#endif
