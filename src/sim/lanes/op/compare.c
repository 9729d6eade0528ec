// setp and set of integers and of single- and double-precision numbers.
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/value.h"

#define COMPARE(name, law, K, x, ...) COMPARE_PAIRS(name, K, x)
#define WAY(class, cmp, row, complements, swaps)

#include "ir/value/compare.def"
