// The part of libpng 1.6 that Swift may call. The first call loads the library, which is never
// unloaded. A program that writes no PNG file does not need libpng.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { cpng_failed = 0, cpng_done = 1, cpng_no_library = -1 };

// Writes a square picture of two colours as a PNG file with one bit per pixel. `pixels` has one
// byte per pixel, row by row: 1 is black, 0 is white. On entry `count` is the capacity of `file`,
// and on return the size of the file. If `file` is NULL, only the size is computed.
int cpng_write(
    const uint8_t *pixels, uint32_t side, uint8_t *_Nullable file, size_t *count);

#pragma clang assume_nonnull end
