#include "toolchain/device_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "toolchain/carrier.h"
#include "toolchain/elf_info.h"
#include "toolchain/link.h"

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

// ---- Archives -----------------------------------------------------------------------------------

static const char archive_magic[] = "!<arch>\n";

struct archive_header { // of a member, as text; the member follows, padded to two bytes
    char name[16], time[12], owner[6], group[6], mode[8], size[10], end[2];
};

// The member at *at, which it moves behind. False: the end, or what stands there is none.
static bool next_member(const char *data, size_t length, size_t *at, struct archive_header *header,
                        const char **member, size_t *member_length) {
    if (*at > length || length - *at < sizeof *header)
        return false;
    memcpy(header, data + *at, sizeof *header);
    char size[sizeof header->size + 1] = {0};
    memcpy(size, header->size, sizeof header->size);
    *member_length = strtoul(size, NULL, 10);
    *member = data + *at + sizeof *header;
    if (memcmp(header->end, "`\n", 2) != 0 || *member_length > length - *at - sizeof *header)
        return false;
    *at += sizeof *header + *member_length + *member_length % 2;
    return true;
}

// All members are linked, but what the simulator has itself.
static char *of_archive(const char *data, size_t length, const char *name, unsigned arch,
                        struct diag_list *diags) {
    VEC(char *) texts = {0};
    struct archive_header header;
    const char *member;
    size_t at = strlen(archive_magic), member_length;
    while (!diags->errors && next_member(data, length, &at, &header, &member, &member_length)) {
        if (header.name[0] == '/' && (header.name[1] < '0' || header.name[1] > '9'))
            continue; // tables of symbols and of long names
        char *text = of_images(member, member_length, name, arch, diags);
        if (text && toolchain_is_device_runtime(text))
            free(text);
        else if (text)
            vec_push(&texts, text);
    }
    if (!diags->errors && at < length)
        diag_error(diags, "%s: the archive is damaged", name);
    char *linked = diags->errors  ? NULL
                   : texts.length ? toolchain_link_ptx(texts.data, texts.length)
                                  : base_strdup("");
    for (size_t i = 0; i < texts.length; i++)
        free(texts.data[i]);
    vec_free(&texts);
    return linked;
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
    if (length >= strlen(archive_magic) && !memcmp(data, archive_magic, strlen(archive_magic)))
        return of_archive(data, length, name, arch, diags);
    size_t text_length = strnlen(data, length); // with or without its NUL
    if (is_text(data, text_length))
        return base_strndup(data, text_length);
    return of_images(data, length, name, arch, diags);
}
