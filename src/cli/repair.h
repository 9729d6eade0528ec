// Inside bankrun fix: one source and what it includes, the runs of it as it is and with edits, and
// what became of each of its arrays.
#ifndef BANKRUN_CLI_REPAIR_H
#define BANKRUN_CLI_REPAIR_H

#include "base/strbuf.h"
#include "cli/options.h"
#include "patch/change.h"
#include "patch/includes.h"
#include "patch/probe.h"
#include "profile/profile.h"

// ---- A run ----------------------------------------------------------------------------------

struct repair_returned { // see cuda/memory/returned.h
    uint64_t copies, bytes, sum;
};

struct repair_run {
    int status;   // the program's
    char *output; // its stdout
    size_t output_length;
    struct repair_returned returned;
    struct profile *profile; // NULL: there is none, and `said` tells why
    char *said;              // stderr
};

// A wavefront count of all launches of one kernel.
struct repair_count {
    const char *kernel, *array; // borrowed from the profile
    uint64_t requests, wavefronts, ideal;
};
typedef VEC(struct repair_count) repair_counts;

// ---- A source -------------------------------------------------------------------------------

// FILE, or what is included with quotes from beside it, and so on.
struct repair_file {
    char *path; // absolute, without . and ..; symbolic links are as the #include spells them
    char *name; // as it is shown: what leads there from where FILE is named
    char *text;
    size_t length;
    struct patch_text source; // of `text`; its number is the file's
    patch_includes includes;
    const char *foreign; // why nothing is edited in it; NULL: it may be
    // Why its arrays are left alone, and the line of which file is the reason. NULL: nothing.
    const char *problem;
    size_t problem_file;
    uint32_t problem_line;
    bool is_inside; // included where a file begins in the midst of something
    patch_edits questions;
    patch_edits edits; // that are good so far
};

// Which text of each file is meant.
enum repair_text {
    REPAIR_AS_IS,
    REPAIR_ASKING, // with the questions
    REPAIR_EDITED,
};

enum repair_outcome {
    REPAIR_REFUSED, // why is in words
    REPAIR_FIXED,   // the edits are part of the result
};

// Which declaration an array of a kernel has. Lines are those of the source as it is.
struct repair_place {
    char *kernel, *array;
    size_t number;   // of the repair's arrays; SIZE_MAX: none, and the rest says why
    const char *why; // static
    char *file;      // where it is accessed; NULL: that is unknown
    uint32_t line;
};

// What was tried on one array of a kernel.
struct repair_result {
    const struct patch_array *array; // NULL: the source does not declare it
    char *kernel, *name;
    enum repair_outcome outcome;
    char *why;     // REFUSED
    char *file;    // that the line is of; NULL: there is none
    uint32_t line; // that this is about
    char *done;    // FIXED: what was done, in words
    // FIXED: which edits of the file of the array's declaration did it; they were tried with those
    // of the results before.
    size_t first_edit, edit_count;
    struct profile_layout layout;
    uint64_t wavefronts[2], ideal; // before and after, of all launches
    uint64_t bytes[2];             // of the array, before and after
    unsigned resident[2];          // blocks on a multiprocessor, as far as shared memory and
                                   // threads decide; 0: unknown
    bool is_foretold;              // exactly what was foretold from the first block's requests
    bool is_proved;                // no conflicts in any block, whatever the input
    double gain;                   // how many times as fast the kernel is, an estimate; 0: unknown
    bool is_felt;                  // that is a difference, for better or for worse
    const char *machine;           // on which GPU
};

struct repair {
    const struct cli_options *options;
    char **argv;                            // FILE and its arguments, NULL at the end
    char *folder;                           // private, for what is tried
    char *source_folder;                    // of FILE, behind symbolic links
    VEC(struct repair_file) files;          // FILE first
    patch_arrays arrays;                    // of all files
    patch_shapes *shapes;                   // of each array
    struct repair_run before, again, after; // with the edits that are good; as it is, once more;
                                            // with those that are tried
    VEC(struct repair_place) places;
    unsigned runs; // so far
    VEC(struct repair_result) results;
};

// repair_files.c: reads FILE and what it includes, and finds their arrays. False: FILE cannot be
// read, which was printed.
bool repair_read(struct repair *repair);
void repair_free_files(struct repair *repair);
// The file that the compiler names so. NULL: none of them.
const struct repair_file *repair_find_file(const struct repair *repair, const char *compiled);
bool repair_has_edits(const struct repair *repair);
// A file's text. Caller frees.
char *repair_text_of(const struct repair_file *file, enum repair_text which);

// repair_tree.c: writes the texts into the private folder. Caller frees the path of FILE there.
// NULL: it cannot be, which was printed.
char *repair_write(struct repair *repair, enum repair_text which);
// Where repair_write puts a file. Caller frees.
char *repair_copy_path(const struct repair *repair, const struct repair_file *file);

// repair_run.c: compiles and runs the texts, counting and checking. False: bankrun itself failed,
// which was printed.
bool repair_measure(struct repair *repair, enum repair_text which, struct repair_run *run);
void repair_run_free(struct repair_run *run);
// The PTX of the texts. Caller frees; NULL: they do not compile.
char *repair_ptx(struct repair *repair, enum repair_text which);

// repair_compare.c: what differs between the runs that must not. NULL: nothing does. `counted`:
// whose wavefronts may be others. Caller frees.
char *repair_difference(struct repair *repair, const struct repair_result *counted);
void repair_count_arrays(const struct profile *profile, repair_counts *counts);
const struct repair_count *repair_find_count(const repair_counts *counts, const char *kernel,
                                             const char *array);

// repair_plan.c: tries what would cure each array, the one with the most excess first. False:
// bankrun itself failed, which was printed.
bool repair_all(struct repair *repair);

// repair_worth.c: what the edit is worth in time, from the runs before and after.
void repair_weigh(const struct repair *repair, struct repair_result *result);

// repair_save.c: puts the edited files where they were, with a copy beside each of what it was; all
// of them or none. False: none, which was printed.
bool repair_save(const struct repair *repair);

// repair_text.c: the answer.
void repair_write_text(const struct repair *repair, struct strbuf *out);
void repair_write_json(const struct repair *repair, const char *fixed, struct strbuf *out);
// repair_sarif.c: the same as SARIF, with edits that editors and forges can apply.
void repair_write_sarif(const struct repair *repair, struct strbuf *out);

#endif
