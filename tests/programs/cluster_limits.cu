// Launches with a cluster size, where the kernel says which it takes: what is refused, with which
// error.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void plain(int *p) {
    if (p)
        *p = 1;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *p) {
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(128, 1, 4) at_most_four(int *p) {
    if (p)
        *p = 1;
}
__global__ void __cluster_dims__(16, 1, 1) sixteen(int *p) {
    if (p)
        *p = 1;
}

static void launch(const char *name, void (*kernel)(int *), unsigned grid, unsigned x, unsigned y,
                   unsigned z, bool has_size = true) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = dim3(grid, y ? y : 1, z ? z : 1);
    config.blockDim = 32;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = z;
    config.attrs = &attribute;
    config.numAttrs = has_size;
    cudaError_t error = cudaLaunchKernelEx(&config, kernel, (int *)NULL);
    cudaGetLastError();
    printf("  %-12s grid %3u, cluster %2u %2u %2u: %s", name, grid, x, y, z,
           cudaGetErrorName(error));
    error = cudaDeviceSynchronize();
    printf(error == cudaSuccess ? "\n" : ", %s\n", cudaGetErrorName(error));
}

static void attributes(const char *name, void (*kernel)(int *)) {
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, kernel);
    printf("  %-12s must be set %d, required %d %d %d, large ones %d\n", name,
           a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.nonPortableClusterSizeAllowed);
}

int main() {
    printf("attributes\n");
    attributes("plain", plain);
    attributes("pairs", pairs);
    attributes("at_most_four", at_most_four);
    attributes("sixteen", sixteen);
    printf("launches\n");
    launch("plain", plain, 16, 0, 0, 0, false);
    launch("plain", plain, 16, 2, 1, 1);
    launch("plain", plain, 15, 2, 1, 1);
    launch("plain", plain, 16, 8, 1, 1);
    launch("plain", plain, 16, 16, 1, 1);
    launch("plain", plain, 18, 9, 1, 1);
    launch("plain", plain, 16, 2, 0, 1);
    launch("plain", plain, 16, 0, 0, 0);
    launch("plain", plain, 16, 2, 2, 2);
    launch("pairs", pairs, 16, 0, 0, 0, false);
    launch("pairs", pairs, 15, 0, 0, 0, false);
    launch("pairs", pairs, 16, 2, 1, 1);
    launch("pairs", pairs, 16, 4, 1, 1);
    launch("pairs", pairs, 16, 1, 1, 1);
    pairs<<<16, 32>>>(NULL);
    printf("  pairs<<<16, 32>>>: %s\n", cudaGetErrorName(cudaGetLastError()));
    pairs<<<15, 32>>>(NULL);
    printf("  pairs<<<15, 32>>>: %s\n", cudaGetErrorName(cudaGetLastError()));
    launch("at_most_four", at_most_four, 16, 0, 0, 0, false);
    launch("at_most_four", at_most_four, 16, 4, 1, 1);
    launch("at_most_four", at_most_four, 16, 8, 1, 1);
    launch("at_most_four", at_most_four, 16, 2, 2, 2);
    launch("sixteen", sixteen, 16, 0, 0, 0, false);
    printf("  large ones allowed: %s\n",
           cudaGetErrorName(
               cudaFuncSetAttribute(sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)));
    launch("sixteen", sixteen, 16, 0, 0, 0, false);
    printf("  a required size set: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute(plain, cudaFuncAttributeRequiredClusterWidth, 2)));
    cudaGetLastError();
    return 0;
}
