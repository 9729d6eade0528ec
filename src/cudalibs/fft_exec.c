// Transforms by FFTW, whose sums are not normalised either.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/memory/pointer.h"
#include "cudalibs/fft.h"

enum { DESTROY_INPUT = 1 << 0, UNALIGNED = 1 << 1, PRESERVE_INPUT = 1 << 4, ESTIMATE = 1 << 6 };

struct dimension { // fftw_iodim64
    ptrdiff_t n, in, out;
};

typedef void *(*make_complex)(int, const struct dimension *, int, const struct dimension *, void *,
                              void *, int, unsigned);
typedef void *(*make_real)(int, const struct dimension *, int, const struct dimension *, void *,
                           void *, unsigned);
typedef void (*execute)(const void *, void *, void *);

struct backend {
    const char *library, *package, *prefix;
    void *loaded;
    make_complex complex;
    make_real to_complex, to_real;
    execute execute[3]; // in that order
    void (*destroy)(void *);
    char reason[128];
};

static struct backend backends[] = {
    {.library = "libfftw3f.so.3", .package = "libfftw3-single3", .prefix = "fftwf_"},
    {.library = "libfftw3.so.3", .package = "libfftw3-double3", .prefix = "fftw_"},
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(struct backend *backend, const char *name, void *function, size_t bytes) {
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", backend->prefix, name);
    void *address = dlsym(backend->loaded, whole);
    memcpy(function, &address, bytes);
    return address != NULL;
}
#define FIND(name, function) find(backend, name, &(function), sizeof(function))

static void load_one(struct backend *backend) {
    snprintf(backend->reason, sizeof backend->reason, "%s was not found (apt install %s)",
             backend->library, backend->package);
    backend->loaded = dlopen(backend->library, RTLD_NOW | RTLD_LOCAL);
    if (!backend->loaded)
        return;
    if (FIND("plan_guru64_dft", backend->complex) &&
        FIND("plan_guru64_dft_r2c", backend->to_complex) &&
        FIND("plan_guru64_dft_c2r", backend->to_real) && FIND("execute_dft", backend->execute[0]) &&
        FIND("execute_dft_r2c", backend->execute[1]) &&
        FIND("execute_dft_c2r", backend->execute[2]) && FIND("destroy_plan", backend->destroy))
        return;
    snprintf(backend->reason, sizeof backend->reason, "%s lacks functions of FFTW 3.3",
             backend->library);
    dlclose(backend->loaded);
    backend->loaded = NULL;
}

static void load(void) {
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        load_one(&backends[i]);
}

bool fft_backend_is_there(bool is_double, const char **why) {
    pthread_once(&once, load);
    *why = backends[is_double].reason;
    return backends[is_double].loaded != NULL;
}

static struct backend *backend_of(const struct fft_plan *plan) {
    return &backends[fft_is_double(plan->type)];
}

void fft_plan_free(struct fft_plan *plan) {
    for (int i = 0; i < 4; i++)
        if (plan->plans[i / 2][i % 2])
            backend_of(plan)->destroy(plan->plans[i / 2][i % 2]);
    memset(plan->plans, 0, sizeof plan->plans);
}

// ---- One transform ------------------------------------------------------------------------------

struct transform {
    struct fft_plan *plan;
    const struct fft_side *in, *out;
    int direction;
    bool is_in_place;
};

// FFTW's plan. NULL: it has none, as for some layouts in place.
static void *plan_of(const struct transform *t, void *in, void *out) {
    struct fft_plan *plan = t->plan;
    const struct backend *backend = backend_of(plan);
    void **kept = &plan->plans[t->direction == FFT_INVERSE][t->is_in_place];
    struct dimension n[FFT_MOST_DIMENSIONS],
        batch = {plan->batch, t->in->distance, t->out->distance};
    if (*kept)
        return *kept;
    for (int i = 0; i < plan->rank; i++)
        n[i] = (struct dimension){plan->n[i], t->in->stride[i], t->out->stride[i]};
    const unsigned flags = ESTIMATE | UNALIGNED;
    if (fft_is_real_to_complex(plan->type))
        *kept = backend->to_complex(plan->rank, n, 1, &batch, in, out,
                                    flags | (t->is_in_place ? 0 : PRESERVE_INPUT));
    else if (fft_is_complex_to_real(plan->type)) // it works on a copy of the input
        *kept = backend->to_real(plan->rank, n, 1, &batch, in, out, flags | DESTROY_INPUT);
    else
        *kept = backend->complex(plan->rank, n, 1, &batch, in, out, t->direction,
                                 flags | (t->is_in_place ? 0 : PRESERVE_INPUT));
    return *kept;
}

static void run(const struct transform *t, const void *made, void *in, void *out) {
    const enum fft_type type = t->plan->type;
    int kind = fft_is_real_to_complex(type) ? 1 : fft_is_complex_to_real(type) ? 2 : 0;
    backend_of(t->plan)->execute[kind](made, in, out);
}

// ---- Memory -------------------------------------------------------------------------------------

static size_t extent(const struct fft_plan *plan, const struct fft_side *side) {
    int64_t last = (plan->batch - 1) * side->distance;
    for (int i = 0; i < plan->rank; i++)
        last += (side->count[i] - 1) * side->stride[i];
    return (size_t)(last + 1) * side->element;
}

static void mark(struct lib_call *call, const struct fft_plan *plan, const struct fft_side *side,
                 char *at, int dimension) {
    const size_t step = (size_t)side->stride[dimension] * side->element;
    const bool is_last = dimension + 1 == plan->rank;
    if (is_last && side->stride[dimension] == 1) {
        cuda_was_written(call->state, at, (size_t)side->count[dimension] * side->element);
        return;
    }
    for (int64_t i = 0; i < side->count[dimension]; i++, at += step)
        if (is_last)
            cuda_was_written(call->state, at, side->element);
        else
            mark(call, plan, side, at, dimension + 1);
}

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

// With a copy of the input where FFTW would overwrite what the program keeps, or cannot work in
// place.
static void transform(struct lib_call *call, struct transform *t, const struct fft_exec *exec) {
    const size_t bytes = extent(t->plan, t->in);
    bool copies = fft_is_complex_to_real(t->plan->type) && !t->is_in_place;
    if (!t->is_in_place && overlap(exec->in, bytes, exec->out, extent(t->plan, t->out)))
        copies = true;
    void *in = (void *)(uintptr_t)exec->in, *copy = NULL;
    void *made = copies ? NULL : plan_of(t, in, exec->out);
    if (!made) {
        t->is_in_place = false;
        in = copy = base_alloc(bytes);
        memcpy(copy, exec->in, bytes);
        made = plan_of(t, in, exec->out);
    }
    if (made)
        run(t, made, in, exec->out);
    else
        lib_refuse(call, "with this layout by FFTW");
    free(copy);
}

void fft_execute(struct lib_call *call, const void *arguments) {
    const struct fft_exec *exec = arguments;
    struct fft_plan *plan = call->target;
    if (!plan || !plan->is_made) {
        lib_refuse(call, "with a plan that was destroyed before the graph was launched");
        return;
    }
    bool is_in_place = exec->in == exec->out;
    struct transform t = {plan, &plan->in, &plan->out, exec->direction, is_in_place};
    if (is_in_place && plan->is_basic)
        t.in = &plan->in_of_place, t.out = &plan->out_of_place;
    if (!lib_can_use(call, "the input", exec->in, extent(plan, t.in), false) ||
        !lib_can_use(call, "the output", exec->out, extent(plan, t.out), true))
        return;
    transform(call, &t, exec);
    for (int64_t i = 0; call->status == LIB_SUCCESS && i < plan->batch; i++)
        mark(call, plan, t.out, (char *)exec->out + (size_t)(i * t.out->distance) * t.out->element,
             0);
}
