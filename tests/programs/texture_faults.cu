// Texture and surface objects that a kernel must not use: each is a fault, and the device works
// again after a reset.
// gpu: no (an H200 returns zeros or stale texels in most of these cases)
#include <cstdio>
#include <cstdlib>

__global__ void fetch(cudaTextureObject_t t, float *out) {
    out[0] = tex2D<float>(t, 1.0f, 1.0f);
}
__global__ void fetch_volume(cudaTextureObject_t t, float *out) {
    out[0] = tex3D<float>(t, 1.0f, 1.0f, 1.0f);
}
__global__ void fetch_line(cudaTextureObject_t t, float *out) {
    out[0] = tex1Dfetch<float>(t, 70);
}
__global__ void slope(cudaTextureObject_t t, float *out) {
    out[0] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.5f));
}
__global__ void write(cudaSurfaceObject_t s, int x, int y) {
    surf2Dwrite(3.0f, s, x, y);
}
__global__ void write_layer(cudaSurfaceObject_t s, int layer) {
    surf2DLayeredwrite(3.0f, s, 0, 0, layer);
}
__global__ void read_wide(cudaSurfaceObject_t s, int x, float *out) {
    out[0] = surf2Dread<float4>(s, x, 0).x;
}

struct Things {
    float *out, *memory;
    cudaArray_t array, layers;
    cudaTextureObject_t texture, line, steep;
    cudaSurfaceObject_t surface, layer_surface;
};

static Things make() {
    Things t;
    cudaMalloc(&t.out, 64);
    cudaMalloc(&t.memory, 256);
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMallocArray(&t.array, &f, 8, 8, cudaArraySurfaceLoadStore);
    cudaMalloc3DArray(&t.layers, &f, make_cudaExtent(8, 8, 3),
                      cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.res.array.array = t.array;
    cudaCreateTextureObject(&t.texture, &r, &d, nullptr);
    cudaCreateSurfaceObject(&t.surface, &r);
    d.normalizedCoords = 1;
    d.maxAnisotropy = 4;
    cudaCreateTextureObject(&t.steep, &r, &d, nullptr);
    r.res.array.array = t.layers;
    cudaCreateSurfaceObject(&t.layer_surface, &r);
    r = {};
    d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = t.memory;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 256;
    cudaCreateTextureObject(&t.line, &r, &d, nullptr);
    return t;
}

static void run(int number) {
    Things t = make();
    switch (number) {
    case 0:
        fetch<<<1, 1>>>(0, t.out);
        break;
    case 1:
        fetch<<<1, 1>>>(0x123456789abcull, t.out);
        break;
    case 2:
        cudaDestroyTextureObject(t.texture);
        fetch<<<1, 1>>>(t.texture, t.out);
        break;
    case 3:
        fetch<<<1, 1>>>(t.surface, t.out);
        break;
    case 4:
        write<<<1, 1>>>(t.texture, 0, 0);
        break;
    case 5:
        cudaFreeArray(t.array);
        fetch<<<1, 1>>>(t.texture, t.out);
        break;
    case 6:
        cudaFree(t.memory);
        fetch_line<<<1, 1>>>(t.line, t.out);
        break;
    case 7:
        fetch_volume<<<1, 1>>>(t.texture, t.out);
        break;
    case 8:
        write<<<1, 1>>>(t.surface, 32, 0);
        break;
    case 9:
        write<<<1, 1>>>(t.surface, 0, -1);
        break;
    case 10:
        write<<<1, 1>>>(t.surface, 2, 0);
        break;
    case 11:
        write_layer<<<1, 1>>>(t.layer_surface, 3);
        break;
    case 12:
        read_wide<<<1, 1>>>(t.surface, 24, t.out);
        break;
    case 13:
        slope<<<1, 1>>>(t.steep, t.out);
        break;
    default: // in order: beyond memory are zeros, floats lie where wide reads may
        fetch_line<<<1, 1>>>(t.line, t.out);
        read_wide<<<1, 1>>>(t.surface, 4, t.out);
        fetch<<<1, 1>>>(t.texture, t.out);
    }
    printf("%d %s\n", number, cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDeviceReset();
}

int main() {
    for (int i = 0; i < 15; i++)
        run(i);
    return 0;
}
