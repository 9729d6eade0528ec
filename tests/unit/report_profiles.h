// Launches and sites for the tests of reports, built by hand, and what to ask of a text.
#ifndef BANKRUN_TESTS_REPORT_PROFILES_H
#define BANKRUN_TESTS_REPORT_PROFILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/columns.h"
#include "report/report.h"

static inline struct profile_site shared_load(uint32_t line, uint64_t requests, unsigned degree) {
    struct profile_site site = {
        .space = SITE_SHARED,
        .op = PROFILE_LOAD,
        .file = "kernel.cu",
        .line = line,
        .instruction = "ld.shared.f32",
        .array = "tile",
        .width = 4,
        .counts = {requests, requests * degree, requests},
        .worst_degree = degree,
        .worst_mask = UINT32_MAX,
        .verdict = "observed",
        .is_modelled = true,
        .request = {.access = BANKRUN_LOAD, .width = 4},
    };
    site.degrees[degree] = requests;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        site.worst_offsets[lane] = 4 * degree * lane;
    }
    if (degree > 1) {
        site.why = "lanes read words of one bank";
    }
    return site;
}

static inline struct profile_site global_store(uint32_t line, uint64_t requests, uint64_t sectors) {
    struct profile_site site = {
        .space = SITE_GLOBAL,
        .op = PROFILE_STORE,
        .file = "kernel.cu",
        .line = line,
        .instruction = "st.global.f32",
        .width = 4,
        .counts = {requests, requests * sectors, requests * 4},
        .verdict = "observed",
    };
    return site;
}

static inline struct profile_launch launch_of(uint32_t index, struct profile_site *sites,
                                              size_t count) {
    struct profile_launch launch = {
        .index = index,
        .kernel = "work(float*)",
        .repeats = 1,
        .symbol = "_Z4workPf",
        .grid = {10, 1, 1},
        .block = {32, 4, 1},
        .shared_bytes = 4096,
        .blocks_run = 10,
        .instructions = 12345,
        .sites = sites,
        .site_count = count,
    };
    for (size_t i = 0; i < count; i++) {
        struct profile_counts *total = &launch.totals[sites[i].space][sites[i].op];
        total->requests += sites[i].counts.requests;
        total->units += sites[i].counts.units;
        total->ideal += sites[i].counts.ideal;
    }
    return launch;
}

static inline char *text_of(struct profile_launch *launches, size_t count,
                            const struct report_options *options) {
    char *program[] = {"./app", "7"};
    struct profile profile = {
        .arch = 90,
        .program = program,
        .program_count = 2,
        .launches = launches,
        .launch_count = count,
        .launched = count,
    };
    struct strbuf out = {0};
    report_text(&profile, options, &out);
    return strbuf_take(&out);
}

// Columns of the widest line; a code point counts as one here, the texts hold no wide ones.
static inline size_t widest(const char *text) {
    size_t most = 0, columns = 0;
    for (; *text; text++) {
        if (*text == '\n') {
            columns = 0;
        } else if (((unsigned char)*text & 0xc0) != 0x80) {
            columns++;
        }
        most = columns > most ? columns : most;
    }
    return most;
}

static inline void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("%s\n-- does not contain --\n%s", text, part);
    }
}

static inline void assert_lacks(const char *text, const char *part) {
    if (strstr(text, part)) {
        fail_msg("%s\n-- contains --\n%s", text, part);
    }
}

#endif
