// Rows of value.def on forms, each against the row on numbers: whatever the symbols of a form are,
// the form that prove/transfer.h makes is what the row computes in each lane, and lies within its
// bounds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "prove/transfer.h"
#include "random_bits.h"

enum { SYMBOLS = 4, ROUNDS = 150, CHOICES = 4, MOST_SYMBOLS = 4096 };

// ---- Values of symbols ----------------------------------------------------------------------

struct world {
    struct form_table table;
    uint32_t symbols[SYMBOLS]; // the unknown ones
    uint64_t values[SYMBOLS][FORM_LANES];
    bool *is_open; // set where a symbol is met that a row made: it may be anything
};

static uint64_t value_of(const struct world *world, const struct form *a, unsigned lane);

static uint64_t value_of_symbol(const struct world *world, uint32_t symbol, unsigned lane) {
    const struct symbol *of = form_symbol_of(&world->table, symbol);
    if (of->kind == SYMBOL_PRODUCT)
        return value_of_symbol(world, of->factors[0], lane) *
               value_of_symbol(world, of->factors[1], lane);
    if (of->kind == SYMBOL_ROW) {
        struct ir_lane run = {0};
        for (unsigned i = 0; i < of->operand_count; i++)
            run.in[i] = value_of(world, of->operands[i], lane);
        ir_value_run(of->row, of->immediate, &run);
        return run.out[0];
    }
    for (unsigned s = 0; s < SYMBOLS; s++)
        if (world->symbols[s] == symbol)
            return world->values[s][lane];
    *world->is_open = true;
    return of->low;
}

static uint64_t value_of(const struct world *world, const struct form *a, unsigned lane) {
    uint64_t sum = a->base[lane];
    for (unsigned t = 0; t < a->count; t++)
        sum += a->terms[t].by[lane] * value_of_symbol(world, a->terms[t].symbol, lane);
    return sum & form_mask(a->bits);
}

// ---- Random forms ---------------------------------------------------------------------------

static uint64_t random_number(void) {
    const uint64_t rest = random_bits();
    switch (random_bits() % 6) {
    case 0:
        return rest % 8;
    case 1:
        return rest % 128;
    case 2:
        return 1ull << rest % 64;
    case 3:
        return -(rest % 40);
    case 4:
        return rest % 128 * 4;
    default:
        return rest >> random_bits() % 64;
    }
}

static void begin(struct world *world) {
    form_table_init(&world->table);
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const unsigned zeros = random_bits() % 3 ? 0 : (unsigned)(random_bits() % 6);
        const uint64_t step = 1ull << zeros;
        const uint64_t low = random_bits() % 2 ? 0 : random_bits() % 100 * step;
        const uint64_t high =
            random_bits() % 3 ? low + random_bits() % 200 * step : (uint64_t)UINT32_MAX;
        const struct symbol symbol = {.is_uniform = s > 0,
                                      .zeros = zeros,
                                      .low = low,
                                      .high = high,
                                      .origin = ORIGIN_PARAMETER,
                                      .instruction = UINT32_MAX};
        world->symbols[s] = symbol_add(&world->table, &symbol);
    }
}

static void choose_values(struct world *world) {
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const struct symbol *symbol = form_symbol_of(&world->table, world->symbols[s]);
        const uint64_t step = 1ull << symbol->zeros;
        for (unsigned l = 0; l < FORM_LANES; l++) {
            const uint64_t steps = (symbol->high - symbol->low) / step + 1;
            const uint64_t chosen = (random_bits() % 4 ? random_bits() : random_bits() % 4) % steps;
            world->values[s][l] =
                symbol->is_uniform && l ? world->values[s][0] : symbol->low + chosen * step;
        }
    }
}

static void random_lanes(uint64_t lanes[FORM_LANES]) {
    const uint64_t first = random_number(), stride = random_bits() % 2 ? random_number() : 0;
    for (unsigned l = 0; l < FORM_LANES; l++)
        lanes[l] = first + l * stride;
    if (random_bits() % 8 == 0)
        lanes[random_bits() % FORM_LANES] = random_number();
}

// As a register of this kind holds it.
static const struct form *random_form(struct world *world, enum ir_kind kind) {
    struct form_table *table = &world->table;
    const unsigned bits = transfer_bits(kind) == 64 ? 64 : 32;
    uint64_t lanes[FORM_LANES];
    random_lanes(lanes);
    if (kind == IR_KIND_pred)
        for (unsigned l = 0; l < FORM_LANES; l++)
            lanes[l] &= 1;
    const struct form *sum = form_concrete(table, bits, lanes);
    if (kind == IR_KIND_pred)
        return sum;
    for (unsigned t = 0; t < random_bits() % 3; t++) {
        random_lanes(lanes);
        if (random_bits() % 2)
            memcpy(lanes, form_same_lanes(table, 1ull << random_bits() % 7), sizeof lanes);
        const struct form *term =
            form_scale(table, form_of_symbol(table, bits, world->symbols[random_bits() % SYMBOLS]),
                       form_intern_lanes(table, lanes));
        sum = form_add(table, sum, term);
    }
    return sum;
}

// ---- Checks ---------------------------------------------------------------------------------

static wide_int number_in(uint64_t value, unsigned bits, bool is_signed) {
    const unsigned unused = 64 - bits;
    return is_signed ? (wide_int)((int64_t)(value << unused) >> unused)
                     : (wide_int)(value & form_mask(bits));
}

static void check_bounds(const struct world *world, const struct form *a, unsigned lane,
                         const char *name) {
    const uint64_t value = value_of(world, a, lane);
    for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
        const struct range range = range_of_lane(&world->table, a, a->bits, is_signed, lane);
        const wide_int number = number_in(value, a->bits, is_signed);
        if (range.is_known && (number < range.low || number > range.high))
            fail_msg("%s: a value of %llx is out of its range", name, (unsigned long long)value);
    }
    if (value & ~range_ones(&world->table, a, a->bits))
        fail_msg("%s: %llx has bits that it cannot have", name, (unsigned long long)value);
    if (value & form_mask(form_zeros(&world->table, a)))
        fail_msg("%s: %llx has not as many low zeros", name, (unsigned long long)value);
    for (unsigned t = 0; t < a->count; t++) {
        const struct symbol *of = form_symbol_of(&world->table, a->terms[t].symbol);
        const uint64_t is = value_of_symbol(world, a->terms[t].symbol, lane);
        if (is < of->low || is > of->high || is & form_mask(of->zeros))
            fail_msg("%s: a symbol of %llx is not from %llx to %llx with %u zeros", name,
                     (unsigned long long)is, (unsigned long long)of->low,
                     (unsigned long long)of->high, of->zeros);
    }
}

static void check_lane(const struct world *world, const struct transfer *transfer,
                       const struct form *result, unsigned lane) {
    uint64_t in[FORM_OPERANDS] = {0};
    for (unsigned i = 0; i < transfer->count; i++)
        in[i] = value_of(world, transfer->in[i], lane);
    const uint64_t expected = transfer_run(transfer, in) & form_mask(result->bits);
    *world->is_open = false;
    const uint64_t is = value_of(world, result, lane);
    if (*world->is_open)
        return;
    if (is != expected)
        fail_msg("%s(%llx, %llx, %llx, %llx) is %llx in lane %u, its form says %llx",
                 transfer->row->name, (unsigned long long)in[0], (unsigned long long)in[1],
                 (unsigned long long)in[2], (unsigned long long)in[3], (unsigned long long)expected,
                 lane, (unsigned long long)is);
    check_bounds(world, result, lane, transfer->row->name);
}

static bool is_checked(const struct ir_value_row *row) {
    if (row->law == IR_LAW_OPAQUE || row->is_formed || row->sees_own ||
        row->operands[0] == IR_KIND_none || row->result == IR_KIND_f32 ||
        row->result == IR_KIND_f64)
        return false;
    for (unsigned i = 0; i < FORM_OPERANDS; i++)
        if (row->operands[i] == IR_KIND_f32 || row->operands[i] == IR_KIND_f64)
            return false;
    return true;
}

static void check_row(enum ir_value value) {
    const struct ir_value_row *row = ir_value_row(value);
    bool is_open;
    struct world world = {.is_open = &is_open};
    begin(&world);
    struct transfer transfer = {.table = &world.table,
                                .instruction = UINT32_MAX,
                                .value = value,
                                .row = row,
                                .immediate = (uint32_t)random_bits() & 0xff};
    while (transfer.count < FORM_OPERANDS && row->operands[transfer.count] != IR_KIND_none)
        transfer.count++;
    for (unsigned i = 0; i < transfer.count; i++)
        transfer.in[i] = random_form(&world, row->operands[i]);
    const struct form *result = transfer_row(&transfer);
    for (unsigned n = 0; n < CHOICES; n++) {
        choose_values(&world);
        for (unsigned l = 0; l < FORM_LANES; l++)
            check_lane(&world, &transfer, result, l);
    }
    form_table_free(&world.table);
}

static void test_rows(void **state) {
    (void)state;
    unsigned rows = 0;
    for (enum ir_value value = IR_VALUE_NONE + 1; value < IR_VALUE_COUNT; value++)
        if (is_checked(ir_value_row(value))) {
            rows++;
            for (unsigned round = 0; round < ROUNDS; round++)
                check_row(value);
        }
    assert_true(rows > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
