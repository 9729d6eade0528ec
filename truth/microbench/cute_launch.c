// Launches the kernels that cute_kernels.py compiled into FOLDER, and prints a hash of what each
// leaves in each buffer. LIB is the folder of CuTe DSL's libraries, nvidia_cutlass_dsl/cu12/lib.
//
//   cc -O2 -IFOLDER -o cute_launch cute_launch.c FOLDER/*.o LIB/libcuda_dialect_runtime_static.a
//   -lcudart -lcuda -lstdc++ &&
//   ./cute_launch [NAME...]
#include "launch_buffers.h"

enum { BUFFERS = 4 };

struct launch {
    const char *name;
    int (*run)(void **buffers);
    unsigned count;
    struct {
        const char *type;
        size_t count;
        const char *fill;
    } buffers[BUFFERS];
};

#include "table.h"

static int is_wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return count == 0;
}

static void run(const struct launch *l) {
    void *buffers[BUFFERS];
    size_t bytes[BUFFERS];
    for (unsigned i = 0; i < l->count; i++)
        buffers[i] = (void *)(uintptr_t)make_buffer(l->buffers[i].type, l->buffers[i].count,
                                                    l->buffers[i].fill, &bytes[i]);
    const int status = l->run(buffers);
    if (status) {
        fprintf(stderr, "%s: error %d\n", l->name, status);
        exit(1);
    }
    check(cuCtxSynchronize(), l->name);
    printf("%s", l->name);
    for (unsigned i = 0; i < l->count; i++) {
        uint8_t *data = malloc(bytes[i]);
        check(cuMemcpyDtoH(data, (CUdeviceptr)(uintptr_t)buffers[i], bytes[i]), l->name);
        printf(" %016" PRIx64, hash(data, bytes[i]));
        check(cuMemFree((CUdeviceptr)(uintptr_t)buffers[i]), "cuMemFree");
        free(data);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    start_device();
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        if (is_wanted(launches[i].name, argc - 1, argv + 1))
            run(&launches[i]);
    return 0;
}
