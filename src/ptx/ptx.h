// PTX as written: modules, functions, statements, operands. Every node keeps the byte range it
// came from. Nothing here knows what an instruction does; isa.def says what may be written.
// Source of the grammar: the PTX ISA manual, versions 3.0 to 9.0.
#ifndef BANKRUN_PTX_PTX_H
#define BANKRUN_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

// One row for each fundamental type: X(enumerator suffix, text, bytes, class)
// clang-format off
#define PTX_TYPES(X)                                                                               \
    X(B8, "b8", 1, BITS) X(B16, "b16", 2, BITS) X(B32, "b32", 4, BITS) X(B64, "b64", 8, BITS)      \
    X(B128, "b128", 16, BITS)                                                                      \
    X(U8, "u8", 1, UNSIGNED) X(U16, "u16", 2, UNSIGNED) X(U32, "u32", 4, UNSIGNED)                 \
    X(U64, "u64", 8, UNSIGNED)                                                                     \
    X(S8, "s8", 1, SIGNED) X(S16, "s16", 2, SIGNED) X(S32, "s32", 4, SIGNED)                       \
    X(S64, "s64", 8, SIGNED)                                                                       \
    X(F16, "f16", 2, FLOAT) X(F32, "f32", 4, FLOAT) X(F64, "f64", 8, FLOAT)                        \
    X(F16X2, "f16x2", 4, PACKED) X(BF16, "bf16", 2, FLOAT) X(BF16X2, "bf16x2", 4, PACKED)          \
    X(TF32, "tf32", 4, FLOAT)                                                                      \
    X(E4M3X2, "e4m3x2", 2, PACKED) X(E5M2X2, "e5m2x2", 2, PACKED)                                  \
    X(E4M3, "e4m3", 1, FLOAT) X(E5M2, "e5m2", 1, FLOAT)                                            \
    X(E3M2, "e3m2", 1, FLOAT) X(E2M3, "e2m3", 1, FLOAT) X(E2M1, "e2m1", 1, FLOAT)                  \
    X(UE8M0, "ue8m0", 1, FLOAT) X(UE4M3, "ue4m3", 1, FLOAT)                                        \
    X(E2M1X2, "e2m1x2", 1, PACKED) X(E2M3X2, "e2m3x2", 2, PACKED)                                  \
    X(E3M2X2, "e3m2x2", 2, PACKED) X(UE8M0X2, "ue8m0x2", 2, PACKED)                                \
    X(E4M3X4, "e4m3x4", 4, PACKED) X(E5M2X4, "e5m2x4", 4, PACKED)                                  \
    X(E2M3X4, "e2m3x4", 4, PACKED) X(E3M2X4, "e3m2x4", 4, PACKED)                                  \
    X(E2M1X4, "e2m1x4", 2, PACKED)                                                                 \
    X(U2, "u2", 1, UNSIGNED) X(S2, "s2", 1, SIGNED)                                                \
    X(U4, "u4", 1, UNSIGNED) X(S4, "s4", 1, SIGNED)                                                \
    X(B1, "b1", 1, BITS)                                                                           \
    X(B1024, "b1024", 128, BITS)                                                                   \
    X(U16X2, "u16x2", 4, PACKED) X(S16X2, "s16x2", 4, PACKED) X(F32X2, "f32x2", 8, PACKED)         \
    X(PRED, "pred", 0, PREDICATE)                                                                  \
    X(TEXREF, "texref", 8, OPAQUE) X(SAMPLERREF, "samplerref", 8, OPAQUE)                          \
    X(SURFREF, "surfref", 8, OPAQUE)
// clang-format on

enum ptx_type {
    PTX_NO_TYPE,
#define X(name, text, bytes, class) PTX_##name,
    PTX_TYPES(X)
#undef X
        PTX_TYPE_COUNT
};

enum ptx_type_class {
    PTX_CLASS_NONE,
    PTX_CLASS_BITS,
    PTX_CLASS_UNSIGNED,
    PTX_CLASS_SIGNED,
    PTX_CLASS_FLOAT,
    PTX_CLASS_PACKED,
    PTX_CLASS_PREDICATE,
    PTX_CLASS_OPAQUE,
};

const char *ptx_type_text(enum ptx_type type); // without the dot
unsigned ptx_type_bytes(enum ptx_type type);   // 0 for pred
enum ptx_type_class ptx_type_class(enum ptx_type type);

// Every modifier that can follow an opcode and is no type. X(enumerator suffix, text).
// A token's meaning depends on the row of isa.def that accepts it, which also says in which
// group it is stored: `.lo` is a half of mul and a comparison of setp.
#define X(name, text) PTX_MOD_##name,
enum ptx_modifier {
    PTX_MOD_NONE,
#include "ptx/modifiers.def"
    PTX_MOD_COUNT
};
#undef X
const char *ptx_modifier_text(enum ptx_modifier modifier); // without the dot

// Where a modifier is stored in an instruction; the names that isa.def patterns use.
// clang-format off
#define PTX_GROUPS(X)                                                                              \
    X(round) X(ftz) X(sat) X(relu) X(cc) X(approx) X(half) X(cmp) X(bool) X(space) X(vec) X(op)    \
    X(mode) X(sem) X(scope) X(cache) X(evict) X(prefetch) X(hint) X(nc) X(uni) X(sync) X(aligned)  \
    X(shape) X(count) X(trans) X(clamp) X(red) X(to) X(volatile) X(layout) X(layout2) X(noftz)     \
    X(to2) X(level) X(variant) X(variant2) X(weak)
// clang-format on

enum ptx_group {
#define X(name) PTX_GROUP_##name,
    PTX_GROUPS(X)
#undef X
        PTX_GROUP_COUNT
};

// The rows of isa.def, PTX_ISA_<opcode>_<form>. What they say: ptx/facts.h.
enum ptx_isa {
    PTX_ISA_NONE,
#define ISA(opcode, form, ...) PTX_ISA_##opcode##_##form,
#include "ptx/isa.def"
#undef ISA
    PTX_ISA_COUNT
};

enum ptx_space {
    PTX_SPACE_GENERIC, // no state space written
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX,
};

// Special registers; X(enumerator suffix, text without '%', type)
#define X(name, text, type) PTX_SREG_##name,
enum ptx_sreg {
    PTX_SREG_NONE,
#include "ptx/sregs.def"
    PTX_SREG_COUNT
};
#undef X
const char *ptx_sreg_text(enum ptx_sreg sreg); // without the '%'
enum ptx_type ptx_sreg_type(enum ptx_sreg sreg);

// A declared variable, parameter, or register (family).
struct ptx_variable {
    const char *name; // of a family `%r<31>`: "%r"
    struct source_range range;
    enum ptx_space space;
    enum ptx_type type;
    unsigned vector; // 1, 2 or 4 elements
    unsigned align;  // bytes, 0: natural
    uint32_t family; // registers %name0 .. %name<family-1>; 0: one register `name`
    bool is_array;
    bool is_unsized;   // `dyn[]`
    uint64_t elements; // of an array, over all dimensions
    uint64_t bytes;    // whole size; 0 when unsized
    bool is_extern, is_visible, is_weak, is_common, is_managed;
    // Initial value: `bytes` bytes, or NULL for zeros. Addresses of other symbols in it are
    // listed in `fixups`.
    const uint8_t *initial;
    const struct ptx_fixup *fixups;
    size_t fixup_count;
};

struct ptx_fixup { // initial[offset..offset+8) += address of symbol (generic if `generic(sym)`)
    uint64_t offset;
    const char *symbol;
    int64_t addend;
    bool is_generic;
    unsigned bytes; // 4 or 8
    struct source_range range;
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REGISTER, // name (family member names are spelled out: "%r12")
    PTX_OPERAND_SREG,     // sreg
    PTX_OPERAND_INTEGER,  // integer
    PTX_OPERAND_FLOAT,    // 0f.., 0d.. or a decimal constant: bits of a double in `integer`;
                          // is_single when written as 0fXXXXXXXX (then bits of a float)
    PTX_OPERAND_SYMBOL,   // name + offset: a variable, function or label used as a value
    PTX_OPERAND_ADDRESS,  // [base + offset]: `base` is REGISTER, SYMBOL or INTEGER
    PTX_OPERAND_VECTOR,   // {a, b, ...}: elements
    PTX_OPERAND_SINK,     // _
    PTX_OPERAND_LIST,     // (a, b): call parameters
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    struct source_range range;
    const char *name;
    enum ptx_sreg sreg;
    uint64_t integer;
    int64_t offset;  // SYMBOL, ADDRESS
    bool is_negated; // `!%p1`, or `-%r1` where the ISA allows it
    bool is_minus;   // the negation was written `-`
    bool is_single;
    struct ptx_operand *base;     // ADDRESS
    struct ptx_operand *elements; // VECTOR, LIST; an ADDRESS's further coordinates
    size_t element_count;
    struct ptx_operand *pair; // second destination in `d|p`
    unsigned component;       // 0, or 'x','y','z','w' for a vector register's component
    const char *selector;     // bytes or halves that a video instruction selects: "b0", "h10"
};

struct ptx_guard {
    const char *name; // predicate register, NULL when not guarded
    bool is_negated;
    struct source_range range;
};

enum { PTX_MAX_TYPES = 5, PTX_MAX_OPERANDS = 12 };

struct ptx_instruction {
    enum ptx_isa isa;
    const char *mnemonic;                // as written: "ld.shared.v4.f32"; equal ones are shared
    uint16_t modifiers[PTX_GROUP_COUNT]; // enum ptx_modifier, 0: not written
    uint8_t types[PTX_MAX_TYPES];        // enum ptx_type in the order written
    unsigned type_count;
    struct ptx_guard guard;
    struct ptx_operand *operands; // destination first, as written
    size_t operand_count;
    struct source_range range; // from the opcode to the ';'
    uint32_t location;         // index into the function's locations
    uint32_t line;             // of the text; 0: nobody asked (ptx_own_lines)
    // .pragma "used_bytes_mask": of a load, which bytes of a lane are used, a bit each; 0: all, or
    // it says nothing
    uint32_t used_bytes;
};

// A `.loc`: where the next instructions come from. Index 0 of a function's table is "unknown".
struct ptx_location {
    uint32_t file; // number of a `.file`, 0: unknown
    uint32_t line, column;
    uint32_t inlined_at;      // index of the call's location in the same table, 0: not inlined
    const char *inlined_into; // name of the inlined function (mangled), NULL: not inlined
};

enum ptx_statement_kind {
    PTX_STATEMENT_INSTRUCTION,
    PTX_STATEMENT_LABEL,
    PTX_STATEMENT_VARIABLE,       // a declaration in the body
    PTX_STATEMENT_BLOCK_BEGIN,    // `{`
    PTX_STATEMENT_BLOCK_END,      // `}`
    PTX_STATEMENT_BRANCH_TARGETS, // name: .branchtargets a, b; (list in `operands`)
    PTX_STATEMENT_CALL_PROTOTYPE, // name: .callprototype ... (prototype in `function`)
    PTX_STATEMENT_CALL_TARGETS,   // name: .calltargets f, g; (list in `operands`)
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    struct source_range range;
    const char *name; // label
    struct ptx_instruction *instruction;
    struct ptx_variable *variable;
    struct ptx_function *function;
    struct ptx_operand *operands;
    size_t operand_count;
};

struct ptx_function {
    const char *name;
    struct source_range range; // of the name
    bool is_entry, is_extern, is_visible, is_weak, is_noreturn;
    bool has_body;
    struct ptx_variable *returns;
    size_t return_count;
    struct ptx_variable *parameters;
    size_t parameter_count;
    struct ptx_statement *statements;
    size_t statement_count;
    struct ptx_location *locations;
    size_t location_count;
    // Performance directives; 0: not given
    uint32_t max_threads[3], required_threads[3], min_blocks, max_registers;
    uint32_t required_cluster[3], max_cluster_blocks;
    bool needs_cluster; // launches must give a size
};

struct ptx_file { // a `.file`
    uint32_t number;
    const char *path;
};

struct ptx_module {
    const struct source *source; // borrowed
    const char *text_file;       // see ptx_own_lines; NULL: the text lies nowhere
    struct arena *arena;         // owns all that hangs on the module
    unsigned version_major, version_minor;
    unsigned target;       // 80 for sm_80, sm_80a, compute_80
    char target_suffix;    // 'a', 'f' or 0
    bool is_debug;         // `.target sm_90, debug`
    unsigned address_size; // 64; anything else is refused
    struct ptx_file *files;
    size_t file_count;
    struct ptx_variable *variables; // module scope
    size_t variable_count;
    struct ptx_function *functions; // declarations without a body included
    size_t function_count;
};

// Parses a whole text. Never returns NULL: what could be read is there, even after errors;
// `diags->errors` tells whether it may be used. `source` must outlive the module.
struct ptx_module *ptx_parse(const struct source *source, struct diag_list *diags);
void ptx_module_free(struct ptx_module *module); // NULL is allowed

// For a module without a `.file`: its text lies in this file (borrowed), whose lines its
// instructions are of.
void ptx_own_lines(struct ptx_module *module, const char *file);

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);

// Writes a module as PTX; parsing that again gives the same module.
struct strbuf;
void ptx_print(const struct ptx_module *module, struct strbuf *out);
// One instruction's mnemonic with modifiers and types as written: "ld.shared.v4.f32".
void ptx_print_mnemonic(const struct ptx_instruction *instruction, struct strbuf *out);
// One instruction with guard and operands, without the ';'.
void ptx_print_instruction(const struct ptx_instruction *instruction, struct strbuf *out);

static inline enum ptx_modifier ptx_modifier_of(const struct ptx_instruction *instruction,
                                                enum ptx_group group) {
    return (enum ptx_modifier)instruction->modifiers[group];
}
#define PTX_HAS(instruction, group) ((instruction)->modifiers[PTX_GROUP_##group] != 0)

#endif
