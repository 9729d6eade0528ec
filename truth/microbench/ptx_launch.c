// Launches kernels of a folder as its file `launches` says, through the driver, and prints a hash
// of what each leaves in each buffer.
//
//   cc -O2 -o ptx_launch ptx_launch.c -lcuda && ./ptx_launch FOLDER ptx|cubin
//
// Lines of the file: `kernel FILE ENTRY GRID_X GRID_Y GRID_Z THREADS SHARED_BYTES`, behind it the
// arguments: `buffer TYPE COUNT FILL`, `int N`, `float X`. triton_kernels.py writes it.
#include "launch_buffers.h"

enum { ARGUMENTS = 16, TEXT = 256 };

struct argument {
    union {
        CUdeviceptr buffer;
        int32_t integer;
        float real;
    } value;
    size_t bytes; // of the buffer; 0: a number
    int is_scratch;
};
struct launch {
    char file[TEXT], entry[TEXT];
    unsigned grid[3], threads, shared, count;
    struct argument arguments[ARGUMENTS];
};

static void add_argument(struct launch *l, const char *line) {
    struct argument *a = &l->arguments[l->count++];
    char type[TEXT], fill[TEXT];
    size_t count;
    *a = (struct argument){0};
    if (l->count > ARGUMENTS)
        exit(2);
    if (sscanf(line, "buffer %255s %zu %255s", type, &count, fill) == 3) {
        a->value.buffer = make_buffer(type, count, fill, &a->bytes);
        a->is_scratch = !strcmp(fill, "scratch");
    } else if (sscanf(line, "int %d", &a->value.integer) != 1 &&
               sscanf(line, "float %f", &a->value.real) != 1) {
        fprintf(stderr, "what is this: %s", line);
        exit(2);
    }
}

static void show(struct launch *l) {
    printf("%s", l->file);
    for (unsigned i = 0; i < l->count; i++) {
        struct argument *a = &l->arguments[i];
        if (!a->bytes)
            continue;
        uint8_t *data = malloc(a->bytes);
        check(cuMemcpyDtoH(data, a->value.buffer, a->bytes), l->file);
        if (!a->is_scratch)
            printf(" %016" PRIx64, hash(data, a->bytes));
        check(cuMemFree(a->value.buffer), "cuMemFree");
        free(data);
    }
    printf("\n");
    fflush(stdout);
}

static void run(struct launch *l, const char *folder, const char *form) {
    void *values[ARGUMENTS];
    char path[4 * TEXT];
    CUmodule module;
    CUfunction function;
    if (!l->file[0])
        return;
    for (unsigned i = 0; i < l->count; i++)
        values[i] = &l->arguments[i].value;
    snprintf(path, sizeof path, "%s/%s.%s", folder, l->file, form);
    check(cuModuleLoad(&module, path), path);
    check(cuModuleGetFunction(&function, module, l->entry), l->entry);
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             (int)l->shared),
          "cuFuncSetAttribute");
    check(cuLaunchKernel(function, l->grid[0], l->grid[1], l->grid[2], l->threads, 1, 1, l->shared,
                         NULL, values, NULL),
          l->file);
    check(cuCtxSynchronize(), l->file);
    show(l);
    check(cuModuleUnload(module), "cuModuleUnload");
    l->count = 0;
}

int main(int argc, char **argv) {
    static struct launch l;
    char line[4 * TEXT];
    if (argc < 3)
        return 2;
    snprintf(line, sizeof line, "%s/launches", argv[1]);
    FILE *list = fopen(line, "r");
    if (!list)
        return 2;
    start_device();
    while (fgets(line, sizeof line, list)) {
        if (strncmp(line, "kernel ", 7) != 0) {
            add_argument(&l, line);
            continue;
        }
        run(&l, argv[1], argv[2]);
        if (sscanf(line, "kernel %255s %255s %u %u %u %u %u", l.file, l.entry, &l.grid[0],
                   &l.grid[1], &l.grid[2], &l.threads, &l.shared) != 7)
            return 2;
    }
    run(&l, argv[1], argv[2]);
    fclose(list);
    return 0;
}
