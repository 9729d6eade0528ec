// Captures whose streams are destroyed before they end, and one that ends without naming the graph.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}

static const char *name(cudaError_t error) {
    return cudaGetErrorName(error);
}

static size_t nodes(cudaGraph_t graph) {
    size_t count = 0;
    cudaGraphGetNodes(graph, nullptr, &count);
    return count;
}

// A second stream does the middle part of the work and goes; `joins`: the first waited for it.
static void with_helper(int *p, bool joins) {
    cudaStream_t stream, helper;
    cudaEvent_t begun, done;
    cudaGraph_t graph = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&helper, cudaStreamNonBlocking);
    cudaEventCreate(&begun);
    cudaEventCreate(&done);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 4, 0, stream>>>(p, 1);
    cudaEventRecord(begun, stream);
    cudaStreamWaitEvent(helper, begun, 0);
    add<<<1, 4, 0, helper>>>(p, 10);
    cudaEventRecord(done, helper);
    if (joins)
        cudaStreamWaitEvent(stream, done, 0);
    printf("destroy: %s\n", name(cudaStreamDestroy(helper)));
    cudaEventDestroy(begun);
    cudaEventDestroy(done);
    add<<<1, 4, 0, stream>>>(p, 100);
    printf("end: %s, ", name(cudaStreamEndCapture(stream, &graph)));
    printf("%zu nodes\n", graph ? nodes(graph) : 0);
    if (graph) {
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(stream);
    cudaGetLastError();
}

int main() {
    int *p, host[4] = {0};
    cudaMalloc(&p, sizeof host);
    cudaMemset(p, 0, sizeof host);
    with_helper(p, true);
    with_helper(p, false);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[3]);

    cudaGraph_t graph;
    cudaStream_t stream;
    cudaGraphCreate(&graph, 0);
    cudaStreamCreate(&stream);
    cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    add<<<1, 4, 0, stream>>>(p, 1);
    printf("into a graph: %s\n", name(cudaStreamEndCapture(stream, nullptr)));
    printf("%zu node\n", nodes(graph));
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(p);
    return 0;
}
