#include <string.h>

#include "base/strbuf.h"
#include "toolchain/fatbin.h"

// As they lie in the file; see fatbin.h.
struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes, unused;
    uint16_t minor, major;
    uint32_t arch;
    uint64_t name;
    uint64_t flags;
    uint64_t reserved, unpacked_bytes;
};

enum { KIND_PTX = 1, ENTRY_VERSION = 0x101, PADDING = 8 };
#define FLAGS_64_BITS_LINUX 0x11u

_Static_assert(sizeof(struct container) == 16 && sizeof(struct entry) == 64, "as in the file");

static uint64_t flags_of(char suffix) {
    return FLAGS_64_BITS_LINUX | (suffix == 'a' ? 0x100000u : suffix == 'f' ? 0x200000u : 0);
}

static void add_entry(struct strbuf *made, const struct toolchain_ptx_image *image) {
    static const char zeros[PADDING];
    const size_t length = strlen(image->ptx) + 1;
    const size_t padding = (PADDING - length % PADDING) % PADDING;
    const struct entry entry = {.kind = KIND_PTX,
                                .version = ENTRY_VERSION,
                                .header_bytes = sizeof entry,
                                .payload_bytes = length + padding,
                                .arch = image->arch,
                                .flags = flags_of(image->suffix)};
    strbuf_append(made, (const char *)&entry, sizeof entry);
    strbuf_append(made, image->ptx, length);
    strbuf_append(made, zeros, padding);
}

char *toolchain_fatbin_make(const struct toolchain_ptx_image *images, size_t count,
                            size_t *length) {
    struct strbuf made = {0};
    struct container head = {
        .magic = TOOLCHAIN_FATBIN_MAGIC, .version = 1, .header_bytes = sizeof head};
    strbuf_append(&made, (const char *)&head, sizeof head);
    for (size_t i = 0; i < count; i++)
        add_entry(&made, &images[i]);
    head.bytes = made.length - sizeof head;
    memcpy(made.data, &head, sizeof head);
    *length = made.length;
    return strbuf_take(&made);
}
