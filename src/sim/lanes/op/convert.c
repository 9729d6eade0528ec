// cvt.
#include "ir/value_convert.h"
#include "sim/lanes/op/value.h"

#include "ir/value/convert.def"
