// Proofs on several threads: each of a kernel for one shape of blocks, and each about its races, is
// made from nothing that another one changes.
#include <stdatomic.h>

#include "base/pool.h"
#include "cli/prove.h"

// As much as the first thread of a program usually has: ways part in ways, hundreds deep.
enum { STACK_BYTES = 8 << 20 };

struct queue {
    struct prove_job *jobs;
    size_t tasks; // two of each job
    atomic_size_t next;
};

static void run_task(struct prove_job *job, bool is_races) {
    if (is_races)
        job->races = prove_races(job->kernel, &job->launch);
    else
        job->result = prove_kernel(job->kernel, &job->launch);
}

static void work(void *context, int worker) {
    struct queue *queue = context;
    (void)worker;
    for (size_t at; (at = atomic_fetch_add(&queue->next, 1)) < queue->tasks;)
        run_task(&queue->jobs[at / 2], at % 2);
}

void prove_jobs_run(struct prove_job *jobs, size_t count, int threads) {
    struct queue queue = {.jobs = jobs, .tasks = 2 * count};
    if (threads == 1 || count == 0) {
        work(&queue, 0);
        return;
    }
    struct pool *pool = pool_create_deep(threads, STACK_BYTES);
    pool_run(pool, work, &queue);
    pool_destroy(pool);
}
