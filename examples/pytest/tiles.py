"""A package under test: it transposes a tile of 32 by 32 floats on the GPU, through the driver API alone."""

import array
import ctypes
import os

PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "transpose.ptx")


class Gpu:
    """The first device, with the kernels of transpose.ptx."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuInit", 0)
        self._call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        with open(PTX, "rb") as file:
            self._call("cuModuleLoadData", ctypes.byref(self.module), file.read() + b"\0")

    def _call(self, name, *arguments):
        error = getattr(self.driver, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def transpose(self, tile, kernel="padded"):
        """`tile`: 1,024 floats, row by row. `kernel`: "padded" or "columns"."""
        values = array.array("f", tile)
        function, given, made = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
        self._call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        for memory in (given, made):
            self._call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
        address, _ = values.buffer_info()
        self._call("cuMemcpyHtoD_v2", given, ctypes.c_void_p(address), ctypes.c_size_t(4096))
        parameters = (ctypes.c_void_p * 2)(ctypes.addressof(made), ctypes.addressof(given))
        self._call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, parameters, None)
        self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(address), made, ctypes.c_size_t(4096))
        for memory in (given, made):
            self._call("cuMemFree_v2", memory)
        return values.tolist()
