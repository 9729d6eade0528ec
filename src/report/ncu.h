// What Nsight Compute counted: an export as CSV, of `ncu --csv` or `ncu --csv --page raw`.
#ifndef BANKRUN_REPORT_NCU_H
#define BANKRUN_REPORT_NCU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"

// Counters that bankrun can be held against: wavefronts of the data pipe, the same computed from
// addresses instruction by instruction (no waits in it), sectors.
#define NCU_METRICS(X)                                                                             \
    X(LOADS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                               \
    X(STORES, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                              \
    X(ATOMICS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")                           \
    X(SASS_LOADS, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                \
    X(SASS_STORES, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum")               \
    X(SECTOR_LOADS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                              \
    X(SECTOR_STORES, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")

#define X(id, name) NCU_##id,
enum ncu_metric { NCU_METRICS(X) NCU_METRIC_COUNT };
#undef X
extern const char *const ncu_metric_text[NCU_METRIC_COUNT];

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
