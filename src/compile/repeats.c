// Code that repeats: what a kernel does from one barrier to the next, where it was unrolled over
// barriers (the steps of a sort, of a sum), often differs by numbers alone: places of registers,
// sites, distances. It is made once then, and reads those numbers from a row of a table, which
// whoever begins there chooses. See build.h.
//
// A region is what is reached from entries without what all entries share. Two are the same if
// they are told by the same tokens, numbers at places that may differ left aside.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "compile/build.h"

static const char here[] = "";

// Less code is not worth a table.
enum { LEAST_INSTRUCTIONS = 48, LEAST_PER_NUMBER = 4 };
enum { ROW_UNIT = 8 }; // bytes

enum token { TOKEN_BLOCK, TOKEN_INSTRUCTION, TOKEN_OWN, TOKEN_NUMBER, TOKEN_OTHER, TOKEN_EDGE };

// An operand that may be another number in another region.
struct number {
    LLVMValueRef user;
    unsigned operand;
    LLVMValueRef before; // where it is needed
    LLVMValueRef value;
};

struct region {
    VEC(unsigned) ways_in; // by number of the switch's successor
    VEC(LLVMBasicBlockRef) blocks;
    VEC(uintptr_t) tokens;
    VEC(struct number) numbers;
    uint32_t parts; // blocks and instructions
    uint64_t hash;  // of tokens
    bool is_odd;    // it has what is not understood
    bool is_listed; // as a later one of those that are the same
};

// A block or an instruction.
struct part {
    LLVMValueRef value;
    struct part *leader;   // of blocks that are reached from one another
    struct region *leads;  // of a leader: the region of these blocks
    struct region *region; // that it was found in
    uint32_t number;       // there
};

struct repeats {
    struct build *build;
    struct part *parts;
    size_t part_count;
    struct part **table; // by value: open addressing, at most half full
    size_t mask;         // of its places
    struct region *regions;
    uint32_t region_count;
    LLVMValueRef row; // where the pointer to the row is
};

// ---- Regions ----------------------------------------------------------------------------------

// Values lie anywhere, at multiples of 8 and more.
static struct part **place_of(const struct repeats *repeats, LLVMValueRef value) {
    size_t at = (size_t)((uintptr_t)value * 0x9e3779b97f4a7c15ull >> 32);
    for (;; at++) {
        struct part **place = &repeats->table[at & repeats->mask];
        if (!*place || (*place)->value == value)
            return place;
    }
}

static struct part *find_part(const struct repeats *repeats, LLVMValueRef value) {
    return *place_of(repeats, value);
}

static struct part *find_block(const struct repeats *repeats, LLVMBasicBlockRef block) {
    return find_part(repeats, LLVMBasicBlockAsValue(block));
}

static size_t count_parts(const struct build *build) {
    size_t count = 0;
    for (LLVMBasicBlockRef b = build->first_block; b; b = LLVMGetNextBasicBlock(b)) {
        count++;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count++;
    }
    return count;
}

static void add_part(struct repeats *repeats, LLVMValueRef value) {
    struct part *part = &repeats->parts[repeats->part_count++];
    part->value = value;
    part->leader = part;
    *place_of(repeats, value) = part;
}

static void add_parts(struct repeats *repeats) {
    const size_t count = count_parts(repeats->build);
    repeats->parts = base_alloc((count + 1) * sizeof *repeats->parts);
    for (repeats->mask = 15; repeats->mask < 2 * count; repeats->mask = 2 * repeats->mask + 1)
        continue;
    repeats->table = base_alloc((repeats->mask + 1) * sizeof *repeats->table);
    for (LLVMBasicBlockRef b = repeats->build->first_block; b; b = LLVMGetNextBasicBlock(b)) {
        add_part(repeats, LLVMBasicBlockAsValue(b));
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            add_part(repeats, i);
    }
}

static struct part *leader_of(struct part *part) {
    while (part->leader != part)
        part = part->leader = part->leader->leader;
    return part;
}

static void join_blocks(const struct repeats *repeats) {
    for (LLVMBasicBlockRef b = repeats->build->first_block; b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            struct part *to = find_block(repeats, LLVMGetSuccessor(end, s));
            if (to)
                leader_of(to)->leader = leader_of(find_block(repeats, b));
        }
    }
}

static void add_block(struct repeats *repeats, struct region *region, LLVMBasicBlockRef block) {
    struct part *part = find_block(repeats, block);
    part->region = region;
    part->number = region->parts++;
    vec_push(&region->blocks, block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct part *own = find_part(repeats, i);
        own->region = region;
        own->number = region->parts++;
    }
}

// Blocks in the order in which they are come to: the same for regions that are the same.
static void walk(struct repeats *repeats, struct region *region, LLVMBasicBlockRef from) {
    VEC(LLVMBasicBlockRef) rest = {0};
    vec_push(&rest, from);
    while (rest.length) {
        LLVMBasicBlockRef block = rest.data[--rest.length];
        const struct part *part = find_block(repeats, block);
        if (!part || part->region)
            continue;
        add_block(repeats, region, block);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        for (unsigned s = LLVMGetNumSuccessors(end); s-- > 0;)
            vec_push(&rest, LLVMGetSuccessor(end, s));
    }
    vec_free(&rest);
}

static void find_regions(struct repeats *repeats) {
    LLVMValueRef dispatch = repeats->build->dispatch;
    const unsigned ways = LLVMGetNumSuccessors(dispatch);
    repeats->regions = base_alloc((ways + 1) * sizeof *repeats->regions);
    for (unsigned s = 1; s < ways; s++) { // behind that of what is no entry
        LLVMBasicBlockRef block = LLVMGetSuccessor(dispatch, s);
        struct part *leader = leader_of(find_block(repeats, block));
        if (!leader->leads)
            leader->leads = &repeats->regions[repeats->region_count++];
        vec_push(&leader->leads->ways_in, s);
        walk(repeats, leader->leads, block);
    }
}

// ---- What they are told by ----------------------------------------------------------------------

static void tell(struct region *region, enum token token, uintptr_t what) {
    vec_push(&region->tokens, token);
    vec_push(&region->tokens, what);
}

// Of a number, or of numbers: elements. 0: it is none.
static unsigned element_count(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned count = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        if (!LLVMIsAConstantDataVector(value) && !LLVMIsAConstantAggregateZero(value))
            return 0;
        count = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    } else if (!LLVMIsAConstantInt(value)) {
        return 0;
    }
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return 0;
    const unsigned bits = LLVMGetIntTypeWidth(type);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? count : 0;
}

// Whether an instruction may have a value there that is not known when code is made.
static bool may_be_read(LLVMValueRef user, unsigned operand) {
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMExtractElement:
        return false;
    case LLVMInsertElement:
        return operand == 1;
    case LLVMCall: // LLVM's own want to know some numbers
        return !LLVMIsAFunction(LLVMGetCalledValue(user)) ||
               LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(user, operand))) == LLVMVectorTypeKind;
    case LLVMGetElementPtr:
        return LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) == LLVMIntegerTypeKind;
    default:
        return true;
    }
}

static void tell_operand(const struct repeats *repeats, struct region *region, LLVMValueRef user,
                         unsigned operand, LLVMValueRef before) {
    LLVMValueRef value = LLVMGetOperand(user, operand);
    const struct part *part = find_part(repeats, value);
    if (part && part->region == region) {
        tell(region, TOKEN_OWN, part->number);
    } else if (element_count(value) && may_be_read(user, operand)) {
        const struct number number = {user, operand, before, value};
        tell(region, TOKEN_NUMBER, (uintptr_t)LLVMTypeOf(value));
        vec_push(&region->numbers, number);
    } else {
        tell(region, TOKEN_OTHER, (uintptr_t)value);
    }
}

static void tell_phi(const struct repeats *repeats, struct region *region, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        const struct part *part = find_block(repeats, from);
        region->is_odd |= !part || part->region != region;
        if (region->is_odd)
            return;
        tell(region, TOKEN_OWN, part->number);
        tell_operand(repeats, region, phi, i, LLVMGetBasicBlockTerminator(from));
    }
}

// What tells it apart from another one of its type and operands. False: it is not known.
static bool tell_kind(struct region *region, LLVMValueRef instruction) {
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    tell(region, TOKEN_INSTRUCTION, (uintptr_t)opcode);
    tell(region, TOKEN_OTHER, (uintptr_t)LLVMTypeOf(instruction));
    switch (opcode) {
    case LLVMICmp:
        tell(region, TOKEN_OTHER, (uintptr_t)LLVMGetICmpPredicate(instruction));
        return true;
    case LLVMFCmp:
        tell(region, TOKEN_OTHER, (uintptr_t)LLVMGetFCmpPredicate(instruction));
        return true;
    case LLVMLoad:
    case LLVMStore:
        tell(region, TOKEN_OTHER, LLVMGetAlignment(instruction));
        return !LLVMGetVolatile(instruction) &&
               LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic;
    case LLVMGetElementPtr:
        tell(region, TOKEN_OTHER, (uintptr_t)LLVMGetGEPSourceElementType(instruction));
        return true;
    case LLVMCall:
        tell(region, TOKEN_OTHER, (uintptr_t)LLVMGetCalledFunctionType(instruction));
        return true;
    case LLVMShuffleVector:
        for (unsigned e = 0; e < LLVMGetNumMaskElements(instruction); e++)
            tell(region, TOKEN_OTHER, (uintptr_t)(intptr_t)LLVMGetMaskValue(instruction, e));
        return true;
    case LLVMRet:
    case LLVMBr:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMFreeze:
    case LLVMFNeg:
        return true;
    default:
        return LLVMIsABinaryOperator(instruction) || LLVMIsACastInst(instruction);
    }
}

static void tell_instruction(const struct repeats *repeats, struct region *region,
                             LLVMValueRef instruction) {
    region->is_odd |= !tell_kind(region, instruction);
    const int operands = LLVMGetNumOperands(instruction);
    tell(region, TOKEN_OTHER, (uintptr_t)operands);
    if (LLVMIsAPHINode(instruction)) {
        tell_phi(repeats, region, instruction);
        return;
    }
    for (int o = 0; o < operands; o++)
        tell_operand(repeats, region, instruction, (unsigned)o, instruction);
}

// What blocks of the region give to what all entries share.
static void tell_edges(const struct repeats *repeats, struct region *region,
                       LLVMBasicBlockRef from) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
        if (find_block(repeats, to))
            continue;
        for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi))
            for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
                if (LLVMGetIncomingBlock(phi, i) == from) {
                    tell(region, TOKEN_EDGE, (uintptr_t)phi);
                    tell_operand(repeats, region, phi, i, end);
                }
    }
}

static void tell_region(const struct repeats *repeats, struct region *region) {
    for (size_t i = 0; i < region->ways_in.length; i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(repeats->build->dispatch, region->ways_in.data[i]);
        tell(region, TOKEN_OWN, find_block(repeats, to)->number);
    }
    for (size_t i = 0; i < region->blocks.length; i++) {
        LLVMBasicBlockRef b = region->blocks.data[i];
        tell(region, TOKEN_BLOCK, 0);
        for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
            tell_instruction(repeats, region, at);
        tell_edges(repeats, region, b);
    }
    region->hash =
        hash_bytes(region->tokens.data, region->tokens.length * sizeof *region->tokens.data);
}

static bool are_the_same(const struct region *a, const struct region *b) {
    return !a->is_odd && !b->is_odd && a->hash == b->hash && a->tokens.length == b->tokens.length &&
           !memcmp(a->tokens.data, b->tokens.data, a->tokens.length * sizeof *a->tokens.data);
}

// ---- One for all ------------------------------------------------------------------------------

// Regions that are the same, and the numbers in which they differ: a row for each region.
struct copies {
    struct repeats *repeats;
    VEC(struct region *) all;
    VEC(struct column) columns;
    VEC(struct reading) readings;
    size_t row_bytes;
};

struct column {
    size_t number; // the first of the regions' that is read from it
    size_t place;  // in a row
    bool is_one;   // all elements of numbers are the same
};

struct reading {
    size_t number, column;
};

static LLVMValueRef number_of(const struct copies *copies, size_t region, size_t number) {
    return copies->all.data[region]->numbers.data[number].value;
}

static bool differs(const struct copies *copies, size_t number) {
    for (size_t r = 1; r < copies->all.length; r++)
        if (number_of(copies, r, number) != number_of(copies, 0, number))
            return true;
    return false;
}

static bool are_equal(const struct copies *copies, size_t a, size_t b) {
    for (size_t r = 0; r < copies->all.length; r++)
        if (number_of(copies, r, a) != number_of(copies, r, b))
            return false;
    return true;
}

static uint64_t element(LLVMValueRef value, unsigned e) {
    if (LLVMIsAConstantAggregateZero(value))
        return 0;
    return LLVMConstIntGetZExtValue(LLVMIsAConstantInt(value) ? value
                                                              : LLVMGetElementAsConstant(value, e));
}

static bool is_one_in_all(const struct copies *copies, size_t number) {
    for (size_t r = 0; r < copies->all.length; r++) {
        LLVMValueRef value = number_of(copies, r, number);
        for (unsigned e = 1; e < element_count(value); e++)
            if (element(value, e) != element(value, 0))
                return false;
    }
    return true;
}

static unsigned element_bytes(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetIntTypeWidth(LLVMIsAConstantInt(value) ? type : LLVMGetElementType(type)) / 8;
}

static size_t column_of(struct copies *copies, size_t number) {
    for (size_t c = 0; c < copies->columns.length; c++)
        if (are_equal(copies, copies->columns.data[c].number, number))
            return c;
    const struct column made = {number, copies->row_bytes, is_one_in_all(copies, number)};
    LLVMValueRef value = number_of(copies, 0, number);
    const size_t bytes = element_bytes(value) * (made.is_one ? 1 : element_count(value));
    copies->row_bytes += (bytes + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
    vec_push(&copies->columns, made);
    return copies->columns.length - 1;
}

static void find_readings(struct copies *copies) {
    for (size_t n = 0; n < copies->all.data[0]->numbers.length; n++) {
        if (!differs(copies, n))
            continue;
        const struct reading reading = {n, column_of(copies, n)};
        vec_push(&copies->readings, reading);
    }
}

static void write_row(const struct copies *copies, size_t region, uint8_t *row) {
    for (size_t c = 0; c < copies->columns.length; c++) {
        const struct column *column = &copies->columns.data[c];
        LLVMValueRef value = number_of(copies, region, column->number);
        const unsigned bytes = element_bytes(value);
        for (unsigned e = 0; e < (column->is_one ? 1 : element_count(value)); e++) {
            const uint64_t one = element(value, e);
            memcpy(row + column->place + (size_t)e * bytes, &one, bytes); // its low bytes first
        }
    }
}

static LLVMValueRef make_table(const struct copies *copies) {
    const struct build *build = copies->repeats->build;
    const size_t rows = copies->all.length, bytes = rows * copies->row_bytes;
    uint8_t *all = base_alloc(bytes + 1);
    for (size_t r = 0; r < rows; r++)
        write_row(copies, r, all + r * copies->row_bytes);
    LLVMValueRef value =
        LLVMConstStringInContext(build->context, (const char *)all, (unsigned)bytes, true);
    LLVMValueRef table = LLVMAddGlobal(build->module, LLVMTypeOf(value), "numbers");
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, ROW_UNIT);
    free(all);
    return table;
}

// Whoever begins in any of them begins in the first one, with the own row.
static void turn_ways_in(const struct copies *copies, LLVMValueRef table) {
    struct build *build = copies->repeats->build;
    LLVMValueRef dispatch = build->dispatch;
    const struct region *first = copies->all.data[0];
    LLVMValueRef rows = LLVMConstBitCast(table, build->bytes);
    for (size_t i = 0; i < first->ways_in.length; i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(dispatch, first->ways_in.data[i]);
        for (size_t r = 0; r < copies->all.length; r++) {
            LLVMBasicBlockRef way = build_block(build, "row");
            LLVMValueRef place = build_number(build, r * copies->row_bytes);
            LLVMPositionBuilderAtEnd(build->builder, way);
            LLVMBuildStore(build->builder, LLVMConstGEP2(build->i8, rows, &place, 1),
                           copies->repeats->row);
            LLVMBuildBr(build->builder, to);
            LLVMSetSuccessor(dispatch, copies->all.data[r]->ways_in.data[i], way);
        }
    }
}

static void read_number(const struct copies *copies, const struct reading *reading) {
    struct build *build = copies->repeats->build;
    LLVMBuilderRef b = build->builder;
    const struct number *number = &copies->all.data[0]->numbers.data[reading->number];
    const struct column *column = &copies->columns.data[reading->column];
    const unsigned elements = element_count(number->value);
    const bool is_spread = elements > 1 && column->is_one;
    LLVMTypeRef type = LLVMTypeOf(number->value);
    LLVMPositionBuilderBefore(b, number->before);
    LLVMValueRef row = LLVMBuildLoad2(b, build->bytes, copies->repeats->row, here);
    LLVMValueRef value =
        build_field(build, row, column->place, is_spread ? LLVMGetElementType(type) : type);
    LLVMSetAlignment(value, element_bytes(number->value));
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(build->context, "invariant.load", 14),
                    LLVMMDNodeInContext(build->context, NULL, 0));
    if (is_spread)
        value = rows_spread(b, value, elements);
    LLVMSetOperand(number->user, number->operand, value);
}

static uint64_t count_saved(const struct copies *copies) {
    uint64_t saved = 0;
    for (size_t r = 1; r < copies->all.length; r++)
        saved += copies->all.data[r]->parts - copies->all.data[r]->blocks.length;
    return saved;
}

static uint64_t merge(struct copies *copies) {
    const struct region *first = copies->all.data[0];
    find_readings(copies);
    if (copies->columns.length > first->parts / LEAST_PER_NUMBER)
        return 0;
    turn_ways_in(copies, make_table(copies));
    for (size_t i = 0; i < copies->readings.length; i++)
        read_number(copies, &copies->readings.data[i]);
    return count_saved(copies);
}

// Of the regions behind the r-th one those that are the same.
static uint64_t merge_with_later(struct repeats *repeats, uint32_t r) {
    struct region *first = &repeats->regions[r];
    struct copies copies = {.repeats = repeats};
    if (first->is_listed || first->parts < LEAST_INSTRUCTIONS)
        return 0;
    vec_push(&copies.all, first);
    for (uint32_t s = r + 1; s < repeats->region_count; s++) {
        struct region *region = &repeats->regions[s];
        if (region->is_listed || !are_the_same(first, region))
            continue;
        region->is_listed = true;
        vec_push(&copies.all, region);
    }
    const uint64_t saved = copies.all.length > 1 ? merge(&copies) : 0;
    vec_free(&copies.all);
    vec_free(&copies.columns);
    vec_free(&copies.readings);
    return saved;
}

static void make_row(struct repeats *repeats) {
    struct build *build = repeats->build;
    LLVMBasicBlockRef begin = LLVMGetEntryBasicBlock(build->function);
    LLVMPositionBuilderBefore(build->builder, LLVMGetFirstInstruction(begin));
    repeats->row = LLVMBuildAlloca(build->builder, build->bytes, here);
}

static void free_repeats(struct repeats *repeats) {
    for (uint32_t r = 0; r < repeats->region_count; r++) {
        vec_free(&repeats->regions[r].ways_in);
        vec_free(&repeats->regions[r].blocks);
        vec_free(&repeats->regions[r].tokens);
        vec_free(&repeats->regions[r].numbers);
    }
    free(repeats->regions);
    free(repeats->parts);
    free(repeats->table);
}

uint64_t build_merge_repeats(struct build *build) {
    struct repeats repeats = {.build = build};
    uint64_t saved = 0;
    add_parts(&repeats);
    join_blocks(&repeats);
    find_regions(&repeats);
    make_row(&repeats);
    for (uint32_t r = 0; r < repeats.region_count; r++)
        tell_region(&repeats, &repeats.regions[r]);
    for (uint32_t r = 0; r < repeats.region_count; r++)
        saved += merge_with_later(&repeats, r);
    free_repeats(&repeats);
    return saved;
}
