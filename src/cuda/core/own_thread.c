#define _GNU_SOURCE // pthread_setname_np
#include "cuda/core/own_thread.h"

#include <pthread.h>
#include <signal.h>

bool cuda_own_thread(const char *name, void *(*work)(void *context), void *context) {
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool is_made = pthread_create(&thread, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (is_made) {
        pthread_setname_np(thread, name);
        pthread_detach(thread);
    }
    return is_made;
}
