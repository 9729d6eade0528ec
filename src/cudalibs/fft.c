// cuFFT's plans and calls.
#include "cudalibs/fft.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { FFT_VERSION = 12000 };

bool fft_is_double(enum fft_type type) {
    return type & 0x40;
}

bool fft_is_real_to_complex(enum fft_type type) {
    return type == FFT_R2C || type == FFT_D2Z;
}

bool fft_is_complex_to_real(enum fft_type type) {
    return type == FFT_C2R || type == FFT_Z2D;
}

static enum fft_status status_of(enum lib_status status) {
    switch (status) {
    case LIB_SUCCESS:
        return FFT_SUCCESS;
    case LIB_NOT_INITIALIZED:
        return FFT_INVALID_PLAN;
    case LIB_ALLOC_FAILED:
        return FFT_ALLOC_FAILED;
    case LIB_INVALID_VALUE:
        return FFT_INVALID_VALUE;
    case LIB_EXECUTION_FAILED:
        return FFT_EXEC_FAILED;
    case LIB_NOT_SUPPORTED:
        return FFT_NOT_SUPPORTED;
    default:
        return FFT_INTERNAL_ERROR;
    }
}

// ---- Handles, which are numbers -----------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    VEC(void *) list; // NULL: destroyed. Handle 1 is the first.
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *plan_at(int handle) {
    pthread_mutex_lock(&plans.lock);
    void *found =
        handle > 0 && (size_t)handle <= plans.list.length ? plans.list.data[handle - 1] : NULL;
    pthread_mutex_unlock(&plans.lock);
    return found;
}

CUDA_API enum fft_status cufftCreate(int *handle) {
    enum lib_status status = LIB_INVALID_VALUE;
    void *made = handle ? lib_handle_create(LIB_FFT, sizeof(struct fft_plan), &status) : NULL;
    if (!made)
        return status == LIB_INVALID_VALUE ? FFT_INVALID_VALUE : FFT_SETUP_FAILED;
    pthread_mutex_lock(&plans.lock);
    vec_push(&plans.list, made);
    *handle = (int)plans.list.length;
    pthread_mutex_unlock(&plans.lock);
    return FFT_SUCCESS;
}

// Locked; NULL: there is none, and nothing is locked.
static struct fft_plan *lock_plan(int handle, struct cuda_state **state) {
    void *known = plan_at(handle);
    *state = known ? cuda_begin() : NULL;
    struct fft_plan *plan = *state ? lib_handle_find(*state, LIB_FFT, known) : NULL;
    if (*state && !plan)
        cuda_end(*state, cudaSuccess);
    return plan;
}

CUDA_API enum fft_status cufftDestroy(int handle) {
    struct cuda_state *state;
    struct fft_plan *plan = lock_plan(handle, &state);
    if (!plan)
        return FFT_INVALID_PLAN;
    fft_plan_free(plan);
    plan->is_made = false;
    cuda_handle_kill(state, &plan->base.handle);
    cuda_end(state, cudaSuccess);
    pthread_mutex_lock(&plans.lock);
    plans.list.data[handle - 1] = NULL;
    pthread_mutex_unlock(&plans.lock);
    return FFT_SUCCESS;
}

#define PLAN_CALL(declarator, work)                                                                \
    CUDA_API enum fft_status declarator {                                                          \
        struct cuda_state *state; struct fft_plan *plan = lock_plan(handle, &state);               \
        if (!plan) return FFT_INVALID_PLAN;                                                        \
        work;                                                                                      \
        cuda_end(state, cudaSuccess);                                                              \
        return FFT_SUCCESS;                                                                        \
    }
PLAN_CALL(cufftSetStream(int handle, cuda_stream stream), plan->base.stream = stream)
// No work area is needed.
PLAN_CALL(cufftSetWorkArea(int handle, void *area), (void)area)
PLAN_CALL(cufftSetAutoAllocation(int handle, int is_on), (void)is_on)
PLAN_CALL(cufftXtSetWorkAreaPolicy(int handle, int policy, size_t *bytes),
          ((void)policy, bytes ? (void)(*bytes = 0) : (void)0))

CUDA_API enum fft_status cufftGetSize(int handle, size_t *bytes) {
    struct cuda_state *state;
    const struct fft_plan *plan = lock_plan(handle, &state);
    const bool is_made = plan && plan->is_made;
    if (plan)
        cuda_end(state, cudaSuccess);
    if (!is_made)
        return FFT_INVALID_PLAN;
    if (!bytes)
        return FFT_INVALID_VALUE;
    *bytes = 0;
    return FFT_SUCCESS;
}

// ---- What a plan is of --------------------------------------------------------------------------

struct wish {
    const char *function;
    int rank;
    const int64_t *n, *in_embed, *out_embed; // NULL: no layout is told
    int64_t in_stride, in_distance, out_stride, out_distance, batch;
    int type;
};

static bool is_type(int type) {
    return type == FFT_C2C || type == FFT_R2C || type == FFT_C2R || type == FFT_Z2Z ||
           type == FFT_D2Z || type == FFT_Z2D;
}

static enum fft_status check(const struct wish *wish) {
    if (!is_type(wish->type))
        return FFT_INVALID_TYPE;
    if (wish->rank < 1 || wish->rank > FFT_MOST_DIMENSIONS)
        return FFT_INVALID_VALUE;
    if (!wish->n)
        return FFT_INVALID_VALUE;
    for (int i = 0; i < wish->rank; i++)
        if (wish->n[i] < 1)
            return FFT_INVALID_SIZE;
    if (wish->batch < 1)
        return FFT_INVALID_SIZE;
    if (!wish->in_embed != !wish->out_embed)
        return FFT_INVALID_VALUE;
    const bool is_told = wish->in_embed && wish->out_embed;
    if (is_told && (wish->in_stride < 1 || wish->out_stride < 1 || wish->in_distance < 0 ||
                    wish->out_distance < 0))
        return FFT_INVALID_VALUE;
    return is_told && wish->batch > 1 && (!wish->in_distance || !wish->out_distance)
               ? FFT_INVALID_VALUE
               : FFT_SUCCESS;
}

// The elements that one side has: all, or, of the complex side of real numbers, half of them.
static struct fft_side side_of(const struct wish *wish, bool is_half, size_t element) {
    struct fft_side side = {.element = element};
    for (int i = 0; i < wish->rank; i++)
        side.count[i] = wish->n[i];
    if (is_half)
        side.count[wish->rank - 1] = wish->n[wish->rank - 1] / 2 + 1;
    return side;
}

// Strides from the room that each dimension takes.
static void lay_out(struct fft_side *side, int rank, const int64_t *embed, int64_t stride,
                    int64_t distance) {
    for (int i = rank - 1; i >= 0; i--) {
        side->stride[i] = stride;
        stride *= embed[i];
    }
    side->distance = distance ? distance : stride;
}

// One behind the other. In place, rows of real numbers have the room of their complex ones.
static void lay_out_basic(struct fft_side *side, int rank, int64_t row) {
    int64_t embed[FFT_MOST_DIMENSIONS];
    for (int i = 0; i < rank; i++)
        embed[i] = side->count[i];
    embed[rank - 1] = row;
    lay_out(side, rank, embed, 1, 0);
}

static void set_layout(struct fft_plan *plan, const struct wish *wish) {
    const bool is_wide = fft_is_double(plan->type);
    const size_t real = is_wide ? sizeof(double) : sizeof(float);
    const bool to = fft_is_real_to_complex(plan->type), from = fft_is_complex_to_real(plan->type);
    const int last = plan->rank - 1;
    plan->is_basic = !wish->in_embed;
    plan->in = side_of(wish, from, to ? real : 2 * real);
    plan->out = side_of(wish, to, from ? real : 2 * real);
    if (!plan->is_basic) {
        lay_out(&plan->in, plan->rank, wish->in_embed, wish->in_stride, wish->in_distance);
        lay_out(&plan->out, plan->rank, wish->out_embed, wish->out_stride, wish->out_distance);
        return;
    }
    plan->in_of_place = plan->in, plan->out_of_place = plan->out;
    const int64_t padded = 2 * (plan->n[last] / 2 + 1);
    lay_out_basic(&plan->in, plan->rank, plan->in.count[last]);
    lay_out_basic(&plan->out, plan->rank, plan->out.count[last]);
    lay_out_basic(&plan->in_of_place, plan->rank, to ? padded : plan->in.count[last]);
    lay_out_basic(&plan->out_of_place, plan->rank, from ? padded : plan->out.count[last]);
}

static enum fft_status make(int handle, const struct wish *wish, size_t *bytes) {
    const char *why;
    struct cuda_state *state;
    enum fft_status status = check(wish);
    if (status != FFT_SUCCESS)
        return plan_at(handle) ? status : FFT_INVALID_PLAN;
    if (!fft_backend_is_there(fft_is_double(wish->type), &why)) {
        lib_say_missing("FFTW", why);
        return FFT_SETUP_FAILED;
    }
    struct fft_plan *plan = lock_plan(handle, &state);
    if (!plan || plan->is_made) {
        if (plan)
            cuda_end(state, cudaSuccess);
        return FFT_INVALID_PLAN;
    }
    plan->type = wish->type;
    plan->rank = wish->rank;
    memcpy(plan->n, wish->n, (size_t)wish->rank * sizeof *wish->n);
    plan->batch = wish->batch;
    set_layout(plan, wish);
    plan->is_made = true;
    cuda_end(state, cudaSuccess);
    if (bytes)
        *bytes = 0;
    return FFT_SUCCESS;
}

static enum fft_status create(int *handle, const struct wish *wish) {
    enum fft_status status = handle ? check(wish) : FFT_INVALID_VALUE;
    if (status == FFT_SUCCESS)
        status = cufftCreate(handle);
    if (status == FFT_SUCCESS) {
        status = make(*handle, wish, NULL);
        if (status != FFT_SUCCESS)
            cufftDestroy(*handle);
    }
    return status;
}

// Whether it could be made; what it would need is nothing.
static enum fft_status estimate(const struct wish *wish, size_t *bytes) {
    enum fft_status status = bytes ? check(wish) : FFT_INVALID_VALUE;
    if (status == FFT_SUCCESS)
        *bytes = 0;
    return status;
}

static enum fft_status size(int handle, const struct wish *wish, size_t *bytes) {
    return plan_at(handle) ? estimate(wish, bytes) : FFT_INVALID_PLAN;
}

#define N1 ((int64_t[]){nx})
#define N2 ((int64_t[]){nx, ny})
#define N3 ((int64_t[]){nx, ny, nz})
#define WISH(d, N, count) (&(struct wish){.rank = d, .n = N, .batch = count, .type = type})

#define SIMPLE(rank_, N, batch, ...)                                                               \
    CUDA_API enum fft_status cufftPlan##rank_##d(int *handle, __VA_ARGS__) {                       \
        return create(handle, WISH(rank_, N, batch));                                              \
    }                                                                                              \
    CUDA_API enum fft_status cufftMakePlan##rank_##d(int handle, __VA_ARGS__, size_t *bytes) {     \
        return make(handle, WISH(rank_, N, batch), bytes);                                         \
    }                                                                                              \
    CUDA_API enum fft_status cufftGetSize##rank_##d(int handle, __VA_ARGS__, size_t *bytes) {      \
        return size(handle, WISH(rank_, N, batch), bytes);                                         \
    }                                                                                              \
    CUDA_API enum fft_status cufftEstimate##rank_##d(__VA_ARGS__, size_t *bytes) {                 \
        return estimate(WISH(rank_, N, batch), bytes);                                             \
    }
SIMPLE(1, N1, batch, int nx, int type, int batch)
SIMPLE(2, N2, 1, int nx, int ny, int type)
SIMPLE(3, N3, 1, int nx, int ny, int nz, int type)

// ---- Any layout ---------------------------------------------------------------------------------

struct numbers {
    int64_t n[3][FFT_MOST_DIMENSIONS];
};

// The arrays of ints as they are kept here. NULL stays NULL.
static const int64_t *widen(int64_t *to, int rank, const int *from) {
    for (int i = 0; from && i < rank && i < FFT_MOST_DIMENSIONS; i++)
        to[i] = from[i];
    return from ? to : NULL;
}

#define MANY_ARGUMENTS(size)                                                                       \
    int rank, size *n, size *in_embed, size in_stride, size in_distance, size *out_embed,          \
        size out_stride, size out_distance, int type, size batch
#define MANY                                                                                       \
    struct numbers all;                                                                            \
    struct wish wish = {.rank = rank,                                                              \
                        .n = widen(all.n[0], rank, n),                                             \
                        .in_embed = widen(all.n[1], rank, in_embed),                               \
                        .out_embed = widen(all.n[2], rank, out_embed),                             \
                        .in_stride = in_stride,                                                    \
                        .in_distance = in_distance,                                                \
                        .out_stride = out_stride,                                                  \
                        .out_distance = out_distance,                                              \
                        .batch = batch,                                                            \
                        .type = type}
#define MANY_64                                                                                    \
    struct wish wish = {.rank = rank,                                                              \
                        .n = n,                                                                    \
                        .in_embed = in_embed,                                                      \
                        .out_embed = out_embed,                                                    \
                        .in_stride = in_stride,                                                    \
                        .in_distance = in_distance,                                                \
                        .out_stride = out_stride,                                                  \
                        .out_distance = out_distance,                                              \
                        .batch = batch,                                                            \
                        .type = type}

CUDA_API enum fft_status cufftPlanMany(int *handle, MANY_ARGUMENTS(int)) {
    MANY;
    return create(handle, &wish);
}

CUDA_API enum fft_status cufftMakePlanMany(int handle, MANY_ARGUMENTS(int), size_t *bytes) {
    MANY;
    return make(handle, &wish, bytes);
}

CUDA_API enum fft_status cufftGetSizeMany(int handle, MANY_ARGUMENTS(int), size_t *bytes) {
    MANY;
    return size(handle, &wish, bytes);
}

CUDA_API enum fft_status cufftEstimateMany(MANY_ARGUMENTS(int), size_t *bytes) {
    MANY;
    return estimate(&wish, bytes);
}

CUDA_API enum fft_status cufftMakePlanMany64(int handle, MANY_ARGUMENTS(int64_t), size_t *bytes) {
    MANY_64;
    return make(handle, &wish, bytes);
}

CUDA_API enum fft_status cufftGetSizeMany64(int handle, MANY_ARGUMENTS(int64_t), size_t *bytes) {
    MANY_64;
    return size(handle, &wish, bytes);
}

// cudaDataType_t of both sides as a type of cuFFT's. 0: it is none that is computed here.
static int type_of(int in, int out, int work) {
    enum { R32 = 0, R64 = 1, C32 = 4, C64 = 5 };
    static const int types[][3] = {{C32, C32, FFT_C2C}, {R32, C32, FFT_R2C}, {C32, R32, FFT_C2R},
                                   {C64, C64, FFT_Z2Z}, {R64, C64, FFT_D2Z}, {C64, R64, FFT_Z2D}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i][0] == in && types[i][1] == out &&
            work == (fft_is_double(types[i][2]) ? C64 : C32))
            return types[i][2];
    return 0;
}

#define XT_ARGUMENTS                                                                               \
    int rank, int64_t *n, int64_t *in_embed, int64_t in_stride, int64_t in_distance, int in_type,  \
        int64_t *out_embed, int64_t out_stride, int64_t out_distance, int out_type, int64_t batch, \
        size_t *bytes, int work_type

CUDA_API enum fft_status cufftXtMakePlanMany(int handle, XT_ARGUMENTS) {
    int type = type_of(in_type, out_type, work_type);
    if (!type) {
        lib_refuse_call(__func__, "with these types of data: float and double alone are");
        return FFT_NOT_SUPPORTED;
    }
    MANY_64;
    return make(handle, &wish, bytes);
}

CUDA_API enum fft_status cufftXtGetSizeMany(int handle, XT_ARGUMENTS) {
    int type = type_of(in_type, out_type, work_type);
    if (!type)
        return FFT_NOT_SUPPORTED;
    MANY_64;
    return size(handle, &wish, bytes);
}

// ---- Transforms ---------------------------------------------------------------------------------

// `type` 0: the plan's.
static enum fft_status transform(int handle, const char *function, int type, const void *in,
                                 void *out, int direction) {
    struct cuda_state *state;
    struct fft_plan *plan = lock_plan(handle, &state);
    if (!plan)
        return FFT_INVALID_PLAN;
    const enum fft_type made = plan->type;
    const bool is_made = plan->is_made;
    cuda_end(state, cudaSuccess);
    if (!is_made)
        return FFT_INVALID_PLAN;
    if (type && type != (int)made) { // a GPU does the plan's, whatever that does to the memory
        lib_refuse_call(function, "with a plan of another type");
        return FFT_INVALID_TYPE;
    }
    if (fft_is_real_to_complex(made))
        direction = FFT_FORWARD;
    else if (fft_is_complex_to_real(made))
        direction = FFT_INVERSE;
    if (direction != FFT_FORWARD && direction != FFT_INVERSE)
        return FFT_INVALID_VALUE;
    const struct fft_exec exec = {in, out, direction};
    return status_of(
        lib_do(LIB_FFT, plan_at(handle), function, fft_execute, &exec, sizeof exec, 0));
}

CUDA_API enum fft_status cufftExecC2C(int handle, void *in, void *out, int direction) {
    return transform(handle, __func__, FFT_C2C, in, out, direction);
}

CUDA_API enum fft_status cufftExecZ2Z(int handle, void *in, void *out, int direction) {
    return transform(handle, __func__, FFT_Z2Z, in, out, direction);
}

CUDA_API enum fft_status cufftXtExec(int handle, void *in, void *out, int direction) {
    return transform(handle, __func__, 0, in, out, direction);
}

#define EXEC(X)                                                                                    \
    CUDA_API enum fft_status cufftExec##X(int handle, void *in, void *out) {                       \
        return transform(handle, __func__, FFT_##X, in, out, 0);                                   \
    }
EXEC(R2C)
EXEC(C2R)
EXEC(D2Z)
EXEC(Z2D)

CUDA_API enum fft_status cufftGetVersion(int *version) {
    if (!version)
        return FFT_INVALID_VALUE;
    *version = FFT_VERSION;
    return FFT_SUCCESS;
}

CUDA_API enum fft_status cufftGetProperty(int type, int *value) {
    static const int parts[] = {FFT_VERSION / 1000, FFT_VERSION / 100 % 10, FFT_VERSION % 100};
    if (!value || type < 0 || type > 2)
        return FFT_INVALID_VALUE;
    *value = parts[type];
    return FFT_SUCCESS;
}
