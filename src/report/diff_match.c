// Which line of an old profile is which of a new one. In three passes, each on what the ones before
// left over: the longest common subsequence of the lines' texts; equal texts that changed their
// order; the longest common subsequence of what the lines access, for lines that were edited.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/text.h"
#include "report/diff_build.h"

// Cells of the table of a longest common subsequence: 64 MiB. What is longer is matched in the
// second pass.
enum { MOST_CELLS = 1 << 24 };

typedef bool (*same_row)(const struct report_row *, const struct report_row *);

// Where a profile does not keep the text, what the line accesses has to do: lines move together, so
// that their order says more than their numbers.
static bool is_same_line(const struct report_row *a, const struct report_row *b) {
    if (a->space != b->space)
        return false;
    if (a->text && b->text)
        return strcmp(a->text, b->text) == 0;
    return strcmp(a->accesses, b->accesses) == 0 &&
           text_is_same(text_file_name(a->file), text_file_name(b->file));
}

static bool has_same_accesses(const struct report_row *a, const struct report_row *b) {
    return a->space == b->space && strcmp(a->accesses, b->accesses) == 0;
}

// The rows of both sides that have no partner yet.
struct rest {
    const struct report_row **rows;
    size_t *numbers; // of them
    size_t count;
};

struct match {
    const struct report_row *old, *now;
    size_t old_count, now_count;
    ptrdiff_t *of;  // of OLD's
    bool *is_taken; // of NEW's
};

static struct rest rest_for(size_t count) {
    return (struct rest){.rows = base_alloc((count + 1) * sizeof(struct report_row *)),
                         .numbers = base_alloc((count + 1) * sizeof(size_t))};
}

static void push(struct rest *rest, const struct report_row *rows, size_t number) {
    rest->rows[rest->count] = &rows[number];
    rest->numbers[rest->count++] = number;
}

static void free_rest(struct rest *rest) {
    free(rest->rows);
    free(rest->numbers);
}

static void pair(struct match *match, const struct rest *old, size_t o, const struct rest *now,
                 size_t n) {
    match->of[old->numbers[o]] = (ptrdiff_t)now->numbers[n];
    match->is_taken[now->numbers[n]] = true;
}

// Pairs a longest common subsequence of old[begin..old_end) and now[begin..now_end). length[o][n]:
// that of what begins there.
static void pair_middle(struct match *match, const struct rest *old, size_t old_end,
                        const struct rest *now, size_t now_end, size_t begin, same_row same) {
    const size_t rows = old_end - begin + 1, columns = now_end - begin + 1;
    if (rows == 1 || columns == 1 || rows > MOST_CELLS / columns)
        return;
    uint32_t *length = base_alloc(rows * columns * sizeof *length);
    for (size_t o = rows - 1; o-- > 0;)
        for (size_t n = columns - 1; n-- > 0;) {
            const uint32_t *below = &length[(o + 1) * columns + n];
            const uint32_t beside = length[o * columns + n + 1];
            length[o * columns + n] = same(old->rows[begin + o], now->rows[begin + n])
                                          ? below[1] + 1
                                      : below[0] > beside ? below[0]
                                                          : beside;
        }
    for (size_t o = 0, n = 0; o + 1 < rows && n + 1 < columns;) {
        if (same(old->rows[begin + o], now->rows[begin + n]))
            pair(match, old, begin + o++, now, begin + n++);
        else if (length[(o + 1) * columns + n] >= length[o * columns + n + 1])
            o++;
        else
            n++;
    }
    free(length);
}

static void pair_subsequence(struct match *match, const struct rest *old, const struct rest *now,
                             same_row same) {
    size_t begin = 0, old_end = old->count, now_end = now->count;
    for (; begin < old_end && begin < now_end && same(old->rows[begin], now->rows[begin]); begin++)
        pair(match, old, begin, now, begin);
    for (;
         old_end > begin && now_end > begin && same(old->rows[old_end - 1], now->rows[now_end - 1]);
         old_end--, now_end--)
        pair(match, old, old_end - 1, now, now_end - 1);
    pair_middle(match, old, old_end, now, now_end, begin, same);
}

static void pair_in_any_order(struct match *match, const struct rest *old, const struct rest *now,
                              same_row same) {
    for (size_t o = 0; o < old->count; o++)
        for (size_t n = 0; n < now->count; n++)
            if (!match->is_taken[now->numbers[n]] && same(old->rows[o], now->rows[n])) {
                pair(match, old, o, now, n);
                break;
            }
}

static void run_pass(struct match *match, same_row same,
                     void (*pass)(struct match *, const struct rest *, const struct rest *,
                                  same_row)) {
    struct rest old = rest_for(match->old_count);
    struct rest now = rest_for(match->now_count);
    for (size_t i = 0; i < match->old_count; i++)
        if (match->of[i] == DIFF_NO_MATCH)
            push(&old, match->old, i);
    for (size_t i = 0; i < match->now_count; i++)
        if (!match->is_taken[i])
            push(&now, match->now, i);
    if (old.count && now.count)
        pass(match, &old, &now, same);
    free_rest(&old);
    free_rest(&now);
}

void diff_match_rows(const struct report_row *old, size_t old_count, const struct report_row *now,
                     size_t now_count, ptrdiff_t *of) {
    struct match match = {old, now, old_count, now_count, of, base_alloc(now_count + 1)};
    for (size_t i = 0; i < old_count; i++)
        of[i] = DIFF_NO_MATCH;
    run_pass(&match, is_same_line, pair_subsequence);
    run_pass(&match, is_same_line, pair_in_any_order);
    run_pass(&match, has_same_accesses, pair_subsequence);
    free(match.is_taken);
}

// ---- Kernels ------------------------------------------------------------------------------------

static bool has_same_short_name(const char *a, const char *b) {
    char *first = base_drop_parameters(base_strdup(a));
    char *second = base_drop_parameters(base_strdup(b));
    const bool is_same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return is_same;
}

// The only one without a partner that is called like it; `count` if there is none, or there are
// more.
static size_t only_one_like(const struct report_kernel *kernels, size_t count, const bool *is_taken,
                            const char *name) {
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (!is_taken[i] && has_same_short_name(kernels[i].name, name)) {
            if (found < count)
                return count;
            found = i;
        }
    return found;
}

static void pair_by_name(const struct report_rows *old, const struct report_rows *now,
                         ptrdiff_t *of, bool *has_old, bool *has_now) {
    for (size_t o = 0; o < old->kernel_count; o++) {
        of[o] = DIFF_NO_MATCH;
        for (size_t n = 0; n < now->kernel_count; n++)
            if (!strcmp(old->kernels[o].name, now->kernels[n].name)) {
                of[o] = (ptrdiff_t)n;
                has_old[o] = has_now[n] = true;
                break;
            }
    }
}

void diff_match_kernels(const struct report_rows *old, const struct report_rows *now,
                        ptrdiff_t *of) {
    bool *has_old = base_alloc(old->kernel_count + 1), *has_now = base_alloc(now->kernel_count + 1);
    pair_by_name(old, now, of, has_old, has_now);
    for (size_t o = 0; o < old->kernel_count; o++) {
        const char *name = old->kernels[o].name;
        if (has_old[o] || only_one_like(old->kernels, old->kernel_count, has_old, name) != o)
            continue;
        const size_t n = only_one_like(now->kernels, now->kernel_count, has_now, name);
        if (n == now->kernel_count)
            continue;
        of[o] = (ptrdiff_t)n;
        has_old[o] = has_now[n] = true;
    }
    free(has_old);
    free(has_now);
}
