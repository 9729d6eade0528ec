// Host memory that goes away while a kernel uses it: unmapped, protected, or its file cut short by
// another thread. That is the kernel's fault, at its line and lane; signals that are about anything
// else reach the program's own handlers.
// stderr: host_vanishes.cu:29: access at 0x7ea000000080: inside the host memory that was registered at 0x7ea000000000, which was unmapped while the kernel ran
// stderr: thread \(32,0,0\) and 31 more lanes of its warp
// stderr: host_vanishes.cu:31: access at 0x7ea000000000: .* which was protected while the kernel ran
// stderr: host_vanishes.cu:29: access at 0x7ea000010080: inside the host memory that was registered at 0x7ea000000000, of which its file has less while the kernel ran
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_profiler_api.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// Both warps use all of it; then the host does what it does, and one warp goes on.
__global__ void use(volatile int *flags, int *memory, int *out, int count, int at, int writes) {
    int sum = memory[0] + memory[count - 1];
    if (writes)
        memory[at + threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 0)
        flags[0] = 1;
    while (!flags[1])
        ;
    if (threadIdx.x >= 32 && !writes)
        sum += memory[at + threadIdx.x];
    if (threadIdx.x < 32 && writes)
        memory[at + threadIdx.x] = sum;
    out[threadIdx.x] = sum;
}

static const size_t bytes = 1 << 17;
enum { INTS = bytes / sizeof(int) };
static volatile int *flags;
static int *memory, file = -1;
static void (*act)();
static sigjmp_buf back;
static volatile int own_signals;

static void on_signal(int) {
    own_signals++;
    siglongjmp(back, 1);
}

// The handler is the program's during a launch, too.
static void fault_here() {
    if (!sigsetjmp(back, 1))
        *reinterpret_cast<volatile int *>(8) = 1;
    if (!sigsetjmp(back, 1))
        raise(SIGBUS);
}

static void *watch(void *) {
    while (!flags[0])
        usleep(100);
    act();
    fault_here();
    flags[1] = 1;
    return nullptr;
}

static void run(const char *what, int flag, void (*action)(), int at, int writes) {
    int *out;
    pthread_t thread;
    memory = static_cast<int *>(mmap(reinterpret_cast<void *>(0x7ea000000000), bytes,
                                     PROT_READ | PROT_WRITE, flag | MAP_FIXED_NOREPLACE, file, 0));
    cudaMallocManaged(&out, bytes);
    cudaHostAlloc((void **)&flags, 8, 0);
    flags[0] = flags[1] = 0;
    printf("%s: %s\n", what, cudaGetErrorString(cudaHostRegister(memory, bytes, 0)));
    memory[at] = 7;
    act = action;
    pthread_create(&thread, nullptr, watch, nullptr);
    use<<<1, 64>>>(flags, memory, out, INTS, at, writes);
    printf("%s, ", cudaGetErrorString(cudaDeviceSynchronize()));
    pthread_join(thread, nullptr);
}

static void finish() {
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    printf("%d own signals, %s\n", own_signals, now.sa_handler == on_signal ? "handler kept" : "lost");
    munmap(memory, bytes);
    cudaDeviceReset();
}

int main() {
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
    cudaProfilerStop(); // how often the kernel looks at its flags is no matter for a golden report
    run("nothing", MAP_PRIVATE | MAP_ANONYMOUS, [] {}, 0, 0);
    finish();
    run("unmapped", MAP_PRIVATE | MAP_ANONYMOUS, [] { munmap(memory, bytes); }, 0, 0);
    printf("%s there, ", mprotect(memory, 4096, PROT_READ) ? "nothing is" : "something is");
    finish();
    run("protected", MAP_PRIVATE | MAP_ANONYMOUS, [] { mprotect(memory, bytes, PROT_READ); }, 0, 1);
    printf("memory[0] is %d, ", memory[0]);
    finish();
    char name[] = "/tmp/host_vanishes-XXXXXX";
    file = mkstemp(name);
    unlink(name);
    if (ftruncate(file, bytes) != 0)
        return 1;
    run("cut short", MAP_SHARED, [] { if (ftruncate(file, bytes / 2)) abort(); }, INTS / 2, 0);
    if (ftruncate(file, bytes) != 0)
        return 1;
    memory[INTS - 1] = 5; // the file's again
    int last = 0;
    const bool is_read = pread(file, &last, sizeof last, bytes - sizeof last) == sizeof last;
    printf("its last number is %d, ", is_read ? last : -1);
    finish();
    return 0;
}
