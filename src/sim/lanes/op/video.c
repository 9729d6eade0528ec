// Video instructions.
#include "sim/lanes/op/value.h"

#include "ir/value/video.def"
