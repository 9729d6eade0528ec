"""Arrays of numpy on the device, by the driver alone: for packages that bring none of their own."""

import ctypes

import numpy as np

_cuda = ctypes.CDLL("libcuda.so.1")


def _call(name, *arguments):
    status = getattr(_cuda, name)(*arguments)
    if status:
        raise RuntimeError(f"{name}: error {status}")


def start():
    """Makes the first device's context the current one."""
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _call("cuInit", 0)
    _call("cuDeviceGet", ctypes.byref(device), 0)
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    _call("cuCtxSetCurrent", context)


class DeviceArray:
    """What Triton takes for a tensor: a type and an address."""

    def __init__(self, array):
        self.array, self.dtype = array, {"float32": "fp32", "float16": "fp16", "int32": "i32"}[array.dtype.name]
        address = ctypes.c_uint64()
        _call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.address = address.value
        _call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))

    def data_ptr(self):
        return self.address

    def to_host(self):
        made = np.empty_like(self.array)
        _call("cuMemcpyDtoH_v2", made.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address), ctypes.c_size_t(made.nbytes))
        return made
