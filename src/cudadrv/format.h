// Formats of texels, as the driver API names them.
#ifndef BANKRUN_CUDADRV_FORMAT_H
#define BANKRUN_CUDADRV_FORMAT_H

#include "cudadrv/cudadrv.h"

// The runtime's description of such a format; all zero, which no array can have: there is none.
struct cuda_channel cudadrv_channel(int format, unsigned channels);
// The other way.
void cudadrv_format(const struct cuda_channel *channel, int *format, unsigned *channels);

#endif
