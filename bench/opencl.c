// The OpenCL host: KERNEL N FOLDER [LAUNCHES] runs one kernel of FOLDER/kernels.h, so often, and
// prints a checksum.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "host.h"

static const char prefix[] = "#define KERNEL(name) __kernel void name\n"
                             "#define GLOBAL __global\n"
                             "#define LOCAL __local\n"
                             "#define THREAD ((int)get_local_id(0))\n"
                             "#define BLOCK ((int)get_group_id(0))\n"
                             "#define SYNC barrier(CLK_LOCAL_MEM_FENCE)\n"
                             "#define ADD(at, value) atomic_add(at, value)\n"
                             "#include \"kernels.h\"\n";

static void check(cl_int status, const char *what) {
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    exit(1);
}

static cl_kernel build(cl_context context, cl_device_id device, const char *folder,
                       const char *name) {
    const char *text = prefix;
    char flags[4096];
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    snprintf(flags, sizeof flags, "-I %s", folder);
    check(clBuildProgram(program, 1, &device, flags, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, name);
    return kernel;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5)
        return 2;
    int which = find_bench(argv[1]), n = atoi(argv[2]), launches = argc > 4 ? atoi(argv[4]) : 1;
    size_t words = words_of(which, n), bytes = words * sizeof(float);
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_kernel kernel = build(context, device, argv[3], argv[1]);
    float *host = malloc(bytes);
    fill(host, words);
    cl_mem buffers[3];
    for (cl_uint i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
        check(status, "clCreateBuffer");
        if (i == 2)
            memset(host, 0, bytes);
        check(clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, bytes, host, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg");
    size_t local = (size_t)benches[which].threads,
           global = words / (size_t)benches[which].per_block * local;
    for (int i = 0; i < launches; i++)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, bytes, host, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    print_sum(host, words);
    free(host);
    return 0;
}
