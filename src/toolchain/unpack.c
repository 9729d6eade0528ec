// The compressed images of fat binaries.
#include <inttypes.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "toolchain/fatbin.h"
#include "toolchain/registers.h"

// No PTX comes near this; a corrupt size must not make us ask for all memory.
#define MAX_UNPACKED ((uint64_t)1 << 30)
enum { LZ4_MAX_RATIO = 255 };

static bool size_is_credible(const struct toolchain_image *image, struct diag_list *diags) {
    uint64_t claimed = image->unpacked_bytes;
    bool fits = claimed > 0 && claimed <= MAX_UNPACKED;
    if (image->packing == TOOLCHAIN_LZ4)
        fits = fits && claimed / LZ4_MAX_RATIO <= image->stored_bytes;
    else
        fits = fits && claimed == ZSTD_getFrameContentSize(image->payload, image->stored_bytes);
    if (!fits)
        diag_error(diags,
                   "corrupt fat binary: %zu compressed bytes cannot hold the %" PRIu64
                   " that its entry for compute_%u says",
                   image->stored_bytes, claimed, image->arch);
    return fits;
}

static bool unpack_into(const struct toolchain_image *image, char *text) {
    size_t claimed = (size_t)image->unpacked_bytes;
    if (image->packing == TOOLCHAIN_ZSTD)
        return ZSTD_decompress(text, claimed, image->payload, image->stored_bytes) == claimed;
    if (image->stored_bytes > LZ4_MAX_INPUT_SIZE)
        return false;
    return LZ4_decompress_safe((const char *)image->payload, text, (int)image->stored_bytes,
                               (int)claimed) == (int)claimed;
}

// A text ends where it is padded with zeros.
static size_t length_of(const struct toolchain_image *image, const char *data, size_t most) {
    return image->kind == TOOLCHAIN_PTX ? strnlen(data, most) : most;
}

static char *unpack(const struct toolchain_image *image, size_t *length, struct diag_list *diags) {
    if (image->packing == TOOLCHAIN_UNKNOWN) {
        diag_error(diags, "the PTX for compute_%u is compressed in a way that is not known",
                   image->arch);
        return NULL;
    }
    if (image->packing == TOOLCHAIN_PLAIN) {
        *length = length_of(image, (const char *)image->payload, image->stored_bytes);
        char *text = malloc(*length + 1);
        if (text) {
            memcpy(text, image->payload, *length);
            text[*length] = 0;
        }
        return text;
    }
    if (!size_is_credible(image, diags))
        return NULL;
    char *text = malloc((size_t)image->unpacked_bytes + 1);
    if (!text || !unpack_into(image, text)) {
        diag_error(diags, "corrupt fat binary: the %s data of the PTX for compute_%u do not unpack",
                   image->packing == TOOLCHAIN_ZSTD ? "zstd" : "LZ4", image->arch);
        free(text);
        return NULL;
    }
    *length = length_of(image, text, (size_t)image->unpacked_bytes);
    text[*length] = 0;
    return text;
}

char *toolchain_unpack(const struct toolchain_image *image, size_t *length,
                       struct diag_list *diags) {
    char *data = unpack(image, length, diags);
    if (data && image->most_registers) {
        data = toolchain_limit_registers(data, image->most_registers);
        *length = strlen(data);
    }
    return data;
}
