// Asks the bank model about an expression: for each warp, architecture and value of a sweep.
#include <stdlib.h>
#include <string.h>

#include "explain/ask.h"

enum { MAX_WARPS = 32 };

struct bankrun_request explain_bank_request(const struct explain_group *group) {
    return (struct bankrun_request){group->access, group->request.width, 0, group->request.mask,
                                    group->request.offsets};
}

unsigned explain_arch(unsigned arch, unsigned bank_mode) {
    return bank_mode == 8 && arch / 10 == 3 ? arch | BANKRUN_EIGHT_BYTE_BANKS : arch;
}

unsigned explain_plain_arch(unsigned arch) {
    return arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
}

const char *explain_access_text(enum explain_direction access) {
    static const char *const texts[] = {"load", "store", "atomic"};
    return texts[access];
}

bool explain_read_shape(const char *text, uint32_t least, uint32_t shape[3]) {
    const char *at = text;
    for (unsigned axis = 0; axis < 3; axis++) {
        char *end;
        unsigned long long number = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || number < least || number > INT32_MAX)
            return false;
        shape[axis] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != 'x' && *end != ',')
            return false;
        at = end + 1;
    }
    return false;
}

const char *explain_check_block(const uint32_t block[3]) {
    enum { MOST_THREADS = 1024 };
    uint64_t threads = (uint64_t)block[0] * block[1];
    return threads > MOST_THREADS || threads * block[2] > MOST_THREADS
               ? "a block has at most 1024 threads"
               : NULL;
}

size_t explain_architectures(unsigned chosen, unsigned bank_mode, unsigned archs[32]) {
    size_t count = 0;
    if (chosen) {
        archs[count++] = explain_arch(chosen, bank_mode);
        return count;
    }
    for (const unsigned *arch = bankrun_architectures(); *arch && count < 32; arch++)
        if (count == 0 || archs[count - 1] / 10 != *arch / 10)
            archs[count++] = *arch;
    for (size_t i = 0; i < count; i++)
        archs[i] = explain_arch(archs[i], bank_mode);
    return count;
}

enum bankrun_access explain_access(enum explain_direction access,
                                   const struct explain_request *request) {
    switch (access) {
    case EXPLAIN_LOADS:
        return BANKRUN_LOAD;
    case EXPLAIN_STORES:
        return BANKRUN_STORE;
    case EXPLAIN_ATOMICS:
        break;
    }
    return request->is_integer && request->width == 4 ? BANKRUN_ATOMIC : BANKRUN_ATOMIC_LOOP;
}

// Alike: the same lanes, all moved by the same number of periods, which changes no cost.
static bool is_alike(unsigned arch, const struct explain_request *a,
                     const struct explain_request *b) {
    if (a->mask != b->mask || a->width != b->width || a->outside != b->outside)
        return false;
    if (!a->mask)
        return true;
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    uint32_t by = b->offsets[first] - a->offsets[first];
    if (by % bankrun_period(arch, a->width))
        return false;
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (b->offsets[lane] - a->offsets[lane] != by)
            return false;
    }
    return true;
}

static void add_row(struct explain_answer *answer, unsigned arch, const struct explain *explain,
                    const struct explain_request *requests, uint32_t warps) {
    struct explain_row row = {.arch = arch};
    row.values = ARENA_ARRAY(answer->arena, int64_t, answer->sweep_count + 1);
    for (size_t i = 0; i < answer->sweep_count; i++)
        row.values[i] = explain_sweep_value(explain, i);
    unsigned count = (unsigned)__builtin_popcount(warps);
    row.groups = ARENA_ARRAY(answer->arena, struct explain_group, count + 1);
    for (; warps != 0; warps &= warps - 1) {
        const struct explain_request *request = &requests[__builtin_ctz(warps)];
        size_t at = 0;
        while (at < row.group_count && !is_alike(arch, &row.groups[at].request, request))
            at++;
        struct explain_group *group = &row.groups[at];
        group->warps |= warps & -warps;
        if (at < row.group_count)
            continue;
        row.group_count++;
        group->request = *request;
        group->access = explain_access(answer->question->access, request);
        struct bankrun_request banks = explain_bank_request(group);
        group->status = bankrun_count(arch, &banks, &group->cost);
    }
    vec_push(&answer->rows, row);
}

static struct source source_of(const char *name, const char *text) {
    return (struct source){name, text, strlen(text)};
}

// Which warps of the block are asked for; 0: diags say why there are none.
static uint32_t chosen_warps(const struct explain_answer *answer, struct diag_list *diags) {
    const struct explain_launch *launch = &answer->question->launch;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    unsigned count = (unsigned)((threads + BANKRUN_LANES - 1) / BANKRUN_LANES);
    uint32_t all = count >= MAX_WARPS ? UINT32_MAX : (1u << count) - 1;
    const char *text = answer->question->warp;
    if (!text)
        return all;
    char *end;
    unsigned long warp = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && warp < count)
        return 1u << warp;
    diag_error(diags, "--warp: '%s' is no warp of the block; it has warps 0 to %u", text,
               count - 1);
    return 0;
}

static bool prepare(struct explain *explain, const struct explain_question *asked,
                    struct source *lets, const struct source *shared,
                    const struct source *expression, const struct source *condition,
                    struct diag_list *diags) {
    for (size_t i = 0; i < asked->let_count; i++)
        if (!explain_let(explain, &lets[i], diags))
            return false;
    return (!shared->text || explain_declare(explain, shared, diags)) &&
           (!condition->text || explain_condition(explain, condition, diags)) &&
           explain_expression(explain, expression, diags);
}

static bool ask_combination(struct explain_answer *answer, size_t combination,
                            const struct explain *explain, uint32_t warps,
                            struct diag_list *diags) {
    struct explain_request requests[MAX_WARPS];
    for (uint32_t rest = warps; rest != 0; rest &= rest - 1) {
        unsigned warp = (unsigned)__builtin_ctz(rest);
        if (!explain_warp(explain, warp, &requests[warp], diags))
            return false;
        if (requests[warp].array)
            requests[warp].array =
                arena_strndup(answer->arena, requests[warp].array, strlen(requests[warp].array));
        requests[warp].type =
            requests[warp].mask
                ? arena_strndup(answer->arena, requests[warp].type, strlen(requests[warp].type))
                : "";
        if (!requests[warp].mask)
            warps &= ~(1u << warp);
    }
    unsigned archs[32];
    size_t count =
        explain_architectures(answer->question->arch, answer->question->bank_mode, archs);
    if (combination == 0)
        answer->shared_bytes = explain_shared_bytes(explain);
    for (size_t i = 0; i < count; i++)
        add_row(answer, archs[i], explain, requests, warps);
    return true;
}

bool explain_ask(struct explain_answer *answer, struct diag_list *diags) {
    const struct explain_question *asked = answer->question;
    struct source expression = source_of("<expression>", asked->expression);
    struct source shared = {0}, condition = {0};
    if (asked->shared)
        shared = source_of("<shared>", asked->shared);
    if (asked->condition)
        condition = source_of("<if>", asked->condition);
    struct source *lets = ARENA_ARRAY(answer->arena, struct source, asked->let_count + 1);
    for (size_t i = 0; i < asked->let_count; i++)
        lets[i] = source_of("<let>", asked->lets[i]);
    // Messages show these texts after this returns.
    struct source *kept = ARENA_ARRAY(answer->arena, struct source, 3);
    kept[0] = expression, kept[1] = shared, kept[2] = condition;
    uint32_t warps = chosen_warps(answer, diags);
    bool is_fine = warps != 0;
    answer->combinations = 1;
    for (size_t c = 0; is_fine && c < answer->combinations; c++) {
        struct explain *explain = explain_create(&answer->question->launch, c);
        is_fine = prepare(explain, asked, lets, &kept[1], &kept[0], &kept[2], diags);
        if (is_fine && c == 0) {
            answer->combinations = explain_combinations(explain);
            answer->sweep_count = explain_sweeps(explain);
            answer->sweeps = ARENA_ARRAY(answer->arena, const char *, answer->sweep_count + 1);
            for (size_t i = 0; i < answer->sweep_count; i++) {
                const char *name = explain_sweep_name(explain, i);
                answer->sweeps[i] = arena_strndup(answer->arena, name, strlen(name));
            }
        }
        if (is_fine && asked->is_single && answer->combinations > 1) {
            diag_error(diags, "a sweep has several answers, which bankrun explain lists; give its "
                              "variable one value here");
            is_fine = false;
        }
        is_fine = is_fine && ask_combination(answer, c, explain, warps, diags);
        explain_free(explain);
    }
    return is_fine;
}
