// Processes that outlive a bankrun that was killed.
#ifndef BANKRUN_CUDA_CORE_ORPHAN_H
#define BANKRUN_CUDA_CORE_ORPHAN_H

// From now on the process ends when bankrun is killed: by SIGTERM, and where it does not heed that,
// SIGKILL. It goes on where bankrun has ended of its own will.
void cuda_watch_bankrun(void);

#endif
