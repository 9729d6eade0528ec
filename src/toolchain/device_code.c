#include "toolchain/device_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/carrier.h"
#include "toolchain/elf_info.h"

static char *of_carrier(const void *data, size_t length, const char *name,
                        struct diag_list *diags) {
    size_t ptx_length;
    if (!toolchain_carrier_is_whole(data, length)) {
        diag_error(diags, "%s: it is cut off", name);
        return NULL;
    }
    const char *ptx = toolchain_carrier_ptx(data, &ptx_length);
    return base_strndup(ptx, ptx_length);
}

static char *of_images(const void *data, size_t length, const char *name, unsigned arch,
                       struct diag_list *diags) {
    struct toolchain_images images = {0};
    void *aligned = base_alloc(length + 1);
    memcpy(aligned, data, length);
    bool is_above, is_good = toolchain_images_of_file(aligned, length, name, &images, diags);
    const struct toolchain_image *image =
        is_good ? toolchain_pick_ptx(&images, arch, &is_above) : NULL;
    size_t ptx_length;
    char *text = image ? toolchain_unpack(image, &ptx_length, diags) : NULL;
    toolchain_images_free(&images);
    free(aligned);
    return text;
}

// Text, as far as its first bytes tell; what is wrong with it the parser will say.
static bool is_text(const char *data, size_t length) {
    const size_t most = length < 64 ? length : 64;
    for (size_t i = 0; i < most; i++)
        if (data[i] == 0x7f || ((unsigned char)data[i] < ' ' && !strchr("\t\n\r\f\v", data[i])))
            return false;
    return length > 0;
}

char *toolchain_device_ptx(const void *data, size_t length, const char *name, unsigned arch,
                           struct diag_list *diags) {
    if (length >= TOOLCHAIN_CARRIER_SIGN && toolchain_is_carrier(data))
        return of_carrier(data, length, name, diags);
    size_t text_length = strnlen(data, length); // with or without its NUL
    if (is_text(data, text_length))
        return base_strndup(data, text_length);
    return of_images(data, length, name, arch, diags);
}
