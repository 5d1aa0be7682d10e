// Lets the tests of secrets examine their own process: its memory and its descriptors.
#pragma once

#include <stdint.h>

// Returns byte `index` of a pattern that is not in memory until it is written there. Every eighth
// byte, including the first, is the same marker; the seven bytes after it are unique to their line.
uint8_t testing_pattern(uint64_t seed, int64_t index);

// Returns how many of the first `lines` lines of eight bytes of the pattern are in the process's
// writable memory at least once, according to /proc/self/mem, or -1 if the memory cannot be read.
int64_t testing_lines_in_memory(uint64_t seed, int64_t lines);

// Returns 1 if libcrypto is mapped into the process, 0 if it is not, and -1 if the mappings cannot
// be read.
int testing_libcrypto_is_mapped(void);

// Prevents the process from opening further files, or allows it again. Returns 1, or 0 on failure.
int testing_allow_files(int allowed);

// Calls `body` in `count` threads that start at the same moment. Returns how many calls returned 1.
int testing_in_threads(int count, int (*_Nonnull body)(int));
