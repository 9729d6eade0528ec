// CUDA IPC: what a process lets others have, and what it has of them.
//
// A process that offers something has a table of that, a file without a name. A handle says which
// process it was, which descriptor the file is there, and which entry is meant; who opens a handle
// finds the file in /proc, for as long as that process lives. So a handle works wherever it was
// sent to in the same namespace of processes, and one whose process has ended, or which is of
// something that is gone, is recognised. Memory lies in another such file (sim/share.h).
#ifndef BANKRUN_CUDA_CORE_IPC_H
#define BANKRUN_CUDA_CORE_IPC_H

#include "cuda/core/state.h"

enum cuda_ipc_kind { CUDA_IPC_MEMORY = 1, CUDA_IPC_EVENT };

struct cuda_ipc_entry { // of the table
    uint64_t serial;    // from 1 on; 0: the entry is free; atomic
    uint32_t kind, device;
    uint64_t address, bytes; // of memory; address: what tells entries of a kind apart
    uint64_t begin;          // of the file that has it, as an address
    uint64_t inode;          // of that file
    int32_t file;            // its descriptor
    uint32_t padding[3];
};

// Lock held, in all of them.

// The handle of what the entry says, but for its serial: the same each time. False: the system does
// not give what it takes, which was said.
bool cuda_ipc_offer(struct cuda_state *state, const struct cuda_ipc_entry *entry,
                    struct cuda_ipc_handle *handle);
// It goes: handles of it are worth nothing any more. It need not have been offered.
void cuda_ipc_withdraw(struct cuda_state *state, enum cuda_ipc_kind kind, uint64_t address);

// What a handle is of. cudaErrorInvalidValue: it is none of this kind.
// cudaErrorDeviceUninitialized: this process gave it. Else it was said what is wrong, if something
// is. *file: a descriptor of the file that has the memory, which the caller closes; -1: an event.
enum cuda_error cuda_ipc_find(struct cuda_state *state, enum cuda_ipc_kind kind,
                              const struct cuda_ipc_handle *handle, struct cuda_ipc_entry *entry,
                              int *file);

// ---- Opened memory: ipc_opened.c --------------------------------------------------------------

// Which memory of another process this is.
struct cuda_ipc_origin {
    uint64_t token; // of the process
    uint64_t serial;
};
struct cuda_ipc_origin cuda_ipc_origin_of(const struct cuda_ipc_handle *handle);
// Opens it once more. NULL: it is not open.
void *cuda_ipc_open_again(struct cuda_state *state, struct cuda_ipc_origin origin);
// Maps it, from the file, for kernels of its device and of those in `also`. False: errno says why.
bool cuda_ipc_open(struct cuda_state *state, struct cuda_ipc_origin origin,
                   const struct cuda_ipc_entry *entry, int file, uint32_t also, void **pointer);
bool cuda_ipc_is_opened(const struct cuda_state *state, uint64_t address);
// False: it is not open.
bool cuda_ipc_close(struct cuda_state *state, uint64_t address);
// All of a device that is about to go; of that one alone.
void cuda_ipc_close_all(struct cuda_state *state, unsigned device);

// The current device goes, with all that it offers and all opened memory that counts as its.
void cuda_ipc_drop(struct cuda_state *state);
void cuda_ipc_free(struct cuda_state *state);

#endif
