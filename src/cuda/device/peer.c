// Peer access: kernels of one device that touch the memory of another. Copies need none of it.
#include "cuda/core/state.h"
#include "cuda/device/calls.h"
#include "cuda/device/device.h"

static enum cuda_error check_pair(struct cuda_state *state, int device, int peer, const void *out) {
    if (!cuda_is_device(state, device) || !cuda_is_device(state, peer))
        return cudaErrorInvalidDevice;
    return out ? cudaSuccess : cudaErrorInvalidValue;
}

enum cuda_error cuda_device_can_access_peer(struct cuda_state *state, int *can, int device,
                                            int peer) {
    enum cuda_error error = check_pair(state, device, peer, can);
    if (error == cudaSuccess)
        *can = device != peer;
    return error;
}

// The peer's memory is that of its primary context, which this makes. Lock held.
static enum cuda_error enable(struct cuda_state *state, int peer) {
    struct cuda_device *here = state->current;
    if (peer == (int)here->number)
        return cudaErrorPeerAccessUnsupported;
    if (here->peers >> peer & 1)
        return cudaErrorPeerAccessAlreadyEnabled;
    enum cuda_error error = cuda_visit(state, &state->devices[peer]);
    state->current = here;
    if (error != cudaSuccess)
        return error;
    here->peers |= 1u << peer;
    sim_set_peer(state->devices[peer].sim, here->number, true);
    return cudaSuccess;
}

static enum cuda_error disable(struct cuda_state *state, int peer) {
    struct cuda_device *here = state->current;
    if (!(here->peers >> peer & 1))
        return cudaErrorPeerAccessNotEnabled;
    here->peers &= ~(1u << peer);
    if (state->devices[peer].sim)
        sim_set_peer(state->devices[peer].sim, here->number, false);
    return cudaSuccess;
}

enum cuda_error cuda_device_enable_peer_access(struct cuda_state *state, int peer, unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && flags)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_is_device(state, peer) ? enable(state, peer) : cudaErrorInvalidDevice;
    return error;
}

enum cuda_error cuda_device_disable_peer_access(struct cuda_state *state, int peer) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_is_device(state, peer) ? disable(state, peer) : cudaErrorInvalidDevice;
    return error;
}

enum cuda_error cuda_device_get_p2p_attribute(struct cuda_state *state, int *value, int attribute,
                                              int source, int target) {
    enum { PERFORMANCE_RANK = 1, ACCESS, NATIVE_ATOMICS, ARRAY_ACCESS, PARTIAL_ATOMICS };
    enum cuda_error error = check_pair(state, source, target, value);
    if (error == cudaSuccess && source == target)
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && (attribute < PERFORMANCE_RANK || attribute > PARTIAL_ATOMICS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = attribute == ACCESS || attribute == NATIVE_ATOMICS || attribute == ARRAY_ACCESS;
    return error;
}
