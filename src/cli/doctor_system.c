// What bankrun doctor finds of the system: whether it lets programs be started with our libraries,
// and where files may be written.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/doctor.h"
#include "cli/environment.h"
#include "handover/handover.h"
#include "sim/sim.h"
#include "toolchain/tools.h"

extern char **environ;

static const char inject[] = "libbankrun-inject.so";

// ---- Libraries ----------------------------------------------------------------------------------

// All that programs may ask for, in the folder of the first. The name of one that is missing.
static const char *missing_library(const char *folder) {
    static const char *const names[] = {inject,
                                        "libbankrun-audit.so",
                                        "libbankrun-cute.so",
                                        "libcuda.so.1",
                                        "libcudart.so.11.0",
                                        "libcudart.so.12",
                                        "libcudart.so.13",
                                        "libnvidia-ml.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s", folder, names[i]);
        const bool is_there = access(path.data, R_OK) == 0;
        strbuf_free(&path);
        if (!is_there)
            return names[i];
    }
    return NULL;
}

// Has the dynamic linker list what it would load into a process, beginning with what is preloaded;
// nothing of it runs. An errno, or 0.
static int list_loaded(const char *preloaded, struct strbuf *listed) {
    char *argv[] = {(char *)"/proc/self/exe", NULL};
    struct strbuf preload = {0};
    VEC(char *) variables = {0};
    int status = 0;
    strbuf_printf(&preload, "LD_PRELOAD=%s", preloaded);
    vec_push(&variables, preload.data);
    vec_push(&variables, (char *)"LD_TRACE_LOADED_OBJECTS=1");
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0)
            vec_push(&variables, *variable);
    vec_push(&variables, NULL);
    const int error = toolchain_run(argv, variables.data, listed, &status);
    strbuf_free(&preload);
    vec_free(&variables);
    return error;
}

// The linker refuses where programs have other privileges than who starts them, and where security
// modules say so.
static void try_preload(struct doctor *doctor, const char *folder) {
    struct strbuf path = {0}, loaded = {0}, listed = {0};
    strbuf_printf(&path, "%s/%s", folder, inject);
    strbuf_printf(&loaded, "%s (0x", path.data);
    const int error = list_loaded(path.data, &listed);
    if (!error && strstr(strbuf_string(&listed), loaded.data))
        doctor_add(doctor, "preload", DOCTOR_OK,
                   doctor_text("programs take the libraries that bankrun hands them"), NULL, NULL);
    else
        doctor_add(doctor, "preload", DOCTOR_MISSING,
                   doctor_text("LD_PRELOAD is not heeded: %s",
                               error ? strerror(error) : strbuf_string(&listed)),
                   "programs cannot be simulated; PTX with --launch can", NULL);
    strbuf_free(&loaded);
    strbuf_free(&listed);
    strbuf_free(&path);
}

// What --libraries cpu computes with.
static void look_at_computing(struct doctor *doctor, const char *name, const char *library,
                              const char *without, const char *cure) {
    struct strbuf listed = {0};
    char entry[64];
    snprintf(entry, sizeof entry, "%s => /", library);
    const int error = list_loaded(library, &listed);
    const char *line = error ? NULL : strstr(strbuf_string(&listed), entry);
    if (line) {
        line += strlen(entry) - 1;
        doctor_add(doctor, name, DOCTOR_OK, doctor_text("%.*s", (int)strcspn(line, " \n"), line),
                   NULL, NULL);
    } else {
        doctor_add(doctor, name, DOCTOR_LIMITED, doctor_text("%s was not found", library), without,
                   cure);
    }
    strbuf_free(&listed);
}

static void look_at_openblas(struct doctor *doctor) {
    look_at_computing(
        doctor, "OpenBLAS", "libopenblas.so.0",
        "calls of cuBLAS and cuSOLVER cannot be computed on the CPU (--libraries cpu)",
        "apt install libopenblas0-pthread");
    look_at_computing(doctor, "FFTW", "libfftw3f.so.3",
                      "calls of cuFFT cannot be computed on the CPU (--libraries cpu)",
                      "apt install libfftw3-single3 libfftw3-double3");
}

static void look_at_engine(struct doctor *doctor) {
    sim_compiler_at(getenv("BANKRUN_COMPILER"));
    const char *why = sim_compiler_missing();
    if (why)
        doctor_add(doctor, "native code", DOCTOR_LIMITED, doctor_text("%s", why),
                   "kernels that run for long are interpreted, several times slower",
                   "apt install libllvm14, with bankrun's Debian package (docs/engines.md)");
    else
        doctor_add(doctor, "native code", DOCTOR_OK,
                   doctor_text("kernels that run for long are compiled by LLVM"), NULL, NULL);
}

static void look_at_libraries(struct doctor *doctor) {
    char *folder = environment_library_folder(inject);
    const char *missing = folder ? missing_library(folder) : inject;
    if (missing)
        doctor_add(doctor, "libraries", DOCTOR_MISSING,
                   doctor_text("%s is not in %s", missing,
                               folder ? folder : "bankrun's folder, nor where it is installed"),
                   "programs cannot be simulated; PTX with --launch can", "install bankrun anew");
    else
        doctor_add(doctor, "libraries", DOCTOR_OK, doctor_text("%s", folder), NULL, NULL);
    if (folder && !strpbrk(folder, " :")) // others are reached by a link
        try_preload(doctor, folder);
    free(folder);
}

static void look_at_handover(struct doctor *doctor) {
    struct handover *handover = handover_create();
    if (handover)
        doctor_add(doctor, "shm", DOCTOR_OK,
                   doctor_text("programs hand over what they count in shared memory"), NULL, NULL);
    else
        doctor_add(doctor, "shm", DOCTOR_MISSING,
                   doctor_text("no shared memory of System V: %s", strerror(errno)),
                   "programs hand over there what they count",
                   errno == ENOSPC ? "sysctl kernel.shmmni kernel.shmall (ipcs -m lists what is "
                                     "taken)"
                                   : NULL);
    handover_free(handover);
}

// ---- Folders ------------------------------------------------------------------------------------

// Whether a file can be made there, and be run. errno says why not.
static bool can_make(const char *folder, bool *can_run) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/.bankrun-XXXXXX", folder);
    const int file = mkstemp(path.data);
    *can_run = false;
    if (file >= 0) {
        *can_run = fchmod(file, 0700) == 0 && access(path.data, X_OK) == 0;
        const int error = write(file, "x", 1) == 1 ? 0 : errno;
        close(file);
        unlink(path.data);
        errno = error;
    }
    strbuf_free(&path);
    return file >= 0 && errno == 0;
}

static double free_megabytes(const char *folder) {
    struct statvfs status;
    return statvfs(folder, &status) ? 0 : (double)status.f_bavail * (double)status.f_frsize / 1e6;
}

static void look_at_temporary_folder(struct doctor *doctor) {
    const char *folder = environment_temporary_folder();
    bool can_run;
    if (!can_make(folder, &can_run))
        doctor_add(doctor, "TMPDIR", DOCTOR_MISSING,
                   doctor_text("%s cannot be written: %s", folder, strerror(errno)),
                   ".cu files are compiled there", "export TMPDIR=FOLDER");
    else if (!can_run)
        doctor_add(doctor, "TMPDIR", DOCTOR_MISSING,
                   doctor_text("%s is mounted so that nothing in it can be run", folder),
                   ".cu files are compiled and run there", "export TMPDIR=FOLDER");
    else
        doctor_add(doctor, "TMPDIR", DOCTOR_OK,
                   doctor_text("%s, %.0f MB are free", folder, free_megabytes(folder)), NULL, NULL);
}

// The nearest folder above that is there: the cache is made when it is needed.
static char *existing(const char *path) {
    struct strbuf at = {0};
    strbuf_puts(&at, path);
    while (at.length > 1 && access(at.data, F_OK) != 0) {
        while (at.length > 1 && at.data[at.length - 1] != '/')
            at.length--;
        if (at.length > 1)
            at.length--;
        at.data[at.length] = '\0';
    }
    return strbuf_take(&at);
}

static double megabytes_in(const char *path) {
    DIR *folder = opendir(path);
    double bytes = 0;
    struct stat status;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            bytes += (double)status.st_size;
    if (folder)
        closedir(folder);
    return bytes / 1e6;
}

static void look_at_cache(struct doctor *doctor) {
    static const char lacks[] = "each run compiles its .cu file anew";
    static const char cure[] = "export XDG_CACHE_HOME=FOLDER";
    char *folder = environment_cache_folder(doctor->options);
    if (!folder) {
        doctor_add(doctor, "cache", DOCTOR_LIMITED,
                   doctor_text("neither XDG_CACHE_HOME nor HOME names a folder"), lacks, cure);
        return;
    }
    char *there = existing(folder);
    bool can_run;
    if (can_make(there, &can_run))
        doctor_add(doctor, "cache", DOCTOR_OK,
                   doctor_text("%s, %.1f MB", folder, megabytes_in(folder)), NULL, NULL);
    else
        doctor_add(doctor, "cache", DOCTOR_LIMITED,
                   doctor_text("%s cannot be written: %s", folder, strerror(errno)), lacks, cure);
    free(there);
    free(folder);
}

void doctor_look_at_system(struct doctor *doctor) {
    look_at_libraries(doctor);
    look_at_engine(doctor);
    look_at_openblas(doctor);
    look_at_handover(doctor);
    look_at_temporary_folder(doctor);
    look_at_cache(doctor);
}
