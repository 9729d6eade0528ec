// Files without a name, in memory. The program that the process runs may close descriptors that it
// does not know, and open others with their numbers: who uses such a file asks each time.
#ifndef BANKRUN_BASE_UNNAMED_H
#define BANKRUN_BASE_UNNAMED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct unnamed_file { // zeroed: there is none
    int number;       // its descriptor plus 1
    dev_t device;
    ino_t inode;
    uint64_t bytes;
};

// False: errno says why. `name` shows in /proc.
bool unnamed_file_make(struct unnamed_file *file, const char *name);
// Its descriptor; -1: there is none, or the program closed it.
int unnamed_file_descriptor(const struct unnamed_file *file);
// It has so many bytes at least, and they may be written. False: errno says why, EFBIG where the
// process may not write so large a file, for which the system would send it a signal.
bool unnamed_file_reach(struct unnamed_file *file, uint64_t bytes);
// What is mapped of it stays.
void unnamed_file_close(struct unnamed_file *file);

#endif
