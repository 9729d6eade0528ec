// The profile: what is counted, how rows are joined, which request is shown and how it is
// explained.
#include "base/demangle.h"
#include "profile_fake.h"

// ---- Counting --------------------------------------------------------------------------------

static void test_column(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[40];
    for (uint32_t i = 0; i < 40; i++) { // columns 0, 1, 2, ... of the tile: one pattern
        events[i] = column_event(LOAD, i % 32 * 4, 128);
        events[i].block[1] = 4 - i / 8;
        events[i].warp = 7 - i % 8;
    }
    struct profile *profile = profile_of(&fake, events, 40);
    const struct profile_launch *launch = &profile->launches[0];
    const struct profile_site *row = only_site(profile);
    assert_string_equal(launch->kernel, "transpose(float*, float const*, int)");
    assert_string_equal(launch->symbol, "_Z9transposePfPKfi");
    assert_int_equal(launch->shared_bytes, 5248);
    assert_string_equal(row->file, "transpose.cu");
    assert_string_equal(row->array, "tile");
    assert_string_equal(row->function, "transpose(float*, float const*, int)");
    assert_string_equal(row->verdict, "observed");
    assert_int_equal(row->line, 33);
    assert_int_equal(row->counts.requests, 40);
    assert_int_equal(row->counts.units, 40 * 32);
    assert_int_equal(row->counts.ideal, 40);
    assert_int_equal(row->degrees[32], 40);
    assert_int_equal(row->worst_degree, 32);
    // The lowest block came last, and its lowest warp last of all.
    assert_int_equal(row->worst_block[1], 0);
    assert_int_equal(row->worst_warp, 0);
    assert_int_equal(row->worst_offsets[1], events[39].offsets[1]);
    assert_string_equal(row->why,
                        "lanes read words 7, 39, 71, ...: stride 32 words, all in bank 7");
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_LOAD].units, 40 * 32);
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_STORE].requests, 0);
    profile_free(profile);
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// More patterns than any cache holds: the sums are those of counting each request alone.
static void test_many_patterns(void **state) {
    (void)state;
    enum { EVENTS = 3000 };
    static struct event events[EVENTS];
    struct fake fake;
    make(&fake);
    uint64_t random = 5;
    struct profile_counts want = {0};
    uint64_t degrees[PROFILE_MAX_DEGREE + 1] = {0};
    for (size_t i = 0; i < EVENTS; i++) {
        events[i] = column_event(LOAD, 0, 4 * (next_random(&random) % 33));
        if (i % 3 == 0)
            events[i].mask = next_random(&random) | 1;
        if (i % 5 == 0)
            for (size_t lane = 0; lane < 32; lane++)
                events[i].offsets[lane] = next_random(&random) % 1024 * 4;
        struct bankrun_request request = {BANKRUN_LOAD, 4, 0, events[i].mask, events[i].offsets};
        struct bankrun_cost cost;
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        want.requests++;
        want.units += cost.wavefronts;
        want.ideal += cost.ideal;
        degrees[cost.degree]++;
    }
    struct profile *profile = profile_of(&fake, events, EVENTS);
    assert_memory_equal(&only_site(profile)->counts, &want, sizeof want);
    assert_memory_equal(only_site(profile)->degrees, degrees, sizeof degrees);
    profile_free(profile);
}

// What inactive lanes hold must not matter.
static void test_inactive_lanes(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[2] = {column_event(LOAD, 0, 128), column_event(LOAD, 0, 128)};
    events[0].mask = events[1].mask = 0x00f0;
    events[0].offsets[0] = events[1].offsets[31] = 0xdeadbeef;
    events[1].block[0] = 1;
    struct profile *profile = profile_of(&fake, events, 2);
    assert_int_equal(only_site(profile)->degrees[4], 2);
    assert_int_equal(only_site(profile)->worst_offsets[0], 0);
    assert_string_equal(only_site(profile)->why, "lanes 4-7 read words 128, 160, 192 and 224: "
                                                 "stride 32 words, all in bank 0");
    profile_free(profile);
}

static void test_arrays(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    fake.sums_ptx.bytes = 64; // leaves a gap
    struct event events[5] = {column_event(STORE, 0, 4), column_event(STORE, 4096, 0),
                              column_event(STORE, 4224, 4), column_event(STORE, 64, 4),
                              column_event(STORE, 4200, 0)};
    struct profile *profile = profile_of(&fake, events, 5);
    const struct profile_launch *launch = &profile->launches[0];
    assert_int_equal(launch->site_count, 4);
    assert_string_equal(launch->sites[0].array, "more");
    assert_string_equal(launch->sites[1].array, "sums");
    assert_string_equal(launch->sites[2].array, "tile");
    assert_int_equal(launch->sites[2].counts.requests, 2);
    assert_null(launch->sites[3].array);
    profile_free(profile);
}

static void test_joined_rows(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[4] = {column_event(LOAD, 0, 8), column_event(UNROLLED, 0, 128),
                              column_event(INLINED, 0, 4), column_event(NOWHERE, 0, 1)};
    struct profile *profile = profile_of(&fake, events, 4);
    const struct profile_launch *launch = &profile->launches[0];
    assert_int_equal(launch->site_count, 3);
    const struct profile_site *inlined = &launch->sites[0], *joined = &launch->sites[1];
    assert_string_equal(inlined->file, "tile.cuh");
    assert_string_equal(inlined->function, "read(float (*) [32], int)");
    assert_int_equal(inlined->inlined_count, 1);
    assert_string_equal(inlined->inlined_at[0].file, "transpose.cu");
    assert_int_equal(inlined->inlined_at[0].line, 20);
    assert_string_equal(inlined->inlined_at[0].function, "transpose(float*, float const*, int)");
    assert_null(inlined->why);
    assert_int_equal(joined->column, 9);
    assert_int_equal(joined->counts.requests, 2);
    assert_int_equal(joined->counts.units, 34);
    assert_int_equal(joined->worst_degree, 32);
    assert_true(joined->degrees[2] == 1 && joined->degrees[32] == 1);
    assert_null(launch->sites[2].file);
    profile_free(profile);
}

// Each access of a line has its own column. Where compilers give one for all of them, those that
// conflict and those that do not are rows of their own.
static void test_accesses_of_one_line(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[4] = {column_event(LOAD, 0, 128), column_event(UNROLLED, 0, 4),
                              column_event(BESIDE, 0, 128), column_event(UNROLLED, 128, 4)};
    struct profile *profile = profile_of(&fake, events, 4);
    const struct profile_launch *launch = &profile->launches[0];
    assert_int_equal(launch->site_count, 3);
    const struct profile_site *beside = &launch->sites[0], *column = &launch->sites[1],
                              *row = &launch->sites[2];
    assert_true(beside->column == 7 && beside->degrees[32] == 1);
    assert_true(column->column == 9 && column->counts.requests == 1 && column->degrees[32] == 1);
    assert_true(row->column == 9 && row->counts.requests == 2 && row->degrees[1] == 2);
    assert_null(row->why);
    profile_free(profile);
}

static void test_toolkit_lines(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event event = column_event(TOOLKIT, 0, 4);
    struct profile *profile = profile_of(&fake, &event, 1);
    const struct profile_site *row = only_site(profile);
    assert_string_equal(row->file, "transpose.cu");
    assert_int_equal(row->line, 20);
    assert_string_equal(row->function, "transpose(float*, float const*, int)");
    assert_int_equal(row->inlined_count, 0);
    profile_free(profile);
    fake.locations[8].inlined_at = 0; // nobody calls it: its own line
    profile = profile_of(&fake, &event, 1);
    assert_int_equal(only_site(profile)->line, 90);
    profile_free(profile);
}

static void test_atomics(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[3] = {column_event(ADD, 20, 0), column_event(REDUCE, 20, 0),
                              column_event(FLOAT_ADD, 20, 0)};
    struct profile *profile = profile_of(&fake, events, 3);
    const struct profile_launch *launch = &profile->launches[0];
    assert_int_equal(launch->site_count, 3);
    assert_int_equal(launch->sites[0].counts.units, 96); // add.f32: 3 for each lane
    assert_int_equal(launch->sites[1].counts.units, 32);
    assert_int_equal(launch->sites[2].counts.units, 1); // one constant for all: summed first
    assert_string_equal(launch->sites[1].why, "32 lanes add to the same word, word 5 (bank 5)");
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_ATOMIC].units, 129);
    profile_free(profile);
}

static void test_matrix(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event event = column_event(MATRIX, 0, 128);
    for (size_t lane = 16; lane < 32; lane++)
        event.offsets[lane] = 3; // gives no row
    struct profile *profile = profile_of(&fake, &event, 1);
    assert_int_equal(only_site(profile)->counts.units, 16);
    assert_int_equal(only_site(profile)->counts.ideal, 2);
    assert_int_equal(only_site(profile)->worst_mask, 0xffff);
    assert_int_equal(only_site(profile)->op, PROFILE_MATRIX_LOAD);
    profile_free(profile);
}

static void check_copy(const struct profile_site *site) {
    assert_false(site->is_estimate); // in the cache or not, it takes the same
    assert_int_equal(site->worst_degree, 8);
    assert_int_equal(site->degrees[1], 1);
    assert_non_null(strstr(site->why, "from the same bank of a cache line"));
}

static void test_global(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct profile_recorder *recorder = profile_record(&fake.info);
    const struct event_observer *observer = profile_observer(recorder);
    void *worker = observer->worker_begin(observer->context, 0);
    uint32_t offsets[32], block[3] = {0};
    uint64_t addresses[32];
    struct event_access event = {
        .site = GLOBAL, .space = SITE_GLOBAL, .mask = FULL, .addresses = addresses, .block = block};
    for (uint64_t i = 0; i < 10; i++) { // the second five are moved by a word: 5 sectors
        for (uint64_t lane = 0; lane < 32; lane++)
            addresses[lane] = 0x7f1234560000 + 4096 * i + i / 5 * 4 + lane * 4;
        observer->access(worker, &event);
    }
    for (uint64_t lane = 0; lane < 32; lane++) // descending, then gigabytes apart
        addresses[lane] = 0x7f1234560000 - lane * 4;
    observer->access(worker, &event);
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = 0x7f1234560000 + lane * 0x40000000;
    observer->access(worker, &event);
    event.mask = 3; // the far lanes are off
    observer->access(worker, &event);
    // A copy counts in both spaces, a generic load in the one that it hit.
    event = (struct event_access){.site = COPY,
                                  .space = SITE_SHARED,
                                  .mask = 0xff,
                                  .offsets = offsets,
                                  .addresses = addresses,
                                  .block = block};
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane * 4;
    observer->access(worker, &event); // all from one bank of the cache: one lane at a time
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = 4 * lane;
    observer->access(worker, &event); // side by side
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = 0x7f1234560000 + lane * 0x40000000;
    event.site = GENERIC;
    event.addresses = NULL;
    observer->access(worker, &event);
    event.space = SITE_GLOBAL;
    event.addresses = addresses;
    observer->access(worker, &event);
    struct profile *profile = finish(recorder);
    const struct profile_launch *launch = &profile->launches[0];
    const struct profile_counts *loads = &launch->totals[SITE_GLOBAL][PROFILE_LOAD];
    assert_int_equal(loads->requests, 10 + 1 + 1 + 1 + 1);
    assert_int_equal(loads->units, 5 * 4 + 5 * 5 + 5 + 32 + 2 + 8);
    assert_int_equal(loads->ideal, 10 * 4 + 4 + 4 + 1 + 1);
    assert_int_equal(launch->totals[SITE_GLOBAL][PROFILE_ASYNC_COPY].units, 8 + 1);
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_ASYNC_COPY].units, 8 + 1);
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_ASYNC_COPY].ideal, 2);
    assert_int_equal(launch->totals[SITE_SHARED][PROFILE_LOAD].requests, 1);
    assert_int_equal(launch->site_count, 5);
    for (size_t i = 0; i < launch->site_count; i++)
        if (launch->sites[i].op == PROFILE_ASYNC_COPY && launch->sites[i].space == SITE_SHARED)
            check_copy(&launch->sites[i]);
    profile_free(profile);
}

// ---- The model's request -----------------------------------------------------------------------

static struct profile *profile_of_site(struct fake *fake, const struct ir_site *site,
                                       const struct event_access *event) {
    struct ir_site *place = &fake->sites[event->site];
    struct ir_site kept = *place;
    *place = *site;
    place->location = kept.location;
    place->text = "text"; // says nothing
    struct profile_recorder *recorder = profile_record(&fake->info);
    const struct event_observer *observer = profile_observer(recorder);
    observer->access(observer->worker_begin(observer->context, 0), event);
    struct profile *profile = finish(recorder);
    *place = kept;
    return profile;
}

// The request of each kind of site; only what is not 0 is written.
static const struct {
    struct ir_site site;
    struct profile_request request;
    enum bankrun_certainty certainty;
} asked[] = {
    {{.op = SITE_LOAD, .width = 1}, {.access = BANKRUN_LOAD, .width = 1}, BANKRUN_MEASURED},
    {{.op = SITE_LOAD, .width = 16}, {.access = BANKRUN_LOAD, .width = 16}, BANKRUN_MEASURED},
    {{.op = SITE_LOAD, .width = 8, .is_generic = true},
     {.access = BANKRUN_GENERIC_LOAD, .width = 8},
     BANKRUN_MEASURED},
    {{.op = SITE_STORE, .width = 4}, {.access = BANKRUN_STORE, .width = 4}, BANKRUN_MEASURED},
    {{.op = SITE_STORE, .width = 4, .is_generic = true},
     {.access = BANKRUN_STORE, .width = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_NATIVE, .width = 4},
     {.access = BANKRUN_ATOMIC, .width = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_NATIVE, .width = 16}, // exch.b128
     {.access = BANKRUN_ATOMIC, .width = 16},
     BANKRUN_MEASURED},
    {{.op = SITE_REDUCTION, .atomic = SITE_ATOMIC_NATIVE_SUMMED, .width = 4},
     {.access = BANKRUN_ATOMIC_CONSTANT, .width = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_NATIVE_SCANNED, .width = 4},
     {.access = BANKRUN_ATOMIC, .width = 4, .is_scanned = true},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_CAS, .width = 8},
     {.access = BANKRUN_ATOMIC_CAS, .width = 8},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_LOOP, .width = 4},
     {.access = BANKRUN_ATOMIC_LOOP, .width = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_LOOP, .width = 16},
     {.access = BANKRUN_ATOMIC_LOOP, .width = 16},
     BANKRUN_ASSUMED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_LOOP, .width = 4, .is_generic = true},
     {.access = BANKRUN_GENERIC_LOOP, .width = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_EARLY_LOOP, .width = 8},
     {.access = BANKRUN_ATOMIC_EARLY_LOOP, .width = 8},
     BANKRUN_MEASURED},
    {{.op = SITE_ATOMIC, .atomic = SITE_ATOMIC_EARLY_LOOP, .width = 8, .is_generic = true},
     {.access = BANKRUN_GENERIC_EARLY_LOOP, .width = 8},
     BANKRUN_MEASURED},
    {{.op = SITE_MATRIX_LOAD, .width = 16, .matrices = 2},
     {.access = BANKRUN_MATRIX_LOAD, .width = 16, .matrices = 2},
     BANKRUN_MEASURED},
    {{.op = SITE_MATRIX_STORE, .width = 16, .matrices = 4},
     {.access = BANKRUN_MATRIX_STORE, .width = 16, .matrices = 4},
     BANKRUN_MEASURED},
    {{.op = SITE_ASYNC_COPY, .width = 8},
     {.access = BANKRUN_ASYNC_COPY, .width = 8, .is_copy = true},
     BANKRUN_MEASURED},
    {{.op = SITE_ASYNC_COPY, .width = 16, .is_uncached = true},
     {.access = BANKRUN_ASYNC_COPY, .width = 16},
     BANKRUN_UNKNOWN},
};

// It is kept, is saved and read, and says how sure the count is.
static void test_requests(void **state) {
    (void)state;
    struct fake fake;
    uint64_t sources[32] = {0};
    struct event lanes = column_event(0, 0, 128);
    struct event_access event = {
        .mask = FULL, .offsets = lanes.offsets, .addresses = sources, .block = lanes.block};
    make(&fake);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct profile *profile = profile_of_site(&fake, &asked[i].site, &event);
        for (int again = 0; again < 2; again++) {
            const struct profile_site *row = &profile->launches[0].sites[0];
            const struct profile_request *want = &asked[i].request;
            assert_true(row->is_modelled);
            assert_int_equal(row->request.access, want->access);
            assert_int_equal(row->request.width, want->width);
            assert_int_equal(row->request.matrices, want->matrices);
            assert_int_equal(row->request.is_scanned, want->is_scanned);
            assert_int_equal(row->request.is_copy, want->is_copy);
            assert_int_equal(profile_certainty(90, row), asked[i].certainty);
            profile = read_again(profile);
        }
        profile_free(profile);
    }
}

static void check_no_rule(const struct profile_site *row) {
    struct profile_bank_map map;
    assert_false(row->is_modelled);
    assert_true(row->is_estimate);
    assert_int_equal(profile_certainty(90, row), BANKRUN_UNKNOWN);
    assert_false(profile_map_banks(90, row, &map));
}

static void test_no_rule(void **state) {
    (void)state;
    static const struct ir_site vector = {.op = SITE_LOAD, .width = 32},
                                bulk = {.op = SITE_BULK_COPY, .width = 16};
    struct fake fake;
    struct event lanes = column_event(0, 0, 32);
    struct event_access event = {.mask = FULL, .offsets = lanes.offsets, .block = lanes.block};
    make(&fake);
    struct profile *profile = read_again(profile_of_site(&fake, &vector, &event));
    check_no_rule(only_site(profile));
    profile_free(profile);
    event.mask = 1;
    event.bulk_bytes = 4096;
    profile = read_again(profile_of_site(&fake, &bulk, &event));
    check_no_rule(only_site(profile));
    profile_free(profile);
}

// Neighbours that read the same 8 bytes halve the phases of a load from shared memory, not those of
// one through a generic address: the words, the picture and the count are of the same half warp.
static void test_generic_pairs(void **state) {
    (void)state;
    static const struct ir_site pairs = {.op = SITE_LOAD, .width = 8, .is_generic = true};
    struct fake fake;
    struct event lanes = {0};
    struct event_access event = {.mask = FULL, .offsets = lanes.offsets, .block = lanes.block};
    make(&fake);
    for (uint32_t lane = 0; lane < 32; lane++)
        lanes.offsets[lane] = lane / 2 * 128;
    struct profile *profile = profile_of_site(&fake, &pairs, &event);
    const struct profile_site *row = only_site(profile);
    struct profile_bank_map map;
    assert_int_equal(row->worst_degree, 8);
    assert_string_equal(row->why, "lanes 0-15: groups of 2 lanes read the same words, 32 words "
                                  "from group to group: all in banks 0-1");
    assert_true(profile_map_banks(90, row, &map));
    assert_int_equal(map.lanes, 0xffff);
    assert_int_equal(map.most, 8);
    assert_int_equal(map.count[1], 8);
    assert_int_equal(map.count[2], 0);
    profile_free(profile);
}

// ---- Workers and orders ----------------------------------------------------------------------

enum { BLOCKS = 105, PER_BLOCK = 24 };

// Events of one block: warps interleaved, some patterns known, some new, equally bad ones often.
static void block_events(uint32_t linear, struct event events[PER_BLOCK]) {
    uint64_t random = linear * 77 + 3;
    for (size_t i = 0; i < PER_BLOCK; i++) {
        static const uint32_t sites[] = {LOAD, STORE, UNROLLED, INLINED, ADD, FLOAT_ADD, NOWHERE};
        static const uint32_t strides[] = {4, 8, 128, 132, 0, 12, 256};
        struct event *event = &events[i];
        *event = column_event(sites[next_random(&random) % 7], next_random(&random) % 8 * 4,
                              strides[next_random(&random) % 7]);
        if (event->offsets[0] % 8 == 0)
            event->offsets[0] += 4096; // the first lane in another array, whatever the rest
        event->warp = 3 - next_random(&random) % 4;
        event->block[0] = linear % 7;
        event->block[1] = linear / 7 % 5;
        event->block[2] = linear / 35;
    }
}

// Hands blocks to workers in an order, each block wholly to one worker.
static char *json_of_order(struct fake *fake, unsigned workers, uint32_t step, bool reversed) {
    fake->info.workers = workers;
    struct profile_recorder *recorder = profile_record(&fake->info);
    const struct event_observer *observer = profile_observer(recorder);
    void *states[4];
    for (unsigned n = 0; n < workers; n++)
        states[n] = observer->worker_begin(observer->context, n);
    uint64_t random = step;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct event events[PER_BLOCK];
        uint32_t linear = i * step % BLOCKS;
        block_events(reversed ? BLOCKS - 1 - linear : linear, events);
        void *worker = states[next_random(&random) % workers];
        for (size_t e = 0; e < PER_BLOCK; e++)
            send_to(worker, observer, &events[e]);
    }
    struct profile *profile = finish(recorder);
    char *json = profile_to_json(profile);
    profile_free(profile);
    return json;
}

static void test_orders(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    char *first = json_of_order(&fake, 1, 1, false);
    static const uint32_t steps[] = {1, 2, 4, 8, 11, 13, 26, 52};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (unsigned workers = 1; workers <= 4; workers++) {
            char *other = json_of_order(&fake, workers, steps[i], i % 2);
            assert_string_equal(first, other);
            free(other);
        }
    free(first);
}

// Workers that never see an event, and none at all.
static void test_idle_workers(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct profile *profile = finish(profile_record(&fake.info));
    assert_int_equal(profile->launches[0].site_count, 0);
    profile_free(profile);
    profile = profile_of(&fake, NULL, 0);
    assert_int_equal(profile->launches[0].site_count, 0);
    profile_free(profile);
    profile_free(NULL);
}

// ---- Explanations ----------------------------------------------------------------------------

static void expect_why(enum bankrun_access access, unsigned width, uint32_t mask,
                       const uint32_t *offsets, const char *want) {
    struct bankrun_request request = {.access = access,
                                      .width = width,
                                      .matrices = access == BANKRUN_MATRIX_LOAD ? 4 : 0,
                                      .mask = mask,
                                      .offsets = offsets};
    char *why = profile_why(90, &request, access == BANKRUN_ATOMIC, NULL);
    if (want)
        assert_string_equal(why, want);
    else
        assert_null(why);
    free(why);
}

static void test_why_strides(void **state) {
    (void)state;
    static const struct {
        enum bankrun_access access;
        unsigned width, stride;
        const char *want;
    } table[] = {
        {BANKRUN_LOAD, 4, 128, "lanes read words 0, 32, 64, ...: stride 32 words, all in bank 0"},
        {BANKRUN_LOAD, 4, 8,
         "lanes read words 0, 2, 4, ...: stride 2 words, lanes 0 and 16 meet in bank 0, "
         "2 words in every even bank"},
        {BANKRUN_STORE, 4, 16,
         "lanes write words 0, 4, 8, ...: stride 4 words, lanes 0, 8, 16 and 24 meet in bank 0, "
         "4 words in every 4th bank"},
        {BANKRUN_STORE, 4, 64,
         "lanes write words 0, 16, 32, ...: stride 16 words, lanes 0, 2, 4, ... meet in bank 0, "
         "16 words in 2 banks"},
        {BANKRUN_LOAD, 8, 64,
         "lanes 0-15 read words 0-1, 16-17, 32-33, ...: stride 16 words, lanes 0, 2, 4, ... "
         "meet in bank 0, 8 words in 4 banks"},
        {BANKRUN_LOAD, 16, 128,
         "lanes 0-7 read words 0-3, 32-35, 64-67, ...: stride 32 words, all in banks 0-3"},
        {BANKRUN_STORE, 16, 32,
         "lanes 0-7 write words 0-3, 8-11, 16-19, ...: stride 8 words, lanes 0 and 4 meet in "
         "bank 0, 2 words in 16 banks"},
        {BANKRUN_LOAD, 1, 128, "lanes read words 0, 32, 64, ...: stride 32 words, all in bank 0"},
        {BANKRUN_LOAD, 1, 5,
         "lanes read bytes 0, 5, 10, ...: stride 5 bytes, lanes 0 and 26 meet in bank 0, "
         "2 words in 5 banks"},
        {BANKRUN_ATOMIC, 4, 0, "32 lanes add to the same word, word 0 (bank 0)"},
        {BANKRUN_ATOMIC, 4, 128,
         "lanes add to words 0, 32, 64, ...: stride 32 words, all in bank 0"},
        {BANKRUN_ATOMIC_CAS, 8, 0, "16 lanes update the same words, words 0-1"},
        {BANKRUN_ATOMIC_LOOP, 4, 0,
         "32 lanes update the same word, word 0 (bank 0); each turn of the compare-and-swap "
         "loop lets one of them through"},
        {BANKRUN_MATRIX_LOAD, 16, 128,
         "lanes 0-7 give rows at words 0-3, 32-35, 64-67, ...: stride 32 words, all in banks "
         "0-3"},
        {BANKRUN_LOAD, 4, 4, NULL},
        {BANKRUN_LOAD, 16, 16, NULL}, // four wavefronts, and no conflict
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct event event = column_event(0, 0, table[i].stride);
        expect_why(table[i].access, table[i].width, FULL, event.offsets, table[i].want);
    }
    uint32_t falling[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        falling[lane] = (31 - lane) * 128;
    expect_why(BANKRUN_LOAD, 4, FULL, falling,
               "lanes read words 992, 960, 928, ...: stride -32 words, all in bank 0");
    struct event sparse = column_event(0, 0, 128);
    expect_why(BANKRUN_LOAD, 4, 0x80000012, sparse.offsets,
               "lanes 1, 4 and 31 read words 32, 128 and 992: stride 32 words, all in bank 0");
}

static void expect_named(enum bankrun_access access, unsigned width, unsigned stride,
                         const struct profile_named *named, const char *want) {
    struct event event = column_event(0, 0, stride);
    struct bankrun_request request = {.access = access,
                                      .width = width,
                                      .matrices = access == BANKRUN_MATRIX_LOAD ? 4 : 0,
                                      .mask = FULL,
                                      .offsets = event.offsets};
    for (int lane = 0; lane < 32; lane++)
        event.offsets[lane] += 256;
    char *why = profile_why(90, &request, access == BANKRUN_ATOMIC, named);
    assert_string_equal(why, want);
    free(why);
}

static void test_why_named(void **state) {
    (void)state;
    const struct profile_named tile = {"tile", 256, {.rank = 2, .extents = {32, 32}, .bytes = 4}};
    const struct profile_named rows = {"m", 0, {.rank = 3, .extents = {0, 4, 16}, .bytes = 8}};
    const struct profile_named unknown = {"tile", 256, {0}};
    const struct profile_named behind = {"tile", 512, {.rank = 1, .extents = {32}, .bytes = 4}};
    expect_named(BANKRUN_LOAD, 4, 128, &tile,
                 "lanes read tile[0][0], tile[1][0], tile[2][0], ...: stride 32 words, all in "
                 "bank 0");
    expect_named(BANKRUN_LOAD, 16, 128, &tile,
                 "lanes 0-7 read 16 bytes at tile[0][0], tile[1][0], tile[2][0], ...: stride 32 "
                 "words, all in banks 0-3");
    expect_named(BANKRUN_STORE, 1, 130, &tile,
                 "lanes write 1 byte at tile[0][0], tile[1][0]+2, tile[2][1], ...: stride 130 "
                 "bytes, lanes 0 and 1 meet in bank 0, 2 words in banks 0-15");
    expect_named(BANKRUN_MATRIX_LOAD, 16, 128, &tile,
                 "lanes 0-7 give rows at tile[0][0], tile[1][0], tile[2][0], ...: stride 32 "
                 "words, all in banks 0-3");
    expect_named(BANKRUN_ATOMIC, 4, 0, &tile, "32 lanes add to the same word, tile[0][0] (bank 0)");
    expect_named(BANKRUN_LOAD, 8, 128, &rows,
                 "lanes 0-15 read m[0][2][0], m[0][3][0], m[1][0][0], ...: stride 32 words, all in "
                 "banks 0-1");
    // Of the array, where no more is known; of the block, where lanes are before it.
    expect_named(BANKRUN_LOAD, 4, 128, &unknown,
                 "lanes read words 0, 32, 64, ...: stride 32 words, all in bank 0");
    expect_named(BANKRUN_LOAD, 4, 128, &behind,
                 "lanes read words 64, 96, 128, ...: stride 32 words, all in bank 0");
}

static void test_why_groups(void **state) {
    (void)state;
    uint32_t offsets[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane / 8 * 128 + lane % 8 * 4; // tile[tid / 8][tid % 8] of [32][32]
    expect_why(BANKRUN_LOAD, 4, FULL, offsets,
               "groups of 8 lanes read neighbouring words, 32 words from group to group: "
               "lanes 0, 8, 16 and 24 meet in bank 0, 4 words in banks 0-7");
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane / 4 * 128;
    expect_why(BANKRUN_STORE, 4, FULL, offsets,
               "groups of 4 lanes write the same word, 32 words from group to group: "
               "all in bank 0");
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane / 2 * 16 + lane % 2 * 512;
    expect_why(BANKRUN_STORE, 16, FULL, offsets,
               "lanes 0-7: groups of 2 lanes write places 128 words apart, 4 words from group to "
               "group: lanes 0 and 1 meet in bank 0, 2 words in banks 0-15");
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane / 4 * 128 + lane % 4 * 8;
    expect_why(BANKRUN_STORE, 8, FULL, offsets,
               "lanes 0-15: groups of 4 lanes write neighbouring 8-byte elements, 32 words from "
               "group to group: lanes 0, 4, 8 and 12 meet in bank 0, 4 words in banks 0-7");
}

static void test_why_irregular(void **state) {
    (void)state;
    uint32_t offsets[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane * 4;
    offsets[9] = 128 + 20;
    offsets[17] = 256 + 20;
    offsets[30] = 384 + 20;
    expect_why(BANKRUN_LOAD, 4, FULL, offsets,
               "irregular: bank 5 gets 4 words (lanes 5, 9, 17 and 30)");
    expect_why(BANKRUN_ATOMIC, 4, FULL, offsets,
               "irregular: bank 5 gets 4 lanes on 4 words (lanes 5, 9, 17 and 30)");
    offsets[9] = offsets[17] = offsets[30] = 20;
    expect_why(BANKRUN_ATOMIC, 4, FULL, offsets, "4 lanes (5, 9, 17 and 30) add to word 5");
    expect_why(BANKRUN_LOAD, 4, FULL, offsets, NULL);
    // Lanes 3 and 20 are in different halves: no bank is wanted twice at a time.
    uint32_t apart[32] = {0};
    expect_why(BANKRUN_ATOMIC_LOOP, 8, 1u << 3 | 1u << 20, apart,
               "lanes of both half warps update the same words");
}

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *symbol, *kernel, *array;
    } table[] = {
        {"_ZZ9transposePfPKfiE4tile", "transpose(float*, float const*, int)::tile", "tile"},
        {"_Z3addIfEvPT_", "add<float>(float*)", "add<float>(float*)"},
        {"_ZZ3addIN1a1bEEvPT_E1s", "add<a::b>(a::b*)::s", "s"},
        {"plain", "plain", "plain"},
        {"_ZN2ns6bufferE", "ns::buffer", "buffer"},
        {"_ZN33_INTERNAL_1_4_t_cu_2_3_a_filename4loadEPf", "load(float*)", "load(float*)"},
        {"_ZN1a6_OTHEREv", "a::_OTHER()", "_OTHER()"},
        {"_ZN8__main__4scanB2v1B8cw51cXTLEPf", "__main__::scan(float*)", "scan(float*)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *kernel = base_demangle(table[i].symbol);
        char *array = profile_array_name(table[i].symbol);
        assert_string_equal(kernel, table[i].kernel);
        assert_string_equal(array, table[i].array);
        free(kernel);
        free(array);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column),         cmocka_unit_test(test_many_patterns),
        cmocka_unit_test(test_inactive_lanes), cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_joined_rows),    cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_toolkit_lines),  cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_global),         cmocka_unit_test(test_orders),
        cmocka_unit_test(test_idle_workers),   cmocka_unit_test(test_why_strides),
        cmocka_unit_test(test_why_named),      cmocka_unit_test(test_why_groups),
        cmocka_unit_test(test_why_irregular),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_requests),       cmocka_unit_test(test_no_rule),
        cmocka_unit_test(test_generic_pairs),  cmocka_unit_test(test_accesses_of_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
