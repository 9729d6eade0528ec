// An address that is nobody's any more is taken for pageable memory.
// finds: memory use-after-free
int main() {
    int *a, here[32];
    cudaMalloc(&a, sizeof here);
    cudaMemset(a, 0, sizeof here);
    cudaFree(a);
    cudaMemcpy(here, a, sizeof here, cudaMemcpyDefault);
}
