// Integer arithmetic: sums, products, quotients, minimum and maximum.
#include "sim/lanes/op/value.h"

#include "ir/value/div.def"
#include "ir/value/int.def"
#include "ir/value/mul.def"
