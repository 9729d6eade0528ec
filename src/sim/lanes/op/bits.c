// Shifts, permutations, bit counts, bit searches and bit fields.
#include "sim/lanes/op/value.h"

#include "ir/value/bits.def"
#include "ir/value/shift.def"
