// The options of all commands: how each is written, what it says of itself, and where its value
// goes.
#include "cli/option_rows.h"

#include "profile/finding.h"

enum {
    BOTH = CLI_RUN | CLI_REPORT,
    SAVED = BOTH | CLI_DIFF,
    ALL = SAVED | CLI_EXPLAIN | CLI_LAYOUT | CLI_PROVE | CLI_FIX,
    ASKS = CLI_EXPLAIN | CLI_LAYOUT,
    COMPILES = CLI_RUN | CLI_PROVE | CLI_FIX,
    RUNS = CLI_RUN | CLI_FIX
};

#define X(id, name, write) {name, REPORT_##id},
static const struct option_choice formats[] = {REPORT_FORMATS(X){0}};
#undef X
// What is asked of no profile has no page.
static const struct option_choice answer_formats[] = {
    {"text", REPORT_TEXT}, {"json", REPORT_JSON}, {"csv", REPORT_CSV}, {0}};
static const struct option_choice found_formats[] = {
    {"text", REPORT_TEXT}, {"json", REPORT_JSON}, {0}};
static const struct option_choice fix_formats[] = {
    {"text", REPORT_TEXT}, {"json", REPORT_JSON}, {"sarif", REPORT_SARIF}, {0}};
static const struct option_choice colors[] = {
    {"auto", CLI_COLOR_AUTO}, {"always", CLI_COLOR_ALWAYS}, {"never", CLI_COLOR_NEVER}, {0}};
static const struct option_choice engines[] = {{"auto", CLI_ENGINE_AUTO},
                                               {"interpret", CLI_ENGINE_INTERPRET},
                                               {"compile", CLI_ENGINE_COMPILE},
                                               {0}};
static const struct option_choice readings[] = {
    {"written", CLI_AS_WRITTEN}, {"compiled", CLI_AS_COMPILED}, {"auto", CLI_AS_AUTO}, {0}};
static const struct option_choice widths[] = {{"1", 1}, {"2", 2},   {"4", 4},
                                              {"8", 8}, {"16", 16}, {0}};
static const struct option_choice proof_failures[] = {
    {"excess", CLI_PROVE_EXCESS}, {"bounds", CLI_PROVE_BOUNDS}, {"race", CLI_PROVE_RACE}, {0}};
static const struct option_choice failures[] = {
    {"excess", 0}, {"fault", 0}, {"check", 0}, {"regression", 0}, {0}};
#define CHECK(id, name) {name, 1u << PROFILE_CHECK_##id},
static const struct option_choice checks[] = {{"all", CLI_ALL_CHECKS},
                                              CHECK(RACE, "race") CHECK(INIT, "init")
                                                  CHECK(SYNC, "sync") CHECK(MEMORY, "memory")
                                                      CHECK(LEAK, "leak"){0}};
#undef CHECK
static const struct option_choice subjects[] = {{"launch", REPORT_BY_LAUNCH},
                                                {"line", REPORT_BY_LINE},
                                                {"kernel", REPORT_BY_KERNEL},
                                                {"array", REPORT_BY_ARRAY},
                                                {0}};
static const struct option_choice library_choices[] = {{"none", false}, {"cpu", true}, {0}};
static const struct option_choice on_faults[] = {{"stop", false}, {"continue", true}, {0}};
static const struct option_choice fills[] = {{"zero", 0}, {"pattern", 0}, {"random", 0}, {0}};
static const struct option_choice layouts[] = {{"pad", CLI_PAD}, {"swizzle", CLI_SWIZZLE}, {0}};
static const struct option_choice bank_modes[] = {{"4", 4}, {"8", 8}, {0}};

#define FIELD(name) ((struct cli_options *)0)->name
#define AT(name) .offset = offsetof(struct cli_options, name), .size = sizeof FIELD(name)
// As AT, of a field that must have this type.
#define AT_TYPE(type, name) AT(name) + 0 * sizeof _Generic(FIELD(name), type : 0)
#define SET(name, value) .kind = OPTION_SET, AT(name), .number = (value)
#define NUMBER(name, most) .kind = OPTION_NUMBER, AT(name), .number = (most)
#define CHOICE(name, list) .kind = OPTION_CHOICE, AT(name), .choices = (list)
#define TEXT(name) .kind = OPTION_TEXT, AT_TYPE(const char *, name)
#define LIST(name) .kind = OPTION_LIST, AT_TYPE(cli_strings, name)
#define READ(function) .kind = OPTION_READ, .read = (function)
#define PASS .kind = OPTION_PASS

const struct option_row option_rows[] = {
    {0, "shared", "DECLARATION", ASKS,
     "the arrays: 'float tile[32][33]', 'struct {float x, y;} s[64]'", TEXT(explain.shared)},
    {0, "block", "SHAPE", ASKS, "threads of a block: 256, 32x8, 8x8x4 (default 32)",
     TEXT(explain.block)},
    {0, "load", NULL, CLI_EXPLAIN, "the access is a load (the default)",
     SET(explain.access, EXPLAIN_LOADS)},
    {0, "store", NULL, CLI_EXPLAIN, "it is a store", SET(explain.access, EXPLAIN_STORES)},
    {0, "atomic", NULL, CLI_EXPLAIN,
     "it is an atomic: a native one for 32-bit integers, else a\ncompare-and-swap loop",
     SET(explain.access, EXPLAIN_ATOMICS)},
    {0, "load", NULL, CLI_LAYOUT, "the accesses that follow are loads (the default)",
     READ(option_access)},
    {0, "store", NULL, CLI_LAYOUT, "they are stores", READ(option_access)},
    {0, "atomic", NULL, CLI_LAYOUT, "they are atomics, as in bankrun explain", READ(option_access)},
    {0, "access", "INSTRUCTION", CLI_LAYOUT,
     "they are made by it: ld.shared.v4.u32, ldmatrix.x4, stmatrix.x2", READ(option_access)},
    {0, "let", "NAME=VALUE", ASKS,
     "give a name a value; NAME=A..B[,STEP] tries all of them;\n'IDX(i)=i+i/32' is a function, "
     "'h[]=3,1,4' an array",
     LIST(explain.lets)},
    {0, "if", "CONDITION", ASKS, "only the lanes for which it holds take part",
     TEXT(explain.condition)},
    {0, "arch", "ARCH", ASKS,
     "architecture: sm_90, 90 or 9.0 (default sm_90); all: a row\nfor each generation",
     READ(option_arch)},
    {0, "bank-mode", "BYTES", ASKS,
     "where the banks of 3.x change: every 4 bytes (the default) or 8",
     CHOICE(explain.bank_mode, bank_modes)},
    {0, "warp", "N", CLI_EXPLAIN, "only warp N of the block (default: all)", READ(option_warp)},
    {0, "width", "BYTES", ASKS,
     "bytes that one lane accesses: 1, 2, 4, 8 or 16 (default:\nthose of the type)",
     CHOICE(explain.width, widths)},
    {0, "base", "BYTES", CLI_EXPLAIN, "where the first array starts (default 0)",
     NUMBER(explain.base, 1 << 20)},
    {0, "grid", "SHAPE", ASKS, "gridDim (default 1)", TEXT(explain.grid)},
    {0, "block-index", "X,Y,Z", ASKS, "blockIdx (default 0,0,0)", TEXT(explain.block_index)},
    {0, "requests", "FILE", CLI_EXPLAIN,
     "read raw requests from a CSV file, which may be compressed by\ngzip; '-' is the standard "
     "input",
     TEXT(explain.requests)},
    {0, "keep-going", NULL, CLI_EXPLAIN, "report a bad row of --requests, leave it out and go on",
     SET(explain.keep_going, true)},
    {0, "block", "SHAPE", CLI_PROVE,
     "threads of a block: 256, 32x8, 8x8x4 (default: what the kernel\nis declared for, else the "
     "usual ones)",
     TEXT(prove.block)},
    {0, "kernel", "REGEX", CLI_PROVE, "only kernels whose names it matches", READ(option_kernel)},
    {0, "shared", "BYTES", CLI_PROVE, "dynamic shared memory of a launch (default: not known)",
     READ(option_prove_shared)},
    {0, "fail-on", "excess|bounds|race", CLI_PROVE,
     "exit with status 3 unless every access is proved free of\nconflicts; bounds: to stay in its "
     "array, and aligned; race: every\nkernel free of races; several with commas",
     READ(option_fail_on_proof), .choices = proof_failures},
    {0, "arch", "ARCH", CLI_PROVE,
     "architecture: sm_90, 90 or 9.0 (default sm_90); sm_90a: a .cu\nis compiled with the features "
     "of 9.0 alone",
     READ(option_arch)},
    {0, "threads", "N", CLI_PROVE,
     "host threads (default: one for each processor); what is said\ndoes not depend on it",
     NUMBER(threads, 1024)},
    {0, "instruction", "NAME", CLI_CALIBRATE, "measure only this one, like ld.shared.u32",
     TEXT(calibrate.instruction)},
    {0, "patterns", "N", CLI_CALIBRATE,
     "patterns of lane addresses for each instruction (default 300)",
     NUMBER(calibrate.patterns, 1 << 20)},
    {0, "arch", "ARCH", CLI_CALIBRATE,
     "hold the GPU against the model of another architecture\n(default: its own)",
     READ(option_arch)},
    {0, "save", "FILE", CLI_CALIBRATE,
     "write the measurements to FILE.csv, compressed if it ends\nin .gz", TEXT(calibrate.save)},
    {0, "arch", "ARCH", RUNS,
     "architecture to simulate: sm_90, 90 or 9.0 (default sm_90);\nsm_90a: a .cu is compiled with "
     "the "
     "features of 9.0 alone",
     READ(option_arch)},
    {0, "arch", "ARCH", CLI_NVCC_FLAGS,
     "architecture that the PTX is for: sm_90, 90 or 9.0 (default\nsm_90)", READ(option_arch)},
    {0, "devices", "N", RUNS, "devices that a program sees, all of this architecture\n(default 1)",
     READ(option_devices)},
    {0, "ranks", NULL, CLI_RUN,
     "under mpirun or srun: what each rank ran, and which kernels the\nfirst one ran alone, and "
     "why",
     SET(shows_ranks, true)},
    {0, "no-ranks", NULL, CLI_RUN, "under mpirun or srun: each rank runs a program of its own",
     SET(no_ranks, true)},
    {0, "threads", "N", RUNS,
     "host threads (default: one for each processor); the counts\ndo not depend on it",
     NUMBER(threads, 1024)},
    {0, "launch", "SPEC", CLI_RUN,
     "launch of a kernel of a .ptx or .cu file:\n'KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARGS)'",
     TEXT(launch)},
    {0, "dump", "ARG=FILE", CLI_RUN,
     "write a buffer of the launch to FILE after the run; '-' prints\nits values on stdout",
     READ(option_dump)},
    {0, "write", NULL, CLI_FIX,
     "change the files themselves; as they were they stay beside them,\nas FILE.cu.orig",
     SET(writes, true)},
    {0, "prefer", "pad|swizzle", CLI_FIX,
     "which of two layouts that are as good (default: the one that takes\nan index less work)",
     CHOICE(prefers, layouts)},
    {0, "no-check", NULL, CLI_FIX, "do not look for new findings of bankrun check: quicker",
     SET(no_checks, true)},
    {0, "format", "FORMAT", BOTH,
     "text, json, csv, html (a page for browsers), sarif, github (workflow\ncommands), gitlab "
     "(code quality), junit, or cachegrind (for\ncg_annotate) (default text)",
     CHOICE(format, formats)},
    {0, "format", "FORMAT", ALL & ~BOTH & ~CLI_FIX, "text, json or csv (default text)",
     CHOICE(format, answer_formats)},
    {0, "format", "FORMAT", CLI_DOCTOR, "text or json (default text)",
     CHOICE(format, found_formats)},
    {0, "format", "FORMAT", CLI_FIX, "text (a diff, the default), json or sarif",
     CHOICE(format, fix_formats)},
    {'o', "output", "FILE", CLI_RUN,
     "write the report to FILE (default: stderr; in other formats than\ntext stdout, and what the "
     "program prints goes to stderr); '-': to\nstdout, among what the program prints",
     TEXT(output)},
    {'o', "output", "FILE", (ALL & ~CLI_RUN) | CLI_DOCTOR, "write the report to FILE",
     TEXT(output)},
    {0, "check", "LIST", CLI_RUN,
     "look for defects, too: race (accesses that nothing orders),\ninit (values that nothing "
     "initialised), sync (barriers, masks,\ncopies that are not waited for), memory (arrays that "
     "an access\nleaves), or all; commas between several. bankrun check looks for\nall of them and "
     "counts nothing",
     READ(option_check), .choices = checks},
    {0, "suppressions", "FILE", SAVED,
     "findings of --check, and conflicts, that are accepted (default:\n.bankrun, if it is there; "
     "'': "
     "none): lines of CHECK KIND FILE:LINE\nREASON, or a function or kernel in place of the line; "
     "conflict is a\nCHECK, and load, store, atomic, ... its KINDs",
     READ(option_suppressions)},
    {0, "schedule", "SEED[:N]", CLI_RUN,
     "run each kernel in N other orders of its warps and blocks, too\n(default 8), that follow "
     "from "
     "the number SEED, and report memory\nthat comes out differently",
     READ(option_schedule)},
    {0, "fail-on", "GATE", SAVED,
     "fault: exit with status 4 when a launch faulted, was refused or\ncut short, or the profile "
     "is "
     "incomplete; all others fail on that,\ntoo. excess[=N], excess>=N: status 3 when more than N "
     "wavefronts\n(default 0) of shared memory are excess, or as many. degree>=N:\nstatus 3 when "
     "an "
     "access conflicts N ways. regression[=N|=N%]:\nstatus 6 when a line has more excess than in "
     "--baseline, or\nOLD, by more than N or N %. check: status 5 when --check found\nsomething. "
     "excess>=N@WHERE, degree>=N@WHERE, regression@WHERE:\nonly at FILE:LINE, or in a kernel or "
     "function. Commas between\nseveral",
     READ(option_fail_on), .choices = failures},
    {0, "baseline", "FILE", BOTH, "a saved profile that --fail-on regression compares with",
     READ(option_baseline)},
    {0, "trace", "FILE:LINE[:N]", CLI_RUN,
     "print the first N (default 8) shared-memory requests of a\nsource line as they happen; runs "
     "on one thread",
     TEXT(trace)},
    {0, "trace-output", "FILE", CLI_RUN,
     "write them to FILE; as CSV if it ends in .csv, which\nexplain --requests reads",
     TEXT(trace_output)},
    {0, "against", "FILE.csv", CLI_REPORT,
     "show the counts beside those of a GPU: an export of Nsight Compute\n(ncu --csv), matched by "
     "kernel, shape and order of the launches",
     TEXT(against)},
    {0, "by", "launch|line|kernel|array", BOTH,
     "what a text is about: each launch, with its lines, or the lines,\nkernels or shared arrays "
     "of "
     "all launches together (default: each\nlaunch up to 24, then lines and kernels)",
     CHOICE(by, subjects)},
    {0, "top", "N", BOTH, "show at most N launches, and rows of a table (default 24 and 10)",
     NUMBER(top, UINT32_MAX)},
    {0, "kernel", "REGEX", SAVED, "only kernels whose names it matches", READ(option_kernel)},
    {0, "line", "FILE:LINE", SAVED,
     "only accesses and findings of that source line; both may be\npatterns, as 'scan.cu:*'",
     READ(option_line)},
    {0, "metrics", NULL, BOTH,
     "show the figures that profilers have names for, old and new; with\n--format csv as further "
     "columns",
     SET(metrics, true)},
    {0, "max-instructions", "N", RUNS, "stop a launch after N warp instructions",
     NUMBER(max_instructions, UINT64_MAX)},
    {0, "engine", "auto|interpret|compile", RUNS,
     "what runs kernels: an interpreter, and where they run for long\nnative code that is made "
     "meanwhile (auto, the default); it alone; or\nnative code wherever that can be. Counts and "
     "results are the same",
     CHOICE(engine, engines)},
    {0, "on-fault", "stop|continue", RUNS,
     "what an access beyond its allocation does that a GPU would let\npass: stop the program (the "
     "default), or continue and be reported",
     CHOICE(lets_pass, on_faults)},
    {0, "libraries", "none|cpu", RUNS,
     "what calls of cuBLAS, cuSOLVER (dense), cuFFT and cuRAND do: fail,\nas these exist as "
     "machine "
     "code alone (the default), or be\ncomputed on the CPU by OpenBLAS, FFTW and cuRAND's own "
     "generators\nfor it",
     CHOICE(computes_libraries, library_choices)},
    {0, "fill", "zero|pattern|random[:SEED]", RUNS,
     "what shared, local and allocated memory hold before they are\nwritten: bytes of 0x7f (the "
     "default), zeros, or random bytes,\nthe same in every run of one SEED",
     READ(option_fill), .choices = fills},
    {0, "blocks", "N|P%|auto", CLI_RUN,
     "run only N blocks (or P percent) of each launch and scale the\ncounts, with their likely "
     "error: for programs whose output does\nnot matter; launches whose blocks wait for each other "
     "run whole.\nauto: one block of those that are proved to do the same, so\nthat counts of "
     "shared memory are exact; where that is not\nproved, all of them",
     READ(option_blocks)},
    {0, "as", "written|compiled|auto", CLI_RUN,
     "count shared memory as PTX accesses it, or as the machine code\ndoes that ptxas makes of "
     "it, with neighbouring accesses merged.\nauto (the default): compiled where nvdisasm is "
     "there, or as a\n--baseline was counted",
     CHOICE(as, readings)},
    {0, "nvcc", "PATH", COMPILES | CLI_DOCTOR, "the nvcc to compile .cu files with", TEXT(nvcc)},
    {0, "nvcc-flag", "FLAG", COMPILES, "hand FLAG to nvcc; may be given several times",
     LIST(nvcc_flags)},
    {'I', NULL, "DIR", COMPILES,
     "handed to nvcc, as are -DNAME, -UNAME, -LDIR, -lLIBRARY and\n-Xcompiler FLAG, "
     "-Xptxas FLAG, ...",
     PASS},
    {'D', NULL, "NAME", COMPILES, NULL, PASS},
    {'U', NULL, "NAME", COMPILES, NULL, PASS},
    {'L', NULL, "DIR", COMPILES, NULL, PASS},
    {'l', NULL, "LIBRARY", COMPILES, NULL, PASS},
    {'X', NULL, "TOOL FLAG", COMPILES, NULL, PASS},
    {0, "no-cache", NULL, COMPILES,
     "compile .cu files and read machine code anew, and keep nothing\nof it", SET(no_cache, true)},
    {0, "no-count", NULL, CLI_RUN, "only run the program: no counts, no report",
     SET(no_count, true)},
    {0, "follow", NULL, CLI_RUN,
     "report on the processes that the program starts, too; always\nso for a command that is no "
     "CUDA program itself",
     SET(follow, true)},
    {0, "color", "WHEN", ALL | CLI_DOCTOR,
     "auto, always or never (default auto; NO_COLOR is heeded)", CHOICE(color, colors)},
    {'q', "quiet", NULL, RUNS, "no report and no progress on stderr, only errors and faults",
     SET(quiet, true)},
    {'v', "verbose", NULL, SAVED, "show every site and launch, and the commands that are run",
     SET(verbose, true)},
    {'v', "verbose", NULL, CLI_PROVE,
     "show every access, also where none conflicts, and those that no\nwarp reaches",
     SET(verbose, true)},
    {'v', "verbose", NULL, CLI_CALIBRATE, "show every pattern that disagrees", SET(verbose, true)},
    {'h', "help", NULL, ALL | CLI_CALIBRATE | CLI_NVCC_FLAGS | CLI_DOCTOR, "show this help",
     SET(help, true)},
};
const size_t option_row_count = sizeof option_rows / sizeof *option_rows;
