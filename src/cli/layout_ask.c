// The requests of all accesses, and what the layouts of their array make of them.
#include <string.h>

#include "cli/explain.h"
#include "cli/layout.h"

// ---- Expressions ----------------------------------------------------------------------------

static struct source *keep_source(struct layout_question *question, const char *name,
                                  const char *text) {
    struct source *source = ARENA_NEW(question->arena, struct source);
    *source = (struct source){name, text, strlen(text)};
    return source;
}

static bool is_let(const struct cli_explain *asked, const char *let) {
    const size_t length = strcspn(let, "=") + 1;
    for (size_t i = 0; i < asked->lets.length; i++)
        if (!strncmp(asked->lets.data[i], let, length))
            return true;
    return false;
}

// What kernels call them, unless the user says what they are.
static bool let_usual_names(struct layout_question *question, struct explain *explain,
                            struct diag_list *diags) {
    static const char *const lets[] = {"tx=threadIdx.x", "ty=threadIdx.y", "tz=threadIdx.z",
                                       "bx=blockIdx.x",  "by=blockIdx.y",  "bz=blockIdx.z"};
    for (unsigned i = 0; i < sizeof lets / sizeof *lets; i++)
        if (!is_let(&question->options->explain, lets[i]) &&
            !explain_let(explain, keep_source(question, "<let>", lets[i]), diags))
            return false;
    return true;
}

static bool prepare(struct layout_question *question, const struct layout_access *access,
                    struct explain *explain, struct diag_list *diags) {
    const struct cli_explain *all = &question->options->explain;
    if (!let_usual_names(question, explain, diags))
        return false;
    for (size_t i = 0; i < all->lets.length; i++)
        if (!explain_let(explain, keep_source(question, "<let>", all->lets.data[i]), diags))
            return false;
    const char *condition = access->asked.condition;
    return explain_declare(explain, keep_source(question, "<shared>", all->shared), diags) &&
           (!condition ||
            explain_condition(explain, keep_source(question, "<if>", condition), diags)) &&
           explain_expression(explain, keep_source(question, "<expression>", access->expression),
                              diags);
}

// ---- Requests -------------------------------------------------------------------------------

static bool same_shape(const struct explain_shape *a, const struct explain_shape *b) {
    return a->bytes == b->bytes && a->dimensions == b->dimensions &&
           a->element_bytes == b->element_bytes &&
           !memcmp(a->counts, b->counts, a->dimensions * sizeof *a->counts);
}

// All accesses are of one array, of one shape in all rounds.
static bool take_array(struct layout_question *question, const struct explain *explain,
                       const struct layout_access *access, const char *name,
                       struct diag_list *diags) {
    struct explain_shape shape;
    if (!name || !explain_array_named(explain, name, &shape)) {
        diag_error(diags, "%s accesses no array of --shared: there is none to lay out",
                   access->expression);
        return false;
    }
    if (!question->array) {
        question->array = arena_strndup(question->arena, name, strlen(name));
        question->shape = shape;
        if (shape.type)
            question->shape.type = arena_strndup(question->arena, shape.type, strlen(shape.type));
        return true;
    }
    if (strcmp(question->array, name) != 0)
        diag_error(diags, "%s accesses %s, and the expressions before it %s: one array at a time",
                   access->expression, name, question->array);
    else if (!same_shape(&question->shape, &shape))
        diag_error(diags, "a --let sweep changes the array %s: its layout is what is looked for",
                   name);
    else
        return true;
    return false;
}

static bool is_inside(const struct layout_access *access, const struct explain_request *request,
                      struct diag_list *diags) {
    if (!request->outside)
        return true;
    const unsigned lane = (unsigned)__builtin_ctz(request->outside);
    diag_error(diags, "%s: lane %u accesses byte %lld of %s, which has %llu", access->expression,
               lane, (long long)request->places[lane], request->array,
               (unsigned long long)request->array_bytes);
    return false;
}

// The lanes that give the rows of matrices; all that take part in other accesses.
static bool take_lanes(const struct layout_access *access, struct bankrun_request *banks,
                       struct diag_list *diags) {
    if (!banks->matrices)
        return true;
    const uint32_t needed = UINT32_MAX >> (BANKRUN_LANES - 8 * banks->matrices);
    if (needed & ~banks->mask) {
        diag_error(diags,
                   "%s: %s takes the rows of lanes 0 to %u, and --if leaves some of them out",
                   access->expression, access->asked.instruction, 8 * banks->matrices - 1);
        return false;
    }
    banks->mask = needed;
    return true;
}

struct request_key {
    struct bankrun_request banks; // without offsets
    size_t site;
    uint32_t offsets[BANKRUN_LANES];
};

static void add_request(struct layout_question *question, size_t site,
                        const struct bankrun_request *banks, const int64_t *places) {
    struct request_key *key = ARENA_NEW(question->arena, struct request_key);
    memset(key, 0, sizeof *key);
    key->banks.access = banks->access;
    key->banks.width = banks->width;
    key->banks.matrices = banks->matrices;
    key->banks.mask = banks->mask;
    key->site = site;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if (banks->mask >> lane & 1) {
            key->offsets[lane] = (uint32_t)places[lane];
            const uint64_t end = (uint64_t)places[lane] + banks->width;
            question->bytes = end > question->bytes ? end : question->bytes;
        }
    question->accesses.data[site].requests++;
    const uintptr_t known = (uintptr_t)map_get(&question->seen, (const char *)key, sizeof *key);
    if (known) {
        question->requests.data[known - 1].count++;
        return;
    }
    struct fix_request request = {.banks = key->banks, .count = 1, .site = (unsigned)site};
    request.banks.offsets = key->offsets;
    vec_push(&question->requests, request);
    map_put(&question->seen, (const char *)key, sizeof *key,
            (void *)(uintptr_t)question->requests.length);
}

// False: it is named by no instruction.
static bool instruction_of(const struct layout_access *access, struct bankrun_request *banks) {
    const char *name = access->asked.instruction;
    return name && !explain_instruction(name, strlen(name), banks);
}

static bool ask_warp(struct layout_question *question, size_t site, const struct explain *explain,
                     unsigned warp, struct diag_list *diags) {
    const struct layout_access *access = &question->accesses.data[site];
    struct explain_request request;
    if (!explain_warp(explain, warp, &request, diags))
        return false;
    if (!request.mask)
        return true;
    if (!take_array(question, explain, access, request.array, diags) ||
        !is_inside(access, &request, diags))
        return false;
    struct bankrun_request banks = {.width = request.width};
    if (!instruction_of(access, &banks))
        banks.access = explain_access(access->asked.access, &request);
    banks.mask = request.mask;
    if (!take_lanes(access, &banks, diags))
        return false;
    add_request(question, site, &banks, request.places);
    return true;
}

static bool ask_access(struct layout_question *question, size_t site, struct diag_list *diags) {
    const struct layout_access *access = &question->accesses.data[site];
    const uint32_t *block = question->launch.block;
    const unsigned warps = (block[0] * block[1] * block[2] + BANKRUN_LANES - 1) / BANKRUN_LANES;
    struct explain_launch launch = question->launch;
    struct bankrun_request banks;
    launch.width = instruction_of(access, &banks) ? banks.width : access->asked.width;
    bool is_fine = true;
    for (size_t c = 0, count = 1; is_fine && c < count; c++) {
        struct explain *explain = explain_create(&launch, c);
        is_fine = prepare(question, access, explain, diags);
        count = explain_combinations(explain);
        for (unsigned warp = 0; is_fine && warp < warps; warp++)
            is_fine = ask_warp(question, site, explain, warp, diags);
        explain_free(explain);
    }
    if (is_fine && access->requests == 0)
        diag_error(diags, "%s: no lane of the block takes part", access->expression);
    return is_fine && access->requests > 0;
}

bool layout_ask(struct layout_question *question, struct diag_list *diags) {
    for (size_t site = 0; site < question->accesses.length; site++)
        if (!ask_access(question, site, diags))
            return false;
    return true;
}

// ---- Layouts --------------------------------------------------------------------------------

// An array without a size is taken for a multiple of so many bytes.
enum { UNSIZED_UNIT = 256 };

static struct fix_array array_of(const struct layout_question *question) {
    const struct explain_shape *shape = &question->shape;
    struct fix_array array = {.bytes = shape->bytes,
                              .element_bytes = (unsigned)shape->element_bytes};
    uint64_t step = shape->element_bytes;
    for (unsigned d = shape->dimensions; d-- > 1; step *= shape->counts[d])
        fix_add_rows(&array, (struct fix_rows){step * shape->counts[d], step, 0});
    if (!array.bytes)
        array.bytes = (question->bytes + UNSIZED_UNIT - 1) / UNSIZED_UNIT * UNSIZED_UNIT;
    if (array.row_count == 0)
        fix_add_index_rows(&array);
    return array;
}

bool layout_search(struct layout_question *question, struct diag_list *diags) {
    unsigned archs[32];
    const size_t count =
        explain_architectures(question->options->arch, question->options->explain.bank_mode, archs);
    struct fix_problem problem = {.array = array_of(question),
                                  .requests = question->requests.data,
                                  .request_count = question->requests.length,
                                  .site_count = (unsigned)question->accesses.length};
    for (size_t i = 0; i < count; i++) {
        struct layout_result result = {.arch = problem.arch = archs[i]};
        const bool is_fine = fix_search(&problem, &result.answers);
        if (is_fine)
            vec_push(&question->results, result);
        else if (count == 1)
            diag_error(diags,
                       "%s as it is cannot be accessed so on sm_%u: an address is no "
                       "multiple of the access's width, or sm_%u has no such instruction",
                       question->array, explain_plain_arch(archs[i]), explain_plain_arch(archs[i]));
        if (!is_fine)
            fix_answers_free(&result.answers);
    }
    if (question->results.length == 0 && count > 1)
        diag_error(diags,
                   "%s as it is cannot be accessed so on any architecture: an address is no "
                   "multiple of the access's width",
                   question->array);
    return question->results.length > 0;
}
