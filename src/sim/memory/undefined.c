#define _GNU_SOURCE // MAP_ANONYMOUS
#include "sim/memory/undefined.h"

#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>

static uint8_t *reserve(uint64_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void sim_undefined_create(struct sim_undefined *undefined, uint64_t begin, uint64_t bytes) {
    *undefined = (struct sim_undefined){.begin = begin, .bytes = bytes};
    undefined->bits = reserve(bytes);
    undefined->pieces = reserve(bytes / SIM_PIECE_BYTES + 1);
    if (!undefined->bits || !undefined->pieces)
        sim_undefined_free(undefined);
}

void sim_undefined_free(struct sim_undefined *undefined) {
    if (undefined->bits)
        munmap(undefined->bits, undefined->bytes);
    if (undefined->pieces)
        munmap(undefined->pieces, undefined->bytes / SIM_PIECE_BYTES + 1);
    *undefined = (struct sim_undefined){0};
}

static bool is_inside(const struct sim_undefined *undefined, uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - undefined->begin;
    return bytes && offset < undefined->bytes && bytes <= undefined->bytes - offset;
}

static void set_piece(struct sim_undefined *undefined, uint64_t number, enum sim_piece piece) {
    __atomic_store_n(&undefined->pieces[number], (uint8_t)piece, __ATOMIC_RELEASE);
}

static void set_byte(struct sim_undefined *undefined, uint64_t offset, uint8_t bits) {
    __atomic_store_n(&undefined->bits[offset], bits, __ATOMIC_RELAXED);
}

static uint8_t get_byte(const struct sim_undefined *undefined, uint64_t offset) {
    return __atomic_load_n(&undefined->bits[offset], __ATOMIC_RELAXED);
}

static enum sim_piece get_piece(const struct sim_undefined *undefined, uint64_t number) {
    return (enum sim_piece)__atomic_load_n(&undefined->pieces[number], __ATOMIC_ACQUIRE);
}

// The same bits for all, words at once where they can be.
static void set_bytes(struct sim_undefined *undefined, uint64_t offset, uint64_t bytes,
                      uint64_t bits) {
    const uint64_t end = offset + bytes;
    for (; offset < end && offset % sizeof bits; offset++)
        set_byte(undefined, offset, (uint8_t)bits);
    for (; offset + sizeof bits <= end; offset += sizeof bits)
        __atomic_store_n((uint64_t *)(void *)&undefined->bits[offset], bits, __ATOMIC_RELAXED);
    for (; offset < end; offset++)
        set_byte(undefined, offset, (uint8_t)bits);
}

static bool counts_as_defined(enum sim_piece piece) {
    return piece == SIM_PIECE_DEFINED || piece == SIM_PIECE_SHARED;
}

// From now on the piece has bits of its own, unless it is shared. One thread at a time sets them.
static void mix(struct sim_undefined *undefined, uint64_t number) {
    uint8_t *piece = &undefined->pieces[number], was = __atomic_load_n(piece, __ATOMIC_ACQUIRE);
    while (was != SIM_PIECE_MIXED && was != SIM_PIECE_SHARED) {
        if (was == SIM_PIECE_BUSY) {
            sched_yield();
            was = __atomic_load_n(piece, __ATOMIC_ACQUIRE);
            continue;
        }
        if (!__atomic_compare_exchange_n(piece, &was, SIM_PIECE_BUSY, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_ACQUIRE))
            continue;
        set_bytes(undefined, number * SIM_PIECE_BYTES, SIM_PIECE_BYTES,
                  was == SIM_PIECE_UNDEFINED ? UINT64_MAX : 0);
        set_piece(undefined, number, SIM_PIECE_MIXED);
        return;
    }
}

void sim_undefined_begin(struct sim_undefined *undefined, uint64_t address, uint64_t bytes,
                         bool is_defined) {
    if (!is_inside(undefined, address, bytes))
        return;
    const uint64_t offset = address - undefined->begin;
    for (uint64_t i = offset / SIM_PIECE_BYTES; i <= (offset + bytes - 1) / SIM_PIECE_BYTES; i++)
        if (get_piece(undefined, i) != is_defined) // pages that nobody touched stay so
            set_piece(undefined, i, is_defined ? SIM_PIECE_DEFINED : SIM_PIECE_UNDEFINED);
}

void sim_undefined_share(struct sim_undefined *undefined, uint64_t address, uint64_t bytes) {
    if (!is_inside(undefined, address, bytes))
        return;
    const uint64_t offset = address - undefined->begin;
    for (uint64_t i = offset / SIM_PIECE_BYTES; i <= (offset + bytes - 1) / SIM_PIECE_BYTES; i++)
        set_piece(undefined, i, SIM_PIECE_SHARED);
}

// The part of [offset, end) that lies in offset's piece.
static uint64_t piece_end(uint64_t offset, uint64_t end) {
    const uint64_t next = (offset / SIM_PIECE_BYTES + 1) * SIM_PIECE_BYTES;
    return next < end ? next : end;
}

void sim_undefined_define(struct sim_undefined *undefined, uint64_t address, uint64_t bytes) {
    if (!is_inside(undefined, address, bytes))
        return;
    const uint64_t offset = address - undefined->begin, end = offset + bytes;
    for (uint64_t at = offset, next; at < end; at = next) {
        const uint64_t number = at / SIM_PIECE_BYTES;
        next = piece_end(at, end);
        if (counts_as_defined(get_piece(undefined, number)))
            continue;
        if (next - at == SIM_PIECE_BYTES) {
            set_piece(undefined, number, SIM_PIECE_DEFINED);
            continue;
        }
        mix(undefined, number);
        set_bytes(undefined, at, next - at, 0);
    }
}

static uint8_t byte_at(const struct sim_undefined *undefined, uint64_t address) {
    switch (sim_undefined_piece(undefined, address)) {
    case SIM_PIECE_UNDEFINED:
        return UINT8_MAX;
    case SIM_PIECE_MIXED:
        return get_byte(undefined, address - undefined->begin);
    default:
        return 0;
    }
}

// Byte by byte, from the end where the target lies behind the source in one range.
static void copy_piece(struct sim_undefined *undefined, uint64_t to, uint64_t from,
                       uint64_t bytes) {
    if (!is_inside(undefined, from, bytes) || !sim_undefined_any(undefined, from, bytes)) {
        sim_undefined_define(undefined, to, bytes);
        return;
    }
    mix(undefined, (to - undefined->begin) / SIM_PIECE_BYTES);
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t at = to > from ? bytes - 1 - i : i;
        set_byte(undefined, to - undefined->begin + at, byte_at(undefined, from + at));
    }
}

void sim_undefined_copy(struct sim_undefined *undefined, uint64_t to, uint64_t from,
                        uint64_t bytes) {
    if (!is_inside(undefined, to, bytes))
        return;
    const bool is_backwards = to > from && to - from < bytes;
    for (uint64_t done = 0, count; done < bytes; done += count) {
        const uint64_t begin = to - undefined->begin;
        if (is_backwards) {
            const uint64_t last = begin + bytes - done - 1;
            count = last % SIM_PIECE_BYTES + 1;
            count = count < bytes - done ? count : bytes - done;
            copy_piece(undefined, to + bytes - done - count, from + bytes - done - count, count);
        } else {
            count = piece_end(begin + done, begin + bytes) - (begin + done);
            copy_piece(undefined, to + done, from + done, count);
        }
    }
}

static bool any_in_piece(const struct sim_undefined *undefined, uint64_t offset, uint64_t bytes) {
    uint64_t any = 0;
    const uint64_t end = offset + bytes;
    for (; offset < end && offset % sizeof any; offset++)
        any |= get_byte(undefined, offset);
    for (; offset + sizeof any <= end; offset += sizeof any)
        any |= __atomic_load_n((uint64_t *)(void *)&undefined->bits[offset], __ATOMIC_RELAXED);
    for (; offset < end; offset++)
        any |= get_byte(undefined, offset);
    return any != 0;
}

bool sim_undefined_any(const struct sim_undefined *undefined, uint64_t address, uint64_t bytes) {
    if (!is_inside(undefined, address, bytes))
        return false;
    const uint64_t offset = address - undefined->begin, end = offset + bytes;
    for (uint64_t at = offset, next; at < end; at = next) {
        const enum sim_piece piece = sim_undefined_piece(undefined, undefined->begin + at);
        next = piece_end(at, end);
        if (piece == SIM_PIECE_UNDEFINED ||
            (piece == SIM_PIECE_MIXED && any_in_piece(undefined, at, next - at)))
            return true;
    }
    return false;
}

uint64_t sim_undefined_get(const struct sim_undefined *undefined, uint64_t address,
                           unsigned bytes) {
    uint64_t bits = 0;
    switch (sim_undefined_piece(undefined, address)) {
    case SIM_PIECE_UNDEFINED:
        return UINT64_MAX >> (64 - 8 * bytes);
    case SIM_PIECE_MIXED:
        for (unsigned i = 0; i < bytes; i++)
            bits |= (uint64_t)get_byte(undefined, address - undefined->begin + i) << 8 * i;
        return bits;
    default:
        return 0;
    }
}

void sim_undefined_set(struct sim_undefined *undefined, uint64_t address, unsigned bytes,
                       uint64_t bits) {
    const enum sim_piece piece = sim_undefined_piece(undefined, address);
    if (piece == SIM_PIECE_SHARED ||
        (piece == SIM_PIECE_DEFINED && (!bits || address - undefined->begin >= undefined->bytes)))
        return;
    if (piece != SIM_PIECE_MIXED)
        mix(undefined, (address - undefined->begin) / SIM_PIECE_BYTES);
    for (unsigned i = 0; i < bytes; i++)
        set_byte(undefined, address - undefined->begin + i, (uint8_t)(bits >> 8 * i));
}
