// Inside explain: tokens, the tree of an expression, and what the parser and evaluator share.
#ifndef BANKRUN_EXPLAIN_INTERNAL_H
#define BANKRUN_EXPLAIN_INTERNAL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "explain/explain.h"
#include "explain/types.h"

// ---- Tokens -------------------------------------------------------------------------------

enum explain_token_kind {
    EXPLAIN_TOKEN_END,
    EXPLAIN_TOKEN_NAME,
    EXPLAIN_TOKEN_NUMBER,
    EXPLAIN_TOKEN_PUNCT,
    EXPLAIN_TOKEN_BAD, // reported already
};

// Punctuation of two characters, as a number that no single character has.
#define EXPLAIN_PUNCT2(first, second) ((first) << 8 | (second))

struct explain_token {
    enum explain_token_kind kind;
    int punct;
    struct source_range range;
    uint64_t number;
    const struct explain_type *type; // of a number
};

struct explain_lexer {
    const struct source *source;
    struct diag_list *diags;
    uint32_t at;
};

struct explain_token explain_lex(struct explain_lexer *lexer);

// ---- Trees --------------------------------------------------------------------------------

enum explain_op {
    EXPLAIN_NUMBER,
    EXPLAIN_BUILTIN,   // number: enum explain_builtin
    EXPLAIN_LET,       // number: index
    EXPLAIN_VARIABLE,  // number: index
    EXPLAIN_MEMBER,    // a.name, member
    EXPLAIN_INDEX,     // a[b]
    EXPLAIN_DEREF,     // *a
    EXPLAIN_ADDRESS,   // &a
    EXPLAIN_CAST,      // (type)a
    EXPLAIN_SIZEOF,    // sizeof a
    EXPLAIN_UNARY,     // number: '-', '+', '!', '~'
    EXPLAIN_BINARY,    // number: the token's punct
    EXPLAIN_CHOICE,    // a ? b : c
    EXPLAIN_CALL,      // number: enum explain_function
    EXPLAIN_VALUE_OF,  // number: index of the let, whose a-th value it is
    EXPLAIN_APPLY,     // number: index of the let, a function
    EXPLAIN_PARAMETER, // number: index
};

enum explain_builtin {
    EXPLAIN_THREAD_IDX, // each followed by its y and z
    EXPLAIN_BLOCK_IDX = EXPLAIN_THREAD_IDX + 3,
    EXPLAIN_BLOCK_DIM = EXPLAIN_BLOCK_IDX + 3,
    EXPLAIN_GRID_DIM = EXPLAIN_BLOCK_DIM + 3,
    EXPLAIN_TID = EXPLAIN_GRID_DIM + 3, // the thread's number in its block
    EXPLAIN_LANE,
    EXPLAIN_WARP,
    EXPLAIN_WARP_SIZE,
};

enum explain_function { EXPLAIN_MIN, EXPLAIN_MAX, EXPLAIN_ABS, EXPLAIN_POPC, EXPLAIN_BREV };

struct explain_node {
    enum explain_op op;
    unsigned depth;                  // of the tree below, this node included
    uint32_t work;                   // nodes that evaluating it visits
    bool is_per_thread;              // it reads what differs from thread to thread
    bool is_static;                  // CAST: static_cast, which keeps what a pointer points to
    struct source_range range, mark; // mark: what messages about the operation point at
    const struct source *source;
    uint64_t number;
    const struct explain_type *type; // NUMBER, CAST, SIZEOF of a type
    const char *name;                // MEMBER
    const struct explain_node *a, *b, *c;
    const struct explain_node **arguments; // APPLY: as many as the function has parameters
    size_t argument_count;
};

// Deepest tree, and deepest nesting while parsing: evaluation needs about 2 KB of stack a level.
enum { EXPLAIN_MAX_DEPTH = 200 };
// Functions that call others twice and more grow beyond all bounds.
enum { EXPLAIN_MAX_WORK = 100000 };

struct explain_variable { // in shared memory
    const char *name;
    const struct explain_type *type;
    uint64_t offset;
    bool is_unsized; // extern T name[]: no end is known
};

enum explain_let_kind { EXPLAIN_LET_NUMBER, EXPLAIN_LET_VALUES, EXPLAIN_LET_FUNCTION };

struct explain_let_row {
    enum explain_let_kind kind;
    const char *name;
    const struct explain_node *value; // of a function: NULL until it is defined
    size_t count;                     // of values, of a sweep's too; 0: not a sweep
    int64_t *values;                  // VALUES
    const struct explain_type *type;  // VALUES
    const char **parameters;          // FUNCTION
    size_t parameter_count;
    const struct source *source; // FUNCTION: its expression starts at `body`
    uint32_t body;
};

struct explain {
    struct arena *arena;
    struct explain_launch launch;
    size_t combination, combinations;
    VEC(struct explain_variable) variables;
    VEC(struct explain_let_row) lets;
    VEC(const struct explain_type *) tags; // struct NAME {...}
    const struct explain_node *expression, *condition;
    uint64_t bytes; // up to the end of the last variable
};

struct explain_parser {
    struct explain *explain;
    struct explain_lexer lexer;
    struct explain_token token; // the next one
    struct diag_list *diags;
    unsigned depth;
    unsigned indices;                       // brackets that are open
    const struct explain_let_row *function; // whose expression this is; NULL: none
    size_t visible_lets;                    // those defined before
    bool has_failed;
};

void explain_parser_init(struct explain_parser *parser, struct explain *explain,
                         const struct source *source, struct diag_list *diags);
void explain_advance(struct explain_parser *parser);
// Reports at most one error for a text: what follows the first is guesswork. Returns NULL.
void *explain_fail(struct explain_parser *parser, struct source_range range, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));
bool explain_accept(struct explain_parser *parser, int punct);
bool explain_expect(struct explain_parser *parser, int punct, const char *text);
bool explain_token_is(const struct explain_parser *parser, const char *word);
const char *explain_token_text(struct explain_parser *parser); // of the arena

// parse.c. A node, to be filled and then finished; NULL: reported.
struct explain_node *explain_make(struct explain_parser *parser, enum explain_op op, uint32_t begin,
                                  uint32_t end);
const struct explain_node *explain_finish(struct explain_parser *parser, struct explain_node *node,
                                          struct source_range mark);
const struct explain_node *explain_parse_unary(struct explain_parser *parser);
const struct explain_node *explain_parse_expression(struct explain_parser *parser);
const struct explain_node *explain_parse_whole(struct explain *explain, const struct source *source,
                                               struct diag_list *diags);

// names.c. The token is a name.
const struct explain_node *explain_parse_name(struct explain_parser *parser);
bool explain_is_users_name(const struct explain_parser *parser); // goes before types and builtins

// cast.c. Is this '(' the start of (T)x, or of sizeof's type? Does T(x) or xxx_cast<T>(x) start?
bool explain_type_follows(const struct explain_parser *parser);
const struct explain_node *explain_parse_cast(struct explain_parser *parser);
bool explain_starts_cast(const struct explain_parser *parser);
const struct explain_node *explain_parse_named_cast(struct explain_parser *parser);

// declare.c. Does a type start here? The type's words (a struct's members too); NULL: reported.
bool explain_starts_type(const struct explain_parser *parser);
const struct explain_type *explain_parse_type(struct explain_parser *parser);
// As in a cast or sizeof: "float *", "float[32]" and "float (*)[33]" too.
const struct explain_type *explain_parse_type_name(struct explain_parser *parser);

// let.c. A function's expression may hold shared arrays, which are declared later: it is parsed
// when it is first called, or by explain_define_all before the expression. False: reported.
bool explain_define(struct explain *explain, size_t index, unsigned depth, struct diag_list *diags);
bool explain_define_all(struct explain *explain, struct diag_list *diags);

// suggest.c. Nothing has this name, which is the token: reports what to do about it. NULL.
void *explain_unknown_name(struct explain_parser *parser, struct source_range range);
void *explain_unknown_type(struct explain_parser *parser); // the token is no type either

// names.c. The row'th name that CUDA gives; NULL: there are no more.
const char *explain_cuda_name(size_t row, bool is_function);

// A number that is the same for all threads. False: reported.
bool explain_constant(const struct explain *explain, const struct explain_node *node,
                      int64_t *number, struct diag_list *diags);

// Holds every sum and product of 64-bit numbers, but for that of two large unsigned ones.
__extension__ typedef __int128 explain_wide;

// ---- Values -------------------------------------------------------------------------------

struct explain_value {
    const struct explain_type *type;
    bool is_place;                           // lanes are offsets of something in shared memory
    const struct explain_variable *variable; // places and pointers: which; NULL: not one
    int64_t lanes[BANKRUN_LANES];            // integers, or offsets of places and pointers
};

struct explain_scope {
    const struct explain *explain;
    uint32_t warp;
    uint32_t mask;                          // lanes of the warp that exist
    const struct explain_value *lets;       // those defined so far
    const struct explain_value *parameters; // of the function that is evaluated
    struct diag_list *diags;
    bool has_failed;
};

// The value for the lanes of `mask`; with no lane just its type. False: reported.
bool explain_evaluate(struct explain_scope *scope, const struct explain_node *node, uint32_t mask,
                      struct explain_value *value);

// arithmetic.c: one operation on integers; both operands are of value->type already, except
// for shifts. False: reported at node->mark.
bool explain_calculate(struct explain_scope *scope, const struct explain_node *node, uint32_t mask,
                       const struct explain_value *a, const struct explain_value *b,
                       struct explain_value *value);
// A function of CUDA's; both operands are of the type already.
int64_t explain_call(enum explain_function function, const struct explain_type *type, int64_t a,
                     int64_t b);
int64_t explain_convert(int64_t number, const struct explain_type *type);
const struct explain_type *explain_promoted(const struct explain_type *type);
const struct explain_type *explain_common(const struct explain_type *a,
                                          const struct explain_type *b);
bool explain_complain(struct explain_scope *scope, const struct explain_node *node,
                      struct source_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
