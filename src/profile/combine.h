// Inside the profile: neighbouring accesses of a lane that the code generator makes one wider
// access of are counted as that one. It is taken for so where the machine code has wider accesses
// at the line than PTX, and where, as the program runs, the lanes of a warp access neighbouring
// words one after the other with no store between loads, and no load between stores.
#ifndef BANKRUN_PROFILE_COMBINE_H
#define BANKRUN_PROFILE_COMBINE_H

#include "profile/compiled.h"
#include "profile/recorder.h"

// Number of site `s` with accesses of `bytes` a lane: s + combine_variant(bytes) * (their count).
static inline uint32_t combine_variant(unsigned bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}
enum { COMBINE_VARIANTS = 5 }; // as written (or of one byte), 2, 4, 8 and 16 bytes

struct combine_plan;

// NULL: nothing of the kernel is combined, or the machine code of it is not known.
struct combine_plan *combine_plan_create(const struct profile_compiled *compiled,
                                         const struct ir_function *kernel,
                                         const struct recorded_site *sites, uint32_t count);
// The sites have moved, and those of further widths were added behind them.
void combine_plan_at(struct combine_plan *plan, const struct recorded_site *sites);
void combine_plan_free(struct combine_plan *plan); // NULL is allowed

// What one worker holds back until it is known how it is accessed.
struct combiner;
struct combiner *combiner_create(const struct combine_plan *plan,
                                 void (*count)(void *context, const struct access_event *event),
                                 void *context);
void combiner_free(struct combiner *combiner); // NULL is allowed; what it holds is dropped

// Hands the requests that become of a request to shared memory to count(), now or later.
void combiner_request(struct combiner *combiner, const struct access_event *event);
void combiner_flush(struct combiner *combiner); // all that is held back

#endif
