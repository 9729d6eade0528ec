// finds: race unordered-operations 7 7
// run: joined
// finds: nothing
// Two branches of a graph that were captured from two streams: the second graph joins them before
// the last kernel, the first only behind it.
__global__ void add(int *a) {
    a[threadIdx.x] += 1;
}

static void launch(int *a, cudaStream_t first, cudaStream_t second, bool joins_early) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    add<<<1, 256, 0, second>>>(a);
    cudaEventRecord(join, second);
    if (joins_early)
        cudaStreamWaitEvent(first, join, 0);
    add<<<1, 256, 0, first>>>(a);
    if (!joins_early)
        cudaStreamWaitEvent(first, join, 0);
    cudaStreamEndCapture(first, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, first);
    cudaGraphLaunch(exec, first); // in the stream's order
    cudaStreamSynchronize(first);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

int main(int count, char **) {
    int *a;
    cudaStream_t first, second;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMemset(a, 0, 256 * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    launch(a, first, second, true);
    if (count == 1)
        launch(a, first, second, false);
    cudaFree(a);
}
