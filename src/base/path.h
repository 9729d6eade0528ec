// Names of files, as texts: nothing here looks at a disk.
#ifndef BANKRUN_BASE_PATH_H
#define BANKRUN_BASE_PATH_H

#include <stdbool.h>

// Where `path` leads from the folder, without . and .. in it: "/a/b.h" of "/a/c" and "../b.h". The
// folder is absolute, and so is the answer. Caller frees.
char *path_resolve(const char *folder, const char *path);

// "/a/b" of "/a/b/c.h", "." of "c.h". Caller frees.
char *path_folder(const char *path);

// Whether the path is of something in the folder, or deeper. Both are resolved.
bool path_is_below(const char *folder, const char *path);

// What leads from the folder to the path: "c/d.h", "../d.h". Both are resolved. Caller frees.
char *path_from(const char *folder, const char *path);

#endif
