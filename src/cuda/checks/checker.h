// Inside the sub-room: what the checkers of the host's side know.
#ifndef BANKRUN_CUDA_CHECKS_CHECKER_H
#define BANKRUN_CUDA_CHECKS_CHECKER_H

#include "base/vec.h"
#include "check/memory/ledger.h"
#include "check/stream/order.h"
#include "cuda/checks/check.h"
#include "profile/finding.h"

// A finding that was told, and what others are to have in common with it to be counted there.
struct cuda_told {
    char *key;
    struct profile_findings findings; // the one
};

struct cuda_checker {
    struct check_order *order;
    struct check_ledger *ledger;
    bool has_host_memory;          // that the device uses, and that is watched
    struct check_touched *touched; // by the kernels of the operation under way; NULL: nobody asks
    unsigned host_functions;       // of the program that run in streams: nothing is watched
    VEC(struct cuda_told) told;
};

// Where an operation runs.
struct cuda_check_site {
    uint32_t stream; // as the order has it
    cuda_stream handle;
    bool is_in_graph;
    unsigned branch; // of the graph
};

// Runs it behind `before`, which knows it then.
enum cuda_error cuda_check_run_at(struct cuda_state *state, const struct cuda_check_site *site,
                                  struct check_clock *before,
                                  const struct cuda_operation *operation);

// Whether the checker is wanted.
bool cuda_checks(const struct cuda_state *state, enum profile_check check);
// Tells a finding (borrowed), or counts it with the first of its key.
void cuda_check_tell(struct cuda_state *state, const char *key,
                     const struct profile_finding *finding);

enum { CUDA_CHECK_TEXT = 512 };
// "bytes 0 to 255 of allocation 3 (4096 bytes by cudaMalloc)".
void cuda_check_name_bytes(const struct cuda_state *state, uint64_t first, uint64_t last,
                           char text[CUDA_CHECK_TEXT]);
// "stream 3".
void cuda_check_name_stream(const struct cuda_state *state, cuda_stream stream,
                            char text[CUDA_CHECK_TEXT]);
// The operation as a place, with the instruction that touches the address where one alone can be
// the one. Free its texts with cuda_check_free_place.
void cuda_check_place(const struct check_operation *operation, const char *role,
                      enum check_touch touch, uint64_t address, struct profile_place *place);
void cuda_check_free_place(struct profile_place *place);

// What the program allocated on the current device and did not free, which goes now.
void cuda_check_tell_leaks(struct cuda_state *state);

// check_conflict_report, of the state.
void cuda_check_conflict(void *state, const struct check_operation *earlier,
                         const struct check_operation *later, const struct check_overlap *overlap);

// What the operation comes after, and the stream's number.
uint32_t cuda_check_enter(struct cuda_state *state, cuda_stream stream, struct check_clock *before);

// watching.c: host memory that operations under way still use.
// Before anything of bankrun touches memory, and after the host waited: tells what was seen.
void cuda_check_stop_watching(struct cuda_state *state);
// The operation, which the host has not waited for, is added.
void cuda_check_watch(struct cuda_state *state, const struct check_operation *operation);
void cuda_check_go_on_watching(struct cuda_state *state);

#endif
