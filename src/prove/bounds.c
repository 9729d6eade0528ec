// Whether accesses stay inside of the array that they are made to, and begin where accesses of
// their width may.
#include "prove/walk.h"

// ---- Arrays ---------------------------------------------------------------------------------

struct extent {                      // of shared memory
    const struct ir_variable *array; // NULL: all of it
    wide_int begin, end;
    bool has_end;
};

static struct extent extent_of(const struct walker *walker, const struct ir_variable *array) {
    const struct ir_shared_layout *layout = walker->layout;
    const struct prove_launch *launch = walker->launch;
    for (uint32_t i = 0; array && i < layout->variable_count; i++) {
        const struct ir_variable *at = layout->variables[i];
        if (at->ptx != array->ptx)
            continue;
        const bool is_dynamic = at->ptx->is_unsized;
        return (struct extent){at, at->offset,
                               at->offset + (is_dynamic ? launch->dynamic_bytes : at->ptx->bytes),
                               !is_dynamic || launch->has_dynamic};
    }
    bool has_dynamic = false;
    for (uint32_t i = 0; i < layout->variable_count; i++)
        has_dynamic |= layout->variables[i]->ptx->is_unsized;
    return (struct extent){NULL, 0,
                           ir_shared_bytes(layout, launch->has_dynamic ? launch->dynamic_bytes : 0),
                           launch->has_dynamic || (!has_dynamic && layout->variable_count > 0)};
}

// The array that all of the bytes are in, if there is one.
static struct extent extent_around(const struct walker *walker, const struct range *range,
                                   unsigned width) {
    for (uint32_t i = 0; i < walker->layout->variable_count; i++) {
        const struct extent extent = extent_of(walker, walker->layout->variables[i]);
        if (extent.has_end && range->low >= extent.begin && range->high + width <= extent.end)
            return extent;
    }
    return extent_of(walker, NULL);
}

// ---- Lanes ----------------------------------------------------------------------------------

// As near to the beginning of shared memory as can be: addresses are modulo 2^bits.
static struct range brought_near(struct range range, unsigned bits) {
    const wide_int span = (wide_int)1 << bits, half = span / 2;
    if (!range.is_known)
        return range;
    wide_int away = range.low / span * span;
    if (range.low - away >= half)
        away += span;
    else if (range.low - away < -half)
        away -= span;
    return (struct range){true, range.low - away, range.high - away};
}

static bool is_inside(const struct reach *reach, const struct extent *extent,
                      const struct range *range) {
    return range->is_known && extent->has_end && range->low >= extent->begin &&
           range->high + reach->width <= extent->end;
}

// Wherever it is, it is not inside; offsets behind the middle of what addresses can be are before
// the first byte as well as behind the last.
static bool is_outside(const struct extent *extent, const struct range *range, unsigned width,
                       unsigned bits) {
    const wide_int half = (wide_int)1 << (bits - 1);
    if (!range->is_known || range->low < -half || range->high >= half)
        return false;
    return range->high < extent->begin || (extent->has_end && range->low + width > extent->end);
}

static struct range lane_range(struct walker *walker, const struct reach *reach,
                               const struct extent *extent, unsigned lane) {
    const struct prove_bounds *bounds = &walker->sites[reach->site].bounds;
    struct linear sum;
    linear_of_sum(reach->address, lane, &sum);
    const struct range plain =
        brought_near(linear_range(&walker->table, &sum), reach->address->bits);
    const bool is_lost = bounds->fit >= PROVE_FIT_UNKNOWN && !bounds->has_reach;
    if (is_inside(reach, extent, &plain) || !sum.count || is_lost) // more is of no use
        return plain;
    return brought_near(facts_range(&walker->table, reach->facts, &sum, reach->address->bits, lane),
                        reach->address->bits);
}

// The term that can move the access the farthest.
static const struct symbol *widest(const struct walker *walker, const struct form *address,
                                   unsigned lane) {
    const struct symbol *found = NULL;
    wide_int most = -1;
    for (unsigned t = 0; t < address->count; t++) {
        const wide_int by = range_signed(address->terms[t].by[lane], address->bits);
        uint64_t low, high;
        symbol_bounds(&walker->table, address->terms[t].symbol, &low, &high);
        wide_int moves = (by < 0 ? -by : by) >> 1;
        moves = moves * (wide_int)((high - low) >> 1);
        if (by && moves > most) {
            most = moves;
            found = form_symbol_of(&walker->table, address->terms[t].symbol);
        }
    }
    return found;
}

static void name_thread(struct walker *walker, unsigned lane, uint32_t thread[3]) {
    for (unsigned axis = 0; axis < 3; axis++)
        thread[axis] = walk_thread_index(walker, lane, axis);
}

// ---- Bounds ---------------------------------------------------------------------------------

static void give_up(struct prove_bounds *bounds, const char *what, const struct symbol *of,
                    const struct code *code) {
    // That nobody knows the size is the least of reasons.
    if (bounds->fit >= PROVE_FIT_UNKNOWN && !(bounds->lacks_size && bounds->fit < PROVE_MISFITS))
        return;
    bounds->fit = PROVE_FIT_UNKNOWN;
    bounds->what = of     ? origin_words(of->origin)
                   : what ? what
                          : "computed in a way that is not followed";
    bounds->instruction = of ? of->instruction : IR_NONE;
    bounds->function = symbol_maker(of, code->function);
    bounds->is_final = of ? of->origin == ORIGIN_LOAD : what != NULL;
    bounds->lacks_size = false;
}

// ---- Parameters that have to do with it -----------------------------------------------------

struct parameter_search {
    const struct walker *walker;
    struct prove_bounds *bounds;
    unsigned left; // symbols that may still be looked at
};

enum { MOST_OPERANDS = 3, MOST_SYMBOLS = 400 }; // of operands of operands; of one access

static void add_parameter(const struct parameter_search *search, uint32_t symbol) {
    struct prove_bounds *bounds = search->bounds;
    for (size_t i = 0; i < search->walker->parameters.length; i++) {
        const struct parameter *known = &search->walker->parameters.data[i];
        bool is_new = known->form->count == 1 && known->form->terms[0].symbol == symbol &&
                      8 * known->bytes == known->form->bits &&
                      bounds->parameter_count < PROVE_PARAMETERS;
        for (unsigned p = 0; p < bounds->parameter_count; p++)
            is_new &= bounds->parameters[p].offset != known->offset;
        if (is_new)
            bounds->parameters[bounds->parameter_count++] =
                (struct prove_assumption){.offset = known->offset, .bytes = known->bytes};
    }
}

static void add_parameters(struct parameter_search *search, const struct form *a, unsigned depth);

static void add_parameters_of(struct parameter_search *search, uint32_t symbol, unsigned depth) {
    const struct symbol *of = form_symbol_of(&search->walker->table, symbol);
    if (search->left == 0)
        return;
    search->left--;
    if (of->origin == ORIGIN_PARAMETER)
        add_parameter(search, symbol);
    for (unsigned i = 0; of->kind == SYMBOL_PRODUCT && i < 2; i++)
        add_parameters_of(search, of->factors[i], depth);
    for (unsigned i = 0; of->kind == SYMBOL_ROW && depth && i < of->operand_count; i++)
        add_parameters(search, of->operands[i], depth - 1);
}

static void add_parameters(struct parameter_search *search, const struct form *a, unsigned depth) {
    for (unsigned t = 0; t < a->count; t++)
        add_parameters_of(search, a->terms[t].symbol, depth);
}

static void find_parameters(const struct walker *walker, const struct reach *reach,
                            struct prove_bounds *bounds) {
    struct parameter_search search = {walker, bounds, MOST_SYMBOLS};
    add_parameters(&search, reach->address, MOST_OPERANDS);
    for (const struct fact *at = reach->facts; at && search.left; at = at->before)
        if (at->condition != IR_NONE)
            add_parameters_of(&search, at->condition, MOST_OPERANDS);
}

// ---- One lane -------------------------------------------------------------------------------

static bool is_near(const struct range *range) {
    return range->is_known && range->low > INT32_MIN && range->high < INT32_MAX;
}

static void note_reach(struct prove_bounds *bounds, const struct extent *extent,
                       const struct range *range, unsigned width) {
    const bool is_first = bounds->fit == PROVE_FIT_NONE;
    const int64_t low = (int64_t)(range->low - extent->begin),
                  high = (int64_t)(range->high - extent->begin) + width - 1;
    bounds->has_reach = is_near(range) && (is_first || bounds->has_reach);
    if (!bounds->has_reach)
        return;
    bounds->low = is_first || low < bounds->low ? low : bounds->low;
    bounds->high = is_first || high > bounds->high ? high : bounds->high;
}

static void note_misfit(struct walker *walker, const struct reach *reach,
                        const struct extent *extent, const struct range *range, unsigned lane,
                        struct prove_bounds *bounds) {
    const bool is_sure = !reach->facts && !walker->has_lost;
    if (bounds->fit == PROVE_MISFITS && bounds->is_sure >= is_sure)
        return;
    const bool is_before = range->high < extent->begin;
    const wide_int at = is_before ? range->high : range->low;
    const struct extent block = extent_of(walker, NULL);
    bounds->fit = PROVE_MISFITS;
    bounds->is_sure = is_sure;
    bounds->byte = (int64_t)(at - extent->begin);
    bounds->leaves_block = at < 0 || (block.has_end && at + reach->width > block.end);
    bounds->into = NULL;
    if (!bounds->leaves_block)
        bounds->into = ir_shared_variable_at(walker->layout,
                                             (uint64_t)(is_before ? at : at + reach->width - 1),
                                             walker->launch->dynamic_bytes);
    name_thread(walker, lane, bounds->thread);
}

// The array is the one that the address is made of, or the only one; else the one that the lane's
// access is in.
static struct extent meant_extent(struct walker *walker, const struct reach *reach,
                                  const struct prove_bounds *bounds, unsigned lane) {
    const struct ir_variable *array = walker->arrays[reach->site];
    if (!array && walker->layout->variable_count == 1)
        array = walker->layout->variables[0];
    const struct extent all = extent_of(walker, array);
    if (array)
        return all;
    const struct range range = lane_range(walker, reach, &all, lane);
    const struct extent around = extent_around(walker, &range, reach->width);
    return bounds->fit == PROVE_FIT_NONE || bounds->array == around.array ? around : all;
}

// `is_open`: it is not known whether it stays inside, and that is not for the array's size.
static void look_at_lane(struct walker *walker, const struct reach *reach, unsigned lane,
                         struct prove_bounds *bounds, bool *is_open) {
    const struct extent extent = meant_extent(walker, reach, bounds, lane);
    const struct range range = lane_range(walker, reach, &extent, lane);
    const unsigned bits = reach->address->bits;
    if (bounds->fit != PROVE_FIT_NONE) { // counted from another array's first byte
        const int64_t moved =
            (int64_t)((bounds->array ? bounds->array->offset : 0) - (uint64_t)extent.begin);
        bounds->low += moved;
        bounds->high += moved;
    }
    note_reach(bounds, &extent, &range, reach->width);
    bounds->array = extent.array;
    bounds->has_bytes = extent.has_end;
    bounds->bytes = (uint64_t)(extent.end - extent.begin);
    if (is_inside(reach, &extent, &range)) {
        if (bounds->fit == PROVE_FIT_NONE)
            bounds->fit = PROVE_FITS;
    } else if (is_outside(&extent, &range, reach->width, bits)) {
        note_misfit(walker, reach, &extent, &range, lane, bounds);
    } else {
        const bool is_size =
            range.is_known && range.low >= extent.begin && !extent.has_end && is_near(&range);
        const bool is_first = bounds->fit <= PROVE_FITS;
        *is_open |= !is_size;
        if (!is_size)
            give_up(bounds, NULL, widest(walker, reach->address, lane), reach->code);
        else if (is_first)
            give_up(bounds, "the size of dynamic shared memory is not known", NULL, reach->code);
        bounds->lacks_size |= is_size && is_first;
    }
}

// ---- Alignment ------------------------------------------------------------------------------

static void look_at_alignment(struct walker *walker, const struct reach *reach, unsigned lane,
                              struct prove_alignment *alignment) {
    const struct form *address = reach->address;
    const unsigned wanted = (unsigned)__builtin_ctz(reach->width);
    unsigned known = wanted < address->bits ? wanted : address->bits;
    const struct symbol *blamed = NULL;
    for (unsigned t = 0; t < address->count; t++) {
        const struct symbol *of = form_symbol_of(&walker->table, address->terms[t].symbol);
        const uint64_t by = address->terms[t].by[lane];
        const unsigned zeros = by ? (unsigned)__builtin_ctzll(by) + of->zeros : 64;
        if (zeros < known) {
            known = zeros;
            blamed = of;
        }
    }
    if (address->base[lane] & form_mask(known)) {
        const bool is_sure = !reach->facts && !walker->has_lost && !address->count;
        if (alignment->fit == PROVE_MISFITS && alignment->is_sure >= is_sure)
            return;
        alignment->fit = PROVE_MISFITS;
        alignment->is_sure = is_sure;
        alignment->byte = address->base[lane];
        name_thread(walker, lane, alignment->thread);
    } else if (known < wanted && alignment->fit < PROVE_FIT_UNKNOWN) {
        alignment->fit = PROVE_FIT_UNKNOWN;
        alignment->what = origin_words(blamed ? blamed->origin : ORIGIN_OTHER);
        alignment->instruction = blamed ? blamed->instruction : IR_NONE;
        alignment->function = symbol_maker(blamed, reach->code->function);
        alignment->is_final = blamed && blamed->origin == ORIGIN_LOAD;
    } else if (alignment->fit == PROVE_FIT_NONE) {
        alignment->fit = PROVE_FITS;
    }
}

// ---- Accesses -------------------------------------------------------------------------------

static void give_up_alignment(struct prove_alignment *alignment, const struct reach *reach,
                              const char *what) {
    if (alignment->fit >= PROVE_FIT_UNKNOWN)
        return;
    *alignment = (struct prove_alignment){.fit = PROVE_FIT_UNKNOWN,
                                          .what = what,
                                          .instruction = IR_NONE,
                                          .is_final = !reach->address};
}

void walk_bounds(struct walker *walker, const struct reach *reach) {
    struct prove_site *site = &walker->sites[reach->site];
    const struct form *address = reach->address;
    if (!address) {
        give_up(&site->bounds, reach->why, NULL, reach->code);
        site->bounds.has_reach = false;
        give_up_alignment(&site->alignment, reach, reach->why);
        return;
    }
    bool is_open = false;
    for (uint32_t left = reach->may; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (address->bits >= reach->bits)
            look_at_lane(walker, reach, lane, &site->bounds, &is_open);
        look_at_alignment(walker, reach, lane, &site->alignment);
    }
    if (is_open && walker->launch->wants_conditions && !walker->assumption)
        find_parameters(walker, reach, &site->bounds);
    if (address->bits >= reach->bits)
        return;
    site->bounds.has_reach = false;
    give_up(&site->bounds, NULL, widest(walker, address, (unsigned)__builtin_ctz(reach->may)),
            reach->code);
}
