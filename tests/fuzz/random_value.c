// Values of random kernels: special registers, arithmetic of all widths, conversions, conditions.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "random_kernel.h"

static const char *const prefixes[VALUE_KINDS] = {"%h", "%r", "%d", "%p"};

// ---- Drawing --------------------------------------------------------------------------------

uint64_t random_next(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

unsigned random_below(struct generator *g, unsigned limit) {
    return (unsigned)(random_next(&g->state) >> 32) % limit;
}

bool random_chance(struct generator *g, unsigned percent) {
    return random_below(g, 100) < percent;
}

void random_say(struct generator *g, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    strbuf_printf(&g->body, "    .loc 1 %u 0\n    ", ++g->line);
    strbuf_vprintf(&g->body, format, arguments);
    strbuf_puts(&g->body, "\n");
    va_end(arguments);
}

#define ONE_OF(g, list) (list)[random_below(g, sizeof(list) / sizeof *(list))]

// ---- Registers ------------------------------------------------------------------------------

unsigned random_register(struct generator *g, enum value_kind kind) {
    return ++g->registers[kind];
}

void random_push(struct generator *g, enum value_kind kind, unsigned number, uint64_t bound,
                 uint32_t traits) {
    const struct random_value value = {number, bound, traits};
    vec_push(&g->values[kind], value);
}

// Late ones more often, so that chains get long.
struct random_value random_pick(struct generator *g, enum value_kind kind) {
    const size_t count = g->values[kind].length;
    const size_t recent = count < 4 ? count : 4;
    const size_t at = random_chance(g, 45) ? count - 1 - random_below(g, (unsigned)recent)
                                           : random_below(g, (unsigned)count);
    return g->values[kind].data[at];
}

static const char *text(struct generator *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *text(struct generator *g, const char *format, ...) {
    const size_t room = sizeof g->texts / sizeof *g->texts;
    char *out = g->texts[g->text++ % room];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out, sizeof *g->texts, format, arguments);
    va_end(arguments);
    return out;
}

const char *random_name(struct generator *g, enum value_kind kind, unsigned number) {
    return text(g, "%s%u", prefixes[kind], number);
}

static uint64_t number_of(struct generator *g, enum value_kind kind) {
    static const uint64_t usual[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48};
    static const uint64_t odd[] = {63,     64,         96,     127,        128,
                                   255,    256,        0x1c,   0x70,       0x3e0,
                                   0xff00, 0x7fffffff, 0xfffe, 0x80000000, 0xffffffff};
    const uint64_t drawn = random_next(&g->state);
    uint64_t number = random_chance(g, 70) ? ONE_OF(g, usual) : ONE_OF(g, odd);
    if (random_chance(g, 4))
        number = drawn;
    if (random_chance(g, 4))
        number = 1ull << drawn % 64;
    return kind == VALUE_16 ? number & 0x7fff : kind == VALUE_32 ? number & 0xffffffff : number;
}

static const char *immediate(struct generator *g, uint64_t number) {
    return text(g, number >> 63 ? "0x%" PRIx64 : "%" PRIu64, number);
}

const char *random_operand(struct generator *g, enum value_kind kind, struct random_value *value) {
    if (random_chance(g, 40)) {
        *value = (struct random_value){.bound = number_of(g, kind)};
        return immediate(g, value->bound);
    }
    *value = random_pick(g, kind);
    return random_name(g, kind, value->number);
}

static uint64_t sum_of(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t product_of(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t mask_of(uint64_t bound) {
    return bound ? UINT64_MAX >> __builtin_clzll(bound) : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// ---- Special registers ----------------------------------------------------------------------

static const struct special {
    const char *name;
    uint64_t bound;
    uint32_t traits;
} specials[] = {
    {"%tid.x", 63, TRAIT_THREAD},
    {"%tid.x", 63, TRAIT_THREAD},
    {"%tid.x", 63, TRAIT_THREAD},
    {"%tid.y", 15, TRAIT_THREAD},
    {"%tid.z", 7, TRAIT_THREAD},
    {"%laneid", 31, TRAIT_THREAD},
    {"%laneid", 31, TRAIT_THREAD},
    {"%ctaid.x", 3, TRAIT_BLOCK},
    {"%ctaid.y", 2, TRAIT_BLOCK},
    {"%ntid.x", 64, TRAIT_BLOCK},
    {"%ntid.y", 16, TRAIT_BLOCK},
    {"%nctaid.x", 4, TRAIT_BLOCK},
    {"%lanemask_lt", UINT32_MAX, TRAIT_THREAD},
    {"%lanemask_ge", UINT32_MAX, TRAIT_THREAD},
    {"%lanemask_eq", UINT32_MAX, TRAIT_THREAD},
    {"%warpid", 8, TRAIT_BLOCK},
    {"%nwarpid", 8, TRAIT_BLOCK},
    {"%smid", 132, TRAIT_BLOCK},
    {"%clock", UINT32_MAX, TRAIT_LOADED},
};

static void make_special(struct generator *g) {
    const struct special *special = &specials[random_below(
        g, random_chance(g, 85) ? 12 : (unsigned)(sizeof specials / sizeof *specials))];
    const unsigned r = random_register(g, VALUE_32);
    if (!(special->traits & g->allowed))
        special = &specials[0];
    random_say(g, "mov.u32 %%r%u, %s;", r, special->name);
    random_push(g, VALUE_32, r, special->bound, special->traits);
}

// ---- Arithmetic of 32 and 64 bits -----------------------------------------------------------

struct made { // that is being
    enum value_kind kind;
    const char *to, *a, *b, *c;
    struct random_value x, y, z;
    unsigned bits;
};

static void finish(struct generator *g, const struct made *made, unsigned number, uint64_t bound,
                   uint32_t traits) {
    const uint64_t most = made->bits == 64 ? UINT64_MAX : (1ull << made->bits) - 1;
    random_push(g, made->kind, number, bound > most ? most : bound,
                traits | made->x.traits | made->y.traits | made->z.traits);
}

static struct made begin(struct generator *g, enum value_kind kind, unsigned *number) {
    struct made made = {.kind = kind, .bits = 16u << kind};
    *number = random_register(g, kind);
    made.to = random_name(g, kind, *number);
    made.x = random_pick(g, kind);
    made.a = random_name(g, kind, made.x.number);
    made.b = random_operand(g, kind, &made.y);
    return made;
}

static void make_sum(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const bool subtracts = random_chance(g, 25);
    random_say(g, "%s.%c%u %s, %s, %s;", subtracts ? "sub" : "add",
               random_chance(g, 50) ? 'u' : 's', m.bits, m.to, m.a, m.b);
    finish(g, &m, n, subtracts ? UINT64_MAX : sum_of(m.x.bound, m.y.bound), 0);
}

static void make_product(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const char sign = random_chance(g, 50) ? 'u' : 's';
    const uint64_t product = product_of(m.x.bound, m.y.bound);
    const unsigned way = random_below(g, 10);
    uint32_t traits = m.x.traits && m.y.traits ? TRAIT_PRODUCT : 0;
    m.c = random_operand(g, kind, &m.z);
    if (way < 5) {
        m.z = (struct random_value){0};
        random_say(g, "mul.lo.%c%u %s, %s, %s;", sign, m.bits, m.to, m.a, m.b);
        finish(g, &m, n, product, traits);
    } else if (way < 8) {
        random_say(g, "mad.lo.%c%u %s, %s, %s, %s;", sign, m.bits, m.to, m.a, m.b, m.c);
        finish(g, &m, n, sum_of(product, m.z.bound), traits);
    } else {
        m.z = (struct random_value){0};
        random_say(g, "mul.hi.%c%u %s, %s, %s;", sign, m.bits, m.to, m.a, m.b);
        finish(g, &m, n, product >> (m.bits < 64 ? m.bits : 63), traits | TRAIT_ROUTE);
    }
}

static void make_bits(struct generator *g, enum value_kind kind) {
    static const char *const names[] = {"and", "and", "or", "xor", "xor"};
    unsigned n;
    struct made m = begin(g, kind, &n);
    const char *name = ONE_OF(g, names);
    if (random_chance(g, 6)) {
        m.y = (struct random_value){0};
        random_say(g, "not.b%u %s, %s;", m.bits, m.to, m.a);
        finish(g, &m, n, UINT64_MAX, TRAIT_BITS);
        return;
    }
    random_say(g, "%s.b%u %s, %s, %s;", name, m.bits, m.to, m.a, m.b);
    finish(g, &m, n,
           name[0] == 'a' ? least(m.x.bound, m.y.bound) : mask_of(m.x.bound) | mask_of(m.y.bound),
           TRAIT_BITS);
}

static void make_shift(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const bool left = random_chance(g, 50), is_known = random_chance(g, 85);
    const unsigned by = random_chance(g, 90) ? random_below(g, 8) : random_below(g, m.bits + 2);
    m.y = is_known ? (struct random_value){0} : random_pick(g, VALUE_32);
    const char *amount = is_known ? text(g, "%u", by) : random_name(g, VALUE_32, m.y.number);
    if (left)
        random_say(g, "shl.b%u %s, %s, %s;", m.bits, m.to, m.a, amount);
    else
        random_say(g, "shr.%c%u %s, %s, %s;", random_chance(g, 50) ? 'u' : 's', m.bits, m.to, m.a,
                   amount);
    finish(g, &m, n,
           left ? product_of(m.x.bound, is_known && by < 63 ? 1ull << by : UINT64_MAX)
                : m.x.bound >> (is_known && by < 63 ? by : 0),
           TRAIT_SHIFT);
}

static void make_quotient(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const bool divides = random_chance(g, 50);
    if (random_chance(g, 90)) {
        m.y = (struct random_value){.bound = 1 + number_of(g, VALUE_16)};
        m.b = immediate(g, m.y.bound);
    }
    random_say(g, "%s.%c%u %s, %s, %s;", divides ? "div" : "rem", random_chance(g, 75) ? 'u' : 's',
               m.bits, m.to, m.a, m.b);
    const uint64_t by = m.y.traits || !m.y.bound ? 1 : m.y.bound;
    finish(g, &m, n, divides ? m.x.bound / by : m.y.traits ? UINT64_MAX : by - 1, TRAIT_QUOTIENT);
}

static void make_choice(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const char sign = random_chance(g, 65) ? 'u' : 's';
    const unsigned way = random_below(g, 8);
    const uint64_t most = m.x.bound > m.y.bound ? m.x.bound : m.y.bound;
    if (way < 3) {
        const bool is_least = random_chance(g, 60);
        random_say(g, "%s.%c%u %s, %s, %s;", is_least ? "min" : "max", sign, m.bits, m.to, m.a,
                   m.b);
        finish(g, &m, n, is_least ? least(m.x.bound, m.y.bound) : most, TRAIT_CHOICE);
    } else if (way < 6) {
        const struct random_value chosen = random_pick(g, VALUE_PREDICATE);
        random_say(g, "selp.%s%u %s, %s, %s, %%p%u;", random_chance(g, 50) ? "b" : "u", m.bits,
                   m.to, m.a, m.b, chosen.number);
        m.z = chosen;
        finish(g, &m, n, most, TRAIT_CHOICE);
    } else if (way < 7) {
        m.z = random_pick(g, VALUE_32);
        random_say(g, "slct.%c%u.s32 %s, %s, %s, %%r%u;", sign, m.bits, m.to, m.a, m.b, m.z.number);
        finish(g, &m, n, most, TRAIT_CHOICE);
    } else {
        m.y = (struct random_value){0};
        random_say(g, "%s.s%u %s, %s;", random_chance(g, 50) ? "abs" : "neg", m.bits, m.to, m.a);
        finish(g, &m, n, UINT64_MAX, 0);
    }
}

static void make_route(struct generator *g, enum value_kind kind) {
    unsigned n;
    struct made m = begin(g, kind, &n);
    const unsigned first = random_below(g, 12), count = random_below(g, 8);
    switch (random_below(g, kind == VALUE_64 ? 5 : 11)) {
    case 0:
    case 1:
        m.y = (struct random_value){0};
        random_say(g, "bfe.%c%u %s, %s, %u, %u;", random_chance(g, 75) ? 'u' : 's', m.bits, m.to,
                   m.a, first, count);
        finish(g, &m, n, least(m.x.bound >> first, (1u << count) - 1), TRAIT_ROUTE);
        return;
    case 2:
        random_say(g, "bfi.b%u %s, %s, %s, %u, %u;", m.bits, m.to, m.a, m.b, first, count);
        finish(g, &m, n, mask_of(m.y.bound) | ((1ull << count) - 1) << first, TRAIT_ROUTE);
        return;
    case 3:
        m.y = (struct random_value){0};
        if (kind == VALUE_32) {
            static const char *const names[] = {"popc", "clz", "brev"};
            random_say(g, "%s.b32 %s, %s;", ONE_OF(g, names), m.to, m.a);
            finish(g, &m, n, UINT64_MAX, TRAIT_ROUTE);
        } else {
            random_say(g, "brev.b64 %s, %s;", m.to, m.a);
            finish(g, &m, n, UINT64_MAX, TRAIT_ROUTE);
        }
        return;
    case 4:
        m.z = random_pick(g, VALUE_32);
        m.y = random_pick(g, VALUE_32);
        random_say(g, "bfe.u%u %s, %s, %%r%u, %%r%u;", m.bits, m.to, m.a, m.y.number, m.z.number);
        finish(g, &m, n, m.x.bound, TRAIT_ROUTE);
        return;
    case 5:
    case 6:
        random_say(g, "prmt.b32 %s, %s, %s, 0x%x;", m.to, m.a, m.b, random_below(g, 0x10000));
        finish(g, &m, n, UINT64_MAX, TRAIT_ROUTE);
        return;
    case 7:
    case 8:
        m.c = random_chance(g, 85) ? text(g, "%u", random_below(g, 40))
                                   : random_operand(g, VALUE_32, &m.z);
        random_say(g, "shf.%c.%s.b32 %s, %s, %s, %s;", random_chance(g, 50) ? 'l' : 'r',
                   random_chance(g, 50) ? "wrap" : "clamp", m.to, m.a, m.b, m.c);
        finish(g, &m, n, UINT64_MAX, TRAIT_ROUTE);
        return;
    case 9:
        m.c = random_operand(g, VALUE_32, &m.z);
        random_say(g, "lop3.b32 %s, %s, %s, %s, 0x%x;", m.to, m.a, m.b, m.c, random_below(g, 256));
        finish(g, &m, n, UINT64_MAX, TRAIT_ROUTE);
        return;
    default:
        random_say(g, "set.lt.u32.%c32 %s, %s, %s;", random_chance(g, 50) ? 'u' : 's', m.to, m.a,
                   m.b);
        finish(g, &m, n, UINT64_MAX, TRAIT_CHOICE);
    }
}

// Sums of two words.
static void make_carry(struct generator *g) {
    const struct random_value a = random_pick(g, VALUE_32), b = random_pick(g, VALUE_32);
    const unsigned low = random_register(g, VALUE_32), high = random_register(g, VALUE_32);
    const bool subtracts = random_chance(g, 30);
    random_say(g, "%s.cc.u32 %%r%u, %%r%u, %%r%u;", subtracts ? "sub" : "add", low, a.number,
               b.number);
    random_say(g, "%s.u32 %%r%u, %%r%u, 0;", subtracts ? "subc" : "addc", high, a.number);
    random_push(g, VALUE_32, low, sum_of(a.bound, b.bound), a.traits | b.traits | TRAIT_CARRY);
    random_push(g, VALUE_32, high, sum_of(a.bound, 1), a.traits | b.traits | TRAIT_CARRY);
}

// ---- Widths ---------------------------------------------------------------------------------

static void make_conversion(struct generator *g) {
    const enum value_kind from =
                              random_chance(g, 60) ? VALUE_32 : (enum value_kind)random_below(g, 3),
                          to =
                              random_chance(g, 50) ? VALUE_32 : (enum value_kind)random_below(g, 3);
    const struct random_value a = random_pick(g, from);
    const unsigned n = random_register(g, to);
    unsigned from_bits = 16u << from, to_bits = 16u << to;
    if (random_chance(g, 25))
        from_bits = random_chance(g, 50) ? 8 : 16;
    if (random_chance(g, 15))
        to_bits = 8;
    const char from_sign = random_chance(g, 60) ? 'u' : 's';
    random_say(g, "cvt.%c%u.%c%u %s, %s;", random_chance(g, 60) ? 'u' : 's', to_bits, from_sign,
               from_bits, random_name(g, to, n), random_name(g, from, a.number));
    const uint64_t most = to_bits == 64 ? UINT64_MAX : (1ull << to_bits) - 1;
    random_push(g, to, n, least(a.bound, from_bits == 64 ? most : least(most, 1ull << from_bits)),
                a.traits | TRAIT_CONVERTED);
}

static void make_wide_product(struct generator *g) {
    const enum value_kind from = random_chance(g, 75) ? VALUE_32 : VALUE_16,
                          to = from == VALUE_32 ? VALUE_64 : VALUE_32;
    struct random_value a = random_pick(g, from), b, c = {0};
    const char *by = random_operand(g, from, &b);
    const unsigned n = random_register(g, to);
    const char sign = random_chance(g, 60) ? 'u' : 's';
    if (random_chance(g, 30)) {
        c = random_pick(g, to);
        random_say(g, "mad.wide.%c%u %s, %s, %s, %s;", sign, 16u << from, random_name(g, to, n),
                   random_name(g, from, a.number), by, random_name(g, to, c.number));
    } else {
        random_say(g, "mul.wide.%c%u %s, %s, %s;", sign, 16u << from, random_name(g, to, n),
                   random_name(g, from, a.number), by);
    }
    random_push(g, to, n, sum_of(product_of(a.bound, b.bound), c.bound),
                a.traits | b.traits | c.traits | (to == VALUE_64 ? TRAIT_WIDE : TRAIT_NARROW));
}

// Parts of registers, and registers of parts.
static void make_parts(struct generator *g) {
    const enum value_kind whole = random_chance(g, 70) ? VALUE_64 : VALUE_32,
                          part = (enum value_kind)(whole - 1);
    if (random_chance(g, 50)) {
        const struct random_value a = random_pick(g, whole);
        const unsigned x = random_register(g, part), y = random_register(g, part);
        random_say(g, "mov.b%u {%s, %s}, %s;", 16u << whole, random_name(g, part, x),
                   random_name(g, part, y), random_name(g, whole, a.number));
        random_push(g, part, y, a.bound >> (16u << part), a.traits | TRAIT_WIDE);
        random_push(g, part, x, a.bound, a.traits | TRAIT_WIDE);
    } else {
        const struct random_value a = random_pick(g, part), b = random_pick(g, part);
        const unsigned n = random_register(g, whole);
        random_say(g, "mov.b%u %s, {%s, %s};", 16u << whole, random_name(g, whole, n),
                   random_name(g, part, a.number), random_name(g, part, b.number));
        random_push(g, whole, n, UINT64_MAX, a.traits | b.traits | TRAIT_WIDE);
    }
}

static void make_float(struct generator *g) {
    const struct random_value a = random_pick(g, VALUE_32);
    const unsigned n = random_register(g, VALUE_32);
    random_say(g, "cvt.rn.f32.u32 %%f1, %%r%u;", a.number);
    random_say(g, "mul.f32 %%f1, %%f1, 0f40000000;");
    random_say(g, "cvt.rzi.%c32.f32 %%r%u, %%f1;", random_chance(g, 50) ? 'u' : 's', n);
    random_push(g, VALUE_32, n, product_of(a.bound, 2), a.traits | TRAIT_CONVERTED);
}

// ---- Conditions -----------------------------------------------------------------------------

static struct random_value combine(struct generator *g) {
    static const char *const names[] = {"and", "or", "xor"};
    const struct random_value a = random_pick(g, VALUE_PREDICATE),
                              b = random_pick(g, VALUE_PREDICATE);
    const unsigned n = random_register(g, VALUE_PREDICATE);
    if (random_chance(g, 25))
        random_say(g, "not.pred %%p%u, %%p%u;", n, a.number);
    else
        random_say(g, "%s.pred %%p%u, %%p%u, %%p%u;", ONE_OF(g, names), n, a.number, b.number);
    return (struct random_value){n, 1, a.traits | b.traits};
}

struct random_value random_make_predicate(struct generator *g) {
    static const char *const ways[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    static const char *const combined[] = {"and", "or", "xor"};
    if (g->values[VALUE_PREDICATE].length && random_chance(g, 15)) {
        const struct random_value made = combine(g);
        random_push(g, VALUE_PREDICATE, made.number, 1, made.traits);
        return made;
    }
    const enum value_kind kind =
        random_chance(g, 75) ? VALUE_32 : (enum value_kind)random_below(g, 3);
    struct random_value a = random_pick(g, kind), b, c = {0};
    const char *second = random_operand(g, kind, &b), *way = ONE_OF(g, ways);
    const unsigned n = random_register(g, VALUE_PREDICATE);
    if (a.bound < 1024 && random_chance(g, 50)) { // between what is likely
        b = (struct random_value){.bound = random_below(g, (unsigned)a.bound + 2)};
        second = immediate(g, b.bound);
    }
    unsigned other = 0;
    char sign = way[0] == 'l' && (way[1] == 'o' || way[1] == 's') ? 'u'
                : way[0] == 'h'                                   ? 'u'
                : random_chance(g, 50)                            ? 'u'
                                                                  : 's';
    char names[32];
    snprintf(names, sizeof names, "%%p%u", n);
    if (random_chance(g, 15)) {
        other = random_register(g, VALUE_PREDICATE);
        snprintf(names, sizeof names, "%%p%u|%%p%u", n, other);
    }
    if (g->values[VALUE_PREDICATE].length && random_chance(g, 25)) {
        c = random_pick(g, VALUE_PREDICATE);
        random_say(g, "setp.%s.%s.%c%u %s, %s, %s, %s%%p%u;", way, ONE_OF(g, combined), sign,
                   16u << kind, names, random_name(g, kind, a.number), second,
                   random_chance(g, 25) ? "!" : "", c.number);
    } else {
        random_say(g, "setp.%s.%c%u %s, %s, %s;", way, sign, 16u << kind, names,
                   random_name(g, kind, a.number), second);
    }
    const uint32_t traits = a.traits | b.traits | c.traits;
    if (other)
        random_push(g, VALUE_PREDICATE, other, 1, traits);
    random_push(g, VALUE_PREDICATE, n, 1, traits);
    return (struct random_value){n, 1, traits};
}

const char *random_guard(struct generator *g, unsigned percent, uint32_t *traits) {
    if (!random_chance(g, percent))
        return "";
    const struct random_value p =
        random_chance(g, 50) ? random_make_predicate(g) : random_pick(g, VALUE_PREDICATE);
    *traits |= p.traits | TRAIT_GUARDED;
    return text(g, "@%s%%p%u ", random_chance(g, 30) ? "!" : "", p.number);
}

// ---- All ------------------------------------------------------------------------------------

void random_make_value(struct generator *g) {
    static const struct {
        uint32_t needs;
        void (*make)(struct generator *g);
    } others[] = {{TRAIT_CONVERTED, make_conversion},
                  {TRAIT_CONVERTED, make_conversion},
                  {TRAIT_WIDE, make_wide_product},
                  {TRAIT_WIDE, make_parts},
                  {TRAIT_CARRY, make_carry},
                  {TRAIT_CONVERTED, make_float},
                  {TRAIT_EXCHANGED, random_make_exchange},
                  {TRAIT_LOADED, random_make_load},
                  {TRAIT_LOADED, random_make_load},
                  {TRAIT_PARAMETER, random_make_parameter},
                  {TRAIT_THREAD, make_special},
                  {TRAIT_THREAD, make_special}};
    static const struct {
        uint32_t needs;
        void (*make)(struct generator *g, enum value_kind kind);
    } sums[] = {{TRAIT_THREAD, make_sum},      {TRAIT_THREAD, make_sum},
                {TRAIT_PRODUCT, make_product}, {TRAIT_BITS, make_bits},
                {TRAIT_BITS, make_bits},       {TRAIT_SHIFT, make_shift},
                {TRAIT_SHIFT, make_shift},     {TRAIT_QUOTIENT, make_quotient},
                {TRAIT_CHOICE, make_choice},   {TRAIT_ROUTE, make_route}};
    for (;;) {
        if (random_chance(g, 35)) {
            const unsigned n = random_below(g, sizeof others / sizeof *others);
            if (!(others[n].needs & g->allowed))
                continue;
            others[n].make(g);
            return;
        }
        const unsigned n = random_below(g, sizeof sums / sizeof *sums);
        enum value_kind kind = VALUE_32;
        if (g->allowed & TRAIT_WIDE && random_chance(g, 20))
            kind = VALUE_64;
        if (g->allowed & TRAIT_NARROW && random_chance(g, 10) && sums[n].make != make_route &&
            sums[n].make != make_choice)
            kind = VALUE_16;
        if (!(sums[n].needs & g->allowed))
            continue;
        sums[n].make(g, kind);
        return;
    }
}

struct random_value random_32(struct generator *g) {
    if (random_chance(g, 30))
        random_make_value(g);
    return random_pick(g, VALUE_32);
}

void random_assign(struct generator *g) {
    const enum value_kind kind =
        random_chance(g, 80) ? VALUE_32 : (enum value_kind)random_below(g, VALUE_KINDS);
    static const char *const names[] = {"add.u", "add.u", "xor.b", "sub.u", "mul.lo.u", "and.b"};
    const unsigned at = random_below(g, g->variables[kind]);
    struct random_value *variable = &g->values[kind].data[at];
    const unsigned number = variable->number;
    uint32_t traits = 0;
    const char *guard = random_guard(g, 20, &traits);
    const struct random_value from = random_pick(g, kind);
    const char *to = random_name(g, kind, number);
    if (kind == VALUE_PREDICATE) {
        random_say(g, "%smov.pred %s, %%p%u;", guard, to, from.number);
        return;
    }
    const unsigned bits = 16u << kind;
    if (random_chance(g, 30))
        random_say(g, "%smov.u%u %s, %s;", guard, bits, to, random_name(g, kind, from.number));
    else if (random_chance(g, 15))
        random_say(g, "%sshl.b%u %s, %s, %u;", guard, bits, to, to, 1 + random_below(g, 3));
    else if (random_chance(g, 15))
        random_say(g, "%sshr.u%u %s, %s, %u;", guard, bits, to, to, 1 + random_below(g, 2));
    else {
        struct random_value by;
        const char *operand = random_operand(g, kind, &by);
        random_say(g, "%s%s%u %s, %s, %s;", guard, ONE_OF(g, names), bits, to, to, operand);
        traits |= by.traits;
    }
    // The vector may have moved.
    g->values[kind].data[at].traits |= traits | from.traits;
    g->values[kind].data[at].bound = UINT64_MAX;
}

static void begin_variable(struct generator *g, enum value_kind kind) {
    const unsigned n = random_register(g, kind);
    const char *to = random_name(g, kind, n);
    if (kind == VALUE_32 && random_chance(g, 50))
        random_say(g, "mov.u32 %s, %s;", to, specials[random_below(g, 12)].name);
    else if (kind == VALUE_PREDICATE)
        random_say(g, "setp.%s.u32 %s, %%r1, %u;", random_chance(g, 50) ? "lt" : "ne", to,
                   random_below(g, 40));
    else
        random_say(g, "mov.u%u %s, %u;", 16u << kind, to, random_below(g, 9));
    random_push(g, kind, n, 64, TRAIT_VARIABLE);
}

// Numbers that are the same for all lanes, of which little is known: what proofs have symbols for.
static void begin_unknowns(struct generator *g) {
    static const char *const sources[] = {"%ctaid.x", "n1", "n2", "h1", "%ctaid.x", "b1"};
    for (unsigned i = 0; i < 2 + random_below(g, 2); i++) {
        const char *source = ONE_OF(g, sources);
        const unsigned n = random_register(g, VALUE_32), few = random_register(g, VALUE_32);
        const uint32_t traits = source[0] == '%' ? TRAIT_BLOCK : TRAIT_PARAMETER;
        const unsigned mask = (1u << (1 + random_below(g, 5))) - 1;
        if (source[0] == '%')
            random_say(g, "mov.u32 %%r%u, %s;", n, source);
        else
            random_say(g, "ld.param.%s %%r%u, [%s];",
                       source[0] == 'n'   ? "u32"
                       : source[0] == 'h' ? "u16"
                                          : "s8",
                       n, source);
        random_push(g, VALUE_32, n, source[0] == '%' ? 3 : UINT64_MAX, traits);
        if (random_chance(g, 30))
            random_say(g, "rem.u32 %%r%u, %%r%u, %u;", few, n, mask);
        else
            random_say(g, "and.b32 %%r%u, %%r%u, %u;", few, n, mask << random_below(g, 3));
        random_push(g, VALUE_32, few, mask, traits | TRAIT_BITS);
    }
}

void random_begin_values(struct generator *g) {
    for (unsigned i = 0; i < 3; i++)
        begin_variable(g, VALUE_32);
    g->variables[VALUE_32] = 3;
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
        if (kind != VALUE_32) {
            begin_variable(g, (enum value_kind)kind);
            g->variables[kind] = 1;
        }
    make_special(g);
    make_special(g);
    const struct random_value a = random_pick(g, VALUE_32);
    const unsigned wide = random_register(g, VALUE_64), narrow = random_register(g, VALUE_16);
    random_say(g, "cvt.u64.u32 %%d%u, %%r%u;", wide, a.number);
    random_push(g, VALUE_64, wide, a.bound, a.traits | TRAIT_WIDE);
    random_say(g, "cvt.u16.u32 %%h%u, %%r%u;", narrow, a.number);
    random_push(g, VALUE_16, narrow, a.bound, a.traits | TRAIT_NARROW);
    if (g->is_kernel && g->allowed & TRAIT_PARAMETER)
        begin_unknowns(g);
}
