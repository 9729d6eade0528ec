// What the dynamic linker asks before it looks for a library: an auditing library (rtld-audit(7)),
// which it loads into each process that bankrun starts, apart from all others and with a C library
// of its own. It sees to it that whoever asks for a library that bankrun has gets bankrun's:
// packages of Python name theirs by whole paths, or have a DT_RPATH, before which LD_LIBRARY_PATH
// does not count.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AUDIT_API __attribute__((visibility("default")))

AUDIT_API unsigned la_version(unsigned version);
AUDIT_API unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
AUDIT_API void la_activity(uintptr_t *cookie, unsigned flag);
AUDIT_API char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);

struct library {
    const char *name; // as it may be asked for
    const char *ours;
    bool is_computed; // on the CPU: where the user asked for it
    bool needs_real;  // ours is taken only where the real one is, which it loads
};

static const struct library libraries[] = {
    {"libcuda.so", "libcuda.so.1", false, false},
    {"libcuda.so.1", "libcuda.so.1", false, false},
    {"libcudart.so", "libcudart.so.13", false, false},
    {"libcudart.so.11.0", "libcudart.so.11.0", false, false},
    {"libcudart.so.12", "libcudart.so.12", false, false},
    {"libcudart.so.13", "libcudart.so.13", false, false},
    {"libcute_dsl_runtime.so", "libbankrun-cute.so", false, false},
    {"libnvidia-ml.so", "libnvidia-ml.so.1", false, false},
    {"libnvidia-ml.so.1", "libnvidia-ml.so.1", false, false},
    {"libcublas.so.12", "libbankrun-cublas.so.12", true, false},
    {"libcublas.so.13", "libbankrun-cublas.so.13", true, false},
    {"libcublasLt.so.12", "libbankrun-cublasLt.so.12", true, false},
    {"libcublasLt.so.13", "libbankrun-cublasLt.so.13", true, false},
    {"libcusolver.so.11", "libbankrun-cusolver.so.11", true, false},
    {"libcusolver.so.12", "libbankrun-cusolver.so.12", true, false},
    {"libcufft.so.11", "libbankrun-cufft.so.11", true, false},
    {"libcufft.so.12", "libbankrun-cufft.so.12", true, false},
    {"libcurand.so.10", "libbankrun-curand.so.10", true, true},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static char paths[LIBRARIES][4096]; // empty: it is not there

// Fills the paths: ours lie beside this library.
static bool find_paths(void) {
    static const char anchor;
    Dl_info info;
    if (!dladdr(&anchor, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash)
        return false;
    const char *asked = getenv("BANKRUN_LIBRARIES");
    for (size_t i = 0; i < LIBRARIES; i++) {
        if (libraries[i].is_computed && (!asked || strcmp(asked, "cpu") != 0))
            continue;
        int length = snprintf(paths[i], sizeof *paths, "%.*s/%s", (int)(slash - info.dli_fname),
                              info.dli_fname, libraries[i].ours);
        if (length < 0 || (size_t)length >= sizeof *paths)
            paths[i][0] = '\0';
    }
    return true;
}

// 0 has the linker go on without us.
unsigned la_version(unsigned version) {
    return !find_paths() ? 0 : version < LAV_CURRENT ? version : LAV_CURRENT;
}

static char real_path[4096]; // of the library of needs_real

// Is asked with the name as it was given, and then with each path that is tried, which takes the
// place of a name without a folder. A real library is asked for by ours with "/./" in its path.
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
    (void)cookie;
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    for (size_t i = 0; i < LIBRARIES; i++) {
        if (!paths[i][0] || strcmp(file, libraries[i].name) != 0)
            continue;
        if (!libraries[i].needs_real)
            return flag == LA_SER_ORIG ? paths[i] : (char *)name;
        if (!slash || strstr(name, "/./") || strlen(name) >= sizeof real_path ||
            access(name, R_OK) != 0)
            return (char *)name;
        memcpy(real_path, name, strlen(name) + 1);
        return paths[i];
    }
    return (char *)name;
}

// ---- What was loaded -------------------------------------------------------------------------
// A library with a static CUDA runtime in it registers its kernels as soon as its own code runs.
// The injected library, which lives among the program's, replaces that runtime before: it is told
// here.

static void (**when_loaded)(void); // the injected library's bankrun_when_loaded; NULL: not there

// The address of a variable that the object exports. NULL: none.
static void *exported(const struct link_map *map, const char *name) {
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        // The linker has added where the object lies, or will.
        uintptr_t address = entry->d_un.d_ptr;
        if (address < map->l_addr)
            address += map->l_addr;
        if (entry->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)address;
        else if (entry->d_tag == DT_STRTAB)
            names = (const char *)address;
        else if (entry->d_tag == DT_HASH)
            hash = (const uint32_t *)address;
    }
    for (uint32_t i = 0; symbols && names && hash && i < hash[1]; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && strcmp(names + symbols[i].st_name, name) == 0)
            return (void *)(map->l_addr + symbols[i].st_value);
    return NULL;
}

static bool is_in_place_of_real(const char *file) {
    for (size_t i = 0; i < LIBRARIES; i++)
        if (libraries[i].needs_real &&
            (strcmp(file, libraries[i].name) == 0 || strcmp(file, libraries[i].ours) == 0))
            return true;
    return false;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)cookie;
    const char *slash = strrchr(map->l_name, '/');
    if (space == LM_ID_BASE && slash && strcmp(slash + 1, "libbankrun-inject.so") == 0)
        when_loaded = exported(map, "bankrun_when_loaded");
    // The linker may know ours by the real one's path.
    char *real = space == LM_ID_BASE && real_path[0] && slash && is_in_place_of_real(slash + 1)
                     ? exported(map, "bankrun_real_library")
                     : NULL;
    if (real)
        memcpy(real, real_path, sizeof real_path);
    return 0; // its calls are its own affair
}

void la_activity(uintptr_t *cookie, unsigned flag) {
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT && when_loaded && *when_loaded)
        (*when_loaded)();
}
