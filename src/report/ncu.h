// What Nsight Compute counted: an export as CSV, of `ncu --csv` or `ncu --csv --page raw`.
#ifndef BANKRUN_REPORT_NCU_H
#define BANKRUN_REPORT_NCU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "report/report.h"

// Counters that bankrun can be held against: those that it has a metric for, and the wavefronts of
// the data pipe once more, computed from addresses instruction by instruction (no waits in it).
enum ncu_metric {
    NCU_LOADS,
    NCU_STORES,
    NCU_ATOMICS,
    NCU_SECTOR_LOADS,
    NCU_SECTOR_STORES,
    NCU_HELD, // so many have a metric here
    NCU_SASS_LOADS = NCU_HELD,
    NCU_SASS_STORES,
    NCU_METRIC_COUNT
};
extern const enum report_metric ncu_held[NCU_HELD];
const char *ncu_metric_name(enum ncu_metric metric);

struct ncu_launch {
    uint64_t id;
    char *kernel;
    uint32_t grid[3], block[3];
    unsigned arch; // 90 of 9.0
    bool has[NCU_METRIC_COUNT];
    uint64_t values[NCU_METRIC_COUNT];
};
typedef VEC(struct ncu_launch) ncu_launches;

// Lines before the heading, which the tool and the program print, are passed over. False: `problem`
// says what is wrong, and in which line. The caller frees the launches in either case.
bool ncu_read(const char *text, size_t length, ncu_launches *launches, struct strbuf *problem);
void ncu_free(ncu_launches *launches);

#endif
