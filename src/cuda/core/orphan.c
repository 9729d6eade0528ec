#include "cuda/core/orphan.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cuda/core/hand_over.h"
#include "cuda/core/own_thread.h"

enum { PATIENCE_SECONDS = 5 };

static void *wait_for_bankrun(void *unused) {
    (void)unused;
    if (!cuda_hand_over_is_lost())
        return NULL;
    kill(getpid(), SIGTERM);
    sleep(PATIENCE_SECONDS);
    kill(getpid(), SIGKILL);
    return NULL;
}

void cuda_watch_bankrun(void) {
    if (cuda_hands_over())
        cuda_own_thread(POOL_THREADS "bankrun", wait_for_bankrun, NULL);
}
