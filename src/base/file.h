// Whole files.
#ifndef BANKRUN_BASE_FILE_H
#define BANKRUN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads all of a file. Caller frees *data, which is NUL-terminated past *length bytes.
// False: errno says why, *data is NULL.
bool file_read(const char *path, char **data, size_t *length);

// The same of a regular file of at most 1 GiB, whatever is at the path. Pipes and devices may never
// end, and are not waited for: errno is ESPIPE for them, EFBIG for what is larger.
bool file_read_regular(const char *path, char **data, size_t *length);

// Writes a file through a temporary one beside it and a rename, so that readers see the old
// text or the new one. False: errno says why.
bool file_write(const char *path, const char *data, size_t length);

// A new folder that nobody else can look into. Caller frees the path. NULL: errno says why.
char *file_private_folder(const char *parent);

// Makes a folder that only its owner looks into, and those above it, where they are not there.
// False: errno says why.
bool file_make_folders(const char *folder);

// Removes a folder and all that is in it, as far as that can be done. NULL is allowed.
void file_remove_folder(const char *folder);

#endif
