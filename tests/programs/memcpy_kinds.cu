// Copies of every kind and direction, in one, two and three dimensions.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static int failures;

static void check(const char *what, bool is_good) {
    printf("%-28s %s\n", what, is_good ? "PASS" : "FAIL");
    failures += !is_good;
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        if (error != cudaSuccess) {                                                                \
            printf("%s: %s\n", #call, cudaGetErrorString(error));                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void show(const char *what, cudaError_t error) {
    cudaGetLastError();
    printf("%-28s %s\n", what, cudaGetErrorName(error));
}

static void flat() {
    const int bytes = 1000;
    char *pageable = (char *)malloc(bytes), *back = (char *)malloc(bytes), *pinned, *a, *b, *managed;
    for (int i = 0; i < bytes; i++)
        pageable[i] = (char)(i * 7);
    MUST(cudaMallocHost(&pinned, bytes));
    MUST(cudaMalloc(&a, bytes));
    MUST(cudaMalloc(&b, bytes));
    MUST(cudaMallocManaged(&managed, bytes));
    MUST(cudaMemcpy(a, pageable, bytes, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy(pinned, b, bytes, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(managed, pinned, bytes, cudaMemcpyDefault));
    MUST(cudaMemcpy(back, managed, bytes, cudaMemcpyHostToHost));
    check("round trip", memcmp(pageable, back, bytes) == 0);
    MUST(cudaMemset(a, 0xab, bytes));
    MUST(cudaMemcpyAsync(back, a, bytes, cudaMemcpyDeviceToHost));
    MUST(cudaDeviceSynchronize());
    check("memset", (unsigned char)back[0] == 0xab && (unsigned char)back[bytes - 1] == 0xab);
    MUST(cudaMemcpyPeer(b, 0, a, 0, bytes));
    MUST(cudaMemcpy(pinned, b, bytes, cudaMemcpyDefault));
    check("peer", memcmp(pinned, back, bytes) == 0);
    show("host as device", cudaMemcpy(pageable, back, 4, cudaMemcpyHostToDevice));
    show("device as host, both", cudaMemcpy(a, b, 4, cudaMemcpyHostToHost));
    show("device to device, host", cudaMemcpy(a, back, 4, cudaMemcpyDeviceToDevice));
    show("past the end", cudaMemcpy(back, a + bytes - 2, 4, cudaMemcpyDeviceToHost));
    show("unknown kind", cudaMemcpy(back, a, 4, (cudaMemcpyKind)9));
    show("null", cudaMemcpy(NULL, a, 4, cudaMemcpyDeviceToHost));
    show("nothing at all", cudaMemcpy(NULL, NULL, 0, cudaMemcpyDeviceToHost));
    cudaFree(a);
    cudaFree(b);
    cudaFree(managed);
    cudaFreeHost(pinned);
    free(pageable);
    free(back);
}

static void rows() {
    const int width = 37, height = 11;
    unsigned char host[height][width], back[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            host[y][x] = (unsigned char)(y * 20 + x);
    unsigned char *a, *b;
    size_t pitch, pitch2;
    MUST(cudaMallocPitch(&a, &pitch, width, height));
    MUST(cudaMallocPitch(&b, &pitch2, 600, height));
    printf("pitches %zu %zu\n", pitch, pitch2);
    MUST(cudaMemcpy2D(a, pitch, host, width, width, height, cudaMemcpyHostToDevice));
    MUST(cudaMemset2D(b, pitch2, 1, 600, height));
    MUST(cudaMemcpy2D(b + 3, pitch2, a, pitch, width, height, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2D(back, width, b + 3, pitch2, width, height, cudaMemcpyDeviceToHost));
    check("rows", memcmp(host, back, sizeof host) == 0);
    MUST(cudaMemcpy2D(back, width, b, pitch2, 3, 1, cudaMemcpyDeviceToHost));
    check("beside them", back[0][0] == 1 && back[0][2] == 1 && back[0][3] == 3);
    show("pitch below width", cudaMemcpy2D(a, 36, host, width, width, 2, cudaMemcpyHostToDevice));
    show("one row too many",
         cudaMemcpy2D(a, pitch, host, width, width, height + 1, cudaMemcpyHostToDevice));
    cudaFree(a);
    cudaFree(b);
}

static void boxes() {
    const int w = 10, h = 4, d = 3;
    unsigned char host[d][h][w], back[d][h][w];
    for (int i = 0; i < d * h * w; i++)
        host[0][0][i] = (unsigned char)i;
    cudaPitchedPtr box;
    MUST(cudaMalloc3D(&box, make_cudaExtent(w, h, d)));
    printf("box pitch %zu, %zu x %zu\n", box.pitch, box.xsize, box.ysize);
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(host, w, w, h);
    in.dstPtr = box;
    in.extent = make_cudaExtent(w, h, d);
    in.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&in));
    memset(back, 0, sizeof back);
    cudaMemcpy3DParms out = {};
    out.srcPtr = box;
    out.srcPos = make_cudaPos(2, 1, 1);
    out.dstPtr = make_cudaPitchedPtr(back, w, w, h);
    out.dstPos = make_cudaPos(0, 2, 0);
    out.extent = make_cudaExtent(5, 2, 2);
    out.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&out));
    check("part of a box", back[0][2][0] == host[1][1][2] && back[1][3][4] == host[2][2][6] &&
                               back[0][2][5] == 0 && back[0][1][0] == 0);
    MUST(cudaMemset3D(box, 9, make_cudaExtent(w, h, d)));
    MUST(cudaMemcpy2D(back, w, box.ptr, box.pitch, w, h * d, cudaMemcpyDeviceToHost));
    check("filled box", back[0][0][0] == 9 && back[2][3][9] == 9);
    cudaFree(box.ptr);
}

int main() {
    flat();
    rows();
    boxes();
    return failures != 0;
}
