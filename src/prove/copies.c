// Asynchronous copies (cp.async) that are under way: each writes at any time from where it is made
// to where its thread waits for it, so that it is noted as a write behind every barrier between.
//
// The address is one that the thread knows when it makes the copy, as if it had kept it in a
// register and stored there later. Registers that change from round to round are not followed, so
// copies go on from one round of a loop of any round to the next only where they are numbers.
// Groups are counted since each copy: fewer of them than there are keep a copy under way.
#include "prove/race.h"

#include "base/arena.h"

enum { MOST_COPIES = 64, OPEN = -1 }; // OPEN: in no group yet

// Lists never change once they are made.
static const struct race_copy *put(struct walker *walker, const struct race_copy *copy,
                                   const struct race_copy *next) {
    struct race_copy *made = arena_alloc(walker->table.arena, sizeof *made);
    *made = *copy;
    made->next = next;
    made->count = 1 + (next ? next->count : 0);
    if (made->count > MOST_COPIES)
        race_give_up(walker->races, copy->code, copy->instruction,
                     "too many asynchronous copies are under way at once");
    return made;
}

static bool is_same(const struct race_copy *a, const struct race_copy *b) {
    return a->code == b->code && a->instruction == b->instruction && a->address == b->address;
}

static const struct race_copy *find(const struct race_copy *list, const struct race_copy *copy) {
    while (list && !is_same(list, copy))
        list = list->next;
    return list;
}

// The list with this one for what is there of the same copy.
static const struct race_copy *replace(struct walker *walker, const struct race_copy *list,
                                       const struct race_copy *copy) {
    if (!list)
        return NULL;
    if (is_same(list, copy))
        return put(walker, copy, list->next);
    return put(walker, list, replace(walker, list->next, copy));
}

const struct race_copy *race_copies_unite(struct walker *walker, const struct race_copy *a,
                                          const struct race_copy *b) {
    for (; b && a != b; b = b->next) {
        const struct race_copy *known = find(a, b);
        struct race_copy both = known ? *known : *b;
        both.lanes |= b->lanes;
        both.groups = b->groups < both.groups ? b->groups : both.groups;
        both.is_older |= b->is_older;
        if (!known)
            a = put(walker, b, a);
        else if (both.lanes != known->lanes || both.groups != known->groups ||
                 both.is_older != known->is_older)
            a = replace(walker, a, &both);
    }
    return a;
}

const struct race_copy *race_copies_next_round(struct walker *walker, const struct loop *loop,
                                               const struct race_copy *any,
                                               const struct race_copy *back) {
    const struct race_copy *list = NULL;
    for (; back; back = back->next) {
        struct race_copy copy = *back;
        if (loop->has_barrier && !form_is_concrete(copy.address)) {
            race_give_up(walker->races, copy.code, copy.instruction,
                         "an asynchronous copy is under way from one round of a loop to the next");
            return any;
        }
        copy.is_older = true;
        list = put(walker, &copy, list);
    }
    return race_copies_unite(walker, any, list);
}

void race_copies_part(struct walker *walker, const struct state *state) {
    for (const struct race_copy *copy = state->copies; copy; copy = copy->next)
        if (!form_is_concrete(copy->address))
            race_give_up(walker->races, copy->code, copy->instruction,
                         "an asynchronous copy is under way where threads leave a loop apart");
}

// ---- Instructions ---------------------------------------------------------------------------

bool race_is_copy(const struct ir_instruction *instruction) {
    return instruction->ptx->isa == PTX_ISA_cp_async;
}

static bool is_group(enum ptx_isa isa) {
    return isa == PTX_ISA_cp_async_commit || isa == PTX_ISA_cp_async_wait_group ||
           isa == PTX_ISA_cp_async_wait_all;
}

// At a commit all that is in no group is in the newest one, and one more is newer than the others.
static const struct race_copy *commit(struct walker *walker, const struct race_copy *list) {
    if (!list)
        return NULL;
    struct race_copy copy = *list;
    copy.groups++;
    return put(walker, &copy, commit(walker, list->next));
}

// Fewer than `most` groups are newer than those that are left.
static const struct race_copy *wait(struct walker *walker, const struct race_copy *list,
                                    int64_t most) {
    if (!list)
        return NULL;
    const struct race_copy *rest = wait(walker, list->next, most);
    return list->groups != OPEN && list->groups >= most ? rest : put(walker, list, rest);
}

void race_copy_step(struct walker *walker, const struct code *code, uint32_t number,
                    struct state *state, const struct truth *truth) {
    const struct ir_instruction *instruction = &code->function->instructions[number];
    const enum ptx_isa isa = instruction->ptx->isa;
    if (walker->calls && (race_is_copy(instruction) || is_group(isa)))
        race_give_up(walker->races, code, number,
                     "asynchronous copies of functions that are called are not followed");
    if (instruction->call && state->copies)
        race_give_up(walker->races, code, number,
                     "a function is called while asynchronous copies are under way");
    if (!is_group(isa) || truth->open || truth->no) // who waits, or commits, is not all of them
        return;
    if (isa == PTX_ISA_cp_async_wait_all)
        state->copies = NULL;
    else if (isa == PTX_ISA_cp_async_commit)
        state->copies = commit(walker, state->copies);
    else if (instruction->operands[0].kind == IR_OPERAND_IMMEDIATE)
        state->copies = wait(walker, state->copies, (int64_t)instruction->operands[0].value);
}

void race_begin_copy(struct walker *walker, const struct code *code, uint32_t number,
                     struct state *state, uint32_t lanes) {
    const struct ir_instruction *instruction = &code->function->instructions[number];
    if (!race_is_copy(instruction) || !lanes)
        return;
    const struct reader reader = {walker, code, number, state};
    enum ptx_space space;
    bool is_other;
    const struct form *named = read_address(&reader, walk_address_of(instruction), &space);
    const struct form *address = walk_shared_offset(walker, named, space, &is_other);
    if (!address) {
        race_give_up(walker->races, code, number,
                     "it is not known where an asynchronous copy writes");
        return;
    }
    const struct race_copy copy = {.code = code,
                                   .instruction = number,
                                   .address = form_spread(&walker->table, address, lanes),
                                   .lanes = lanes,
                                   .width = (uint8_t)code->function->sites[instruction->site].width,
                                   .groups = OPEN};
    const struct race_copy *known = find(state->copies, &copy);
    struct race_copy both = copy;
    both.lanes |= known ? known->lanes : 0;
    both.is_older = known && known->is_older;
    state->copies =
        known ? replace(walker, state->copies, &both) : put(walker, &copy, state->copies);
}

void race_copies_note(struct walker *walker, const struct state *state) {
    for (const struct race_copy *copy = state->copies; copy; copy = copy->next)
        race_note_copy(walker, state, copy);
}

// ---- The thread's own accesses --------------------------------------------------------------

// What the thread itself does before it has waited.
void race_copies_meet(struct walker *walker, const struct state *state,
                      const struct race_access *access) {
    for (const struct race_copy *copy = state->copies; copy; copy = copy->next) {
        const uint32_t lanes = copy->lanes & access->lanes;
        const struct form *address = access->address;
        const struct form *apart =
            lanes && address && (!copy->is_older || form_is_concrete(copy->address))
                ? form_subtract(&walker->table, form_spread(&walker->table, address, lanes),
                                form_spread(&walker->table, copy->address, lanes))
                : NULL;
        if (!lanes)
            continue;
        bool may_meet = !apart || !form_is_concrete(apart) || apart->bits < 32;
        for (unsigned l = 0; !may_meet && l < FORM_LANES; l++) {
            const int32_t distance = (int32_t)(uint32_t)apart->base[l];
            may_meet = (lanes >> l & 1) && distance < copy->width && -distance < access->width;
        }
        if (may_meet)
            race_give_up(walker->races, access->code, access->instruction,
                         "a thread may access what it copies asynchronously before it has waited");
    }
}
