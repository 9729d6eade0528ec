/* A unit test that fails when a kernel gains a bank conflict. It runs a kernel on a small input,
 * checks the result as any test does, and then the excess: wavefronts of shared memory beyond what
 * the same accesses need at best.
 *
 *     cc no_new_conflict.c $(pkg-config --cflags --libs bankrun) -o no_new_conflict
 *     ./no_new_conflict transpose.ptx padded         status 0
 *     ./no_new_conflict transpose.ptx columns        status 1, and says which line
 */
#include <stdio.h>
#include <stdlib.h>

#include <bankrun/bankrun.h>

enum { TILE = 32, ALLOWED_EXCESS = 0 };

static bool is_transposed(const uint32_t *out, const uint32_t *in) {
    for (unsigned row = 0; row < TILE; row++)
        for (unsigned column = 0; column < TILE; column++)
            if (out[TILE * row + column] != in[TILE * column + row])
                return false;
    return true;
}

/* The lines that conflict, and why. */
static void explain(const struct bankrun_profile *profile) {
    struct bankrun_recorded_launch launch;
    struct bankrun_recorded_site site;
    for (size_t n = 0; bankrun_profile_launch(profile, n, &launch); n++)
        for (size_t m = 0; bankrun_profile_site(profile, n, m, &site); m++)
            if (site.space == BANKRUN_SHARED && site.counts.units > site.counts.ideal)
                printf("  %s:%u: %s: %llu requests take %llu wavefronts, ideal %llu\n    %s\n",
                       site.file ? site.file : "?", (unsigned)site.line, site.instruction,
                       (unsigned long long)site.counts.requests,
                       (unsigned long long)site.counts.units, (unsigned long long)site.counts.ideal,
                       site.why ? site.why : "");
}

static bool test(struct bankrun_device *device, struct bankrun_module *module, const char *kernel,
                 struct bankrun_profile *profile) {
    char *message = NULL;
    uint32_t *out = bankrun_alloc(device, TILE * TILE * sizeof *out);
    uint32_t *in = bankrun_alloc(device, TILE * TILE * sizeof *in);
    for (uint32_t i = 0; i < TILE * TILE; i++)
        in[i] = i;
    struct bankrun_argument arguments[] = {bankrun_memory(out), bankrun_memory(in)};
    struct bankrun_launch launch = {.kernel = kernel,
                                    .grid = {1},
                                    .block = {32},
                                    .arguments = arguments,
                                    .argument_count = 2,
                                    .profile = profile};
    if (bankrun_launch(module, &launch, NULL, &message) != BANKRUN_SUCCESS) {
        printf("FAIL %s: %s\n", kernel, message);
        free(message);
        return false;
    }
    if (!is_transposed(out, in)) {
        printf("FAIL %s: wrong result\n", kernel);
        return false;
    }
    unsigned long long excess = bankrun_profile_excess(profile);
    printf("%s %s: %llu excess wavefronts, %d allowed\n", excess > ALLOWED_EXCESS ? "FAIL" : "ok",
           kernel, excess, ALLOWED_EXCESS);
    explain(profile);
    return excess <= ALLOWED_EXCESS;
}

int main(int argc, char **argv) {
    char *message = NULL;
    struct bankrun_module *module = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: %s transpose.ptx KERNEL\n", argv[0]);
        return 2;
    }
    struct bankrun_device *device = bankrun_open(NULL, &message);
    struct bankrun_profile *profile = bankrun_profile_create(90, "no_new_conflict");
    if (device)
        bankrun_load_file(device, argv[1], &module, &message);
    bool is_good = module && test(device, module, argv[2], profile);
    if (message)
        fprintf(stderr, "%s\n", message);
    free(message);
    bankrun_profile_free(profile);
    bankrun_close(device);
    return is_good ? 0 : 1;
}
