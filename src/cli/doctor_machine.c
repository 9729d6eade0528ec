// What bankrun doctor finds of the machine: processors, their vectors, memory, a GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "calibrate/calibrate.h"
#include "cli/doctor.h"
#include "sim/sim.h"

static const double gib = (double)(1 << 30);

// Processors that the control group grants; 0: no limit, or none that is known.
static double granted_processors(void) {
    char *text;
    size_t length;
    double quota = 0, period = 0;
    if (!file_read("/sys/fs/cgroup/cpu.max", &text, &length))
        return 0;
    const bool is_limited = sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0;
    free(text);
    return is_limited ? quota / period : 0;
}

static void look_at_processors(struct doctor *doctor) {
    const int processors = pool_processors();
    const double granted = granted_processors();
    if (granted > 0 && granted < processors)
        doctor_add(
            doctor, "processors", DOCTOR_LIMITED,
            doctor_text("%d, and the control group grants the time of %.1f", processors, granted),
            "threads wait for each other", "bankrun --threads N, with as many as granted");
    else
        doctor_add(doctor, "processors", DOCTOR_OK,
                   doctor_text("%d, each runs blocks of a launch", processors), NULL, NULL);
}

static void look_at_lanes(struct doctor *doctor) {
    const char *widest, *lanes = sim_lanes(&widest);
    if (strcmp(lanes, widest) == 0)
        doctor_add(doctor, "SIMD", DOCTOR_OK, doctor_text("%s", lanes), NULL, NULL);
    else if (sim_lanes_most())
        doctor_add(
            doctor, "SIMD", DOCTOR_LIMITED, doctor_text("%s; this machine has %s", lanes, widest),
            "BANKRUN_LANES says so: kernels run slower than they could", "unset BANKRUN_LANES");
    else
        doctor_add(doctor, "SIMD", DOCTOR_LIMITED,
                   doctor_text("%s; this machine has %s", lanes, widest),
                   "this build has no lane code for it: kernels run slower than they could",
                   "meson configure build -Dlanes=all");
}

// A device's 16 GiB are reserved, not taken.
static void look_at_memory(struct doctor *doctor) {
    struct rlimit limit;
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        doctor_add(doctor, "memory", DOCTOR_LIMITED,
                   doctor_text("%.1f GiB; a process may address %.1f GiB", bytes / gib,
                               (double)limit.rlim_cur / gib),
                   "a device's memory is reserved as addresses, and has fewer",
                   "ulimit -v unlimited");
    else
        doctor_add(doctor, "memory", DOCTOR_OK, doctor_text("%.1f GiB", bytes / gib), NULL, NULL);
}

static void look_at_gpu(struct doctor *doctor) {
    struct diag_list diags = {0};
    struct calibrate_gpu *gpu = calibrate_open_gpu(&diags);
    if (gpu)
        doctor_add(doctor, "GPU", DOCTOR_OK,
                   doctor_text("%s, compute capability %u.%u; bankrun calibrate can be held "
                               "against it",
                               calibrate_gpu_name(gpu), calibrate_gpu_arch(gpu) / 10,
                               calibrate_gpu_arch(gpu) % 10),
                   NULL, NULL);
    else // programs need none
        doctor_add(doctor, "GPU", DOCTOR_OK, doctor_text("none, and none is needed"), NULL, NULL);
    calibrate_close_gpu(gpu);
    diag_free(&diags);
}

void doctor_look_at_machine(struct doctor *doctor) {
    look_at_processors(doctor);
    look_at_lanes(doctor);
    look_at_memory(doctor);
    look_at_gpu(doctor);
}
