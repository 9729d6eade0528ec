/* How busy is each bank of shared memory? An observer of one's own hears of every request and
 * counts how many different words each bank has to serve for it; one row of the map is a request of
 * the first warp, dark banks keep all lanes waiting.
 *
 *     cc heatmap.c $(pkg-config --cflags --libs bankrun) -o heatmap
 *     ./heatmap transpose.ptx columns padded
 */
#include <stdio.h>
#include <stdlib.h>

#include <bankrun/bankrun.h>

enum { BANKS = 32, ROWS = 1024, ROWS_OF_LINE = 6, TILE = 32 };

struct row {
    const struct bankrun_site *site;
    unsigned words[BANKS];
};

struct map {
    struct row rows[ROWS];
    unsigned count;
};

/* Does the lane access a word that no lane below it does? Lanes of one word share it. */
static bool is_first(const struct bankrun_event *event, unsigned lane) {
    bool first = event->mask >> lane & 1;
    for (unsigned other = 0; other < lane && first; other++)
        first =
            !(event->mask >> other & 1) || event->offsets[other] / 4 != event->offsets[lane] / 4;
    return first;
}

/* One thread tells all that a block does, in order: what is kept of a single block needs no lock.
 * event->worker helps who wants to keep something of all of them. */
static void on_access(void *context, const struct bankrun_event *event) {
    struct map *map = context;
    if (event->space != BANKRUN_SHARED || event->block_number > 0 || event->warp > 0 ||
        map->count == ROWS)
        return;
    struct row *row = &map->rows[map->count++];
    *row = (struct row){.site = event->site};
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if (is_first(event, lane))
            row->words[event->offsets[lane] / 4 % BANKS]++;
}

static unsigned print_row(const struct row *row) {
    static const char shades[] = " .:-=+*#%@"; /* 0, 1, 2, 3-4, 5-9, ... 30-32 words */
    unsigned most = 0;
    for (unsigned bank = 0; bank < BANKS; bank++) {
        const unsigned words = row->words[bank];
        putchar(shades[words < 3 ? words : 3 + words / 5]);
        most = words > most ? words : most;
    }
    return most;
}

/* The first requests of each line. */
static void print_map(const struct map *map) {
    for (unsigned n = 0, shown = 0; n < map->count; n++) {
        const struct bankrun_site *site = map->rows[n].site;
        if (n == 0 || site != map->rows[n - 1].site) {
            printf("  %s:%u, %s\n", site->file, (unsigned)site->line, site->instruction);
            printf("    bank 0       8       16      24\n");
            shown = 0;
        }
        if (shown++ == ROWS_OF_LINE)
            printf("         ...\n");
        if (shown > ROWS_OF_LINE)
            continue;
        printf("         ");
        printf("  %u words in the busiest bank\n", print_row(&map->rows[n]));
    }
}

/* Transposes one tile. False: *message says why not. */
static bool run(struct bankrun_device *device, struct bankrun_module *module, const char *kernel,
                char **message) {
    static struct map map;
    map.count = 0;
    uint32_t *out = bankrun_alloc(device, TILE * TILE * sizeof *out);
    uint32_t *in = bankrun_alloc(device, TILE * TILE * sizeof *in);
    struct bankrun_argument arguments[] = {bankrun_memory(out), bankrun_memory(in)};
    struct bankrun_observer observer = {.context = &map, .access = on_access};
    struct bankrun_launch launch = {.kernel = kernel,
                                    .grid = {1},
                                    .block = {32},
                                    .arguments = arguments,
                                    .argument_count = 2,
                                    .observers = &observer,
                                    .observer_count = 1};
    enum bankrun_error error = bankrun_launch(module, &launch, NULL, message);
    if (error == BANKRUN_SUCCESS) {
        printf("%s\n", kernel);
        print_map(&map);
    }
    bankrun_free(device, out);
    bankrun_free(device, in);
    return error == BANKRUN_SUCCESS;
}

int main(int argc, char **argv) {
    char *message = NULL;
    struct bankrun_module *module = NULL;
    if (argc < 3) {
        fprintf(stderr, "usage: %s transpose.ptx KERNEL...\n", argv[0]);
        return 2;
    }
    struct bankrun_device *device = bankrun_open(NULL, &message);
    if (device)
        bankrun_load_file(device, argv[1], &module, &message);
    bool is_good = module != NULL;
    for (int i = 2; i < argc && is_good; i++)
        is_good = run(device, module, argv[i], &message);
    if (message)
        fprintf(stderr, "%s\n", message);
    free(message);
    bankrun_close(device);
    return is_good ? 0 : 1;
}
