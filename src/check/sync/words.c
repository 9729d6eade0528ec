#include "check/sync/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

// How a kind is worded: the sentence may hold details of the note.
struct words {
    const char *kind;
    void (*say)(const uint64_t *details, struct strbuf *out); // NULL: the note says it
    const char *help;
    bool is_note;
};

static void put_threads(struct strbuf *out, uint64_t count) {
    strbuf_printf(out, "%llu thread%s", (unsigned long long)count, count == 1 ? "" : "s");
}

// "lane 3", "lanes 0 to 15", "lanes 0x00ff00ff"
static void put_lanes(struct strbuf *out, uint64_t lanes) {
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    const unsigned last = 63 - (unsigned)__builtin_clzll(lanes);
    if (first == last)
        strbuf_printf(out, "lane %u", first);
    else if (lanes >> first == (2ull << (last - first)) - 1)
        strbuf_printf(out, "lanes %u to %u", first, last);
    else
        strbuf_printf(out, "lanes 0x%08x", (unsigned)lanes);
}

static void put_mask(struct strbuf *out, uint64_t mask) {
    strbuf_printf(out, "the mask 0x%08x names ", (unsigned)mask);
}

static void say_divergent(const uint64_t *details, struct strbuf *out) {
    put_threads(out, details[0]);
    strbuf_puts(out, " of the block came to one barrier, and ");
    put_threads(out, details[1]);
    strbuf_puts(out, " to another one: they went on as if they had met");
}

static void say_exited(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out, "%llu of the block's ", (unsigned long long)details[0]);
    put_threads(out, details[1]);
    strbuf_puts(out, " had left the kernel before this barrier, which went on without them");
}

static void put_count(struct strbuf *out, uint64_t count) {
    if (count)
        strbuf_printf(out, "%llu threads", (unsigned long long)count);
    else
        strbuf_puts(out, "all threads of the block");
}

static void say_count(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out, "barrier %llu is to wait for ", (unsigned long long)details[0]);
    put_count(out, details[1]);
    strbuf_puts(out, " and for ");
    put_count(out, details[2]);
    strbuf_puts(out, " in the same phase");
}

static void say_again(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out,
                  "a thread arrives at barrier %llu a second time before all others have arrived "
                  "once, and is counted for one of them",
                  (unsigned long long)details[0]);
}

static void say_deadlock(const uint64_t *details, struct strbuf *out) {
    put_threads(out, details[0]);
    strbuf_printf(out, " of %llu wait%s here for ever", (unsigned long long)details[2],
                  details[0] == 1 ? "s" : "");
    if (!details[1])
        return;
    strbuf_puts(out, ", and ");
    put_threads(out, details[1]);
    strbuf_puts(out, " elsewhere");
}

static void say_mismatch(const uint64_t *details, struct strbuf *out) {
    put_mask(out, details[0]);
    put_lanes(out, details[1]);
    strbuf_puts(out, details[1] & (details[1] - 1) ? ", which name another mask"
                                                   : ", which names another mask");
}

static void say_stranger(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out, "a lane names the mask 0x%08x, in which it is not itself",
                  (unsigned)details[0]);
}

static void say_missing(const uint64_t *details, struct strbuf *out) {
    put_mask(out, details[0]);
    put_lanes(out, details[1]);
    strbuf_puts(out, details[1] & (details[1] - 1) ? ", which do not come here"
                                                   : ", which does not come here");
}

static void say_left(const uint64_t *details, struct strbuf *out) {
    put_mask(out, details[0]);
    put_lanes(out, details[1]);
    strbuf_puts(out, details[1] & (details[1] - 1)
                         ? ", which leave the kernel and do not come here"
                         : ", which leaves the kernel and does not come here");
}

static void say_bytes(const uint64_t *details, struct strbuf *out) {
    const int64_t bytes = (int64_t)details[0];
    strbuf_printf(out,
                  bytes > 0
                      ? "%lld bytes that an mbarrier expects never come: its phase does not end"
                      : "%lld bytes more come to an mbarrier than it expects: its phase does "
                        "not end",
                  (long long)(bytes > 0 ? bytes : -bytes));
}

static void say_arrivals(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out, "an mbarrier is set up for %llu arrivals: it takes 1 to 1048575",
                  (unsigned long long)details[0]);
}

static void say_overflow(const uint64_t *details, struct strbuf *out) {
    strbuf_printf(out, "more threads arrive at an mbarrier than the %llu that it is set up for",
                  (unsigned long long)details[0]);
}

static void say_twice(const uint64_t *details, struct strbuf *out) {
    (void)details;
    strbuf_puts(out, "an mbarrier is set up where there is one already");
}

static void say_early(const uint64_t *details, struct strbuf *out) {
    (void)details;
    strbuf_puts(out, "a register of an asynchronous matrix product is touched before the product "
                     "has been waited for");
}

static void say_unfenced(const uint64_t *details, struct strbuf *out) {
    strbuf_puts(out, details[0]
                         ? "a register of an asynchronous matrix product was written, and no "
                           "wgmma.fence came since"
                         : "an asynchronous matrix product begins, and no wgmma.fence came "
                           "before it");
}

static void say_none(const uint64_t *details, struct strbuf *out) {
    (void)details;
    strbuf_puts(out, "an mbarrier is used that is not set up");
}

static const struct words words[] = {
    {.kind = "divergent-barrier",
     .say = say_divergent,
     .help = "move __syncthreads() out of the condition, so that all threads of the block come to "
             "the same one"},
    {.kind = "exited-before-barrier",
     .say = say_exited,
     .help =
         "GPUs since Volta allow it; if those threads are meant to take part, let them skip the "
         "work and not the barrier",
     .is_note = true},
    {.kind = "barrier-count",
     .say = say_count,
     .help =
         "give the barrier the same number of threads everywhere: 32 for each warp that arrives "
         "or waits"},
    {.kind = "arrives-twice",
     .say = say_again,
     .help = "wait for the barrier (bar.sync) before arriving again, or use one barrier for each "
             "phase"},
    {.kind = "deadlock",
     .say = say_deadlock,
     .help =
         "let all threads that a barrier waits for come to it, of all blocks to grid.sync(), or "
         "give it the number of those that do; what a loop waits for has to come from a thread "
         "that goes on"},
    {.kind = "mask-mismatch",
     .say = say_mismatch,
     .help = "let all lanes of a group pass the same mask: compute it once, before they part"},
    {.kind = "mask-without-caller",
     .say = say_stranger,
     .help = "name the calling lanes: take the mask of those that came into the branch, for which "
             "__ballot_sync() with its condition is good"},
    {.kind = "missing-lanes",
     .say = say_missing,
     .help =
         "name only the lanes that come (the mask of __ballot_sync() with the condition, before "
         "the branch), or move the call out of the branch"},
    {.kind = "exited-in-mask",
     .say = say_left,
     .help = "a GPU goes on without them; name only the lanes that stay if these are not meant",
     .is_note = true},
    {.kind = "mbarrier-bytes",
     .say = say_bytes,
     .help = "expect as many bytes as the copies of the phase bring"},
    {.kind = "mbarrier-count", .say = say_arrivals, .help = "count the threads that arrive"},
    {.kind = "mbarrier-overflow",
     .say = say_overflow,
     .help = "set it up for as many arrivals as there are in a phase, or let fewer threads arrive"},
    {.kind = "mbarrier-set-up-twice",
     .say = say_twice,
     .help = "set it up once, by one thread, or give it up with mbarrier.inval first"},
    {.kind = "wgmma-not-waited",
     .say = say_early,
     .help = "wait first (wgmma.commit_group, wgmma.wait_group), and keep the compiler from moving "
             "the access before the wait: asm volatile(\"\" : \"+f\"(d) :: \"memory\") behind it"},
    {.kind = "wgmma-not-fenced",
     .say = say_unfenced,
     .help = "put wgmma.fence.sync.aligned between what writes the registers and the product, and "
             "keep the compiler from moving it: asm volatile(\"\" : \"+f\"(d) :: \"memory\") "
             "before the fence"},
    {.kind = "mbarrier-not-set-up",
     .say = say_none,
     .help = "let one thread set it up (init(), mbarrier.init) and the others wait for that "
             "(__syncthreads())"},
};

static const struct words *words_of(const char *kind) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].kind, kind) == 0)
            return &words[i];
    return NULL;
}

// A function that was inlined twice: the calls are told, which are two.
static void tell_calls(const struct ir_code *code, const struct check_note *note,
                       struct profile_finding *finding) {
    const struct ptx_location *calls[2];
    if (note->at_count < 2 ||
        !sync_code_calls(code, note->at[0].instruction, note->at[1].instruction, calls))
        return;
    for (int i = 0; i < 2; i++) {
        finding->places[i].file = (char *)ir_location_file(code->functions[0], calls[i]->file);
        finding->places[i].line = calls[i]->line;
        finding->places[i].column = calls[i]->column;
    }
}

static void say(const void *context, const struct check_note *note, struct profile_finding *finding,
                struct check_words *found) {
    const struct words *words = words_of(note->kind);
    tell_calls(context, note, finding);
    if (words) {
        words->say(note->details, &found->message);
        finding->help = (char *)words->help;
        finding->is_note = words->is_note;
    }
}

void sync_push_notes(const struct check_launch *launch, const struct ir_code *code,
                     struct check_notes *notes, struct profile_findings *findings) {
    check_push_notes(launch, PROFILE_CHECK_SYNC, notes, say, code, findings);
}
