// A search takes as long as a small launch, and to keep what one asks is no less: it is done for
// the first of launches that are alike. And all of them must not take long beside what a program
// runs.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "profile/cure_find.h"
#include "profile/declared.h"

// Some looks at requests are free, and so is one for so many instructions, which take a third of
// its time each.
enum { MOST_KEPT = 4096, FREE_STEPS = 2000000, INSTRUCTIONS_A_STEP = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t steps, instructions;
static struct map kept; // struct cure_key -> struct kept_cures

struct kept_cures {
    struct cure_key key;
    struct profile_cures cures;
};

bool cure_may_search(uint64_t more) {
    pthread_mutex_lock(&lock);
    const bool may =
        profile_knows_rows() || steps + more <= FREE_STEPS + instructions / INSTRUCTIONS_A_STEP;
    steps += may ? more : 0;
    pthread_mutex_unlock(&lock);
    return may;
}

static struct profile_cures copy_of(const struct profile_cures *cures) {
    struct profile_cures copy = *cures;
    if (!cures->of_site)
        return copy;
    copy.list = base_alloc((cures->count + 1) * sizeof *copy.list);
    for (size_t i = 0; i < cures->count; i++)
        copy.list[i] = profile_copy_cure(&cures->list[i]);
    copy.of_site = base_alloc((cures->site_count + 1) * sizeof *copy.of_site);
    memcpy(copy.of_site, cures->of_site, cures->site_count * sizeof *copy.of_site);
    copy.hints = base_alloc((cures->hint_count + 1) * sizeof *copy.hints);
    if (cures->hint_count)
        memcpy(copy.hints, cures->hints, cures->hint_count * sizeof *copy.hints);
    return copy;
}

void cure_keep(struct cure_key key, const struct profile_cures *cures) {
    pthread_mutex_lock(&lock);
    if (kept.count < MOST_KEPT && !map_get(&kept, (const char *)&key, sizeof key)) {
        struct kept_cures *copy = base_alloc(sizeof *copy);
        *copy = (struct kept_cures){key, copy_of(cures)};
        map_put(&kept, (const char *)&copy->key, sizeof copy->key, copy);
    }
    pthread_mutex_unlock(&lock);
}

bool cure_recall(struct cure_key key, struct profile_cures *cures) {
    pthread_mutex_lock(&lock);
    const struct kept_cures *known = map_get(&kept, (const char *)&key, sizeof key);
    if (known)
        *cures = copy_of(&known->cures);
    pthread_mutex_unlock(&lock);
    return known;
}

bool profile_asks(const struct profile_launch_info *info) {
    const struct cure_key key = {info->likeness, NULL};
    pthread_mutex_lock(&lock);
    const bool is_known = info->likeness && (map_get(&kept, (const char *)&key, sizeof key) ||
                                             kept.count >= MOST_KEPT);
    pthread_mutex_unlock(&lock);
    return !is_known;
}

void profile_ran(uint64_t count) {
    pthread_mutex_lock(&lock);
    instructions += count;
    pthread_mutex_unlock(&lock);
}

void profile_asked(const struct profile_recorder *recorder) {
    if (recorder->info.likeness && recorder->asks)
        cure_keep((struct cure_key){recorder->info.likeness, NULL}, &(struct profile_cures){0});
}
