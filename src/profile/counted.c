// What a recorder has counted, on its way to one of the same launch in another process. Both are of
// one build (ranks/wire.h), so that structures go as they lie in memory.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "profile/recorder.h"

struct head { // of what a site counted on one array
    uint32_t site, space;
    uint32_t array; // its number in the layout; UINT32_MAX: none
    uint32_t is_estimate, is_immobile, degrees;
    struct profile_counts counts;
    struct candidate worst;
};
struct degree {
    uint64_t degree, count;
};

static uint32_t number_of(const struct profile_recorder *recorder,
                          const struct ir_variable *array) {
    const struct ir_shared_layout *layout = recorder->info.layout;
    for (uint32_t i = 0; i < layout->variable_count; i++)
        if (layout->variables[i] == array)
            return i;
    return UINT32_MAX;
}

static void put_counter(const struct profile_recorder *recorder, uint32_t site, uint32_t space,
                        struct counter *counter, struct strbuf *out) {
    counter_flush(counter);
    struct head head = {.site = site,
                        .space = space,
                        .array = number_of(recorder, counter->array),
                        .is_estimate = counter->is_estimate,
                        .is_immobile = counter->is_immobile,
                        .counts = counter->counts,
                        .worst = counter->worst};
    for (int d = 0; d <= PROFILE_MAX_DEGREE; d++)
        head.degrees += counter->degrees[d] != 0;
    strbuf_append(out, (const char *)&head, sizeof head);
    for (uint64_t d = 0; d <= PROFILE_MAX_DEGREE; d++) {
        const struct degree degree = {d, counter->degrees[d]};
        if (degree.count)
            strbuf_append(out, (const char *)&degree, sizeof degree);
    }
}

void profile_write_counted(struct profile_recorder *recorder, struct strbuf *out) {
    for (unsigned w = 0; w < recorder->info.workers; w++) {
        struct recorder_worker *worker = recorder->workers[w];
        for (uint32_t site = 0; worker && site < recorder->site_count; site++)
            for (uint32_t space = 0; space < SITE_SPACES; space++)
                for (struct counter *counter = worker->counters[site][space]; counter;
                     counter = counter->next)
                    put_counter(recorder, site, space, counter, out);
        for (size_t i = 0; worker && i < worker->contended.length; i++) {
            const struct head head = {
                .site = UINT32_MAX, .array = number_of(recorder, worker->contended.data[i].array)};
            strbuf_append(out, (const char *)&head, sizeof head);
        }
    }
}

// ---- Reading ----------------------------------------------------------------------------------

static bool take(const char **at, const char *end, void *to, size_t bytes) {
    if ((size_t)(end - *at) < bytes)
        return false;
    memcpy(to, *at, bytes);
    *at += bytes;
    return true;
}

static struct counter *counter_for(const struct recorder_worker *worker, const struct head *head,
                                   const struct ir_variable *array) {
    struct counter **list = &worker->counters[head->site][head->space];
    for (struct counter *counter = *list; counter; counter = counter->next)
        if (counter->array == array)
            return counter;
    struct counter *counter =
        counter_create(&worker->recorder->sites[head->site].rules[head->space], false);
    counter->array = array;
    counter->next = *list;
    return *list = counter;
}

static bool add_degrees(struct counter *counter, const struct head *head, const char **at,
                        const char *end) {
    for (uint32_t i = 0; i < head->degrees; i++) {
        struct degree degree;
        if (!take(at, end, &degree, sizeof degree) || degree.degree > PROFILE_MAX_DEGREE)
            return false;
        counter->degrees[degree.degree] += degree.count;
    }
    return true;
}

static bool add(struct recorder_worker *worker, const struct head *head, const char **at,
                const char *end) {
    const struct profile_recorder *recorder = worker->recorder;
    const struct ir_shared_layout *layout = recorder->info.layout;
    if (head->array != UINT32_MAX && head->array >= layout->variable_count)
        return false;
    const struct ir_variable *array =
        head->array == UINT32_MAX ? NULL : layout->variables[head->array];
    if (head->site == UINT32_MAX) {
        struct contended_array contended = {.array = array};
        vec_push(&worker->contended, contended);
        return true;
    }
    if (head->site >= recorder->site_count || head->space >= SITE_SPACES)
        return false;
    struct counter *counter = counter_for(worker, head, array);
    profile_add_counts(&counter->counts, &head->counts, 1);
    counter->is_estimate |= head->is_estimate != 0;
    counter->is_immobile |= head->is_immobile != 0;
    if (candidate_precedes(&head->worst, &counter->worst))
        counter->worst = head->worst;
    return add_degrees(counter, head, at, end);
}

bool profile_read_counted(struct profile_recorder *recorder, unsigned number, const char *bytes,
                          size_t length) {
    struct recorder_worker *worker = profile_begin_worker(recorder, number);
    const char *at = bytes, *end = bytes + length;
    struct head head;
    while (at < end)
        if (!take(&at, end, &head, sizeof head) || !add(worker, &head, &at, end))
            return false;
    return true;
}
