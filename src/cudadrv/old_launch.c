// Launches as the first versions of the driver API had them.
#include "cuda/launch/calls.h"
#include "cudadrv/cudadrv.h"

CUDADRV_CALL(cuFuncSetBlockShape(cu_function function, int x, int y, int z),
             cuda_old_set_block(state, function, x, y, z))
CUDADRV_CALL(cuFuncSetSharedSize(cu_function function, unsigned bytes),
             cuda_old_set_shared(state, function, bytes))
CUDADRV_CALL(cuParamSetSize(cu_function function, unsigned bytes),
             cuda_old_set_size(state, function, bytes))
CUDADRV_CALL(cuParamSeti(cu_function function, int offset, unsigned value),
             cuda_old_set_parameter(state, function, offset, &value, sizeof value))
CUDADRV_CALL(cuParamSetf(cu_function function, int offset, float value),
             cuda_old_set_parameter(state, function, offset, &value, sizeof value))
CUDADRV_CALL(cuParamSetv(cu_function function, int offset, const void *value, unsigned bytes),
             cuda_old_set_parameter(state, function, offset, value, bytes))
CUDADRV_CALL(cuLaunch(cu_function function), cuda_old_launch(state, function, 1, 1, NULL))
CUDADRV_CALL(cuLaunchGrid(cu_function function, int width, int height),
             cuda_old_launch(state, function, width, height, NULL))
CUDADRV_CALL(cuLaunchGridAsync(cu_function function, int width, int height, cuda_stream stream),
             cuda_old_launch(state, function, width, height, stream))
