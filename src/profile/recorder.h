// Inside the profile: the recorder of one launch, as the merge sees it.
#ifndef BANKRUN_PROFILE_RECORDER_H
#define BANKRUN_PROFILE_RECORDER_H

#include "base/vec.h"
#include "ir/ir.h"
#include "profile/counter.h"
#include "profile/record.h"
#include "profile/sampled.h"

// A site of the kernel or of a function that it calls, by its number in events.
struct recorded_site {
    const struct ir_function *function;
    const struct ir_site *site;
    enum profile_op op;
    bool is_wider; // than any that was written
    struct counter_rule rules[SITE_SPACES];
};

struct contended_array {
    const struct ir_variable *array; // NULL: what belongs to none
    uint32_t first, bytes;           // of which this is said
};

struct recorder_worker {
    const struct profile_recorder *recorder;
    VEC(struct contended_array) contended;    // in which warps disturb each other's atomics
    struct counter *(*counters)[SITE_SPACES]; // of each site, the last one used first
    struct event_memo **memos;                // of those first ones
    uint64_t units[SITE_SPACES];              // at the end of the last block of a sample
    struct spread spread[SITE_SPACES];
    size_t pieces; // blocks that stand for others, so far
};

struct profile_recorder {
    struct profile_launch_info info;
    struct event_observer observer, tracer;
    struct recorded_site *sites;
    uint32_t site_count;
    bool asks;                        // what block 0 asks of shared memory, for profile_cure
    bool *traced;                     // a flag for each site; NULL: no site is traced
    struct recorder_worker **workers; // info.workers of them, NULL until they begin
};

// profile.c
void profile_free_launch(struct profile_launch *launch); // what it owns
// Launch `index`, later than all so far, counted the same.
void profile_repeat_launch(struct profile_launch *launch, uint32_t index);

// failures.c
void profile_add_fault(struct profile_launch *launch, const struct profile_fault *fault);
void profile_add_passed(struct profile_launch *launch,
                        const struct profile_passed *passed); // a copy
// findings.c: takes them over from a process's profile.
void profile_append_findings(struct profile *profile, struct profile *process);

bool profile_faults_are_same(const struct profile_launch *a, const struct profile_launch *b);
void profile_free_faults(struct profile_launch *launch);
bool profile_refused_are_same(const struct profile_refused *a, const struct profile_refused *b);
// Takes over what `again` owns.
void profile_repeat_refused(struct profile_refused *kept, struct profile_refused *again);
void profile_free_failures(struct profile *profile);        // what was refused, and gaps
void profile_free_refused(struct profile_refused *refused); // what it holds
// Takes them over from another profile; its launches come behind the first `before`, and its
// processes, which are in the profile already, behind the first `processes`.
void profile_append_failures(struct profile *profile, struct profile *from, uint64_t before,
                             size_t processes);

// alike.c: when the last launch counted the same as one before, that one stands for both.
void profile_fold_last(struct profile *profile);
struct profile_process *profile_add_process(struct profile *profile);

// merge.c: all workers' counts as the sorted sites of a launch, and their totals.
void profile_merge(struct profile_recorder *recorder, struct profile_launch *launch,
                   const struct profile_launch_result *result);

// proof.c: of two instructions that are one row.
void profile_join_proofs(struct profile_proof *to, const struct profile_proof *from);
// Sets the site's verdict and its words; what was counted must not contradict them.
void profile_say_proof(struct profile_site *site, const struct profile_proof *proof);

// cure.c: what would cure the conflicts of an array, as far as layouts do.
struct profile_site_hints {
    uint32_t site; // its number
    struct profile_hints hints;
};
struct profile_cures {
    struct profile_cure *list; // of the array, or of several that lie in it; none: nothing is
                               // known, or block 0 has no conflicts
    size_t count;
    uint32_t *of_site; // 1 + index of the one that a recorded site's accesses are about; 0: none
    uint32_t site_count;
    struct profile_site_hints *hints; // of sites with conflicts
    size_t hint_count;
};
void profile_free_cures(struct profile_cures *cures); // what it owns, but not that of the list
// Launches that are alike get what was found for the first of them, which alone keeps its requests.
// Those that run beside it keep theirs, too, so that nothing depends on which one ends first.
bool profile_asks(const struct profile_launch_info *info);
void profile_asked(const struct profile_recorder *recorder); // at the end of the launch
// So many instructions were counted, beside which a search may take some time.
void profile_ran(uint64_t instructions);
struct profile_cures profile_find_cures(const struct profile_recorder *recorder,
                                        const struct ir_variable *array);

// describe.c: where a site is in the source, and what it is called. Fills the site's strings.
void profile_describe_site(const struct recorded_site *recorded, const struct ir_variable *array,
                           struct profile_site *site);
void profile_free_site(struct profile_site *site); // its strings

// names.c. All results are malloc'd.
char *profile_array_name(const char *symbol);

// Whether any worker found warps to disturb each other's atomics on this array.
bool profile_is_contended(const struct profile_recorder *recorder, const struct ir_variable *array);

// recorder.c
struct recorder_worker *profile_begin_worker(struct profile_recorder *recorder, unsigned number);
enum profile_op profile_op_of(enum site_op op);

// access.c: how the bank model calls a site's access.
void profile_counter_rule(const struct ir_site *site, unsigned arch, enum site_space space,
                          const uint32_t grid[3], struct counter_rule *rule);

// What a request to shared memory costs. False: the model refuses it (a misaligned address).
bool profile_cost(const struct counter_rule *rule, const struct event_access *event,
                  struct bankrun_cost *cost);

#endif
