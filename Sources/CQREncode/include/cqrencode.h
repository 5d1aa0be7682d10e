// What Swift may call of libqrencode 4, which is loaded by the first call and never unloaded.
//
// Only an enrolment draws a picture: a process that merely signs somebody in must not need the
// library, and a host without it loses the picture and nothing else.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Levels of error correction.
enum { cqrencode_low, cqrencode_medium };

// What there may be instead of a size.
enum { cqrencode_no_memory = 0, cqrencode_no_library = -1 };

// Encodes bytes in 8-bit mode, in the smallest version that holds them, and writes a byte for each
// module, row by row: 1 is dark, 0 is light. Returns the number of modules along a side, or one of
// the two above. What libqrencode hands out is wiped before it is freed.
int cqrencode_encode(
    const uint8_t *bytes, size_t count, int level, uint8_t *modules, size_t capacity);

#pragma clang assume_nonnull end
