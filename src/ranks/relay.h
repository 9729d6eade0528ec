// The thread of rank 0's bankrun that carries messages between the program's process and the other
// ranks, and knows who of them is alive.
#ifndef BANKRUN_RANKS_RELAY_H
#define BANKRUN_RANKS_RELAY_H

#include "ranks/channel.h"
#include "ranks/mpi_face.h"
#include "ranks/wire.h"

// How long nothing may be heard of a rank. BANKRUN_RANKS_PATIENCE says another number.
enum { RANKS_PATIENCE_SECONDS = 15, RANKS_MOST = 4096 };
unsigned ranks_patience(void);
double ranks_now(void); // seconds

struct ranks_relay;

// Who a rank is. `pid`: on whose `place` (machine and processes that see each other).
struct ranks_self {
    uint64_t identity, place, pid;
};
struct ranks_self ranks_self(void);

// `pids`: of ranks that are processes of this machine, else 0; borrowed.
// `on_lost`: called once, from the relay's thread, when a rank is gone. NULL: no thread can be had.
struct ranks_relay *ranks_relay_start(const struct ranks_mpi *mpi, unsigned ranks,
                                      struct ranks_channel *channel, const uint64_t *pids,
                                      void (*on_lost)(void *context, unsigned rank), void *context);
// What the program's process said last of the ranks' work. NULL: nothing. Owned by the relay.
const struct strbuf *ranks_relay_report(struct ranks_relay *relay);
// Tells the others that all is over. `aborts`: a rank is lost.
void ranks_relay_stop(struct ranks_relay *relay);

#endif
