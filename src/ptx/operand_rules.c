// Do the operands of an instruction have the kinds that its row of isa.def asks for?
#include <assert.h>
#include <string.h>

#include "base/strbuf.h"
#include "ptx/parser.h"

static bool is_destination(const struct ptx_operand *operand) {
    return (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_SINK) &&
           !operand->is_negated && !operand->selector;
}

static bool is_source(const struct ptx_operand *operand) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_SREG:
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_SYMBOL:
        return !operand->is_negated && !operand->pair && !operand->selector;
    default:
        return false;
    }
}

// The operands of video instructions: a part of a register may be selected.
static bool is_selecting(const struct ptx_operand *operand, bool is_written, bool has_sign) {
    struct ptx_operand plain = *operand;
    plain.selector = NULL;
    if (has_sign && operand->is_minus && operand->kind == PTX_OPERAND_REGISTER)
        plain.is_negated = false;
    return is_written ? is_destination(&plain) : is_source(&plain);
}

static bool is_predicate(const struct ptx_operand *operand) {
    return (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_INTEGER ||
            operand->kind == PTX_OPERAND_SREG) &&
           !operand->pair && !operand->selector && !operand->is_minus;
}

// A vector of any length, of one register too.
static bool is_list(const struct ptx_operand *operand, bool is_store) {
    if (operand->kind != PTX_OPERAND_VECTOR || operand->element_count == 0)
        return false;
    for (size_t i = 0; i < operand->element_count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        if (is_store ? !is_source(element) : !is_destination(element) || element->pair)
            return false;
    }
    return true;
}

static bool is_vector(const struct ptx_operand *operand, unsigned size, bool is_store) {
    if (operand->kind != PTX_OPERAND_VECTOR)
        return false;
    if (size != PTX_VECTOR_UNCHECKED ? operand->element_count != size : operand->element_count < 2)
        return false;
    for (size_t i = 0; i < operand->element_count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        if (is_store ? !is_source(element) : !is_destination(element) || element->pair)
            return false;
    }
    return true;
}

static bool accepts_scalar(unsigned vector) {
    return vector <= 1 || vector == PTX_VECTOR_UNCHECKED;
}

static bool accepts(const struct ptx_form *form, const struct ptx_operand_rule *rule,
                    const struct ptx_operand *operand) {
    if (operand->pair && (!rule->has_pair || !is_destination(operand->pair)))
        return false;
    switch (rule->letter) {
    case 'd':
    case 'q':
        return is_destination(operand);
    case 'D':
        return (accepts_scalar(form->vector) && is_destination(operand)) ||
               (form->vector != 0 && is_vector(operand, form->vector, false));
    case 's':
        return is_source(operand);
    case 'S':
        return (accepts_scalar(form->vector) && is_source(operand)) ||
               (form->vector != 0 && is_vector(operand, form->vector, true));
    case 'R':
    case 'U':
        return is_destination(operand) || is_list(operand, false);
    case 'V':
        return is_source(operand) || is_list(operand, true);
    case 'x':
        return is_selecting(operand, true, false);
    case 'y':
        return is_selecting(operand, false, false);
    case 'z':
        return is_selecting(operand, false, true);
    case 'p':
        return is_predicate(operand);
    case 'i':
        return operand->kind == PTX_OPERAND_INTEGER;
    case 'm':
        return operand->kind == PTX_OPERAND_ADDRESS && operand->element_count == 0;
    case 't':
        return operand->kind == PTX_OPERAND_ADDRESS && operand->element_count != 0;
    case 'L':
        return operand->kind == PTX_OPERAND_SYMBOL && operand->offset == 0;
    case 'f':
        return operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_REGISTER;
    case 'l':
        return operand->kind == PTX_OPERAND_LIST;
    default:
        return false;
    }
}

// The first operand that its rule does not accept; `count` when all are fine.
static size_t first_wrong(const struct ptx_form *form, const struct ptx_operand *operands,
                          size_t count) {
    for (size_t i = 0; i < count && i < form->rule_count; i++)
        if (!accepts(form, &form->rules[i], &operands[i]))
            return i;
    return count;
}

static bool has_right_count(const struct ptx_form *form, size_t count) {
    return count >= form->required && (count <= form->rule_count || form->rest_is_free);
}

static const char *found_text(const struct ptx_operand *operand) {
    if (operand->pair)
        return "a pair";
    if (operand->is_negated)
        return "a negated operand";
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return operand->selector ? "a part of a register" : "a register";
    case PTX_OPERAND_SREG:
        return "a special register";
    case PTX_OPERAND_INTEGER:
        return "an integer";
    case PTX_OPERAND_FLOAT:
        return "a floating-point number";
    case PTX_OPERAND_SYMBOL:
        return "a symbol";
    case PTX_OPERAND_ADDRESS:
        return "an address";
    case PTX_OPERAND_VECTOR:
        return "a vector";
    case PTX_OPERAND_SINK:
        return "'_'";
    case PTX_OPERAND_LIST:
        return "a list";
    case PTX_OPERAND_NONE:
        break;
    }
    return "nothing";
}

static void put_wanted(const struct ptx_form *form, char letter, struct strbuf *message) {
    bool is_load = letter == 'D', is_vector = form->vector > 1;
    if ((letter == 'D' || letter == 'S') && is_vector) {
        if (form->vector == PTX_VECTOR_UNCHECKED)
            strbuf_puts(message, is_load ? "a register or a vector of registers"
                                         : "a register, a constant, a symbol or a vector");
        else
            strbuf_printf(message, "a vector of %u registers", form->vector);
        return;
    }
    strbuf_puts(message, strchr("dDx", letter)    ? "a register"
                         : strchr("sSyz", letter) ? "a register, a constant or a symbol"
                         : strchr("RUV", letter)  ? "a vector of registers"
                         : letter == 'q'          ? "a predicate register"
                         : letter == 'p'          ? "a predicate"
                         : letter == 'i'          ? "an integer constant"
                         : letter == 'm'          ? "an address [...]"
                         : letter == 't'          ? "an address with coordinates [..., {...}]"
                         : letter == 'L'          ? "a label"
                         : letter == 'f'          ? "a function"
                                                  : "a list (...)");
}

static void report_count(struct ptx_parser *parser, const struct ptx_mnemonic *mnemonic,
                         struct source_range range, size_t count) {
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < mnemonic->form_count; i++) {
        const struct ptx_form *form = &mnemonic->forms[i];
        least = form->required < least ? form->required : least;
        most = form->rule_count > most ? form->rule_count : most;
    }
    struct strbuf wanted = {0};
    if (most == 0)
        strbuf_puts(&wanted, "no operands");
    else if (least == most)
        strbuf_printf(&wanted, "%zu operand%s", least, least == 1 ? "" : "s");
    else
        strbuf_printf(&wanted, "%zu %s %zu operands", least, most - least == 1 ? "or" : "to", most);
    if (count && most)
        ptx_error(parser, range, "'%s' takes %s, not %zu", mnemonic->text, strbuf_string(&wanted),
                  count);
    else
        ptx_error(parser, range, "'%s' takes %s", mnemonic->text, strbuf_string(&wanted));
    strbuf_free(&wanted);
}

// The element of a vector of the right size that is wrong; NULL: the operand itself is.
static const struct ptx_operand *wrong_element(const struct ptx_form *form, char letter,
                                               const struct ptx_operand *operand) {
    bool is_right_size =
        form->vector == PTX_VECTOR_UNCHECKED || operand->element_count == form->vector;
    if (operand->kind != PTX_OPERAND_VECTOR || !is_right_size || (letter != 'D' && letter != 'S'))
        return NULL;
    for (size_t i = 0; i < operand->element_count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        if (letter == 'D' ? !is_destination(element) || element->pair : !is_source(element))
            return element;
    }
    return NULL;
}

static void report_kind(struct ptx_parser *parser, const struct ptx_mnemonic *mnemonic,
                        const struct ptx_form *form, const struct ptx_operand *operands,
                        size_t wrong) {
    assert(wrong < form->rule_count);
    struct strbuf wanted = {0};
    const struct ptx_operand *operand = &operands[wrong];
    char letter = form->rules[wrong].letter;
    const struct ptx_operand *element = wrong_element(form, letter, operand);
    if (element) {
        operand = element;
        strbuf_puts(&wanted,
                    letter == 'D' ? "made of registers" : "made of registers or constants");
    } else {
        put_wanted(form, letter, &wanted);
    }
    if (operand->kind == PTX_OPERAND_VECTOR)
        strbuf_printf(&wanted, ", not a vector of %zu", operand->element_count);
    else if (operand->kind == PTX_OPERAND_SYMBOL && strchr("dqDpx", letter) && !operand->pair)
        strbuf_printf(&wanted, ", but no register '%s' is declared", operand->name);
    else
        strbuf_printf(&wanted, ", not %s", found_text(operand));
    ptx_error(parser, operand->range, "operand %zu of '%s' must be %s", wrong + 1, mnemonic->text,
              strbuf_string(&wanted));
    strbuf_free(&wanted);
}

const struct ptx_form *ptx_choose_form(struct ptx_parser *parser,
                                       const struct ptx_mnemonic *mnemonic,
                                       struct source_range mnemonic_range,
                                       const struct ptx_operand *operands, size_t count) {
    assert(mnemonic->form_count && count <= PTX_MAX_OPERANDS);
    const struct ptx_form *nearest = NULL; // right number of operands, and most of them right
    size_t nearest_wrong = 0;
    for (size_t i = 0; i < mnemonic->form_count; i++) {
        const struct ptx_form *form = &mnemonic->forms[i];
        if (form->takes_anything)
            return form;
        if (!has_right_count(form, count))
            continue;
        size_t wrong = first_wrong(form, operands, count);
        if (wrong == count)
            return form;
        if (!nearest || wrong > nearest_wrong) {
            nearest = form;
            nearest_wrong = wrong;
        }
    }
    if (nearest)
        report_kind(parser, mnemonic, nearest, operands, nearest_wrong);
    else
        report_count(parser, mnemonic, mnemonic_range, count);
    return NULL;
}
