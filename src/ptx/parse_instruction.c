// `@!%p1 ld.shared.v4.f32 {...}, [...];`
#include <string.h>

#include "base/strbuf.h"
#include "ptx/parser.h"

// Modifiers may stand apart from the opcode: "ld .shared .f32". They are joined then.
struct spelling {
    const char *text;
    size_t length;
    struct strbuf joined; // holds the text when it is not one piece of the source
    struct source_range range;
};

static void read_spelling(struct ptx_parser *parser, struct spelling *spelling) {
    spelling->range = parser->token.range;
    spelling->range.end = ptx_lexer_modifiers(&parser->lexer);
    spelling->text = ptx_text(parser, spelling->range);
    spelling->length = spelling->range.end - spelling->range.begin;
    parser->token.range.end = spelling->range.end;
    ptx_next(parser);
    while (parser->token.kind == PTX_TOKEN_DOT) {
        struct source_range range = parser->token.range;
        if (!spelling->joined.data)
            strbuf_append(&spelling->joined, spelling->text, spelling->length);
        strbuf_append(&spelling->joined, ptx_text(parser, range), range.end - range.begin);
        spelling->text = strbuf_string(&spelling->joined);
        spelling->length = spelling->joined.length;
        spelling->range.end = range.end;
        ptx_next(parser);
    }
}

static size_t split(const struct spelling *spelling, size_t opcode_length,
                    struct ptx_word words[PTX_MAX_MNEMONIC_WORDS + 1]) {
    size_t count = 0;
    for (size_t at = opcode_length; at < spelling->length && count <= PTX_MAX_MNEMONIC_WORDS;) {
        const char *text = spelling->text + at + 1;
        const char *dot = memchr(text, '.', spelling->length - at - 1);
        size_t length = dot ? (size_t)(dot - text) : spelling->length - at - 1;
        words[count++] = (struct ptx_word){text, (uint32_t)length};
        at += length + 1;
    }
    return count;
}

// Where a word stands in the source. Joined spellings are blamed as a whole.
static struct source_range word_range(const struct ptx_parser *parser,
                                      const struct spelling *spelling,
                                      const struct ptx_word *word) {
    if (spelling->joined.data)
        return spelling->range;
    uint32_t begin = (uint32_t)(word->text - parser->source->text) - 1;
    return (struct source_range){begin, begin + 1 + word->length};
}

static void report_unknown_opcode(struct ptx_parser *parser, struct source_range range) {
    const char *text = ptx_text(parser, range);
    int length = (int)(range.end - range.begin);
    const char *nearest = ptx_isa_suggest_opcode(text, (size_t)length);
    if (*text == '%')
        ptx_error(parser, range, "expected an instruction, found '%.*s'", length, text);
    else if (nearest)
        ptx_error(parser, range, "unknown instruction '%.*s'; did you mean '%s'?", length, text,
                  nearest);
    else
        ptx_error(parser, range, "unknown instruction '%.*s'", length, text);
}

static const struct ptx_mnemonic *match_new(struct ptx_parser *parser,
                                            const struct spelling *spelling, size_t opcode_length) {
    struct ptx_word words[PTX_MAX_MNEMONIC_WORDS + 1];
    struct source_range opcode = {spelling->range.begin,
                                  spelling->range.begin + (uint32_t)opcode_length};
    enum ptx_isa first = ptx_isa_find_opcode(&parser->isa, spelling->text, opcode_length);
    if (!first) {
        report_unknown_opcode(parser, opcode);
        return NULL;
    }
    size_t count = split(spelling, opcode_length, words);
    if (count > PTX_MAX_MNEMONIC_WORDS) {
        ptx_error(parser, spelling->range, "more than %d modifiers", PTX_MAX_MNEMONIC_WORDS);
        return NULL;
    }
    const struct ptx_mnemonic *mnemonic =
        ptx_isa_match(&parser->isa, first, spelling->text, spelling->length, words, count);
    if (mnemonic)
        return mnemonic;
    struct strbuf message = {0};
    char *text = base_strndup(spelling->text, spelling->length);
    size_t blamed = ptx_isa_explain(&parser->isa, first, text, words, count, &message);
    ptx_error(parser,
              blamed < count ? word_range(parser, spelling, &words[blamed]) : spelling->range, "%s",
              strbuf_string(&message));
    strbuf_free(&message);
    free(text);
    return NULL;
}

static const struct ptx_mnemonic *parse_mnemonic(struct ptx_parser *parser,
                                                 struct source_range *range) {
    struct spelling spelling = {0};
    size_t opcode_length = parser->token.range.end - parser->token.range.begin;
    read_spelling(parser, &spelling);
    const struct ptx_mnemonic *mnemonic =
        map_get(&parser->isa.mnemonics, spelling.text, spelling.length);
    if (!mnemonic)
        mnemonic = match_new(parser, &spelling, opcode_length);
    *range = spelling.range;
    strbuf_free(&spelling.joined);
    return mnemonic;
}

static bool parse_operands(struct ptx_parser *parser, bool is_call, struct ptx_operand *operands,
                           size_t *count) {
    *count = 0;
    if (ptx_at_punct(parser, ';'))
        return true;
    do {
        if (*count == PTX_MAX_OPERANDS)
            return ptx_error(parser, parser->token.range, "more than %d operands",
                             PTX_MAX_OPERANDS);
        if (!ptx_parse_operand(parser, is_call, 0, &operands[(*count)++]))
            return false;
    } while (ptx_accept_punct(parser, ','));
    return true;
}

static bool parse_guard(struct ptx_parser *parser, struct ptx_guard *guard) {
    *guard = (struct ptx_guard){.range = parser->token.range};
    if (!ptx_accept_punct(parser, '@'))
        return true;
    guard->is_negated = ptx_accept_punct(parser, '!');
    struct source_range range = parser->token.range;
    if (!ptx_expect_name(parser, "a predicate register", &guard->name))
        return false;
    guard->range.end = parser->last_end;
    return guard->name[0] == '%' ||
           ptx_register_elements(parser, guard->name, strlen(guard->name)) ||
           ptx_error(parser, range, "no predicate register '%s' is declared", guard->name);
}

bool ptx_parse_instruction(struct ptx_parser *parser) {
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    struct ptx_guard guard;
    struct source_range range;
    size_t count;
    const uint32_t used_bytes = parser->used_bytes; // of this one alone, whatever becomes of it
    parser->used_bytes = 0;
    if (!parse_guard(parser, &guard))
        return false;
    if (parser->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(parser, "an instruction");
    const struct ptx_mnemonic *mnemonic = parse_mnemonic(parser, &range);
    if (!mnemonic)
        return false;
    bool is_call = mnemonic->forms[0].isa == PTX_ISA_call_plain;
    if (!parse_operands(parser, is_call, operands, &count))
        return false;
    uint32_t end = parser->token.range.end;
    if (!ptx_end_statement(parser))
        return false;
    ptx_unwrap_vectors(mnemonic, operands, count);
    ptx_expand_vectors(parser, mnemonic, operands, count);
    const struct ptx_form *form = ptx_choose_form(parser, mnemonic, range, operands, count);
    if (!form)
        return true; // reported, and the statement is over
    struct ptx_instruction *instruction = ARENA_NEW(parser->arena, struct ptx_instruction);
    instruction->isa = form->isa;
    instruction->mnemonic = mnemonic->text;
    memcpy(instruction->modifiers, form->modifiers, sizeof form->modifiers);
    memcpy(instruction->types, form->types, sizeof form->types);
    instruction->type_count = form->type_count;
    instruction->guard = guard;
    instruction->operands = ARENA_ARRAY(parser->arena, struct ptx_operand, count);
    memcpy(instruction->operands, operands, count * sizeof *operands);
    instruction->operand_count = count;
    instruction->location = parser->location;
    instruction->used_bytes = used_bytes;
    instruction->range = (struct source_range){range.begin, end};
    ptx_add_statement(parser, PTX_STATEMENT_INSTRUCTION, instruction->range)->instruction =
        instruction;
    return true;
}
