// A section of a running program: what is launched between two points of it. A test runner asks for
// that of each test.
#ifndef BANKRUN_CUDA_CORE_SECTION_H
#define BANKRUN_CUDA_CORE_SECTION_H

struct cuda_section;

// From here on. NULL: nothing is counted for anybody, or this is a child of fork() that cannot use
// CUDA. To be ended with cuda_section_end. Takes the lock; does not use the device.
struct cuda_section *cuda_section_begin(void);
// A profile as JSON (docs/profile.md) of what came since. Caller frees. NULL: the process has used
// no device so far, or as above. Takes the lock.
char *cuda_section_profile(const struct cuda_section *section);
void cuda_section_end(struct cuda_section *section); // NULL is allowed

#endif
