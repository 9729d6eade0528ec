// cuRAND as programs see it. NVIDIA's own library computes: it has generators for the host beside
// those for the device, and needs no GPU for them. Integers, uniform and Poisson numbers are those
// of a GPU to the last bit; normal and log-normal ones differ where the host's logarithms, sines
// and roots are rounded otherwise.
#define _GNU_SOURCE // RTLD_DEEPBIND
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cuda/memory/pointer.h"
#include "cudalibs/call.h"

enum rand_status {
    RAND_SUCCESS = 0,
    RAND_NOT_INITIALIZED = 101,
    RAND_OUT_OF_RANGE = 104,
    RAND_LAUNCH_FAILURE = 201,
    RAND_INITIALIZATION_FAILED = 203,
    RAND_INTERNAL_ERROR = 999,
};

enum { RAND_MT19937 = 142, RAND_BEST = 100, RAND_DYNAMIC = 104 };

struct generator {
    struct lib_handle base; // of the device's; the host's are in a list
    void *real;
    int type;
    const char *refused; // why nothing is generated; NULL: it is
    enum rand_status status;
};

// ---- The library --------------------------------------------------------------------------------

// The auditing library puts the path here of the library that the program would have loaded. The
// name of this variable is known to it.
__attribute__((visibility("default"))) extern char bankrun_real_library[4096];
char bankrun_real_library[4096];

// What the library calls of its own is not ours, also where the program loaded that for all.
// Sanitizers end programs that ask for this.
#ifdef __SANITIZE_ADDRESS__
enum { OWN_FIRST = 0 };
#else
enum { OWN_FIRST = RTLD_DEEPBIND };
#endif

static void *library;
static char reason[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// "/./" has the auditing library and the linker take the path as it is: this library was loaded
// under that name.
static void load(void) {
    char path[sizeof bankrun_real_library + 8];
    const char *slash = strrchr(bankrun_real_library, '/');
    if (!slash) {
        snprintf(reason, sizeof reason, "libcurand.so.10 was not found");
        return;
    }
    snprintf(path, sizeof path, "%.*s/./%s", (int)(slash - bankrun_real_library),
             bankrun_real_library, slash + 1);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | OWN_FIRST);
    if (!library)
        snprintf(reason, sizeof reason, "%s", dlerror());
}

static bool find(const char *name, void *function, size_t bytes) {
    pthread_once(&once, load);
    void *address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, bytes);
    return address != NULL;
}
#define FIND(name, function) find(name, &(function), sizeof(function))

// What needs no generator of the device is the library's own affair.
#define PASS(name, parameters, arguments)                                                          \
    CUDA_API enum rand_status name parameters {                                                    \
        enum rand_status(*work) parameters;                                                        \
        return FIND(#name, work) ? work arguments : RAND_INITIALIZATION_FAILED;                    \
    }
PASS(curandGetVersion, (int *version), (version))
PASS(curandGetProperty, (int type, int *value), (type, value))
PASS(curandGetDirectionVectors32, (void **vectors, int set), (vectors, set))
PASS(curandGetDirectionVectors64, (void **vectors, int set), (vectors, set))
PASS(curandGetScrambleConstants32, (void **constants), (constants))
PASS(curandGetScrambleConstants64, (void **constants), (constants))

// ---- Generators of the host ---------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    VEC(void *) list;
} hosts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_of_host(const void *generator) {
    bool is_known = false;
    pthread_mutex_lock(&hosts.lock);
    for (size_t i = 0; generator && i < hosts.list.length; i++)
        is_known |= hosts.list.data[i] == generator;
    pthread_mutex_unlock(&hosts.lock);
    return is_known;
}

static enum rand_status make(void **generator, int type) {
    enum rand_status (*work)(void **, int);
    if (FIND("curandCreateGeneratorHost", work))
        return work(generator, type);
    lib_say_missing("the toolkit's own cuRAND", reason);
    return RAND_INITIALIZATION_FAILED;
}

static enum rand_status destroy(void *real) {
    enum rand_status (*work)(void *);
    return FIND("curandDestroyGenerator", work) ? work(real) : RAND_INITIALIZATION_FAILED;
}

CUDA_API enum rand_status curandCreateGeneratorHost(void **generator, int type) {
    enum rand_status status = make(generator, type);
    if (status == RAND_SUCCESS) {
        pthread_mutex_lock(&hosts.lock);
        vec_push(&hosts.list, *generator);
        pthread_mutex_unlock(&hosts.lock);
    }
    return status;
}

static bool forget(const void *generator) {
    bool is_known = false;
    pthread_mutex_lock(&hosts.lock);
    for (size_t i = 0; i < hosts.list.length && !is_known; i++)
        if (hosts.list.data[i] == generator) {
            hosts.list.data[i] = hosts.list.data[--hosts.list.length];
            is_known = true;
        }
    pthread_mutex_unlock(&hosts.lock);
    return is_known;
}

// ---- Generators of the device -------------------------------------------------------------------

CUDA_API enum rand_status curandCreateGenerator(void **generator, int type) {
    enum lib_status status;
    void *real;
    enum rand_status made = generator ? make(&real, type) : RAND_OUT_OF_RANGE;
    if (made != RAND_SUCCESS)
        return made;
    struct generator *handle = lib_handle_create(LIB_RAND, sizeof *handle, &status);
    if (!handle) {
        destroy(real);
        return RAND_INITIALIZATION_FAILED;
    }
    handle->real = real;
    handle->type = type;
    *generator = handle;
    return RAND_SUCCESS;
}

// Locked; NULL: there is none, and nothing is locked.
static struct generator *lock_generator(void *handle, struct cuda_state **state) {
    *state = cuda_begin();
    struct generator *found = *state ? lib_handle_find(*state, LIB_RAND, handle) : NULL;
    if (*state && !found)
        cuda_end(*state, cudaSuccess);
    return found;
}

CUDA_API enum rand_status curandDestroyGenerator(void *generator) {
    struct cuda_state *state;
    if (forget(generator))
        return destroy(generator);
    struct generator *found = lock_generator(generator, &state);
    if (!found)
        return RAND_NOT_INITIALIZED;
    enum rand_status status = destroy(found->real);
    found->real = NULL;
    cuda_handle_kill(state, &found->base.handle);
    cuda_end(state, cudaSuccess);
    return status;
}

CUDA_API enum rand_status curandSetStream(void *generator, cuda_stream stream) {
    struct cuda_state *state;
    if (is_of_host(generator))
        return RAND_SUCCESS;
    struct generator *found = lock_generator(generator, &state);
    if (!found)
        return RAND_NOT_INITIALIZED;
    found->base.stream = stream;
    cuda_end(state, cudaSuccess);
    return RAND_SUCCESS;
}

// What is set for either kind. The device's is unlocked when its own library is called.
static void *real_of(void *generator) {
    struct cuda_state *state;
    if (is_of_host(generator))
        return generator;
    struct generator *found = lock_generator(generator, &state);
    void *real = found ? found->real : NULL;
    if (found)
        cuda_end(state, cudaSuccess);
    return real;
}

#define SET(name, type)                                                                            \
    CUDA_API enum rand_status name(void *generator, type value) {                                  \
        enum rand_status (*work)(void *, type);                                                    \
        void *real = real_of(generator);                                                           \
        return !real               ? RAND_NOT_INITIALIZED                                          \
               : FIND(#name, work) ? work(real, value)                                             \
                                   : RAND_INITIALIZATION_FAILED;                                   \
    }
SET(curandSetPseudoRandomGeneratorSeed, unsigned long long)
SET(curandSetGeneratorOffset, unsigned long long)
SET(curandSetQuasiRandomGeneratorDimensions, unsigned)

CUDA_API enum rand_status curandGenerateSeeds(void *generator) {
    enum rand_status (*work)(void *);
    void *real = real_of(generator);
    return !real                               ? RAND_NOT_INITIALIZED
           : FIND("curandGenerateSeeds", work) ? work(real)
                                               : RAND_INITIALIZATION_FAILED;
}

// Orderings that the device has and the host has not: other numbers in their place would be wrong.
static const char *missing_order(int type, int order) {
    if (order == RAND_DYNAMIC && type < 200)
        return "with CURAND_ORDERING_PSEUDO_DYNAMIC, which depends on the GPU";
    if (order == RAND_BEST && type == RAND_MT19937)
        return "with CURAND_ORDERING_PSEUDO_BEST of MT19937, which the host's generator lacks";
    return NULL;
}

CUDA_API enum rand_status curandSetGeneratorOrdering(void *generator, int order) {
    struct cuda_state *state;
    enum rand_status (*work)(void *, int);
    if (!FIND("curandSetGeneratorOrdering", work))
        return RAND_INITIALIZATION_FAILED;
    if (is_of_host(generator))
        return work(generator, order);
    struct generator *found = lock_generator(generator, &state);
    if (!found)
        return RAND_NOT_INITIALIZED;
    const char *refused = missing_order(found->type, order);
    enum rand_status status = refused ? RAND_OUT_OF_RANGE : work(found->real, order);
    if (refused || status == RAND_SUCCESS)
        found->refused = refused;
    cuda_end(state, cudaSuccess);
    if (refused)
        lib_refuse_call(__func__, refused);
    return status;
}

// ---- Numbers ------------------------------------------------------------------------------------

enum shape { PLAIN, TWO_FLOATS, TWO_DOUBLES, ONE_DOUBLE };

struct wish {
    const char *name;
    enum shape shape;
    void *out;
    size_t count, element;
    double a, b;
};

static enum rand_status run(void *real, const struct wish *wish) {
    enum rand_status (*plain)(void *, void *, size_t);
    enum rand_status (*floats)(void *, void *, size_t, float, float);
    enum rand_status (*doubles)(void *, void *, size_t, double, double);
    enum rand_status (*one)(void *, void *, size_t, double);
    if (wish->shape == PLAIN && FIND(wish->name, plain))
        return plain(real, wish->out, wish->count);
    if (wish->shape == TWO_FLOATS && FIND(wish->name, floats))
        return floats(real, wish->out, wish->count, (float)wish->a, (float)wish->b);
    if (wish->shape == TWO_DOUBLES && FIND(wish->name, doubles))
        return doubles(real, wish->out, wish->count, wish->a, wish->b);
    if (wish->shape == ONE_DOUBLE && FIND(wish->name, one))
        return one(real, wish->out, wish->count, wish->a);
    return RAND_INTERNAL_ERROR;
}

static void generate(struct lib_call *call, const void *arguments) {
    const struct wish *wish = arguments;
    struct generator *generator = call->target;
    size_t bytes;
    if (!generator) {
        lib_refuse(call, "with a generator that was destroyed before the graph was launched");
        return;
    }
    generator->status = RAND_SUCCESS;
    if (generator->refused) {
        lib_refuse(call, generator->refused);
        return;
    }
    if (__builtin_mul_overflow(wish->count, wish->element, &bytes))
        bytes = SIZE_MAX;
    if (!lib_can_use(call, "the output", wish->out, bytes, true) || call->is_dry)
        return;
    generator->status = run(generator->real, wish);
    if (generator->status == RAND_SUCCESS)
        cuda_was_written(call->state, wish->out, bytes);
    else
        call->status = LIB_INTERNAL_ERROR; // and the generator's status says which
}

static enum rand_status ask(void *handle, const struct wish *wish) {
    if (is_of_host(handle))
        return run(handle, wish);
    switch (lib_do(LIB_RAND, handle, wish->name, generate, wish, sizeof *wish, 0)) {
    case LIB_SUCCESS:
        return RAND_SUCCESS;
    case LIB_NOT_INITIALIZED:
        return RAND_NOT_INITIALIZED;
    case LIB_INTERNAL_ERROR:
        return ((struct generator *)handle)->status;
    default:
        return RAND_LAUNCH_FAILURE;
    }
}

#define GENERATE(Name, type)                                                                       \
    CUDA_API enum rand_status curandGenerate##Name(void *generator, type *out, size_t count) {     \
        return ask(generator, &(struct wish){__func__, PLAIN, out, count, sizeof(type), 0, 0});    \
    }
GENERATE(, unsigned)
GENERATE(LongLong, unsigned long long)
GENERATE(Uniform, float)
GENERATE(UniformDouble, double)

#define NORMAL(Name, type, shape)                                                                  \
    CUDA_API enum rand_status curandGenerate##Name(void *generator, type *out, size_t count,       \
                                                   type mean, type deviation) {                    \
        return ask(generator,                                                                      \
                   &(struct wish){__func__, shape, out, count, sizeof(type), mean, deviation});    \
    }
NORMAL(Normal, float, TWO_FLOATS)
NORMAL(LogNormal, float, TWO_FLOATS)
NORMAL(NormalDouble, double, TWO_DOUBLES)
NORMAL(LogNormalDouble, double, TWO_DOUBLES)

CUDA_API enum rand_status curandGeneratePoisson(void *generator, unsigned *out, size_t count,
                                                double lambda) {
    return ask(generator, &(struct wish){__func__, ONE_DOUBLE, out, count, sizeof *out, lambda, 0});
}
