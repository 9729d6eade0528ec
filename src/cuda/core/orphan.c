#include "cuda/core/orphan.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cuda/core/hand_over.h"
#include "cuda/core/own_thread.h"
#include "handover/handover.h"

enum { PATIENCE_SECONDS = 5 };

// `presence`: where nothing is handed over.
static void *wait_for_bankrun(void *presence) {
    if (presence ? !handover_is_orphaned(presence) : !cuda_hand_over_is_lost())
        return NULL;
    kill(getpid(), SIGTERM);
    sleep(PATIENCE_SECONDS);
    kill(getpid(), SIGKILL);
    return NULL;
}

void cuda_watch_bankrun(void) {
    static bool is_watching;
    struct handover_writer *presence = NULL;
    if (is_watching)
        return;
    is_watching = true;
    if (!cuda_hands_over())
        presence = handover_open_presence();
    if (presence || cuda_hands_over())
        cuda_own_thread(POOL_THREADS "bankrun", wait_for_bankrun, presence);
}
