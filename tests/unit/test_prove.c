// Rows of value.def on forms, each against the row on numbers: whatever the symbols of a form are,
// the form that prove/transfer.h makes is what the row computes in each lane, and lies within its
// bounds. Conditions that lanes have come by narrow these bounds, and those of sums, but leave no
// value out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "prove/facts.h"
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

// ---- Facts ----------------------------------------------------------------------------------

static const enum ir_value comparisons[] = {IR_VALUE_lt_u32, IR_VALUE_lt_s32, IR_VALUE_lt_u64,
                                            IR_VALUE_lt_s64, IR_VALUE_eq_32};

static const struct form *random_comparison(struct world *world) {
    const enum ir_value value =
        comparisons[random_bits() % (sizeof comparisons / sizeof *comparisons)];
    struct transfer transfer = {.table = &world->table,
                                .instruction = UINT32_MAX,
                                .value = value,
                                .row = ir_value_row(value),
                                .count = 2};
    for (unsigned i = 0; i < 2; i++)
        transfer.in[i] = random_form(world, transfer.row->operands[i]);
    return transfer_row(&transfer);
}

// One comparison, or several that are combined.
static const struct form *random_guard(struct world *world) {
    struct form_table *table = &world->table;
    const struct form *guard = random_comparison(world);
    while (random_bits() % 3 == 0) {
        const struct form *other = random_comparison(world);
        if (random_bits() % 2)
            other = form_complement(table, other);
        const struct form *both = transfer_combine(
            table, random_bits() % 2 ? IR_COMPARE_AND : IR_COMPARE_OR, guard, other);
        if (!both)
            break;
        guard = both;
    }
    return random_bits() % 3 ? guard : form_complement(table, guard);
}

static uint32_t open_lanes(const struct form *guard) {
    uint32_t open = 0;
    for (unsigned l = 0; l < FORM_LANES; l++)
        for (unsigned t = 0; t < guard->count; t++)
            open |= (uint32_t)(guard->terms[t].by[l] != 0) << l;
    return open;
}

static wide_int value_of_linear(const struct world *world, const struct linear *sum,
                                unsigned lane) {
    wide_int value = sum->base;
    for (unsigned t = 0; t < sum->count; t++)
        value += sum->terms[t].by * (wide_int)value_of_symbol(world, sum->terms[t].symbol, lane);
    return value;
}

// What the facts say of a lane that has come by all of them.
static unsigned check_facts(struct world *world, const struct fact *facts, unsigned lane) {
    unsigned narrowed = 0;
    facts_enter(&world->table, facts);
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const struct symbol *of = form_symbol_of(&world->table, world->symbols[s]);
        const uint64_t value = world->values[s][lane];
        narrowed += of->now_low > of->low || of->now_high < of->high;
        if (value < of->now_low || value > of->now_high)
            fail_msg("a symbol of %llu is not from %llu to %llu", (unsigned long long)value,
                     (unsigned long long)of->now_low, (unsigned long long)of->now_high);
    }
    struct linear sum;
    linear_of_sum(random_form(world, IR_KIND_u32), lane, &sum);
    const wide_int span = (wide_int)1 << 32;
    const struct range range = facts_range(&world->table, facts, &sum, 32, lane);
    wide_int value = value_of_linear(world, &sum, lane);
    value -= (value - range.low) / span * span; // modulo 2^32
    value += value < range.low ? span : 0;
    if (range.is_known && value > range.high)
        fail_msg("a sum of %lld is not from %lld to %lld", (long long)value, (long long)range.low,
                 (long long)range.high);
    facts_enter(&world->table, NULL);
    return narrowed;
}

// Lanes go the way of one of them, branch after branch; the others stay behind.
static unsigned follow_branches(struct world *world) {
    const struct fact *facts = NULL;
    uint32_t there = UINT32_MAX, may = UINT32_MAX;
    const unsigned leader = (unsigned)random_bits() % FORM_LANES;
    unsigned narrowed = 0;
    choose_values(world);
    for (unsigned branches = 1 + (unsigned)random_bits() % 3; branches; branches--) {
        facts_enter(&world->table, facts);
        const struct form *guard = random_guard(world);
        const uint32_t open = open_lanes(guard) & may;
        const bool value = value_of(world, guard, leader) & 1;
        for (unsigned l = 0; l < FORM_LANES; l++) {
            const bool goes = (value_of(world, guard, l) & 1) == value;
            if (!goes)
                there &= ~(1u << l);
            if (!goes && !(open >> l & 1))
                may &= ~(1u << l);
        }
        facts = facts_branch(&world->table, facts, guard, open & may, may, value);
    }
    *world->is_open = false;
    for (uint32_t left = there; left; left &= left - 1)
        narrowed += check_facts(world, facts, (unsigned)__builtin_ctz(left));
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const struct symbol *of = form_symbol_of(&world->table, world->symbols[s]);
        assert_true(of->now_low == of->low && of->now_high == of->high);
    }
    return narrowed;
}

static void test_facts(void **state) {
    (void)state;
    unsigned narrowed = 0;
    for (unsigned round = 0; round < 4000; round++) {
        bool is_open;
        struct world world = {.is_open = &is_open};
        begin(&world);
        narrowed += follow_branches(&world);
        form_table_free(&world.table);
    }
    assert_true(narrowed > 5000);
}

// The table's symbols from `low` to `high` where the row of x and the number is `holds`.
static void check_narrowed(enum ir_value row, bool swaps, uint64_t number, bool holds, uint64_t low,
                           uint64_t high) {
    struct form_table table;
    form_table_init(&table);
    const uint32_t x = symbol_unknown(&table, false, UINT32_MAX, ORIGIN_LOAD, UINT32_MAX);
    struct transfer transfer = {.table = &table,
                                .instruction = UINT32_MAX,
                                .value = row,
                                .row = ir_value_row(row),
                                .count = 2};
    transfer.in[swaps] = form_of_symbol(&table, 32, x);
    transfer.in[!swaps] = form_constant(&table, 32, number);
    const struct form *guard = transfer_row(&transfer);
    const struct fact *facts = facts_branch(&table, NULL, guard, UINT32_MAX, UINT32_MAX, holds);
    facts_enter(&table, facts);
    assert_int_equal(form_symbol_of(&table, x)->now_low, low);
    assert_int_equal(form_symbol_of(&table, x)->now_high, high);
    form_table_free(&table);
}

static void test_bounds(void **state) {
    (void)state;
    check_narrowed(IR_VALUE_lt_u32, false, 100, true, 0, 99);
    check_narrowed(IR_VALUE_lt_u32, false, 100, false, 100, UINT32_MAX);
    check_narrowed(IR_VALUE_lt_u32, true, 100, true, 101, UINT32_MAX);
    check_narrowed(IR_VALUE_lt_u32, true, 100, false, 0, 100);
    // Signed: what is below 0 lies above as an unsigned number.
    check_narrowed(IR_VALUE_lt_s32, false, 100, false, 100, INT32_MAX);
    check_narrowed(IR_VALUE_lt_s32, false, 100, true, 0, UINT32_MAX);
    check_narrowed(IR_VALUE_lt_s32, false, 0, true, 1ull << 31, UINT32_MAX);
    check_narrowed(IR_VALUE_eq_32, false, 7, true, 7, 7);
    check_narrowed(IR_VALUE_eq_32, false, 0, false, 1, UINT32_MAX);
    check_narrowed(IR_VALUE_eq_32, false, UINT32_MAX, false, 0, UINT32_MAX - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_facts),
                                       cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
