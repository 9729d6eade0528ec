// Between the program's process and the bankrun beside it: two streams of bytes in shared memory of
// System V, which a program's process finds by a number in its environment (why that and no socket:
// handover/handover.h).
#ifndef BANKRUN_RANKS_CHANNEL_H
#define BANKRUN_RANKS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RANKS_VARIABLE "BANKRUN_RANKS_MEMORY"

struct ranks_channel;

enum ranks_way { RANKS_TO_BANKRUN, RANKS_TO_PROGRAM, RANKS_WAYS };

// bankrun's. NULL: errno says why. `ranks`: how many there are.
struct ranks_channel *ranks_channel_create(unsigned ranks);
// What RANKS_VARIABLE is to hold. Caller frees.
char *ranks_channel_name(const struct ranks_channel *channel);
// The program's process's, of which one gets it: NULL for the others.
struct ranks_channel *ranks_channel_open(const char *name);
unsigned ranks_channel_ranks(const struct ranks_channel *channel);
// Nobody writes any more, whoever closes it.
void ranks_channel_end(struct ranks_channel *channel);
bool ranks_channel_has_ended(const struct ranks_channel *channel);
void ranks_channel_free(struct ranks_channel *channel); // NULL is allowed; ends it

// As many bytes as there is room for, or as there are, without waiting.
size_t ranks_channel_write(struct ranks_channel *channel, enum ranks_way way, const void *bytes,
                           size_t length);
size_t ranks_channel_read(struct ranks_channel *channel, enum ranks_way way, void *bytes,
                          size_t length);
// How many bytes there are to read.
size_t ranks_channel_waiting(const struct ranks_channel *channel, enum ranks_way way);
// Until somebody writes or reads that way, for so long at most. `seen`: what ranks_channel_moves
// said before the caller looked.
unsigned ranks_channel_moves(const struct ranks_channel *channel, enum ranks_way way);
void ranks_channel_wait(struct ranks_channel *channel, enum ranks_way way, unsigned seen,
                        unsigned microseconds);

// All of it, waiting. False: the channel has ended, or the other side is gone.
bool ranks_channel_send(struct ranks_channel *channel, enum ranks_way way, const void *bytes,
                        size_t length);
bool ranks_channel_receive(struct ranks_channel *channel, enum ranks_way way, void *bytes,
                           size_t length);

#endif
