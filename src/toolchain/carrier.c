#include "toolchain/carrier.h"

#include <elf.h>
#include <string.h>

#include "base/alloc.h"

// What ptxas 13 writes of an executable cubin.
enum { OS_CUDA = 0x41, ABI_VERSION = 8, FLAGS = 0x06000004, FLAGS_ARCH_SHIFT = 8 };
enum { SECTION_NONE, SECTION_NAMES, SECTION_PTX, SECTIONS };

static const char names[] = "\0.shstrtab\0.bankrun.ptx";
static const unsigned char sign[TOOLCHAIN_CARRIER_SIGN] = {
    0x7f,        'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, OS_CUDA,
    ABI_VERSION, 'b', 'a', 'n', 'k',        'r',         'u',        'n'};

struct head {
    Elf64_Ehdr elf;
    Elf64_Shdr sections[SECTIONS];
    char names[sizeof names];
};

bool toolchain_is_carrier(const void *image) {
    return memcmp(image, sign, sizeof sign) == 0;
}

char *toolchain_carrier_make(const char *ptx, size_t length, unsigned arch, size_t *bytes) {
    struct head head = {
        .elf = {.e_type = ET_EXEC,
                .e_machine = EM_CUDA,
                .e_version = EV_CURRENT,
                .e_shoff = offsetof(struct head, sections),
                .e_flags = FLAGS | arch << FLAGS_ARCH_SHIFT,
                .e_ehsize = sizeof(Elf64_Ehdr),
                .e_shentsize = sizeof(Elf64_Shdr),
                .e_shnum = SECTIONS,
                .e_shstrndx = SECTION_NAMES},
        .sections = {[SECTION_NAMES] = {.sh_name = 1,
                                        .sh_type = SHT_STRTAB,
                                        .sh_offset = offsetof(struct head, names),
                                        .sh_size = sizeof names,
                                        .sh_addralign = 1},
                     [SECTION_PTX] = {.sh_name = sizeof "\0.shstrtab",
                                      .sh_type = SHT_PROGBITS,
                                      .sh_offset = sizeof head,
                                      .sh_size = length + 1,
                                      .sh_addralign = 1}},
    };
    memcpy(head.elf.e_ident, sign, sizeof sign);
    memcpy(head.names, names, sizeof names);
    *bytes = sizeof head + length + 1;
    char *carrier = base_alloc(*bytes);
    memcpy(carrier, &head, sizeof head);
    memcpy(carrier + sizeof head, ptx, length);
    return carrier; // zeros behind
}

static size_t ptx_bytes(const void *carrier) {
    struct head head;
    memcpy(&head, carrier, sizeof head);
    return head.sections[SECTION_PTX].sh_size;
}

bool toolchain_carrier_is_whole(const void *image, size_t length) {
    if (!toolchain_is_carrier(image))
        return true;
    return length > sizeof(struct head) && ptx_bytes(image) > 0 &&
           ptx_bytes(image) <= length - sizeof(struct head);
}

const char *toolchain_carrier_ptx(const void *carrier, size_t *length) {
    *length = ptx_bytes(carrier) - 1;
    return (const char *)carrier + sizeof(struct head);
}
