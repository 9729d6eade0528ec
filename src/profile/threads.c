// Launches of several host threads come in an order that changes from run to run. In a profile they
// stand thread by thread: first the main thread's, then those of the others, by what they launched.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/json_failures.h"
#include "profile/recorder.h"

struct entry { // one launch
    uint32_t thread, index;
    uint32_t rank; // by what was counted: equal ones counted the same
    size_t kept;   // of the launches that the profile keeps
};

struct thread {
    uint32_t number;
    const struct entry *entries;
    size_t count;
    struct strbuf refused; // what of its launches was refused
};
typedef VEC(struct thread) thread_list;

struct content {
    char *text;
    size_t kept;
};

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct content *)a)->text, ((const struct content *)b)->text);
}

// The rank of each launch that is kept. Caller frees.
static uint32_t *rank_contents(const struct profile *profile) {
    const size_t count = profile->launch_count;
    struct content *contents = base_alloc(count * sizeof *contents);
    uint32_t *ranks = base_alloc(count * sizeof *ranks), rank = 0;
    for (size_t i = 0; i < count; i++) {
        struct profile_run run = {0, 1, 1};
        struct profile_launch alone = profile->launches[i];
        alone.index = alone.thread = 0;
        alone.repeats = alone.run_count = 1;
        alone.runs = &run;
        contents[i] = (struct content){profile_launch_to_json(&alone), i};
    }
    qsort(contents, count, sizeof *contents, by_text);
    for (size_t i = 0; i < count; i++) {
        rank += i > 0 && strcmp(contents[i - 1].text, contents[i].text) != 0;
        ranks[contents[i].kept] = rank;
    }
    for (size_t i = 0; i < count; i++)
        free(contents[i].text);
    free(contents);
    return ranks;
}

static int by_place(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static struct entry *list_entries(const struct profile *profile, size_t *count) {
    VEC(struct entry) entries = {0};
    uint32_t *ranks = rank_contents(profile);
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        for (size_t r = 0; r < launch->run_count; r++)
            for (uint32_t n = 0; n < launch->runs[r].count; n++)
                vec_push(&entries, ((struct entry){launch->thread,
                                                   launch->runs[r].first + n * launch->runs[r].step,
                                                   ranks[i], i}));
    }
    free(ranks);
    qsort(entries.data, entries.length, sizeof *entries.data, by_place);
    *count = entries.length;
    return entries.data;
}

// Threads that launched the same are alike, whichever comes first.
static int by_launches(const void *a, const void *b) {
    const struct thread *x = a, *y = b;
    if ((x->number == 0) != (y->number == 0))
        return x->number == 0 ? -1 : 1;
    for (size_t i = 0; i < x->count && i < y->count; i++)
        if (x->entries[i].rank != y->entries[i].rank)
            return x->entries[i].rank < y->entries[i].rank ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return strcmp(strbuf_string(&x->refused), strbuf_string(&y->refused));
}

// The thread's launches get the next indices. `place`: for each rank.
static void put_thread(struct profile *to, struct profile *from, const struct thread *thread,
                       uint32_t number, size_t *place) {
    memset(place, 0xff, from->launch_count * sizeof *place);
    for (size_t i = 0; i < thread->count; i++) {
        const struct entry *entry = &thread->entries[i];
        if (place[entry->rank] != SIZE_MAX) {
            profile_repeat_launch(&to->launches[place[entry->rank]], (uint32_t)to->launched++);
            continue;
        }
        place[entry->rank] = to->launch_count;
        struct profile_launch *launch = profile_add_launch(to);
        struct profile_launch *old = &from->launches[entry->kept], fresh = *launch;
        *launch = *old;
        launch->index = fresh.index;
        launch->repeats = fresh.repeats;
        launch->runs = fresh.runs;
        launch->run_count = fresh.run_count;
        launch->thread = number;
        *old = (struct profile_launch){.runs = old->runs};
    }
}

static void replace_launches(struct profile *profile, const struct profile *sorted) {
    for (size_t i = 0; i < profile->launch_count; i++)
        profile_free_launch(&profile->launches[i]);
    free(profile->launches);
    profile->launches = sorted->launches;
    profile->launch_count = sorted->launch_count;
    profile->launch_capacity = sorted->launch_capacity;
}

// The thread's refused launches come next in the list; what another one asked for already is
// counted there. `before`: how many launches stand before its own.
static void put_refused(struct profile *profile, struct profile_refused *sorted, size_t *count,
                        const struct thread *thread, uint32_t number, uint64_t before) {
    for (size_t i = 0; i < profile->refused_count; i++) {
        struct profile_refused *refused = &profile->refused[i];
        size_t same = 0;
        if (refused->thread != thread->number)
            continue;
        while (same < *count && !profile_refused_are_same(&sorted[same], refused))
            same++;
        if (same < *count) {
            profile_repeat_refused(&sorted[same], refused);
            continue;
        }
        sorted[*count] = *refused;
        sorted[*count].thread = number;
        sorted[(*count)++].after += before;
    }
}

static struct thread *find_thread(thread_list *threads, uint32_t number) {
    for (size_t i = 0; i < threads->length; i++)
        if (threads->data[i].number == number)
            return &threads->data[i];
    vec_push(threads, ((struct thread){.number = number}));
    return &threads->data[threads->length - 1];
}

static void list_threads(const struct profile *profile, const struct entry *entries, size_t count,
                         thread_list *threads) {
    for (size_t i = 0; i < count; i++) {
        struct thread *thread = find_thread(threads, entries[i].thread);
        if (!thread->count++)
            thread->entries = &entries[i];
    }
    for (size_t i = 0; i < profile->refused_count; i++) {
        struct profile_refused alone = profile->refused[i];
        struct thread *thread = find_thread(threads, alone.thread);
        alone.thread = 0;
        char *json = profile_refused_to_json(&alone);
        strbuf_puts(&thread->refused, json);
        free(json);
    }
}

static void sort(struct profile *profile) {
    size_t count = 0, refused_count = 0;
    struct entry *entries = list_entries(profile, &count);
    thread_list threads = {0};
    list_threads(profile, entries, count, &threads);
    qsort(threads.data, threads.length, sizeof *threads.data, by_launches);
    struct profile sorted = {0};
    size_t *place = base_alloc((profile->launch_count + 1) * sizeof *place);
    struct profile_refused *refused = base_alloc((profile->refused_count + 1) * sizeof *refused);
    for (size_t t = 0; t < threads.length; t++) {
        put_refused(profile, refused, &refused_count, &threads.data[t], (uint32_t)t,
                    sorted.launched);
        put_thread(&sorted, profile, &threads.data[t], (uint32_t)t, place);
        strbuf_free(&threads.data[t].refused);
    }
    replace_launches(profile, &sorted);
    free(profile->refused);
    profile->refused = refused;
    profile->refused_count = refused_count;
    free(place);
    free(entries);
    vec_free(&threads);
}

void profile_sort_threads(struct profile *profile) {
    const uint32_t first = profile->launch_count    ? profile->launches[0].thread
                           : profile->refused_count ? profile->refused[0].thread
                                                    : 0;
    bool has_several = false;
    for (size_t i = 0; i < profile->launch_count; i++)
        has_several |= profile->launches[i].thread != first;
    for (size_t i = 0; i < profile->refused_count; i++)
        has_several |= profile->refused[i].thread != first;
    if (has_several) {
        sort(profile);
        return;
    }
    for (size_t i = 0; i < profile->launch_count; i++)
        profile->launches[i].thread = 0;
    for (size_t i = 0; i < profile->refused_count; i++)
        profile->refused[i].thread = 0;
}
