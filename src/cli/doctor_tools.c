// What bankrun doctor finds of compilers, and the program that it tries.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/doctor.h"
#include "cli/environment.h"
#include "toolchain/tools.h"

// What gets it: pip, where bankrun is a package of Python; apt, where it is one of the system's.
// `source`: where it was built from its sources.
static const char *toolkit_cure(const char *source) {
    static const char python[] = "-packages/bankrun/native/"; // of site-packages, dist-packages
    const size_t length = strlen(python);
    struct strbuf own = {0};
    const char *cure = source;
    if (!environment_own_folder(&own))
        return cure;
    if (own.length >= length && strcmp(own.data + own.length - length, python) == 0)
        cure = "pip install 'bankrun[nvcc]'";
    else if (strcmp(own.data, "/usr/bin/") == 0)
        cure = "apt install nvidia-cuda-toolkit (Debian's non-free), or NVIDIA's toolkit: "
               "https://developer.nvidia.com/cuda-downloads";
    strbuf_free(&own);
    return cure;
}

// `state`: of a tool that does not run. True: it runs.
static bool add_tool(struct doctor *doctor, const char *name, const char *const *places,
                     size_t count, enum doctor_state state, const char *lacks, const char *cure) {
    struct toolchain_tool tool;
    struct strbuf found = {0};
    toolchain_tool_find(&tool, places, count);
    const bool runs = tool.state == TOOLCHAIN_TOOL_RUNS;
    if (runs)
        strbuf_printf(&found, "%s: %s", tool.path, tool.version);
    else if (tool.state == TOOLCHAIN_TOOL_FAILS)
        strbuf_printf(&found, "%s does not run (status %d): %s", tool.path, tool.exit_code,
                      tool.message);
    else
        strbuf_printf(&found, "not found: %s", places[0]);
    doctor_add(doctor, name, runs ? DOCTOR_OK : state, found, runs ? NULL : lacks,
               runs ? NULL : cure);
    toolchain_tool_free(&tool);
    return runs;
}

void doctor_look_at_tools(struct doctor *doctor) {
    char *fetched = cuda_source_fetched_compiler();
    const char *asked = doctor->options->nvcc, *host = getenv("NVCC_CCBIN");
    const char *compilers[] = {asked ? asked : "nvcc", TOOLCHAIN_USUAL_FOLDER "nvcc", fetched};
    add_tool(doctor, "nvcc", compilers, asked ? 1 : 3, DOCTOR_MISSING,
             ".cu files cannot be compiled; executables and PTX can be run",
             toolkit_cure(
                 "tools/get-nvcc.sh in bankrun's sources, or: apt install nvidia-cuda-toolkit"));
    add_tool(doctor, "g++", (const char *[]){host && *host ? host : "g++"}, 1, DOCTOR_MISSING,
             "nvcc compiles a program's host side with it", "apt install g++");
    static const char no_code[] =
        "without it what PTX accesses is counted, not what the machine code does";
    static const char disassembles[] = "apt install nvidia-cuda-toolkit";
    add_tool(doctor, "ptxas", (const char *[]){"ptxas", TOOLCHAIN_USUAL_FOLDER "ptxas"}, 2,
             DOCTOR_LIMITED, no_code, toolkit_cure(disassembles));
    add_tool(doctor, "nvdisasm", (const char *[]){"nvdisasm", TOOLCHAIN_USUAL_FOLDER "nvdisasm"}, 2,
             DOCTOR_LIMITED, no_code, toolkit_cure(disassembles));
    free(fetched);
}

// ---- A program, compiled and run ----------------------------------------------------------------

static const char program[] = "__global__ void column(int *out) {\n"
                              "    __shared__ int tile[32][32];\n"
                              "    tile[threadIdx.x][0] = threadIdx.x;\n"
                              "    out[threadIdx.x] = tile[threadIdx.x][0];\n"
                              "}\n"
                              "int main() {\n"
                              "    int *out;\n"
                              "    if (cudaMalloc(&out, 32 * sizeof *out) != cudaSuccess)\n"
                              "        return 1;\n"
                              "    column<<<1, 32>>>(out);\n"
                              "    return cudaDeviceSynchronize() != cudaSuccess;\n"
                              "}\n";

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

// As a user would: the status says whether its 62 wavefronts too many were counted.
static void try_program(struct doctor *doctor, const char *path) {
    const char *nvcc = doctor->options->nvcc;
    char *argv[] = {(char *)"/proc/self/exe",
                    (char *)"run",
                    (char *)"--no-cache",
                    (char *)"--fail-on",
                    (char *)"excess",
                    (char *)"--suppressions",
                    (char *)"",
                    (char *)path,
                    NULL,
                    NULL,
                    NULL};
    if (nvcc) { // before the file
        argv[7] = (char *)"--nvcc";
        argv[8] = (char *)nvcc;
        argv[9] = (char *)path;
    }
    struct strbuf said = {0};
    struct timespec start;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const int error = toolchain_run(argv, NULL, &said, &status);
    if (!error && status == CLI_EXCESS)
        doctor_add(doctor, "a program", DOCTOR_OK,
                   doctor_text("compiled, run and counted in %.1f s", seconds_since(&start)), NULL,
                   NULL);
    else
        doctor_add(doctor, "a program", DOCTOR_MISSING,
                   doctor_text("was not compiled and run (status %d): %s", status,
                               error ? strerror(error) : strbuf_string(&said)),
                   "the programs of this machine's users will fare no better", NULL);
    strbuf_free(&said);
}

static bool runs(const struct doctor *doctor, const char *name) {
    for (size_t i = 0; i < doctor->rows.length; i++)
        if (strcmp(doctor->rows.data[i].name, name) == 0)
            return doctor->rows.data[i].state == DOCTOR_OK;
    return false;
}

void doctor_try(struct doctor *doctor) {
    if (!runs(doctor, "nvcc") || !runs(doctor, "g++"))
        return;
    char *folder = file_private_folder(environment_temporary_folder());
    if (!folder)
        return; // which is said of that folder
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/column.cu", folder);
    if (file_write(path.data, program, strlen(program)))
        try_program(doctor, path.data);
    unlink(path.data);
    rmdir(folder);
    strbuf_free(&path);
    free(folder);
}
