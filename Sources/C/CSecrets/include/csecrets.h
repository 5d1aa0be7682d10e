// What a compiler of Swift might optimise away or end early.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Overwrites memory with zeros, even when nothing reads it afterwards.
void csecrets_wipe(void *bytes, size_t count);

// Returns 1 when two blocks are equal and 0 otherwise, in a time that depends on their length alone.
int csecrets_equal(const uint8_t *left, const uint8_t *right, size_t count);

#pragma clang assume_nonnull end
