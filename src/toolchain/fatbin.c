#include "toolchain/fatbin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/registers.h"

enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64, // entries may have longer headers: names and options follow
    OPTIONS_RECORD = 8,
    OLD_STYLE_MAGIC = 0x1ee55a01,
};

#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_OTHER_PACKING 0x1000u // before CUDA 7
#define FLAG_SUFFIX_A 0x100000u
#define FLAG_SUFFIX_F 0x200000u

static uint16_t read16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t read32(const uint8_t *p) {
    return read16(p) | (uint32_t)read16(p + 2) << 16;
}

static uint64_t read64(const uint8_t *p) {
    return read32(p) | (uint64_t)read32(p + 4) << 32;
}

void toolchain_images_free(struct toolchain_images *images) {
    free(images->items);
    *images = (struct toolchain_images){0};
}

static void append(struct toolchain_images *images, struct toolchain_image image) {
    if (images->count == images->capacity) {
        images->capacity = images->capacity ? 2 * images->capacity : 4;
        images->items = base_realloc(images->items, images->capacity * sizeof *images->items);
    }
    images->items[images->count++] = image;
}

uint64_t toolchain_fatbin_bytes(const void *container) {
    const uint8_t *p = container;
    if (read32(p) != TOOLCHAIN_FATBIN_MAGIC)
        return 0;
    uint64_t payload = read64(p + 8), header = read16(p + 6);
    return payload > UINT64_MAX - header ? 0 : header + payload;
}

static enum toolchain_packing packing_of(uint64_t flags) {
    if (flags & FLAG_ZSTD)
        return TOOLCHAIN_ZSTD;
    if (flags & FLAG_LZ4)
        return TOOLCHAIN_LZ4;
    return flags & FLAG_OTHER_PACKING ? TOOLCHAIN_UNKNOWN : TOOLCHAIN_PLAIN;
}

// Of the options that an entry's header has for ptxas.
static unsigned registers_of(const uint8_t *p, uint32_t header) {
    const uint32_t record = read32(p + 20);
    if (record < ENTRY_HEADER || record > header || header - record < OPTIONS_RECORD)
        return 0;
    const uint32_t at = read32(p + record), length = read32(p + record + 4);
    if (at > header || length > header - at)
        return 0;
    return toolchain_registers_of_line((const char *)p + at, length);
}

// Reads the entry at p, of which `room` bytes are left in the container. Returns its whole size,
// or 0 after an error.
static size_t read_entry(const uint8_t *p, size_t room, const char *name,
                         struct toolchain_images *images, struct diag_list *diags) {
    if (room < ENTRY_HEADER) {
        diag_error(diags, "%s: truncated fat binary: %zu bytes left for an entry's header of %d",
                   name, room, ENTRY_HEADER);
        return 0;
    }
    unsigned kind = read16(p);
    uint32_t header = read32(p + 4);
    uint64_t payload = read64(p + 8);
    if (header < ENTRY_HEADER) {
        diag_error(diags, "%s: corrupt fat binary: an entry's header has %" PRIu32 " bytes", name,
                   header);
        return 0;
    }
    if (header > room || payload > room - header) {
        diag_error(diags,
                   "%s: truncated fat binary: an entry takes %" PRIu32 " + %" PRIu64
                   " bytes, %zu are left",
                   name, header, payload, room);
        return 0;
    }
    uint64_t flags = read64(p + 40);
    struct toolchain_image image = {
        .kind = kind == 1 ? TOOLCHAIN_PTX : TOOLCHAIN_MACHINE_CODE,
        .arch = read32(p + 28),
        .suffix = flags & FLAG_SUFFIX_A   ? 'a'
                  : flags & FLAG_SUFFIX_F ? 'f'
                                          : 0,
        .packing = packing_of(flags),
        .payload = p + header,
        .stored_bytes = (size_t)payload,
        .most_registers = kind == 1 ? registers_of(p, header) : 0,
    };
    if (image.packing != TOOLCHAIN_PLAIN) {
        uint32_t compressed = read32(p + 16);
        image.unpacked_bytes = read64(p + 56);
        if (compressed > payload) {
            diag_error(diags,
                       "%s: corrupt fat binary: %" PRIu32
                       " compressed bytes in an entry of %" PRIu64,
                       name, compressed, payload);
            return 0;
        }
        if (compressed)
            image.stored_bytes = compressed;
    }
    if (kind == 1 || kind == 2) // others hold what only a device linker wants
        append(images, image);
    return header + (size_t)payload;
}

static bool read_container(const uint8_t *p, size_t bytes, const char *name,
                           struct toolchain_images *images, struct diag_list *diags) {
    size_t at = read16(p + 6);
    while (at < bytes) {
        size_t entry = read_entry(p + at, bytes - at, name, images, diags);
        if (!entry)
            return false;
        at += entry;
    }
    return true;
}

static bool is_zero(const uint8_t *p, size_t length) {
    while (length && !*p) {
        p++;
        length--;
    }
    return length == 0;
}

bool toolchain_fatbin_read(const void *data, size_t length, const char *name,
                           struct toolchain_images *images, struct diag_list *diags) {
    const uint8_t *p = data;
    size_t at = 0;
    while (length - at >= CONTAINER_HEADER) {
        uint32_t magic = read32(p + at);
        if (magic == 0) { // padding between the containers of several object files
            at += at % 8 ? 8 - at % 8 : 8;
            if (at > length)
                at = length;
            continue;
        }
        if (magic != TOOLCHAIN_FATBIN_MAGIC) {
            diag_error(diags, "%s: %s (magic 0x%08" PRIx32 " at byte %zu)", name,
                       magic == OLD_STYLE_MAGIC ? "a fat binary of before CUDA 4, which is not read"
                                                : "not a fat binary",
                       magic, at);
            return false;
        }
        uint64_t bytes = toolchain_fatbin_bytes(p + at);
        if (read16(p + at + 4) != 1 || read16(p + at + 6) < CONTAINER_HEADER) {
            diag_error(diags, "%s: fat binary of an unknown version %d (header of %d bytes)", name,
                       read16(p + at + 4), read16(p + at + 6));
            return false;
        }
        if (!bytes || bytes > length - at) {
            diag_error(diags,
                       "%s: truncated fat binary: it says %u + %" PRIu64 " bytes, %zu are there",
                       name, read16(p + at + 6), read64(p + at + 8), length - at);
            return false;
        }
        if (!read_container(p + at, (size_t)bytes, name, images, diags))
            return false;
        at += (size_t)bytes;
    }
    if (is_zero(p + at, length - at))
        return true;
    diag_error(diags, "%s: truncated fat binary: %zu bytes where a header of %d should be", name,
               length - at, CONTAINER_HEADER);
    return false;
}

// Code for one architecture only (`a`) or one family (`f`) does not run on later ones.
static bool runs_on(const struct toolchain_image *image, unsigned arch) {
    if (image->suffix == 'a')
        return image->arch == arch;
    if (image->suffix == 'f')
        return image->arch <= arch && image->arch / 10 == arch / 10;
    return image->arch <= arch;
}

const struct toolchain_image *toolchain_pick_ptx(const struct toolchain_images *images,
                                                 unsigned arch, bool *is_above) {
    const struct toolchain_image *best = NULL, *above = NULL;
    for (size_t i = 0; i < images->count; i++) {
        const struct toolchain_image *image = &images->items[i];
        if (image->kind != TOOLCHAIN_PTX)
            continue;
        // Of two for one architecture the general one is taken: it asks for less.
        if (runs_on(image, arch)) {
            if (!best || image->arch > best->arch || (image->arch == best->arch && !image->suffix))
                best = image;
        } else if (!above || image->arch < above->arch ||
                   (image->arch == above->arch && !image->suffix)) {
            above = image;
        }
    }
    *is_above = !best && above;
    return best ? best : above;
}
