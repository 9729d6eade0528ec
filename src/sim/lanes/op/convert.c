// cvt of one number by one expression; the other conversions are in cvt.c and its neighbours.
#include "sim/lanes/op/value.h"

#include "ir/value/convert.def"
