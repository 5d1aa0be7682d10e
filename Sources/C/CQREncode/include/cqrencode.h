// The part of libqrencode 4 that Swift may call. The first call loads the library, which is never
// unloaded.
//
// Only an enrolment draws a picture. A process that only signs a user in must not need the library,
// and a host without the library loses only the picture.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Levels of error correction.
enum { cqrencode_low, cqrencode_medium };

// Results in place of a size.
enum { cqrencode_no_memory = 0, cqrencode_no_library = -1 };

// Encodes bytes in 8-bit mode, in the smallest version that holds them, and writes one byte for
// each module, row by row: 1 is dark, 0 is light. Returns the number of modules along a side, or
// one of the two results above. The data that libqrencode returns is wiped before it is freed.
int cqrencode_encode(
    const uint8_t *bytes, size_t count, int level, uint8_t *modules, size_t capacity);

#pragma clang assume_nonnull end
