// From a plan to machine code. See sim/native/compiler.h and build.h.
#include "compile/build.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/InstCombine.h>
#include <llvm-c/Transforms/Scalar.h>
#include <llvm-c/Transforms/Utils.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/image.h"
#include "sim/flow/warp.h"

static const char here[] = "";

// ---- Jumps ------------------------------------------------------------------------------------

void build_edge(struct build *build, uint32_t to) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(build->builder);
    const struct form *forms = plan_forms(build->plan, to);
    for (uint32_t r = 0; r < build->plan->function->register_count; r++) {
        LLVMValueRef phi = build->phis[to][r];
        if (!phi)
            continue;
        LLVMValueRef value =
            forms[r].kind == FORM_RAMP ? build->held[r].value : build_register_lanes(build, r);
        LLVMAddIncoming(phi, &value, &from, 1);
    }
    LLVMBuildBr(build->builder, build->blocks[to]);
}

// Where a slice is used up the interpreter takes the jump.
static void check_slice(struct build *build, uint32_t number) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef is_early = LLVMBuildICmp(b, LLVMIntSLT, build_counted(build), build->left, here);
    LLVMBasicBlockRef rare = build_unless(build, is_early);
    LLVMBasicBlockRef usual = LLVMGetInsertBlock(b);
    LLVMPositionBuilderAtEnd(b, rare);
    build_leave(build, number);
    LLVMPositionBuilderAtEnd(b, usual);
}

static void take_jump(struct build *build, uint32_t number, const struct op *op) {
    const struct sim_code *code = build->plan->code;
    if (code->block_start[op->target] <= op->at)
        check_slice(build, number);
    build_count_jump(build, op);
    build_edge(build, op->target);
}

static bool may_part(const struct build *build, uint32_t number) {
    const struct plan *plan = build->plan;
    return plan->may_part[ir_block_of(plan->function, plan->ops[number].ir)];
}

// Some lanes jump and some do not.
static void part(struct build *build, uint32_t number) {
    const struct plan *plan = build->plan;
    const uint32_t count = plan->function->register_count;
    if (!may_part(build, number)) {
        build_leave(build, number);
        return;
    }
    struct held *held = base_alloc((count + 1) * sizeof *held);
    struct form *forms = base_alloc((count + 1) * sizeof *forms);
    memcpy(held, build->held, count * sizeof *held);
    memcpy(forms, build->forms, count * sizeof *forms);
    build_parted(build, number);
    memcpy(build->held, held, count * sizeof *held);
    memcpy(build->forms, forms, count * sizeof *forms);
    free(held);
    free(forms);
}

// Whether the condition holds in all lanes, or in none. Where they may part, it is asked of what
// tells the lanes apart then.
static void ask_lanes(struct build *build, uint32_t number, LLVMValueRef *all, LLVMValueRef *none) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef condition = build->held[build->plan->ops[number].guard].value;
    if (may_part(build, number)) {
        LLVMValueRef bits = build_bits(build, condition);
        *all = LLVMBuildICmp(b, LLVMIntEQ, bits, LLVMConstAllOnes(build->i32), here);
        *none = LLVMBuildICmp(b, LLVMIntEQ, bits, LLVMConstNull(build->i32), here);
    } else {
        *all = build_is_all(build, condition);
        *none = build_is_none(build, condition);
    }
}

// Returns with code that is reached where the jump is not taken, unless it always is.
static void build_jump(struct build *build, uint32_t number) {
    const struct op *op = &build->plan->ops[number];
    LLVMBuilderRef b = build->builder;
    if (op->guard == IR_NONE) {
        take_jump(build, number, op);
        build->is_open = false;
        return;
    }
    const bool is_once = build->plan->is_made_once[ir_block_of(build->plan->function, op->ir)];
    LLVMBasicBlockRef taken = build_block(build, "taken"),
                      rest = is_once ? NULL : build_block(build, "rest");
    struct held *guard = &build->held[op->guard];
    if (guard->form.kind == FORM_RAMP) {
        LLVMBuildCondBr(b, guard->value, op->guard_negated ? rest : taken,
                        op->guard_negated ? taken : rest);
    } else {
        LLVMValueRef all, none;
        ask_lanes(build, number, &all, &none);
        LLVMBasicBlockRef other = build_block(build, "other"),
                          parted = is_once ? other : build_block(build, "parted");
        LLVMBuildCondBr(b, op->guard_negated ? none : all, taken, other);
        LLVMPositionBuilderAtEnd(b, other);
        if (!is_once)
            LLVMBuildCondBr(b, op->guard_negated ? all : none, rest, parted);
        LLVMPositionBuilderAtEnd(b, parted);
        part(build, number);
    }
    LLVMPositionBuilderAtEnd(b, taken);
    take_jump(build, number, op);
    build->is_open = !is_once;
    if (!is_once)
        LLVMPositionBuilderAtEnd(b, rest);
}

// ---- The function -----------------------------------------------------------------------------

void build_op(struct build *build, uint32_t number) {
    struct op *op = &build->plan->ops[number];
    build_step(build, op, build->forms);
    if (op->kind != OP_VALUE && op->kind != OP_NOTHING)
        build_settle(build);
    switch (op->kind) {
    case OP_VALUE:
        build_value(build, number);
        break;
    case OP_LOAD:
    case OP_STORE:
        build_interpreted(build, number);
        break;
    case OP_JUMP:
        build_jump(build, number);
        break;
    case OP_ATOMIC:
        build_atomic(build, number);
        break;
    case OP_CALL:
        build_interpreted(build, number);
        break;
    case OP_LEAVE:
        build_leave(build, number);
        build->is_open = false;
        break;
    case OP_NOTHING:
        break;
    }
}

static void begin_block(struct build *build, uint32_t b) {
    const struct form *forms = plan_forms(build->plan, b);
    const uint32_t count = build->plan->function->register_count;
    memcpy(build->forms, forms, count * sizeof *forms);
    for (uint32_t r = 0; r < count; r++)
        build->held[r] = (struct held){.form = forms[r],
                                       .value = build->phis[b][r],
                                       .is_saved = !plan_is_unsaved(build->plan, b, r)};
    LLVMPositionBuilderAtEnd(build->builder, build->blocks[b]);
    build->is_open = true;
}

// Behind what the interpreter does.
static void reenter(struct build *build, uint32_t number) {
    LLVMBasicBlockRef to = build_block(build, "again");
    build_entry(build, number, to, false);
    LLVMPositionBuilderAtEnd(build->builder, to);
    build->is_open = true;
}

static void build_function_block(struct build *build, uint32_t b) {
    const struct plan *plan = build->plan;
    begin_block(build, b);
    if (plan->is_entry[plan->block_ops[b]])
        build_entry(build, plan->block_ops[b], build->blocks[b], true);
    const uint32_t end = plan->block_ops[b + 1];
    for (uint32_t o = plan->block_ops[b]; o < end;) {
        if (!build->is_open && plan->is_entry[o])
            reenter(build, o);
        const uint32_t behind = build->is_open ? build_segment(build, o, end) : o;
        if (behind == o && build->is_open)
            build_op(build, o);
        else if (behind == o)
            forms_step(plan, &build->plan->ops[o], build->forms);
        o = behind == o ? o + 1 : behind;
    }
    if (build->is_open) {
        build_settle(build);
        const struct ir_block *block = &plan->function->blocks[b];
        build_edge(build, block->successors[block->successor_count - 1]);
    }
}

static void create_blocks(struct build *build) {
    const struct plan *plan = build->plan;
    const uint32_t count = plan->function->block_count, registers = plan->function->register_count;
    for (uint32_t b = 0; b < count; b++) {
        if (!plan->is_reached[b])
            continue;
        build->blocks[b] = build_block(build, "block");
        build->phis[b] = base_alloc((registers + 1) * sizeof *build->phis[b]);
        LLVMPositionBuilderAtEnd(build->builder, build->blocks[b]);
        for (uint32_t r = 0; r < registers; r++) {
            if (!ir_is_live(&plan->live, plan->live.in, b, r))
                continue;
            const unsigned lanes = plan_forms(plan, b)[r].kind == FORM_RAMP ? 1 : LANES;
            build->phis[b][r] =
                LLVMBuildPhi(build->builder, build_register_type(build, r, lanes), here);
        }
    }
}

// Of the function's own.
static LLVMValueRef build_memory(struct build *build, unsigned bytes) {
    LLVMValueRef all = LLVMBuildAlloca(build->builder, LLVMArrayType(build->i8, bytes), here);
    LLVMSetAlignment(all, 64);
    return LLVMBuildBitCast(build->builder, all, build->bytes, here);
}

static void build_prologue(struct build *build) {
    LLVMBuilderRef b = build->builder;
    LLVMPositionBuilderAtEnd(b, build_block(build, "begin"));
    build->cells = LLVMGetParam(build->function, 2);
    build->links = LLVMGetParam(build->function, 3);
    build->count = LLVMBuildAlloca(b, build->i64, here);
    build->run_start = LLVMBuildAlloca(b, build->i32, here);
    build->some_count = LLVMBuildAlloca(b, build->i64, here);
    build->some_threads = LLVMBuildAlloca(b, build->i64, here);
    build->left_for = LLVMBuildAlloca(b, build->bytes, here);
    build->lane_values = build_memory(build, BUILD_VALUES_BYTES);
    LLVMValueRef block = build_field(build, LLVMGetParam(build->function, 0),
                                     offsetof(struct sim_warp, block), build->bytes);
    build->shared = build_field(build, block, offsetof(struct sim_block, shared), build->bytes);
    LLVMValueRef instrs = LLVMBuildPtrToInt(b, build_instrs(build), build->i64, here);
    LLVMValueRef at = LLVMBuildPtrToInt(b, LLVMGetParam(build->function, 1), build->i64, here);
    LLVMValueRef index =
        LLVMBuildUDiv(b, LLVMBuildSub(b, at, instrs, here),
                      LLVMConstInt(build->i64, sizeof(struct sim_instr), false), here);
    build_turn(build, index);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef base =
            build_field(build, build->warp, offsetof(struct sim_warp, base) + i * sizeof(uint8_t *),
                        build->bytes);
        build->base[i] = build_pointer(build, base, (uint64_t)-BUILD_BEFORE_BASE, build->i8);
    }
    LLVMBuildStore(b, LLVMConstInt(build->i64, 0, false), build->count);
    LLVMBuildStore(b, LLVMConstInt(build->i64, 0, false), build->some_count);
    LLVMBuildStore(b, LLVMConstInt(build->i64, 0, false), build->some_threads);
    LLVMBuildStore(b, build->start, build->run_start);
    // A jump may be up to the instructions of the kernel behind the last one.
    LLVMValueRef slice =
        build_field(build, build->flow, offsetof(struct sim_warp_flow, slice), build->i64);
    LLVMValueRef spin =
        build_field(build, build->flow, offsetof(struct sim_warp_flow, spin), build->i64);
    LLVMValueRef left = LLVMBuildSub(b, slice, spin, here);
    build->left = LLVMBuildSub(
        b, left, LLVMConstInt(build->i64, build->plan->function->instruction_count, false), here);
    LLVMBasicBlockRef none = build_block(build, "none");
    build->dispatch = LLVMBuildSwitch(b, build->at, none, 8);
    LLVMPositionBuilderAtEnd(b, none);
    LLVMBuildRet(b, LLVMGetParam(build->function, 1));
    build_turn_end(build);
    build_leaving(build);
}

static void add_attribute(struct build *build, const char *name, const char *value) {
    LLVMAddAttributeAtIndex(build->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(build->context, name, (unsigned)strlen(name),
                                                      value, (unsigned)strlen(value)));
}

static char *cpu, *features; // this machine's, for LLVM

void build_name_processor(struct build *build) {
    const char *lanes = build->plan->lanes;
    const bool is_plain = lanes && !strcmp(lanes, "base"), is_own = !lanes;
    add_attribute(build, "target-cpu", is_own ? cpu : is_plain ? "x86-64" : "x86-64-v3");
    add_attribute(build, "target-features", is_own ? features : "");
    add_attribute(build, "no-trapping-math", "true");
    const bool is_wide = is_own && strstr(features, "+avx512f") != NULL;
    build->has_mask_registers = is_wide;
#if defined(__x86_64__)
    build->has_permutations = is_own ? strstr(features, "+avx2") != NULL : !is_plain;
#endif
    add_attribute(build, "prefer-vector-width", is_wide ? "512" : "256");
    add_attribute(build, "min-legal-vector-width", is_wide ? "512" : "256");
}

static void build_function(struct build *build) {
    LLVMTypeRef parameters[] = {build->bytes, build->bytes, build->bytes, build->bytes,
                                build->bytes};
    build->function = LLVMAddFunction(build->module, "kernel",
                                      LLVMFunctionType(build->bytes, parameters, 5, false));
    build_name_processor(build);
    build_prologue(build);
    LLVMBasicBlockRef shared = LLVMGetLastBasicBlock(build->function);
    create_blocks(build);
    build->first_block = LLVMGetNextBasicBlock(shared);
    for (uint32_t b = 0; b < build->plan->function->block_count; b++)
        if (build->plan->is_reached[b])
            build_function_block(build, b);
}

// ---- Machine code -------------------------------------------------------------------------------

// So that regions differ by what they do alone.
static void tidy(LLVMModuleRef module) {
    LLVMPassManagerRef passes = LLVMCreatePassManager();
    LLVMAddPromoteMemoryToRegisterPass(passes);
    LLVMAddEarlyCSEPass(passes);
    LLVMAddDCEPass(passes);
    LLVMRunPassManager(passes, module);
    LLVMDisposePassManager(passes);
}

static void optimize(LLVMModuleRef module) {
    LLVMPassManagerRef passes = LLVMCreatePassManager();
    LLVMAddCFGSimplificationPass(passes);
    LLVMAddPromoteMemoryToRegisterPass(passes);
    LLVMAddLICMPass(passes);
    LLVMRunPassManager(passes, module);
    LLVMDisposePassManager(passes);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_over;
static LLVMContextRef context;
static LLVMTargetMachineRef machine;
static struct rows *rows;

// There is no other way to say so.
static void set_options(void) {
    static const char *const options[] = {
        "bankrun",
        // The loop over warps is the whole kernel: what LLVM would move out of it would be kept in
        // registers, or rather in memory, all the way.
        "-disable-machine-licm",
        // What takes long, and makes code that is no quicker. Vectors of 32 lanes need all
        // registers, and instructions are in order when they are selected: put in another one
        // before registers are given out, they were spilled more often.
        "-enable-misched=0",
        "-post-RA-scheduler=0",
        "-combiner-store-merging=0",
        "-join-globalcopies=0",
        "-disable-lsr",
        "-disable-copyprop",
        "-disable-ssc",
#if defined(__x86_64__)
        "-x86-cmov-converter=0",
        "-fixup-byte-word-insts=0",
#endif
    };
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
}

// By name: headers take for the machine's own the one that they were installed on, and a cross
// build has another one's.
#if defined(__aarch64__)
#define INITIALIZE(what) LLVMInitializeAArch64##what()
#else
#define INITIALIZE(what) LLVMInitializeX86##what()
#endif

static LLVMTargetMachineRef target_machine(void) {
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;
    LLVMTargetMachineRef made = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message))
        LLVMDisposeMessage(message);
    else // processor and features are the function's
        made = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                       LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    return made;
}

static void prepare(void) {
    set_options();
    INITIALIZE(TargetInfo);
    INITIALIZE(Target);
    INITIALIZE(TargetMC);
    INITIALIZE(AsmPrinter);
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    machine = target_machine();
    context = LLVMContextCreate();
    rows = machine ? rows_load(context) : NULL;
}

// A process that ends waits for a kernel that is being compiled: LLVM's own data goes away then.
static void end(void) {
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_mutex_unlock(&lock);
}

// Of fork(): the thread that compiles, if one does, is not in it, and will not come to an end.
static void begin_child(void) {
    if (pthread_mutex_trylock(&lock) == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    is_over = true;
    pthread_mutex_init(&lock, NULL);
}

// LLVM registers more with each thing that it does first: a child that is made meanwhile waits for
// the C library's lock when it ends.
static void open_library(void) {
    prepare();
    atexit(end); // runs in front of what LLVM has registered until now
    pthread_atfork(NULL, NULL, begin_child);
}

static bool emit_object(LLVMModuleRef module, LLVMMemoryBufferRef *object) {
    char *message = NULL;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    const bool ok =
        !LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, object);
    if (!ok)
        LLVMDisposeMessage(message);
    LLVMDisposeTargetData(layout);
    return ok;
}

static bool emit(struct build *build, struct compiled *result) {
    LLVMMemoryBufferRef object;
    const char *why;
    if (!emit_object(build->module, &object))
        return false;
    result->image = image_make(LLVMGetBufferStart(object), LLVMGetBufferSize(object), "kernel",
                               &result->image_bytes, &why);
    if (!result->image)
        fprintf(stderr, "bankrun: %s is interpreted, since its code cannot be loaded: %s\n",
                build->plan->function->name, why);
    LLVMDisposeMemoryBuffer(object);
    return result->image != NULL;
}

static uint64_t count_instructions(LLVMModuleRef module) {
    uint64_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

static bool is_valid(const struct build *build) {
    char *message = NULL;
    const bool fails = LLVMVerifyModule(build->module, LLVMReturnStatusAction, &message);
    if (fails)
        fprintf(stderr, "bankrun: %s is interpreted, since LLVM does not take its code: %s\n",
                build->plan->function->name, message);
    LLVMDisposeMessage(message);
    return !fails;
}

static bool make_code(struct build *build, struct compiled *result) {
    const uint64_t all = count_instructions(build->module);
    if (!is_valid(build))
        return false;
    tidy(build->module);
    result->weight = all - build_merge_repeats(build);
    if (result->weight > build->request->most)
        return false;
    optimize(build->module);
    return emit(build, result);
}

static void free_build(struct build *build) {
    for (uint32_t b = 0; b < build->plan->function->block_count; b++)
        free(build->phis[b]);
    free(build->phis);
    free(build->blocks);
    free(build->held);
    free(build->asked.held);
    free(build->forms);
    LLVMDisposeBuilder(build->builder);
    LLVMDisposeModule(build->module);
}

static bool compile_plan(const struct compile_request *request, struct plan *plan,
                         struct compiled *result) {
    const struct ir_function *function = plan->function;
    struct build build = {
        .request = request,
        .plan = plan,
        .rows = rows,
        .context = context,
        .module = LLVMModuleCreateWithNameInContext("kernel", context),
        .builder = LLVMCreateBuilderInContext(context),
        .i1 = LLVMInt1TypeInContext(context),
        .i8 = LLVMInt8TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .bytes = LLVMPointerType(LLVMInt8TypeInContext(context), 0),
        .held = base_alloc((function->register_count + 1) * sizeof(struct held)),
        .asked.held = base_alloc((function->register_count + 1) * sizeof(struct held)),
        .forms = base_alloc((function->register_count + 1) * sizeof(struct form)),
        .blocks = base_alloc((function->block_count + 1) * sizeof(LLVMBasicBlockRef)),
        .phis = base_alloc((function->block_count + 1) * sizeof(LLVMValueRef *)),
    };
    build_function(&build);
    const bool ok = make_code(&build, result);
    result->entries = build.ways.entries.data;
    result->entry_count = (uint32_t)build.ways.entries.length;
    result->exits = build.ways.exits.data;
    result->exit_count = (uint32_t)build.ways.exits.length;
    result->ramps = build.ways.ramps.data;
    result->ramp_count = (uint32_t)build.ways.ramps.length;
    result->segments = build.segments.list.data;
    result->segment_count = (uint32_t)build.segments.list.length;
    result->members = build.segments.members.data;
    result->member_count = (uint32_t)build.segments.members.length;
    result->group_count = build.segments.groups;
    free_build(&build);
    return ok;
}

static bool compile(const struct compile_request *request, struct compiled *result) {
    memset(result, 0, sizeof *result);
    pthread_mutex_lock(&lock);
    struct plan *plan = rows && !is_over ? plan_create(request) : NULL;
    const bool ok = plan && compile_plan(request, plan, result);
    plan_free(plan);
    pthread_mutex_unlock(&lock);
    return ok;
}

__attribute__((visibility("default"))) extern const struct compile_library bankrun_compile_library;
const struct compile_library bankrun_compile_library = {COMPILE_VERSION, open_library, compile};
