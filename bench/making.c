// making REPEAT FILE.ptx...: what it takes to make native code of each kernel. Prints one line for
// each: milliseconds of processor time (the least of REPEAT), instructions of PTX, name; the last
// line has the mean. The first kernel is made once more before, so that loading LLVM, which is told
// apart, is not in it. BANKRUN_LANES=avx2 or base makes code for plainer processors.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/diag.h"
#include "base/file.h"
#include "run/module.h"
#include "sim/native.h"

enum { ARCH = 90, MOST = 4096 };

struct making {
    double milliseconds;
    uint32_t instructions;
    char name[64];
};

static struct making all[MOST];
static unsigned count;
static double loading;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void note(const struct sim_kernel *kernel, unsigned number, double milliseconds) {
    struct making *making = &all[number];
    if (number == count) {
        *making = (struct making){milliseconds, kernel->ir->instruction_count, ""};
        snprintf(making->name, sizeof making->name, "%s", kernel->ir->name);
        count++;
    }
    if (milliseconds < making->milliseconds)
        making->milliseconds = milliseconds;
}

// Returns the number of the kernel behind its last.
static unsigned make_all(struct sim_module *module, const struct ptx_module *ptx, unsigned number) {
    const struct sim_launch launch = {.grid = {1, 1, 1}, .block = {256, 1, 1}};
    for (size_t f = 0; f < ptx->function_count && number < MOST; f++) {
        struct diag_list diags = {0};
        struct sim_kernel *kernel = run_is_kernel(&ptx->functions[f])
                                        ? sim_module_kernel(module, ptx->functions[f].name, &diags)
                                        : NULL;
        const double before = now();
        if (kernel)
            sim_native_prepare(kernel, &launch);
        if (kernel && kernel->native && !loading)
            loading = now() - before;
        else if (kernel && kernel->native)
            note(kernel, number++, now() - before);
        diag_free(&diags);
    }
    return number;
}

static unsigned make_file(const char *path, unsigned number) {
    const struct sim_config config = {.arch = ARCH, .engine = SIM_ENGINE_COMPILE};
    struct sim *sim = sim_create(&config);
    struct run_module module = {0};
    struct diag_list diags = {0};
    struct source source = {.name = path};
    char *text;
    if (!file_read(path, &text, &source.length)) {
        fprintf(stderr, "making: cannot read %s\n", path);
        exit(1);
    }
    source.text = text;
    if (run_module_parse(&module, &source, &diags) && run_module_load(&module, sim, &diags))
        number = make_all(module.sim, module.ptx, number);
    run_module_free(&module);
    diag_free(&diags);
    sim_destroy(sim);
    free(text);
    return number;
}

int main(int argc, char **argv) {
    const int repeat = argc > 2 ? atoi(argv[1]) : 0;
    if (repeat < 1) {
        fprintf(stderr, "usage: making REPEAT FILE.ptx...\n");
        return 2;
    }
    sim_compiler_at(getenv("BANKRUN_COMPILER"));
    sim_limit_lanes(getenv("BANKRUN_LANES"));
    const char *missing = sim_compiler_missing();
    if (missing) {
        fprintf(stderr, "making: %s\n", missing);
        return 1;
    }
    make_file(argv[2], 0);
    count = 0;
    for (int r = 0; r < repeat; r++)
        for (unsigned number = 0, f = 2; f < (unsigned)argc; f++)
            number = make_file(argv[f], number);
    double sum = 0;
    for (unsigned k = 0; k < count; k++) {
        printf("%8.1f %6u  %s\n", all[k].milliseconds, all[k].instructions, all[k].name);
        sum += all[k].milliseconds;
    }
    printf("%8.1f         mean of %u kernels; the first one with LLVM to load %.1f\n",
           count ? sum / count : 0, count, loading);
    return 0;
}
