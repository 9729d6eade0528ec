// Streams that write words and wait for them, one by one and in batches; a wait that another thread
// ends.
// bankrun: -lcuda
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>
#include <unistd.h>

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}
#define SHOW(call) printf("  %-68s %s\n", #call, name_of(call))

__global__ void add(unsigned *at, unsigned value) {
    *at += value;
}

int main() {
    unsigned *words, *device;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&words, 256);
    cudaMalloc(&device, 256);
    cudaMemset(device, 0, 256);
    for (int i = 0; i < 64; i++)
        words[i] = 0;
    CUdeviceptr w = (CUdeviceptr)words, d = (CUdeviceptr)device;
    unsigned long long *wide = (unsigned long long *)(words + 8);
    CUdeviceptr v = (CUdeviceptr)wide;

    printf("writes\n");
    SHOW(cuStreamWriteValue32(s, w, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    SHOW(cuStreamWriteValue64(s, v, 1ull << 40, CU_STREAM_WRITE_VALUE_DEFAULT));
    SHOW(cuStreamWriteValue32(s, d, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
    add<<<1, 1, 0, s>>>(device, 6);
    cudaStreamSynchronize(s);
    unsigned got = 0;
    cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost);
    printf("  %u, %llu, %u\n", words[0], *wide, got);

    printf("waits for what is there\n");
    SHOW(cuStreamWaitValue32(s, w, 7, CU_STREAM_WAIT_VALUE_EQ));
    SHOW(cuStreamWaitValue32(s, w, 6, CU_STREAM_WAIT_VALUE_GEQ));
    SHOW(cuStreamWaitValue32(s, w, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));
    SHOW(cuStreamWaitValue32(s, w, 4, CU_STREAM_WAIT_VALUE_AND));
    SHOW(cuStreamWaitValue32(s, w, 8, CU_STREAM_WAIT_VALUE_NOR));
    SHOW(cuStreamWaitValue64(s, v, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
    SHOW(cuStreamSynchronize(s));

    printf("batches\n");
    CUstreamBatchMemOpParams batch[4] = {};
    batch[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[0].writeValue.address = w + 4;
    batch[0].writeValue.value = 11;
    batch[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[1].waitValue.address = w + 4;
    batch[1].waitValue.value = 11;
    batch[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    batch[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    batch[2].writeValue.address = v;
    batch[2].writeValue.value64 = 12345678901234ull;
    batch[3].operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    batch[3].waitValue.address = v;
    batch[3].waitValue.value64 = 12345678901234ull;
    SHOW(cuStreamBatchMemOp(s, 4, batch, 0));
    SHOW(cuStreamSynchronize(s));
    printf("  %u %llu\n", words[1], *wide);

    printf("a wait that another thread ends\n");
    std::thread writer([&] {
        usleep(200000);
        *(volatile unsigned *)&words[2] = 1;
    });
    SHOW(cuStreamWaitValue32(s, w + 8, 1, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 1, 0, s>>>(device, 100);
    SHOW(cuStreamSynchronize(s));
    writer.join();
    cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost);
    printf("  %u\n", got);

    printf("what does not work\n");
    SHOW(cuStreamWriteValue32(s, w + 1, 7, 0));
    SHOW(cuStreamWriteValue64(s, w + 4, 7, 0));
    SHOW(cuStreamWriteValue32(s, 0, 7, 0));
    SHOW(cuStreamWriteValue32(s, w, 7, 2));
    SHOW(cuStreamWaitValue32(s, w, 7, 4));
    SHOW(cuStreamWaitValue32(s, w + 2, 7, 0));
    SHOW(cuStreamWriteValue32(s, w, 7, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    SHOW(cuStreamWaitValue32(s, w, 7, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
    unsigned *managed;
    cudaMallocManaged(&managed, 4096);
    *managed = 3;
    SHOW(cuStreamWaitValue32(s, (CUdeviceptr)managed, 3, CU_STREAM_WAIT_VALUE_EQ));
    SHOW(cuStreamBatchMemOp(s, 0, batch, 0));
    SHOW(cuStreamBatchMemOp(s, 4, batch, 1));
    batch[0].operation = (CUstreamBatchMemOpType)77;
    SHOW(cuStreamBatchMemOp(s, 1, batch, 0));
    SHOW(cuStreamSynchronize(s));
    int can[4];
    for (int i = 0; i < 4; i++)
        cuDeviceGetAttribute(&can[i], (CUdevice_attribute)(i < 2 ? 92 + i : 120 + i), 0);
    printf("  attributes %d %d %d %d\n", can[0], can[1], can[2], can[3]);
    return 0;
}
