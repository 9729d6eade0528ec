// Random kernels: statements, branches, loops, functions.
#include "random_kernel.h"

#include <stdio.h>

static void statements(struct generator *g, unsigned count);

// ---- Scopes ---------------------------------------------------------------------------------

// Values that are made inside of a branch are not used behind it: they may never have been set.
struct scope {
    size_t lengths[VALUE_KINDS];
    uint32_t around;
    struct loop_labels labels;
    unsigned loops;
};

static struct scope open_scope(struct generator *g, uint32_t around) {
    struct scope scope = {.around = g->around, .labels = g->labels, .loops = g->loops};
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
        scope.lengths[kind] = g->values[kind].length;
    g->around |= around;
    g->depth++;
    return scope;
}

static void close_scope(struct generator *g, const struct scope *scope) {
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
        g->values[kind].length = scope->lengths[kind];
    g->around = scope->around;
    g->labels = scope->labels;
    g->loops = scope->loops;
    g->depth--;
}

static unsigned new_label(struct generator *g) {
    return ++g->label;
}

static void place_label(struct generator *g, unsigned label) {
    strbuf_printf(&g->body, "L%u:\n", label);
}

static const uint32_t open_traits =
    TRAIT_PARAMETER | TRAIT_LOADED | TRAIT_BLOCK | TRAIT_EXCHANGED | TRAIT_VARIABLE | TRAIT_CALL;

static uint32_t around_of(struct generator *g, uint32_t traits) {
    if (!(traits & open_traits))
        return TRAIT_IN_BRANCH;
    g->kernel->has_open_branches = true;
    return TRAIT_IN_BRANCH | TRAIT_IN_OPEN;
}

// ---- Branches -------------------------------------------------------------------------------

static struct random_value condition(struct generator *g) {
    return random_chance(g, 70) ? random_make_predicate(g) : random_pick(g, VALUE_PREDICATE);
}

static void jump_if(struct generator *g, const struct random_value *p, unsigned label) {
    random_say(g, "@%s%%p%u bra L%u;", random_chance(g, 40) ? "!" : "", p->number, label);
}

// if, if and else; conditions in a row that lead to one place.
static void make_branch(struct generator *g) {
    const unsigned other = new_label(g), end = new_label(g);
    const bool has_else = random_chance(g, 50);
    const unsigned conditions = random_chance(g, 20) ? 2 + random_below(g, 2) : 1;
    struct scope scope = open_scope(g, 0);
    for (unsigned i = 0; i < conditions; i++) {
        const struct random_value p = condition(g);
        g->around |= around_of(g, p.traits);
        jump_if(g, &p, other);
        if (i + 1 < conditions)
            statements(g, 1);
    }
    const uint32_t around = g->around;
    statements(g, 1 + random_below(g, 3));
    if (has_else)
        random_say(g, "bra L%u;", end);
    close_scope(g, &scope);
    place_label(g, other);
    scope = open_scope(g, around);
    if (has_else) {
        statements(g, 1 + random_below(g, 3));
        place_label(g, end);
    }
    close_scope(g, &scope);
}

static void make_switch(struct generator *g) {
    const unsigned ways = 2 + random_below(g, 3), end = new_label(g), table = new_label(g);
    const struct random_value v = random_32(g);
    const unsigned n = random_register(g, VALUE_32);
    unsigned labels[4];
    random_say(g, "rem.u32 %%r%u, %%r%u, %u;", n, v.number, ways);
    for (unsigned i = 0; i < ways; i++)
        labels[i] = i && random_chance(g, 20) ? labels[i - 1] : new_label(g);
    strbuf_printf(&g->body, "T%u: .branchtargets ", table);
    for (unsigned i = 0; i < ways; i++)
        strbuf_printf(&g->body, "%sL%u", i ? ", " : "", labels[i]);
    strbuf_puts(&g->body, ";\n");
    random_say(g, "brx.idx %%r%u, T%u;", n, table);
    for (unsigned i = 0; i < ways; i++) {
        if (i && labels[i] == labels[i - 1])
            continue;
        const struct scope scope = open_scope(g, around_of(g, v.traits));
        place_label(g, labels[i]);
        statements(g, 1 + random_below(g, 2));
        if (random_chance(g, 75)) // or falls into the next
            random_say(g, "bra L%u;", end);
        close_scope(g, &scope);
    }
    place_label(g, end);
}

// ---- Loops ----------------------------------------------------------------------------------

// The bound of a loop: its text.
static uint32_t make_bound(struct generator *g, char *text, size_t room) {
    const unsigned n = random_register(g, VALUE_32);
    if (random_chance(g, 45)) {
        snprintf(text, room, "%u",
                 random_chance(g, 3) ? 310 + random_below(g, 100) : 1 + random_below(g, 9));
        return 0;
    }
    const struct random_value v = random_32(g);
    if (random_chance(g, 30))
        random_say(g, "min.u32 %%r%u, %%r%u, %u;", n, v.number, random_below(g, 10));
    else
        random_say(g, "and.b32 %%r%u, %%r%u, %u;", n, v.number, random_chance(g, 50) ? 7 : 3);
    snprintf(text, room, "%%r%u", n);
    return v.traits;
}

static void step(struct generator *g, unsigned counter, unsigned way) {
    static const char *const steps[] = {"add.s32", "add.s32", "add.u32",
                                        "shl.b32", "shr.u32", "mad"};
    if (way == 5)
        random_say(g, "mad.lo.s32 %%r%u, %%r%u, 3, 1;", counter, counter);
    else
        random_say(g, "%s %%r%u, %%r%u, %u;", steps[way], counter, counter,
                   way < 2 ? 1 : 1 + random_below(g, way == 2 ? 4 : 2));
}

static void make_loop(struct generator *g) {
    struct scope scope = open_scope(g, 0);
    char bound[24];
    const unsigned head = new_label(g), counter = random_register(g, VALUE_32);
    const unsigned way = random_below(g, 6);
    const bool tests_first = random_chance(g, 40), has_start = random_chance(g, 25);
    uint32_t traits = make_bound(g, bound, sizeof bound);
    const struct random_value start = random_32(g);
    g->labels = (struct loop_labels){new_label(g), new_label(g)};
    if (way == 4)
        random_say(g, "mov.u32 %%r%u, %u;", counter, 1u << random_below(g, 8));
    else if (has_start && way < 3) {
        random_say(g, "and.b32 %%r%u, %%r%u, 3;", counter, start.number);
        traits |= start.traits;
    } else
        random_say(g, "mov.u32 %%r%u, %u;", counter, way >= 3 ? 1 : random_below(g, 2));
    random_push(g, VALUE_32, counter, 16, traits | TRAIT_LOOP);
    g->around |= around_of(g, traits) | TRAIT_IN_LOOP;
    g->loops++;
    place_label(g, head);
    const unsigned p = random_register(g, VALUE_PREDICATE);
    if (tests_first) {
        random_say(g, way == 4 ? "setp.eq.u32 %%p%u, %%r%u, 0;" : "setp.ge.u32 %%p%u, %%r%u, %s;",
                   p, counter, bound);
        random_say(g, "@%%p%u bra L%u;", p, g->labels.out);
    }
    const struct scope inside = open_scope(g, 0);
    statements(g, 1 + random_below(g, 4));
    close_scope(g, &inside);
    place_label(g, g->labels.again);
    step(g, counter, way);
    if (tests_first) {
        random_say(g, "bra L%u;", head);
    } else {
        random_say(g, way == 4 ? "setp.ne.u32 %%p%u, %%r%u, 0;" : "setp.lt.u32 %%p%u, %%r%u, %s;",
                   p, counter, bound);
        random_say(g, "@%%p%u bra L%u;", p, head);
    }
    place_label(g, g->labels.out);
    close_scope(g, &scope);
}

struct counter_test {
    unsigned counter, bound, p; // registers
    const char *type;
    bool is_equality; // until they are equal, whichever way it counts
    bool is_down;
};

// Goes to a label where the loop ends; or where it does not.
static void jump_at(struct generator *g, const struct counter_test *test, bool ends,
                    unsigned label) {
    static const char *const comparisons[][2] = {{"lt", "ge"}, {"gt", "le"}, {"ne", "eq"}};
    random_say(g, "setp.%s.%s %%p%u, %%r%u, %%r%u;",
               comparisons[test->is_equality ? 2 : test->is_down][ends], test->type, test->p,
               test->counter, test->bound);
    random_say(g, "@%%p%u bra L%u;", test->p, label);
}

// From one number to another that is not far away, where either may wrap on the way; down as well.
static void make_short_loop(struct generator *g) {
    static const char *const types[] = {"u32", "s32"};
    struct scope scope = open_scope(g, 0);
    const unsigned head = new_label(g), end = new_label(g), counter = random_register(g, VALUE_32);
    const unsigned start = random_register(g, VALUE_32), bound = random_register(g, VALUE_32);
    const unsigned away = random_register(g, VALUE_32), p = random_register(g, VALUE_PREDICATE);
    const struct random_value v = random_32(g);
    const unsigned by = random_chance(g, 60) ? 1 : 1 + random_below(g, 40);
    const bool is_down = random_chance(g, 35), tests_first = random_chance(g, 40);
    const unsigned way = random_below(g, 3);
    const struct counter_test test = {.counter = counter,
                                      .bound = bound,
                                      .p = p,
                                      .type = types[way < 2 ? way : !tests_first],
                                      .is_equality = way == 2,
                                      .is_down = is_down};
    if (random_chance(g, 40))
        random_say(g, "mov.u32 %%r%u, %u;", start, random_below(g, 4));
    else if (random_chance(g, 40))
        random_say(g, "and.b32 %%r%u, %%r%u, 15;", start, v.number);
    else
        random_say(g, "mov.u32 %%r%u, %%r%u;", start, v.number);
    if (g->is_kernel && random_chance(g, 25)) {
        random_say(g, "ld.param.u32 %%r%u, [n%u];", bound, 1 + random_below(g, 2));
    } else if (random_chance(g, 30)) { // from nothing that has to do with the start
        const struct random_value w = random_32(g);
        random_say(g, "and.b32 %%r%u, %%r%u, 31;", bound, w.number);
    } else {
        random_say(g, "%s.u32 %%r%u, %%r%u, %u;", is_down ? "sub" : "add", bound, start,
                   by * random_below(g, 9) + (random_chance(g, 15) ? random_below(g, by) : 0));
    }
    random_say(g, "mov.u32 %%r%u, %%r%u;", counter, start);
    random_push(g, VALUE_32, counter, 64, v.traits | TRAIT_LOOP);
    g->around |= around_of(g, TRAIT_PARAMETER) | TRAIT_IN_LOOP;
    g->loops++;
    g->labels = (struct loop_labels){new_label(g), end};
    if (!tests_first && random_chance(g, 70)) // as compilers turn loops around
        jump_at(g, &test, true, end);
    place_label(g, head);
    if (tests_first)
        jump_at(g, &test, true, end);
    const struct scope inside = open_scope(g, 0);
    random_say(g, "sub.s32 %%r%u, %%r%u, %%r%u;", away, is_down ? start : counter,
               is_down ? counter : start);
    random_push(g, VALUE_32, away, 40, v.traits | TRAIT_LOOP);
    random_make_checked(g);
    random_make_access(g);
    statements(g, random_below(g, 3));
    close_scope(g, &inside);
    place_label(g, g->labels.again);
    random_say(g, "%s.s32 %%r%u, %%r%u, %u;", is_down ? "sub" : "add", counter, counter, by);
    if (tests_first)
        random_say(g, "bra L%u;", head);
    else
        jump_at(g, &test, false, head);
    place_label(g, end);
    close_scope(g, &scope);
}

static void leave_loop(struct generator *g) {
    const struct random_value p = condition(g);
    around_of(g, p.traits);
    jump_if(g, &p, random_chance(g, 50) ? g->labels.out : g->labels.again);
}

// ---- Ends, calls ----------------------------------------------------------------------------

static void make_exit(struct generator *g) {
    const struct random_value p = condition(g);
    around_of(g, p.traits);
    g->has_exits = true;
    random_say(g, "@%s%%p%u %s;", random_chance(g, 50) ? "!" : "", p.number,
               g->is_kernel && random_chance(g, 30) ? "exit" : "ret");
}

static void make_call(struct generator *g) {
    const unsigned function = random_below(g, g->functions), r = random_register(g, VALUE_32);
    const struct random_value a = random_32(g), b = random_pick(g, VALUE_32);
    uint32_t traits = 0;
    const char *guard = random_guard(g, 10, &traits);
    if (guard[0])
        random_say(g, "mov.u32 %%r%u, 3;", r);
    random_say(g, "{ .param .b32 pa; .param .b32 pb; .param .b32 pr;");
    random_say(g, "st.param.b32 [pa], %%r%u;", a.number);
    random_say(g, "st.param.b32 [pb], %%r%u;", b.number);
    random_say(g, "%scall (pr), f%u, (pa, pb);", guard, function);
    random_say(g, "ld.param.b32 %%r%u, [pr]; }", r);
    random_push(g, VALUE_32, r, UINT64_MAX, a.traits | b.traits | TRAIT_CALL);
    g->kernel->has_open_branches = true;
}

// ---- Statements -----------------------------------------------------------------------------

static void statement(struct generator *g) {
    const unsigned way = random_below(g, 100);
    g->budget--;
    if (g->has_local && random_chance(g, 25))
        random_make_local(g);
    else if (way < 40)
        random_make_value(g);
    else if (way < 42 && g->loops < 2 && g->depth < 5)
        make_short_loop(g);
    else if (way < 46)
        random_make_checked(g);
    else if (way < 66 || g->budget < 0)
        random_make_access(g);
    else if (way < 74)
        random_assign(g);
    else if (way < 82 && g->depth < 4)
        make_branch(g);
    else if (way < 89 && g->loops < 2 && g->depth < 5)
        make_loop(g);
    else if (way < 91 && g->loops)
        leave_loop(g);
    else if (way < 92 && g->depth < 3 && !g->is_small)
        make_switch(g);
    else if (way < 93 && !g->is_small)
        make_exit(g);
    else if (way < 95 && g->functions && !g->is_small)
        make_call(g);
    else if (way < 96 && g->depth == 0 && g->is_kernel)
        random_say(g, "bar.sync 0;");
    else if (g->has_local || way < 97)
        random_make_local(g);
    else
        random_make_access(g);
}

static void statements(struct generator *g, unsigned count) {
    while (count--)
        statement(g);
}

static void declare(const struct generator *g, struct strbuf *out) {
    static const char *const registers[VALUE_KINDS] = {".b16 %h", ".b32 %r", ".b64 %d", ".pred %p"};
    strbuf_puts(out, "{\n    .reg .f32 %f<3>;\n    .local .align 16 .b8 loc[64];\n");
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
        strbuf_printf(out, "    .reg %s<%u>;\n", registers[kind], g->registers[kind] + 1);
}

static void clear(struct generator *g) {
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
        vec_free(&g->values[kind]);
        g->registers[kind] = 0;
    }
    strbuf_free(&g->body);
    g->around = 0;
    g->depth = g->loops = 0;
    g->has_exits = false;
}

static void make_function(struct generator *g, struct strbuf *out, unsigned number) {
    g->is_kernel = false;
    g->functions = number;
    g->budget = 5;
    random_begin_values(g);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned r = random_register(g, VALUE_32);
        random_say(g, "ld.param.u32 %%r%u, [%c];", r, 'a' + i);
        random_push(g, VALUE_32, r, UINT64_MAX, TRAIT_CALL);
    }
    // The result is there whatever way is taken.
    random_say(g, "st.param.b32 [r], %%r%u;", random_pick(g, VALUE_32).number);
    statements(g, 2 + random_below(g, 4));
    random_say(g, "st.param.b32 [r], %%r%u;", random_pick(g, VALUE_32).number);
    random_say(g, "ret;");
    strbuf_printf(out, ".func (.param .b32 r) f%u(.param .b32 a, .param .b32 b)\n", number);
    declare(g, out);
    strbuf_puts(out, strbuf_string(&g->body));
    strbuf_puts(out, "}\n");
    clear(g);
}

void random_kernel_make(struct random_kernel *kernel, uint64_t seed) {
    *kernel = (struct random_kernel){0};
    struct generator g = {.state = seed * 0x2545f4914f6cdd1du + 1, .kernel = kernel};
    struct strbuf *out = &kernel->text;
    // Simple kernels have simple proofs, which say the most.
    for (unsigned t = 0; t < TRAIT_COUNT; t++)
        g.allowed |= (uint32_t)random_chance(&g, 50) << t;
    g.allowed |= TRAIT_THREAD;
    g.is_small = random_chance(&g, 40);
    g.has_local = random_chance(&g, 20);
    strbuf_puts(out, ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"random.cu\"\n");
    random_arrays(&g, out);
    const unsigned functions = !g.is_small && random_chance(&g, 30) ? 1 + random_below(&g, 2) : 0;
    for (unsigned f = 0; f < functions; f++)
        make_function(&g, out, f);
    g.functions = functions;
    g.is_kernel = true;
    g.budget = g.is_small ? 14 : 28;
    random_begin_values(&g);
    statements(&g, g.is_small ? 4 + random_below(&g, 6) : 8 + random_below(&g, 10));
    random_make_access(&g);
    random_say(&g, "ret;");
    strbuf_puts(out, ".visible .entry k(.param .u64 buf, .param .u32 n1, .param .u32 n2,\n"
                     "                  .param .u64 w1, .param .u16 h1, .param .s8 b1)\n");
    declare(&g, out);
    strbuf_puts(out, strbuf_string(&g.body));
    strbuf_puts(out, "}\n");
    clear(&g);
}

void random_kernel_free(struct random_kernel *kernel) {
    strbuf_free(&kernel->text);
    vec_free(&kernel->sites);
}
