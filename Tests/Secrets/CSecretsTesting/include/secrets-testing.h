// What the tests of secrets do to their own process: look through its memory, take its descriptors.
#pragma once

#include <stdint.h>

// Byte `index` of a text that stands nowhere until somebody writes it down. Every eighth byte, the
// first among them, is the same; the seven behind it are a line of their own.
uint8_t testing_pattern(uint64_t seed, int64_t index);

// How many of the first `lines` lines of eight bytes of that text stand in the process's writable
// memory at least once, as /proc/self/mem shows it. -1 when that cannot be read.
int64_t testing_lines_in_memory(uint64_t seed, int64_t lines);

// Returns 1 when libcrypto is mapped into the process, 0 when it is not, and -1
// when that cannot be read.
int testing_libcrypto_is_mapped(void);

// Forbids the process to open any further file, or allows it again. Returns 1, or 0 on failure.
int testing_allow_files(int allowed);

// Calls `body` in `count` threads that are let go together. Returns how many of them gave 1.
int testing_in_threads(int count, int (*_Nonnull body)(int));
