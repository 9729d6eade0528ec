// The tokens of a CUDA source, for edits of it: comments, literals and directives are told apart,
// nothing is preprocessed, and nothing is refused.
#ifndef BANKRUN_PATCH_TOKENS_H
#define BANKRUN_PATCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum patch_kind { PATCH_NAME, PATCH_NUMBER, PATCH_LITERAL, PATCH_MARK };

struct patch_token {
    enum patch_kind kind;
    bool is_directive;   // part of a # line, or of its continuation
    uint32_t begin, end; // bytes of the text
    uint32_t line;       // from 1 on
};

typedef VEC(struct patch_token) patch_tokens;

struct patch_text { // borrows the text, which ends in NUL
    const char *text;
    size_t length;
    size_t number; // of the text among others; 0 unless who has several sets it
    patch_tokens tokens;
};

void patch_tokenize(struct patch_text *source, const char *text, size_t length);
void patch_text_free(struct patch_text *source);

// Whether token `at` is this word or mark; false for what lies outside of the text.
bool patch_is(const struct patch_text *source, size_t at, const char *word);
// Whether it is one of these words or marks, which end in NULL.
bool patch_is_any(const struct patch_text *source, size_t at, const char *const *words);
// The token that closes the bracket that token `at` opens; the number of tokens: none does.
size_t patch_closing(const struct patch_text *source, size_t at);

#endif
