// Tokens of PTX text.
#ifndef BANKRUN_PTX_LEXER_H
#define BANKRUN_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,    // opcode, label, register, symbol, `_`
    PTX_TOKEN_DOT,     // a dot and the word behind it: `.reg`, `.x`, `.L1::no_allocate`
    PTX_TOKEN_INTEGER, // value
    PTX_TOKEN_SINGLE,  // 0fXXXXXXXX: value holds the bits of a float
    PTX_TOKEN_DOUBLE,  // 0dX..X or a decimal: value holds the bits of a double
    PTX_TOKEN_STRING,  // range includes the quotes
    PTX_TOKEN_PUNCT,   // punct
    PTX_TOKEN_BAD,     // reported already
};

// Punctuation of two characters, as a number that no single character has.
#define PTX_PUNCT2(first, second) ((first) << 8 | (second))

struct ptx_token {
    enum ptx_token_kind kind;
    int punct;
    bool is_unsigned; // an integer written with U, or too large for a signed one
    struct source_range range;
    uint64_t value;
};

struct ptx_lexer {
    const struct source *source;
    struct diag_list *diags;
    uint32_t at;     // next byte to read
    uint32_t end;    // trailing NUL bytes are not part of the text
    bool is_cut_off; // a comment or string that never ends was reported
};

void ptx_lexer_init(struct ptx_lexer *lexer, const struct source *source, struct diag_list *diags);
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

// Reads the modifiers that follow an opcode without a blank between: ".shared.v4.f32". Returns
// the offset behind the last one.
uint32_t ptx_lexer_modifiers(struct ptx_lexer *lexer);

// May c stand inside a name?
static inline bool ptx_is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

#endif
