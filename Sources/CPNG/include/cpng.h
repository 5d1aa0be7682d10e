// What Swift may call of libpng 1.6, which is loaded by the first call and never unloaded: who
// wants no file needs no libpng.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { cpng_failed = 0, cpng_done = 1, cpng_no_library = -1 };

// Writes a square picture of two colours as a PNG file with a bit for each pixel. `pixels` has a
// byte for each, row by row: 1 is black, 0 is white. `count` is the room in `file`, and afterwards
// the size of the file. Without a `file`, the size is all there is to learn.
int cpng_write(
    const uint8_t *pixels, uint32_t side, uint8_t *_Nullable file, size_t *count);

#pragma clang assume_nonnull end
