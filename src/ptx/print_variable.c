// Declarations as PTX.
#include <inttypes.h>
#include <string.h>

#include "ptx/print.h"

static const char *space_text(enum ptx_space space) {
    switch (space) {
    case PTX_SPACE_REG:
        return ".reg";
    case PTX_SPACE_CONST:
        return ".const";
    case PTX_SPACE_GLOBAL:
        return ".global";
    case PTX_SPACE_LOCAL:
        return ".local";
    case PTX_SPACE_PARAM:
        return ".param";
    case PTX_SPACE_SHARED:
        return ".shared";
    case PTX_SPACE_TEX:
        return ".tex";
    case PTX_SPACE_GENERIC:
        break;
    }
    return "";
}

static void print_address(const struct ptx_fixup *fixup, struct strbuf *out) {
    strbuf_printf(out, fixup->is_generic ? "generic(%s)" : "%s", fixup->symbol);
    if (fixup->addend)
        strbuf_printf(out, "%+" PRId64, fixup->addend);
}

// The part of an address that an element holds: all of it, or one byte of it.
static bool print_fixup(const struct ptx_variable *variable, uint64_t offset, unsigned bytes,
                        size_t *next, struct strbuf *out) {
    while (*next < variable->fixup_count &&
           variable->fixups[*next].offset + variable->fixups[*next].bytes <= offset)
        ++*next;
    if (*next == variable->fixup_count || offset < variable->fixups[*next].offset)
        return false;
    const struct ptx_fixup *fixup = &variable->fixups[*next];
    if (bytes == fixup->bytes) {
        print_address(fixup, out);
        return true;
    }
    uint64_t mask = (uint64_t)0xff << 8 * (offset - fixup->offset);
    strbuf_printf(out, "0x%" PRIX64 "(", mask);
    print_address(fixup, out);
    strbuf_puts(out, ")");
    return true;
}

static void print_element(const struct ptx_variable *variable, uint64_t offset, unsigned bytes,
                          struct strbuf *out) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < bytes && i < 8; i++)
        bits |= (uint64_t)variable->initial[offset + i] << 8 * i;
    if (variable->type == PTX_F32)
        strbuf_printf(out, "0f%08" PRIX64, bits);
    else if (variable->type == PTX_F64)
        strbuf_printf(out, "0d%016" PRIX64, bits);
    else
        strbuf_printf(out, "%" PRIu64, bits);
}

static void print_initial(const struct ptx_variable *variable, struct strbuf *out) {
    unsigned bytes = ptx_type_bytes(variable->type);
    uint64_t count = variable->elements * variable->vector;
    size_t next = 0;
    bool has_braces = variable->is_array || variable->vector > 1;
    strbuf_puts(out, has_braces ? " = {" : " = ");
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            strbuf_puts(out, ", ");
        if (!print_fixup(variable, i * bytes, bytes, &next, out))
            print_element(variable, i * bytes, bytes, out);
    }
    if (has_braces)
        strbuf_puts(out, "}");
}

void ptx_print_variable(const struct ptx_variable *variable, struct strbuf *out) {
    if (variable->is_extern)
        strbuf_puts(out, ".extern ");
    if (variable->is_visible)
        strbuf_puts(out, ".visible ");
    if (variable->is_weak)
        strbuf_puts(out, ".weak ");
    if (variable->is_common)
        strbuf_puts(out, ".common ");
    strbuf_puts(out, space_text(variable->space));
    if (variable->is_managed)
        strbuf_puts(out, " .attribute(.managed)");
    if (variable->align)
        strbuf_printf(out, " .align %u", variable->align);
    if (variable->vector > 1)
        strbuf_printf(out, " .v%u", variable->vector);
    strbuf_printf(out, " .%s %s", ptx_type_text(variable->type), variable->name);
    if (variable->family)
        strbuf_printf(out, "<%" PRIu32 ">", variable->family);
    if (variable->is_unsized)
        strbuf_puts(out, "[]");
    else if (variable->is_array)
        strbuf_printf(out, "[%" PRIu64 "]", variable->elements);
    if (variable->initial)
        print_initial(variable, out);
}
