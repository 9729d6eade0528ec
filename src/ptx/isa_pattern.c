#include "ptx/isa_pattern.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(const char *text, size_t length, const char *wanted) {
    return strlen(wanted) == length && memcmp(wanted, text, length) == 0;
}

static enum ptx_group find_group(const char *name, size_t length) {
    static const char *const names[PTX_GROUP_COUNT] = {
#define X(name) [PTX_GROUP_##name] = #name,
        PTX_GROUPS(X)
#undef X
    };
    for (unsigned group = 0; group < PTX_GROUP_COUNT; group++)
        if (is_text(name, length, names[group]))
            return (enum ptx_group)group;
    assert(!"isa.def names a group that PTX_GROUPS lacks");
    return PTX_GROUP_COUNT;
}

static void read_element(const char *text, size_t length, struct ptx_isa_pattern *pattern) {
    if (length == 1 && text[0] == '*') {
        pattern->takes_anything = true;
        return;
    }
    assert(pattern->count < PTX_MAX_ELEMENTS);
    struct ptx_isa_element *element = &pattern->elements[pattern->count++];
    *element = (struct ptx_isa_element){0};
    size_t name = strcspn(text, "?: ");
    size_t words = name;
    if (text[words] == '?') {
        element->is_optional = true;
        words++;
    }
    bool has_words = text[words] == ':';
    element->words = has_words ? text + words + 1 : text;
    element->length = has_words ? length - words - 1 : name;
    element->is_type = name == 1 && text[0] == 'T';
    if (!element->is_type)
        element->group = find_group(text, name);
    pattern->has_vector |= !element->is_type && element->group == PTX_GROUP_vec;
}

void ptx_isa_read_pattern(const struct ptx_isa_row *row, struct ptx_isa_pattern *pattern) {
    pattern->count = 0;
    pattern->takes_anything = pattern->has_vector = false;
    for (const char *at = row->modifiers; *at;) {
        size_t length = strcspn(at, " ");
        if (length)
            read_element(at, length, pattern);
        at += length + (at[length] == ' ');
    }
}

static uint8_t read_type(const char *text, size_t length) {
    for (uint8_t type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (is_text(text, length, ptx_type_text((enum ptx_type)type)))
            return type;
    if (is_text(text, length, "first"))
        return PTX_OPERAND_FIRST_TYPE;
    assert(is_text(text, length, "wide"));
    return PTX_OPERAND_WIDE_TYPE;
}

// `d2`, `s~`, `s:b32?`. Returns whether it may be missing.
static bool read_rule(const char *text, size_t length, struct ptx_operand_rule *rule) {
    const bool is_optional = text[length - 1] == '?';
    const char *end = text + length - is_optional;
    *rule = (struct ptx_operand_rule){.letter = *text++};
    rule->has_pair = text < end && *text == '2';
    text += rule->has_pair;
    rule->has_any_width = text < end && *text == '~';
    text += rule->has_any_width;
    if (text < end && *text == ':')
        rule->type = read_type(text + 1, (size_t)(end - text - 1));
    else
        assert(text == end);
    return is_optional;
}

void ptx_isa_read_operands(const struct ptx_isa_row *row, struct ptx_form *form) {
    bool is_optional = false;
    for (const char *at = row->operands; *at;) {
        size_t length = strcspn(at, ",");
        if (*at == '*') {
            form->takes_anything = form->rule_count == 0;
            form->rest_is_free = true;
        } else {
            assert(form->rule_count < PTX_MAX_OPERANDS);
            is_optional |= read_rule(at, length, &form->rules[form->rule_count++]);
            if (!is_optional)
                form->required = form->rule_count;
        }
        at += length + (at[length] == ',');
    }
}

static unsigned read_number(const char **at) {
    char *end;
    const unsigned number = (unsigned)strtoul(*at, &end, 10);
    assert(number > 0 && strchr("-/}", *end));
    *at = end + 1;
    return number;
}

bool ptx_isa_next_choice(const struct ptx_isa_element *element, size_t *at,
                         struct ptx_isa_choice *out) {
    if (*at >= element->length)
        return false;
    const char *text = element->words + *at, *bar = memchr(text, '|', element->length - *at);
    const char *end = bar ? bar : element->words + element->length;
    const char *open = memchr(text, '{', (size_t)(end - text));
    *at += (size_t)(end - text) + 1;
    *out = (struct ptx_isa_choice){.head = {text, (uint32_t)((open ? open : end) - text)}};
    if (!open)
        return true;
    const char *tail = open + 1;
    out->first = read_number(&tail);
    out->last = read_number(&tail);
    out->step = read_number(&tail);
    out->tail = (struct ptx_word){tail, (uint32_t)(end - tail)};
    return true;
}

// A number is spelled in one way: `08` is none.
static bool is_in_range(const struct ptx_isa_choice *choice, const char *digits, size_t length) {
    unsigned number = 0;
    for (size_t i = 0; i < length && number <= choice->last; i++) {
        if (digits[i] < (i == 0 ? '1' : '0') || digits[i] > '9')
            return false;
        number = number * 10 + (unsigned)(digits[i] - '0');
    }
    return number >= choice->first && number <= choice->last &&
           (number - choice->first) % choice->step == 0;
}

bool ptx_isa_choice_takes(const struct ptx_isa_choice *choice, const struct ptx_word *word) {
    const struct ptx_word *head = &choice->head, *tail = &choice->tail;
    if (word->length < head->length || memcmp(word->text, head->text, head->length) != 0)
        return false;
    const char *rest = word->text + head->length;
    const size_t length = word->length - head->length;
    if (!choice->step)
        return length == 0;
    return length > tail->length &&
           memcmp(rest + length - tail->length, tail->text, tail->length) == 0 &&
           is_in_range(choice, rest, length - tail->length);
}

struct ptx_word ptx_isa_spell(const struct ptx_isa_choice *choice, unsigned number,
                              char text[PTX_MAX_RANGED]) {
    if (!choice->step)
        return choice->head;
    const int length =
        snprintf(text, PTX_MAX_RANGED, "%.*s%u%.*s", (int)choice->head.length, choice->head.text,
                 number, (int)choice->tail.length, choice->tail.text);
    assert(length > 0 && length < PTX_MAX_RANGED);
    return (struct ptx_word){text, (uint32_t)length};
}

static bool has_word(const struct ptx_isa_element *element, const struct ptx_word *word) {
    struct ptx_isa_choice choice;
    for (size_t at = 0; ptx_isa_next_choice(element, &at, &choice);)
        if (ptx_isa_choice_takes(&choice, word))
            return true;
    return false;
}

int ptx_isa_accept(const struct ptx_isa_pattern *pattern, const bool *filled,
                   const struct ptx_word *word) {
    bool is_type_due = true; // a type element is only looked at when those before it are done
    for (size_t i = 0; i < pattern->count; i++) {
        const struct ptx_isa_element *element = &pattern->elements[i];
        if (filled[i] || (element->is_type && !is_type_due))
            continue;
        if (has_word(element, word))
            return (int)i;
        if (element->is_type && !element->is_optional)
            is_type_due = false;
    }
    return -1;
}

int ptx_isa_missing(const struct ptx_isa_pattern *pattern, const bool *filled) {
    for (size_t i = 0; i < pattern->count; i++)
        if (!filled[i] && !pattern->elements[i].is_optional)
            return (int)i;
    return -1;
}
