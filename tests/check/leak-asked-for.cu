// Leaks are defects for who asks for them by name.
// bankrun: --check leak
// finds: memory leak
int main() {
    int *a;
    for (int i = 0; i < 3; i++)
        cudaMalloc(&a, 4096);
    cudaMallocManaged(&a, 4096);
}
