// Index expressions as in CUDA C, for every lane of a warp: which bytes of shared memory an
// access like `tile[threadIdx.y][threadIdx.x ^ threadIdx.y]` touches. Also the text form of raw
// requests. Knows nothing of kernels, and prints nothing.
#ifndef BANKRUN_EXPLAIN_EXPLAIN_H
#define BANKRUN_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bankrun/banks.h"
#include "base/diag.h"

// ---- Expressions --------------------------------------------------------------------------

struct explain_launch {
    uint32_t grid[3], block[3], block_index[3];
    uint32_t base;  // offset of the first declaration
    unsigned width; // bytes a lane accesses; 0: what the expression's type says
};

struct explain; // variables, declarations and one expression, for one combination of the sweeps

// `combination` picks the values of sweeps; see explain_combinations.
struct explain *explain_create(const struct explain_launch *launch, size_t combination);
void explain_free(struct explain *explain); // NULL is allowed

// The functions below return false when diags grew by an error. Sources are borrowed: they must
// outlive the struct explain. The order of calls is: variables, declarations, expression.

// Shared arrays and variables: "float tile[32][33]; struct {float x, y;} s[64]". They are laid
// out in their order, each aligned as its type asks for.
bool explain_declare(struct explain *explain, const struct source *source, struct diag_list *diags);

// "NAME=EXPRESSION" over threadIdx and all that was defined before; or a sweep, "NAME=A..B[,STEP]"
// of constants: one value in each combination, the first sweep's changing fastest.
bool explain_let(struct explain *explain, const struct source *source, struct diag_list *diags);

// The access itself.
bool explain_expression(struct explain *explain, const struct source *source,
                        struct diag_list *diags);

// Lanes for which it is 0 take no part.
bool explain_condition(struct explain *explain, const struct source *source,
                       struct diag_list *diags);

enum { EXPLAIN_MAX_SWEEP = 65536 }; // values of all sweeps together

// Combinations of the sweeps' values; 1 without a sweep.
size_t explain_combinations(const struct explain *explain);
size_t explain_sweeps(const struct explain *explain);
const char *explain_sweep_name(const struct explain *explain, size_t sweep);
int64_t explain_sweep_value(const struct explain *explain, size_t sweep); // of this combination

// Bytes that all declarations take, the base included.
uint64_t explain_shared_bytes(const struct explain *explain);

enum { EXPLAIN_MOST_DIMENSIONS = 8 };
struct explain_shape {
    uint64_t bytes;                           // 0: no size is declared
    uint64_t counts[EXPLAIN_MOST_DIMENSIONS]; // outermost first; that of an array without a size: 0
    unsigned dimensions;                      // 0: a variable that is no array
    uint64_t element_bytes;
    const char *type; // the elements'; NULL: without a name
};

// False: nothing of that name is declared, or it has too many dimensions.
bool explain_array_named(const struct explain *explain, const char *name,
                         struct explain_shape *shape);

struct explain_request {
    uint32_t mask; // lanes that access; 0: none of this warp does
    unsigned width;
    uint32_t offsets[BANKRUN_LANES]; // 0 for lanes that do not
    uint32_t outside;                // lanes whose access leaves the array that they index
    int64_t places[BANKRUN_LANES];   // bytes from the start of that array, may be negative
    const char *array;               // NULL: of no single array
    uint64_t array_bytes;
    const char *type; // "float", "float4"
    bool is_integer;  // of such a type
    bool is_uniform;  // the expression reads nothing that differs from thread to thread
};

// What one warp of the block accesses.
bool explain_warp(const struct explain *explain, uint32_t warp, struct explain_request *request,
                  struct diag_list *diags);

// ---- Instructions by name -----------------------------------------------------------------

// Fills access, width and matrices from "ld.shared.v4.u32", "atom.shared.add.u32(1)" (lanes
// are summed first), "ldmatrix.x4.trans", "cp.async(16)" or the longer names that PTX has. NULL:
// done; otherwise what is wrong with it.
const char *explain_instruction(const char *name, size_t length, struct bankrun_request *request);

// ---- Files of requests --------------------------------------------------------------------

struct explain_requests;

// `name` is shown in messages; keep_going: a bad row is reported and left out.
struct explain_requests *explain_requests_create(const char *name, unsigned arch, bool keep_going);
void explain_requests_free(struct explain_requests *requests);

struct strbuf;

// Reads the next piece of a CSV file, cut anywhere; is_last: nothing follows. Appends rows with
// the columns wavefronts, ideal and cycles to `out`. False: a bad row or heading was reported and
// nothing more is to be read.
bool explain_requests_feed(struct explain_requests *requests, const char *data, size_t length,
                           bool is_last, struct strbuf *out, struct diag_list *diags);

#endif
