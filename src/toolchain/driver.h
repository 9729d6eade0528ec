// The driver whose behaviour bankrun follows, as all that are asked for its version have it.
#ifndef BANKRUN_TOOLCHAIN_DRIVER_H
#define BANKRUN_TOOLCHAIN_DRIVER_H

#define TOOLCHAIN_DRIVER "580.00"

#endif
