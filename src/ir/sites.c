// Access sites: which instructions touch shared or global memory, and how.
#include "ir/build.h"
#include "ir/fragment.h"
#include "ir/uses.h"

#include <assert.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"

static enum ptx_modifier space_of(const struct ptx_instruction *ptx) {
    return ptx_modifier_of(ptx, PTX_GROUP_space);
}

static bool is_observed_space(const struct ptx_instruction *ptx) {
    switch (space_of(ptx)) {
    case PTX_MOD_NONE: // generic
    case PTX_MOD_global:
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
    case PTX_MOD_shared_cluster:
        return true;
    default:
        return false;
    }
}

// False: none that observers hear of.
static bool find_op(const struct ptx_instruction *ptx, enum site_op *op) {
    static const struct {
        bool is_site;
        enum site_op op;
    } ops[] = {
        [PTX_ACCESS_LOAD] = {true, SITE_LOAD},
        [PTX_ACCESS_STORE] = {true, SITE_STORE},
        [PTX_ACCESS_ATOMIC] = {true, SITE_ATOMIC},
        [PTX_ACCESS_REDUCTION] = {true, SITE_REDUCTION},
        [PTX_ACCESS_MATRIX_LOAD] = {true, SITE_MATRIX_LOAD},
        [PTX_ACCESS_MATRIX_STORE] = {true, SITE_MATRIX_STORE},
        [PTX_ACCESS_FRAGMENT_LOAD] = {true, SITE_LOAD},
        [PTX_ACCESS_FRAGMENT_STORE] = {true, SITE_STORE},
        [PTX_ACCESS_ASYNC_STORE] = {true, SITE_STORE},
        [PTX_ACCESS_ASYNC_REDUCTION] = {true, SITE_REDUCTION},
        [PTX_ACCESS_ASYNC_COPY] = {true, SITE_ASYNC_COPY},
        [PTX_ACCESS_BULK_COPY] = {true, SITE_BULK_COPY},
    };
    const enum ptx_access access = ptx_access_of(ptx);
    if (access >= sizeof ops / sizeof *ops || !ops[access].is_site)
        return false;
    *op = ops[access].op;
    return true;
}

static unsigned vector_count(const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_vec)) {
    case PTX_MOD_v2:
        return 2;
    case PTX_MOD_v4:
        return 4;
    case PTX_MOD_v8:
        return 8;
    default:
        return 1;
    }
}

// Groups of eight rows: a matrix of 16 rows in memory counts as two.
static unsigned matrix_count(const struct ptx_instruction *ptx) {
    const unsigned groups = ptx_modifier_of(ptx, PTX_GROUP_shape) == PTX_MOD_m16n16 ? 2 : 1;
    switch (ptx_modifier_of(ptx, PTX_GROUP_count)) {
    case PTX_MOD_x2:
        return 2 * groups;
    case PTX_MOD_x4:
        return 4 * groups;
    default:
        return groups;
    }
}

// ---- Atomics ------------------------------------------------------------------------------

enum site_atomic ir_atomic_service(enum ptx_modifier op, enum ptx_type type, bool is_generic) {
    const bool is_word = type == PTX_U32 || type == PTX_S32 || type == PTX_B32;
    switch (op) {
    case PTX_MOD_cas:
        return ptx_type_bytes(type) >= 4 ? SITE_ATOMIC_CAS : SITE_ATOMIC_LOOP;
    case PTX_MOD_exch:
        return ptx_type_bytes(type) >= 4 ? SITE_ATOMIC_NATIVE : SITE_ATOMIC_LOOP;
    case PTX_MOD_add: // of 64 bits: unlike in shared memory's own instructions
        return is_word || (is_generic && type == PTX_U64) ? SITE_ATOMIC_NATIVE : SITE_ATOMIC_LOOP;
    case PTX_MOD_min:
    case PTX_MOD_max:
        if (ptx_type_bytes(type) == 8)
            return SITE_ATOMIC_EARLY_LOOP;
        return is_word ? SITE_ATOMIC_NATIVE : SITE_ATOMIC_LOOP;
    default:
        return is_word ? SITE_ATOMIC_NATIVE : SITE_ATOMIC_LOOP;
    }
}

bool ir_atomic_is_reduced(enum ptx_modifier op) {
    return op != PTX_MOD_inc && op != PTX_MOD_dec && op != PTX_MOD_exch;
}

// What ptxas makes of them for 8.0 and later. One address for all lanes of a warp: it has the
// lanes' values added up (or what else the operation is) and one lane access memory, unless the
// result is wanted; an addition finds that, too. Other addresses: counting lanes has a form of its
// own.
static enum site_atomic classify_native(const struct ir_uses *uses,
                                        const struct ir_instruction *instruction,
                                        enum ptx_modifier op, enum site_op site) {
    const struct ir_operand *result = site == SITE_ATOMIC ? &instruction->operands[0] : NULL;
    const struct ir_operand *address = &instruction->operands[result ? 1 : 0];
    const struct ir_operand *value = &instruction->operands[result ? 2 : 1];
    bool is_wanted = result && result->kind == IR_OPERAND_REGISTER && ir_is_read(uses, result->reg);
    uint64_t addend;
    if (!ir_atomic_is_reduced(op))
        return SITE_ATOMIC_NATIVE;
    if (!ir_is_uniform(uses, address))
        return op == PTX_MOD_add && !is_wanted && ir_is_constant(uses, value, &addend) &&
                       addend == 1
                   ? SITE_ATOMIC_NATIVE_SUMMED
                   : SITE_ATOMIC_NATIVE;
    if (!is_wanted || (op == PTX_MOD_add && ir_is_uniform(uses, value)))
        return SITE_ATOMIC_NATIVE_SUMMED;
    return op == PTX_MOD_add ? SITE_ATOMIC_NATIVE_SCANNED : SITE_ATOMIC_NATIVE;
}

// `uses`: of the function, made when they are first asked for.
static enum site_atomic classify_atomic(const struct ir_function *function, struct ir_uses **uses,
                                        const struct ir_instruction *instruction,
                                        enum site_op site) {
    const struct ptx_instruction *ptx = instruction->ptx;
    enum ptx_modifier op = ptx_modifier_of(ptx, PTX_GROUP_op);
    bool is_generic = space_of(ptx) == PTX_MOD_NONE;
    enum site_atomic service = ir_atomic_service(op, (enum ptx_type)ptx->types[0], is_generic);
    if (service != SITE_ATOMIC_NATIVE || is_generic)
        return service;
    if (!*uses)
        *uses = ir_uses_create(function);
    return classify_native(*uses, instruction, op, site);
}

static bool is_in_loop(const struct ir_function *function, uint32_t index) {
    for (uint32_t i = index; i < function->instruction_count; i++) {
        const uint32_t target = function->instructions[i].target;
        if (target != IR_NONE && function->blocks[target].first <= index)
            return true;
    }
    return false;
}

// A compare-and-swap alone takes as long whoever else is there; a loop round one does not.
static bool is_retried(const struct ir_function *function, const struct ir_site *site) {
    switch (site->atomic) {
    case SITE_ATOMIC_CAS:
        return is_in_loop(function, site->instruction);
    case SITE_ATOMIC_LOOP:
    case SITE_ATOMIC_EARLY_LOOP:
        return true;
    default:
        return false;
    }
}

// ---- All sites ----------------------------------------------------------------------------

static void fill_width(const struct ir_instruction *instruction, struct ir_site *site) {
    const struct ptx_instruction *ptx = instruction->ptx;
    switch (site->op) {
    case SITE_MATRIX_LOAD:
    case SITE_MATRIX_STORE:
        site->matrices = matrix_count(ptx);
        site->width = 16;
        return;
    case SITE_BULK_COPY:
        site->width = 16;
        return;
    case SITE_ASYNC_COPY:
        site->width = (unsigned)instruction->operands[2].value;
        site->is_uncached = ptx_modifier_of(ptx, PTX_GROUP_cache) == PTX_MOD_cg;
        return;
    default:
        site->width = ptx_type_bytes((enum ptx_type)ptx->types[0]) * vector_count(ptx);
    }
}

// What wmma.load and wmma.store become. What is refused when it is launched has no width.
static void fill_wmma(const struct ir_instruction *instruction, struct ir_site *site) {
    site->is_fragment = true;
    struct ir_wmma wmma;
    if (!ir_wmma_of(instruction, &wmma))
        return;
    site->width = ir_wmma_is_contiguous(&wmma) ? wmma.bytes * wmma.fragment.per : wmma.bytes;
    if (!wmma.is_matrix_load)
        return;
    site->op = SITE_MATRIX_LOAD;
    site->matrices = wmma.fragment.tiles < 4 ? (uint8_t)wmma.fragment.tiles : 4;
    site->width = 16;
}

void ir_find_sites(struct ir_function *function, struct arena *arena) {
    assert(!function->sites); // contraction and slots come before
    VEC(struct ir_site) sites = {0};
    struct strbuf text = {0};
    struct ir_uses *uses = NULL;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        struct ir_instruction *instruction = &function->instructions[i];
        struct ir_site site = {.instruction = i, .location = instruction->location};
        if (!find_op(instruction->ptx, &site.op) || !is_observed_space(instruction->ptx))
            continue;
        if (ir_is_wmma_access(instruction->ptx))
            fill_wmma(instruction, &site);
        else
            fill_width(instruction, &site);
        if (site.op == SITE_ATOMIC || site.op == SITE_REDUCTION) {
            site.atomic = classify_atomic(function, &uses, instruction, site.op);
            site.is_retried = is_retried(function, &site);
            site.is_sum = ptx_modifier_of(instruction->ptx, PTX_GROUP_op) == PTX_MOD_add;
        }
        site.is_volatile = PTX_HAS(instruction->ptx, volatile);
        site.is_generic = space_of(instruction->ptx) == PTX_MOD_NONE &&
                          site.op != SITE_MATRIX_LOAD && site.op != SITE_MATRIX_STORE;
        text.length = 0;
        ptx_print_mnemonic(instruction->ptx, &text);
        site.text = arena_strndup(arena, text.data, text.length);
        instruction->site = (uint32_t)sites.length;
        vec_push(&sites, site);
    }
    ir_uses_free(uses);
    strbuf_free(&text);
    function->site_count = (uint32_t)sites.length;
    function->sites = ARENA_ARRAY(arena, struct ir_site, sites.length + 1);
    if (sites.length)
        memcpy(function->sites, sites.data, sites.length * sizeof *sites.data);
    vec_free(&sites);
}
