// Kinds of operands and results, as value.def names them: lane_K is what a register's lane holds,
// load_K the part of it that is read, value_K what the expression computes with, and store_K what a
// result is cut to. 8- and 16-bit values live zero-extended in 32-bit lanes and are computed with
// in 32 bits.
#ifndef BANKRUN_IR_VALUE_KINDS_H
#define BANKRUN_IR_VALUE_KINDS_H

#include <stdint.h>

typedef uint32_t lane_u8, lane_s8, lane_u16, lane_s16, lane_u32;
typedef int32_t lane_s32;
typedef uint64_t lane_u64;
typedef int64_t lane_s64;
typedef float lane_f32;
typedef double lane_f64;

typedef uint8_t load_u8, store_u8, store_s8;
typedef int8_t load_s8;
typedef uint16_t load_u16, store_u16, store_s16;
typedef int16_t load_s16;
typedef uint32_t load_u32, store_u32;
typedef int32_t load_s32, store_s32;
typedef uint64_t load_u64, store_u64;
typedef int64_t load_s64, store_s64;
typedef float load_f32, store_f32;
typedef double load_f64, store_f64;

typedef uint32_t value_u8, value_u16, value_u32;
typedef int32_t value_s8, value_s16, value_s32;
typedef uint64_t value_u64;
typedef int64_t value_s64;
typedef float value_f32;
typedef double value_f64;

#endif
