#define _GNU_SOURCE // environ
#include "cli/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/strbuf.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "ranks/relay.h"
#include "spread/worker.h"

// Of this process: it is a rank once.
static struct {
    const struct ranks_mpi *mpi;
    unsigned rank, count;
    uint64_t *pids; // of ranks on this machine
    struct ranks_channel *channel;
    struct ranks_relay *relay;
    atomic_bool is_lost;
} self;

static long number_of(const char *name) {
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : -1;
}

// As whoever starts ranks says it in the environment: Open MPI, those with PMI, srun.
static bool has_others(bool *is_first) {
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_of(names[i][0]) > 1) {
            *is_first = number_of(names[i][1]) <= 0;
            return true;
        }
    return false;
}

static const struct ranks_mpi *load(bool says) {
    char *folder = environment_library_folder(RANKS_LIBRARY);
    struct strbuf path = {0};
    const struct ranks_mpi *(*door)(void) = NULL;
    if (folder) {
        strbuf_printf(&path, "%s/%s", folder, RANKS_LIBRARY);
        void *library = dlopen(path.data, RTLD_NOW | RTLD_GLOBAL);
        if (library)
            *(void **)&door = dlsym(library, RANKS_SYMBOL);
    }
    if (!door && says)
        cli_error("%s: several ranks were started, and only the first one does something: %s",
                  RANKS_LIBRARY,
                  folder ? dlerror()
                         : "this bankrun was built without MPI (Debian: apt-get install "
                           "libopenmpi-dev, then build it anew; --no-ranks has each rank run a "
                           "program of its own)");
    free(folder);
    strbuf_free(&path);
    return door ? door() : NULL;
}

// The program may be one of MPI: alone, and not the rank that bankrun is.
static void forget_rank(void) {
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_", "ORTE_", "MPIEXEC_"};
    bool is_found = true;
    while (is_found) {
        is_found = false;
        for (char **at = environ; *at && !is_found; at++)
            for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes && !is_found; p++)
                if (strncmp(*at, prefixes[p], strlen(prefixes[p])) == 0) {
                    char *name = base_strndup(*at, strcspn(*at, "="));
                    is_found = unsetenv(name) == 0;
                    free(name);
                }
    }
}

static void on_lost(void *context, unsigned rank) {
    (void)context;
    if (atomic_exchange(&self.is_lost, true))
        return;
    cli_error("rank %u was lost: its process has ended, or nothing was heard of it for %u seconds. "
              "The run ends here; what was counted until now is kept",
              rank, ranks_patience());
    child_stop();
}

static bool start_first(void) {
    self.channel = ranks_channel_create(self.count);
    if (!self.channel) {
        cli_error("no shared memory can be had for the ranks: %s", strerror(errno));
        return false;
    }
    self.relay = ranks_relay_start(self.mpi, self.count, self.channel, self.pids, on_lost, NULL);
    if (!self.relay)
        cli_error("no thread can be had for the ranks");
    char *name = ranks_channel_name(self.channel);
    setenv(RANKS_VARIABLE, name, 1);
    free(name);
    forget_rank();
    return self.relay != NULL;
}

static void greet_one(const struct ranks_self *own, unsigned rank) {
    struct ranks_self *copy = malloc(sizeof *copy);
    if (!copy)
        base_out_of_memory(sizeof *copy);
    *copy = *own;
    self.mpi->send(rank, copy, sizeof *copy);
}

// The first one and each of the others: no others say anything to each other, so that what rank 0
// says next cannot come before a greeting that is still on its way.
static void greet(const struct ranks_self *own) {
    self.pids = base_alloc(self.count * sizeof *self.pids);
    if (self.rank)
        greet_one(own, 0);
    for (unsigned rank = 1; rank < self.count && !self.rank; rank++)
        greet_one(own, rank);
}

// False: it is of another kind, or time is up, which was said.
static bool hear_one(const struct ranks_self *own, double until, unsigned heard) {
    unsigned from = 0;
    size_t length = 0;
    bool has_failed = false;
    struct ranks_self *other = NULL;
    while (!other && ranks_now() < until) {
        other = self.mpi->receive(&from, &length, &has_failed);
        if (!other)
            usleep(1000);
    }
    const bool is_same = other && length == sizeof *other && other->identity == own->identity;
    if (!other)
        cli_error("rank %u has heard of %u of %u other ranks only", self.rank, heard,
                  self.rank ? 1 : self.count - 1);
    else if (!is_same)
        cli_error("rank %u is of another version of bankrun, or of another processor, than rank %u",
                  from, self.rank);
    if (is_same && from < self.count && own->place && other->place == own->place)
        self.pids[from] = other->pid;
    free(other);
    return is_same;
}

// All are of one kind, or nobody begins.
static bool is_alike(void) {
    const struct ranks_self own = ranks_self();
    const double until = ranks_now() + ranks_patience();
    const unsigned others = self.rank ? 1 : self.count - 1;
    greet(&own);
    for (unsigned heard = 0; heard < others; heard++)
        if (!hear_one(&own, until, heard))
            return false;
    return true;
}

// Messages of some megabytes come and go: their memory is kept, since what the system gives anew it
// clears, page by page.
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

static enum ranks_role work(const struct cli_options *options, int *status) {
    char *cache = environment_cache_folder(options);
    sim_compiled_code_at(cache);
    free(cache);
    const enum spread_worker_end end = spread_work(self.mpi, self.rank, options->threads);
    if (end == SPREAD_LOST)
        cli_error("rank %u: nothing is heard of rank 0 any more", self.rank);
    self.mpi->end(end == SPREAD_LOST);
    *status = end == SPREAD_LOST ? CLI_FAILED_RUN : CLI_OK;
    return RANKS_OTHER;
}

// A rank that ends while MPI begins leaves the others waiting in there, where nothing else helps.
static void on_alarm(int number) {
    static const char text[] = "bankrun: MPI does not begin: a rank does not come, or has ended\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(CLI_USAGE);
}

static bool begin(void) {
    enum { TIMES = 4 }; // of the patience with a rank: many ranks take their time
    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before);
    alarm(TIMES * ranks_patience());
    const bool is_begun = self.mpi->begin(&self.rank, &self.count);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return is_begun;
}

enum ranks_role ranks_join(const struct cli_options *options, int *status) {
    bool is_first = true;
    unsetenv(RANKS_VARIABLE);
    if (options->no_ranks || !has_others(&is_first))
        return RANKS_ALONE;
    self.mpi = load(is_first);
    *status = CLI_OK;
    if (!self.mpi)
        return is_first ? RANKS_ALONE : RANKS_OTHER;
    if (!begin()) {
        cli_error("MPI does not begin");
        *status = CLI_USAGE;
        return RANKS_REFUSED;
    }
    if (self.count < 2)
        return RANKS_ALONE;
    keep_memory();
    const bool is_good = is_alike();
    if (is_good && self.rank > 0)
        return work(options, status);
    if (is_good && start_first())
        return RANKS_FIRST;
    *status = CLI_USAGE;
    self.mpi->end(true);
    return RANKS_REFUSED;
}

// ---- The report ---------------------------------------------------------------------------------

static void print_rank(struct ranks_reader *in, unsigned rank, double *most_seconds,
                       double *all_bytes) {
    const uint64_t blocks = ranks_get_number(in);
    const double seconds = (double)ranks_get_number(in) * 1e-6;
    const double waited = (double)ranks_get_number(in) * 1e-6;
    const uint64_t sent = ranks_get_number(in), received = ranks_get_number(in);
    fprintf(stderr, "  rank %-5u %12llu blocks %10.3f s %12.3f MB to it %12.3f MB from it", rank,
            (unsigned long long)blocks, seconds, (double)sent / 1e6, (double)received / 1e6);
    if (rank > 0)
        fprintf(stderr, " %8.3f s waiting for them", waited);
    fputc('\n', stderr);
    *all_bytes += (double)(sent + received);
    if (seconds > *most_seconds)
        *most_seconds = seconds;
}

static void print_why(struct ranks_reader *in) {
    const size_t count = ranks_get_count(in, 2 * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        char *name = ranks_get_text(in), *why = ranks_get_text(in);
        char *kernel = name ? base_demangle(name) : NULL;
        if (kernel && why)
            fprintf(stderr, "  on rank 0 alone: %s: %s\n", kernel, why);
        free(kernel);
        free(name);
        free(why);
    }
}

static void print_report(const struct strbuf *report) {
    struct ranks_reader in = ranks_read(report->data, report->length);
    const uint64_t shared = ranks_get_number(&in), alone = ranks_get_number(&in);
    const uint64_t undone = ranks_get_number(&in), ranks = ranks_get_number(&in);
    double seconds = 0, bytes = 0;
    fprintf(stderr,
            "Ranks: %llu launches were shared out, %llu were run on rank 0 alone, %llu of them "
            "after a try\n",
            (unsigned long long)shared, (unsigned long long)alone, (unsigned long long)undone);
    for (uint64_t r = 0; r < ranks && !in.is_bad; r++)
        print_rank(&in, (unsigned)r, &seconds, &bytes);
    const double begin = (double)ranks_get_number(&in) * 1e-6;
    const double wait = (double)ranks_get_number(&in) * 1e-6;
    const double merge = (double)ranks_get_number(&in) * 1e-6;
    if (shared)
        fprintf(stderr,
                "  rank 0 took %.3f s to begin launches, %.3f s to wait for the others, %.3f s to "
                "put together what they wrote\n",
                begin, wait, merge);
    print_why(&in);
    // A link of 10 Gbit/s moves that much in a second.
    if (shared && bytes / 1.25e9 > seconds)
        fprintf(stderr, "  %.1f MB a launch for %.3f s of work: use one machine\n",
                bytes / 1e6 / (double)shared, seconds / (double)shared);
}

int ranks_leave(const struct cli_options *options, int status) {
    if (!self.relay)
        return status;
    ranks_relay_stop(self.relay);
    const struct strbuf *report = ranks_relay_report(self.relay);
    if (options->shows_ranks && report)
        print_report(report);
    else if (options->shows_ranks && options->launch)
        fputs("Ranks: the launches of a .ptx file are run on rank 0 alone\n", stderr);
    else if (options->shows_ranks)
        fputs("Ranks: no kernel was launched\n", stderr);
    const bool is_lost = atomic_load(&self.is_lost);
    fflush(NULL);
    if (is_lost && status == CLI_OK)
        status = CLI_FAILED_RUN;
    if (is_lost) // MPI_Abort ends this process, too
        self.mpi->end(true);
    else
        self.mpi->end(false);
    return status;
}
