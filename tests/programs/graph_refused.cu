// What bankrun refuses of graphs, by name, and what goes wrong in graphs: kernels that fault,
// memory that was freed, conditions of no graph. gpu: no, memory that a graph uses is freed, and
// features are refused that a GPU has stderr: graphs that kernels launch
// \(cudaGraphInstantiateFlagDeviceLaunch\) are not supported stderr: kernel nodes that kernels
// update are not supported stderr: nodes of graphs that wait for external semaphores are not
// supported stderr: cudaGraphAddExternalSemaphoresSignalNode is not supported yet stderr: a node of
// a graph failed: memory that it uses was freed stderr: cudaGraphSetConditional: no graph has a
// condition of the handle 0x99
// gpu: no, a GPU does what is refused here
#include <cstdio>
#include <cuda_runtime.h>

static const char *error_of(cudaError_t error) {
    cudaGetLastError();
    return cudaGetErrorName(error);
}

__global__ void store(int *p) {
    *p = 1;
}

__global__ void set(cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, 1);
}

int main() {
    cudaGraph_t graph;
    cudaGraphNode_t node, second;
    cudaGraphExec_t exec;
    int *p;
    cudaMalloc(&p, 4);
    int *nowhere = (int *)0x10;
    void *arguments[] = {&nowhere};
    cudaKernelNodeParams params = {};
    params.func = (void *)store;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
    printf("launch by kernels: %s\n",
           error_of(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch)));
    cudaLaunchAttributeValue value = {};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    printf("update by kernels: %s\n",
           error_of(cudaGraphKernelNodeSetAttribute(
               node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value)));
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeExtSemaphoreWait;
    printf("semaphores: %s", error_of(cudaGraphAddNode(&second, graph, &node, NULL, 1, &any)));
    printf(", %s\n",
           error_of(cudaGraphAddExternalSemaphoresSignalNode(&second, graph, &node, 1, NULL)));

    // A fault ends the graph, and the device works no more until it is reset.
    cudaMemsetParams fill = {p, 0, 7, 4, 1, 1};
    cudaGraphAddMemsetNode(&second, graph, NULL, 0, &fill);
    printf("instantiate: %s\n", error_of(cudaGraphInstantiate(&exec, graph, 0)));
    printf("launch: %s", error_of(cudaGraphLaunch(exec, 0)));
    printf(", then %s\n", error_of(cudaDeviceSynchronize()));
    printf("reset: %s\n", error_of(cudaDeviceReset()));
    printf("the graph is gone: %s, %s\n", error_of(cudaGraphDestroy(graph)),
           error_of(cudaGraphExecDestroy(exec)));
    cudaMalloc(&p, 4);
    cudaGraphCreate(&graph, 0);
    fill.dst = p;
    cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaFree(p);
    printf("freed memory: %s", error_of(cudaGraphLaunch(exec, 0)));
    printf(", then %s\n", error_of(cudaDeviceSynchronize()));
    cudaDeviceReset();
    set<<<1, 1>>>(0x99);
    printf("no condition: %s\n", error_of(cudaDeviceSynchronize()));
    return 0;
}
