// Device memory that several processes have (CUDA IPC).
#ifndef BANKRUN_SIM_SHARE_H
#define BANKRUN_SIM_SHARE_H

#include "sim/sim.h"

enum { SIM_SHARE_TEXT = 160 };

struct sim_share {
    uint64_t address, bytes;  // of the allocation
    uint64_t begin;           // of the file, as an address: its byte 0 is shown there
    int file;                 // a descriptor, which stays the simulator's
    char why[SIM_SHARE_TEXT]; // it could not be, in words
};

enum sim_share_result {
    SIM_SHARED,
    SIM_SHARE_REFUSED, // no device memory that sim_alloc gave holds the address
    SIM_SHARE_FAILED,  // the system does not give what it takes: see `why`
};

// From now on the allocation that holds the address lies in a file, which other processes may map
// and write at any time, until it is freed. No kernel of this process runs meanwhile. Again: the
// same.
enum sim_share_result sim_share(struct sim *sim, uint64_t address, struct sim_share *share);

// Such memory of another process, which the caller has mapped. Kernels may touch it that may touch
// what is allocated on the device, and those of the devices `also`, a bit for each. It ends with
// sim_unregister_device.
bool sim_register_shared(struct sim *sim, void *address, size_t bytes, uint32_t also);

#endif
