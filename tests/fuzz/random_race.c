// Random kernels whose threads meet in shared memory: barriers where they belong, some of them
// missing. Loops with and without barriers, tiles that are read crosswise, halves that are added,
// buffers in turn, lanes that are guarded, threads that leave.
#include <stdio.h>
#include <string.h>

#include "random_kernel.h"

#define ONE_OF(g, list) (list)[random_below(g, sizeof(list) / sizeof *(list))]

enum { ARRAY_BYTES = 16384, MOST_DEPTH = 4, MOST_SCALARS = 2 };

// Registers that every kernel sets first.
static const char *const of_threads[] = {"%me", "%me", "%me", "%tx", "%ty", "%ln", "%wa"};
static const char *const of_blocks[] = {"%n1", "%n2", "%cta", "%size"};

struct race_generator {
    struct generator g;
    unsigned counters; // loops around: %k0, %k1, ...
    unsigned numbers;  // registers that were made
    unsigned scalars;  // %u0, %u1, ...: read from shared memory, where one thread stored for all
    unsigned missing;  // percent of barriers that are left out
    bool has_scalars, has_copies;
    bool is_tidy; // no barrier where threads may be apart
    bool is_calm; // threads mostly write what is theirs, with barriers between
    bool are_apart;
};

static unsigned below(struct race_generator *r, unsigned limit) {
    return random_below(&r->g, limit);
}

static bool chance(struct race_generator *r, unsigned percent) {
    return random_chance(&r->g, percent);
}

static unsigned new_number(struct race_generator *r) {
    return ++r->numbers;
}

static void statements(struct race_generator *r, unsigned count);

// ---- Numbers --------------------------------------------------------------------------------

// One that is not of the thread: it is small.
static const char *uniform(struct race_generator *r, char text[24]) {
    if (r->scalars && chance(r, 40))
        snprintf(text, 24, "%%u%u", below(r, r->scalars));
    else if (r->counters && chance(r, 40))
        snprintf(text, 24, "%%k%u", below(r, r->counters));
    else if (chance(r, 50))
        snprintf(text, 24, "%u", below(r, 9));
    else
        snprintf(text, 24, "%s", ONE_OF(&r->g, of_blocks));
    return text;
}

static unsigned loaded(struct race_generator *r) {
    const unsigned n = new_number(r);
    random_say(&r->g, "mul.wide.u32 %%d1, %s, 4;",
               chance(r, 70) ? "%me" : ONE_OF(&r->g, of_blocks));
    random_say(&r->g, "and.b64 %%d1, %%d1, 2044;");
    random_say(&r->g, "add.u64 %%d1, %%d1, %%buf;");
    random_say(&r->g, "ld.global.u32 %%r%u, [%%d1];", n);
    random_say(&r->g, "and.b32 %%r%u, %%r%u, %u;", n, n, chance(r, 50) ? 255 : 7);
    return n;
}

// Another one for each thread of the block.
static unsigned make_own(struct race_generator *r) {
    const unsigned n = new_number(r);
    char u[24];
    if (chance(r, 40))
        random_say(&r->g, "mov.u32 %%r%u, %%me;", n);
    else if (chance(r, 50))
        random_say(&r->g, "%s %%r%u, %%me, %s;", chance(r, 50) ? "xor.b32" : "add.u32", n,
                   uniform(r, u));
    else
        random_say(&r->g, "mad.lo.u32 %%r%u, %s, %%nt, %%me;", n, uniform(r, u));
    return n;
}

// Of the thread, and of what all have in common: an index of an element.
static unsigned make_index(struct race_generator *r) {
    static const char *const ways[] = {"add.u32", "add.u32", "xor.b32", "sub.u32", "mul.lo.u32"};
    const unsigned n = new_number(r);
    const char *thread = ONE_OF(&r->g, of_threads);
    char u[24];
    switch (below(r, 12)) {
    case 0:
    case 1:
        random_say(&r->g, "mov.u32 %%r%u, %s;", n, thread);
        break;
    case 2:
    case 3:
    case 4:
        random_say(&r->g, "%s %%r%u, %s, %s;", ONE_OF(&r->g, ways), n, thread, uniform(r, u));
        break;
    case 5:
        random_say(&r->g, "mad.lo.u32 %%r%u, %s, %u, %s;", n, chance(r, 50) ? "%ty" : "%tx",
                   chance(r, 60) ? 16 : 17, chance(r, 50) ? "%tx" : "%ty");
        break;
    case 6:
        random_say(&r->g, "mad.lo.u32 %%r%u, %s, %%nt, %%me;", n, uniform(r, u));
        break;
    case 7:
        random_say(&r->g, "and.b32 %%r%u, %s, 1;", n, r->counters ? "%k0" : "%n1");
        if (chance(r, 40))
            random_say(&r->g, "xor.b32 %%r%u, %%r%u, 1;", n, n);
        random_say(&r->g, "mad.lo.u32 %%r%u, %%r%u, %%nt, %%me;", n, n);
        break;
    case 8:
        random_say(&r->g, "add.u32 %%r%u, %s, %s;", n, thread, uniform(r, u));
        random_say(&r->g, "and.b32 %%r%u, %%r%u, %u;", n, n, chance(r, 50) ? 31 : 63);
        break;
    case 9:
        random_say(&r->g, "shr.u32 %%r%u, %s, %u;", n, thread, 1 + below(r, 3));
        break;
    case 10:
        return chance(r, 50) ? loaded(r) : (random_say(&r->g, "mov.u32 %%r%u, %%v;", n), n);
    default:
        random_say(&r->g, "mov.u32 %%r%u, %s;", n, uniform(r, u));
    }
    return n;
}

// A predicate; whether it is the same for all threads of the block.
static unsigned make_condition(struct race_generator *r, bool *is_common) {
    static const char *const relations[] = {"lt.u32", "lt.u32", "eq.u32", "ge.u32", "ne.u32"};
    const unsigned p = new_number(r);
    char u[24];
    *is_common = chance(r, 35);
    if (*is_common) {
        random_say(&r->g, "setp.%s %%p%u, %s, %s;", ONE_OF(&r->g, relations), p,
                   r->scalars && chance(r, 40)    ? "%u0"
                   : r->counters && chance(r, 40) ? "%k0"
                                                  : ONE_OF(&r->g, of_blocks),
                   uniform(r, u));
        return p;
    }
    if (chance(r, 15))
        random_say(&r->g, "setp.%s %%p%u, %%r%u, 3;", ONE_OF(&r->g, relations), p, loaded(r));
    else if (chance(r, 70))
        random_say(&r->g, "setp.%s %%p%u, %s, %u;", ONE_OF(&r->g, relations), p,
                   ONE_OF(&r->g, of_threads), chance(r, 60) ? 1u << below(r, 8) : below(r, 4));
    else
        random_say(&r->g, "setp.%s %%p%u, %s, %s;", ONE_OF(&r->g, relations), p,
                   ONE_OF(&r->g, of_threads), uniform(r, u));
    return p;
}

// ---- Accesses -------------------------------------------------------------------------------

static void make_access(struct race_generator *r) {
    static const char *const types[] = {"u32", "u32", "u32", "u32", "u8", "u16", "u64"};
    static const char *const values[] = {"%me", "%v", "%n1", "7"};
    const bool writes = chance(r, 50);
    const unsigned index = r->is_calm && writes && chance(r, 90) ? make_own(r) : make_index(r);
    const unsigned at = new_number(r), width = r->is_calm ? 0 : below(r, 7);
    const char *type = types[width], *value = ONE_OF(&r->g, values);
    const unsigned shift = width < 4 ? 2 : width == 4 ? 0 : width == 5 ? 1 : 3;
    char guard[24] = "";
    if (chance(r, 20)) {
        bool unused;
        snprintf(guard, sizeof guard, "@%s%%p", chance(r, 30) ? "!" : "");
        const unsigned p = make_condition(r, &unused);
        snprintf(guard + strlen(guard), 12, "%u ", p);
    }
    random_say(&r->g, "shl.b32 %%r%u, %%r%u, %u;", at, index, shift);
    random_say(&r->g, "and.b32 %%r%u, %%r%u, %u;", at, at, ARRAY_BYTES / 2 - 1);
    if (chance(r, 50))
        random_say(&r->g, "add.u32 %%r%u, %%r%u, %u;", at, at, 2048 * below(r, 4));
    random_say(&r->g, "add.u32 %%r%u, %%r%u, %%base;", at, at);
    const char *strong = chance(r, 5) ? ".volatile" : "";
    if (chance(r, 8))
        random_say(&r->g, "%sred.shared.add.u32 [%%base+%u], 1;", guard, 4 * below(r, 3));
    else if (shift == 3)
        random_say(&r->g,
                   writes ? "%sst%s.shared.u64 [%%r%u], %%d2;" : "%sld%s.shared.u64 %%d2, [%%r%u];",
                   guard, strong, at);
    else if (writes)
        random_say(&r->g, "%sst%s.shared.%s [%%r%u], %s;", guard, strong, type, at,
                   value[0] == '7' ? "%seven" : value);
    else
        random_say(&r->g, "%sld%s.shared.%s %s, [%%r%u];", guard, strong, type,
                   chance(r, 15) ? "%v" : "%x", at);
}

static void make_barrier(struct race_generator *r) {
    if (chance(r, r->missing) || (r->is_tidy && r->are_apart))
        return;
    if (chance(r, 4))
        random_say(&r->g, "barrier.sync %u;", below(r, 2));
    else if (chance(r, 4))
        random_say(&r->g, "bar.red.popc.u32 %%x, 0, %%p0;");
    else if (chance(r, 15))
        random_say(&r->g, "bar.warp.sync 0xffffffff;");
    else if (chance(r, 2))
        random_say(&r->g, "bar.sync 1, %%nt;");
    else
        random_say(&r->g, "bar.sync 0;");
}

// Some threads store a number, mostly one thread; all read it, mostly behind a barrier.
static void make_scalar(struct race_generator *r) {
    static const char *const values[] = {"%n1", "%n2", "%v", "%me", "%cta"};
    const unsigned u = below(r, MOST_SCALARS), p = new_number(r);
    const unsigned place = chance(r, 80) ? ARRAY_BYTES - 16 + 4 * u : 64 * below(r, 8);
    if (chance(r, 85)) {
        char text[24];
        if (chance(r, 40))
            snprintf(text, sizeof text, "%%r%u", loaded(r));
        else
            snprintf(text, sizeof text, "%s", ONE_OF(&r->g, values));
        random_say(&r->g, "setp.%s.u32 %%p%u, %%me, %u;", chance(r, 85) ? "eq" : "le", p,
                   chance(r, 70) ? 0 : below(r, 48));
        if (chance(r, 10))
            random_say(&r->g, "red.shared.add.u32 [%%base+%u], 1;", place);
        else
            random_say(&r->g, "@%%p%u st.shared.u32 [%%base+%u], %s;", p, place, text);
        if (chance(r, 85))
            make_barrier(r);
    }
    random_say(&r->g, "ld.shared.u32 %%u%u, [%%base+%u];", u, place);
    random_say(&r->g, "and.b32 %%u%u, %%u%u, %u;", u, u, chance(r, 50) ? 1 : 7);
    if (chance(r, 60))
        make_barrier(r);
    r->scalars = MOST_SCALARS;
}

// Buffers that are copied to, a group each; some of these are waited for, and read by others.
static void make_pipeline(struct race_generator *r) {
    const unsigned at = new_number(r), other = new_number(r), buffers = 1 + below(r, 3);
    random_say(&r->g, "mad.lo.u32 %%r%u, %%me, 4, %%base;", at);
    for (unsigned b = 0; b < buffers; b++) {
        random_say(&r->g, "cp.async.ca.shared.global [%%r%u+%u], [%%buf], 4;", at, 2048 * b);
        if (chance(r, 90))
            random_say(&r->g, "cp.async.commit_group;");
    }
    if (chance(r, 90))
        random_say(&r->g, "cp.async.wait_group %u;", below(r, buffers + 1));
    if (chance(r, 90))
        random_say(&r->g, "bar.sync 0;");
    random_say(&r->g, "xor.b32 %%r%u, %%me, %u;", other, chance(r, 50) ? 1 : 32);
    random_say(&r->g, "mad.lo.u32 %%r%u, %%r%u, 4, %%base;", other, other);
    random_say(&r->g, "ld.shared.u32 %%x, [%%r%u+%u];", other, 2048 * below(r, buffers));
    if (chance(r, 80))
        random_say(&r->g, "cp.async.wait_all;");
    if (chance(r, 80))
        random_say(&r->g, "bar.sync 0;");
}

// A copy that is under way until somebody waits, or what commits and waits.
static void make_copy(struct race_generator *r) {
    static const unsigned widths[] = {4, 4, 8, 16};
    const unsigned at = new_number(r), width = ONE_OF(&r->g, widths);
    switch (below(r, 7)) {
    case 0:
    case 1:
        random_say(&r->g, "cp.async.commit_group;");
        return;
    case 2:
        random_say(&r->g, "cp.async.wait_group %u;", below(r, 3));
        return;
    case 3:
        random_say(&r->g, "cp.async.wait_all;");
        if (chance(r, 70))
            make_barrier(r);
        return;
    default:
        break;
    }
    const unsigned index = chance(r, 80) ? make_own(r) : make_index(r);
    random_say(&r->g, "mul.lo.u32 %%r%u, %%r%u, %u;", at, index, width);
    random_say(&r->g, "and.b32 %%r%u, %%r%u, %u;", at, at, ARRAY_BYTES / 2 - 16);
    random_say(&r->g, "add.u32 %%r%u, %%r%u, %u;", at, at, 2048 * below(r, 4));
    random_say(&r->g, "add.u32 %%r%u, %%r%u, %%base;", at, at);
    random_say(&r->g, "cp.async.%s.shared.global [%%r%u], [%%buf], %u;",
               width == 16 && chance(r, 50) ? "cg" : "ca", at, width);
    if (chance(r, 50))
        random_say(&r->g, "cp.async.commit_group;");
    if (chance(r, 50))
        random_say(&r->g, "cp.async.wait_%s;", chance(r, 50) ? "all" : "group 0");
    if (chance(r, 50))
        make_barrier(r);
}

// ---- Ways -----------------------------------------------------------------------------------

static void make_branch(struct race_generator *r) {
    bool is_common;
    const unsigned p = make_condition(r, &is_common), other = ++r->g.label, end = ++r->g.label;
    const bool has_else = chance(r, 40), were_apart = r->are_apart;
    r->are_apart |= !is_common;
    r->g.depth++;
    random_say(&r->g, "@%s%%p%u bra L%u;", chance(r, 50) ? "!" : "", p, other);
    statements(r, 1 + below(r, 3));
    if (has_else)
        random_say(&r->g, "bra L%u;", end);
    strbuf_printf(&r->g.body, "L%u:\n", other);
    if (has_else) {
        statements(r, 1 + below(r, 3));
        strbuf_printf(&r->g.body, "L%u:\n", end);
    }
    r->g.depth--;
    r->are_apart = were_apart;
}

static void jump(struct race_generator *r, const char *relation, unsigned p, unsigned counter,
                 const char *bound, unsigned label) {
    random_say(&r->g, "setp.%s.u32 %%p%u, %%k%u, %s;", relation, p, counter, bound);
    random_say(&r->g, "@%%p%u bra L%u;", p, label);
}

// Rounds: a number, one of the block's, of the thread, or loaded; counted up, doubled or halved.
static void make_loop(struct race_generator *r) {
    const unsigned k = r->counters, head = ++r->g.label, out = ++r->g.label, p = new_number(r);
    const unsigned way = below(r, 5), kind = below(r, 10);
    const bool were_apart = r->are_apart, tests_first = chance(r, 50);
    char bound[24];
    snprintf(bound, sizeof bound, "%u", 1 + below(r, 4));
    if (kind >= 5) {
        const unsigned n = new_number(r);
        const char *from = kind < 8 ? ONE_OF(&r->g, of_blocks) : ONE_OF(&r->g, of_threads);
        char text[24];
        if (kind == 9)
            snprintf(text, sizeof text, "%%r%u", loaded(r));
        random_say(&r->g, "and.b32 %%r%u, %s, %u;", n, kind == 9 ? text : from,
                   chance(r, 50) ? 3 : 7);
        snprintf(bound, sizeof bound, "%%r%u", n);
    }
    r->are_apart |= kind >= 8;
    r->g.depth++;
    random_say(&r->g, "mov.u32 %%k%u, %u;", k, way == 4 ? 64 : way == 3);
    strbuf_printf(&r->g.body, "L%u:\n", head);
    if (tests_first)
        jump(r, way == 4 ? "eq" : "ge", p, k, way == 4 ? "0" : bound, out);
    r->counters++;
    statements(r, 2 + below(r, 4));
    if (chance(r, 12)) {
        bool is_common;
        const unsigned q = make_condition(r, &is_common);
        r->are_apart |= !is_common;
        random_say(&r->g, "@%%p%u bra L%u;", q, out);
        statements(r, 1 + below(r, 2));
    }
    if (chance(r, 60))
        make_barrier(r);
    r->counters--;
    random_say(&r->g,
               way == 4   ? "shr.u32 %%k%u, %%k%u, 1;"
               : way == 3 ? "shl.b32 %%k%u, %%k%u, 1;"
                          : "add.u32 %%k%u, %%k%u, 1;",
               k, k);
    if (tests_first)
        random_say(&r->g, "bra L%u;", head);
    else
        jump(r, way == 4 ? "ne" : "lt", p, k, way == 4 ? "0" : bound, head);
    strbuf_printf(&r->g.body, "L%u:\n", out);
    r->g.depth--;
    r->are_apart = were_apart;
}

static void make_exit(struct race_generator *r) {
    bool is_common;
    const unsigned p = make_condition(r, &is_common);
    random_say(&r->g, "@%%p%u ret;", p);
}

static void statement(struct race_generator *r) {
    const unsigned way = below(r, 100);
    if (--r->g.budget < 0)
        return;
    if (way < 45) {
        make_access(r);
        if (r->is_calm && chance(r, 75))
            make_barrier(r);
    } else if (way < 51 && r->has_scalars) {
        make_scalar(r);
    } else if (way < 61 && r->has_copies) {
        if (chance(r, 50) && !r->are_apart)
            make_pipeline(r);
        else
            make_copy(r);
    } else if (way < 70) {
        make_barrier(r);
    } else if (way < 80 && r->g.depth < MOST_DEPTH)
        make_branch(r);
    else if (way < 92 && r->counters < 2 && r->g.depth < MOST_DEPTH)
        make_loop(r);
    else if (way < 94)
        make_exit(r);
    else if (way < 97)
        random_say(&r->g, "mov.u32 %%v, %%r%u;", make_index(r));
    else
        make_access(r);
}

static void statements(struct race_generator *r, unsigned count) {
    while (count--)
        statement(r);
}

static void declare(const struct race_generator *r, struct strbuf *out) {
    strbuf_printf(out,
                  ".version 8.0\n.target sm_90\n.address_size 64\n"
                  ".shared .align 16 .b8 sm[%u];\n"
                  ".visible .entry k(.param .u64 buf, .param .u32 n1, .param .u32 n2)\n{\n"
                  "    .reg .b32 %%r<%u>;\n    .reg .pred %%p<%u>;\n    .reg .b64 %%d<4>, %%buf;\n"
                  "    .reg .b32 %%me, %%tx, %%ty, %%ln, %%wa, %%nt, %%n1, %%n2, %%cta, %%size;\n"
                  "    .reg .b32 %%base, %%v, %%x, %%seven, %%k<3>, %%u<2>;\n"
                  "    ld.param.u64 %%buf, [buf];\n    ld.param.u32 %%n1, [n1];\n"
                  "    ld.param.u32 %%n2, [n2];\n",
                  ARRAY_BYTES, r->numbers + 1, r->numbers + 1);
    strbuf_puts(out, "    and.b32 %n1, %n1, 15;\n    and.b32 %n2, %n2, 7;\n"
                     "    mov.u32 %tx, %tid.x;\n    mov.u32 %ty, %tid.y;\n"
                     "    mov.u32 %nt, %ntid.x;\n    mad.lo.u32 %me, %ty, %nt, %tx;\n"
                     "    mov.u32 %x, %ntid.y;\n    mul.lo.u32 %nt, %nt, %x;\n"
                     "    mov.u32 %cta, %ctaid.x;\n    mov.u32 %size, %nctaid.x;\n"
                     "    and.b32 %ln, %me, 31;\n    shr.u32 %wa, %me, 5;\n"
                     "    mov.u32 %base, sm;\n    mov.u32 %v, %me;\n    mov.u32 %x, 0;\n"
                     "    mov.u32 %seven, 7;\n    mov.u64 %d2, 0;\n"
                     "    mov.u32 %u0, 0;\n    mov.u32 %u1, 0;\n"
                     "    setp.eq.u32 %p0, %ln, 0;\n");
}

void random_race_make(struct random_kernel *kernel, uint64_t seed) {
    *kernel = (struct random_kernel){0};
    struct race_generator r = {.g = {.state = seed * 0x2545f4914f6cdd1du + 7, .budget = 40}};
    r.missing = ONE_OF(&r.g, ((const unsigned[]){0, 0, 10, 40}));
    r.is_tidy = chance(&r, 80);
    r.is_calm = chance(&r, 60);
    r.has_scalars = chance(&r, 50);
    r.has_copies = chance(&r, 30);
    statements(&r, 4 + below(&r, 10));
    declare(&r, &kernel->text);
    strbuf_puts(&kernel->text, strbuf_string(&r.g.body));
    if (r.has_copies && chance(&r, 80))
        strbuf_puts(&kernel->text, "    cp.async.wait_all;\n");
    strbuf_puts(&kernel->text, "    ret;\n}\n");
    strbuf_free(&r.g.body);
}
