// A program that takes the place of NVIDIA's `nvidia-smi` in the processes that bankrun follows:
// packages start it to learn what GPUs there are, which driver, and which architecture to compile
// for. As the real one it asks NVML, which is bankrun's here, and prints what callers read.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin/smi.h"

// Exit statuses as the real one has them (driver 580).
enum { OK = 0, WRONG = 2, NO_DEVICE = 6, NO_LIBRARY = 12, UNKNOWN_OPTION = 255 };

enum task { SUMMARY, LIST, QUERY, VERSION, HELP };

struct options {
    enum task task;
    const char *fields, *format;
    const char *device; // index, UUID or address; NULL: all of them
};

static const char help[] =
    "Usage: nvidia-smi [options]\n"
    "\n"
    "Tells what GPUs bankrun simulates, as NVIDIA's program of this name tells what GPUs there "
    "are.\n"
    "\n"
    "  -L, --list-gpus               a line for each\n"
    "  -i, --id=N                    of this one only: index, UUID or PCI address\n"
    "  --query-gpu=FIELD[,FIELD...]  a table\n"
    "  --format=csv[,noheader][,nounits]\n"
    "  --version, -h, --help\n"
    "\n"
    "Nothing else is there.\n";

// ---- Arguments --------------------------------------------------------------------------------

// The value of an option `name=value` or `name value`; NULL: the argument is another.
static const char *value_of(const char *name, int argc, char **argv, int *at) {
    const size_t length = strlen(name);
    if (strncmp(argv[*at], name, length) != 0)
        return NULL;
    if (argv[*at][length] == '=')
        return argv[*at] + length + 1;
    return argv[*at][length] == '\0' && *at + 1 < argc ? argv[++*at] : NULL;
}

static bool is_one(const char *argument, const char *brief, const char *whole) {
    return strcmp(argument, brief) == 0 || strcmp(argument, whole) == 0;
}

// An exit status, or -1: go on.
static int read_one(struct options *options, int argc, char **argv, int *at) {
    const char *value;
    if (is_one(argv[*at], "-L", "--list-gpus"))
        options->task = LIST;
    else if (strcmp(argv[*at], "--version") == 0)
        options->task = VERSION;
    else if (is_one(argv[*at], "-h", "--help"))
        options->task = HELP;
    else if ((value = value_of("--query-gpu", argc, argv, at)))
        options->task = QUERY, options->fields = value;
    else if ((value = value_of("--format", argc, argv, at)))
        options->format = value;
    else if ((value = value_of("-i", argc, argv, at)) || (value = value_of("--id", argc, argv, at)))
        options->device = value;
    else {
        printf("ERROR: Option %s is not recognized. Please run 'nvidia-smi -h'.\n\n", argv[*at]);
        fprintf(stderr, "bankrun: its stand-in for nvidia-smi knows --list-gpus, --query-gpu, "
                        "--format, --id and --version\n");
        return UNKNOWN_OPTION;
    }
    return -1;
}

static bool read_format(const char *text, bool *has_header, bool *has_units) {
    char copy[128], *rest = copy;
    *has_header = *has_units = true;
    if (text && (size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return false;
    for (const char *word; text && (word = strsep(&rest, ","));)
        if (strcmp(word, "noheader") == 0)
            *has_header = false;
        else if (strcmp(word, "nounits") == 0)
            *has_units = false;
        else if (strcmp(word, "csv") != 0)
            return false;
    return true;
}

// ---- What is printed --------------------------------------------------------------------------

static int list(const struct smi_devices *devices) {
    for (unsigned i = 0; i < devices->count; i++)
        printf("GPU %u: %s (UUID: %s)\n", devices->all[i].index, devices->all[i].name,
               devices->all[i].uuid);
    return OK;
}

static int version(const struct smi_devices *devices) {
    printf("NVIDIA-SMI version  : %s (stand-in of bankrun " BANKRUN_VERSION ")\n"
           "NVML version        : %s\n"
           "DRIVER version      : %s\n"
           "CUDA Version        : %s\n",
           devices->driver, devices->driver, devices->driver, devices->cuda);
    return OK;
}

static int query(const struct options *options, const struct smi_devices *devices) {
    const struct smi_field *fields[SMI_FIELDS];
    bool has_header, has_units;
    char unknown[128];
    unsigned count;
    if (!read_format(options->format, &has_header, &has_units)) {
        puts("Format modifier is not recognized.\n");
        return WRONG;
    }
    if (!smi_read_fields(options->fields, fields, &count, unknown)) {
        printf("Field \"%s\" is not a valid field to query.\n\n", unknown);
        return WRONG;
    }
    for (unsigned f = 0; has_header && f < count; f++)
        printf("%s%s%s%s%s", f ? ", " : "", fields[f]->name,
               has_units && *fields[f]->unit ? " [" : "", has_units ? fields[f]->unit : "",
               has_units && *fields[f]->unit ? "]" : "");
    if (has_header)
        putchar('\n');
    for (unsigned i = 0; i < devices->count; i++)
        for (unsigned f = 0; f < count; f++) {
            char text[SMI_TEXT];
            const bool is_known = fields[f]->write(devices, &devices->all[i], text);
            printf("%s%s%s%s%s", f ? ", " : "", is_known ? text : "[N/A]",
                   is_known && has_units && *fields[f]->unit ? " " : "",
                   is_known && has_units ? fields[f]->unit : "", f + 1 < count ? "" : "\n");
        }
    return OK;
}

static void rule(const char *corner, char line) {
    static const int widths[] = {41, 24, 22};
    for (int c = 0; c < 3; c++) {
        fputs(c ? corner : "+", stdout);
        for (int i = 0; i < widths[c]; i++)
            putchar(line);
    }
    puts("+");
}

// Packages look for the two versions in it.
static int summary(const struct smi_devices *devices) {
    char text[64];
    const time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) && strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local))
        puts(text);
    rule("-", '-');
    printf("| NVIDIA-SMI %-23sDriver Version: %-15sCUDA Version: %-9s|\n", devices->driver,
           devices->driver, devices->cuda);
    rule("+", '-');
    printf("| %-39s | %-22s | %-20s |\n", "GPU  Name", "Bus-Id", "Memory-Usage");
    rule("+", '=');
    for (unsigned i = 0; i < devices->count; i++) {
        const struct smi_device *device = &devices->all[i];
        snprintf(text, sizeof text, "%lluMiB / %lluMiB", device->used >> 20, device->total >> 20);
        printf("| %3u  %-34.34s | %-22s | %20s |\n", device->index, device->name, device->address,
               text);
        rule("+", '-');
    }
    puts("bankrun simulates these: no GPU is used.");
    return OK;
}

int main(int argc, char **argv) {
    struct options options = {0};
    struct smi_devices devices;
    for (int i = 1; i < argc; i++) {
        const int status = read_one(&options, argc, argv, &i);
        if (status >= 0)
            return status;
    }
    if (options.task == HELP)
        return fputs(help, stdout) < 0;
    if (options.device && options.task == LIST) {
        puts("ERROR: Option -i is not valid for this command. Please run 'nvidia-smi -h' for "
             "help.\n");
        return WRONG;
    }
    if (!smi_find_devices(&devices)) {
        puts("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.");
        return NO_LIBRARY;
    }
    if (options.device && !smi_keep(&devices, options.device)) {
        puts("No devices were found");
        return NO_DEVICE;
    }
    int status = options.task == LIST      ? list(&devices)
                 : options.task == VERSION ? version(&devices)
                 : options.task == QUERY   ? query(&options, &devices)
                                           : summary(&devices);
    if (fflush(stdout) != 0 && status == OK)
        status = WRONG;
    return status;
}
