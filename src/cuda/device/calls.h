// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_DEVICE_CALLS_H
#define BANKRUN_CUDA_DEVICE_CALLS_H

#include "cuda/core/state.h"

// device.c
enum cuda_error cuda_get_device_count(struct cuda_state *state, int *count);
enum cuda_error cuda_set_device(struct cuda_state *state, int device);
enum cuda_error cuda_set_valid_devices(struct cuda_state *state, const int *devices, int count);
enum cuda_error cuda_device_get_attribute(struct cuda_state *state, int *value, int attribute,
                                          int device);
enum cuda_error cuda_device_synchronize(struct cuda_state *state);
enum cuda_error cuda_device_reset(struct cuda_state *state);
enum cuda_error cuda_set_device_flags(struct cuda_state *state, unsigned flags);
enum cuda_error cuda_get_device_flags(struct cuda_state *state, unsigned *flags);
enum cuda_error cuda_device_set_limit(struct cuda_state *state, enum cuda_limit limit,
                                      size_t value);
enum cuda_error cuda_device_get_limit(struct cuda_state *state, size_t *value,
                                      enum cuda_limit limit);
enum cuda_error cuda_device_set_cache_config(struct cuda_state *state, int config);
enum cuda_error cuda_device_get_cache_config(struct cuda_state *state, int *config);
enum cuda_error cuda_device_set_shared_mem_config(struct cuda_state *state, int config);
enum cuda_error cuda_device_get_shared_mem_config(struct cuda_state *state, int *config);
enum cuda_error cuda_device_get_pci_bus_id(struct cuda_state *state, char *text, int length,
                                           int device);
enum cuda_error cuda_device_get_by_pci_bus_id(struct cuda_state *state, int *device,
                                              const char *text);

// peer.c
enum cuda_error cuda_device_can_access_peer(struct cuda_state *state, int *can, int device,
                                            int peer);
enum cuda_error cuda_device_enable_peer_access(struct cuda_state *state, int peer, unsigned flags);
enum cuda_error cuda_device_disable_peer_access(struct cuda_state *state, int peer);
enum cuda_error cuda_device_get_p2p_attribute(struct cuda_state *state, int *value, int attribute,
                                              int source, int target);

#endif
