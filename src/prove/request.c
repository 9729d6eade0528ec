// Trying what is not known of a request's addresses. See request.h.
#include "prove/request.h"

#include <string.h>

#include "bankrun/banks.h"
#include "prove/transfer.h"

enum { OFFSET_BITS = 20, MOST_DEMANDS = 64 }; // shared memory is smaller than 2^20 bytes

// ---- Which bits of which symbols matter -----------------------------------------------------

static unsigned bits_of(uint64_t number) {
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

// The low `bits` of the symbol matter. False: too many values would have to be tried.
static bool add_variable(struct request *request, uint32_t symbol, unsigned bits) {
    const struct symbol *of = form_symbol_of(request->table, symbol);
    struct request_variable *variable = NULL;
    for (unsigned i = 0; i < request->variable_count; i++)
        if (request->variables[i].symbol == symbol)
            variable = &request->variables[i];
    if (variable && (variable->is_full || variable->bits >= bits))
        return true;
    if (!variable) {
        if (request->variable_count == REQUEST_VARIABLES)
            return false;
        variable = &request->variables[request->variable_count++];
        *variable = (struct request_variable){.symbol = symbol, .count = 1};
    }
    request->trials /= variable->count;
    const unsigned zeros = of->zeros < bits ? of->zeros : bits;
    const uint64_t step = 1ull << (of->zeros < 63 ? of->zeros : 63);
    const uint64_t values = (of->high - of->low) / step + 1;
    variable->bits = bits;
    variable->step = step;
    variable->count = 1ull << (bits - zeros < 20 ? bits - zeros : 20);
    if (of->high - of->low < ~0ull && values != 0 && values <= variable->count) {
        variable->is_full = true;
        variable->first = (of->low + step - 1) / step * step;
        variable->count = variable->first > of->high ? 1 : (of->high - variable->first) / step + 1;
    }
    request->trials *= variable->count;
    return request->trials <= REQUEST_TRIALS;
}

static bool demand_form(struct request *request, const struct form *a, uint64_t wanted,
                        unsigned *patience);

// Which bits of this operand decide about the wanted ones of the result.
static uint64_t deciding_bits(const struct symbol *of, unsigned operand, uint64_t wanted) {
    const struct ir_value_row *row = ir_value_row(of->row);
    struct transfer transfer = {
        .value = of->row, .row = row, .immediate = of->immediate, .count = of->operand_count};
    const unsigned from = transfer_bits(row->operands[operand]);
    uint64_t in[FORM_OPERANDS] = {0}, bits = 0;
    for (unsigned i = 0; i < of->operand_count; i++)
        transfer.in[i] = of->operands[i];
    switch (row->law) {
    case IR_LAW_BITWISE:
        for (unsigned l = 0; l < FORM_LANES; l++) {
            bool are_known = true;
            for (unsigned i = 0; i < of->operand_count; i++) {
                are_known &= i == operand || transfer_is_known(&transfer, i);
                in[i] = of->operands[i]->base[l];
            }
            if (!are_known)
                return wanted;
            in[operand] = 0;
            const uint64_t without = transfer_run(&transfer, in);
            in[operand] = ~0ull;
            bits |= wanted & (without ^ transfer_run(&transfer, in));
        }
        return bits;
    case IR_LAW_COPY:
        return transfer_is_signed(row->operands[operand]) && bits_of(wanted) > from
                   ? form_mask(from)
                   : wanted & form_mask(from);
    case IR_LAW_LINEAR:
    case IR_LAW_PRODUCT:
        return form_mask(bits_of(wanted)) & form_mask(from);
    case IR_LAW_SHIFT_LEFT:
        return operand == 0 ? form_mask(bits_of(wanted)) & form_mask(from) : form_mask(from);
    case IR_LAW_SHIFT_RIGHT:
        if (operand > 0 || !transfer_is_constant(&transfer, 1, &in[1]) || in[1] >= from)
            return form_mask(from);
        bits = wanted << in[1];
        if (bits >> in[1] != wanted || bits & ~form_mask(from))
            bits |= 1ull << (from - 1); // the sign, which comes in at the top
        return bits & form_mask(from);
    case IR_LAW_ROUTE:
        for (unsigned i = 1; i < of->operand_count; i++)
            if (!transfer_is_constant(&transfer, i, &in[i]))
                return form_mask(from);
        if (operand > 0)
            return 0;
        for (unsigned n = 0; n < from; n++) {
            in[0] = 1ull << n;
            bits |= transfer_run(&transfer, in) & wanted ? in[0] : 0;
        }
        return bits;
    default:
        return form_mask(from);
    }
}

static bool demand_symbol(struct request *request, uint32_t symbol, uint64_t wanted,
                          unsigned *patience) {
    const struct symbol of = *form_symbol_of(request->table, symbol);
    const unsigned bits = bits_of(wanted) < bits_of(of.high) ? bits_of(wanted) : bits_of(of.high);
    if (!wanted || bits == 0)
        return true;
    if (of.is_uniform && !(request->is_deep && of.kind != SYMBOL_UNKNOWN))
        return add_variable(request, symbol, bits);
    if (of.kind == SYMBOL_UNKNOWN || !--*patience)
        return false;
    if (of.kind == SYMBOL_PRODUCT)
        return demand_symbol(request, of.factors[0], form_mask(bits), patience) &&
               demand_symbol(request, of.factors[1], form_mask(bits), patience);
    for (unsigned i = 0; i < of.operand_count; i++)
        if (!demand_form(request, of.operands[i], deciding_bits(&of, i, wanted & form_mask(bits)),
                         patience))
            return false;
    return true;
}

static bool demand_form(struct request *request, const struct form *a, uint64_t wanted,
                        unsigned *patience) {
    const unsigned bits = bits_of(wanted);
    for (unsigned t = 0; t < a->count; t++) {
        uint64_t any = 0;
        for (unsigned l = 0; l < FORM_LANES; l++)
            any |= a->terms[t].by[l];
        const unsigned zeros = (unsigned)__builtin_ctzll(any);
        if (zeros < bits &&
            !demand_symbol(request, a->terms[t].symbol, form_mask(bits - zeros), patience))
            return false;
    }
    return true;
}

// ---- Terms of the address -------------------------------------------------------------------

static bool is_same_in(form_lanes lanes, uint32_t mask) {
    const uint64_t first = lanes[__builtin_ctz(mask)];
    for (unsigned l = 0; l < FORM_LANES; l++)
        if ((mask >> l & 1) && lanes[l] != first)
            return false;
    return true;
}

static unsigned zeros_of(form_lanes lanes, uint32_t mask) {
    uint64_t any = 0;
    for (unsigned l = 0; l < FORM_LANES; l++)
        any |= mask >> l & 1 ? lanes[l] : 0;
    return any ? (unsigned)__builtin_ctzll(any) : 64;
}

static void make_loose(struct request *request, const struct form_term *term) {
    const unsigned zeros =
        zeros_of(term->by, request->mask) + form_symbol_of(request->table, term->symbol)->zeros;
    if (!request->is_loose || zeros < request->loose_bits) {
        request->loose_bits = zeros;
        request->loose_symbol = term->symbol;
    }
    request->is_loose = true;
    for (unsigned l = 0; l < FORM_LANES; l++)
        request->loose_lanes |= (uint32_t)(term->by[l] != 0) << l;
}

static void look_at_term(struct request *request, const struct form_term *term) {
    const struct symbol *of = form_symbol_of(request->table, term->symbol);
    const unsigned zeros = zeros_of(term->by, request->mask);
    const unsigned span_bits = (unsigned)__builtin_ctz(request->span);
    if (zeros == 64)
        return;
    if (of->is_uniform && is_same_in(term->by, request->mask)) {
        const unsigned step = zeros + of->zeros;
        if (step < (unsigned)__builtin_ctz(request->period) &&
            (!request->shift_step || 1ull << step < request->shift_step))
            request->shift_step = 1ull << step;
        return;
    }
    const struct request before = *request;
    unsigned patience = MOST_DEMANDS;
    const unsigned wanted = span_bits > zeros ? span_bits - zeros : 0;
    // What is the same for all lanes may be far away as a whole; what is not must be known exactly.
    const bool is_tried =
        of->is_uniform ? wanted == 0 || add_variable(request, term->symbol, wanted)
                       : demand_symbol(request, term->symbol, of->high ? ~0ull : 0, &patience);
    if (is_tried)
        return;
    *request = before;
    make_loose(request, term);
}

void request_begin(struct request *request, struct form_table *table, const struct form *address,
                   uint32_t mask, unsigned arch, unsigned width) {
    *request = (struct request){.table = table,
                                .address = address,
                                .mask = mask,
                                .span = arch < 50 ? 256 : 128, // the rows of 3.x have 256
                                .period = bankrun_period(arch, width),
                                .width = width,
                                .trials = 1};
    for (unsigned t = 0; t < address->count; t++)
        look_at_term(request, &address->terms[t]);
    if (address->bits < OFFSET_BITS) { // the rest of the address is not known
        if (!request->is_loose || request->loose_bits > address->bits)
            request->loose_bits = address->bits;
        request->is_loose = true;
        request->loose_lanes = mask;
    }
}

// ---- One choice -----------------------------------------------------------------------------

void request_choose(struct request *request, uint64_t n) {
    for (unsigned i = 0; i < request->variable_count; i++) {
        struct request_variable *variable = &request->variables[i];
        variable->value = variable->first + n % variable->count * variable->step;
        n /= variable->count;
    }
}

static const struct request_variable *variable_of(const struct request *request, uint32_t symbol) {
    for (unsigned i = 0; i < request->variable_count; i++)
        if (request->variables[i].symbol == symbol)
            return &request->variables[i];
    return NULL;
}

static uint64_t value_of_form(const struct request *request, const struct form *a, unsigned lane);

static uint64_t value_of_symbol(const struct request *request, uint32_t symbol, unsigned lane) {
    const struct symbol *of = form_symbol_of(request->table, symbol);
    const struct request_variable *variable = variable_of(request, symbol);
    if (variable)
        return variable->value;
    if ((of->is_uniform && !request->is_deep) || of->kind == SYMBOL_UNKNOWN)
        return 0; // none of its bits matter
    if (of->kind == SYMBOL_PRODUCT)
        return value_of_symbol(request, of->factors[0], lane) *
               value_of_symbol(request, of->factors[1], lane);
    struct ir_lane run = {0};
    for (unsigned i = 0; i < of->operand_count; i++)
        run.in[i] = value_of_form(request, of->operands[i], lane);
    ir_value_run(of->row, of->immediate, &run);
    return run.out[0];
}

static uint64_t value_of_form(const struct request *request, const struct form *a, unsigned lane) {
    uint64_t sum = a->base[lane];
    for (unsigned t = 0; t < a->count; t++)
        if (a->terms[t].by[lane])
            sum += a->terms[t].by[lane] * value_of_symbol(request, a->terms[t].symbol, lane);
    return sum & form_mask(a->bits);
}

bool request_add(struct request *request, uint32_t symbol, unsigned bits) {
    unsigned patience = MOST_DEMANDS;
    return demand_symbol(request, symbol, form_mask(bits), &patience);
}

uint64_t request_value(const struct request *request, uint32_t symbol, unsigned lane) {
    return value_of_symbol(request, symbol, lane);
}

static bool is_loose_term(const struct request *request, const struct form_term *term) {
    const struct symbol *of = form_symbol_of(request->table, term->symbol);
    if (of->is_uniform)
        return !variable_of(request, term->symbol) && !is_same_in(term->by, request->mask) &&
               zeros_of(term->by, request->mask) < (unsigned)__builtin_ctz(request->span);
    struct request copy = *request;
    unsigned patience = MOST_DEMANDS;
    return !demand_symbol(&copy, term->symbol, of->high ? ~0ull : 0, &patience) ||
           copy.variable_count != request->variable_count || copy.trials != request->trials;
}

// Lanes of one class differ by what is known exactly: their factors of symbols whose high bits are
// not known are equal.
static bool is_same_class(const struct request *request, unsigned a, unsigned b) {
    if ((request->loose_lanes >> a | request->loose_lanes >> b) & 1)
        return a == b;
    for (unsigned t = 0; t < request->address->count; t++) {
        const struct form_term *term = &request->address->terms[t];
        const struct request_variable *variable = variable_of(request, term->symbol);
        const bool is_exact = !form_symbol_of(request->table, term->symbol)->is_uniform ||
                              (variable && variable->is_full);
        if (!is_exact && term->by[a] != term->by[b])
            return false;
    }
    return true;
}

static bool term_counts(const struct request *request, const struct form_term *term) {
    const struct symbol *of = form_symbol_of(request->table, term->symbol);
    return !(of->is_uniform && is_same_in(term->by, request->mask)) &&
           !(request->is_loose && is_loose_term(request, term));
}

static uint64_t known_part(const struct request *request, unsigned lane) {
    uint64_t sum = request->address->base[lane];
    for (unsigned t = 0; t < request->address->count; t++) {
        const struct form_term *term = &request->address->terms[t];
        if (request->counts[t] && term->by[lane])
            sum += term->by[lane] * value_of_symbol(request, term->symbol, lane);
    }
    return sum;
}

uint64_t request_away_step(const struct request *request) {
    const bool is_mixed = (request->loose_lanes & request->mask) != request->mask;
    if (!request->is_loose || !is_mixed || request->loose_bits >= 32 ||
        1u << request->loose_bits >= request->span)
        return 0;
    return 1ull << (request->loose_bits > 2 ? request->loose_bits : 2);
}

// The first lane whose words' places relative to this one's are known.
static unsigned class_of(const struct request *request, unsigned lane) {
    for (unsigned other = 0; other < lane; other++)
        if ((request->mask >> other & 1) && is_same_class(request, lane, other))
            return other;
    return lane;
}

static void make_plan(struct request *request) {
    for (unsigned t = 0; t < request->address->count; t++)
        request->counts[t] = term_counts(request, &request->address->terms[t]);
    request->is_one_class = true;
    for (unsigned l = 0; l < FORM_LANES; l++) {
        if (!(request->mask >> l & 1))
            continue;
        request->classes[l] = (uint8_t)class_of(request, l);
        request->is_one_class &= request->classes[l] == (unsigned)__builtin_ctz(request->mask);
    }
    request->has_plan = true;
}

// In each bank the n-th word of one class is the n-th of every other.
static void put_together(const struct request *request, uint32_t offsets[FORM_LANES]) {
    const uint8_t *classes = request->classes;
    uint32_t ranks[FORM_LANES] = {0};
    for (unsigned a = 0; a < FORM_LANES; a++) {
        if (!(request->mask >> a & 1))
            continue;
        uint32_t below[FORM_LANES];
        for (unsigned b = 0; b < FORM_LANES; b++) {
            const bool counts = (request->mask >> b & 1) && classes[a] == classes[b] &&
                                offsets[b] % request->span == offsets[a] % request->span &&
                                offsets[b] < offsets[a];
            bool is_new = counts;
            for (unsigned i = 0; i < ranks[a] && is_new; i++)
                is_new = below[i] != offsets[b];
            if (is_new)
                below[ranks[a]++] = offsets[b];
        }
    }
    for (unsigned l = 0; l < FORM_LANES; l++)
        offsets[l] = offsets[l] % request->span + ranks[l] * request->span;
}

bool request_offsets(struct request *request, uint64_t shift, uint64_t away, enum request_way way,
                     uint32_t offsets[FORM_LANES]) {
    const unsigned span_bits = (unsigned)__builtin_ctz(request->span);
    if (!request->has_plan)
        make_plan(request);
    memset(offsets, 0, FORM_LANES * sizeof *offsets);
    for (unsigned l = 0; l < FORM_LANES; l++) {
        if (!(request->mask >> l & 1))
            continue;
        uint64_t offset = known_part(request, l) + shift;
        if (request->loose_lanes >> l & 1 && request->loose_bits < span_bits)
            offset =
                (offset & form_mask(request->loose_bits) & ~(uint64_t)(request->width - 1)) + away;
        offsets[l] = (uint32_t)(offset & form_mask(OFFSET_BITS));
    }
    if (request->is_one_class)
        return true;
    if (way == REQUEST_TOGETHER)
        put_together(request, offsets);
    for (unsigned l = 0; l < FORM_LANES; l++) {
        if (way == REQUEST_MERGED)
            offsets[l] %= request->span;
        else if (way == REQUEST_APART)
            offsets[l] += (uint32_t)request->classes[l] << OFFSET_BITS;
    }
    return false;
}
