// Runs a program on one random kernel after another.
#include "random_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/module.h"

static struct sim_kernel *load(struct sim *sim, const struct source *source,
                               struct run_module *module, struct diag_list *diags) {
    if (!run_module_parse(module, source, diags) || !run_module_load(module, sim, diags))
        return NULL;
    return sim_module_kernel(module->sim, "k", diags);
}

// A failed assertion is told by its kernel and seed, as a contradiction is.
static struct {
    uint64_t seed;
    const char *text;
} now;

static void tell(int number) {
    if (now.text)
        printf("%sseed %" PRIu64 " ended the program\n", now.text, now.seed);
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}

// One seed. `file`: the text of the kernel; NULL: it is made. False: a contradiction.
static bool is_good(const struct random_program *program, struct random_case *given,
                    const char *file) {
    struct random_kernel text = {.has_open_branches = true};
    struct run_module module = {0};
    struct diag_list diags = {0};
    if (file)
        strbuf_puts(&text.text, file);
    else
        program->make(&text, given->seed);
    const struct source source = {"random.ptx", strbuf_string(&text.text), text.text.length};
    given->text = &text;
    now.seed = given->seed;
    now.text = source.text;
    given->kernel = load(given->sim, &source, &module, &diags);
    size_t bytes;
    given->array = given->kernel ? sim_module_variable(module.sim, "gl", &bytes) : NULL;
    const bool good = given->kernel && program->is_good(given);
    if (!given->kernel && !program->is_silent) {
        printf("%sseed %" PRIu64 " makes no kernel:\n", source.text, given->seed);
        diag_print(&diags, stdout, false);
    }
    run_module_free(&module);
    diag_free(&diags);
    now.text = NULL;
    random_kernel_free(&text);
    return good;
}

static uint64_t count_bad(const struct random_program *program, void *totals, uint64_t first,
                          uint64_t count, const char *file) {
    const struct sim_config config = {.arch = RANDOM_ARCH,
                                      .threads = 1,
                                      .max_instructions = program->most_instructions,
                                      .device_bytes = 64 << 20};
    struct random_case given = {.sim = sim_create(&config), .totals = totals};
    given.buffer = sim_alloc(given.sim, RANDOM_BUFFER_BYTES, SIM_DEVICE);
    uint64_t bad = 0;
    for (given.seed = first; given.seed < first + count; given.seed++)
        bad += !is_good(program, &given, file);
    sim_destroy(given.sim);
    return bad;
}

int random_main(const struct random_program *program, void *totals, int argc, char **argv) {
    if (argc != 3 && !(argc == 4 && program->takes_file)) {
        fprintf(stderr, "usage: %s FIRST COUNT%s\n", program->name,
                program->takes_file ? " [FILE]" : "");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    char *file = NULL;
    size_t length;
    if (argc == 4 && !file_read(argv[3], &file, &length)) {
        perror(argv[3]);
        return 2;
    }
    signal(SIGABRT, tell);
    const uint64_t bad = count_bad(program, totals, first, count, file);
    program->print_totals(totals);
    printf("%" PRIu64 " contradictions\n", bad);
    free(file);
    return bad != 0;
}

// ---- Memory ---------------------------------------------------------------------------------

void random_content_take(const struct random_case *given, struct random_content *content) {
    memset(content, 0, sizeof *content);
    memcpy(content->buffer, given->buffer, sizeof content->buffer);
    if (given->array)
        memcpy(content->array, given->array, sizeof content->array);
}

void random_content_put(const struct random_case *given, const struct random_content *content) {
    memcpy(given->buffer, content->buffer, sizeof content->buffer);
    if (given->array)
        memcpy(given->array, content->array, sizeof content->array);
}

void random_content_make(const struct random_case *given, uint64_t *state,
                         struct random_content *content) {
    random_content_take(given, content);
    for (unsigned i = 0; i < RANDOM_BUFFER_BYTES; i++)
        content->buffer[i] = (uint8_t)random_next(state);
}

// ---- Reasons --------------------------------------------------------------------------------

void random_count_reason(struct random_reasons *reasons, const char *text) {
    for (unsigned i = 0; i < RANDOM_MOST_REASONS; i++) {
        if (reasons->list[i].text && strcmp(reasons->list[i].text, text) != 0)
            continue;
        reasons->list[i].text = text;
        reasons->list[i].count++;
        return;
    }
}

void random_print_reasons(const struct random_reasons *reasons) {
    for (unsigned i = 0; i < RANDOM_MOST_REASONS && reasons->list[i].text; i++)
        printf("  %8" PRIu64 " %s\n", reasons->list[i].count, reasons->list[i].text);
}
