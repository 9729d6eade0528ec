// A stream of accesses as PTX has them, turned into one as the code generator makes them: an
// observer with another one behind it, which need not know which of both it hears.
#ifndef BANKRUN_COMPILED_STREAM_H
#define BANKRUN_COMPILED_STREAM_H

#include "compiled/code.h"
#include "event/event.h"
#include "ir/ir.h"

struct compiled_stream;

// For launches of one kernel. NULL: nothing of it is combined, or its machine code is not known, as
// where `code` is NULL; it is heard as written then. `code` and the kernel are borrowed.
struct compiled_stream *compiled_stream_create(const struct compiled_code *code,
                                               const struct ir_function *kernel);
void compiled_stream_free(struct compiled_stream *stream); // NULL is allowed

// The sites that the events behind the stream are of: those of ir_kernel_sites() first, then one
// for each of wider accesses that one of these can become a part of. NULL, and a count of 0, for
// the stream NULL. Owned by the stream.
const struct ir_kernel_site *compiled_stream_sites(const struct compiled_stream *stream,
                                                   uint32_t *count);

// The observer of the launch, behind which `behind` hears; `behind` itself for the stream NULL.
// Both are borrowed until the launch has ended. Synchronisation, and accesses that no site makes,
// pass through as they come, before what is held back.
const struct event_observer *compiled_stream_before(struct compiled_stream *stream,
                                                    const struct event_observer *behind);

#endif
