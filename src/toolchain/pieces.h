// Inside the toolchain: a PTX text cut into its top-level pieces, without understanding it.
#ifndef BANKRUN_TOOLCHAIN_PIECES_H
#define BANKRUN_TOOLCHAIN_PIECES_H

#include <stdbool.h>
#include <stddef.h>

enum piece_kind {
    PIECE_HEADER, // .version, .target, .address_size
    PIECE_FILE,   // .file
    PIECE_VARIABLE,
    PIECE_DECLARATION, // of a function
    PIECE_FUNCTION,    // with its body
    PIECE_OTHER,       // sections, pragmas, ...
};

struct piece {
    enum piece_kind kind;
    const char *text; // points into the module's text
    size_t length;
    const char *name; // of a variable or function; NULL: none
    size_t name_length;
    bool is_extern;
    bool is_weak;    // .weak or .common: another definition may take its place
    bool is_private; // neither .visible, .weak, .common nor .extern
};

struct ptx_token {
    const char *text;
    size_t length;
};

// The token at *at or behind, past spaces and comments; moves *at behind it. Words (which may
// start with '.', '%' or '$'), numbers, strings, and single other characters. Length 0: the end.
struct ptx_token toolchain_token(const char **at);
bool toolchain_token_is(struct ptx_token token, const char *text);

// Cuts off the piece at *at. False: the end of the text.
bool toolchain_piece(const char **at, struct piece *piece);

#endif
