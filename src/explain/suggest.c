// What to do about a name that nothing has.
#include <string.h>

#include "explain/internal.h"
#include "ptx/isa.h"

// What kernels usually call it, and what it is here.
static const struct {
    const char *usual, *here;
} usual_names[] = {
    {"lane", "laneid"},        {"laneId", "laneid"},     {"lane_id", "laneid"},
    {"lid", "laneid"},         {"warp", "warpid"},       {"warpId", "warpid"},
    {"warp_id", "warpid"},     {"wid", "warpid"},        {"warp_size", "warpSize"},
    {"WARP_SIZE", "warpSize"}, {"WARPSIZE", "warpSize"}, {"thread", "tid"},
    {"threadId", "tid"},       {"thread_id", "tid"},     {"tx", "threadIdx.x"},
    {"ty", "threadIdx.y"},     {"tz", "threadIdx.z"},    {"tidx", "threadIdx.x"},
    {"tidy", "threadIdx.y"},   {"tidz", "threadIdx.z"},  {"tid_x", "threadIdx.x"},
    {"tid_y", "threadIdx.y"},  {"bx", "blockIdx.x"},     {"by", "blockIdx.y"},
    {"bz", "blockIdx.z"},      {"bid", "blockIdx.x"},    {"blockId", "blockIdx.x"},
};

static const char *usual_name(const char *name) {
    for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names; i++)
        if (strcmp(usual_names[i].usual, name) == 0)
            return usual_names[i].here;
    return NULL;
}

struct nearest {
    const char *wrong, *name; // name: NULL, none is near
    unsigned distance;        // further away than this is no better
};

static void consider(struct nearest *best, const char *name) {
    if (best->distance == 0)
        return;
    unsigned distance =
        ptx_edit_distance(best->wrong, strlen(best->wrong), name, strlen(name), best->distance - 1);
    if (distance < best->distance) {
        best->distance = distance;
        best->name = name;
    }
}

// How far off a slip of the fingers is in a word of this length: consider() takes less than this.
static unsigned reach(size_t length) {
    return length > 4 ? 3 : length > 2 ? 2 : 0;
}

void *explain_unknown_type(struct explain_parser *parser) {
    static const char *const usual[] = {
        "float",  "double",  "int",      "unsigned", "char",    "short",   "long",     "half",
        "bool",   "float2",  "float4",   "double2",  "int2",    "int4",    "uint4",    "half2",
        "size_t", "uint8_t", "uint16_t", "uint32_t", "int32_t", "int64_t", "uint64_t", "struct"};
    const char *name = explain_token_text(parser);
    struct nearest best = {name, NULL, reach(strlen(name))};
    for (size_t i = 0; i < parser->explain->tags.length; i++)
        consider(&best, parser->explain->tags.data[i]->name);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        consider(&best, usual[i]);
    return best.name
               ? explain_fail(parser, parser->token.range,
                              "bankrun knows no type '%s'; did you mean '%s'?", name, best.name)
               : explain_fail(parser, parser->token.range, "bankrun knows no type '%s'", name);
}

enum use { PLAIN, INDEXED, CALLED };

// Of what can be used so.
static const char *nearest_name(const struct explain_parser *parser, const char *wrong,
                                enum use use) {
    const struct explain *explain = parser->explain;
    struct nearest best = {wrong, NULL, reach(strlen(wrong))};
    for (size_t i = 0; parser->function && i < parser->function->parameter_count; i++)
        consider(&best, parser->function->parameters[i]);
    for (size_t i = 0; i < parser->visible_lets; i++) {
        const struct explain_let_row *row = &explain->lets.data[i];
        if (row->kind == (use == CALLED    ? EXPLAIN_LET_FUNCTION
                          : use == INDEXED ? EXPLAIN_LET_VALUES
                                           : EXPLAIN_LET_NUMBER))
            consider(&best, row->name);
    }
    for (size_t i = 0; use != CALLED && i < explain->variables.length; i++)
        consider(&best, explain->variables.data[i].name);
    const char *name;
    for (size_t i = 0; use != INDEXED && (name = explain_cuda_name(i, use == CALLED)); i++)
        consider(&best, name);
    return best.name;
}

// The arguments of the call whose '(' is next; 1 where that cannot be told.
static unsigned count_arguments(const struct explain_parser *parser) {
    struct diag_list none = {0};
    struct explain_parser ahead = *parser;
    unsigned count = 1, depth = 0;
    ahead.diags = ahead.lexer.diags = &none;
    while (ahead.token.kind != EXPLAIN_TOKEN_END && !ahead.has_failed) {
        int punct = ahead.token.kind == EXPLAIN_TOKEN_PUNCT ? ahead.token.punct : 0;
        depth += punct == '(' || punct == '[';
        depth -= (punct == ')' || punct == ']') && depth;
        if (depth == 0)
            break;
        count += punct == ',' && depth == 1;
        explain_advance(&ahead);
    }
    diag_free(&none);
    return count;
}

static void *unknown_function(struct explain_parser *parser, struct source_range range,
                              const char *name) {
    static const char *const parameters[] = {"i", "i,j", "i,j,k", "i,j,k,l"};
    static const char *const sums[] = {"i", "i+j", "i+j+k", "i+j+k+l"};
    if (strncmp(name, "atomic", strlen("atomic")) == 0)
        return explain_fail(parser, range, "write only the access; --atomic makes it an atomic");
    unsigned count = count_arguments(parser);
    unsigned at = count > 4 ? 3 : count - 1;
    return explain_fail(parser, range,
                        "no function '%s' is defined; define it like --let '%s(%s)=%s'", name, name,
                        parameters[at], sums[at]);
}

void *explain_unknown_name(struct explain_parser *parser, struct source_range range) {
    const char *name = explain_token_text(parser);
    explain_advance(parser);
    int punct = parser->token.kind == EXPLAIN_TOKEN_PUNCT ? parser->token.punct : 0;
    enum use use = punct == '[' ? INDEXED : punct == '(' ? CALLED : PLAIN;
    const char *usual = use == PLAIN ? usual_name(name) : NULL;
    const char *near = nearest_name(parser, name, use);
    for (size_t i = parser->visible_lets; i < parser->explain->lets.length; i++)
        if (strcmp(parser->explain->lets.data[i].name, name) == 0)
            return explain_fail(parser, range,
                                "'%s' is defined later; put its --let before that of '%s'", name,
                                parser->function->name);
    if (usual)
        return explain_fail(parser, range, "nothing is called '%s'; write %s, or add --let %s=%s",
                            name, usual, name, usual);
    if (near)
        return explain_fail(parser, range, "%s '%s'; did you mean '%s'?",
                            use == INDEXED  ? "there is no array"
                            : use == CALLED ? "there is no function"
                                            : "nothing is called",
                            name, near);
    if (use == CALLED)
        return unknown_function(parser, range, name);
    if (use == INDEXED && parser->indices > 0)
        return explain_fail(parser, range,
                            "no array '%s' is declared; say what it holds, like --let "
                            "'%s[]=3,1,4'",
                            name, name);
    if (use == INDEXED)
        return explain_fail(parser, range,
                            "no array '%s' is declared; declare it like --shared 'float %s[32]'",
                            name, name);
    return explain_fail(parser, range, "nothing is called '%s'; give it a value with --let %s=1",
                        name, name);
}
