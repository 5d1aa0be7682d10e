#define _DEFAULT_SOURCE

#include "csecrets.h"

#include <string.h>

void csecrets_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int csecrets_equal(const uint8_t *left, const uint8_t *right, size_t count) {
  // Volatile, so that the loop does not end early and no library call replaces it.
  const volatile uint8_t *one = left, *other = right;
  uint8_t difference = 0;
  for (size_t index = 0; index < count; index++) difference |= one[index] ^ other[index];
  return (int)(((unsigned)difference - 1) >> 31);
}
