#include "toolchain/pieces.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static const char *skip_blank(const char *at) {
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

struct ptx_token toolchain_token(const char **at) {
    const char *start = skip_blank(*at), *end = start;
    if (*start == '"') {
        end += 1 + strcspn(start + 1, "\"\n");
        if (*end == '"')
            end++;
    } else if (is_word(*start)) {
        while (is_word(*end))
            end++;
    } else if (*start) {
        end++;
    }
    *at = end;
    return (struct ptx_token){start, (size_t)(end - start)};
}

bool toolchain_token_is(struct ptx_token token, const char *text) {
    return token.length == strlen(text) && memcmp(token.text, text, token.length) == 0;
}

// A name, as opposed to a directive or a number.
static bool is_name(struct ptx_token token) {
    char c = token.length ? *token.text : '.';
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool ends_with_line(struct ptx_token token) {
    return toolchain_token_is(token, ".version") || toolchain_token_is(token, ".target") ||
           toolchain_token_is(token, ".address_size") || toolchain_token_is(token, ".file");
}

static void end_piece(struct piece *piece, const char *end) {
    piece->length = (size_t)(end - piece->text);
}

// Reads on from behind the first token to the ';' or the closing brace that ends the piece.
static const char *read_rest(struct piece *piece, struct ptx_token token, const char *at) {
    int parentheses = 0, braces = 0;
    bool is_function = false, is_section = toolchain_token_is(token, ".section"), is_linked = false;
    for (; token.length; token = toolchain_token(&at)) {
        bool is_top = !parentheses && !braces;
        is_function |=
            is_top && (toolchain_token_is(token, ".func") || toolchain_token_is(token, ".entry"));
        piece->is_extern |= is_top && toolchain_token_is(token, ".extern");
        piece->is_weak |=
            is_top && (toolchain_token_is(token, ".weak") || toolchain_token_is(token, ".common"));
        is_linked |= is_top && toolchain_token_is(token, ".visible");
        if (is_top && !piece->name && is_name(token)) {
            piece->name = token.text;
            piece->name_length = token.length;
        }
        parentheses += toolchain_token_is(token, "(") - toolchain_token_is(token, ")");
        braces += toolchain_token_is(token, "{") - toolchain_token_is(token, "}");
        bool closes = toolchain_token_is(token, "}") && braces <= 0 && (is_function || is_section);
        if (closes || (toolchain_token_is(token, ";") && braces <= 0)) {
            piece->kind =
                is_function ? (closes ? PIECE_FUNCTION : PIECE_DECLARATION) : PIECE_VARIABLE;
            break;
        }
    }
    if (is_section || *piece->text != '.')
        piece->kind = PIECE_OTHER;
    if (piece->kind == PIECE_OTHER)
        piece->name = NULL;
    piece->is_private = piece->name && !is_linked && !piece->is_weak && !piece->is_extern;
    return at;
}

bool toolchain_piece(const char **at, struct piece *piece) {
    struct ptx_token token = toolchain_token(at);
    *piece = (struct piece){.kind = PIECE_OTHER, .text = token.text};
    if (!token.length)
        return false;
    if (ends_with_line(token)) {
        piece->kind = toolchain_token_is(token, ".file") ? PIECE_FILE : PIECE_HEADER;
        *at = token.text + strcspn(token.text, "\n");
    } else {
        *at = read_rest(piece, token, *at);
        if (toolchain_token_is(token, ".pragma") || toolchain_token_is(token, ".alias"))
            piece->kind = PIECE_OTHER;
    }
    end_piece(piece, *at);
    return true;
}
