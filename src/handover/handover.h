// How what a process counts gets to bankrun: through shared memory that bankrun owns.
//
// Each process that uses CUDA writes a stream of records there, one for each launch, and a record
// counts as soon as it is committed. So nothing that ends a process takes away what it has handed
// over, no disk has to have room, and neither closed file descriptors nor another network, file
// system or set of process numbers are in the way. The memory is that of System V, which a process
// finds by a number in its environment; it goes with the last process that has it, also when all of
// them are killed.
#ifndef BANKRUN_HANDOVER_HANDOVER_H
#define BANKRUN_HANDOVER_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

#define HANDOVER_VARIABLE "BANKRUN_MEMORY" // which memory it is
// The same where nothing is to be handed over, and processes only watch whether bankrun is there.
#define HANDOVER_PRESENCE "BANKRUN_PRESENCE"

enum handover_kind {
    HANDOVER_PROFILE, // JSON of the profile without its launches; the last one counts
    HANDOVER_LAUNCH,  // JSON of one launch
    HANDOVER_REPEAT,  // uint32_t: which of the launches handed over the next one is like
    HANDOVER_RESTART, // the launches so far do not count
    HANDOVER_NOTE,    // text: what keeps the process from being simulated
    HANDOVER_FAILURE, // text: what of its output could not be written
};

// A launch under way. Where the process dies in it, this is all that is known of it.
struct handover_launch {
    uint32_t grid[3], block[3];
    uint32_t bank_bytes, device;
    uint32_t is_of_several;
    uint64_t shared_bytes;
};

// ---- bankrun's side -----------------------------------------------------------------------------

struct handover;

// NULL: errno says why.
struct handover *handover_create(void);
void handover_free(struct handover *handover); // NULL is allowed
// What HANDOVER_VARIABLE is to hold for processes that are to hand over. Caller frees.
char *handover_name(const struct handover *handover);
// Programs that the calling process starts do not hand over, only what it becomes itself and its
// forks. To be called between fork and exec.
void handover_only_me(struct handover *handover);

enum handover_end {
    HANDOVER_OPEN,    // nothing was said: it runs, or was killed
    HANDOVER_ENDING,  // a signal ends it; the rest is on its way
    HANDOVER_ENDED,   // of its own will, or of a signal that it saw
    HANDOVER_REPLACED // by another program (exec)
};

struct handover_process {
    pid_t pid;
    enum handover_end end;
    int signal;        // that ended it; 0: none
    bool is_cut;       // the memory was full
    bool is_launching; // it was in this launch, behind those of the stream:
    struct handover_launch launch;
    char *symbol;         // its kernel; the end is cut off where it is very long
    struct strbuf stream; // the records that it committed
};

// How many processes there are so far, in the order in which they began.
size_t handover_count(const struct handover *handover);
// `number`: below the count. Free what it has with handover_process_free.
void handover_read(struct handover *handover, size_t number, struct handover_process *to);
// The same without launch, symbol and stream: there is nothing to free.
void handover_peek(struct handover *handover, size_t number, struct handover_process *to);
void handover_process_free(struct handover_process *process);
// Is that process, which has not said its end, there?
bool handover_is_alive(pid_t pid);
// Processes that have the memory, besides bankrun: those that have loaded our CUDA runtime, and
// their forks.
size_t handover_users(const struct handover *handover);

struct handover_record {
    uint32_t kind, length;
    const char *data;
};
// The record at *at, which goes on to the next one. False: there is none.
bool handover_next(const struct strbuf *stream, size_t *at, struct handover_record *record);

// ---- A process's side ---------------------------------------------------------------------------
// One thread at a time. A fork that writes begins a stream of its own.

struct handover_writer;

// Is the calling process asked to hand over?
bool handover_is_wanted(void);
// NULL: there is no such memory, or it is not for this process (errno 0).
struct handover_writer *handover_open(void);
// By HANDOVER_PRESENCE, for handover_is_orphaned alone.
struct handover_writer *handover_open_presence(void);
void handover_close(struct handover_writer *writer); // NULL is allowed

// Waits until bankrun ends, unless only this process is to hand over. True: it did not get to
// handover_free.
bool handover_is_orphaned(const struct handover_writer *writer);

// False: the memory is full, and the process's stream ends before this record.
bool handover_write(struct handover_writer *writer, enum handover_kind kind, const void *data,
                    size_t length);
// The launch is under way, until its record is written and handover_landed is called.
void handover_launching(struct handover_writer *writer, const struct handover_launch *launch,
                        const char *symbol);
void handover_landed(struct handover_writer *writer);
// A signal ends the process, which has something to hand over yet. Safe in a signal handler.
void handover_ending(struct handover_writer *writer);
// All is handed over. Safe in a signal handler and between vfork and exec.
void handover_end(struct handover_writer *writer, int signal);
// This process has become another program: the stream that it began before that has ended.
void handover_replaced(struct handover_writer *writer);

#endif
