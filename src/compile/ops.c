// From decoded instructions to the ops of a plan. See forms.h.
#include "base/alloc.h"
#include "compile/forms.h"
#include "ptx/facts.h"
#include "sim/flow/control.h"
#include "sim/native/compiler.h"

static const bool is_flow[PTX_ISA_COUNT] = {
#define ISA(opcode, form, ...)
#define FLOW(opcode, form, ...) [PTX_ISA_##opcode##_##form] = true,
#include "ptx/isa.def"
#undef ISA
#undef FLOW
};

// ---- Operands -------------------------------------------------------------------------------

static const struct form lanes = {.kind = FORM_LANES, .bits = FORM_ANY_BITS};

static struct form ramp(int64_t stride, unsigned zeros, unsigned bits) {
    return (struct form){
        .kind = FORM_RAMP, .zeros = (uint8_t)zeros, .bits = (uint8_t)bits, .stride = stride};
}

// What the sizes of grids and blocks allow.
enum { THREAD_BITS = 10, THREADS_BITS = 11, GRID_BITS = 31, LANE_BITS = 5 };

static struct form form_of_constant(const struct sim_constant *constant) {
    if (constant->kind != SIM_CONSTANT_SREG)
        return ramp(0, 0, FORM_ANY_BITS);
    switch (constant->sreg) {
    case PTX_SREG_laneid:
        return ramp(1, 64, LANE_BITS);
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return ramp(0, 0, THREADS_BITS);
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
        return ramp(0, 0, GRID_BITS);
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_gt:
    case PTX_SREG_lanemask_ge:
        return lanes;
    default:
        return ramp(0, 0, FORM_ANY_BITS);
    }
}

static struct form form_of_thread(const struct plan *plan, uint32_t offset) {
    if (offset == SIM_WARP_INDEX)
        return ramp(0, 0, LANE_BITS);
    if (!plan->has_whole_rows)
        return (struct form){.kind = FORM_LANES, .bits = THREAD_BITS};
    return offset == SIM_WARP_TID_X ? ramp(1, LANE_BITS, THREAD_BITS) : ramp(0, 0, THREAD_BITS);
}

static void read_constant(const struct plan *plan, uint32_t offset, struct op_source *source) {
    const struct sim_kernel *kernel = plan->code->kernel;
    for (size_t i = 0; i < kernel->constants.length; i++) {
        const struct sim_constant *constant = &kernel->constants.data[i];
        if (constant->offset != offset)
            continue;
        source->bytes = constant->width;
        source->form = form_of_constant(constant);
        if (constant->kind == SIM_CONSTANT_VALUE && !constant->is_address) {
            source->kind = SOURCE_CONSTANT;
            source->value = constant->value;
            source->form.zeros = constant->value ? (uint8_t)__builtin_ctzll(constant->value) : 64;
            source->form.bits =
                constant->value ? (uint8_t)(64 - __builtin_clzll(constant->value)) : 0;
        }
        return;
    }
    source->kind = SOURCE_NONE;
}

static unsigned class_bytes(const struct plan *plan, uint32_t reg) {
    const enum ir_class class = plan->function->registers[reg].class;
    return class == IR_CLASS_PREDICATE ? 0 : class == IR_CLASS_32 ? 4 : 8;
}

static struct op_source register_source(const struct plan *plan, uint32_t reg) {
    return (struct op_source){.kind = SOURCE_REGISTER, .reg = reg, .bytes = class_bytes(plan, reg)};
}

// `ref`: as it was decoded. kind SOURCE_NONE: nothing that native code reads.
static struct op_source read_source(const struct plan *plan, const struct ir_operand *operand,
                                    sim_ref ref) {
    struct op_source source = {.kind = SOURCE_MEMORY, .reg = IR_NONE, .ref = ref, .bytes = 4};
    const uint32_t offset = ref & ~(sim_ref)3;
    if (operand->kind == IR_OPERAND_REGISTER) {
        source = register_source(plan, operand->reg);
        source.is_negated = operand->is_negated;
        return source;
    }
    switch (ref & 3) {
    case SIM_BASE_CONSTANTS:
        read_constant(plan, offset, &source);
        break;
    case SIM_BASE_WARP:
        source.form = form_of_thread(plan, offset);
        break;
    case SIM_BASE_BLOCK:
        source.form = ramp(0, 0, GRID_BITS);
        break;
    default: // what an instruction of the decoder's own has computed
        source.kind = SOURCE_NONE;
    }
    return source;
}

// ---- Values ---------------------------------------------------------------------------------

static uint32_t written_register(const struct ir_operand *operand) {
    return operand->kind == IR_OPERAND_REGISTER ? operand->reg : IR_NONE;
}

static bool read_value_operands(const struct plan *plan, const struct ir_instruction *ir,
                                const struct sim_instr *instr, struct op *op) {
    const struct ir_operand *to = &ir->operands[0];
    if (to->kind != IR_OPERAND_REGISTER && to->kind != IR_OPERAND_SINK)
        return false;
    op->to = written_register(to);
    op->pair = to->pair;
    op->source_count = ir->operand_count - 1;
    if (op->source_count > 4)
        return false;
    for (unsigned i = 0; i < op->source_count; i++) {
        const struct ir_operand *operand = &ir->operands[i + 1];
        if (operand->kind == IR_OPERAND_VECTOR || operand->kind == IR_OPERAND_ADDRESS ||
            (operand->kind == IR_OPERAND_REGISTER && operand->pair != IR_NONE))
            return false;
        // Comparisons whose operands were swapped are decoded so.
        const unsigned decoded = op->meaning.swaps && i < 2 ? 1 - i : i;
        op->sources[i] = read_source(plan, operand, instr->operand[decoded + 1]);
        if (op->sources[i].kind == SOURCE_NONE)
            return false;
    }
    return true;
}

// A sum that was contracted is the product's fma.
static void read_contracted(const struct ir_instruction *ir, struct op *op) {
    const bool ftz = PTX_HAS(ir->ptx, ftz), sat = PTX_HAS(ir->ptx, sat);
    op->negates_product = ir->negates_product;
    op->negates_addend = ir->negates_addend;
    if (ir->ptx->types[0] == PTX_F64)
        op->meaning.value = IR_VALUE_fma_f64;
    else
        op->meaning.value = ftz   ? sat ? IR_VALUE_fma_ftz_sat_f32 : IR_VALUE_fma_ftz_f32
                            : sat ? IR_VALUE_fma_sat_f32
                                  : IR_VALUE_fma_f32;
}

static bool read_value(const struct plan *plan, const struct ir_instruction *ir,
                       const struct sim_instr *instr, struct op *op) {
    if (ir_reads_carry(ir->ptx))
        return false;
    if (ir->is_contracted)
        read_contracted(ir, op);
    else
        op->meaning = ir_meaning_of(plan->function, ir);
    return op->meaning.value != IR_VALUE_NONE && read_value_operands(plan, ir, instr, op);
}

// ---- Accesses -------------------------------------------------------------------------------

enum { MOST_ELEMENTS = 4 };

// Of shapes that the interpreter, too, has a quick way for. What is volatile in a block's own
// memory may be: its warps take turns at branches of loops that poll it.
static bool read_access(struct plan *plan, const struct ir_instruction *ir,
                        const struct sim_instr *instr, struct op *op, bool is_store) {
    const struct sim_access *access = op->access = instr->access;
    const bool is_shared = access->space == PTX_SPACE_SHARED;
    if ((!is_shared && access->space != PTX_SPACE_GLOBAL) || access->site == IR_NONE ||
        (access->has_base && access->base_is_32 != is_shared) || ir_is_volatile(ir) ||
        (access->order != EVENT_WEAK && access->order != EVENT_VOLATILE) ||
        access->count > MOST_ELEMENTS || access->count * access->bytes > 16 || access->has_base2)
        return false;
    const struct ir_operand *data = &ir->operands[is_store ? 1 : 0];
    const struct ir_operand *address = &ir->operands[is_store ? 0 : 1];
    if (address->kind != IR_OPERAND_ADDRESS)
        return false;
    if (access->has_base)
        op->base = register_source(plan, address->reg);
    else if (is_shared)
        op->base = (struct op_source){.kind = SOURCE_CONSTANT, .bytes = 4, .form = ramp(0, 64, 0)};
    else
        op->base = (struct op_source){.kind = SOURCE_CONSTANT, .bytes = 8, .form = ramp(0, 64, 0)};
    for (unsigned e = 0; e < access->count; e++) {
        const struct ir_operand *element =
            data->kind == IR_OPERAND_VECTOR ? &data->elements[e] : data;
        const unsigned held = access->bytes == 8 ? 8 : 4;
        if (access->element_bytes[e] != held ||
            (!is_store && access->is_signed && access->bytes < 4))
            return false;
        if (is_store) {
            op->elements[e] = read_source(plan, element, access->element[e]);
            if (op->elements[e].kind == SOURCE_NONE)
                return false;
        } else if (element->kind != IR_OPERAND_REGISTER && element->kind != IR_OPERAND_SINK) {
            return false;
        }
        op->targets[e] = is_store ? IR_NONE : written_register(element);
    }
    return true;
}

// ---- Atomics --------------------------------------------------------------------------------

// Of whole words of the block's own memory, of which other blocks know nothing.
static bool is_native_atomic(const struct ir_instruction *ir, const struct sim_access *access) {
    const enum ptx_type_class class = ptx_type_class(ir->ptx->types[0]);
    const bool is_number =
        class == PTX_CLASS_BITS || class == PTX_CLASS_UNSIGNED || class == PTX_CLASS_SIGNED;
    return (ir->ptx->isa == PTX_ISA_red_any || ir->ptx->isa == PTX_ISA_atom_any ||
            ir->ptx->isa == PTX_ISA_atom_cas) &&
           ir->guard == IR_NONE && access->space == PTX_SPACE_SHARED && is_number &&
           access->bytes == 4 && access->site != IR_NONE && access->order == EVENT_RELAXED &&
           access->has_base && access->base_is_32 && !access->has_base2;
}

static bool read_atomic(const struct plan *plan, const struct ir_instruction *ir,
                        const struct sim_instr *instr, struct op *op) {
    const bool has_result = ir->ptx->isa != PTX_ISA_red_any;
    const struct ir_operand *address = &ir->operands[has_result ? 1 : 0];
    op->access = instr->access;
    if (!is_native_atomic(ir, op->access) || address->kind != IR_OPERAND_ADDRESS)
        return false;
    op->atomic = ptx_modifier_of(ir->ptx, PTX_GROUP_op);
    op->base = register_source(plan, address->reg);
    op->to = has_result ? written_register(&ir->operands[0]) : IR_NONE;
    const unsigned count = op->atomic == PTX_MOD_cas ? 2 : 1, first = has_result ? 2 : 1;
    for (unsigned n = 0; n < count; n++) {
        op->elements[n] = read_source(plan, &ir->operands[first + n], instr->operand[first + n]);
        if (op->elements[n].kind == SOURCE_NONE || op->elements[n].bytes != 4)
            return false;
    }
    return true;
}

// ---- All instructions -----------------------------------------------------------------------

// The interpreter's handler does nothing but what its operands say, or faults.
static bool may_call(const struct ir_instruction *ir) {
    if (ir->ptx->isa == PTX_ISA_bar_warp)
        return true;
    if (is_flow[ir->ptx->isa] || ir->call || ir_is_volatile(ir) ||
        ptx_is(ir->ptx, PTX_FACT_SYNCS) || ir_is_async_product(ir))
        return false;
    switch (ptx_access_of(ir->ptx)) {
    case PTX_ACCESS_NONE:
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
    case PTX_ACCESS_MATRIX_LOAD:
    case PTX_ACCESS_MATRIX_STORE:
    case PTX_ACCESS_ASYNC_COPY:
        break;
    default:
        return false;
    }
    return ir->ptx->isa != PTX_ISA_nanosleep_any;
}

static void read_jump(const struct ir_instruction *ir, const struct sim_instr *instr,
                      struct op *op) {
    op->kind = instr->immediate ? OP_LEAVE : OP_JUMP; // in a loop that polls
    op->target = ir->target;
}

static void read_instruction(struct plan *plan, const struct compile_request *request,
                             struct op *op) {
    const struct ir_instruction *ir = &plan->function->instructions[op->ir];
    const struct sim_instr *instr = &plan->code->instrs[op->at];
    op->kind = OP_LEAVE;
    op->guard = ir->guard;
    op->guard_negated = ir->guard_negated;
    op->to = op->pair = IR_NONE;
    for (unsigned e = 0; e < 4; e++)
        op->targets[e] = IR_NONE;
    const uint32_t before = op->at - op->first;
    const bool has_guard = before && plan->code->instrs[op->first].run[0] == request->guard;
    if (before > (has_guard ? 1u : 0u))
        return; // something of the decoder's own
    if (ir->ptx->isa == PTX_ISA_bra_any) {
        read_jump(ir, instr, op);
        return;
    }
    if (!may_call(ir))
        return;
    op->kind = OP_CALL;
    const enum ptx_access access = ptx_access_of(ir->ptx);
    if (access == PTX_ACCESS_NONE && read_value(plan, ir, instr, op))
        op->kind = OP_VALUE;
    else if (access == PTX_ACCESS_LOAD && read_access(plan, ir, instr, op, false))
        op->kind = OP_LOAD;
    else if (access == PTX_ACCESS_STORE && read_access(plan, ir, instr, op, true))
        op->kind = OP_STORE;
    else if ((access == PTX_ACCESS_ATOMIC || access == PTX_ACCESS_REDUCTION) &&
             read_atomic(plan, ir, instr, op))
        op->kind = OP_ATOMIC;
}

// A constant of the launch, copied to a register.
static void read_copy(const struct plan *plan, uint32_t reg, struct op *op) {
    const struct sim_instr *instr = &plan->code->instrs[op->at];
    const unsigned bytes = class_bytes(plan, reg);
    op->kind = OP_VALUE;
    op->meaning = (struct ir_meaning){.value = bytes == 8 ? IR_VALUE_copy_64 : IR_VALUE_copy_32};
    op->to = reg;
    op->guard = op->pair = IR_NONE;
    op->sources[0] = (struct op_source){.kind = SOURCE_MEMORY, .ref = instr->operand[1]};
    op->source_count = 1;
    read_constant(plan, instr->operand[1] & ~(sim_ref)3, &op->sources[0]);
    if (bytes != op->sources[0].bytes)
        op->kind = OP_LEAVE;
}

static bool is_copy(const struct compile_request *request, const struct sim_instr *instr) {
    return instr->run[1] == request->copy32 || instr->run[1] == request->copy64;
}

static const struct ir_operand *copied_to(const struct ir_instruction *ir, uint32_t n) {
    const struct ir_operand *to = &ir->operands[0];
    return to->kind == IR_OPERAND_VECTOR ? &to->elements[n] : to;
}

// Of constant memory, at a place in a variable that is known: all lanes have what lies there.
// (Where there is none the interpreter says so.)
static bool is_fixed_load(const struct ir_instruction *ir, const struct sim_instr *instr) {
    const struct sim_access *access = instr->access;
    if (ir->ptx->isa != PTX_ISA_ld_any || ir->guard != IR_NONE || PTX_HAS(ir->ptx, volatile) ||
        access->space != PTX_SPACE_CONST || access->has_base || access->order != EVENT_WEAK ||
        (access->bytes != 4 && access->bytes != 8))
        return false;
    const struct ir_operand *address = &ir->operands[1];
    if (address->kind != IR_OPERAND_ADDRESS || !address->variable)
        return false;
    const uint64_t bytes = (uint64_t)access->bytes * access->count, at = (uint64_t)address->value,
                   all = address->variable->ptx->bytes;
    for (unsigned e = 0; e < access->count; e++)
        if (access->element_bytes[e] != access->bytes)
            return false;
    return bytes <= all && at <= all - bytes && access->offset % bytes == 0;
}

// A copy for each element.
static void read_fixed_load(struct plan *plan, const struct ir_instruction *ir, uint32_t i,
                            uint32_t at) {
    const struct sim_access *access = plan->code->instrs[at].access;
    for (unsigned e = 0; e < access->count; e++) {
        struct op *op = &plan->ops[plan->op_count++];
        op->ir = i;
        op->first = op->at = at;
        op->kind = OP_NOTHING;
        op->guard = op->pair = IR_NONE;
        op->to = written_register(copied_to(ir, e));
        if (op->to == IR_NONE)
            continue;
        op->kind = OP_VALUE;
        op->meaning =
            (struct ir_meaning){.value = access->bytes == 8 ? IR_VALUE_copy_64 : IR_VALUE_copy_32};
        op->sources[0] = (struct op_source){.kind = SOURCE_FIXED,
                                            .value = access->offset + e * access->bytes,
                                            .bytes = access->bytes,
                                            .form = ramp(0, 0, FORM_ANY_BITS)};
        op->source_count = 1;
    }
}

static uint32_t read_block(struct plan *plan, const struct compile_request *request, uint32_t b,
                           uint32_t end) {
    const struct sim_code *code = plan->code;
    uint32_t at = code->block_start[b];
    const struct ir_block *block = &plan->function->blocks[b];
    while (at < end && (code->instrs[at].run[0] == request->reconverge ||
                        code->instrs[at].run[0] == request->join))
        at++;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_instruction *ir = &plan->function->instructions[i];
        uint32_t last = at;
        while (last + 1 < end && code->instrs[last + 1].ir == i)
            last++;
        const bool is_parameter = ir->ptx->isa == PTX_ISA_ld_param &&
                                  is_copy(request, &code->instrs[at]) && ir->guard == IR_NONE;
        if (is_parameter) {
            for (uint32_t k = at; k <= last; k++) {
                struct op *op = &plan->ops[plan->op_count++];
                op->ir = i;
                op->first = op->at = k;
                const uint32_t reg = written_register(copied_to(ir, k - at));
                if (reg == IR_NONE)
                    op->kind = OP_NOTHING;
                else
                    read_copy(plan, reg, op);
            }
        } else if (at == last && is_fixed_load(ir, &code->instrs[at])) {
            read_fixed_load(plan, ir, i, at);
        } else {
            struct op *op = &plan->ops[plan->op_count++];
            op->ir = i;
            op->first = at;
            op->at = last;
            read_instruction(plan, request, op);
        }
        at = last + 1;
    }
    return at;
}

// An instruction is one, or one for each element that it loads.
static size_t most_ops(const struct sim_code *code) {
    size_t count = code->instr_count;
    for (uint32_t i = 0; i < code->ir->instruction_count; i++)
        count += code->ir->instructions[i].operand_count
                     ? code->ir->instructions[i].operands[0].element_count
                     : 0;
    return count;
}

void ops_read(struct plan *plan, const struct compile_request *request) {
    const struct sim_code *code = plan->code;
    const struct ir_function *function = plan->function;
    plan->ops = base_alloc((most_ops(code) + 1) * sizeof *plan->ops);
    plan->block_ops = base_alloc((function->block_count + 2) * sizeof *plan->block_ops);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const uint32_t end =
            b + 1 < function->block_count ? code->block_start[b + 1] : code->instr_count;
        plan->block_ops[b] = plan->op_count;
        read_block(plan, request, b, end);
    }
    plan->block_ops[function->block_count] = plan->op_count;
}
