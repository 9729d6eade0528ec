// What each case shares: input that depends on its place, output that is copied back and summed up.
#pragma once
#include <cstdio>
#include <vector>

template <class T, class Launch> int run(int elements, Launch launch) {
    std::vector<T> host(elements);
    T *in, *out;
    cudaMalloc(&in, elements * sizeof(T));
    cudaMalloc(&out, elements * sizeof(T));
    for (int i = 0; i < elements; i++)
        host[i] = T(i * 7 % 251);
    cudaMemcpy(in, host.data(), elements * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, elements * sizeof(T));
    launch(out, in);
    cudaMemcpy(host.data(), out, elements * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < elements; i++)
        sum += double(host[i]) * (i % 13);
    std::printf("%.0f\n", sum);
    return cudaGetLastError() != cudaSuccess;
}
