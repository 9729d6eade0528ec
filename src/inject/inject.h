// Inside the library that bankrun has loaded into the processes that it follows.
//
// A program reaches the CUDA runtime in one of three ways, and this library sees to it that each
// leads to ours:
//   - it needs libcudart.so.N, which LD_LIBRARY_PATH makes ours; unless it says itself where its
//     libraries are (DT_RPATH): then it is started again with ours preloaded;
//   - it was linked with the static runtime, nvcc's default: the functions of that runtime are
//     found by the program's symbol table, and each is made to jump to ours;
//   - it loads libcuda.so.1, the driver: LD_LIBRARY_PATH makes it ours.
// Compilers at run time (library.h) are to hand on PTX.
// What cannot be done is said and noted for bankrun's report.
#ifndef BANKRUN_INJECT_INJECT_H
#define BANKRUN_INJECT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One loaded program or library.
struct inject_object {
    const char *path;
    uintptr_t base; // what is added to the file's addresses
};

// What an object has of the CUDA runtime.
enum inject_runtime {
    INJECT_NONE,
    INJECT_STATIC,   // with symbols: it was replaced
    INJECT_STRIPPED, // device code, but no symbol tells where the runtime is
    INJECT_FAILED,   // the memory could not be changed
};

// Replaces the object's static runtime with the library of its version in `folder`.
enum inject_runtime inject_replace(const struct inject_object *object, const char *folder);

// Makes the function at `from`, which has `room` bytes, jump to where the record's first member
// points at the time; a register holds the record. The memory is writable. False: it does not fit,
// or not this machine.
bool inject_jump_through(void *from, size_t room, const void *record);

// Has a library that exists only as machine code refuse its calls by name (coded.h). False: it is
// none.
bool inject_refuse_coded(const struct inject_object *object);

// One line on stderr, which is also handed over to bankrun.
void inject_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same of a function that is not there, "NAME: not simulated ...": bankrun says so once more as
// the run ends.
void inject_note_missing(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Tells bankrun that what this process was before has ended, should it have used CUDA (exec).
void inject_tell_replaced(void);

// dlsym as the C library has it, whoever stands before it.
void *inject_dlsym(void *handle, const char *name);

// Finds where our stand-ins for tools of the CUDA toolkit lie, and the C library's functions that
// start programs.
void inject_find_tools(void);

// Finds the C library's _exit, behind ours.
void inject_find_exit(void);

// And its functions about files (nodes.c).
void inject_find_files(void);

#endif
