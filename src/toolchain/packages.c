#include "toolchain/packages.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "toolchain/inputs.h"

// The name in the folder that begins with `prefix` and goes on with the highest number. Caller
// frees; NULL: there is none.
static char *newest(const char *folder, const char *prefix) {
    DIR *directory = opendir(folder);
    char *best = NULL;
    unsigned long best_number = 0;
    const size_t length = strlen(prefix);
    if (!directory)
        return NULL;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strncmp(entry->d_name, prefix, length) != 0)
            continue;
        char *end;
        const unsigned long number = strtoul(entry->d_name + length, &end, 10);
        if (*end == '\0' && number > best_number) {
            free(best);
            best = base_strdup(entry->d_name);
            best_number = number;
        }
    }
    closedir(directory);
    return best;
}

static char *join(const char *folder, const char *name) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", folder, name);
    return strbuf_take(&path);
}

// Of the packages of one site-packages/nvidia.
static char *find_tools(const char *packages) {
    char *version = newest(packages, "cu"), *tools = NULL;
    if (version) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s/bin", packages, version);
        tools = realpath(strbuf_string(&path), NULL);
        strbuf_free(&path);
    }
    free(version);
    return tools;
}

// Where tools/get-nvcc.sh puts them: a virtual environment in the build folder.
static char *find_fetched(const char *own) {
    char *folder = join(own, "nvcc-packages/lib"), *python = newest(folder, "python3.");
    char *tools = NULL;
    if (python) {
        struct strbuf packages = {0};
        strbuf_printf(&packages, "%s/%s/site-packages/nvidia", folder, python);
        tools = find_tools(strbuf_string(&packages));
        strbuf_free(&packages);
    }
    free(python);
    free(folder);
    return tools;
}

char *toolchain_packages_find(const char *own) {
    char *packages = join(own, "../../nvidia"), *tools = find_tools(packages);
    free(packages);
    return tools ? tools : find_fetched(own);
}

// The folder two steps above a program: bin/nvcc and lib lie in it. NULL: the program is not found.
static char *home_of(const char *compiler) {
    char *program = inputs_find_program(compiler);
    char *folder = program ? path_folder(program) : NULL;
    char *home = folder ? path_folder(folder) : NULL;
    free(folder);
    free(program);
    return home;
}

static bool has(const char *folder, const char *name) {
    char *path = join(folder, name);
    const bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

char *toolchain_packages_libraries(const char *compiler) {
    char *home = home_of(compiler);
    const bool is_package = home && !has(home, "lib64") && has(home, "lib/libcudadevrt.a");
    char *libraries = is_package ? join(home, "lib") : NULL;
    free(home);
    return libraries;
}

// A name for the runtime's library by which programs are linked with it. NULL: it has one, or none
// can be made; then the linker says what it misses.
static char *name_runtime(const char *libraries, const char *folder) {
    char *runtime = has(libraries, "libcudart.so") ? NULL : newest(libraries, "libcudart.so.");
    if (!runtime)
        return NULL;
    char *target = join(libraries, runtime), *name = join(folder, "libcudart.so");
    if (symlink(target, name) != 0) {
        free(name);
        name = NULL;
    }
    free(target);
    free(runtime);
    return name;
}

void toolchain_packages_link(struct toolchain_packages_link *link, const char *compiler,
                             const char *folder) {
    *link = (struct toolchain_packages_link){.libraries = toolchain_packages_libraries(compiler)};
    if (link->libraries)
        link->runtime = name_runtime(link->libraries, folder);
}

void toolchain_packages_unlink(struct toolchain_packages_link *link) {
    if (link->runtime)
        unlink(link->runtime);
    free(link->runtime);
    free(link->libraries);
    *link = (struct toolchain_packages_link){0};
}
