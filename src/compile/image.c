// The parts of a linker that it takes: sections one behind the other, relocations between them,
// and a jump through a slot for each function outside. See image.h.
#include "compile/image.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sim/native/image.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE // no object is of it
#endif

enum { STUB = 16, SLOT = 8, PAGE = 4096 };
enum { NOWHERE = -1 };

#define NAME(name) #name,
static const char *const outside[] = {NATIVE_OUTSIDE(NAME)};
enum { OUTSIDE = sizeof outside / sizeof *outside };

struct link {
    const uint8_t *object;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    const char *names; // of symbols
    unsigned section_count;
    int64_t *places; // of sections in the image; NOWHERE
    uint8_t *image;
    uint64_t bytes, stubs, slots;
    uint32_t called[OUTSIDE]; // numbers of functions, in the order of their slots
    unsigned called_count;
    const char *why; // it cannot be
};

// ---- What the object has ------------------------------------------------------------------------

static bool open_object(struct link *link, size_t length) {
    const Elf64_Ehdr *head = (const void *)link->object;
    link->why = "it is no object of this machine";
    if (length < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != MACHINE ||
        head->e_type != ET_REL)
        return false;
    link->sections = (const void *)(link->object + head->e_shoff);
    link->section_count = head->e_shnum;
    for (unsigned s = 0; s < link->section_count; s++)
        if (link->sections[s].sh_type == SHT_SYMTAB) {
            const Elf64_Shdr *names = &link->sections[link->sections[s].sh_link];
            link->symbols = (const void *)(link->object + link->sections[s].sh_offset);
            link->names = (const char *)link->object + names->sh_offset;
        }
    if (!link->symbols)
        return false;
    link->why = NULL;
    return true;
}

// What unwinds is nothing that runs.
static bool is_loaded(const struct link *link, const Elf64_Shdr *section) {
    const Elf64_Ehdr *head = (const void *)link->object;
    const char *names = (const char *)link->object + link->sections[head->e_shstrndx].sh_offset;
    return section->sh_flags & SHF_ALLOC && section->sh_size && section->sh_type == SHT_PROGBITS &&
           strcmp(names + section->sh_name, ".eh_frame") != 0;
}

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

static void place_sections(struct link *link) {
    link->bytes = sizeof(struct native_image_head);
    for (unsigned s = 0; s < link->section_count; s++) {
        const Elf64_Shdr *section = &link->sections[s];
        link->places[s] = NOWHERE;
        if (section->sh_flags & SHF_ALLOC && section->sh_flags & SHF_WRITE && section->sh_size)
            link->why = "it has variables";
        if (section->sh_addralign > PAGE)
            link->why = "it is aligned to more than a page";
        if (!is_loaded(link, section))
            continue;
        link->bytes = round_up(link->bytes, section->sh_addralign);
        link->places[s] = (int64_t)link->bytes;
        link->bytes += section->sh_size;
    }
    link->stubs = round_up(link->bytes, STUB);
}

// ---- Functions outside --------------------------------------------------------------------------

static uint32_t number_of(const char *name) {
    for (uint32_t i = 0; i < OUTSIDE; i++)
        if (strcmp(outside[i], name) == 0)
            return i;
    return OUTSIDE;
}

static void note_call(struct link *link, const Elf64_Sym *symbol) {
    const uint32_t number = number_of(link->names + symbol->st_name);
    if (number == OUTSIDE) {
        link->why = "it calls a function that is not known";
        return;
    }
    for (unsigned i = 0; i < link->called_count; i++)
        if (link->called[i] == number)
            return;
    link->called[link->called_count++] = number;
}

static uint64_t stub_of(const struct link *link, const Elf64_Sym *symbol) {
    const uint32_t number = number_of(link->names + symbol->st_name);
    unsigned i = 0;
    while (link->called[i] != number)
        i++;
    return link->stubs + (uint64_t)i * STUB;
}

// A jump to where the slot says.
static void write_stub(uint8_t *at, int64_t distance) {
#if defined(__x86_64__)
    const int32_t relative = (int32_t)(distance - 6); // jmp *relative(%rip)
    memcpy(at, "\xff\x25", 2);
    memcpy(at + 2, &relative, sizeof relative);
#else
    const uint32_t code[] = {0x58000010u | (uint32_t)(distance / 4 & 0x7ffff) << 5, // ldr x16, slot
                             0xd61f0200u};                                          // br x16
    memcpy(at, code, sizeof code);
#endif
}

static void write_stubs(struct link *link) {
    for (unsigned i = 0; i < link->called_count; i++) {
        const uint64_t stub = link->stubs + (uint64_t)i * STUB, number = link->called[i];
        const uint64_t slot = link->slots + (uint64_t)i * SLOT;
        write_stub(link->image + stub, (int64_t)(slot - stub));
        memcpy(link->image + slot, &number, sizeof number);
    }
}

// ---- Relocations --------------------------------------------------------------------------------

static void put32(struct link *link, uint8_t *at, int64_t value) {
    const int32_t narrow = (int32_t)value;
    if (narrow != value)
        link->why = "it is too large";
    memcpy(at, &narrow, sizeof narrow);
}

#if defined(__x86_64__)
// Addresses in the image: what holds a place, and where that lies.
static void relocate(struct link *link, uint8_t *at, unsigned type, uint64_t value,
                     uint64_t place) {
    switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        put32(link, at, (int64_t)(value - place));
        break;
    case R_X86_64_PC64:
        value -= place;
        memcpy(at, &value, sizeof value);
        break;
    default:
        link->why = "it has relocations of other kinds";
    }
}
#else
static void set_bits(uint8_t *at, uint32_t mask, uint64_t bits) {
    uint32_t code;
    memcpy(&code, at, sizeof code);
    code = (code & ~mask) | ((uint32_t)bits & mask);
    memcpy(at, &code, sizeof code);
}

static void set_low(struct link *link, uint8_t *at, uint64_t value, unsigned shift) {
    if (value % (1u << shift))
        link->why = "it has data that is not aligned";
    set_bits(at, 0xfffu << 10, (value % PAGE >> shift) << 10);
}

static void set_page(struct link *link, uint8_t *at, uint64_t value, uint64_t place) {
    const int64_t pages = (int64_t)(value / PAGE) - (int64_t)(place / PAGE);
    if (pages != (int32_t)pages << 11 >> 11)
        link->why = "it is too large";
    set_bits(at, 3u << 29 | 0x7ffffu << 5,
             ((uint64_t)pages & 3) << 29 | ((uint64_t)pages >> 2 & 0x7ffff) << 5);
}

static void relocate(struct link *link, uint8_t *at, unsigned type, uint64_t value,
                     uint64_t place) {
    const int64_t distance = (int64_t)(value - place);
    switch (type) {
    case R_AARCH64_ADR_PREL_PG_HI21:
        set_page(link, at, value, place);
        break;
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        set_low(link, at, value, 0);
        break;
    case R_AARCH64_LDST16_ABS_LO12_NC:
        set_low(link, at, value, 1);
        break;
    case R_AARCH64_LDST32_ABS_LO12_NC:
        set_low(link, at, value, 2);
        break;
    case R_AARCH64_LDST64_ABS_LO12_NC:
        set_low(link, at, value, 3);
        break;
    case R_AARCH64_LDST128_ABS_LO12_NC:
        set_low(link, at, value, 4);
        break;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        if (distance < -(1 << 27) || distance >= 1 << 27)
            link->why = "it is too large";
        set_bits(at, 0x3ffffff, (uint64_t)distance >> 2);
        break;
    case R_AARCH64_PREL32:
        put32(link, at, distance);
        break;
    default:
        link->why = "it has relocations of other kinds";
    }
}
#endif

static void apply(struct link *link, const Elf64_Rela *rela, int64_t section) {
    const Elf64_Sym *symbol = &link->symbols[ELF64_R_SYM(rela->r_info)];
    const uint64_t place = (uint64_t)section + rela->r_offset;
    uint64_t value;
    if (symbol->st_shndx == SHN_UNDEF) {
        value = stub_of(link, symbol);
    } else if (symbol->st_shndx < link->section_count && link->places[symbol->st_shndx] >= 0) {
        value = (uint64_t)link->places[symbol->st_shndx] + symbol->st_value;
    } else {
        link->why = "it refers to what is not loaded";
        return;
    }
    relocate(link, link->image + place, (unsigned)ELF64_R_TYPE(rela->r_info),
             value + (uint64_t)rela->r_addend, place);
}

static void note(struct link *link, const Elf64_Rela *rela, int64_t section) {
    const Elf64_Sym *symbol = &link->symbols[ELF64_R_SYM(rela->r_info)];
    (void)section;
    if (symbol->st_shndx == SHN_UNDEF)
        note_call(link, symbol);
}

static void each_relocation(struct link *link,
                            void (*visit)(struct link *link, const Elf64_Rela *rela,
                                          int64_t section)) {
    for (unsigned s = 0; s < link->section_count; s++) {
        const Elf64_Shdr *section = &link->sections[s];
        if (section->sh_type != SHT_RELA || link->places[section->sh_info] < 0)
            continue;
        const Elf64_Rela *all = (const void *)(link->object + section->sh_offset);
        for (uint64_t r = 0; r < section->sh_size / sizeof *all && !link->why; r++)
            visit(link, &all[r], link->places[section->sh_info]);
    }
}

// ---- The image ----------------------------------------------------------------------------------

static uint64_t find(struct link *link, const char *entry) {
    for (unsigned s = 0; s < link->section_count; s++) {
        const Elf64_Shdr *section = &link->sections[s];
        for (uint64_t i = 0;
             section->sh_type == SHT_SYMTAB && i < section->sh_size / sizeof(Elf64_Sym); i++) {
            const Elf64_Sym *symbol = &link->symbols[i];
            if (strcmp(link->names + symbol->st_name, entry) == 0 &&
                symbol->st_shndx < link->section_count && link->places[symbol->st_shndx] >= 0)
                return (uint64_t)link->places[symbol->st_shndx] + symbol->st_value;
        }
    }
    link->why = "its function is not there";
    return 0;
}

static void write_image(struct link *link, const char *entry) {
    link->slots = round_up(link->stubs + (uint64_t)link->called_count * STUB, SLOT);
    link->bytes = link->slots + (uint64_t)link->called_count * SLOT;
    link->image = base_alloc(link->bytes);
    for (unsigned s = 0; s < link->section_count; s++)
        if (link->places[s] >= 0)
            memcpy(link->image + link->places[s], link->object + link->sections[s].sh_offset,
                   link->sections[s].sh_size);
    const struct native_image_head head = {
        .bytes = link->bytes,
        .entry = find(link, entry),
        .slots = link->slots,
        .slot_count = link->called_count,
    };
    memcpy(link->image, &head, sizeof head);
    write_stubs(link);
    each_relocation(link, apply);
}

uint8_t *image_make(const void *object, size_t length, const char *entry, size_t *bytes,
                    const char **why) {
    struct link link = {.object = object};
    if (open_object(&link, length)) {
        link.places = base_alloc((link.section_count + 1) * sizeof *link.places);
        place_sections(&link);
        each_relocation(&link, note);
        if (!link.why)
            write_image(&link, entry);
    }
    free(link.places);
    *why = link.why;
    *bytes = link.bytes;
    if (!link.why)
        return link.image;
    free(link.image);
    return NULL;
}
