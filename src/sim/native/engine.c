// Which kernels are compiled, and when. See native.h.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/strbuf.h"
#include "sim/flow/control.h"
#include "sim/native/kept.h"
#include "sim/native/native_internal.h"

// Warp instructions after which it is first looked how long a kernel takes to compile.
enum { HOT = 24 << 20, HOT_FOR_EACH = 100000 };
// As many take the interpreter about as long as LLVM takes for each instruction that it is given,
// and for as many instructions altogether it takes twice as long for each: bench/README.md.
enum { HOT_FOR_WEIGHT = 1200, TWICE = 30000 };
// And after which it is looked for among those that earlier runs have made.
enum { WARM = 1 << 20, MANY = 1024 }; // MANY: or before a launch of so many warps

// ---- The library ------------------------------------------------------------------------------

#define LIBRARY "libbankrun-compile.so"

static struct {
    pthread_once_t looked, once, opened;
    char *named;                           // where it lies; NULL: in the usual places
    char *path;                            // where it was found
    char *kept;                            // folder of what was made; NULL: nothing is kept
    const struct compile_library *library; // NULL: there is none
    char *why;                             // then, in words
} compiler = {.looked = PTHREAD_ONCE_INIT, .once = PTHREAD_ONCE_INIT, .opened = PTHREAD_ONCE_INIT};

static bool is_below(const char *folder, size_t length, const char *below) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%.*s%s" LIBRARY, (int)length, folder, below);
    const bool is_there = access(path.data, R_OK) == 0;
    if (is_there || !compiler.path) { // of the usual place it is told why it cannot be loaded
        free(compiler.path);
        compiler.path = strbuf_take(&path);
    }
    strbuf_free(&path);
    return is_there;
}

// Where this code lies. NULL: nobody knows.
static char *own_path(void) {
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)&sim_native_enter, &info) || !info.dli_fname)
        return NULL;
    // A program that was found in PATH has a name and no place. A library's may be a link.
    return strchr(info.dli_fname, '/') ? base_strdup(info.dli_fname)
                                       : realpath("/proc/self/exe", NULL);
}

// It lies where this code lies, or where a package has its libraries, or where somebody says.
static void look(void) {
    if (compiler.named) {
        compiler.path = base_strdup(compiler.named);
        return;
    }
    char *own = own_path();
    if (!own)
        return;
    const size_t length = (size_t)(strrchr(own, '/') + 1 - own);
    if (!is_below(own, length, ""))
        is_below(own, length, "../" BANKRUN_LIBDIR "/bankrun/");
    free(own);
}

static const char *compiler_path(void) {
    pthread_once(&compiler.looked, look);
    return compiler.path;
}

static void load(void) {
    if (!compiler_path()) {
        compiler.why = base_strdup("nobody knows where bankrun lies");
        return;
    }
    void *handle = dlopen(compiler.path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        compiler.why = base_strdup(dlerror());
    const struct compile_library *library =
        handle ? dlsym(handle, "bankrun_compile_library") : NULL;
    if (library && library->version == COMPILE_VERSION)
        compiler.library = library;
    else if (handle)
        compiler.why = base_strdup(LIBRARY " is of another version");
}

void sim_compiler_at(const char *path) {
    if (path && *path && !compiler.named)
        compiler.named = base_strdup(path);
}

void sim_compiled_code_at(const char *folder) {
    if (folder && *folder && !compiler.kept)
        compiler.kept = base_strdup(folder);
}

const char *sim_compiler_missing(void) {
    pthread_once(&compiler.once, load);
    return compiler.library ? NULL : compiler.why;
}

static void open_library(void) {
    compiler.library->open();
}

static bool has_compiler(void) {
    if (sim_compiler_missing())
        return false;
    pthread_once(&compiler.opened, open_library);
    return true;
}

// ---- A kernel -----------------------------------------------------------------------------------

static void map_numbers(struct sim_native *native) {
    const struct compiled *compiled = &native->compiled;
    const uint32_t sites = native->code.kernel->site_count;
    native->first_member = base_alloc((sites + 1) * sizeof *native->first_member);
    native->next_member = base_alloc((compiled->member_count + 1) * sizeof *native->next_member);
    native->segment_of_group =
        base_alloc((compiled->group_count + 1) * sizeof *native->segment_of_group);
    for (uint32_t s = 0; s < sites; s++)
        native->first_member[s] = IR_NONE;
    for (uint32_t m = 0; m < compiled->member_count; m++) {
        const uint32_t site = compiled->members[m].site;
        native->next_member[m] = native->first_member[site];
        native->first_member[site] = m;
    }
    native->entry_at = base_alloc((native->code.instr_count + 1) * sizeof *native->entry_at);
    native->exit_at = base_alloc((native->code.instr_count + 1) * sizeof *native->exit_at);
    for (uint32_t e = 0; e < compiled->entry_count; e++)
        native->entry_at[compiled->entries[e].instr] = &compiled->entries[e];
    for (uint32_t e = 0; e < compiled->exit_count; e++)
        native->exit_at[compiled->exits[e].instr] = &compiled->exits[e];
    for (uint32_t s = 0; s < compiled->segment_count; s++)
        for (uint32_t g = 0; g < compiled->segments[s].groups; g++)
            native->segment_of_group[compiled->segments[s].group + g] = s;
}

static bool is_block_barrier(const struct sim_code *code, uint32_t instr) {
    const struct ir_instruction *ir = &code->ir->instructions[code->instrs[instr].ir];
    return (ir->ptx->isa == PTX_ISA_bar_sync || ir->ptx->isa == PTX_ISA_barrier_sync) &&
           ir->operand_count == 1 && ir->operands[0].kind == IR_OPERAND_IMMEDIATE &&
           ir->guard == IR_NONE && code->instrs[instr].run[0] != sim_run_reconverge &&
           code->instrs[instr].run[0] != sim_run_join;
}

// Of a kernel, so that nothing is returned to.
static bool is_end(const struct sim_code *code, uint32_t instr) {
    const struct ir_instruction *ir = &code->ir->instructions[code->instrs[instr].ir];
    return (ir->ptx->isa == PTX_ISA_exit_any || ir->ptx->isa == PTX_ISA_ret_any) &&
           ir->guard == IR_NONE && code->instrs[instr].run[0] != sim_run_reconverge &&
           code->instrs[instr].run[0] != sim_run_join;
}

static void note_instructions(struct sim_native *native) {
    const struct sim_code *code = &native->code;
    native->original = base_alloc((code->instr_count + 1) * sizeof *native->original);
    native->meetings = base_alloc((code->instr_count + 1) * sizeof *native->meetings);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        native->original[i] = code->instrs[i].run[1];
        native->meetings[i] = is_block_barrier(code, i) ? NATIVE_BARRIER
                              : is_end(code, i)         ? NATIVE_END
                                                        : NATIVE_NOWHERE;
    }
}

// A copy of the code, since blocks that have begun go on in the other one.
static void copy_code(struct sim_native *native, const struct sim_code *code) {
    const size_t bytes = code->instr_count * sizeof *code->instrs;
    native->code = *code;
    native->code.instrs = base_alloc(bytes + sizeof *code->instrs);
    memcpy(native->code.instrs, code->instrs, bytes);
    note_instructions(native);
}

static void free_compiled(struct compiled *compiled) {
    free(compiled->image);
    free(compiled->entries);
    free(compiled->exits);
    free(compiled->ramps);
    free(compiled->segments);
    free(compiled->members);
    memset(compiled, 0, sizeof *compiled);
}

static void free_native(struct sim_native *native) {
    if (!native)
        return;
    native_image_free(&native->image);
    free_compiled(&native->compiled);
    free(native->original);
    free(native->meetings);
    free(native->first_member);
    free(native->next_member);
    free(native->segment_of_group);
    free(native->entry_at);
    free(native->exit_at);
    free(native->code.instrs);
    free(native);
}

// `most`: struct compile_request.
static bool compile(struct sim_native *native, uint64_t most) {
    const struct sim_target *target = native->code.kernel->module->sim->target;
    const struct compile_request request = {
        .code = &native->code,
        .has_whole_rows = native->has_whole_rows,
        .lanes = sim_lanes_most(),
        .guard = target->guard,
        .copy32 = target->copy32[1],
        .copy64 = target->copy64[1],
        .reconverge = sim_run_reconverge,
        .join = sim_run_join,
        .most = most,
    };
    return has_compiler() && compiler.library->compile(&request, &native->compiled);
}

// What was compiled can be run. False: the system does not let it.
static bool take_code(struct sim_native *native) {
    const struct compiled *compiled = &native->compiled;
    if (!native_image_load(compiled->image, compiled->image_bytes, &native->image))
        return false;
    memcpy(&native->body, &native->image.entry, sizeof native->body);
    free(native->compiled.image);
    native->compiled.image = NULL;
    map_numbers(native);
    native->links = (struct compiled_links){
        .instrs = native->code.instrs,
        .handlers = native->original,
        .run_segment = sim_native_segment,
        .run_some = sim_native_some,
        .count_lanes = sim_native_count_lanes,
        .load_lanes = sim_native_load_lanes,
        .store_lanes = sim_native_store_lanes,
    };
    for (uint32_t e = 0; e < native->compiled.entry_count; e++)
        native->code.instrs[native->compiled.entries[e].instr].run[1] = sim_native_enter;
    return true;
}

static struct native_key key_of(const struct sim_kernel *kernel, bool has_whole_rows) {
    const struct native_key none = {""};
    return compiler.kept ? native_key_of(kernel, has_whole_rows, compiler_path()) : none;
}

// Of an earlier run; where there is none it is made if it weighs at most *weight, which becomes
// what it weighs; 0: it is not made. NULL: there is none.
static struct sim_native *make_native(const struct sim_kernel *kernel, bool has_whole_rows,
                                      uint64_t *weight) {
    const struct native_key key = key_of(kernel, has_whole_rows);
    struct sim_native *native = base_alloc(sizeof *native);
    native->has_whole_rows = has_whole_rows;
    copy_code(native, &kernel->codes[0]);
    if (native_kept_load(compiler.kept, &key, &native->compiled) && take_code(native))
        return native;
    free_compiled(&native->compiled);
    const bool is_made = *weight && compile(native, *weight);
    *weight = native->compiled.weight;
    if (is_made)
        native_kept_store(compiler.kept, &key, &native->compiled);
    if (is_made && take_code(native))
        return native;
    free_native(native);
    return NULL;
}

// ---- When ---------------------------------------------------------------------------------------

struct sim_native_job {
    pthread_t thread;
    struct sim_kernel *kernel;
    bool has_whole_rows;
    uint64_t instructions; // that were run until now
};

static bool may_compile(const struct sim_kernel *kernel) {
    const struct sim_config *config = &kernel->module->sim->config;
    return config->engine != SIM_ENGINE_INTERPRET && !config->tracks_undefined &&
           !kernel->allocates;
}

// Once for each kernel. False: somebody else does, or did.
static bool claim(struct sim_kernel *kernel) {
    return may_compile(kernel) &&
           !__atomic_exchange_n(&kernel->native_is_claimed, true, __ATOMIC_ACQ_REL);
}

// Once for each kernel.
static void look_for_kept(struct sim_kernel *kernel, const struct sim_launch *launch) {
    if (!compiler.kept || __atomic_exchange_n(&kernel->kept_is_asked, true, __ATOMIC_ACQ_REL) ||
        !claim(kernel))
        return;
    uint64_t none = 0;
    struct sim_native *native = make_native(kernel, launch->block[0] % LANES == 0, &none);
    if (native)
        __atomic_store_n(&kernel->native, native, __ATOMIC_RELEASE);
    else
        __atomic_store_n(&kernel->native_is_claimed, false, __ATOMIC_RELEASE);
}

static uint64_t warps_of(const struct sim_launch *launch) {
    uint64_t blocks = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        blocks *= launch->grid[i];
        threads *= launch->block[i];
    }
    return blocks * ((threads + LANES - 1) / LANES);
}

void sim_native_prepare(struct sim_kernel *kernel, const struct sim_launch *launch) {
    uint64_t any = UINT64_MAX;
    if (kernel->module->sim->config.engine == SIM_ENGINE_COMPILE && claim(kernel))
        kernel->native = make_native(kernel, launch->block[0] % LANES == 0, &any);
    else if (warps_of(launch) >= MANY)
        look_for_kept(kernel, launch);
}

static uint64_t worth(uint64_t weight) {
    return (weight + weight * weight / TWICE) * HOT_FOR_WEIGHT;
}

// The greatest weight that is worth it.
static uint64_t weight_after(uint64_t instructions) {
    uint64_t weight = 1;
    for (uint64_t step = 1 << 24; step; step /= 2)
        weight += worth(weight + step) <= instructions ? step : 0;
    return weight;
}

// What weighs too much waits: the interpreter has not yet taken as long as that would.
static void *work(void *context) {
    const struct sim_native_job *job = context;
    struct sim_kernel *kernel = job->kernel;
    const uint64_t most = weight_after(job->instructions);
    uint64_t weight = most;
    struct sim_native *native = make_native(kernel, job->has_whole_rows, &weight);
    __atomic_store_n(&kernel->native, native, __ATOMIC_RELEASE);
    if (!native && weight > most) {
        __atomic_store_n(&kernel->native_after, worth(weight), __ATOMIC_RELAXED);
        __atomic_store_n(&kernel->native_is_claimed, false, __ATOMIC_RELEASE);
    }
    return NULL;
}

// Signals are the program's threads'.
static bool start(struct sim_native_job *job) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool ok = pthread_create(&job->thread, NULL, work, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ok)
        pthread_setname_np(job->thread, POOL_THREADS "compile");
    return ok;
}

static uint64_t hot_after(const struct sim_kernel *kernel) {
    const uint64_t known = __atomic_load_n(&kernel->native_after, __ATOMIC_RELAXED);
    return known ? known : HOT + (uint64_t)HOT_FOR_EACH * kernel->ir->instruction_count;
}

static void end_job(struct sim_kernel *kernel) {
    if (kernel->native_job)
        pthread_join(kernel->native_job->thread, NULL);
    free(kernel->native_job);
    kernel->native_job = NULL;
}

void sim_native_heat(struct sim_kernel *kernel, const struct sim_launch *launch,
                     uint64_t instructions) {
    const uint64_t all = instructions + kernel->instructions;
    if (all >= WARM && !__atomic_load_n(&kernel->kept_is_asked, __ATOMIC_RELAXED))
        look_for_kept(kernel, launch);
    if (all < hot_after(kernel) || !claim(kernel))
        return;
    end_job(kernel);
    // By this thread, in whose launch no process ends: one that did while LLVM is loaded would
    // take its data away before anybody could say that it is used.
    if (!has_compiler())
        return;
    struct sim_native_job *job = base_alloc(sizeof *job);
    job->kernel = kernel;
    job->has_whole_rows = launch->block[0] % LANES == 0;
    job->instructions = all;
    if (start(job))
        kernel->native_job = job;
    else
        free(job);
}

void sim_native_free(struct sim_kernel *kernel) {
    end_job(kernel);
    free_native(kernel->native);
}
