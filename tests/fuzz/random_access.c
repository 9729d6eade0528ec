// Accesses of random kernels: to shared memory, in which the proofs are about, and to the others.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "random_kernel.h"

#define ONE_OF(g, list) (list)[random_below(g, sizeof(list) / sizeof *(list))]

enum { CONST_BYTES = 256, LOCAL_BYTES = 64, DYNAMIC_BYTES = 1024 };

void random_site(struct generator *g, uint32_t traits) {
    if (g->is_kernel)
        vec_push(&g->kernel->sites, traits | g->around);
}

// ---- Arrays ---------------------------------------------------------------------------------

void random_arrays(struct generator *g, struct strbuf *out) {
    g->array_bytes = 2048u << random_below(g, 4);
    if (random_chance(g, 50))
        strbuf_printf(out, ".shared .align 4 .b8 before[%u];\n", 4 * random_below(g, 40) + 4);
    strbuf_printf(out, ".shared .align 16 .b8 sm[%u];\n", g->array_bytes);
    strbuf_puts(out, ".extern .shared .align 16 .b8 dyn[];\n");
    strbuf_printf(out, ".global .align 16 .b8 gl[%d];\n", RANDOM_ARRAY_BYTES);
    strbuf_printf(out, ".const .align 16 .b8 table[%u] = {", CONST_BYTES);
    for (unsigned i = 0; i < CONST_BYTES; i++)
        strbuf_printf(out, "%s%u", i ? "," : "",
                      i % 4 && random_chance(g, 70) ? 0 : random_below(g, 256));
    strbuf_puts(out, "};\n");
}

// ---- Addresses ------------------------------------------------------------------------------

static unsigned log_of(unsigned number) {
    return (unsigned)__builtin_ctz(number);
}

static unsigned new_32(struct generator *g) {
    return random_register(g, VALUE_32);
}

static struct random_value pick_with(struct generator *g, uint32_t trait, bool has_it) {
    struct random_value v = random_pick(g, VALUE_32);
    for (int tries = 0; tries < 8 && ((v.traits & trait) != 0) != has_it; tries++)
        v = random_pick(g, VALUE_32);
    return v;
}

// Of a number of each lane and one that is likely the same for all.
static struct random_value mixed(struct generator *g) {
    static const char *const ways[] = {"add.s32", "add.u32", "xor.b32",    "xor.b32", "sub.u32",
                                       "or.b32",  "and.b32", "mul.lo.u32", "shl.b32", "shr.u32"};
    const struct random_value a = pick_with(g, TRAIT_THREAD, true),
                              b = pick_with(g, TRAIT_THREAD, false);
    const unsigned n = new_32(g), way = random_below(g, 14);
    struct random_value made = {n, UINT64_MAX, a.traits | b.traits};
    if (way < 10)
        random_say(g, "%s %%r%u, %%r%u, %%r%u;", ways[way], n, a.number, b.number);
    else if (way < 12)
        random_say(g, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;", n, b.number,
                   random_chance(g, 50) ? 32 : 1 + random_below(g, 40), a.number);
    else
        random_say(g, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;", n, a.number, 1 + random_below(g, 40),
                   b.number);
    if (way < 2 && a.bound < 4096 && b.bound < 4096)
        made.bound = a.bound + b.bound;
    random_push(g, VALUE_32, n, made.bound, made.traits);
    return made;
}

// A byte offset below `bytes`, most often a multiple of the width: a new register's number.
static unsigned offset(struct generator *g, unsigned width, unsigned bytes, uint32_t *traits) {
    const struct random_value v = random_chance(g, 55) ? mixed(g) : random_32(g);
    const unsigned t = new_32(g), w = log_of(width), words = bytes / width;
    const unsigned mask = bytes - width;
    *traits |= v.traits;
    if (random_chance(g, 45) && v.bound < words) {
        switch (random_below(g, 3)) {
        case 0:
            random_say(g, "shl.b32 %%r%u, %%r%u, %u;", t, v.number, w);
            return t;
        case 1:
            random_say(g, "mul.lo.s32 %%r%u, %%r%u, %u;", t, v.number,
                       width * (1 + random_below(g, words / ((unsigned)v.bound + 1))));
            return t;
        default:
            random_say(g, "mad.lo.u32 %%r%u, %%r%u, %u, %u;", t, v.number, width,
                       width * random_below(g, words - (unsigned)v.bound));
            return t;
        }
    }
    const unsigned s = new_32(g);
    switch (random_below(g, 11)) {
    case 0:
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, v.number, mask);
        return t;
    case 1:
        random_say(g, "shl.b32 %%r%u, %%r%u, %u;", s, v.number, w + random_below(g, 4));
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, s, mask);
        return t;
    case 2:
        random_say(g, "rem.u32 %%r%u, %%r%u, %u;", s, v.number, 1 + random_below(g, words));
        random_say(g, "shl.b32 %%r%u, %%r%u, %u;", t, s, w);
        return t;
    case 3:
        random_say(g, "bfe.u32 %%r%u, %%r%u, %u, %u;", s, v.number, random_below(g, 4),
                   1 + random_below(g, log_of(words)));
        random_say(g, "mul.lo.u32 %%r%u, %%r%u, %u;", t, s, width);
        return t;
    case 4:
        random_say(g, "min.u32 %%r%u, %%r%u, %u;", s, v.number, random_below(g, words));
        random_say(g, "mad.lo.u32 %%r%u, %%r%u, %u, 0;", t, s, width);
        return t;
    case 5: { // rows and columns, swizzled
        const struct random_value u = random_32(g);
        const unsigned x = new_32(g), row = new_32(g);
        *traits |= u.traits;
        random_say(g, "and.b32 %%r%u, %%r%u, 7;", row, u.number);
        random_say(g, "shl.b32 %%r%u, %%r%u, 4;", x, row);
        random_say(g, "shl.b32 %%r%u, %%r%u, %u;", s, v.number, w);
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", s, s, mask);
        random_say(g, "xor.b32 %%r%u, %%r%u, %%r%u;", t, s, x);
        if (width == 16)
            return t;
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, t, mask);
        return t;
    }
    case 6: { // a row of something and a column of something else
        const struct random_value u = random_32(g);
        const unsigned column = new_32(g);
        *traits |= u.traits;
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", s, v.number,
                   words / 64 - 1 ? words / 64 - 1 : 1);
        random_say(g, "and.b32 %%r%u, %%r%u, 31;", column, u.number);
        random_say(g, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;", s, s, 32 + random_below(g, 3), column);
        random_say(g, "mul.lo.s32 %%r%u, %%r%u, %u;", t, s, width);
        return t;
    }
    case 7:
        random_say(g, "shr.u32 %%r%u, %%r%u, %u;", s, v.number, random_below(g, 6));
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", s, s, words - 1);
        random_say(g, "mul.lo.u32 %%r%u, %%r%u, %u;", t, s, width);
        return t;
    case 8: { // two ends of the array
        const struct random_value p = random_make_predicate(g);
        *traits |= p.traits;
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", s, v.number, mask);
        random_say(g, "selp.b32 %%r%u, %%r%u, %u, %%p%u;", t, s, mask, p.number);
        return t;
    }
    case 9: { // each thread another one's place
        const unsigned x = new_32(g), y = new_32(g);
        *traits |= TRAIT_THREAD;
        random_say(g, "mov.u32 %%r%u, %%tid.x;", s);
        random_say(g, "shl.b32 %%r%u, %%r%u, %u;", x, s, w);
        random_say(g, "xor.b32 %%r%u, %%r%u, %u;", y, x, width * random_below(g, 64));
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, y, mask);
        return t;
    }
    default: // what is not aligned faults
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, v.number,
                   random_chance(g, 90) ? mask : bytes - 1);
        return t;
    }
}

struct place {
    char text[40];     // between the brackets
    const char *space; // ".shared", or ""
    uint32_t traits;
};

static struct place wide_place(struct generator *g, unsigned base, unsigned offset_32) {
    struct place place = {.space = ".shared", .traits = TRAIT_WIDE};
    const unsigned a = random_register(g, VALUE_64), b = random_register(g, VALUE_64),
                   sum = random_register(g, VALUE_64);
    random_say(g, "cvt.u64.u32 %%d%u, %%r%u;", a, base);
    random_say(g, "cvt.%c64.%c32 %%d%u, %%r%u;", 'u', 'u', b, offset_32);
    if (random_chance(g, 60)) {
        const unsigned generic = random_register(g, VALUE_64);
        random_say(g, "cvta.shared.u64 %%d%u, %%d%u;", generic, a);
        random_say(g, "add.s64 %%d%u, %%d%u, %%d%u;", sum, generic, b);
        place.space = "";
        place.traits |= TRAIT_GENERIC;
        if (random_chance(g, 30)) {
            const unsigned back = random_register(g, VALUE_64);
            random_say(g, "cvta.to.shared.u64 %%d%u, %%d%u;", back, sum);
            snprintf(place.text, sizeof place.text, "%%d%u", back);
            place.space = ".shared";
            return place;
        }
    } else {
        random_say(g, "add.s64 %%d%u, %%d%u, %%d%u;", sum, a, b);
    }
    snprintf(place.text, sizeof place.text, "%%d%u", sum);
    return place;
}

static struct place shared_place(struct generator *g, unsigned width, bool may_be_generic) {
    struct place place = {.space = ".shared"};
    const bool is_dynamic = random_chance(g, 8);
    const unsigned bytes = is_dynamic ? DYNAMIC_BYTES : g->array_bytes;
    uint32_t traits = 0;
    const char *array = is_dynamic ? "dyn" : "sm";
    if (random_chance(g, 4)) {
        snprintf(place.text, sizeof place.text, "%s+%u", array,
                 width * random_below(g, bytes / width));
        return place;
    }
    const unsigned half = random_chance(g, 25) ? bytes / 2 : 0;
    const unsigned t = offset(g, width, bytes - half, &traits);
    const unsigned base = new_32(g), sum = new_32(g);
    random_say(g, "mov.u32 %%r%u, %s;", base, array);
    if (may_be_generic && random_chance(g, 20)) {
        place = wide_place(g, base, t);
        place.traits |= traits;
        return place;
    }
    random_say(g, "add.%c32 %%r%u, %%r%u, %%r%u;", random_chance(g, 50) ? 'u' : 's', sum, base, t);
    if (half)
        snprintf(place.text, sizeof place.text, "%%r%u+%u", sum,
                 width * random_below(g, half / width));
    else
        snprintf(place.text, sizeof place.text, "%%r%u", sum);
    place.traits = traits;
    return place;
}

// ---- Loads and stores -----------------------------------------------------------------------

static const struct type {
    const char *name;
    unsigned bytes;
    enum value_kind kind; // of a register that holds it
} types[] = {{".u32", 4, VALUE_32}, {".b32", 4, VALUE_32}, {".s32", 4, VALUE_32},
             {".u8", 1, VALUE_32},  {".s8", 1, VALUE_32},  {".u16", 2, VALUE_32},
             {".s16", 2, VALUE_16}, {".b16", 2, VALUE_16}, {".u64", 8, VALUE_64},
             {".s64", 8, VALUE_64}, {".u16", 2, VALUE_16}, {".b64", 8, VALUE_64}};

static void list_registers(char *out, size_t room, struct generator *g, enum value_kind kind,
                           unsigned count, unsigned *numbers, bool is_new) {
    size_t at = (size_t)snprintf(out, room, count > 1 ? "{" : "%s", "");
    for (unsigned i = 0; i < count; i++) {
        numbers[i] = is_new ? random_register(g, kind) : random_pick(g, kind).number;
        at += (size_t)snprintf(out + at, room - at, "%s%s", i ? ", " : "",
                               random_name(g, kind, numbers[i]));
    }
    snprintf(out + at, room - at, "%s", count > 1 ? "}" : "");
}

static void load_or_store(struct generator *g, bool is_store) {
    const struct type *type = &ONE_OF(g, types);
    unsigned count = random_chance(g, 25) ? 2u << random_below(g, 2) : 1, numbers[4];
    while (count * type->bytes > 16)
        count /= 2;
    const struct place place = shared_place(g, count * type->bytes, true);
    uint32_t traits = place.traits;
    const char *guard = random_guard(g, 15, &traits), *vector = count == 4   ? ".v4"
                                                                : count == 2 ? ".v2"
                                                                             : "";
    const char *is_volatile = random_chance(g, 4) ? ".volatile" : "";
    char list[100];
    // What a guard keeps from being loaded would be undefined: it has a value before.
    list_registers(list, sizeof list, g, type->kind, count, numbers, !is_store);
    for (unsigned i = 0; i < count && !is_store && guard[0]; i++)
        random_say(g, "mov.u%u %s, 0;", 16u << type->kind, random_name(g, type->kind, numbers[i]));
    if (is_store)
        random_say(g, "%sst%s%s%s%s [%s], %s;", guard, is_volatile, place.space, vector, type->name,
                   place.text, list);
    else
        random_say(g, "%sld%s%s%s%s %s, [%s];", guard, is_volatile, place.space, vector, type->name,
                   list, place.text);
    random_site(g, traits);
    for (unsigned i = 0; i < count && !is_store; i++)
        random_push(g, type->kind, numbers[i],
                    type->bytes > 2 ? UINT64_MAX : (1u << 8 * type->bytes) - 1, TRAIT_LOADED);
}

// ---- Atomics --------------------------------------------------------------------------------

static void atomic(struct generator *g) {
    static const char *const operations[] = {"add.u32", "add.u32",  "min.u32", "max.s32",
                                             "and.b32", "or.b32",   "xor.b32", "inc.u32",
                                             "dec.u32", "exch.b32", "add.s32"};
    static const char *const wide[] = {"add.u64", "max.u64", "exch.b64", "and.b64"};
    const unsigned way = random_below(g, 10);
    const bool is_wide = way == 0 || way == 1;
    const struct place place = shared_place(g, is_wide ? 8 : 4, true);
    uint32_t traits = place.traits;
    const char *guard = random_guard(g, 20, &traits);
    const enum value_kind kind = is_wide ? VALUE_64 : VALUE_32;
    const unsigned n = random_register(g, kind);
    const char *to = random_name(g, kind, n);
    const char *a = random_name(g, kind, random_pick(g, kind).number);
    if (guard[0])
        random_say(g, "mov.u%u %s, 1;", 16u << kind, to);
    if (way == 0)
        random_say(g, "%satom%s.%s %s, [%s], %s;", guard, place.space, ONE_OF(g, wide), to,
                   place.text, a);
    else if (way == 1)
        random_say(g, "%satom%s.cas.b64 %s, [%s], %s, 5;", guard, place.space, to, place.text, a);
    else if (way == 2)
        random_say(g, "%satom%s.cas.b32 %s, [%s], 0, %s;", guard, place.space, to, place.text, a);
    else if (way == 3)
        random_say(g, "%satom%s.add.f32 %%f2, [%s], 0f3f800000;", guard, place.space, place.text);
    else if (way < 6) {
        static const char *const reductions[] = {"add.u32", "max.u32", "or.b32", "inc.u32"};
        random_say(g, "%sred%s.%s [%s], %s;", guard, place.space, ONE_OF(g, reductions), place.text,
                   a);
    } else
        random_say(g, "%satom%s.%s %s, [%s], %s;", guard, place.space, ONE_OF(g, operations), to,
                   place.text, a);
    random_site(g, traits);
    if (way < 3 || way >= 6)
        random_push(g, kind, n, UINT64_MAX, TRAIT_LOADED);
}

// ---- Matrices, copies -----------------------------------------------------------------------

static void matrix(struct generator *g) {
    const unsigned count = 1u << random_below(g, 3);
    const struct place place = shared_place(g, 16, false);
    const bool is_store = random_chance(g, 35);
    unsigned numbers[4];
    char list[100];
    list_registers(list, sizeof list, g, VALUE_32, count, numbers, !is_store);
    const char *braces = count == 1 ? "{%s}" : "%s";
    char operands[110];
    snprintf(operands, sizeof operands, count == 1 ? "{%s}" : "%s", list);
    (void)braces;
    if (is_store)
        random_say(g, "stmatrix.sync.aligned.m8n8.x%u.shared.b16 [%s], %s;", count, place.text,
                   operands);
    else
        random_say(g, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%s];", count,
                   random_chance(g, 30) ? ".trans" : "", operands, place.text);
    random_site(g, place.traits);
    for (unsigned i = 0; i < count && !is_store; i++)
        random_push(g, VALUE_32, numbers[i], UINT64_MAX, TRAIT_LOADED);
}

static void copy(struct generator *g) {
    const unsigned bytes = 4u << random_below(g, 3);
    const struct place place = shared_place(g, bytes, false);
    const struct random_value v = random_pick(g, VALUE_32);
    const unsigned t = new_32(g), d = random_register(g, VALUE_64),
                   b = random_register(g, VALUE_64);
    uint32_t traits = place.traits;
    random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, v.number, RANDOM_BUFFER_BYTES - 16);
    random_say(g, "cvt.u64.u32 %%d%u, %%r%u;", d, t);
    random_say(g, "mov.u64 %%d%u, gl;", b);
    random_say(g, "add.s64 %%d%u, %%d%u, %%d%u;", d, d, b);
    const char *guard = random_guard(g, 15, &traits);
    random_say(g, "%scp.async.%s.shared.global [%s], [%%d%u], %u;", guard,
               bytes == 16 && random_chance(g, 50) ? "cg" : "ca", place.text, d, bytes);
    random_site(g, traits);
    random_say(g, "cp.async.wait_all;");
}

void random_make_access(struct generator *g) {
    const unsigned way = random_below(g, 20);
    if (way < 9)
        load_or_store(g, false);
    else if (way < 15)
        load_or_store(g, true);
    else if (way < 18)
        atomic(g);
    else if (way < 19)
        g->depth == 0 && g->is_kernel ? matrix(g) : load_or_store(g, false);
    else
        copy(g);
}

// ---- Other memories -------------------------------------------------------------------------

// Numbers; those that would index buffers are masked as any other.
void random_make_parameter(struct generator *g) {
    if (!g->is_kernel)
        return;
    static const struct {
        const char *type, *name;
        enum value_kind kind;
    } parameters[] = {{"u32", "n1", VALUE_32}, {"u32", "n2", VALUE_32}, {"s32", "n2", VALUE_32},
                      {"u64", "w1", VALUE_64}, {"u16", "h1", VALUE_16}, {"u16", "h1", VALUE_32},
                      {"s8", "b1", VALUE_32},  {"u8", "b1", VALUE_32},  {"s8", "b1", VALUE_16}};
    const unsigned at = random_below(g, sizeof parameters / sizeof *parameters);
    const unsigned n = random_register(g, parameters[at].kind);
    random_say(g, "ld.param.%s %s, [%s];", parameters[at].type,
               random_name(g, parameters[at].kind, n), parameters[at].name);
    random_push(g, parameters[at].kind, n, UINT64_MAX, TRAIT_PARAMETER);
}

// Of 256 bytes of constants, of the buffer, of a variable, of local memory.
void random_make_load(struct generator *g) {
    static const char *const spaces[] = {".const", ".global", ".global", ".local"};
    static const char *const names[] = {"table", "gl", NULL, "loc"};
    const struct type *type = &ONE_OF(g, types);
    unsigned where = random_below(g, 4);
    if (where == 2 && !g->is_kernel)
        where = 1;
    const unsigned bytes = where == 0   ? CONST_BYTES
                           : where == 3 ? LOCAL_BYTES
                                        : RANDOM_BUFFER_BYTES;
    const struct random_value v = random_pick(g, VALUE_32);
    const unsigned t = new_32(g), d = random_register(g, VALUE_64),
                   b = random_register(g, VALUE_64), n = random_register(g, type->kind);
    random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, v.number, bytes - type->bytes);
    random_say(g, "cvt.u64.u32 %%d%u, %%r%u;", d, t);
    if (where == 2)
        random_say(g, "ld.param.u64 %%d%u, [buf];", b);
    else
        random_say(g, "mov.u64 %%d%u, %s;", b, names[where]);
    random_say(g, "add.s64 %%d%u, %%d%u, %%d%u;", d, d, b);
    const bool is_store = where != 0 && random_chance(g, 20);
    if (is_store)
        random_say(g, "st%s%s [%%d%u], %s;", spaces[where], type->name, d,
                   random_name(g, type->kind, random_pick(g, type->kind).number));
    else
        random_say(g, "ld%s%s %s, [%%d%u];", spaces[where], type->name,
                   random_name(g, type->kind, n), d);
    if (where == 1 || where == 2)
        random_site(g, TRAIT_LOADED);
    if (!is_store)
        random_push(g, type->kind, n, type->bytes > 2 ? UINT64_MAX : (1u << 8 * type->bytes) - 1,
                    TRAIT_LOADED);
}

// Where in local memory: a place that is likely known, as text between brackets.
static const char *local_place(struct generator *g, unsigned bytes) {
    const unsigned at = bytes * random_below(g, random_chance(g, 70) ? 3 : LOCAL_BYTES / bytes);
    const unsigned d = random_register(g, VALUE_64), t = random_register(g, VALUE_32);
    char *text = g->texts[g->text++ % 16];
    if (random_chance(g, 40)) {
        snprintf(text, sizeof g->texts[0], "loc+%u", at);
        return text;
    }
    random_say(g, "mov.u64 %%d%u, loc;", d);
    if (random_chance(g, 40)) { // another one for each lane, maybe
        const struct random_value v = random_chance(g, 50) ? random_pick(g, VALUE_32) : mixed(g);
        const unsigned wide = random_register(g, VALUE_64);
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", t, v.number, random_chance(g, 50) ? 3 : 1);
        random_say(g, "mul.wide.u32 %%d%u, %%r%u, %u;", wide, t, bytes);
        random_say(g, "add.s64 %%d%u, %%d%u, %%d%u;", d, d, wide);
        snprintf(text, sizeof g->texts[0], "%%d%u", d);
    } else {
        snprintf(text, sizeof g->texts[0], "%%d%u+%u", d, at);
    }
    return text;
}

static void local_access(struct generator *g, const struct type *type, unsigned count,
                         bool is_store, const char *place, unsigned guards) {
    const char *space = ".local";
    char list[100], generic[16];
    unsigned numbers[4];
    uint32_t traits = TRAIT_LOCAL;
    if (place[0] == '%' && !strchr(place, '+') && random_chance(g, 20)) {
        const unsigned d = random_register(g, VALUE_64);
        random_say(g, "cvta.local.u64 %%d%u, %s;", d, place);
        snprintf(generic, sizeof generic, "%%d%u", d);
        place = generic;
        space = "";
    }
    list_registers(list, sizeof list, g, type->kind, count, numbers, !is_store);
    const char *guard = random_guard(g, guards, &traits), *vector = count == 2 ? ".v2" : "";
    for (unsigned i = 0; i < count && !is_store && guard[0]; i++)
        random_say(g, "mov.u%u %s, 0;", 16u << type->kind, random_name(g, type->kind, numbers[i]));
    if (is_store)
        random_say(g, "%sst%s%s%s [%s], %s;", guard, space, vector, type->name, place, list);
    else
        random_say(g, "%sld%s%s%s %s, [%s];", guard, space, vector, type->name, list, place);
    if (!space[0])
        random_site(g, traits);
    for (unsigned i = 0; i < count && !is_store; i++)
        random_push(g, type->kind, numbers[i],
                    type->bytes > 2 ? UINT64_MAX : (1u << 8 * type->bytes) - 1,
                    TRAIT_LOADED | TRAIT_LOCAL);
}

// Values that go through memory of the thread's own, and come back to be an index.
void random_make_local(struct generator *g) {
    const struct type *type = random_chance(g, 60) ? &types[0] : &ONE_OF(g, types);
    const unsigned count = random_chance(g, 20) && type->bytes <= 4 ? 2 : 1;
    const char *place = local_place(g, type->bytes * count);
    if (random_chance(g, 80))
        local_access(g, type, count, true, place, 10);
    if (random_chance(g, 50)) { // over it, or beside it
        const struct type *other = random_chance(g, 70) ? type : &ONE_OF(g, types);
        const char *there = random_chance(g, 60)
                                ? place
                                : local_place(g, other->bytes * (other == type ? count : 1));
        local_access(g, other, other == type ? count : 1, true, there, 35);
    }
    if (random_chance(g, 70)) {
        local_access(g, type, count, false, place, 10);
        random_make_access(g);
    }
}

void random_parameters(uint64_t *state, uint64_t buffer, uint8_t bytes[RANDOM_PARAMETER_BYTES]) {
    uint64_t numbers[4] = {buffer};
    for (unsigned i = 1; i < 4; i++) {
        numbers[i] = random_next(state);
        if (random_next(state) % 3)
            numbers[i] &= 0x0000003f0000003full;
        if (random_next(state) % 4 == 0)
            numbers[i] = 1ull << numbers[i] % 32 | (1ull << numbers[i] % 16) << 32;
    }
    for (unsigned i = 0; i < RANDOM_PARAMETER_BYTES; i++)
        bytes[i] = (uint8_t)(numbers[i / 8] >> 8 * (i % 8));
}

// ---- Accesses behind comparisons ------------------------------------------------------------

static void jump_unless(struct generator *g, unsigned index, unsigned label, unsigned limit) {
    static const char *const kinds[] = {"u32", "s32"};
    const unsigned p = random_register(g, VALUE_PREDICATE), q = random_register(g, VALUE_PREDICATE);
    const struct random_value other = random_32(g);
    const char *kind = ONE_OF(g, kinds);
    switch (random_below(g, 7)) {
    case 0:
    case 1:
        random_say(g, "setp.gt.u32 %%p%u, %%r%u, %u;", p, index, limit);
        break;
    case 2: // from both sides
        random_say(g, "setp.lt.s32 %%p%u, %%r%u, %u;", q, index, random_below(g, 3));
        random_say(g, "setp.gt.s32 %%p%u, %%r%u, %u;", p, index, limit);
        random_say(g, "or.pred %%p%u, %%p%u, %%p%u;", p, p, q);
        break;
    case 3: // one after the other
        random_say(g, "setp.le.s32 %%p%u, %%r%u, %d;", q, index, (int)random_below(g, 3) - 1);
        random_say(g, "@%%p%u bra L%u;", q, label);
        random_say(g, "setp.gt.s32 %%p%u, %%r%u, %u;", p, index, limit);
        break;
    case 4: // by a number that is bounded itself, or by one that is not
        if (g->is_kernel && random_chance(g, 50)) {
            const unsigned n = new_32(g);
            random_say(g, "ld.param.u32 %%r%u, [n%u];", n, 1 + random_below(g, 2));
            random_say(g, "setp.lt.s32 %%p%u, %%r%u, 0;", q, index);
            random_say(g, "@%%p%u bra L%u;", q, label);
            random_say(g, "setp.ge.%s %%p%u, %%r%u, %%r%u;", kind, p, index, n);
            break;
        }
        random_say(g, "setp.ge.%s %%p%u, %%r%u, %%r%u;", kind, p, index, other.number);
        if (random_chance(g, 70)) {
            random_say(g, "setp.gt.u32 %%p%u, %%r%u, %u;", q, other.number, limit);
            random_say(g, "@%%p%u bra L%u;", q, label);
        }
        break;
    case 5:
        random_say(g, "setp.ne.s32 %%p%u, %%r%u, %u;", p, index, limit);
        break;
    default:
        random_say(g, "setp.ge.or.%s %%p%u, %%r%u, %u, %%p%u;", kind, p, index, limit,
                   random_pick(g, VALUE_PREDICATE).number);
    }
    random_say(g, "@%%p%u bra L%u;", p, label);
}

void random_make_checked(struct generator *g) {
    const struct random_value v = random_32(g);
    const unsigned label = ++g->label, words = g->array_bytes / 4, moved = new_32(g),
                   base = new_32(g), at = new_32(g), to = new_32(g);
    const unsigned away = random_chance(g, 50) ? 0 : random_below(g, 40);
    const unsigned limit =
        random_chance(g, 80) ? random_below(g, words) : words - 1 + random_below(g, 3) - 1;
    const bool is_moved = random_chance(g, 40);
    random_say(g, "%s.s32 %%r%u, %%r%u, %u;", random_chance(g, 50) ? "add" : "sub", moved, v.number,
               random_below(g, 40));
    random_say(g, "mov.u32 %%r%u, 0;", to);
    jump_unless(g, is_moved ? moved : v.number, label, limit);
    random_say(g, "mov.u32 %%r%u, sm;", base);
    if (random_chance(g, 30)) { // by 64 bits
        const unsigned wide = random_register(g, VALUE_64), sum = random_register(g, VALUE_64);
        random_say(g, "cvt.u64.u32 %%d%u, %%r%u;", wide, base);
        random_say(g, "mad.wide.%c32 %%d%u, %%r%u, 4, %%d%u;", random_chance(g, 50) ? 'u' : 's',
                   sum, random_chance(g, 70) && is_moved ? moved : v.number, wide);
        random_say(g, "ld.shared.u32 %%r%u, [%%d%u];", to, sum);
    } else {
        random_say(g, "mad.lo.s32 %%r%u, %%r%u, 4, %%r%u;", at,
                   random_chance(g, 70) && is_moved ? moved : v.number, base);
        random_say(g, "ld.shared.u32 %%r%u, [%%r%u+%u];", to, at, 4 * away);
    }
    random_site(g, v.traits);
    strbuf_printf(&g->body, "L%u:\n", label);
    random_push(g, VALUE_32, to, UINT64_MAX, v.traits | TRAIT_LOADED);
    g->kernel->has_open_branches = true;
}
