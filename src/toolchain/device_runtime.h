// The device runtime library, libcudadevrt: programs link it, and it holds machine code alone. What
// kernels launch by it the simulator does itself (sim/device); what is left is here, as PTX.
#ifndef BANKRUN_TOOLCHAIN_DEVICE_RUNTIME_H
#define BANKRUN_TOOLCHAIN_DEVICE_RUNTIME_H

// The module with the functions of cooperative groups that it declares and has no body of:
// cudaCGGetIntrinsicHandle, cudaCGSynchronize and cudaCGSynchronizeGrid. Takes `text`; the caller
// frees the result, which is `text` itself where it asks for none of them.
char *toolchain_add_device_runtime(char *text);

#endif
