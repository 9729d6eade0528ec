// Forms and their arithmetic. See form.h.
#include "prove/form.h"

#include <string.h>

#include "base/hash.h"
#include "profile/record.h"

// ---- Interning ------------------------------------------------------------------------------

struct form_slot {
    uint64_t hash;
    const void *content; // of `bytes`; NULL: free
    uint32_t bytes;
    uint32_t kind;  // what it is the content of
    uint64_t value; // a symbol's number
};

enum { SLOT_LANES, SLOT_SAME, SLOT_FORM, SLOT_SYMBOL };

static void grow_slots(struct form_table *table) {
    const size_t room = table->slot_room ? 2 * table->slot_room : 1024;
    struct form_slot *slots = base_alloc(room * sizeof *slots);
    for (size_t i = 0; i < table->slot_room; i++) {
        if (!table->slots[i].content)
            continue;
        size_t at = table->slots[i].hash & (room - 1);
        while (slots[at].content)
            at = (at + 1) & (room - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->slot_room = room;
}

// The slot of this content, or the free one where it belongs.
static struct form_slot *find_slot(struct form_table *table, uint32_t kind, const void *content,
                                   size_t bytes) {
    if (2 * table->slot_count >= table->slot_room)
        grow_slots(table);
    const uint64_t hash = hash_bytes(content, bytes) + kind;
    size_t at = hash & (table->slot_room - 1);
    for (; table->slots[at].content; at = (at + 1) & (table->slot_room - 1)) {
        const struct form_slot *slot = &table->slots[at];
        if (slot->hash == hash && slot->kind == kind && slot->bytes == bytes &&
            !memcmp(slot->content, content, bytes))
            break;
    }
    struct form_slot *slot = &table->slots[at];
    slot->hash = hash;
    slot->kind = kind;
    slot->bytes = (uint32_t)bytes;
    return slot;
}

static const void *intern(struct form_table *table, uint32_t kind, const void *content,
                          size_t bytes) {
    struct form_slot *slot = find_slot(table, kind, content, bytes);
    if (!slot->content) {
        void *copy = arena_alloc(table->arena, bytes);
        memcpy(copy, content, bytes);
        slot->content = copy;
        table->slot_count++;
    }
    return slot->content;
}

void form_table_init(struct form_table *table) {
    *table = (struct form_table){.arena = arena_create()};
    table->zero = form_same_lanes(table, 0);
    table->one = form_same_lanes(table, 1);
}

void form_table_free(struct form_table *table) {
    arena_destroy(table->arena);
    vec_free(&table->symbols);
    free(table->slots);
    *table = (struct form_table){0};
}

// By that number: the first of the content's is all that is looked at.
form_lanes form_same_lanes(struct form_table *table, uint64_t number) {
    form_lanes *recent = &table->recent[number % FORM_RECENT];
    if (*recent && **recent == number)
        return *recent;
    struct form_slot *slot = find_slot(table, SLOT_SAME, &number, sizeof number);
    if (!slot->content) {
        uint64_t *numbers = arena_alloc(table->arena, FORM_LANES * sizeof *numbers);
        for (int l = 0; l < FORM_LANES; l++)
            numbers[l] = number;
        slot->content = numbers;
        table->slot_count++;
    }
    return *recent = slot->content;
}

form_lanes form_intern_lanes(struct form_table *table, const uint64_t numbers[FORM_LANES]) {
    if (form_is_same(numbers))
        return form_same_lanes(table, numbers[0]);
    return intern(table, SLOT_LANES, numbers, FORM_LANES * sizeof *numbers);
}

// ---- A form that is being made --------------------------------------------------------------

// A factor is that of an operand as long as nothing is done to it; else its numbers are in `room`.
struct draft_term {
    uint32_t symbol;
    unsigned place; // in the room
    form_lanes by;
};

struct draft {
    uint64_t base[FORM_LANES];
    unsigned bits, count;
    bool is_full;
    struct draft_term terms[2 * FORM_TERMS];
    uint64_t room[2 * FORM_TERMS][FORM_LANES];
};

// The room is left as it is: a draft is made for every operation.
static void draft_begin(struct draft *draft, unsigned bits) {
    memset(draft->base, 0, sizeof draft->base);
    draft->bits = bits;
    draft->count = 0;
    draft->is_full = false;
}

// The symbol's term, new ones with `by`, which lasts as long as the draft. False: it was there.
static bool draft_term(struct draft *draft, uint32_t symbol, form_lanes by,
                       struct draft_term **term) {
    unsigned at = 0;
    while (at < draft->count && draft->terms[at].symbol < symbol)
        at++;
    *term = &draft->terms[at];
    if (at < draft->count && draft->terms[at].symbol == symbol)
        return false;
    if (draft->count == sizeof draft->terms / sizeof *draft->terms) {
        draft->is_full = true;
        return true;
    }
    memmove(*term + 1, *term, (draft->count - at) * sizeof **term);
    **term = (struct draft_term){symbol, draft->count++, by};
    return true;
}

// A factor of an operand.
static void draft_add_factor(struct draft *draft, uint32_t symbol, form_lanes by) {
    struct draft_term *term;
    if (draft_term(draft, symbol, by, &term))
        return;
    uint64_t *sum = draft->room[term->place];
    for (int l = 0; l < FORM_LANES; l++)
        sum[l] = term->by[l] + by[l];
    term->by = sum;
}

// Numbers that do not last.
static void draft_add_term(struct draft *draft, uint32_t symbol, const uint64_t by[FORM_LANES]) {
    struct draft_term *term;
    if (!draft_term(draft, symbol, by, &term))
        draft_add_factor(draft, symbol, by);
    else if (!draft->is_full)
        term->by = memcpy(draft->room[term->place], by, FORM_LANES * sizeof *by);
}

static void draft_add(struct draft *draft, const struct form *a) {
    for (int l = 0; l < FORM_LANES; l++)
        draft->base[l] += a->base[l];
    for (unsigned t = 0; t < a->count; t++)
        draft_add_factor(draft, a->terms[t].symbol, a->terms[t].by);
}

// Adds a form whose lanes are multiplied by numbers.
static void draft_add_scaled(struct draft *draft, const struct form *a, form_lanes by) {
    uint64_t scaled[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++)
        draft->base[l] += a->base[l] * by[l];
    for (unsigned t = 0; t < a->count; t++) {
        for (int l = 0; l < FORM_LANES; l++)
            scaled[l] = a->terms[t].by[l] * by[l];
        draft_add_term(draft, a->terms[t].symbol, scaled);
    }
}

static bool cut_lanes(uint64_t lanes[FORM_LANES], uint64_t mask) {
    uint64_t any = 0;
    for (int l = 0; l < FORM_LANES; l++)
        any |= lanes[l] &= mask;
    return any;
}

// Interned, modulo 2^bits. NULL: 0 in all lanes.
static form_lanes finish_factor(struct form_table *table, struct draft *draft,
                                const struct draft_term *term) {
    const uint64_t mask = form_mask(draft->bits);
    uint64_t *own = draft->room[term->place], beyond = 0;
    if (term->by != own) {
        for (int l = 0; l < FORM_LANES; l++)
            beyond |= term->by[l] & ~mask;
        if (!beyond) // an operand's: no factor of those is 0
            return term->by;
        memcpy(own, term->by, sizeof draft->room[0]);
    }
    return cut_lanes(own, mask) ? form_intern_lanes(table, own) : NULL;
}

static const struct form *draft_finish(struct form_table *table, struct draft *draft) {
    union {
        struct form form;
        char room[sizeof(struct form) + FORM_TERMS * sizeof(struct form_term)];
    } made;
    memset(&made, 0, sizeof made); // the bytes between members are hashed, too
    if (draft->is_full)
        return NULL;
    cut_lanes(draft->base, form_mask(draft->bits));
    made.form.base = form_intern_lanes(table, draft->base);
    made.form.bits = draft->bits;
    for (unsigned t = 0; t < draft->count; t++) {
        const form_lanes by = finish_factor(table, draft, &draft->terms[t]);
        if (!by)
            continue;
        if (made.form.count == FORM_TERMS)
            return NULL;
        struct form_term *term = &made.form.terms[made.form.count++];
        term->symbol = draft->terms[t].symbol;
        term->by = by;
    }
    return intern(table, SLOT_FORM, &made,
                  sizeof(struct form) + made.form.count * sizeof(struct form_term));
}

// ---- Symbols --------------------------------------------------------------------------------

uint32_t symbol_add(struct form_table *table, const struct symbol *symbol) {
    struct symbol made = *symbol;
    made.now_low = made.low;
    made.now_high = made.high;
    if (!made.function)
        made.function = table->function;
    vec_push(&table->symbols, made);
    return (uint32_t)table->symbols.length - 1;
}

uint32_t symbol_unknown(struct form_table *table, bool is_uniform, uint64_t high,
                        enum symbol_origin origin, uint32_t instruction) {
    return symbol_add(table, &(struct symbol){.kind = SYMBOL_UNKNOWN,
                                              .is_uniform = is_uniform,
                                              .high = high,
                                              .origin = origin,
                                              .instruction = instruction});
}

enum { KEY_NUMBERS = 11 };

// The one that is the same function of the same, or the slot for a new one.
static struct form_slot *find_function(struct form_table *table, const uint64_t key[KEY_NUMBERS]) {
    struct form_slot *slot = find_slot(table, SLOT_SYMBOL, key, KEY_NUMBERS * sizeof *key);
    if (slot->content)
        return slot;
    uint64_t *copy = arena_alloc(table->arena, KEY_NUMBERS * sizeof *copy);
    memcpy(copy, key, KEY_NUMBERS * sizeof *copy);
    slot->content = copy;
    slot->value = UINT64_MAX;
    table->slot_count++;
    return slot;
}

uint32_t symbol_product(struct form_table *table, uint32_t a, uint32_t b) {
    if (a > b)
        return symbol_product(table, b, a);
    if (a == b && table->symbols.data[a].high <= 1)
        return a;
    const uint64_t key[KEY_NUMBERS] = {SYMBOL_PRODUCT, a, b};
    struct form_slot *slot = find_function(table, key);
    if (slot->value != UINT64_MAX)
        return (uint32_t)slot->value;
    const struct symbol x = table->symbols.data[a], y = table->symbols.data[b];
    struct symbol product = {.kind = SYMBOL_PRODUCT,
                             .is_uniform = x.is_uniform && y.is_uniform,
                             .zeros = x.zeros + y.zeros > 63 ? 63 : x.zeros + y.zeros,
                             .high = ~0ull,
                             .origin = x.is_uniform ? y.origin : x.origin,
                             .instruction = x.is_uniform ? y.instruction : x.instruction,
                             .function = x.is_uniform ? y.function : x.function,
                             .factors = {a, b}};
    uint64_t high;
    if (!__builtin_mul_overflow(x.high, y.high, &high)) {
        product.low = x.low * y.low;
        product.high = high;
    }
    slot->value = symbol_add(table, &product);
    return (uint32_t)slot->value;
}

uint32_t symbol_row(struct form_table *table, const struct symbol *limits, enum ir_value row,
                    uint32_t immediate, const struct form *const *operands, unsigned count) {
    uint64_t key[KEY_NUMBERS] = {SYMBOL_ROW,    row,         immediate,   count,
                                 limits->zeros, limits->low, limits->high};
    for (unsigned i = 0; i < count; i++)
        key[7 + i] = (uint64_t)(uintptr_t)operands[i];
    struct form_slot *slot = find_function(table, key);
    if (slot->value != UINT64_MAX)
        return (uint32_t)slot->value;
    struct symbol made = {.kind = SYMBOL_ROW,
                          .is_uniform = true,
                          .zeros = limits->zeros,
                          .low = limits->low,
                          .high = limits->high,
                          .row = row,
                          .immediate = immediate,
                          .operand_count = count,
                          .instruction = UINT32_MAX};
    for (unsigned i = 0; i < count; i++) {
        made.operands[i] = operands[i];
        made.is_uniform &= form_is_uniform(table, operands[i]);
        for (unsigned t = 0; t < operands[i]->count; t++) {
            const struct symbol *of = form_symbol_of(table, operands[i]->terms[t].symbol);
            if (made.origin == ORIGIN_NONE || !of->is_uniform) {
                made.origin = of->origin;
                made.instruction = of->instruction;
                made.function = of->function;
            }
        }
    }
    slot->value = symbol_add(table, &made);
    return (uint32_t)slot->value;
}

// ---- Making ---------------------------------------------------------------------------------

const struct form *form_concrete(struct form_table *table, unsigned bits,
                                 const uint64_t numbers[FORM_LANES]) {
    struct draft draft;
    draft_begin(&draft, bits);
    memcpy(draft.base, numbers, sizeof draft.base);
    return draft_finish(table, &draft);
}

const struct form *form_constant(struct form_table *table, unsigned bits, uint64_t number) {
    return form_concrete(table, bits, form_same_lanes(table, number));
}

const struct form *form_of_symbol(struct form_table *table, unsigned bits, uint32_t symbol) {
    struct draft draft;
    draft_begin(&draft, bits);
    draft_add_factor(&draft, symbol, table->one);
    return draft_finish(table, &draft);
}

static unsigned fewest(unsigned a, unsigned b) {
    return a < b ? a : b;
}

const struct form *form_add(struct form_table *table, const struct form *a, const struct form *b) {
    struct draft draft;
    draft_begin(&draft, fewest(a->bits, b->bits));
    draft_add(&draft, a);
    draft_add(&draft, b);
    return draft_finish(table, &draft);
}

const struct form *form_subtract(struct form_table *table, const struct form *a,
                                 const struct form *b) {
    struct draft draft;
    draft_begin(&draft, fewest(a->bits, b->bits));
    draft_add(&draft, a);
    draft_add_scaled(&draft, b, form_same_lanes(table, ~0ull));
    return draft_finish(table, &draft);
}

const struct form *form_complement(struct form_table *table, const struct form *a) {
    return form_subtract(table, form_constant(table, 64, 1), a);
}

const struct form *form_scale(struct form_table *table, const struct form *a, form_lanes by) {
    struct draft draft;
    draft_begin(&draft, a->bits);
    draft_add_scaled(&draft, a, by);
    return draft_finish(table, &draft);
}

const struct form *form_multiply(struct form_table *table, const struct form *a,
                                 const struct form *b) {
    struct draft draft;
    draft_begin(&draft, fewest(a->bits, b->bits));
    uint64_t by[FORM_LANES];
    draft_add_scaled(&draft, a, b->base);
    for (unsigned t = 0; t < b->count; t++) {
        for (int l = 0; l < FORM_LANES; l++)
            by[l] = a->base[l] * b->terms[t].by[l];
        draft_add_term(&draft, b->terms[t].symbol, by);
        for (unsigned u = 0; u < a->count; u++) {
            for (int l = 0; l < FORM_LANES; l++)
                by[l] = a->terms[u].by[l] * b->terms[t].by[l];
            if (cut_lanes(by, form_mask(draft.bits)))
                draft_add_term(&draft,
                               symbol_product(table, a->terms[u].symbol, b->terms[t].symbol), by);
        }
    }
    return draft_finish(table, &draft);
}

const struct form *form_select(struct form_table *table, uint32_t mask, const struct form *a,
                               const struct form *b) {
    if (a == b || mask == UINT32_MAX)
        return a;
    if (mask == 0)
        return b;
    struct draft draft;
    draft_begin(&draft, fewest(a->bits, b->bits));
    uint64_t first[FORM_LANES], second[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++) {
        first[l] = mask >> l & 1;
        second[l] = !first[l];
    }
    draft_add_scaled(&draft, a, first);
    draft_add_scaled(&draft, b, second);
    return draft_finish(table, &draft);
}

const struct form *form_cut(struct form_table *table, const struct form *a, unsigned bits) {
    if (a->bits <= bits)
        return a;
    struct draft draft;
    draft_begin(&draft, bits);
    draft_add(&draft, a);
    return draft_finish(table, &draft); // no more terms than there were
}

const struct form *form_gather(struct form_table *table, const struct form *a,
                               const uint8_t from[FORM_LANES]) {
    struct draft draft;
    draft_begin(&draft, a->bits);
    uint64_t by[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++)
        draft.base[l] = a->base[from[l]];
    for (unsigned t = 0; t < a->count; t++) {
        for (int l = 0; l < FORM_LANES; l++)
            by[l] = a->terms[t].by[from[l]];
        draft_add_term(&draft, a->terms[t].symbol, by);
    }
    return draft_finish(table, &draft);
}

const struct form *form_spread(struct form_table *table, const struct form *a, uint32_t mask) {
    uint8_t from[FORM_LANES];
    if (mask == UINT32_MAX || mask == 0)
        return a;
    for (int l = 0; l < FORM_LANES; l++)
        from[l] = (uint8_t)(mask >> l & 1 ? l : __builtin_ctz(mask));
    return form_gather(table, a, from);
}

// As a signed number of `bits`.
static uint64_t extend(uint64_t number, unsigned bits) {
    const unsigned unused = 64 - bits;
    return (uint64_t)((int64_t)(number << unused) >> unused);
}

const struct form *form_widen(struct form_table *table, const struct form *a, unsigned bits) {
    struct draft draft;
    draft_begin(&draft, bits);
    uint64_t by[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++)
        draft.base[l] = extend(a->base[l], a->bits);
    for (unsigned t = 0; t < a->count; t++) {
        for (int l = 0; l < FORM_LANES; l++)
            by[l] = extend(a->terms[t].by[l], a->bits);
        draft_add_term(&draft, a->terms[t].symbol, by);
    }
    return draft_finish(table, &draft);
}

const struct form *form_without_low(struct form_table *table, const struct form *a, unsigned low) {
    struct draft draft;
    draft_begin(&draft, a->bits);
    draft_add(&draft, a);
    for (int l = 0; l < FORM_LANES; l++)
        draft.base[l] &= ~form_mask(low);
    return draft_finish(table, &draft);
}

// The factor times the symbol is divisible by 2^by, but the factor alone need not be: then it is
// the symbol that must be divided, which is not done here.
const struct form *form_shift_down(struct form_table *table, const struct form *a, unsigned by) {
    struct draft draft;
    draft_begin(&draft, a->bits - by);
    uint64_t factors[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++)
        draft.base[l] = a->base[l] >> by;
    for (unsigned t = 0; t < a->count; t++) {
        for (int l = 0; l < FORM_LANES; l++) {
            if (a->terms[t].by[l] & form_mask(by))
                return NULL;
            factors[l] = a->terms[t].by[l] >> by;
        }
        draft_add_term(&draft, a->terms[t].symbol, factors);
    }
    return draft_finish(table, &draft);
}

// ---- Asking ---------------------------------------------------------------------------------

void symbol_bounds(const struct form_table *table, uint32_t symbol, uint64_t *low, uint64_t *high) {
    const struct symbol *of = form_symbol_of(table, symbol);
    uint64_t lows[2], highs[2], product;
    *low = of->now_low;
    *high = of->now_high;
    if (of->kind != SYMBOL_PRODUCT)
        return;
    for (int i = 0; i < 2; i++)
        symbol_bounds(table, of->factors[i], &lows[i], &highs[i]);
    if (__builtin_mul_overflow(highs[0], highs[1], &product))
        return;
    *high = product < *high ? product : *high;
    *low = lows[0] * lows[1] > *low ? lows[0] * lows[1] : *low;
}

bool form_is_same(form_lanes lanes) {
    for (int l = 1; l < FORM_LANES; l++)
        if (lanes[l] != lanes[0])
            return false;
    return true;
}

bool form_is_uniform(const struct form_table *table, const struct form *a) {
    for (unsigned t = 0; t < a->count; t++)
        if (!form_symbol_of(table, a->terms[t].symbol)->is_uniform || !form_is_same(a->terms[t].by))
            return false;
    return form_is_same(a->base);
}

static unsigned lane_zeros(form_lanes lanes) {
    uint64_t any = 0;
    for (int l = 0; l < FORM_LANES; l++)
        any |= lanes[l];
    return any ? (unsigned)__builtin_ctzll(any) : 64;
}

unsigned form_term_zeros(const struct form_table *table, const struct form *a) {
    unsigned zeros = a->bits;
    for (unsigned t = 0; t < a->count; t++)
        zeros = fewest(zeros, lane_zeros(a->terms[t].by) +
                                  form_symbol_of(table, a->terms[t].symbol)->zeros);
    return zeros;
}

unsigned form_zeros(const struct form_table *table, const struct form *a) {
    return fewest(form_term_zeros(table, a), lane_zeros(a->base));
}

const char *origin_words(enum symbol_origin origin) {
    switch (origin) {
    case ORIGIN_WARP:
        return "depends on the warp";
    case ORIGIN_BLOCK:
        return "depends on the index of the block";
    case ORIGIN_GRID:
        return "depends on the size of the grid";
    case ORIGIN_PARAMETER:
        return "depends on a parameter of the kernel";
    case ORIGIN_VARIABLE:
        return "depends on the address of a variable";
    case ORIGIN_LOAD:
        return PROFILE_LOADED;
    case ORIGIN_LOOP:
        return "changes from round to round of a loop";
    case ORIGIN_PATH:
        return "depends on which way the kernel goes";
    case ORIGIN_CALL:
        return "comes from a function that is called";
    default:
        return "computed in a way that is not followed";
    }
}
