// What the parts of the parser share. Parse functions that return bool report what is wrong
// themselves and return false; the caller then skips to the end of the statement.
#ifndef BANKRUN_PTX_PARSER_H
#define BANKRUN_PTX_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "ptx/isa.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"

// Far beyond what compilers write; they keep damaged or hostile text from exhausting the host.
enum {
    PTX_MAX_SOURCE_BYTES = 1 << 30,
    PTX_MAX_SCOPES = 256,        // nested `{ }` in a function
    PTX_MAX_CONSTANT_DEPTH = 64, // nested parentheses and signs in a constant
    PTX_MAX_DIMENSIONS = 8,      // of an array
    PTX_MAX_OPERAND_DEPTH = 4,   // vectors in vectors
    PTX_MAX_VECTOR = 1024,       // elements of a vector operand or call list
    PTX_MAX_FAMILY = 1 << 20,    // registers of `%r<N>`
    PTX_MAX_ALIGN = 1 << 20,
    PTX_MAX_PARAMETERS = 4096,
};
#define PTX_MAX_VARIABLE_BYTES ((uint64_t)1 << 38)
#define PTX_MAX_INITIAL_BYTES ((uint64_t)256 << 20) // of all variables of a module together

// A `.loc` that names the inlined function by a label into .debug_str, which comes later.
struct ptx_pending_name {
    struct ptx_location *location; // set when the function is complete
    uint32_t index;                // in the function's locations
    const char *label;
    int64_t addend;
    struct source_range range;
};

struct ptx_pending_alias {
    const char *alias, *target;
    struct source_range range;
};

struct ptx_scope {
    struct map names;    // name -> struct ptx_name
    struct map families; // stem of `%r<31>` -> struct ptx_name
};

enum ptx_name_kind { PTX_NAME_VARIABLE, PTX_NAME_FUNCTION, PTX_NAME_LABEL };

struct ptx_name {
    enum ptx_name_kind kind;
    struct source_range range;
    enum ptx_space space; // of a variable
    uint32_t family;
    unsigned vector;
    bool is_definition; // a function with a body, a variable that is not extern
};

struct ptx_parser {
    const struct source *source;
    struct diag_list *diags;
    struct ptx_module *module;
    struct arena *arena; // the module's
    struct ptx_lexer lexer;
    struct ptx_token token;  // the next one, not consumed yet
    uint32_t last_end;       // where the last consumed token ended
    struct map strings;      // interned names
    struct map sregs;        // text -> enum ptx_sreg
    struct map sreg_vectors; // "tid" and its like, which need a component
    struct ptx_isa_index isa;
    uint64_t initial_bytes;
    bool has_target, has_address_size;

    VEC(struct ptx_scope) scopes; // [0]: the module
    VEC(struct ptx_file) files;
    VEC(struct ptx_variable) variables;
    VEC(struct ptx_function) functions;
    VEC(struct ptx_pending_name) pending_names;
    VEC(struct ptx_pending_alias) aliases;

    // Of the function being read
    VEC(struct ptx_statement) statements;
    VEC(struct ptx_location) locations;
    struct map location_map; // what a `.loc` says -> index
    struct map position_map; // file, line, column -> index of the latest
    uint32_t location;       // of the next instruction
    uint32_t used_bytes;     // likewise
    size_t first_pending;    // of pending_names

    // .debug_str
    VEC(char) debug_strings;
    struct map debug_labels; // label -> offset + 1
};

// parser.c: tokens, errors, names
void ptx_next(struct ptx_parser *parser);
bool ptx_error(struct ptx_parser *parser, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));                      // returns false
bool ptx_expected(struct ptx_parser *parser, const char *what); // an error about the next token
bool ptx_at_punct(const struct ptx_parser *parser, int punct);
bool ptx_at_dot(const struct ptx_parser *parser, const char *word); // with the dot: ".reg"
bool ptx_accept_punct(struct ptx_parser *parser, int punct);
bool ptx_accept_dot(struct ptx_parser *parser, const char *word);
bool ptx_expect_punct(struct ptx_parser *parser, int punct);
bool ptx_end_statement(struct ptx_parser *parser); // `;`
bool ptx_expect_name(struct ptx_parser *parser, const char *what, const char **name);
const char *ptx_text(const struct ptx_parser *parser, struct source_range range);
const char *ptx_intern(struct ptx_parser *parser, struct source_range range);
const char *ptx_intern_string(struct ptx_parser *parser); // a STRING token, without quotes
char ptx_next_byte(const struct ptx_parser *parser);      // first non-blank behind the token, or 0
bool ptx_next_is(const struct ptx_parser *parser, const char *word); // behind the token
void ptx_skip_statement(struct ptx_parser *parser);                  // to behind `;`, or before `}`
// After an error inside `{ }` or `( )`: to behind the closing character, but not past a `;`.
void ptx_skip_group(struct ptx_parser *parser, int open, int close);
void ptx_skip_line(struct ptx_parser *parser);   // to the first token of another line
void ptx_skip_braces(struct ptx_parser *parser); // the next token is `{`

// scope.c
void ptx_scope_push(struct ptx_parser *parser);
void ptx_scope_pop(struct ptx_parser *parser);
bool ptx_declare_variable(struct ptx_parser *parser, const struct ptx_variable *variable);
bool ptx_declare_function(struct ptx_parser *parser, const struct ptx_function *function);
bool ptx_declare_label(struct ptx_parser *parser, const char *name, struct source_range range);
// The number of elements of the register of this name, alone or a member of a family; 0: there is
// no such register in scope.
unsigned ptx_register_elements(const struct ptx_parser *parser, const char *name, size_t length);

// parse_constant.c
bool ptx_at_constant(const struct ptx_parser *parser); // does a constant start here?
// An expression over integers, or over floats if `bits` allows them: kind tells which.
struct ptx_constant {
    enum { PTX_CONSTANT_INTEGER, PTX_CONSTANT_SINGLE, PTX_CONSTANT_DOUBLE } kind;
    bool is_unsigned;
    uint64_t bits;
};
bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant);
bool ptx_parse_integer(struct ptx_parser *parser, const char *what, uint64_t *value);
bool ptx_parse_count(struct ptx_parser *parser, const char *what, uint64_t most, uint64_t *value);

// parse_variable.c, parse_initial.c
struct ptx_linkage {
    bool is_extern, is_visible, is_weak, is_common;
};
bool ptx_at_space(const struct ptx_parser *parser); // `.reg`, `.global`, ...
// The whole statement, `;` included; several variables for `.reg .b32 a, b;`. Calls `add` for each.
bool ptx_parse_variables(struct ptx_parser *parser, struct ptx_linkage linkage,
                         void (*add)(struct ptx_parser *parser,
                                     const struct ptx_variable *variable));
// `(.param .b32 a, ...)`, the opening parenthesis included.
bool ptx_parse_parameters(struct ptx_parser *parser, struct ptx_variable **list, size_t *count);
struct ptx_shape { // of an array
    uint64_t dimensions[PTX_MAX_DIMENSIONS];
    unsigned count;
    bool is_open; // `[]`: as many as there are initial values; dimensions[0] is 0
};
bool ptx_parse_initial(struct ptx_parser *parser, struct ptx_variable *variable,
                       struct ptx_shape *shape);
bool ptx_set_size(struct ptx_parser *parser, struct ptx_variable *variable,
                  const struct ptx_shape *shape);
// `.attribute(...)` if there is one.
bool ptx_parse_attributes(struct ptx_parser *parser, bool *is_managed);

// parse_function.c, parse_statement.c, parse_instruction.c
void ptx_parse_function(struct ptx_parser *parser, struct ptx_linkage linkage);
bool ptx_parse_prototype(struct ptx_parser *parser, struct ptx_function *function);
void ptx_parse_body(struct ptx_parser *parser, struct ptx_function *function);
bool ptx_parse_instruction(struct ptx_parser *parser);
bool ptx_parse_pragma(struct ptx_parser *parser);
struct ptx_statement *ptx_add_statement(struct ptx_parser *parser, enum ptx_statement_kind kind,
                                        struct source_range range);

// parse_operand.c, operand_rules.c
bool ptx_parse_operand(struct ptx_parser *parser, bool is_call, unsigned depth,
                       struct ptx_operand *operand);
// `ld.b32 {%r1}, [...]` is `ld.b32 %r1, [...]`, and so of other moves.
void ptx_unwrap_vectors(const struct ptx_mnemonic *mnemonic, struct ptx_operand *operands,
                        size_t count);
// `ld.v4.f32 v, [...]` with a vector register v is `{v.x, v.y, v.z, v.w}`.
void ptx_expand_vectors(struct ptx_parser *parser, const struct ptx_mnemonic *mnemonic,
                        struct ptx_operand *operands, size_t count);
// Takes the first form whose rules accept the operands; reports when none does.
const struct ptx_form *ptx_choose_form(struct ptx_parser *parser,
                                       const struct ptx_mnemonic *mnemonic,
                                       struct source_range mnemonic_range,
                                       const struct ptx_operand *operands, size_t count);

// parse_module.c
void ptx_parse_text(struct ptx_parser *parser);
void ptx_skip_item(struct ptx_parser *parser); // to what may be the next function or variable

// parse_debug.c
bool ptx_parse_file(struct ptx_parser *parser);
bool ptx_parse_loc(struct ptx_parser *parser);
bool ptx_parse_section(struct ptx_parser *parser);
void ptx_begin_locations(struct ptx_parser *parser);
void ptx_end_locations(struct ptx_parser *parser, struct ptx_function *function);
void ptx_resolve_names(struct ptx_parser *parser);

#endif
