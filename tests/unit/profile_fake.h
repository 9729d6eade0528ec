// A kernel and its sites made by hand, for tests of the profile without the simulator. Included by
// one test file each; not every one uses all of it.
#ifndef BANKRUN_TESTS_PROFILE_FAKE_H
#define BANKRUN_TESTS_PROFILE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bankrun/banks.h"
#include "base/diag.h"
#include "base/file.h"
#include "ir/ir.h"
#include "profile/recorder.h"

#define FULL 0xffffffffu

// ---- A kernel made by hand -------------------------------------------------------------------

enum { // sites of the kernel
    LOAD,
    STORE,
    UNROLLED,  // LOAD once more, at its place
    BESIDE,    // and in another column
    INLINED,   // the instruction of LOAD, inlined from line 20
    WIDE,      // 16 bytes
    ADD,       // atom.add with a register
    REDUCE,    // red.add
    FLOAT_ADD, // a loop
    MATRIX,    // ldmatrix.x2
    COPY,      // cp.async
    GENERIC,   // ld.u32
    GLOBAL,    // ld.global.u32
    NOWHERE,   // without a location
    TOOLKIT,   // in a header of the toolkit, inlined from line 20
    SITES
};

struct fake {
    struct ptx_file files[3];
    struct ptx_module ptx;
    struct ir_module module;
    struct ptx_location locations[9];
    struct ptx_variable tile_ptx, sums_ptx, dynamic_ptx;
    struct ir_variable tile, sums, dynamic;
    const struct ir_variable *variables[3];
    struct ir_shared_layout layout;
    struct ir_site sites[SITES];
    struct ir_function kernel;
    struct profile_launch_info info;
};

static struct ir_site site(uint32_t location, const char *text, enum site_op op, unsigned width) {
    return (struct ir_site){.location = location, .text = text, .op = op, .width = width};
}

static void fill_sites(struct ir_site *sites) {
    sites[LOAD] = site(1, "ld.shared.f32", SITE_LOAD, 4);
    sites[STORE] = site(2, "st.shared.f32", SITE_STORE, 4);
    sites[UNROLLED] = site(1, "ld.shared.f32", SITE_LOAD, 4);
    sites[BESIDE] = site(3, "ld.shared.f32", SITE_LOAD, 4);
    sites[INLINED] = site(4, "ld.shared.f32", SITE_LOAD, 4);
    sites[WIDE] = site(2, "ld.shared.v4.f32", SITE_LOAD, 16);
    sites[ADD] = site(5, "atom.shared.add.u32", SITE_ATOMIC, 4);
    sites[ADD].atomic = SITE_ATOMIC_NATIVE;
    sites[ADD].is_sum = true;
    sites[REDUCE] = site(5, "red.shared.add.u32", SITE_REDUCTION, 4);
    sites[REDUCE].atomic = SITE_ATOMIC_NATIVE_SUMMED;
    sites[FLOAT_ADD] = site(5, "atom.shared.add.f32", SITE_ATOMIC, 4);
    sites[FLOAT_ADD].atomic = SITE_ATOMIC_LOOP;
    sites[MATRIX] = site(6, "ldmatrix.sync.aligned.m8n8.x2.shared.b16", SITE_MATRIX_LOAD, 16);
    sites[MATRIX].matrices = 2;
    sites[COPY] = site(6, "cp.async.ca.shared.global", SITE_ASYNC_COPY, 4);
    sites[GENERIC] = site(6, "ld.u32", SITE_LOAD, 4);
    sites[GENERIC].is_generic = true;
    sites[GLOBAL] = site(2, "ld.global.u32", SITE_LOAD, 4);
    sites[TOOLKIT] = site(8, "atom.shared.add.f32", SITE_ATOMIC, 4);
    sites[TOOLKIT].atomic = SITE_ATOMIC_LOOP;
    sites[NOWHERE] = site(0, "st.shared.u8", SITE_STORE, 1);
}

static void fill_shared(struct fake *fake) {
    fake->tile_ptx = (struct ptx_variable){.bytes = 4096};
    fake->sums_ptx = (struct ptx_variable){.bytes = 128};
    fake->dynamic_ptx = (struct ptx_variable){.is_unsized = true};
    fake->tile = (struct ir_variable){
        .ptx = &fake->tile_ptx, .name = "_ZZ9transposePfPKfiE4tile", .space = PTX_SPACE_SHARED};
    fake->sums = (struct ir_variable){.ptx = &fake->sums_ptx,
                                      .name = "_ZZ9transposePfPKfiE4sums",
                                      .space = PTX_SPACE_SHARED,
                                      .offset = 4096};
    fake->dynamic = (struct ir_variable){
        .ptx = &fake->dynamic_ptx, .name = "more", .space = PTX_SPACE_SHARED, .offset = 4224};
    fake->variables[0] = &fake->tile;
    fake->variables[1] = &fake->sums;
    fake->variables[2] = &fake->dynamic;
    fake->layout = (struct ir_shared_layout){.variables = fake->variables,
                                             .variable_count = 3,
                                             .static_bytes = 4224,
                                             .dynamic_offset = 4224};
}

static void make(struct fake *fake) {
    memset(fake, 0, sizeof *fake);
    fake->files[0] = (struct ptx_file){1, "transpose.cu"};
    fake->files[1] = (struct ptx_file){2, "tile.cuh"};
    fake->files[2] = (struct ptx_file){
        3, "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_60_atomic.hpp"};
    fake->ptx = (struct ptx_module){.files = fake->files, .file_count = 3};
    fake->module.ptx = &fake->ptx;
    fake->locations[1] = (struct ptx_location){.file = 1, .line = 33, .column = 9};
    fake->locations[2] = (struct ptx_location){.file = 1, .line = 31, .column = 5};
    fake->locations[3] = (struct ptx_location){.file = 1, .line = 33, .column = 7};
    fake->locations[4] = (struct ptx_location){
        .file = 2, .line = 7, .column = 1, .inlined_at = 7, .inlined_into = "_Z4readPA32_fi"};
    fake->locations[5] = (struct ptx_location){.file = 1, .line = 40, .column = 1};
    fake->locations[6] = (struct ptx_location){.file = 1, .line = 41, .column = 1};
    fake->locations[7] = (struct ptx_location){.file = 1, .line = 20, .column = 3};
    fake->locations[8] = (struct ptx_location){
        .file = 3, .line = 90, .column = 3, .inlined_at = 7, .inlined_into = "_Z9atomicAddPff"};
    fill_shared(fake);
    fill_sites(fake->sites);
    fake->kernel = (struct ir_function){.name = "_Z9transposePfPKfi",
                                        .module = &fake->module,
                                        .sites = fake->sites,
                                        .site_count = SITES,
                                        .locations = fake->locations,
                                        .location_count = 9};
    fake->info = (struct profile_launch_info){.kernel = &fake->kernel,
                                              .layout = &fake->layout,
                                              .grid = {7, 5, 3},
                                              .block = {32, 8, 1},
                                              .dynamic_shared_bytes = 1024,
                                              .workers = 3,
                                              .arch = 90};
}

// ---- Events ----------------------------------------------------------------------------------

struct event {
    uint32_t site, mask, warp, block[3], offsets[32];
};

static inline void send_to(void *worker, const struct event_observer *observer,
                           const struct event *event) {
    struct event_access access = {.site = event->site,
                                  .space = SITE_SHARED,
                                  .mask = event->mask,
                                  .offsets = event->offsets,
                                  .block = event->block,
                                  .warp = event->warp};
    observer->access(worker, &access);
}

static inline struct event column_event(uint32_t site, uint32_t base, uint32_t stride) {
    struct event event = {.site = site, .mask = FULL};
    for (uint32_t lane = 0; lane < 32; lane++)
        event.offsets[lane] = base + lane * stride;
    return event;
}

static inline struct profile *finish(struct profile_recorder *recorder) {
    char *argv[] = {"./transpose", "64"};
    struct profile *profile = profile_create(90, argv, 2);
    struct profile_launch_result result = {.blocks_run = 105,
                                           .instructions = 12345,
                                           .thread_instructions = 12345 * 32ull,
                                           .barriers = 210};
    profile_finish(recorder, profile, &result);
    return profile;
}

// One worker, these events.
static inline struct profile *profile_of(struct fake *fake, const struct event *events,
                                         size_t count) {
    struct profile_recorder *recorder = profile_record(&fake->info);
    const struct event_observer *observer = profile_observer(recorder);
    void *worker = observer->worker_begin(observer->context, 1);
    for (size_t i = 0; i < count; i++)
        send_to(worker, observer, &events[i]);
    return finish(recorder);
}

static inline const struct profile_site *only_site(const struct profile *profile) {
    assert_int_equal(profile->launch_count, 1);
    assert_int_equal(profile->launches[0].site_count, 1);
    return &profile->launches[0].sites[0];
}

// ---- Saved profiles --------------------------------------------------------------------------

static inline char *temporary(const char *text) {
    char *path = strdup("/tmp/bankrun-test-profile-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(file_write(path, text, strlen(text)));
    return path;
}

static inline struct profile *read_text(const char *text, struct diag_list *diags) {
    char *path = temporary(text);
    struct profile *profile = profile_read(path, diags);
    unlink(path);
    free(path);
    return profile;
}

// The profile as it comes back from a file; frees it.
static inline struct profile *read_again(struct profile *profile) {
    struct diag_list diags = {0};
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_int_equal(diags.count, 0);
    assert_non_null(back);
    free(json);
    profile_free(profile);
    return back;
}

#endif
