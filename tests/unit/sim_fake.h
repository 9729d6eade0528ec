// A warp, block and worker made by hand, for tests of instructions without the simulator's core.
// Included by one test file each; defines what the core would.
#ifndef BANKRUN_TESTS_SIM_FAKE_H
#define BANKRUN_TESTS_SIM_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/machine.h"
#include "sim/memory/request.h"

enum {
    FAKE_VECTOR = 256,
    FAKE_REGISTERS = 64,
    FAKE_SHARED = 4096,
    FAKE_LOCAL = 256,
    FAKE_PARAM = 64,
    FAKE_EVENTS = 8,
    FAKE_SITE = 3,
};

struct fake_event {
    struct event_access event;
    uint32_t offsets[LANES];
    uint64_t addresses[LANES];
};

static struct fake {
    _Alignas(64) uint8_t registers[FAKE_REGISTERS * FAKE_VECTOR];
    _Alignas(64) uint8_t shared[FAKE_SHARED];
    _Alignas(64) uint8_t local[2 * LANES * FAKE_LOCAL]; // of warps 0 and 1
    _Alignas(64) uint8_t param[LANES * FAKE_PARAM];
    struct sim_warp warp;
    struct sim_block_flow flow;
    struct sim_worker worker;
    struct sim_launch launch;
    struct sim_site_cache cache[FAKE_SITE + 1];
    struct event_observer observer;
    struct fake_event events[FAKE_EVENTS];
    unsigned event_count;
    uint64_t local_base;
    unsigned register_bytes; // what sim_decoder_register_bytes says
    unsigned operand_bytes;  // what sim_decoder_operand_bytes says
    enum sim_fault fault;
    unsigned fault_lane;
    const struct sim_instr *fault_instr;
    uint64_t fault_address;
    char message[1024];
    unsigned passed;         // accesses that were let pass
    uint32_t gather_members; // of the last sim_gather
    uint32_t gather_adds;    // lanes that come when it is called
    bool gather_waits;
} fake;

// ---- What the core defines ------------------------------------------------------------------

const struct sim_instr *sim_raise(struct sim_warp *warp, const struct sim_instr *instr,
                                  enum sim_fault fault, unsigned lane, uint64_t address,
                                  const char *format, ...) {
    assert_true(warp->mask >> lane & 1 || fault == SIM_FAULT_ILLEGAL_INSTRUCTION);
    if (fault == fake.fault && instr == fake.fault_instr &&
        lane > fake.fault_lane) // a further lane
        return NULL;
    fake.fault_instr = instr;
    fake.fault = fault;
    fake.fault_lane = lane;
    fake.fault_address = address;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.message, sizeof fake.message, format, arguments);
    va_end(arguments);
    warp->stop = SIM_STOP_FAULT;
    return NULL;
}

void sim_raise_too(struct sim_warp *warp, uint32_t lanes) {
    (void)warp, (void)lanes;
}

bool sim_count_passed(const struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp, (void)instr;
    return ++fake.passed == 1;
}

void sim_describe_passed(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                         uint64_t address, const char *format, ...) {
    (void)warp, (void)instr;
    fake.fault_lane = lane;
    fake.fault_address = address;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.message, sizeof fake.message, format, arguments);
    va_end(arguments);
}

static void fake_mask(uint32_t mask) {
    fake.warp.mask = mask;
    fake.warp.is_full = mask == FULL_MASK;
    for (int l = 0; l < LANES; l++)
        fake.warp.lanes[l] = mask >> l & 1 ? -1 : 0;
}

bool sim_gather(struct sim_warp *warp, const struct sim_instr *instr, uint32_t members) {
    (void)instr;
    fake.gather_members = members;
    if (fake.gather_waits)
        return false;
    fake_mask(warp->mask | (fake.gather_adds & members));
    return true;
}

bool sim_raise_stranger(struct sim_warp *warp, const struct sim_instr *instr,
                        const uint32_t *members, uint32_t strangers) {
    (void)members;
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(strangers), 0,
              "stranger");
    return false;
}

struct sim_frame_memory sim_frame_parameters(struct sim_warp *warp) {
    (void)warp;
    return (struct sim_frame_memory){fake.param, FAKE_PARAM};
}

uint64_t sim_frame_local(const struct sim_warp *warp) {
    (void)warp;
    return fake.local_base;
}

struct sim_memory *sim_memory_of(const struct sim *sim) {
    (void)sim;
    return fake.worker.memory;
}

static struct ir_function fake_function = {.parameter_bytes = FAKE_PARAM};

const struct ir_function *sim_kernel_function(const struct sim_kernel *kernel) {
    (void)kernel;
    return &fake_function;
}

unsigned sim_decoder_operand_bytes(const struct sim_decoder *decoder,
                                   const struct ir_operand *operand) {
    (void)decoder, (void)operand;
    return fake.operand_bytes;
}

unsigned sim_decoder_register_bytes(const struct sim_decoder *decoder,
                                    const struct ir_operand *operand) {
    (void)decoder, (void)operand;
    return fake.register_bytes;
}

// ---- The fixture ------------------------------------------------------------------------------

static void *fake_begin(void *context, unsigned worker) {
    (void)context, (void)worker;
    return &fake;
}

static void fake_observe(void *state, const struct event_access *event) {
    assert_ptr_equal(state, &fake);
    assert_true(fake.event_count < FAKE_EVENTS);
    struct fake_event *kept = &fake.events[fake.event_count++];
    kept->event = *event;
    if (event->offsets)
        memcpy(kept->offsets, event->offsets, sizeof kept->offsets);
    if (event->addresses)
        memcpy(kept->addresses, event->addresses, sizeof kept->addresses);
}

static int fake_setup(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct sim_block *block = &fake.flow.block;
    fake.launch.block[0] = 8;
    fake.launch.block[1] = 4;
    fake.launch.block[2] = 2;
    fake.worker.launch = &fake.launch;
    fake.worker.memory = sim_memory_create(1 << 30, 0, 1, 0);
    fake.worker.cache = fake.cache;
    fake.observer = (struct event_observer){.worker_begin = fake_begin, .access = fake_observe};
    sim_listen(&fake.worker, &fake.observer);
    block->worker = &fake.worker;
    block->shared = fake.shared;
    block->shared_bytes = FAKE_SHARED;
    block->local = fake.local;
    block->local_bytes = FAKE_LOCAL;
    block->index[0] = 5;
    block->flow = &fake.flow;
    for (int i = 0; i < 4; i++)
        fake.warp.base[i] = fake.registers;
    fake.warp.block = block;
    fake.warp.index = 1;
    fake.register_bytes = fake.operand_bytes = 4;
    fake_mask(FULL_MASK);
    return 0;
}

static int fake_teardown(void **state) {
    (void)state;
    sim_memory_destroy(fake.worker.memory);
    strbuf_free(&fake.flow.output);
    return 0;
}

static inline sim_ref fake_ref(unsigned n) {
    return n * FAKE_VECTOR | SIM_BASE_REGISTERS;
}

static inline uint32_t *fake_32(unsigned n) {
    return (uint32_t *)(void *)(fake.registers + n * FAKE_VECTOR);
}

static inline uint64_t *fake_64(unsigned n) {
    return (uint64_t *)(void *)(fake.registers + n * FAKE_VECTOR);
}

static inline bool fake_run(const struct sim_instr *instr) {
    const struct sim_instr *next = instr->run[fake.warp.is_full](&fake.warp, instr);
    assert_true(next == instr + 1 || next == NULL);
    return next != NULL;
}

static inline uint32_t fake_random(void) {
    static uint64_t state = 88172645463325252u;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) ^ (uint32_t)(state >> 11);
}

// A mask that is full, one lane, or anything; never 0.
static inline uint32_t fake_random_mask(void) {
    switch (fake_random() % 4) {
    case 0:
        return FULL_MASK;
    case 1:
        return 1u << fake_random() % LANES;
    case 2:
        return 0xffffu;
    default:
        return fake_random() | 1u << fake_random() % LANES;
    }
}

// ---- Select functions of all targets ----------------------------------------------------------

#if defined(SIM_AVX2)
#define FAKE_AVX2(X, name) X(name, avx2)
#else
#define FAKE_AVX2(X, name)
#endif
#if defined(SIM_AVX512)
#define FAKE_AVX512(X, name) X(name, avx512)
#else
#define FAKE_AVX512(X, name)
#endif
#define FAKE_TARGETS(X, name) X(name, base) FAKE_AVX2(X, name) FAKE_AVX512(X, name)

#define FAKE_DECLARE(name, target)                                                                 \
    bool sim_select_##name##_##target(struct sim_decoder *, const struct ir_instruction *,         \
                                      struct sim_instr *);
#define FAKE_ENTRY(name, target) sim_select_##name##_##target,
#define FAKE_SELECT(name)                                                                          \
    FAKE_TARGETS(FAKE_DECLARE, name)                                                               \
    static const sim_select_function select_##name[] = {FAKE_TARGETS(FAKE_ENTRY, name)};

static inline bool machine_has_base(void) {
    return true;
}

#define FAKE_HAS(name, target) machine_has_##target,
static bool (*const fake_has_target[])(void) = {FAKE_TARGETS(FAKE_HAS, )};
enum { FAKE_TARGET_COUNT = sizeof fake_has_target / sizeof *fake_has_target };

#define EACH_TARGET(t)                                                                             \
    for (unsigned t = 0; t < FAKE_TARGET_COUNT; t++)                                               \
        if (fake_has_target[t]())

#endif
