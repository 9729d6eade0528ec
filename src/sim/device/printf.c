// Device printf. The compiler packs the arguments into a buffer as C passes variable arguments:
// int and what is promoted to it take 4 bytes, everything else 8, each at a multiple of its size.
#include <inttypes.h>
#include <string.h>

#include "sim/device/calls.h"
#include "sim/flow/block.h"
#include "sim/flow/window.h"

// One lane's call while it is being formatted.
struct print {
    struct sim_warp *warp;
    const struct sim_instr *instr;
    unsigned lane;
    uint64_t arguments; // generic address of the buffer
    uint64_t position;  // in it
    int parsed;
    struct strbuf *out;
};

// A conversion: what stands between the '%' and the letter.
struct conversion {
    char flags[8];
    int width, precision; // -1: none
    int longs;            // 'l' counts 1, 'h' counts -1; 'j', 'z' and 't' are 'l'
    char letter;
};

enum { MAX_FIELD = 1 << 16 }; // of width and precision; nobody prints more

bool sim_device_string(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, uint64_t limit, const char *what, struct strbuf *out) {
    uint64_t left = 0;
    const uint8_t *from = sim_mem_span(warp, lane, address, false, &left);
    const uint64_t wanted = left < limit ? left : limit;
    const uint8_t *end = from ? memchr(from, 0, wanted) : NULL;
    if (from && (end || wanted == limit)) {
        const size_t length = end ? (size_t)(end - from) : limit;
        strbuf_append(out, (const char *)from, length);
        sim_mem_tell_span(warp, instr, lane, address, (unsigned)(length + (end != NULL)),
                          EVENT_READ);
        return true;
    }
    if (limit == 0)
        return true;
    char text[SIM_MEMORY_TEXT];
    sim_memory_describe(warp->block->worker->memory, address + left, 1, text);
    if (from)
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
                  "%s at 0x%" PRIx64 " has no end", what, address);
    else
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
                  "%s is at 0x%" PRIx64 ": %s", what, address, text);
    return false;
}

// The next argument's bits.
static bool next_argument(struct print *p, unsigned bytes, uint64_t *value) {
    p->position = (p->position + bytes - 1) / bytes * bytes;
    const uint64_t address = p->arguments + p->position;
    uint64_t left = 0;
    const uint8_t *from = sim_mem_span(p->warp, p->lane, address, false, &left);
    if (!from || left < bytes) {
        sim_raise(p->warp, p->instr, SIM_FAULT_ILLEGAL_ADDRESS, p->lane, address,
                  "printf has fewer arguments than its format asks for: no argument %d at "
                  "0x%" PRIx64,
                  p->parsed + 1, address);
        return false;
    }
    *value = 0;
    memcpy(value, from, bytes);
    sim_mem_tell_span(p->warp, p->instr, p->lane, address, bytes, EVENT_READ);
    p->position += bytes;
    p->parsed++;
    return true;
}

// A number or '*'; stays -1 when neither is there.
static bool parse_field(struct print *p, const char **at, int *field) {
    if (**at == '*') {
        uint64_t value;
        if (!next_argument(p, 4, &value))
            return false;
        *field = (int32_t)(uint32_t)value;
        (*at)++;
    } else if (**at >= '0' && **at <= '9') {
        for (*field = 0; **at >= '0' && **at <= '9'; (*at)++)
            *field = *field < MAX_FIELD ? *field * 10 + (**at - '0') : MAX_FIELD;
    }
    if (*field > MAX_FIELD)
        *field = MAX_FIELD;
    return true;
}

static bool parse_conversion(struct print *p, const char **at, struct conversion *c) {
    *c = (struct conversion){.width = -1, .precision = -1};
    size_t flags = 0;
    for (; **at && strchr("-+ #0", **at); (*at)++) {
        if (flags < 5 && !strchr(c->flags, **at))
            c->flags[flags++] = **at;
    }
    if (!parse_field(p, at, &c->width))
        return false;
    if (c->width < -1) { // of '*': a flag '-' and a width
        c->width = c->width < -MAX_FIELD ? MAX_FIELD : -c->width;
        if (!strchr(c->flags, '-'))
            c->flags[flags++] = '-';
    }
    if (**at == '.') {
        (*at)++;
        c->precision = 0;
        if (!parse_field(p, at, &c->precision))
            return false;
        if (c->precision < 0)
            c->precision = -1;
    }
    for (; **at && strchr("hlLjztq", **at); (*at)++)
        c->longs += **at == 'h' ? -1 : 1;
    c->letter = **at;
    return true;
}

// "%-08.3" and what the caller appends: the host's printf does the rest.
static void host_format(const struct conversion *c, const char *end, char format[64]) {
    int length = snprintf(format, 64, "%%%s", c->flags);
    if (c->width >= 0)
        length += snprintf(format + length, 64 - (size_t)length, "%d", c->width);
    if (c->precision >= 0)
        length += snprintf(format + length, 64 - (size_t)length, ".%d", c->precision);
    snprintf(format + length, 64 - (size_t)length, "%s%c", end, c->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static bool print_integer(struct print *p, const struct conversion *c, bool is_signed) {
    uint64_t value;
    if (!next_argument(p, c->longs > 0 ? 8 : 4, &value))
        return false;
    if (is_signed && c->longs <= 0)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    if (c->longs < -1)
        value = is_signed ? (uint64_t)(int64_t)(int8_t)(uint8_t)value : (uint8_t)value;
    else if (c->longs == -1)
        value = is_signed ? (uint64_t)(int64_t)(int16_t)(uint16_t)value : (uint16_t)value;
    char format[64];
    host_format(c, "ll", format);
    strbuf_printf(p->out, format, (unsigned long long)value);
    return true;
}

static bool print_string(struct print *p, const struct conversion *c) {
    uint64_t address;
    if (!next_argument(p, 8, &address))
        return false;
    struct strbuf text = {0};
    bool good = true;
    if (!address)
        strbuf_puts(&text, "(null)");
    else
        good = sim_device_string(p->warp, p->instr, p->lane, address,
                                 c->precision < 0 ? UINT64_MAX : (uint64_t)c->precision,
                                 "a string that printf shall print", &text);
    if (good) {
        char format[64];
        host_format(c, "", format);
        strbuf_printf(p->out, format, strbuf_string(&text));
    }
    strbuf_free(&text);
    return good;
}

static bool print_other(struct print *p, const struct conversion *c) {
    uint64_t value;
    char format[64];
    host_format(c, "", format);
    if (!next_argument(p, c->letter == 'c' ? 4 : 8, &value))
        return false;
    if (c->letter == 'c') {
        strbuf_printf(p->out, format, (int)(uint8_t)value);
    } else if (c->letter == 'p') {
        strbuf_printf(p->out, format, (void *)(uintptr_t)value);
    } else {
        double number;
        memcpy(&number, &value, sizeof number);
        strbuf_printf(p->out, format, number);
    }
    return true;
}

#pragma GCC diagnostic pop

// One conversion, *at behind its '%'. What is no conversion is printed as it stands.
static bool print_conversion(struct print *p, const char **at) {
    const char *begin = *at - 1;
    struct conversion c;
    if (!parse_conversion(p, at, &c))
        return false;
    bool good = true;
    switch (c.letter) {
    case '%':
        strbuf_puts(p->out, "%");
        break;
    case 'd':
    case 'i':
        good = print_integer(p, &c, true);
        break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        good = print_integer(p, &c, false);
        break;
    case 's':
        good = print_string(p, &c);
        break;
    case 'c':
    case 'p':
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        good = print_other(p, &c);
        break;
    default:
        strbuf_append(p->out, begin, (size_t)(*at - begin) + (c.letter != 0));
        break;
    }
    *at += c.letter != 0;
    return good;
}

static bool print_lane(struct print *p, const char *format) {
    while (*format) {
        const size_t plain = strcspn(format, "%");
        strbuf_append(p->out, format, plain);
        format += plain;
        if (*format && (format++, !print_conversion(p, &format)))
            return false;
    }
    return true;
}

bool sim_device_vprintf(struct sim_warp *warp, const struct sim_instr *instr,
                        const void *const *arguments, void *result) {
    const uint64_t *formats = arguments[0], *buffers = arguments[1];
    int32_t *parsed = result;
    struct strbuf format = {0};
    bool good = true;
    for (uint32_t rest = warp->mask; rest && good; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        if (!formats[l]) {
            parsed[l] = -1;
            continue;
        }
        format.length = 0;
        struct print p = {.warp = warp,
                          .instr = instr,
                          .lane = l,
                          .arguments = buffers[l],
                          .out = &sim_block_of(warp)->output};
        good = sim_device_string(warp, instr, l, formats[l], UINT64_MAX, "the format of printf",
                                 &format) &&
               print_lane(&p, strbuf_string(&format));
        parsed[l] = p.parsed;
    }
    strbuf_free(&format);
    return good;
}
