// Operations that the Swift compiler might optimise away or end early.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Overwrites memory with zeros, even when nothing reads it afterwards.
void csecrets_wipe(void *bytes, size_t count);

// Returns 1 if two blocks are equal, else 0, in a time that depends only on their length.
int csecrets_equal(const uint8_t *left, const uint8_t *right, size_t count);

#pragma clang assume_nonnull end
