// Memory and events of other processes: each child is this program again, which gets its handles
// through a pipe and answers through another.
// bankrun: -lcuda
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call) check(call, #call)

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// What a call that fails returns, and nothing is left of it.
static void tell(const char *what, cudaError_t error) {
    printf("%s: %s\n", what,
           error == cudaErrorDeviceUninitialized ? "invalid context" : cudaGetErrorName(error));
    cudaGetLastError();
}

__global__ void add(int *data, int count, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] += value;
}

static void run_add(int *data, int count, int value) {
    add<<<(count + 255) / 256, 256>>>(data, count, value);
    CHECK(cudaDeviceSynchronize());
}

// How many of the numbers are not value + i.
static int wrong(const int *data, int count, int value) {
    int *copy = (int *)malloc(count * sizeof *copy), bad = 0;
    CHECK(cudaMemcpy(copy, data, count * sizeof *copy, cudaMemcpyDefault));
    for (int i = 0; i < count; i++)
        bad += copy[i] != value + i;
    free(copy);
    return bad;
}

static int *numbers(int count) {
    int *copy = (int *)malloc(count * sizeof *copy), *data;
    CHECK(cudaMalloc(&data, count * sizeof *data));
    for (int i = 0; i < count; i++)
        copy[i] = i;
    CHECK(cudaMemcpy(data, copy, count * sizeof *copy, cudaMemcpyHostToDevice));
    free(copy);
    return data;
}

// ---- Processes --------------------------------------------------------------------------------

struct child {
    pid_t pid;
    int to, from;
};

static child start(const char *role) {
    int to[2], from[2];
    if (pipe(to) || pipe(from))
        exit(1);
    fflush(stdout);
    child made = {fork(), to[1], from[0]};
    if (!made.pid) {
        dup2(to[0], 3);
        dup2(from[1], 4);
        for (int i = 5; i < 64; i++)
            close(i);
        execl("/proc/self/exe", "ipc", role, (char *)0);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return made;
}

template <typename T> static void send(int file, const T &value) {
    if (write(file, &value, sizeof value) != sizeof value)
        exit(1);
}

template <typename T> static T receive(int file) {
    T value;
    char *at = (char *)&value;
    for (ssize_t left = sizeof value, count; left; left -= count, at += count)
        if ((count = read(file, at, left)) <= 0)
            exit(1);
    return value;
}

static void end(const child &child) {
    int status;
    waitpid(child.pid, &status, 0);
    if (status)
        printf("a child ended with %d\n", status);
    close(child.to);
    close(child.from);
}

enum { SMALL = 1000, LARGE = 3 << 18, COUNT = 3 };
static const int counts[COUNT] = {SMALL, 7, LARGE};

// ---- One child with several allocations -------------------------------------------------------

static cudaError_t open(int **data, cudaIpcMemHandle_t handle) {
    return cudaIpcOpenMemHandle((void **)data, handle, cudaIpcMemLazyEnablePeerAccess);
}

static void several() {
    int *data[COUNT], *again;
    cudaIpcMemHandle_t handle[COUNT], own;
    for (int i = 0; i < COUNT; i++) {
        handle[i] = receive<cudaIpcMemHandle_t>(3);
        CHECK(open(&data[i], handle[i]));
        printf("child: %d wrong of %d\n", wrong(data[i], counts[i], 0), counts[i]);
        run_add(data[i], counts[i], 100 + i);
    }
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data[0] + 3));
    CUdeviceptr base;
    size_t bytes;
    cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)(data[0] + 3));
    printf("child: type %d of device %d, %zu bytes%s\n", attributes.type, attributes.device, bytes,
           base == (CUdeviceptr)data[0] ? "" : ", of another base");
    CHECK(open(&again, handle[0]));
    printf("child: opened twice, %s address\n", again == data[0] ? "the same" : "another");
    CHECK(cudaIpcCloseMemHandle(again));
    printf("child: closed once, %d wrong\n", wrong(data[0], SMALL, 100));
    tell("child: cudaFree", cudaFree(data[0]));
    tell("child: handle of opened memory", cudaIpcGetMemHandle(&own, data[0]));
    tell("child: close inside", cudaIpcCloseMemHandle(data[0] + 1));
    CHECK(cudaMemset(data[1], 0, 7 * sizeof(int)));
    for (int i = 0; i < COUNT; i++)
        CHECK(cudaIpcCloseMemHandle(data[i]));
    tell("child: closed again", cudaIpcCloseMemHandle(data[0]));
    CHECK(open(&data[0], handle[0]));
    printf("child: opened anew, %d wrong\n", wrong(data[0], SMALL, 100));
    memset(&own, 0, sizeof own);
    tell("child: handle of zeros", open(&again, own));
    tell("child: flags 0", cudaIpcOpenMemHandle((void **)&again, handle[1], 0));
    tell("child: nowhere", cudaIpcOpenMemHandle(NULL, handle[1], cudaIpcMemLazyEnablePeerAccess));
    send(4, 'e');
}

static void test_several() {
    int *data[COUNT];
    cudaIpcMemHandle_t handle, other;
    child one = start("several");
    for (int i = 0; i < COUNT; i++) {
        data[i] = numbers(counts[i]);
        CHECK(cudaIpcGetMemHandle(&handle, data[i]));
        CHECK(cudaIpcGetMemHandle(&other, data[i] + 3));
        if (memcmp(&handle, &other, sizeof handle))
            printf("another handle for a pointer inside\n");
        send(one.to, handle);
    }
    receive<char>(one.from);
    for (int i = 0; i < COUNT; i++)
        if (i != 1)
            printf("parent: %d wrong of %d\n", wrong(data[i], counts[i], 100 + i), counts[i]);
    int seven[7];
    CHECK(cudaMemcpy(seven, data[1], sizeof seven, cudaMemcpyDeviceToHost));
    printf("parent: %d %d\n", seven[0], seven[6]);
    end(one);
    for (int i = 0; i < COUNT; i++)
        CHECK(cudaFree(data[i]));
}

// ---- Two children at once, in two halves ------------------------------------------------------

static void half() {
    int *data, number = receive<int>(3);
    CHECK(open(&data, receive<cudaIpcMemHandle_t>(3)));
    run_add(data + number * LARGE / 2, LARGE / 2, number + 1);
    send(4, 'w');
    receive<char>(3);
    run_add(data + (1 - number) * LARGE / 2, LARGE / 2, 10 * (number + 1));
    CHECK(cudaIpcCloseMemHandle(data));
    send(4, 'e');
}

static void test_halves() {
    child both[2] = {start("half"), start("half")};
    cudaIpcMemHandle_t handle;
    int *data = numbers(LARGE);
    CHECK(cudaIpcGetMemHandle(&handle, data));
    for (int i = 0; i < 2; i++) {
        send(both[i].to, i);
        send(both[i].to, handle);
    }
    for (int i = 0; i < 2; i++)
        receive<char>(both[i].from);
    run_add(data, LARGE, 1000);
    for (int i = 0; i < 2; i++)
        send(both[i].to, 'g');
    for (int i = 0; i < 2; i++)
        receive<char>(both[i].from);
    printf("halves: %d and %d wrong\n", wrong(data, LARGE / 2, 1021),
           wrong(data + LARGE / 2, LARGE / 2, LARGE / 2 + 1012));
    for (int i = 0; i < 2; i++)
        end(both[i]);
    CHECK(cudaFree(data));
}

// ---- Events -----------------------------------------------------------------------------------

static void event() {
    cudaEvent_t event;
    cudaIpcEventHandle_t handle = receive<cudaIpcEventHandle_t>(3), none;
    CHECK(cudaIpcOpenEventHandle(&event, handle));
    CHECK(cudaStreamWaitEvent(0, event, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventQuery(event));
    CHECK(cudaEventRecord(event));
    float milliseconds;
    tell("event: time", cudaEventElapsedTime(&milliseconds, event, event));
    CHECK(cudaEventDestroy(event));
    memset(&none, 0, sizeof none);
    tell("event: handle of zeros", cudaIpcOpenEventHandle(&event, none));
    send(4, 'e');
}

static void test_event() {
    cudaEvent_t event, plain;
    cudaIpcEventHandle_t handle;
    child one = start("event");
    CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    tell("event: no flag", cudaIpcGetEventHandle(&handle, plain));
    tell("event: with timing", cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetEventHandle(&handle, event));
    CHECK(cudaEventRecord(event));
    send(one.to, handle);
    receive<char>(one.from);
    CHECK(cudaEventSynchronize(event));
    tell("event: in its own process", cudaIpcOpenEventHandle(&plain, handle));
    end(one);
    CHECK(cudaEventDestroy(event));
}

// ---- What is refused --------------------------------------------------------------------------

static void late() {
    int *data;
    cudaIpcMemHandle_t handle = receive<cudaIpcMemHandle_t>(3);
    tell("late: memory that was freed", open(&data, handle));
    send(4, 'e');
}

static void test_late() {
    child one = start("late");
    cudaIpcMemHandle_t handle;
    int *data = numbers(SMALL);
    CHECK(cudaIpcGetMemHandle(&handle, data));
    CHECK(cudaFree(data));
    send(one.to, handle);
    receive<char>(one.from);
    end(one);
}

static void gone() {
    cudaIpcMemHandle_t handle;
    CHECK(cudaIpcGetMemHandle(&handle, numbers(SMALL)));
    send(4, handle);
}

static void test_gone() {
    child one = start("gone");
    int *data;
    cudaIpcMemHandle_t handle = receive<cudaIpcMemHandle_t>(one.from);
    end(one);
    tell("gone: memory of a process that ended", open(&data, handle));
}

__managed__ int managed_variable = 5;
__device__ int device_variable;

static void test_refused() {
    cudaIpcMemHandle_t handle;
    int *data = numbers(SMALL), *host, *managed, *pool, *variable;
    CHECK(cudaMallocHost(&host, 4));
    CHECK(cudaMallocManaged(&managed, 4));
    CHECK(cudaMallocAsync(&pool, 4, 0));
    CHECK(cudaGetSymbolAddress((void **)&variable, device_variable));
    tell("no pointer", cudaIpcGetMemHandle(&handle, NULL));
    tell("pageable memory", cudaIpcGetMemHandle(&handle, &handle));
    tell("page-locked memory", cudaIpcGetMemHandle(&handle, host));
    tell("managed memory", cudaIpcGetMemHandle(&handle, managed));
    tell("memory of a pool", cudaIpcGetMemHandle(&handle, pool));
    tell("a variable", cudaIpcGetMemHandle(&handle, variable));
    CHECK(cudaIpcGetMemHandle(&handle, data));
    tell("in its own process", open(&managed, handle));
    tell("close what is not opened", cudaIpcCloseMemHandle(data));
    int can;
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrIpcEventSupport, 0));
    printf("events: %d\n", can);
    unsigned capable[3];
    CUdeviceptr pointers[] = {(CUdeviceptr)data, (CUdeviceptr)host, (CUdeviceptr)pool};
    for (int i = 0; i < 3; i++)
        cuPointerGetAttribute(&capable[i], CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                              pointers[i]);
    printf("capable: %u %u %u\n", capable[0], capable[1], capable[2]);
    CHECK(cudaFree(data));
    CHECK(cudaFreeHost(host));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)();
    } roles[] = {
        {"several", several}, {"half", half}, {"event", event}, {"late", late}, {"gone", gone}};
    setvbuf(stdout, NULL, _IONBF, 0);
    for (auto &role : roles)
        if (argc > 1 && !strcmp(argv[1], role.name)) {
            role.run();
            return 0;
        }
    test_several();
    test_halves();
    test_event();
    test_late();
    test_gone();
    test_refused();
    return 0;
}
