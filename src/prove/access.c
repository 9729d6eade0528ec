// What the requests of a site cost: the bank model is asked about all addresses that there may be.
#include "prove/race.h"

#include <string.h>

#include "profile/recorder.h"
#include "prove/request.h"
#include "ptx/facts.h"

// What one state's requests may cost.
struct outcome {
    bool is_any, is_exact;
    uint64_t degrees;
    uint32_t degree;
    bool has_excess;
    bool has_residues;
    uint32_t residues[PROVE_RESIDUES];
    bool is_one; // all take as much, and could take as little
    uint32_t wavefronts, ideal;
};

// ---- Costs ----------------------------------------------------------------------------------

static bool cost_of(const struct counter_rule *rule, uint32_t mask, const uint32_t *offsets,
                    struct bankrun_cost *cost) {
    const struct bankrun_request request = profile_bank_request(&rule->request, mask, offsets);
    return bankrun_count(rule->arch, &request, cost) == BANKRUN_OK;
}

// As bad as it can be: every lane another word of one bank or, where atomics wait for each other,
// all the same one.
static uint32_t worst_degree(const struct counter_rule *rule, uint32_t mask) {
    uint32_t offsets[FORM_LANES];
    struct bankrun_cost cost = {0};
    uint32_t worst = 0;
    if (rule->request.is_copy) // the source may make every lane go alone
        return (uint32_t)__builtin_popcount(mask);
    for (unsigned shift = 20; shift <= 32; shift += 12) {
        for (unsigned l = 0; l < FORM_LANES; l++)
            offsets[l] = shift < 32 ? l << shift : 0;
        if (cost_of(rule, mask, offsets, &cost) && cost.degree > worst)
            worst = cost.degree;
    }
    return worst;
}

// A choice of what is not known, and what the request costs then.
struct trial {
    struct bankrun_cost most, least, merged;
};

// Lanes of misaligned addresses fault. Where it is not known which lanes take part it may be the
// others.
static uint32_t aligned_lanes(const struct request *request, const uint32_t *offsets) {
    uint32_t lanes = request->mask;
    for (unsigned l = 0; l < FORM_LANES; l++)
        if (offsets[l] % request->width)
            lanes &= ~(1u << l);
    return lanes;
}

static bool try_one(const struct counter_rule *rule, struct request *request, bool is_exact,
                    uint64_t shift, uint64_t away, struct trial *trial) {
    uint32_t apart[FORM_LANES], together[FORM_LANES], merged[FORM_LANES];
    const bool is_known = request_offsets(request, shift, away, REQUEST_APART, apart);
    const uint32_t lanes = is_exact ? request->mask : aligned_lanes(request, apart);
    if (!cost_of(rule, lanes, apart, &trial->most))
        return false;
    trial->least = trial->merged = trial->most;
    if (is_known)
        return true;
    request_offsets(request, shift, away, REQUEST_TOGETHER, together);
    request_offsets(request, shift, away, REQUEST_MERGED, merged);
    return cost_of(rule, lanes, together, &trial->least) &&
           cost_of(rule, lanes, merged, &trial->merged);
}

static bool is_same_cost(const struct bankrun_cost *cost, const struct outcome *outcome) {
    return cost->wavefronts == outcome->wavefronts && cost->ideal == outcome->ideal;
}

static void add_trial(struct outcome *outcome, const struct trial *trial, uint32_t *residue) {
    const struct bankrun_cost *most = &trial->most, *least = &trial->least,
                              *merged = &trial->merged;
    const uint32_t degree = merged->degree > most->degree ? merged->degree : most->degree;
    if (degree > outcome->degree)
        outcome->degree = degree;
    if (!outcome->is_any) {
        outcome->wavefronts = most->wavefronts;
        outcome->ideal = most->ideal;
    }
    outcome->is_one &= is_same_cost(most, outcome) && is_same_cost(least, outcome) &&
                       is_same_cost(merged, outcome);
    outcome->is_any = true;
    outcome->has_excess |= most->max > most->ideal || merged->max > merged->ideal;
    outcome->is_exact &= most->min == most->max && most->certainty != BANKRUN_UNKNOWN &&
                         least->wavefronts == most->wavefronts && least->degree == degree;
    const uint32_t bit = degree < PROVE_MAX_DEGREE ? degree : PROVE_MAX_DEGREE;
    outcome->degrees |= bit ? 1ull << (bit - 1) : 0;
    if (degree > *residue)
        *residue = degree;
}

// One number decides, of which the low five bits are all that matters.
static bool has_residues(const struct request *request) {
    return request->variable_count == 1 && !request->is_loose &&
           (request->variables[0].is_full
                ? request->variables[0].first + request->variables[0].count <= PROVE_RESIDUES
                : request->variables[0].bits <= 5);
}

static void note_residues(struct outcome *outcome, const struct request *request, uint64_t value,
                          uint32_t degree) {
    const struct request_variable *variable = &request->variables[0];
    const uint64_t period = variable->is_full ? PROVE_RESIDUES : 1ull << variable->bits;
    for (uint64_t r = 0; r < PROVE_RESIDUES; r++)
        if (r % period == value % period && outcome->residues[r] < degree)
            outcome->residues[r] = degree;
}

// More take too long. Of one access: then it is as bad as it can be. And of all those of one warp:
// a loop that was unrolled may have thousands, with a number in each that decides.
enum { MOST_TRIALS = 1 << 14, MOST_TRIALS_IN_ALL = 1 << 18 };

// All choices of all numbers, and all ways to move the lanes together.
static struct outcome try_all(const struct counter_rule *rule, struct request *request,
                              bool is_exact, uint32_t worst) {
    const bool knows_banks =
        !request->is_loose || 1ull << (request->loose_bits & 63) >= request->span;
    struct outcome outcome = {
        .is_exact = knows_banks, .is_one = true, .has_residues = has_residues(request)};
    const uint64_t step = request->shift_step ? request->shift_step : request->period;
    const uint64_t away_step = request_away_step(request);
    if (request->trials * (request->period / step + 1) *
            (away_step ? request->span / away_step : 1) >
        MOST_TRIALS)
        return (struct outcome){
            .is_any = true, .degree = worst, .degrees = worst == 1, .has_excess = true};
    for (uint64_t n = 0; n < request->trials; n++) {
        uint32_t degree = 0;
        request_choose(request, n);
        for (uint64_t shift = 0; shift < request->period; shift += step)
            for (uint64_t away = 0; away < request->span;
                 away += away_step ? away_step : request->span) {
                struct trial trial;
                if (try_one(rule, request, is_exact, shift, away, &trial))
                    add_trial(&outcome, &trial, &degree);
            }
        if (outcome.has_residues)
            note_residues(&outcome, request, request->variables[0].value, degree);
    }
    return outcome;
}

// ---- Sites ----------------------------------------------------------------------------------

static void blame(struct prove_site *site, const struct code *code, const struct walker *walker,
                  const struct request *request) {
    const struct symbol *of = NULL;
    if (request->is_loose && request->loose_lanes && request->address->count)
        of = form_symbol_of(&walker->table, request->loose_symbol);
    else if (request->variable_count)
        of = form_symbol_of(&walker->table, request->variables[0].symbol);
    if (site->what)
        return;
    site->is_final = of && of->origin == ORIGIN_LOAD;
    site->what = of ? origin_words(of->origin) : "which lanes take part is not known";
    site->instruction = of ? of->instruction : IR_NONE;
    site->function = symbol_maker(of, code->function);
}

// Whether the single number that decides is how far lanes lie apart, or a part of that.
static bool is_stride(const struct request *request) {
    const struct form *address = request->address;
    for (unsigned t = 0; t < address->count; t++)
        if (address->terms[t].symbol == request->variables[0].symbol)
            return !form_is_same(address->terms[t].by);
    return false;
}

static bool is_symbol(const struct walker *walker, const struct form *form, uint32_t symbol) {
    return form && form->count == 1 && form->terms[0].symbol == symbol &&
           form->terms[0].by == walker->table.one && form->base == walker->table.zero;
}

// Before the outcome is added. All of the site's requests must depend on the same number.
static void note_stride(struct prove_site *site, const struct walker *walker,
                        const struct request *request) {
    const uint32_t symbol = request->variables[0].symbol;
    const bool is_first = site->verdict == PROVE_NOT_REACHED;
    const struct parameter *found = NULL;
    for (size_t i = 0; i < walker->parameters.length && !found; i++)
        if (is_stride(request) && is_symbol(walker, walker->parameters.data[i].form, symbol))
            found = &walker->parameters.data[i];
    if (is_first && found) {
        site->parameter_offset = found->offset;
        site->parameter_bytes = found->bytes;
    } else if (!found || found->offset != site->parameter_offset ||
               found->bytes != site->parameter_bytes) {
        site->parameter_bytes = 0;
    }
    site->is_width = (is_first || site->is_width) && walker->launch->is_width_open &&
                     is_stride(request) &&
                     is_symbol(walker, walker->special[PTX_SREG_ntid_x], symbol);
}

// Which lanes take part.
enum taking_part {
    PART_ALL,     // those of the request
    PART_CHEAPER, // all or some of them: fewer never cost more
    PART_DEARER,  // all or some of them: fewer may cost more
};

// Wide loads serve twice as many lanes at once where no two neighbours take part that disagree.
// Fewer lanes than all of a warp are not added up before an atomic.
static enum taking_part part_of(const struct counter_rule *rule, uint32_t may, bool is_exact) {
    const bool is_pair = rule->request.access == BANKRUN_LOAD && rule->request.width > 4;
    const bool is_scan = rule->request.is_scanned && may == UINT32_MAX;
    if (is_exact || (may & (may - 1)) == 0)
        return PART_ALL;
    return is_pair || is_scan ? PART_DEARER : PART_CHEAPER;
}

// Fewer lanes, of twice as many that are served at once, have no more than twice the degree.
static void allow_fewer(struct outcome *outcome, const struct counter_rule *rule, uint32_t worst) {
    outcome->is_exact = false;
    outcome->has_excess = true;
    if (rule->request.access == BANKRUN_LOAD)
        outcome->degree *= 2;
    if (outcome->degree > worst)
        outcome->degree = worst;
}

static enum prove_verdict verdict_of(const struct outcome *outcome, const struct request *request,
                                     enum taking_part part, uint32_t worst) {
    const bool is_exact = part == PART_ALL;
    if (part == PART_DEARER)
        return PROVE_BOUNDED;
    const bool is_one = outcome->is_exact && !(outcome->degrees & (outcome->degrees - 1));
    // No request, of whatever lanes, is better than free.
    if ((is_one && is_exact) || outcome->degree == 1)
        return PROVE_EXACT;
    if (is_one)
        return PROVE_FULL;
    if (outcome->has_residues)
        return PROVE_DEPENDS;
    if (outcome->degree < worst)
        return PROVE_BOUNDED;
    return request->variable_count && !request->is_loose ? PROVE_BOUNDED : PROVE_OBSERVED;
}

static void add_outcome(struct prove_site *site, const struct outcome *outcome,
                        enum prove_verdict verdict) {
    const bool is_first = site->verdict == PROVE_NOT_REACHED;
    if (!is_first && (site->verdict == PROVE_DEPENDS || verdict == PROVE_DEPENDS))
        site->is_irregular |= site->verdict != verdict ||
                              memcmp(site->residues, outcome->residues, sizeof site->residues) != 0;
    if (verdict > site->verdict)
        site->verdict = verdict;
    if (site->is_irregular && site->verdict == PROVE_DEPENDS)
        site->verdict = PROVE_BOUNDED;
    site->degrees |= outcome->degrees;
    site->has_excess |= outcome->has_excess;
    for (int r = 0; r < PROVE_RESIDUES; r++)
        if (outcome->residues[r] > site->residues[r])
            site->residues[r] = outcome->residues[r];
    if (outcome->degree > site->degree)
        site->degree = outcome->degree;
}

// In which round of a loop it was.
static void note_round(const struct walker *walker, struct prove_site *site,
                       const struct outcome *outcome) {
    if (walker->round >= PROVE_ROUNDS) {
        site->has_other_rounds = true;
        return;
    }
    site->rounds[walker->round] |= outcome->degrees;
    if (site->round_count <= walker->round)
        site->round_count = walker->round + 1;
}

static void observe(struct prove_site *site, uint32_t degree, const char *what) {
    site->verdict = PROVE_OBSERVED;
    site->has_excess = true;
    site->is_final = true;
    if (degree > site->degree)
        site->degree = degree;
    if (!site->what) {
        site->what = what;
        site->instruction = IR_NONE;
    }
}

// Whatever other requests are like, nothing else would be said of the site.
static bool is_worst(const struct prove_site *site, uint32_t worst) {
    return site->verdict == PROVE_OBSERVED && site->has_excess && site->degree >= worst;
}

const struct ir_operand *walk_address_of(const struct ir_instruction *instruction) {
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        if (instruction->operands[o].kind == IR_OPERAND_ADDRESS)
            return &instruction->operands[o];
    return NULL;
}

// What a kernel is given, or has from a variable's address, is no shared or local memory, however
// it is indexed; unless such an address was added.
bool walk_is_given(const struct form_table *table, const struct form *address) {
    static const uint64_t near = 1ull << 40;
    bool is_given = address->base[0] + near < 2 * near;
    unsigned given = 0;
    for (unsigned t = 0; t < address->count; t++) {
        const struct symbol *symbol = form_symbol_of(table, address->terms[t].symbol);
        if (symbol->kind != SYMBOL_UNKNOWN)
            is_given &= symbol->high < near;
        else
            given += form_is_same(address->terms[t].by) && address->terms[t].by[0] == 1 &&
                     (symbol->origin == ORIGIN_PARAMETER || symbol->origin == ORIGIN_VARIABLE);
    }
    return is_given && given;
}

const struct form *walk_shared_offset(struct walker *walker, const struct form *address,
                                      enum ptx_space space, bool *is_other) {
    *is_other = false;
    if (space == PTX_SPACE_SHARED)
        return address;
    *is_other = space != PTX_SPACE_GENERIC;
    if (*is_other || !address)
        return NULL;
    *is_other = walk_is_given(&walker->table, address);
    const struct range range = range_of(&walker->table, address, 64, false, UINT32_MAX);
    if (*is_other || !range.is_known)
        return NULL;
    const wide_int begin = (wide_int)IR_SHARED_WINDOW, end = begin + (wide_int)IR_WINDOW_BYTES;
    *is_other = range.high < begin || range.low >= end;
    if (range.low < begin || range.high >= end)
        return NULL;
    return form_subtract(&walker->table, address,
                         form_constant(&walker->table, 64, IR_SHARED_WINDOW));
}

// Of an array in shared memory, as ir_shared_origins has it: wherever it may be, it is meant to be
// there.
static const struct form *meant_offset(struct walker *walker, const struct form *address,
                                       enum ptx_space space, const struct ir_variable *array) {
    if (!address || space != PTX_SPACE_GENERIC || !array)
        return NULL;
    return form_subtract(&walker->table, address,
                         form_constant(&walker->table, 64, IR_SHARED_WINDOW));
}

// Where the accesses of a request lie, whatever they cost.
static void look_at_bounds(struct walker *walker, const struct reader *reader,
                           const struct ir_site *about, const struct reach *reach) {
    if (!walker->launch->wants_bounds || (walker->wanted && !walker->wanted[reach->site]))
        return;
    struct form_table *table = &walker->table;
    const struct form *guard = read_guard(reader);
    const struct truth truth = guard ? truth_of(walker, guard, reach->may) : (struct truth){0};
    struct reach own = *reach;
    if (about->op == SITE_BULK_COPY) {
        own.address = NULL;
        own.why = "such accesses are not followed";
    }
    if (truth.open)
        own.facts = facts_branch(table, reach->facts, guard, truth.open, reach->may, true);
    if (own.address)
        own.address = form_spread(table, own.address, own.may);
    facts_enter(table, own.facts);
    walk_bounds(walker, &own);
    facts_enter(table, reach->facts);
}

// What is asked of an instruction's accesses.
struct asked {
    const struct reader *reader;
    const struct ir_site *about;
    struct counter_rule rule;
    uint32_t number; // of the site, as events have it
    uint32_t may;
    bool is_exact;
    bool is_shared; // it is known that the addresses are in shared memory
};

// What one access costs. Address NULL: it is not followed.
static enum access_cost judge(struct walker *walker, const struct asked *asked,
                              const struct form *address) {
    struct prove_site *site = &walker->sites[asked->number];
    struct counter_rule rule = asked->rule;
    const uint32_t may = asked->may, worst = worst_degree(&rule, may ? may : rule.lanes);
    if (!asked->is_shared) {
        observe(site, worst, "may be shared or global memory");
        return ACCESS_OPEN;
    }
    if (rule.is_estimate || rule.request.is_copy || !address || !may) {
        observe(site, worst, "such accesses are not followed");
        return ACCESS_OPEN;
    }
    if (walker->is_joined && may != (walker->lanes & rule.lanes)) {
        observe(site, worst, "ways join here before all of them meet");
        return ACCESS_OPEN;
    }
    if (is_worst(site, worst) && !walker->blocks)
        return ACCESS_OPEN;
    const enum taking_part part = part_of(&rule, may, asked->is_exact);
    rule.request.is_scanned &= part == PART_ALL;
    struct request request;
    address = form_spread(&walker->table, address, may);
    request_begin(&request, &walker->table, address, may, rule.arch, rule.request.width);
    if (request.trials > 1 && walker->trials > MOST_TRIALS_IN_ALL) {
        observe(site, worst, "too many accesses depend on what is not known");
        return ACCESS_OPEN;
    }
    walker->trials += request.trials;
    struct outcome outcome = try_all(&rule, &request, part == PART_ALL, worst);
    if (!outcome.is_any) // every address is misaligned
        return ACCESS_OPEN;
    if (part == PART_DEARER)
        allow_fewer(&outcome, &rule, worst);
    // Loops of wide atomics read, too: of few lanes half as many phases would do.
    outcome.has_excess |= part != PART_ALL && rule.request.width > 4 &&
                          rule.request.access != BANKRUN_LOAD &&
                          rule.request.access != BANKRUN_STORE;
    const enum prove_verdict verdict = verdict_of(&outcome, &request, part, worst);
    site->is_most |= verdict == PROVE_DEPENDS && !(outcome.is_exact && part == PART_ALL);
    if (verdict != PROVE_EXACT)
        blame(site, asked->reader->code, walker, &request);
    if (verdict == PROVE_DEPENDS)
        note_stride(site, walker, &request);
    add_outcome(site, &outcome, verdict);
    note_round(walker, site, &outcome);
    const bool is_one = verdict == PROVE_EXACT && part == PART_ALL && outcome.is_one &&
                        outcome.is_exact && !asked->about->is_retried;
    return is_one ? ACCESS_ONE : ACCESS_OPEN;
}

// One access after the other, of these addresses.
static enum access_cost look_at_accesses(struct walker *walker, const struct asked *asked,
                                         struct reach *reach,
                                         const struct fragment_access *accesses, unsigned count) {
    enum access_cost cost = ACCESS_ONE;
    for (unsigned n = 0; n < count; n++) {
        reach->address = accesses[n].address;
        reach->width = accesses[n].width;
        look_at_bounds(walker, asked->reader, asked->about, reach);
        const enum access_cost one =
            walker->wanted ? ACCESS_OPEN : judge(walker, asked, reach->address);
        cost = one < cost ? one : cost;
    }
    return cost;
}

enum access_cost walk_access(struct walker *walker, const struct code *code, uint32_t instruction,
                             const struct state *state, uint32_t may, bool is_exact) {
    const struct ir_instruction *what = &code->function->instructions[instruction];
    const struct ir_site *about = &code->function->sites[what->site];
    const struct reader reader = {walker, code, instruction, state};
    const struct ir_operand *operand = walk_address_of(what);
    const uint32_t none[3] = {1, 1, 1};
    struct asked asked = {.reader = &reader,
                          .about = about,
                          .number = code->first_site + what->site,
                          .is_exact = is_exact};
    enum ptx_space space = PTX_SPACE_SHARED;
    bool is_other;
    profile_counter_rule(about, walker->launch->arch, SITE_SHARED, none, &asked.rule);
    const struct form *named = operand ? read_address(&reader, operand, &space) : NULL;
    const struct form *address = walk_shared_offset(walker, named, space, &is_other);
    if (is_other)
        return ACCESS_ELSEWHERE;
    asked.may = may & asked.rule.lanes;
    asked.is_shared = space != PTX_SPACE_GENERIC || address;
    const struct form *meant =
        address || !walker->arrays
            ? address
            : meant_offset(walker, named, space, walker->arrays[asked.number]);
    struct fragment_access accesses[FRAGMENT_ACCESSES] = {{meant, about->width}};
    unsigned count = 1;
    if (ir_is_wmma_access(what->ptx)) {
        count = walk_fragment(&reader, meant, accesses);
        if (!count)
            accesses[count++] = (struct fragment_access){NULL, about->width};
    }
    for (unsigned n = 0; walker->races && n < count; n++)
        race_access(walker, code, instruction, state, accesses[n].address, accesses[n].width,
                    asked.may);
    if (walker->races)
        return ACCESS_OPEN;
    struct reach reach = {.site = asked.number,
                          .code = code,
                          .bits = operand && operand->reg != IR_NONE
                                      ? state_bits(&code->function->registers[operand->reg])
                                      : 64,
                          .why = space == PTX_SPACE_GENERIC && !meant
                                     ? "may be shared or global memory"
                                     : "such accesses are not followed",
                          .may = asked.may,
                          .facts = state->facts};
    return look_at_accesses(walker, &asked, &reach, accesses, count);
}
