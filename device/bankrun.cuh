/* bankrun.cuh: finds bank conflicts in a running kernel, on a real GPU. Header only.
 *
 *     #include "bankrun.cuh"
 *
 *     BANKRUN_CHECK(tile[ty][tx]) = value;           a store
 *     value = BANKRUN_CHECK(tile[tx][ty]);           a load
 *     BANKRUN_CHECK(sums[t]) += value;               a load and a store
 *     value = CUT_BANK_CHECKER(array, index);        the classic name for array[index]
 *
 * Without -DBANKRUN these are the plain accesses, and nothing else is compiled. With it, each
 * checked access to shared memory is counted where it happens: requests, the wavefronts that they
 * take, the ideal, and the worst degree. bankrun_report() prints a line for each place: call
 * it at the end of main. What was never reported is reported when the program ends, if the runtime
 * of the GPU still answers then. The rules are those of docs/bank-rules.md for compute
 * capability 5.x and later: elements of 1, 2, 4, 8, 16 bytes, the lanes that are active, and loads
 * whose lanes agree in pairs.
 *
 * What is checked is an lvalue of a scalar or vector type in shared memory; accesses elsewhere are
 * done and not counted. `auto x = BANKRUN_CHECK(...)` would keep the checker, so name the type.
 * Each source file that includes this has a report of its own. A checked access takes about 50 to
 * 100 instructions and some atomics: on an H200 a transpose takes 21 times as long, a loop that
 * does nothing but read 70 to 90 times (bench/check.cu), so times mean nothing with -DBANKRUN.
 * Needs C++17 and compute capability 7.0.
 *
 * -DBANKRUN_EMULATE compiles the same source as host C++, for the CPU alone, with a thread for each
 * CUDA thread:
 *
 *     g++ -std=c++17 -pthread -x c++ -DBANKRUN -DBANKRUN_EMULATE kernel.cu
 *
 * Launches must be written BANKRUN_LAUNCH(kernel, grid, block, shared_bytes, arguments...), dynamic
 * shared memory BANKRUN_DYNAMIC_SHARED(type, name). There are barriers, atomics, memory and copies,
 * but no streams and no warp-wide functions other than __syncwarp. Which accesses are one request
 * is not to be seen on a CPU: those that the lanes of a warp make at the same place, for the same
 * time since the last barrier, are taken as one. */
#ifndef BANKRUN_CUH
#define BANKRUN_CUH

#ifdef BANKRUN_EMULATE
#include "bankrun_emulate.h"
#else
#define BANKRUN_LAUNCH(kernel, grid, block, shared_bytes, ...)                                     \
    kernel<<<grid, block, shared_bytes>>>(__VA_ARGS__)
#define BANKRUN_DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

#ifndef BANKRUN

#define BANKRUN_CHECK(expr) (expr)
#define CUT_BANK_CHECKER(array, index) ((array)[index])
static inline void bankrun_report(void) {}

#else

#define BANKRUN_CHECK(expr)                                                                        \
    (bankrun_access<typename bankrun_plain<decltype(expr)>::type>{                                 \
        expr, {__FILE__, #expr, bankrun_hash(__FILE__ #expr, __LINE__), __LINE__}})
#define CUT_BANK_CHECKER(array, index) BANKRUN_CHECK((array)[index])

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BANKRUN_EMULATE
#define BANKRUN_DEVICE
#define BANKRUN_ON_DEVICE 1
#else
#include <cuda_runtime.h>
#define BANKRUN_DEVICE __host__ __device__
#ifdef __CUDA_ARCH__
#define BANKRUN_ON_DEVICE 1
#else
#define BANKRUN_ON_DEVICE 0
#endif
#endif

template <class T> struct bankrun_plain { typedef T type; };
template <class T> struct bankrun_plain<T &> { typedef T type; };

enum { BANKRUN_PLACES = 1024, BANKRUN_FILE = 96, BANKRUN_TEXT = 64 };
enum { BANKRUN_IS_LOAD, BANKRUN_IS_STORE };

struct bankrun_place {
    const char *file, *text;
    uint32_t hash, line;
};

struct bankrun_counts {
    unsigned long long requests, wavefronts, ideal;
    unsigned degree;
};

/* A place and an operation in the table of all, at most BANKRUN_PLACES. */
struct bankrun_row {
    uint32_t key, line, is_store;
    struct bankrun_counts counts;
    char file[BANKRUN_FILE], text[BANKRUN_TEXT];
};

/* Never 0, which means a free row. */
constexpr BANKRUN_DEVICE uint32_t bankrun_hash(const char *text, uint32_t line) {
    uint32_t hash = 2166136261u ^ line * 2654435761u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash < 4 ? 4 : hash;
}

inline BANKRUN_DEVICE void bankrun_name(struct bankrun_row *row, const struct bankrun_place *place,
                                        uint32_t is_store) {
    row->line = place->line;
    row->is_store = is_store;
    for (int i = 0; i < BANKRUN_FILE - 1 && place->file[i]; i++)
        row->file[i] = place->file[i];
    for (int i = 0; i < BANKRUN_TEXT - 1 && place->text[i]; i++)
        row->text[i] = place->text[i];
}

#ifndef BANKRUN_EMULATE

static __device__ struct bankrun_row bankrun_rows[BANKRUN_PLACES];
static __device__ unsigned bankrun_lost; /* requests of places that found no free row */

#if BANKRUN_ON_DEVICE

__device__ inline void bankrun_add(const struct bankrun_place *place, uint32_t is_store,
                                   unsigned wavefronts, unsigned ideal, unsigned degree) {
    uint32_t key = place->hash ^ is_store << 1;
    for (unsigned i = 0; i < BANKRUN_PLACES; i++) {
        struct bankrun_row *row = &bankrun_rows[(key + i) % BANKRUN_PLACES];
        uint32_t found = atomicCAS(&row->key, 0u, key);
        if (found == 0)
            bankrun_name(row, place, is_store);
        else if (found != key)
            continue;
        atomicAdd(&row->counts.requests, 1ull);
        atomicAdd(&row->counts.wavefronts, (unsigned long long)wavefronts);
        atomicAdd(&row->counts.ideal, (unsigned long long)ideal);
        atomicMax(&row->counts.degree, degree);
        return;
    }
    atomicAdd(&bankrun_lost, 1u);
}

/* The largest value of the lanes in `lanes`, of values below 64; all of `mask` are here. */
__device__ inline unsigned bankrun_largest(unsigned mask, unsigned lanes, unsigned value) {
    unsigned lane, largest = 0;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    for (int bit = 5; bit >= 0; bit--) {
        unsigned have = __ballot_sync(mask, lanes >> lane & value >> bit & 1);
        if (have) {
            lanes = have;
            largest |= 1u << bit;
        }
    }
    return largest;
}

/* Whether every active lane n has the address of lane n ^ step, wherever that one is active. */
__device__ inline bool bankrun_pairs_agree(unsigned mask, unsigned lane, unsigned offset,
                                           int step) {
    unsigned other = lane ^ step;
    unsigned theirs = __shfl_sync(mask, offset, mask >> other & 1 ? other : lane);
    return __all_sync(mask, theirs == offset);
}

/* Counts the request that the lanes make which are here together. */
template <class T>
__device__ void bankrun_count(const volatile T *at, const struct bankrun_place *place,
                              uint32_t is_store) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "1, 2, 4, 8 or 16 bytes");
    constexpr unsigned UNIT = sizeof(T) < 4 ? 4 : sizeof(T);
    const void *plain = const_cast<const T *>(at);
    if (!__isShared(plain))
        return;
    unsigned lane, mask = __activemask(), offset = (unsigned)__cvta_generic_to_shared(plain);
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned each = 128 / UNIT; /* lanes that are served together */
    if (UNIT > 4 && !is_store &&
        (bankrun_pairs_agree(mask, lane, offset, 1) || bankrun_pairs_agree(mask, lane, offset, 2)))
        each *= 2;
    unsigned word = offset / UNIT, phase = lane / each;
    unsigned wavefronts = 0, ideal = 0, degree = 0;
    for (unsigned p = 0; p < 32 / each; p++) {
        unsigned served = __ballot_sync(mask, phase == p);
        if (!served)
            continue;
        unsigned most = 0;
        if (phase == p) {
            unsigned alike = __match_any_sync(served, word);
            bool is_first = (alike & ((1u << lane) - 1)) == 0;
            unsigned firsts = __ballot_sync(served, is_first);
            most = __popc(__match_any_sync(served, word % (128 / UNIT)) & firsts);
        }
        most = bankrun_largest(mask, served, most);
        wavefronts += most;
        degree = most > degree ? most : degree;
        ideal++;
    }
    if (lane == (unsigned)__ffs(mask) - 1)
        bankrun_add(place, is_store, wavefronts, ideal, degree);
    __syncwarp(mask);
}

#endif

static inline bool bankrun_read_rows(struct bankrun_row *rows, unsigned *lost) {
    return cudaDeviceSynchronize() == cudaSuccess &&
           cudaMemcpyFromSymbol(rows, bankrun_rows, sizeof bankrun_rows) == cudaSuccess &&
           cudaMemcpyFromSymbol(lost, bankrun_lost, sizeof *lost) == cudaSuccess;
}

#else /* BANKRUN_EMULATE */

/* One request: what the lanes of a warp do at a place, for the n-th time since barrier m. */
struct bankrun_request {
    uint32_t mask = 0, width = 0;
    uintptr_t places[32] = {};
    struct bankrun_place place = {};
    uint32_t is_store = 0;
};

typedef std::tuple<unsigned, uint32_t, unsigned, unsigned> bankrun_moment; /* warp, key, m, n */

struct bankrun_emulation {
    std::mutex mutex;
    std::map<bankrun_moment, bankrun_request> requests;
    std::map<std::tuple<unsigned, uint32_t, unsigned>, unsigned> times; /* thread, key, barrier */
    std::vector<bankrun_row> rows;
};

static inline bankrun_emulation &bankrun_state() {
    static bankrun_emulation *state = new bankrun_emulation; /* outlives the report at exit */
    return *state;
}

template <class T>
void bankrun_count(const volatile T *at, const struct bankrun_place *place, uint32_t is_store) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "1, 2, 4, 8 or 16 bytes");
    bankrun_emulation &state = bankrun_state();
    std::lock_guard<std::mutex> lock(state.mutex);
    uint32_t key = place->hash ^ is_store << 1;
    unsigned time = state.times[{bankrun_thread, key, bankrun_barriers}]++;
    bankrun_request &request = state.requests[{bankrun_thread / 32, key, bankrun_barriers, time}];
    request.mask |= 1u << bankrun_thread % 32;
    request.width = sizeof(T);
    request.places[bankrun_thread % 32] = (uintptr_t)at;
    request.place = *place;
    request.is_store = is_store;
}

static inline bool bankrun_pairs_agree(const bankrun_request &request, int step) {
    for (int lane = 0; lane < 32; lane++) {
        int other = lane ^ step;
        if (request.mask >> lane & 1 && request.mask >> other & 1 &&
            request.places[lane] != request.places[other])
            return false;
    }
    return true;
}

/* The most different words of one bank that the lanes from..from + each - 1 want. */
static inline unsigned bankrun_degree(const bankrun_request &request, unsigned from,
                                      unsigned each) {
    unsigned unit = request.width < 4 ? 4 : request.width, banks = 128 / unit, most = 0;
    for (unsigned bank = 0; bank < banks; bank++) {
        uintptr_t words[32];
        unsigned count = 0;
        for (unsigned lane = from; lane < from + each; lane++) {
            uintptr_t word = request.places[lane] / unit;
            bool is_new = request.mask >> lane & 1 && word % banks == bank;
            for (unsigned i = 0; i < count && is_new; i++)
                is_new = words[i] != word;
            if (is_new)
                words[count++] = word;
        }
        most = count > most ? count : most;
    }
    return most;
}

static inline void bankrun_judge(bankrun_emulation &state, const bankrun_request &request) {
    unsigned unit = request.width < 4 ? 4 : request.width, each = 128 / unit;
    if (unit > 4 && !request.is_store &&
        (bankrun_pairs_agree(request, 1) || bankrun_pairs_agree(request, 2)))
        each *= 2;
    uint32_t key = request.place.hash ^ request.is_store << 1;
    bankrun_row *row = nullptr;
    for (bankrun_row &known : state.rows)
        row = known.key == key ? &known : row;
    if (!row) {
        state.rows.push_back({});
        row = &state.rows.back();
        row->key = key;
        bankrun_name(row, &request.place, request.is_store);
    }
    row->counts.requests++;
    for (unsigned from = 0; from < 32; from += each) {
        unsigned degree = bankrun_degree(request, from, each);
        row->counts.wavefronts += degree;
        row->counts.ideal += degree > 0;
        row->counts.degree = degree > row->counts.degree ? degree : row->counts.degree;
    }
}

static void bankrun_end_of_block() {
    bankrun_emulation &state = bankrun_state();
    for (auto &each : state.requests)
        bankrun_judge(state, each.second);
    state.requests.clear();
    state.times.clear();
}

static inline bool bankrun_read_rows(struct bankrun_row *rows, unsigned *lost) {
    const std::vector<bankrun_row> &known = bankrun_state().rows;
    for (size_t i = 0; i < known.size(); i++) {
        if (i < BANKRUN_PLACES)
            rows[i] = known[i];
        else
            *lost += unsigned(known[i].counts.requests);
    }
    return true;
}

#endif

/* Stands for the element: loads when it is read, stores when it is assigned. */
template <class T> struct bankrun_access {
    T &element;
    struct bankrun_place place;

    BANKRUN_DEVICE void count(uint32_t is_store) const {
#if BANKRUN_ON_DEVICE
        bankrun_count(&element, &place, is_store);
#endif
        (void)is_store;
    }
    BANKRUN_DEVICE operator T() const {
        count(BANKRUN_IS_LOAD);
        return element;
    }
    BANKRUN_DEVICE T operator=(const T &value) const {
        count(BANKRUN_IS_STORE);
        element = value;
        return value;
    }
    BANKRUN_DEVICE T operator=(const bankrun_access &other) const {
        return *this = T(other);
    }
#define BANKRUN_ASSIGN(op)                                                                         \
    template <class V> BANKRUN_DEVICE T operator op##=(const V &value) const {                     \
        return *this = T(T(*this) op value);                                                       \
    }
    BANKRUN_ASSIGN(+)
    BANKRUN_ASSIGN(-)
    BANKRUN_ASSIGN(*)
    BANKRUN_ASSIGN(/)
    BANKRUN_ASSIGN(&)
    BANKRUN_ASSIGN(|)
    BANKRUN_ASSIGN(^)
#undef BANKRUN_ASSIGN
};

static inline int bankrun_compare_rows(const void *a, const void *b) {
    const struct bankrun_row *x = (const struct bankrun_row *)a, *y = (const struct bankrun_row *)b;
    int files = strcmp(x->file, y->file);
    if (files != 0 || x->line != y->line)
        return files != 0 ? files : x->line < y->line ? -1 : 1;
    int texts = strcmp(x->text, y->text);
    return texts != 0 ? texts : (int)x->is_store - (int)y->is_store;
}

static inline void bankrun_print_rows(struct bankrun_row *rows, unsigned lost) {
    size_t count = 0;
    for (size_t i = 0; i < BANKRUN_PLACES; i++) {
        if (rows[i].key != 0)
            rows[count++] = rows[i];
    }
    if (count == 0)
        return;
    qsort(rows, count, sizeof *rows, bankrun_compare_rows);
    fprintf(stderr, "bankrun:   requests  wavefronts       ideal      excess  degree\n");
    for (size_t i = 0; i < count; i++) {
        const struct bankrun_counts *c = &rows[i].counts;
        fprintf(stderr, "bankrun: %10llu  %10llu  %10llu  %10llu  %6u  %s:%u: %s %s\n", c->requests,
                c->wavefronts, c->ideal, c->wavefronts - c->ideal, c->degree, rows[i].file,
                rows[i].line, rows[i].is_store ? "store to" : "load from", rows[i].text);
    }
    if (lost)
        fprintf(stderr, "bankrun: %u requests of other places, for which the table has no room\n",
                lost);
}

static bool bankrun_was_reported;

/* Prints what was counted so far, in this source file, on stderr. */
static inline void bankrun_report(void) {
    unsigned lost = 0;
    bankrun_was_reported = true;
    struct bankrun_row *rows =
        (struct bankrun_row *)calloc(BANKRUN_PLACES, sizeof(struct bankrun_row));
    if (rows && bankrun_read_rows(rows, &lost))
        bankrun_print_rows(rows, lost);
    else
        fprintf(stderr, "bankrun: the counts cannot be read: call bankrun_report() before main "
                        "ends, and after the last error was handled\n");
    free(rows);
}

static struct bankrun_at_exit {
    ~bankrun_at_exit() {
        if (!bankrun_was_reported)
            bankrun_report();
    }
} bankrun_at_exit_now;

#endif /* BANKRUN */

#endif
